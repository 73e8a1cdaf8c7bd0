//! Everything between a source's [`Request`](freshcontext_contract::Request) and its answer.
//!
//! One public type does the work: [`Pipeline`]. It checks every address before dialling, coalesces identical
//! requests, caches by the rules of RFC 9111, keeps each host's published rate limit, suspends failing hosts, and
//! validates every answer. No other code in this workspace opens a socket to the outside.

mod attempt;
mod breaker;
mod cache;
mod classify;
mod clients;
mod coalesce;
mod config;
mod config_error;
mod coordination;
mod credentials;
mod deadline;
mod decode;
mod deny;
mod document;
mod exchange;
mod exhaustion;
mod fault;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod holding;
mod hosts;
mod limiter;
mod operator;
mod outgoing;
mod pipeline;
mod policy;
mod ports;
mod post;
mod reading;
mod redirect;
mod refusals;
mod retry;
#[cfg(test)]
mod simulation;
mod status;
mod step;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod token;
mod upstreams;
mod waits;

pub use classify::{AddressClass, classify, classify_with};
pub use config::{Config, ProxyConfig, Upstream};
pub use config_error::ConfigError;
pub use coordination::{Coordinate, Grant, HostEvent, HostLimit, Lease, Missing, Progress, Turn};
pub use deny::Deny;
pub use document::NamedBy;
pub use operator::OperatorClient;
pub use pipeline::Pipeline;
pub use policy::{PolicyConfig, check_url};
pub use ports::{
    Dial, DirectDial, Exchange, Jitter, Observe, Resolve, ResolveError, Seen, SpreadJitter, SystemResolver,
    Timer, TokioTimer,
};
pub use post::{Post, Posted};
pub use status::{BreakerState, HostStatus};

/// Target of the spans that are exported as traces. No log shows them.
pub const TELEMETRY: &str = "otel";

/// Response headers (lower case) that the pipeline itself reads for every source: the content type, the redirect
/// target, and the time to wait.
pub const READ_HEADERS: [&str; 5] = [
    "content-type",
    "location",
    "retry-after",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];
