//! The log of refused addresses: one line per minute and host, so that a scan of many addresses does not fill the
//! log.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Minimum interval between two lines about one host.
const QUIET: Duration = Duration::from_mins(1);
/// Maximum number of hosts remembered; further hosts share one line.
const HOSTS: usize = 256;
/// Name that stands for the hosts that are not remembered.
const OTHERS: &str = "(others)";

/// Time of the last line about each host, and the number of refusals omitted since.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<HashMap<String, (Instant, u64)>>);

impl Refusals {
    /// Logs a refusal, or counts it as omitted.
    pub(crate) fn note(&self, now: Instant, source: &str, host: &str, class: &str) {
        let Some(left_out) = self.due(now, host) else {
            return;
        };
        tracing::warn!(source, host, class, left_out, "an address was refused");
    }

    /// Returns the number of refusals omitted from the log since the last line about this host; `None` if the next
    /// line is not due yet.
    fn due(&self, now: Instant, host: &str) -> Option<u64> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains_key(host) && seen.len() >= HOSTS {
            seen.retain(|_, (at, _)| now.saturating_duration_since(*at) < QUIET);
        }
        let host = if seen.contains_key(host) || seen.len() < HOSTS {
            host
        } else {
            OTHERS
        };
        let Some((at, left_out)) = seen.get_mut(host) else {
            seen.insert(host.to_owned(), (now, 0));
            return Some(0);
        };
        if now.saturating_duration_since(*at) < QUIET {
            *left_out += 1;
            return None;
        }
        *at = now;
        Some(std::mem::take(left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_line_a_minute_and_many_hosts_share_one() {
        let refusals = Refusals::default();
        let start = Instant::now();
        assert_eq!(refusals.due(start, "a.test"), Some(0));
        assert_eq!(refusals.due(start, "a.test"), None);
        assert_eq!(refusals.due(start + QUIET / 2, "a.test"), None);
        assert_eq!(refusals.due(start + QUIET, "a.test"), Some(2));
        let lines = (0..10_000)
            .filter(|n| refusals.due(start + QUIET, &format!("{n}.test")).is_some())
            .count();
        assert_eq!(lines, HOSTS);
        assert!(refusals.0.lock().unwrap().len() <= HOSTS + 1);
        assert_eq!(
            refusals.due(start + QUIET * 2, "late.test"),
            Some(0),
            "room again"
        );
    }
}
