//! State of the hosts, for `doctor` and `source_status`.

use std::time::Duration;

use freshcontext_contract::{ErrorCode, Pace};

/// State of a host's circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests pass.
    Closed,
    /// Requests are refused for this much longer.
    Open(Duration),
    /// The next or the running request decides.
    HalfOpen,
}

/// State of one host, or of one published limit of a host with several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostStatus {
    /// Host name.
    pub host: String,
    /// Path prefix of the limit; empty for the whole host.
    pub path: String,
    /// Whether the limit is for requests with a credential.
    pub keyed: bool,
    /// Published rate limit, if the host has one.
    pub pace: Option<Pace>,
    /// Maximum number of concurrent requests.
    pub in_flight_max: usize,
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests waiting for a place or a slot.
    pub waiting: usize,
    /// Circuit breaker of the host.
    pub breaker: BreakerState,
    /// Remaining suspension, if the host asked for one.
    pub suspended: Option<Duration>,
    /// Attempts made since the start.
    pub attempts: u64,
    /// Failed attempts since the start.
    pub failures: u64,
    /// Error code of the last failed attempt.
    pub last_failure: Option<ErrorCode>,
}
