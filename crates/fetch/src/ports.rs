//! External dependencies of the pipeline as traits, so that a test can replace them: time, name resolution, dialling,
//! and randomness.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{BoxFuture, ErrorCode, Headers, Method};

/// Monotonic clock and sleep. All timeouts, rate limits, suspensions and cache ages use it.
pub trait Timer: Send + Sync + 'static {
    /// Returns the current monotonic instant.
    fn now(&self) -> Instant;

    /// Completes after this much of the timer's time.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The real [`Timer`], based on tokio.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// One exchange on the wire. Each redirect, retry and token request is an exchange of its own.
#[derive(Debug)]
pub struct Exchange<'a> {
    /// Adapter id of the source that sent the request.
    pub source: &'static str,
    /// HTTP method.
    pub method: Method,
    /// The address, without the credential that was added to it.
    pub url: &'a Url,
    /// The body of the request, without credentials. A token request sends its credential in a header.
    pub request: Option<&'a [u8]>,
    /// Time from the request to the end of the answer, without the wait for the host's rate limit.
    pub took: Duration,
    /// The answer, or the error that prevented it.
    pub outcome: Result<Seen<'a>, ErrorCode>,
}

/// An answer as received, after decompression. It may contain secrets: a token, a signed address.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// HTTP status.
    pub status: u16,
    /// Headers, without cookies and transport headers.
    pub headers: &'a Headers,
    /// The body; empty for a redirect.
    pub body: &'a [u8],
}

/// An observer of exchanges, such as a recorder or a source check. It runs for every request, so it must be fast.
pub trait Observe: Send + Sync + 'static {
    /// Called after each exchange.
    fn exchanged(&self, exchange: &Exchange<'_>);
}

/// Reason why a name has no address. Callers see a variant as `unreachable` (`dns`), unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveError {
    /// The name does not exist or has no addresses.
    NoSuchName,
    /// The lookup itself failed; the text is for the log.
    Failed(String),
    /// This machine had no descriptor or buffer for the lookup. Callers see it as `overloaded`.
    Exhausted,
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchName => f.write_str("no such name"),
            Self::Failed(why) => write!(f, "lookup failed: {why}"),
            Self::Exhausted => f.write_str("no free descriptor for the lookup"),
        }
    }
}

impl std::error::Error for ResolveError {}

/// Name resolution. Called once per connection: the returned addresses are checked, and only the checked addresses
/// are dialled.
pub trait Resolve: Send + Sync + 'static {
    /// Returns all addresses of a name, in the order in which to try them.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>>;
}

/// The operating system's resolver (`getaddrinfo`), with its hosts file and search rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(async move {
            match tokio::net::lookup_host((name, 0)).await {
                Ok(found) => Ok(found.map(|address| address.ip()).collect()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ResolveError::NoSuchName),
                Err(error) if crate::exhaustion::is_exhaustion(&error) => Err(ResolveError::Exhausted),
                Err(error) => Err(ResolveError::Failed(error.to_string())),
            }
        })
    }
}

/// Mapping from checked addresses to sockets. The real implementation dials the addresses as they are; a test may
/// count them, or redirect them to a loopback socket. It runs after the check, so it cannot bypass the check.
pub trait Dial: Send + Sync + 'static {
    /// Returns the sockets to dial for these checked addresses. Port 0 stands for the port of the URL; another port
    /// applies only if the URL has none.
    fn sockets(&self, host: &str, checked: &[IpAddr]) -> Vec<SocketAddr>;
}

/// Dials the checked addresses themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct DirectDial;

impl Dial for DirectDial {
    fn sockets(&self, _host: &str, checked: &[IpAddr]) -> Vec<SocketAddr> {
        checked
            .iter()
            .map(|address| SocketAddr::new(*address, 0))
            .collect()
    }
}

/// Source of randomness. Only the length of a back-off depends on it.
pub trait Jitter: Send + Sync + 'static {
    /// Returns the next fraction, from 0 (inclusive) to 1 (exclusive).
    fn fraction(&self) -> f64;
}

/// Evenly spread fractions: a random start, then steps of the golden ratio. The retries of one process then spread
/// evenly over the back-off window, while independent draws would cluster.
#[derive(Debug)]
pub struct SpreadJitter(AtomicU64);

impl SpreadJitter {
    /// Creates a sequence with a random start.
    pub fn new() -> Self {
        // The keys of the standard hasher are random per process, which is sufficient here.
        Self(AtomicU64::new(RandomState::new().build_hasher().finish()))
    }
}

impl Default for SpreadJitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Jitter for SpreadJitter {
    fn fraction(&self) -> f64 {
        // 2^64 divided by the golden ratio, the step whose multiples are spread most evenly.
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let at = self.0.fetch_add(STEP, Ordering::Relaxed);
        (at >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_draws_leave_no_twentieth_of_the_window_crowded() {
        let jitter = SpreadJitter::new();
        let mut buckets = [0_u32; 20];
        for _ in 0..100 {
            let fraction = jitter.fraction();
            assert!((0.0..1.0).contains(&fraction));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 19")]
            let bucket = (fraction * 20.0) as usize;
            buckets[bucket] += 1;
        }
        assert!(buckets.iter().all(|count| *count <= 10), "{buckets:?}");
    }

    #[tokio::test]
    async fn the_system_resolver_knows_loopback() {
        let found = SystemResolver.resolve("localhost").await.unwrap();
        assert!(found.iter().all(IpAddr::is_loopback));
    }
}
