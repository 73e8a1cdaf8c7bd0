//! State of the connection, for the operator.

use std::time::Duration;

/// State of what is shared with other replicas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedStatus {
    /// Whether Redis answers. If not, this process keeps its own share.
    pub connected: bool,
    /// Reason why it does not answer.
    pub why: String,
    /// Time since the state changed.
    pub since: Duration,
    /// Number of replicas that shares are counted by.
    pub replicas: u64,
    /// Requests granted by Redis, and from this process's own share.
    pub granted: (u64, u64),
    /// Number of times that Redis went out of reach.
    pub lost: u64,
}
