//! One simulated day: callers, and the laws of what they get.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use freshcontext_contract::url::Url;
use freshcontext_contract::{
    BoxFuture, CallScope, Descriptor, ErrorCode, HostRate, Limits, Media, Pace, Provenance, Request,
    Response, SourceError, Transport,
};
use futures_util::future::{Either, select};
use futures_util::stream::{FuturesUnordered, Stream};

use super::chance::Chance;
use super::network::{Copy, Network, cached_for};
use super::time::{Clocks, HOUR, MILLISECOND, Nanos, SECOND, Time};
use super::{Fault, Simulating};
use crate::config::Config;
use crate::limiter::RateLimiter;
use crate::pipeline::Pipeline;
use crate::status::BreakerState;
use crate::testing::{descriptor, is_idle, leak};

/// Limits of the kinds that sources publish.
const RATES: &[HostRate] = &[
    rate("slow.test.org", "", Pace::new(1, 3), 1),
    rate("minute.test.org", "", Pace::new(10, 60), 4),
    rate("quick.test.org", "", Pace::new(5, 2), 4),
    rate("quick.test.org", "/search/", Pace::new(1, 5), 1),
    rate("hour.test.org", "", Pace::new(60, 3_600), 3),
];
const UNLISTED: &[&str] = &["page.test.org", "other.test.org"];
/// Memory that is small enough to run out.
const READING_BYTES: usize = 3 << 20;
const CACHE_BYTES: u64 = 512 << 10;
/// A caller whose deadline is the request's own waits this much longer for the request to name the reason.
const GRACE: Nanos = 30 * MILLISECOND;

const fn rate(host: &'static str, path: &'static str, pace: Pace, in_flight: u32) -> HostRate {
    HostRate {
        host,
        path,
        pace,
        keyed: None,
        in_flight,
        link: "https://example.org/limits",
    }
}

/// What a day came to.
pub(super) struct Day {
    /// All events in their order.
    pub(super) trace: String,
    /// The first law that was broken, if any was.
    pub(super) broken: Option<String>,
    pub(super) calls: usize,
    pub(super) answered: usize,
    pub(super) copies: usize,
    pub(super) sent: u64,
    /// Failures by code and detail.
    pub(super) failures: BTreeMap<String, usize>,
}

struct Call {
    number: usize,
    host: String,
    began: Nanos,
    deadline: Nanos,
    max_age: Option<Duration>,
}

/// A finished call; `None` for a caller who left.
type Done = (Call, Option<Result<Response, SourceError>>);

/// Sets a flag when something can go on.
#[derive(Default)]
struct Awake(AtomicBool);

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Simulation {
    network: Arc<Network>,
    time: Arc<Time>,
    pipeline: Arc<Pipeline>,
    source: &'static Descriptor,
    limiters: Vec<Arc<RateLimiter>>,
    callers: Chance,
    /// Answers that are still being read, by when their reader is done.
    reading: BTreeMap<(Nanos, usize), Response>,
    clock_was_set: bool,
    day: Day,
}

/// Simulates so many hours.
pub(super) fn simulate(seed: u64, hours: u64, fault: Option<Fault>) -> Day {
    let time = Time::new(seed);
    let network = Network::new(seed, &time, RATES, UNLISTED);
    let _simulating = Simulating::on(&network, fault);
    let mut source = descriptor("simulated");
    source.rates = RATES;
    let source = leak(source);
    let mut config = Config::new(Arc::new(Clocks(Arc::clone(&time))));
    config.timer = Arc::new(Clocks(Arc::clone(&time)));
    config.jitter = Arc::new(Chance::new(seed.rotate_left(32)));
    config.descriptors = vec![source];
    config.limits.reading_bytes = READING_BYTES;
    config.limits.cache_bytes = CACHE_BYTES;
    let pipeline = Arc::new(Pipeline::new(config).unwrap());
    let limiters = {
        let state = network.lock();
        let limiter = |limit: usize| {
            let host = pipeline.inner().hosts.host(state.host(limit));
            host.limiter(state.limits[limit].path, false)
        };
        (0..state.limits.len()).map(limiter).collect()
    };
    Simulation {
        network,
        time,
        pipeline,
        source,
        limiters,
        callers: Chance::new(seed.rotate_left(16)),
        reading: BTreeMap::new(),
        clock_was_set: false,
        day: Day {
            trace: String::new(),
            broken: None,
            calls: 0,
            answered: 0,
            copies: 0,
            sent: 0,
            failures: BTreeMap::new(),
        },
    }
    .run(hours)
}

