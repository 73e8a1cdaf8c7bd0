//! State per host: limiters, breaker, suspensions, retry quota.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::{Descriptor, ErrorCode, HostRate, Limits, Pace, SourceError};

use crate::breaker::{Breaker, Pass};
use crate::coordination::{Coordinate, HostEvent, HostLimit, SharedLimit};
use crate::limiter::{Denied, RateLimiter};
use crate::ports::Timer;
use crate::status::{BreakerState, HostStatus};

/// Maximum number of hosts remembered in addition to those with published limits, since pages may come from any host.
const REMEMBERED: usize = 512;
/// Tokens that a retry takes, that a retry after a timeout takes, and that a success returns.
const RETRY_COST: u32 = 5;
const TIMEOUT_COST: u32 = 10;
const SUCCESS_GAIN: u32 = 1;

pub(crate) struct HostTable {
    limits: Limits,
    timer: Arc<dyn Timer>,
    rates: Vec<HostRate>,
    shared: Option<Arc<dyn Coordinate>>,
    hosts: Mutex<HashMap<String, Arc<Host>>>,
}

pub(crate) struct Host {
    pub(crate) name: String,
    limiters: Vec<Arc<RateLimiter>>,
    /// The limiter for paths without a prefix of their own; one of `limiters`.
    whole: Arc<RateLimiter>,
    published: bool,
    timer: Arc<dyn Timer>,
    shared: Option<Arc<dyn Coordinate>>,
    quota_max: u32,
    state: Mutex<State>,
}

struct State {
    breaker: Breaker,
    suspended: Vec<Suspension>,
    quota: u32,
    attempts: u64,
    failures: u64,
    last_failure: Option<ErrorCode>,
}

/// Part of a host that a suspension covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole host (`Retry-After`).
    Host,
    /// One published limit, by path prefix and whether it is keyed (`x-ratelimit-reset` of a single pool).
    Limit(&'static str, bool),
}

#[derive(Debug, Clone, Copy)]
struct Suspension {
    scope: Scope,
    until: Instant,
    /// Whether the host stated this time. If not, the server chose it.
    stated: bool,
}

impl Suspension {
    fn covers(&self, limiter: &RateLimiter) -> bool {
        self.scope == Scope::Host || self.scope == Scope::Limit(limiter.path, limiter.keyed)
    }
}

