//! Timeouts and size limits of the store.

use std::time::Duration;

/// Timeouts and size limits of one store. The operator can configure them; the defaults match the table of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum time that an answer waits to be stored.
    pub wait: Duration,
    /// Timeout of one operation, and of opening the database.
    pub operation: Duration,
    /// First back-off after a failure of the database. It doubles with each further failure.
    pub retry: Duration,
    /// Maximum back-off.
    pub most_retry: Duration,
    /// Maximum bytes of text that one operation reads or writes.
    pub read_bytes: usize,
}

impl Bounds {
    /// The default limits.
    pub const DEFAULT: Self = Self {
        wait: Duration::from_secs(1),
        operation: Duration::from_secs(3),
        retry: Duration::from_secs(1),
        most_retry: Duration::from_secs(15),
        read_bytes: 8 << 20,
    };

    /// Returns the back-off after this many consecutive failures.
    pub(crate) fn pause(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.retry.saturating_mul(doubled).min(self.most_retry)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self::DEFAULT
    }
}
