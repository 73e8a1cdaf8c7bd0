//! State of the hosts, for the operator.

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
    /// Estimated wait of a further request for its slot, without the time that running requests take.
    pub next: Duration,
    /// Circuit breaker of the host.
    pub breaker: BreakerState,
    /// Remaining suspension after a refusal.
    pub suspended: Option<Duration>,
    /// Whether the host stated the length of the suspension. If not, the server chose it.
    pub suspension_stated: bool,
    /// Attempts made since the start.
    pub attempts: u64,
    /// Failed attempts since the start.
    pub failures: u64,
    /// Error code of the last failed attempt.
    pub last_failure: Option<ErrorCode>,
}