impl HostTable {
    pub(crate) fn new(limits: &Limits, descriptors: &[&'static Descriptor], timer: Arc<dyn Timer>) -> Self {
        let mut rates: Vec<HostRate> = Vec::new();
        for rate in descriptors.iter().flat_map(|descriptor| descriptor.rates) {
            match rates
                .iter_mut()
                .find(|known| known.host == rate.host && known.path == rate.path)
            {
                Some(known) => {
                    known.pace = stricter(known.pace, rate.pace);
                    known.keyed = match (known.keyed, rate.keyed) {
                        (Some(a), Some(b)) => Some(stricter(a, b)),
                        (one, other) => one.or(other),
                    };
                    known.in_flight = known.in_flight.min(rate.in_flight);
                }
                None => rates.push(*rate),
            }
        }
        Self {
            limits: limits.clone(),
            timer,
            rates,
            shared: None,
            hosts: Mutex::default(),
        }
    }

    /// Shares the state of all hosts with other replicas.
    pub(crate) fn sharing(mut self, shared: Option<Arc<dyn Coordinate>>) -> Self {
        self.shared = shared;
        self
    }

    pub(crate) fn host(&self, name: &str) -> Arc<Host> {
        let name = name.trim_end_matches('.');
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        if hosts.len() >= REMEMBERED {
            let now = self.timer.now();
            hosts.retain(|_, host| host.published || Arc::strong_count(host) > 1 || host.is_remarkable(now));
        }
        let host = Arc::new(self.make(name));
        hosts.insert(name.to_owned(), Arc::clone(&host));
        host
    }

    fn make(&self, name: &str) -> Host {
        let limiter = |path, keyed, pace, at_once| {
            let limiter = RateLimiter::new(path, keyed, pace, at_once, Arc::clone(&self.timer));
            let shared = self.shared.as_ref().map(|port| SharedLimit {
                port: Arc::clone(port),
                limit: Arc::new(HostLimit {
                    host: name.to_owned(),
                    path,
                    keyed,
                    pace: limiter.pace,
                    at_once: limiter.at_once,
                }),
            });
            Arc::new(limiter.sharing(shared))
        };
        let mut limiters = Vec::new();
        for rate in self.rates.iter().filter(|rate| rate.host == name) {
            let at_once = usize::try_from(rate.in_flight).unwrap_or(usize::MAX);
            limiters.push(limiter(rate.path, false, Some(rate.pace), at_once));
            if let Some(pace) = rate.keyed {
                limiters.push(limiter(rate.path, true, Some(pace), at_once));
            }
        }
        let published = !limiters.is_empty();
        let whole = limiters
            .iter()
            .find(|limiter| limiter.path.is_empty() && !limiter.keyed)
            .cloned()
            .unwrap_or_else(|| {
                let whole = limiter("", false, None, self.limits.per_host_in_flight);
                limiters.push(Arc::clone(&whole));
                whole
            });
        Host {
            name: name.to_owned(),
            limiters,
            whole,
            published,
            timer: Arc::clone(&self.timer),
            shared: self.shared.clone(),
            quota_max: self.limits.retry_quota,
            state: Mutex::new(State {
                breaker: Breaker::new(&self.limits),
                suspended: Vec::new(),
                quota: self.limits.retry_quota,
                attempts: 0,
                failures: 0,
                last_failure: None,
            }),
        }
    }

    pub(crate) fn status(&self) -> Vec<HostStatus> {
        for rate in &self.rates {
            drop(self.host(rate.host));
        }
        let now = self.timer.now();
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<HostStatus> = hosts.values().flat_map(|host| host.status(now)).collect();
        all.sort_by(|a, b| (&a.host, &a.path, a.keyed).cmp(&(&b.host, &b.path, b.keyed)));
        all
    }
}

/// Returns the pace that allows fewer requests in the long run.
fn stricter(a: Pace, b: Pace) -> Pace {
    let spacing = |pace: Pace| pace.per.as_secs_f64() / f64::from(pace.requests.max(1));
    if spacing(b) > spacing(a) { b } else { a }
}

impl State {
    fn suspension(&self, limiter: &RateLimiter) -> Option<Suspension> {
        self.suspended
            .iter()
            .filter(|known| known.covers(limiter))
            .max_by_key(|known| known.until)
            .copied()
    }
}

/// Returns whether a path begins with a limit's prefix. A `*` in the prefix stands for one segment.
fn begins(path: &str, prefix: &str) -> bool {
    let mut rest = path;
    let mut parts = prefix.split('*');
    let Some(after) = parts.next().and_then(|first| rest.strip_prefix(first)) else {
        return false;
    };
    rest = after;
    for part in parts {
        let end = rest.find('/').unwrap_or(rest.len());
        let (segment, after) = rest.split_at(end);
        let Some(after) = after.strip_prefix(part).filter(|_| !segment.is_empty()) else {
            return false;
        };
        rest = after;
    }
    true
}

impl Host {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limiter for a path: the longest matching prefix, with the keyed limit if it differs.
    pub(crate) fn limiter(&self, path: &str, keyed: bool) -> Arc<RateLimiter> {
        let fitting = self
            .limiters
            .iter()
            .filter(|limiter| begins(path, limiter.path) && (keyed || !limiter.keyed));
        Arc::clone(
            fitting
                .max_by_key(|limiter| (limiter.path.len(), limiter.keyed))
                .unwrap_or(&self.whole),
        )
    }

