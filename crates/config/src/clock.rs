//! The real clock, the only source of time for the other crates.

use chrono::{DateTime, Utc};
use freshcontext_contract::Clock;

/// The system's clock in UTC.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where real time enters")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
