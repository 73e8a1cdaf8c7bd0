//! What the pipeline asks the world for, as traits, so that a test can answer instead: time, names,
//! the addresses to dial, and chance.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{BoxFuture, ErrorCode, Headers, Method};

/// Monotonic time and waiting. Every timeout, pace, suspension and cache age is measured by it.
pub trait Timer: Send + Sync + 'static {
    /// The current monotonic instant.
    fn now(&self) -> Instant;

    /// Completes when this much of the timer's time has passed.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The real [`Timer`].
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

/// One exchange on the wire, as it went. Redirects, retries and requests for tokens are exchanges of their own.
#[derive(Debug)]
pub struct Exchange<'a> {
    /// The source that asked, by its adapter id.
    pub source: &'static str,
    /// The method.
    pub method: Method,
    /// The address, without the credential that was added to it.
    pub url: &'a Url,
    /// The body of the request, without credentials; that of a request for a token holds none.
    pub request: Option<&'a [u8]>,
    /// Time from the request to the end of the answer; the wait for the host's pace does not count.
    pub took: Duration,
    /// Returns the answer, or the reason for its absence.
    pub outcome: Result<Seen<'a>, ErrorCode>,
}

/// An answer as it came, after decompression. It may hold secrets: a token, a signed address.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// HTTP status.
    pub status: u16,
    /// Headers, without cookies and those of the transport.
    pub headers: &'a Headers,
    /// The body; empty for a redirect.
    pub body: &'a [u8],
}

/// An observer of exchanges, such as a recorder or a source check. It is called for every request, so it must be quick.
pub trait Observe: Send + Sync + 'static {
    /// An exchange has ended.
    fn exchanged(&self, exchange: &Exchange<'_>);
}

/// Why a name has no address. Callers see each of them as `unreachable` (`dns`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResolveError {
    /// There is no such name, or it has no addresses.
    NoSuchName,
    /// The lookup itself failed; the text is for the log.
    Failed(String),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchName => f.write_str("no such name"),
            Self::Failed(why) => write!(f, "lookup failed: {why}"),
        }
    }
}

impl std::error::Error for ResolveError {}

/// Names to addresses. Asked once per connection, never again for the same one: what it answers is
/// checked, and only what was checked is dialled.
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of a name, in the order in which to try them.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>>;
}

/// The machine's own resolver (`getaddrinfo`, so hosts files and search rules hold as everywhere else).
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(async move {
            match tokio::net::lookup_host((name, 0)).await {
                Ok(found) => Ok(found.map(|address| address.ip()).collect()),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ResolveError::NoSuchName),
                Err(error) => Err(ResolveError::Failed(error.to_string())),
            }
        })
    }
}

/// Where checked addresses are dialled. The real one dials them as they are; a test may count, or lead
/// them to a loopback socket. It is asked after the check, so it cannot loosen it.
pub trait Dial: Send + Sync + 'static {
    /// The sockets to dial for these checked addresses. Port 0 stands for the port of the URL; another
    /// port counts only where the URL names none.
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

/// Where chance comes from: only the length of a backoff depends on it.
pub trait Jitter: Send + Sync + 'static {
    /// The next fraction, from 0 (included) to 1 (excluded).
    fn fraction(&self) -> f64;
}

/// Fractions that spread: a random start, then steps of the golden ratio, so that many retries of one
/// process fall evenly over the backoff window instead of clustering as independent draws would.
#[derive(Debug)]
pub struct SpreadJitter(AtomicU64);

impl SpreadJitter {
    /// A sequence that starts at a random place.
    pub fn new() -> Self {
        // The standard hasher's keys are random per process; that is all the chance needed here.
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
        // 2^64 divided by the golden ratio: the step whose multiples are spread most evenly.
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