    /// Refuses a request while the host is suspended or its breaker is open.
    pub(crate) fn gate(&self, limiter: &RateLimiter) -> Result<(), SourceError> {
        let now = self.timer.now();
        let mut state = self.lock();
        state.suspended.retain(|suspension| suspension.until > now);
        if let Some(known) = state.suspension(limiter) {
            return Err(self.suspended(known.until - now, known.stated));
        }
        match state.breaker.refuses(now) {
            Some(wait) => Err(self.open(wait, state.last_failure)),
            None => Ok(()),
        }
    }

    /// Begins an attempt that the breaker counts. `shared_probe` says that it decides for the other replicas, too.
    pub(crate) fn begin(
        self: &Arc<Self>,
        limiter: &RateLimiter,
        shared_probe: bool,
    ) -> Result<Attempt, SourceError> {
        self.gate(limiter)?;
        let mut state = self.lock();
        let last = state.last_failure;
        let pass = state
            .breaker
            .begin(self.timer.now())
            .map_err(|wait| self.open(wait, last))?;
        state.attempts += 1;
        Ok(Attempt {
            host: Arc::clone(self),
            pass: Some(pass),
            shared_probe,
        })
    }

    /// Suspends the host for this long, for all callers of all replicas.
    pub(crate) fn suspend(&self, scope: Scope, time: Duration, stated: bool) {
        if let Some(shared) = &self.shared {
            let limit = match scope {
                Scope::Host => None,
                Scope::Limit(path, keyed) => Some((path, keyed)),
            };
            shared.suspend(&self.name, limit, time, stated);
        }
        self.suspend_here(scope, time, stated);
    }

    /// Returns the error for a request that another replica's experience with the host forbids, and remembers it.
    /// `None` if the limiter has no slot.
    pub(crate) fn forbidden(&self, limiter: &RateLimiter, denied: Denied) -> Option<SourceError> {
        match denied {
            Denied::NoSlot(..) => None,
            Denied::Suspended { time, stated, whole } => {
                let scope = if whole {
                    Scope::Host
                } else {
                    Scope::Limit(limiter.path, limiter.keyed)
                };
                self.suspend_here(scope, time, stated);
                Some(self.suspended(time, stated))
            }
            Denied::Open(time) => Some(self.open(time, self.lock().last_failure)),
        }
    }

    fn suspend_here(&self, scope: Scope, time: Duration, stated: bool) {
        #[cfg(test)]
        if crate::simulation::planted(crate::simulation::Fault::SuspensionForgotten) {
            return;
        }
        let until = self.timer.now() + time;
        let mut state = self.lock();
        let suspension = Suspension { scope, until, stated };
        match state.suspended.iter_mut().find(|known| known.scope == scope) {
            Some(known) if known.until < until => *known = suspension,
            Some(_) => {}
            None => state.suspended.push(suspension),
        }
    }

    /// Takes the tokens of a retry; `false` if too few are left.
    pub(crate) fn may_retry(&self, after_timeout: bool) -> bool {
        let cost = if after_timeout { TIMEOUT_COST } else { RETRY_COST };
        let mut state = self.lock();
        match state.quota.checked_sub(cost) {
            Some(left) => {
                state.quota = left;
                true
            }
            None => false,
        }
    }

    fn suspended(&self, wait: Duration, stated: bool) -> SourceError {
        let seconds = wait.as_secs_f64().ceil();
        let name = &self.name;
        let message = if stated {
            format!("{name} asked to be left alone for another {seconds} s")
        } else {
            format!("{name} refused and named no time, and is left alone for another {seconds} s")
        };
        let mut failure = SourceError::new(ErrorCode::RateLimited, message).detail("suspended");
        failure.retry_after = Some(wait);
        failure
    }

    fn open(&self, wait: Duration, last: Option<ErrorCode>) -> SourceError {
        let why = last.map_or_else(String::new, |code| format!(" (last: {code})"));
        let mut failure = SourceError::new(
            ErrorCode::CircuitOpen,
            format!("{} failed repeatedly{why} and is being left alone", self.name),
        );
        failure.retry = freshcontext_contract::Retry::Temporary;
        failure.retry_after = Some(wait);
        failure
    }

