//! The state of the hosts, for `doctor` and `source_status`.

use std::time::Duration;

use freshcontext_contract::{ErrorCode, Pace};

/// Whether a host is being left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Requests go through.
    Closed,
    /// Requests are refused for this much longer.
    Open(Duration),
    /// The next request, or the one under way, decides.
    HalfOpen,
}

/// One host's state (one published limit of it, where it has several).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostStatus {
    /// The host.
    pub host: String,
    /// Path prefix that the limit is for; empty for the whole host.
    pub path: String,
    /// Whether these are the figures for requests with a credential.
    pub keyed: bool,
    /// The pace kept, where the host publishes one.
    pub pace: Option<Pace>,
    /// Requests allowed in flight at once.
    pub in_flight_max: usize,
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests waiting for a place or a slot.
    pub waiting: usize,
    /// The circuit breaker of the host.
    pub breaker: BreakerState,
    /// How much longer the host wants to be left alone, where it said so.
    pub suspended: Option<Duration>,
    /// Attempts made since the start.
    pub attempts: u64,
    /// Failed attempts since the start.
    pub failures: u64,
    /// What the last failed attempt ended in.
    pub last_failure: Option<ErrorCode>,
}
