//! Time as an injected value, so that every run can be replayed.

use chrono::{DateTime, Utc};

/// The only source of "now". The real one lives in the server crate.
pub trait Clock: Send + Sync + 'static {
    /// The current instant in UTC.
    fn now(&self) -> DateTime<Utc>;
}

/// A clock that stands still: tests, replays and `evaluate_context` calls with an explicit `now`.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub DateTime<Utc>);

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}
