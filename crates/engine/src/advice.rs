//! What the reader of a failed call can do next. What an adapter or the pipeline advises stands; this is for the others.

use std::borrow::Cow;

use freshcontext_contract::{Descriptor, ErrorCode, SourceError};

/// What is known beside the error itself.
pub(super) struct Known<'k> {
    /// The source that failed, if it is one.
    pub(super) source: Option<&'static Descriptor>,
    /// Whether the environment variable of that name is set, and used.
    pub(super) configured: &'k dyn Fn(&str) -> bool,
    /// A variable of the environment that names a proxy and is not used.
    pub(super) unused_proxy: Option<&'static str>,
}

/// The error with a next step, if it has none.
pub(super) fn advised(mut error: SourceError, known: &Known<'_>) -> SourceError {
    if let (Some(variable), ErrorCode::Unreachable) = (known.unused_proxy, error.code) {
        error.hint = Some(Cow::Owned(format!(
            "{variable} is set, and the setting `proxy` is off: if this network needs the proxy, set FRESHCONTEXT_PROXY=true"
        )));
    }
    if error.hint.is_none() {
        error.hint = Some(next_step(&error, known));
    }
    error
}

/// Returns the next step for a code where nothing else is known: no source, field, key or time.
pub fn general(code: ErrorCode) -> Cow<'static, str> {
    let known = Known {
        source: None,
        configured: &|_| true,
        unused_proxy: None,
    };
    next_step(&SourceError::new(code, ""), &known)
}

fn next_step(error: &SourceError, known: &Known<'_>) -> Cow<'static, str> {
    let instead = known.source.and_then(|source| source.instead);
    let or_instead = |step: &str| match instead {
        Some(tool) => Cow::Owned(format!("{step}, or use {tool}")),
        None => Cow::Owned(step.to_owned()),
    };
    match error.code {
        ErrorCode::InvalidInput => match &error.field {
            Some(field) => Cow::Owned(format!("correct `{field}` and call again")),
            None => "correct the arguments and call again".into(),
        },
        ErrorCode::BlockedAddress => "give the address of a public web page".into(),
        ErrorCode::NotFound => or_instead("check the spelling"),
        ErrorCode::RateLimited | ErrorCode::CircuitOpen => {
            let wait = if error.retry_after.is_some() {
                "call again after that time"
            } else {
                "call again in some minutes"
            };
            match known.source.and_then(|source| missing_key(source, known)) {
                Some(key) => Cow::Owned(format!("{}; {key}", or_instead(wait))),
                None => or_instead(wait),
            }
        }
        ErrorCode::AccessDenied | ErrorCode::Challenge => {
            let step =
                "it refuses this server: open the page in a browser and give its text to evaluate_context";
            match known.source.and_then(|source| missing_key(source, known)) {
                Some(key) => Cow::Owned(format!("{}; {key}", or_instead(step))),
                None => or_instead(step),
            }
        }
        ErrorCode::Timeout => or_instead("call again, with a smaller `limit` if it repeats"),
        ErrorCode::Unreachable => match error.detail.as_deref() {
            Some("dns") => "check the network and the name server of this machine, then call again".into(),
            Some("tls") => {
                "check the clock and the certificates of this machine (`extra_ca`), then call again".into()
            }
            _ => or_instead("call again in a minute"),
        },
        ErrorCode::Malformed => {
            or_instead("call again later: the source changed its form, or is being repaired")
        }
        ErrorCode::TooLarge => "ask for a part of it: one item, or a smaller `limit`".into(),
        ErrorCode::UpstreamError => or_instead("call again in a minute"),
        ErrorCode::Misconfigured => {
            "correct or remove that setting and restart the server; `freshcontext doctor` lists what is set"
                .into()
        }
        ErrorCode::Overloaded => "call again in a few seconds, with fewer calls at once".into(),
        ErrorCode::Cancelled => "call again if the answer is still wanted".into(),
        ErrorCode::Internal => "call again; if it fails again, report it with this message".into(),
    }
}

/// The first key of a source that is not set, and what it is for.
fn missing_key(source: &Descriptor, known: &Known<'_>) -> Option<String> {
    let missing = source.credentials.iter().find(|credential| {
        !credential.obtain.is_empty() && !credential.env.iter().any(|name| (known.configured)(name))
    })?;
    let name = missing.env.first()?;
    Some(format!(
        "a key in {name} has a limit of its own ({})",
        missing.obtain
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(error: SourceError, unused_proxy: Option<&'static str>) -> String {
        let known = Known {
            source: None,
            configured: &|_| false,
            unused_proxy,
        };
        advised(error, &known).hint.unwrap_or_default().into_owned()
    }

    #[test]
    fn every_code_has_a_next_step_and_advice_stands() {
        for code in ErrorCode::ALL {
            assert!(!step(SourceError::new(code, "x"), None).is_empty(), "{code}");
        }
        assert_eq!(
            step(SourceError::rate_limited("x").hint("ask less"), None),
            "ask less"
        );
    }

    #[test]
    fn a_proxy_that_is_not_used_is_named_where_nothing_is_reached() {
        let named = step(SourceError::unreachable("connect", "x"), Some("HTTPS_PROXY"));
        assert!(
            named.contains("HTTPS_PROXY") && named.contains("FRESHCONTEXT_PROXY"),
            "{named}"
        );
        assert!(!step(SourceError::malformed("x"), Some("HTTPS_PROXY")).contains("HTTPS_PROXY"));
    }
}