    fn is_remarkable(&self, now: Instant) -> bool {
        let state = self.lock();
        state.suspended.iter().any(|known| known.until > now)
            || state.breaker.state(now) != BreakerState::Closed
    }

    fn status(&self, now: Instant) -> Vec<HostStatus> {
        let state = self.lock();
        self.limiters
            .iter()
            .map(|limiter| {
                let (in_flight, waiting) = limiter.load();
                let suspension = state.suspension(limiter).filter(|known| known.until > now);
                HostStatus {
                    host: self.name.clone(),
                    path: limiter.path.to_owned(),
                    keyed: limiter.keyed,
                    pace: limiter.pace,
                    in_flight_max: limiter.at_once,
                    in_flight,
                    waiting,
                    next: limiter.next(now),
                    breaker: state.breaker.state(now),
                    suspended: suspension.map(|known| known.until - now),
                    suspension_stated: suspension.is_some_and(|known| known.stated),
                    attempts: state.attempts,
                    failures: state.failures,
                    last_failure: state.last_failure,
                }
            })
            .collect()
    }
}

/// A running attempt. If it is dropped without an outcome, it counts neither as a success nor as a failure.
pub(crate) struct Attempt {
    host: Arc<Host>,
    pass: Option<Pass>,
    shared_probe: bool,
}

impl Attempt {
    pub(crate) fn succeeded(mut self) {
        let now = self.host.timer.now();
        if let Some(pass) = self.pass.take() {
            let mut state = self.host.lock();
            state.breaker.end(pass, Some(false), now);
            state.quota = state.quota.saturating_add(SUCCESS_GAIN).min(self.host.quota_max);
            drop(state);
            if self.shared_probe || pass == Pass::Probe {
                self.tell(HostEvent::Closed);
            }
        }
    }

    /// Ends the attempt with a failure. Only failures of the host itself count for the breaker.
    pub(crate) fn failed(mut self, failure: &SourceError) {
        let now = self.host.timer.now();
        if let Some(pass) = self.pass.take() {
            let fault = is_host_fault(failure);
            let mut state = self.host.lock();
            state.breaker.end(pass, Some(fault), now);
            state.failures += 1;
            state.last_failure = Some(failure.code);
            let opened = match state.breaker.state(now) {
                BreakerState::Open(time) => Some(time),
                _ => (fault && self.shared_probe).then(|| state.breaker.first_wait()),
            };
            drop(state);
            if let Some(time) = opened {
                self.tell(HostEvent::Opened(time));
            } else if self.shared_probe {
                self.tell(HostEvent::Closed);
            }
        }
    }

    fn tell(&self, event: HostEvent) {
        if let Some(shared) = &self.host.shared {
            shared.host(&self.host.name, event);
        }
    }
}

/// Returns whether a failure is the host's fault and therefore counts for its breaker.
fn is_host_fault(failure: &SourceError) -> bool {
    match failure.code {
        ErrorCode::Unreachable | ErrorCode::Timeout => true,
        ErrorCode::UpstreamError => failure.http_status.is_none_or(|status| status >= 500),
        _ => false,
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(pass) = self.pass.take() {
            self.host.lock().breaker.end(pass, None, self.host.timer.now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_may_leave_a_segment_open() {
        for (path, prefix, fits) in [
            ("/x/y", "", true),
            ("/r/rust/s/abc", "/r/*/s/", true),
            ("/r/rust/.rss", "/r/*/s/", false),
            ("/r//s/abc", "/r/*/s/", false),
            ("/r/rust", "/r/*/s/", false),
            ("/r/a/b/s/x", "/r/*/s/", false),
            ("/search", "/search", true),
            ("/sea", "/search", false),
        ] {
            assert_eq!(begins(path, prefix), fits, "{path} {prefix}");
        }
    }
}
