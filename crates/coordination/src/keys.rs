//! Names of keys, and commands that need no answer.

use std::time::Duration;

use freshcontext_fetch::HostLimit;
use sha2::{Digest as _, Sha256};

use crate::PREFIX;
use crate::scripts::{LATER, UNLOCK};
use crate::share::millis;

/// The keys of one limit in one generation.
pub(crate) struct Keys {
    pub(crate) slots: String,
    pub(crate) places: String,
}

impl Keys {
    pub(crate) fn of(generation: &str, limit: &HostLimit) -> Self {
        let name = limit_name(limit);
        Self {
            slots: format!("{PREFIX}{generation}:slots:{name}"),
            places: format!("{PREFIX}{generation}:places:{name}"),
        }
    }
}

/// Returns the name of a limit in keys. Callers choose some hosts, so names are hashed.
pub(crate) fn limit_name(limit: &HostLimit) -> String {
    let keyed = if limit.keyed { "keyed" } else { "free" };
    digest(&format!("{}|{}|{keyed}", limit.host, limit.path))
}

pub(crate) fn pause_key(host: &str, limit: Option<(&str, bool)>) -> String {
    match limit {
        None => format!("{PREFIX}pause:{}", digest(host)),
        Some((path, keyed)) => format!("{PREFIX}pause:{}", digest(&format!("{host}|{path}|{keyed}"))),
    }
}

pub(crate) fn breaker_key(host: &str) -> String {
    format!("{PREFIX}breaker:{}", digest(host))
}

pub(crate) fn digest(text: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text))
}

/// Returns a script's call as a command; `EVAL`, because a restarted server has forgotten its scripts.
pub(crate) fn command(script: &str, key: &str, arguments: &[&str]) -> redis::Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(1).arg(key);
    for argument in arguments {
        command.arg(argument);
    }
    command
}

pub(crate) fn pause_command(key: &str, time: Duration, stated: bool) -> redis::Cmd {
    let time = millis(time).max(1).to_string();
    command(LATER, key, &[if stated { "1" } else { "0" }, &time])
}

pub(crate) fn unlock_command(digest: &str, holder: &str) -> redis::Cmd {
    command(UNLOCK, &format!("{PREFIX}ask:{digest}"), &[holder])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_show_no_host() {
        let limit = HostLimit {
            host: "wiki.internal.example".to_owned(),
            path: "/search/",
            keyed: true,
            pace: None,
            at_once: 1,
        };
        let Keys { slots, places } = Keys::of("generation", &limit);
        let pauses = [None, Some((limit.path, limit.keyed))].map(|scope| pause_key(&limit.host, scope));
        for key in [&slots, &places, &breaker_key(&limit.host), &pauses[0], &pauses[1]] {
            assert!(
                key.starts_with(PREFIX) && !key.contains("wiki") && !key.contains("search"),
                "{key}"
            );
        }
    }
}