impl Simulation {
    fn run(mut self, hours: u64) -> Day {
        let mut arrivals = self.arrivals(hours);
        let mut settings = self.clock_settings(hours);
        let awake = Arc::new(Awake::default());
        let waker = Waker::from(Arc::clone(&awake));
        let mut cx = Context::from_waker(&waker);
        let mut calls: Pin<Box<FuturesUnordered<BoxFuture<'static, Done>>>> =
            Box::pin(FuturesUnordered::new());
        loop {
            loop {
                awake.0.store(false, Ordering::Relaxed);
                match calls.as_mut().poll_next(&mut cx) {
                    Poll::Ready(Some(done)) => self.ends(done),
                    Poll::Pending if awake.0.load(Ordering::Relaxed) => {}
                    Poll::Ready(None) | Poll::Pending => break,
                }
            }
            if self.time.ring() {
                continue;
            }
            self.check();
            if self.network.lock().broken.is_some() {
                break;
            }
            let next = [
                self.time.next_alarm(),
                arrivals.first().copied(),
                settings.first().copied(),
                self.reading.keys().next().map(|(until, _)| *until),
            ];
            let Some(next) = next.into_iter().flatten().min() else {
                break;
            };
            self.time.go_to(next);
            while arrivals.first() == Some(&next) {
                arrivals.pop_first();
                calls.push(self.call());
            }
            while settings.first() == Some(&next) {
                settings.pop_first();
                self.set_clock();
            }
            while self
                .reading
                .keys()
                .next()
                .is_some_and(|(until, _)| *until <= next)
            {
                self.reading.pop_first();
            }
        }
        let unfinished = !calls.is_empty();
        drop(calls);
        let lawful = self.network.lock().broken.is_none();
        if lawful && unfinished {
            let now = self.time.nanos();
            self.network.lock().breaks(now, "liveness: a call never ends");
        } else if lawful {
            self.check_the_end();
        }
        let mut state = self.network.lock();
        self.day.trace = std::mem::take(&mut state.trace);
        self.day.broken = state.broken.take();
        self.day.sent = state.sent;
        drop(state);
        self.day
    }

    /// Draws when calls come: mostly some at a time, sometimes many.
    fn arrivals(&self, hours: u64) -> BTreeSet<Nanos> {
        let chance = &self.callers;
        let mut all = BTreeSet::new();
        for _ in 0..hours * 10 {
            let begin = chance.below(hours * HOUR);
            let (calls, within) = match chance.below(20) {
                0 => (chance.between(20, 70), chance.between(1, 5) * SECOND),
                1..=4 => (chance.between(5, 15), 20 * SECOND),
                _ => (chance.between(1, 5), 5 * SECOND),
            };
            all.extend((0..calls).map(|_| begin + chance.below(within)));
        }
        all
    }

    /// Draws when the wall clock is set. On most days it is not.
    fn clock_settings(&self, hours: u64) -> BTreeSet<Nanos> {
        let times = self.callers.below(5).saturating_sub(2);
        (0..times).map(|_| self.callers.below(hours * HOUR)).collect()
    }

    fn set_clock(&mut self) {
        let seconds = self.callers.one_of(&[-86_400, -3_600, -1, 1, 3_600, 86_400]);
        self.time.set_wall(seconds);
        self.clock_was_set = true;
        let now = self.time.nanos();
        let _ = writeln!(self.network.lock().trace, "{now} clock set by {seconds} s");
    }

