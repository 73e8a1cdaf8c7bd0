//! Stored timestamps, checked against the clock before they are shown: the clock that made them may have been wrong.

use chrono::{DateTime, SecondsFormat, Utc};

use super::is_future;

/// A stored timestamp. One of the two fields is present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMoment {
    /// The timestamp, where it is valid.
    pub at: Option<String>,
    /// The timestamp, where it is ahead of the clock by more than clocks differ. One of the two clocks is wrong, so the time
    /// is unknown.
    pub ahead: Option<String>,
}

impl KeptMoment {
    /// From milliseconds since 1970.
    pub fn of(ms: i64, now: DateTime<Utc>) -> Self {
        let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
        match DateTime::from_timestamp_millis(ms) {
            Some(at) if !is_future(at, now) => Self {
                at: Some(text(at)),
                ahead: None,
            },
            at => Self {
                at: None,
                ahead: Some(at.map_or_else(|| format!("{ms} ms"), text)),
            },
        }
    }

    /// A timestamp that the caller passed, unchecked.
    pub fn given(at: DateTime<Utc>) -> Self {
        Self {
            at: Some(at.to_rfc3339_opts(SecondsFormat::Millis, true)),
            ahead: None,
        }
    }

    /// Text for one line.
    pub fn words(&self) -> String {
        match (&self.at, &self.ahead) {
            (Some(at), _) => at.clone(),
            (None, ahead) => unknown_time(ahead.as_deref().unwrap_or_default()),
        }
    }
}

/// Text in place of a timestamp that is ahead of the clock.
pub fn unknown_time(ahead: &str) -> String {
    format!("at an unknown time (recorded as {ahead}, which is ahead of this clock)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_ahead_of_the_clock_is_unknown() {
        let now = DateTime::from_timestamp_millis(1_795_000_000_000).unwrap_or_default();
        let of = |ms: i64| KeptMoment::of(1_795_000_000_000 + ms, now);
        for fine in [-1, 0, 300_000] {
            assert!(of(fine).ahead.is_none() && of(fine).at.is_some(), "{fine}");
        }
        assert!(of(300_001).at.is_none());
        assert_eq!(of(300_001).ahead.as_deref(), Some("2026-11-18T11:11:40.001Z"));
        assert!(KeptMoment::of(i64::MAX, now).at.is_none());
        assert!(of(1 << 40).words().contains("ahead of this clock"));
    }
}
