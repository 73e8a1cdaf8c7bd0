//! Log lines about refused requests, at most one a minute for each peer and reason: a client that retries, and an attacker,
//! must not fill the log.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use freshcontext_oauth::Refused as NoAccess;

use super::guard::Denied;
use super::rate::Client;

/// Interval between two lines about the same peer and reason.
const INTERVAL: Duration = Duration::from_mins(1);
/// Maximum number of peers remembered. Beyond it, further peers are not logged until the interval has passed.
const PEERS: usize = 1_024;

/// When each peer was last logged, by reason.
#[derive(Debug, Default)]
pub(crate) struct RefusedLog(Mutex<HashMap<(Option<Client>, Denied), Instant>>);

impl RefusedLog {
    /// Logs a refusal, unless the same was logged within the interval. No client: a program on this machine, or a proxy.
    pub(crate) fn tell(&self, client: Option<Client>, denied: Denied) {
        if !self.is_due(client, denied, Instant::now()) {
            return;
        }
        let peer = match client {
            Some(Client::Address(address)) => address.to_string(),
            Some(Client::Holder(_) | Client::Subject(_)) | None => {
                "a program on this machine, or a proxy".to_owned()
            }
        };
        let (what, setting) = match denied {
            Denied::Host => ("the Host is not one of the configured", "http.allowed_hosts"),
            Denied::Origin => ("the Origin is not one of the configured", "http.allowed_origins"),
            Denied::Token => (
                "no token, or not one of the configured",
                "http.token, http.tokens",
            ),
            Denied::Access(NoAccess::Missing) => ("no access token", "http.oauth"),
            Denied::Access(NoAccess::Invalid(flaw)) => (flaw.as_str(), "http.oauth"),
            Denied::Access(NoAccess::Scope) => (
                "the token has not all of the required scopes",
                "http.oauth.scopes",
            ),
            Denied::Access(NoAccess::Unavailable) => (
                "no key of the issuer is known to check access tokens with",
                "http.oauth.issuer",
            ),
        };
        tracing::warn!(peer, setting, "refused: {what}; not logged again for 60 s");
    }

    fn is_due(&self, client: Option<Client>, denied: Denied, now: Instant) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = last.get(&(client, denied))
            && now.duration_since(*before) < INTERVAL
        {
            return false;
        }
        if last.len() >= PEERS {
            last.retain(|_, before| now.duration_since(*before) < INTERVAL);
            if last.len() >= PEERS {
                return false;
            }
        }
        last.insert((client, denied), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn each_peer_and_reason_is_logged_once_a_minute_within_bounded_memory() {
        let (log, start) = (RefusedLog::default(), Instant::now());
        let peer = |n: u32| Some(Client::Address(Ipv4Addr::from_bits(n).into()));
        assert!(log.is_due(peer(1), Denied::Token, start));
        assert!(!log.is_due(peer(1), Denied::Token, start + INTERVAL / 2));
        assert!(log.is_due(peer(1), Denied::Host, start + INTERVAL / 2));
        assert!(log.is_due(peer(2), Denied::Token, start + INTERVAL / 2));
        assert!(log.is_due(None, Denied::Token, start + INTERVAL / 2));
        assert!(log.is_due(peer(1), Denied::Token, start + INTERVAL));
        let later = start + INTERVAL * 3;
        let told = (0..10_000)
            .filter(|n| log.is_due(peer(*n), Denied::Token, later))
            .count();
        assert_eq!(told, PEERS);
        assert!(log.0.lock().unwrap().len() <= PEERS);
        assert!(log.is_due(peer(9_999), Denied::Token, later + INTERVAL));
    }
}
