//! How long the store may take, and how much it reads at once.

use std::time::Duration;

/// Bounds of one store. An operator sets them; the defaults are those of the table of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Longest that an answer waits to be kept.
    pub wait: Duration,
    /// Longest for one operation, and for opening the database.
    pub operation: Duration,
    /// First pause after the database could not be used; it doubles with each further failure.
    pub retry: Duration,
    /// Longest such pause.
    pub most_retry: Duration,
    /// Bytes of the texts that one operation reads or writes.
    pub read_bytes: usize,
}

impl Bounds {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        wait: Duration::from_secs(1),
        operation: Duration::from_secs(3),
        retry: Duration::from_secs(1),
        most_retry: Duration::from_secs(15),
        read_bytes: 8 << 20,
    };

    /// The pause after so many failures in a row.
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
