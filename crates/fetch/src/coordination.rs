//! Port to what several replicas of the server share: the limits of hosts, suspensions, and the cache's second level.
//!
//! A process alone has none: each use is one check of an `Option`. An implementation never fails and never blocks for
//! long. When what it shares through is out of reach, it grants this process's share of each limit.

use std::sync::Arc;
use std::time::Duration;

use freshcontext_contract::{BoxFuture, Pace};

/// A limit of one host, in the form in which all replicas know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLimit {
    /// Host name, in lower case.
    pub host: String,
    /// Path prefix of the limit; empty for the whole host.
    pub path: &'static str,
    /// Whether the limit is for requests with a credential.
    pub keyed: bool,
    /// Published pace, if the host has one.
    pub pace: Option<Pace>,
    /// Maximum number of concurrent requests.
    pub at_once: usize,
}

/// Permission for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Number of the lease, unique in this process.
    pub id: u64,
    /// Whether this request decides whether a failing host is asked again.
    pub probe: bool,
}

/// What a request waits for before it may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A slot of the host's pace.
    Slot,
    /// The end of another request to the host.
    Place,
    /// Agreement with the other replicas, which the host has no part in.
    Agreement,
}

/// Answer to a request for a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// The request may leave now.
    Go(Lease),
    /// No slot or place is free.
    Wait {
        /// Estimated time until the request may leave.
        time: Duration,
        /// Time after which to ask again; at most `time`.
        again: Duration,
        /// What is missing.
        missing: Missing,
    },
    /// Another replica was told by the host to wait.
    Suspended {
        /// Remaining time.
        time: Duration,
        /// Whether the host stated this time.
        stated: bool,
        /// Whether the whole host is suspended, or only this limit.
        whole: bool,
    },
    /// The host fails for another replica, and is left alone for this time.
    Open(Duration),
}

/// What became of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The head of the answer has arrived, so the request has reached the host.
    Reached,
    /// The exchange is over.
    Ended,
    /// The request was not sent.
    Unused,
}

/// State of a host that a replica tells the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostEvent {
    /// The breaker opened for this time.
    Opened(Duration),
    /// A probe succeeded.
    Closed,
}

/// What the other replicas have for a request, or who asks the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// A stored answer and its age.
    Stored(Vec<u8>, Duration),
    /// This process sends the request. The text releases the lock.
    Mine(String),
    /// Another process is at it.
    Others,
    /// Nothing is shared now.
    Alone,
}

/// Coordination of requests with other replicas.
pub trait Coordinate: Send + Sync + 'static {
    /// Asks for a lease. Answers within the time budget for coordination.
    fn acquire<'a>(&'a self, limit: &'a Arc<HostLimit>) -> BoxFuture<'a, Grant>;

    /// Reports what became of a lease. Returns at once.
    fn progress(&self, limit: &Arc<HostLimit>, lease: Lease, progress: Progress);

    /// Tells the others of a suspension: of the whole host, or of one limit. Returns at once.
    fn suspend(&self, host: &str, limit: Option<(&'static str, bool)>, time: Duration, stated: bool);

    /// Tells the others of a host's breaker. Returns at once.
    fn host(&self, host: &str, event: HostEvent);

    /// Looks for a stored answer. Without one, takes the turn to ask the source, for at most this long.
    fn look<'a>(&'a self, key: &'a str, longest: Duration) -> BoxFuture<'a, Turn>;

    /// Stores an answer of this age, until it is as old as `fresh_for`. Returns at once.
    fn save(&self, key: &str, value: Vec<u8>, age: Duration, fresh_for: Duration);

    /// Releases a lock. Returns at once.
    fn unlock(&self, key: &str, lock: &str);
}

/// The port as a host's limiter uses it.
#[derive(Clone)]
pub(crate) struct SharedLimit {
    pub(crate) port: Arc<dyn Coordinate>,
    pub(crate) limit: Arc<HostLimit>,
}