    /// Begins a call.
    fn call(&mut self) -> BoxFuture<'static, Done> {
        let chance = &self.callers;
        let now = self.time.nanos();
        let hosts = ["slow", "minute", "quick", "quick", "hour", "page", "other"];
        let host = format!("{}.test.org", chance.one_of(&hosts));
        let folder = if chance.percent(30) { "search/" } else { "" };
        // Some things are asked for often, most seldom.
        let thing = chance.below(if chance.percent(50) { 4 } else { 40 });
        let url = format!("https://{host}/{folder}{thing}");
        let max_age = [
            None,
            None,
            Some(Duration::from_secs(30)),
            Some(Duration::from_mins(10)),
        ][usize::try_from(thing / 4 % 4).unwrap()];
        let deadline = now + chance.between(2_000, 25_000) * MILLISECOND;
        let leaves = chance.percent(10).then(|| chance.below(8 * SECOND));
        let call = Call {
            number: self.day.calls,
            host,
            began: now,
            deadline,
            max_age,
        };
        self.day.calls += 1;
        let _ = writeln!(self.network.lock().trace, "{now} call {} {url}", call.number);
        let scope = CallScope {
            descriptor: self.source,
            deadline: self.time.at(deadline),
            max_age,
        };
        let request = Request::get(Url::parse(&url).unwrap(), Media::Json)
            .cache_for(Duration::from_secs(cached_for(&url)));
        let (pipeline, time) = (Arc::clone(&self.pipeline), Arc::clone(&self.time));
        Box::pin(async move {
            let sending = pipeline.send(&scope, request);
            let Some(leaves) = leaves else {
                return (call, Some(sending.await));
            };
            match select(sending, pin!(time.sleep_for(leaves))).await {
                Either::Left((outcome, _)) => (call, Some(outcome)),
                Either::Right(_) => (call, None),
            }
        })
    }

    /// Holds the end of a call to the laws.
    fn ends(&mut self, (call, outcome): Done) {
        let now = self.time.nanos();
        let told = match &outcome {
            None => "left".to_owned(),
            Some(Ok(response)) => format!(
                "answered {:?} {}",
                response.provenance,
                Network::content_of(&response.body).map_or(-1, |content| i64::try_from(content).unwrap())
            ),
            Some(Err(error)) => format!("failed {}", describe(error)),
        };
        let _ = writeln!(self.network.lock().trace, "{now} call {} {told}", call.number);
        let law = match outcome {
            None => Ok(()),
            Some(_) if now > call.deadline + GRACE => Err("deadline: a call ended too late"),
            Some(Ok(response)) => self.check_answer(&call, response),
            Some(Err(error)) => self.check_failure(&call, &error),
        };
        if let Err(law) = law {
            self.network.lock().breaks(now, law);
        }
        for host in self.pipeline.status() {
            if let BreakerState::Open(time) = host.breaker {
                let until = now + u64::try_from(time.as_nanos()).unwrap();
                self.network.lock().opened(&host.host, until);
            }
        }
    }

    fn check_answer(&mut self, call: &Call, response: Response) -> Result<(), &'static str> {
        let Some(content) = Network::content_of(&response.body) else {
            return Err("content: a failure passes for an answer");
        };
        self.day.answered += 1;
        let copy = match response.provenance {
            Provenance::Cached { age } => Some(Copy {
                age,
                max_age: call.max_age,
                clock_was_set: self.clock_was_set,
            }),
            Provenance::Live | Provenance::Revalidated => None,
        };
        self.day.copies += usize::from(copy.is_some());
        self.network
            .check_content(content, response.retrieved_at, copy, call.began)?;
        if self.callers.percent(3) {
            response.discard();
            self.network.withdraw(content, response.retrieved_at);
        }
        let until = self.time.nanos() + self.callers.below(SECOND);
        self.reading.insert((until, call.number), response);
        Ok(())
    }

    fn check_failure(&mut self, call: &Call, error: &SourceError) -> Result<(), &'static str> {
        *self.day.failures.entry(describe(error)).or_default() += 1;
        let waits = matches!(error.code, ErrorCode::RateLimited | ErrorCode::CircuitOpen);
        if waits && error.retry_after.is_none() {
            return Err("honesty: a refusal does not say when to come again");
        }
        if error.message.is_empty() {
            return Err("honesty: a failure says nothing");
        }
        let now = self.time.nanos();
        let of_another = error.http_status.is_some() || !error.message.contains(&call.host);
        match (error.code, error.detail.as_deref()) {
            (ErrorCode::RateLimited, Some("suspended"))
                if !of_another && !self.network.lock().suspended(&call.host, now) =>
            {
                Err("honesty: a host is said to want to be left alone, and did not ask for it")
            }
            (
                ErrorCode::RateLimited
                | ErrorCode::CircuitOpen
                | ErrorCode::Timeout
                | ErrorCode::Unreachable
                | ErrorCode::UpstreamError
                | ErrorCode::Malformed
                | ErrorCode::TooLarge
                | ErrorCode::NotFound
                | ErrorCode::Challenge
                | ErrorCode::AccessDenied
                | ErrorCode::Overloaded,
                _,
            ) => Ok(()),
            _ => Err("honesty: a failure has a code that no host gave cause for"),
        }
    }

    /// Holds a moment in which nothing can go on to the laws.
    fn check(&self) {
        let now = self.time.nanos();
        let mut state = self.network.lock();
        for (limit, limiter) in self.limiters.iter().enumerate() {
            let (in_flight, waiting) = limiter.load();
            let at_once = state.limits[limit].at_once;
            if in_flight > at_once {
                state.breaks(
                    now,
                    "concurrency: a host gets more requests at once than it published",
                );
            }
            if waiting > 0 && in_flight < at_once && state.pace_allows(limit, now) {
                state.breaks(now, "waiters: a request waits though its host is free");
            }
        }
        let inner = self.pipeline.inner();
        if inner.store.weight() > CACHE_BYTES {
            state.breaks(now, "memory: the cache is larger than it may be");
        }
        let bodies: BTreeMap<*const u8, usize> = self
            .reading
            .values()
            .map(|response| (response.body.as_ptr(), response.body.len()))
            .collect();
        if bodies.values().sum::<usize>() > READING_BYTES / 2 {
            state.breaks(now, "memory: bodies take more than their share");
        }
    }

    /// After the last call nothing is held or waited for any more.
    fn check_the_end(&mut self) {
        self.reading.clear();
        let now = self.time.nanos();
        let mut state = self.network.lock();
        if !is_idle(&self.pipeline) {
            state.breaks(now, "end: a place is held after the last call");
        }
        if self.pipeline.coalesced() > 0 {
            state.breaks(now, "end: a shared request is kept after the last call");
        }
        if !self.pipeline.inner().wire.holding.is_whole() {
            state.breaks(now, "end: memory is held after the last call");
        }
    }
}

fn describe(error: &SourceError) -> String {
    match &error.detail {
        Some(detail) => format!("{} ({detail})", error.code),
        None => error.code.to_string(),
    }
}

/// The limits of a simulation are those of the server where it does not say otherwise.
const _: () = assert!(READING_BYTES < Limits::DEFAULT.reading_bytes);
