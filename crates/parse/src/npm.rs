//! npm's registry: the names it can have, and what it says where it has no document to give.

use freshcontext_contract::serde_json::Value;
use freshcontext_contract::{ErrorCode, SourceError, named, quoted};

use crate::json::text_at;
use crate::text;

/// Whether npm can have a package of this name: lower case, at most 214 characters, optionally with a scope. Upper
/// case is left in old names.
pub fn is_name(name: &str) -> bool {
    let part = |part: &str, scoped: bool| {
        !part.is_empty()
            && (scoped || !part.starts_with(['.', '_']))
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.~".contains(&b))
            && part.bytes().any(|b| b.is_ascii_alphanumeric())
    };
    name.len() <= 214
        && match name.strip_prefix('@') {
            Some(rest) => rest
                .split_once('/')
                .is_some_and(|(scope, name)| part(scope, false) && part(name, true)),
            None => part(name, false),
        }
}

/// The error in an answer: `{"error": "..."}`, at times with a `reason`, and with any status, 200 too (a
/// registry behind a proxy). Only one that says so means that the package does not exist.
pub fn error(answer: &Value) -> Option<SourceError> {
    let said = answer.get("error").filter(|said| !said.is_null())?;
    let words = |value: &Value| match value {
        Value::String(text) => text::one_line(text),
        other => other
            .get("message")
            .or_else(|| other.get("summary"))
            .and_then(Value::as_str)
            .map(text::one_line)
            .unwrap_or_default(),
    };
    let mut message = words(said);
    let reason = answer.get("reason").or_else(|| answer.get("message")).map(words);
    if let Some(reason) = reason.filter(|reason| !reason.is_empty() && *reason != message) {
        message = format!("{message}: {reason}");
    }
    let lower = message.to_ascii_lowercase().replace('_', " ");
    let says = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    let code = if says(&["not found", "does not exist", "no such package"]) {
        ErrorCode::NotFound
    } else if says(&["too many", "rate limit", "slow down"]) {
        ErrorCode::RateLimited
    } else if says(&["unauthorized", "forbidden", "authentication", "not allowed"]) {
        ErrorCode::AccessDenied
    } else {
        ErrorCode::UpstreamError
    };
    let message = if message.is_empty() {
        "npm answered with an error and no reason".to_owned()
    } else {
        format!(
            "npm answered with an error: {}",
            quoted(&text::clip(&message, 160))
        )
    };
    Some(SourceError::new(code, message))
}

/// The error of a package of which npm's placeholder alone is left: what was there was removed for malice
/// (<https://github.com/npm/security-holder>). `None` where another version is handed out.
pub fn security_holding(value: &Value) -> Option<SourceError> {
    let latest = text_at(value, "/dist-tags/latest").or_else(|| text_at(value, "/version"))?;
    let manifest = value.get("versions").and_then(|versions| versions.get(latest));
    let said = manifest.and_then(|manifest| text_at(manifest, "/description"));
    let said = said
        .or_else(|| text_at(value, "/description"))
        .unwrap_or_default();
    let holds = latest.contains("-security") && said.to_lowercase().contains("security holding package");
    holds.then(|| {
        let name = text_at(value, "/name").unwrap_or("the package");
        SourceError::not_found(format!(
            "{} was removed from npm for security reasons: a security holding package is in its place",
            named(name)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_so_does_not_exist() {
        for (body, code) in [
            (r#"{"error":"Not found"}"#, Some(ErrorCode::NotFound)),
            (
                r#"{"error":"not_found","reason":"document not found"}"#,
                Some(ErrorCode::NotFound),
            ),
            (
                r#"{"error":"Internal Server Error"}"#,
                Some(ErrorCode::UpstreamError),
            ),
            (r#"{"error":"too many requests"}"#, Some(ErrorCode::RateLimited)),
            (r#"{"error":"Forbidden"}"#, Some(ErrorCode::AccessDenied)),
            (
                r#"{"error":{"code":"E500","message":"backend down"}}"#,
                Some(ErrorCode::UpstreamError),
            ),
            (r#"{"error":true}"#, Some(ErrorCode::UpstreamError)),
            (r#"{"error":null,"name":"x"}"#, None),
            (r#"{"name":"x"}"#, None),
            ("[]", None),
        ] {
            let value: Value = freshcontext_contract::serde_json::from_str(body).unwrap();
            assert_eq!(error(&value).map(|error| error.code), code, "{body}");
        }
    }
}
