//! Hosts and the way to them, in memory. They keep account of what reaches them, and of the laws that this may break.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::future::Future;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use freshcontext_contract::limits::REFUSAL_WAIT_MAX_S;
use freshcontext_contract::{Clock, HostRate, Limits};
use hyper::body::{Body, Frame};

use super::chance::Chance;
use super::time::{Clocks, HOUR, Nanos, SECOND, Sleep, Time};
use super::weather::{Fate, Weather, delay, fate};
use crate::step::{Step, now_at};

/// A text that only good answers hold; the number of their content follows it.
const CONTENT: &str = "{\"content\":\"#";

pub(super) struct Network {
    pub(super) time: Arc<Time>,
    pub(super) chance: Chance,
    state: Mutex<State>,
}

pub(super) struct State {
    hosts: Vec<Host>,
    pub(super) limits: Vec<Limit>,
    flights: Vec<Flight>,
    contents: Vec<Content>,
    /// The last content of each address, and the request for it that is under way.
    addresses: HashMap<String, (Option<usize>, Option<usize>)>,
    pub(super) trace: String,
    /// The first law that was broken, if any was.
    pub(super) broken: Option<String>,
    pub(super) sent: u64,
}

struct Host {
    name: &'static str,
    weather: Weather,
    until: Nanos,
    /// How far its clock is off, in seconds.
    skew_s: i64,
    suspensions: Vec<Suspension>,
    /// Until when its breaker was last said to be open.
    open_until: Nanos,
}

struct Suspension {
    /// A limit; `None` for the whole host.
    limit: Option<usize>,
    from: Nanos,
    until: Nanos,
    /// The latest end that the server may believe in: a date has no fractions of a second.
    latest: Nanos,
}

/// A published limit, as its host counts it.
pub(super) struct Limit {
    host: usize,
    pub(super) path: &'static str,
    requests: Option<(usize, Nanos)>,
    pub(super) at_once: usize,
    /// Requests in the order of their departure.
    flights: Vec<usize>,
    arrivals: Vec<Nanos>,
}

struct Flight {
    host: usize,
    limit: usize,
    address: String,
    /// When the head of its answer arrived, or its connection was given up.
    reached: Option<Nanos>,
    ended: Option<Nanos>,
}

/// A content that a host gave out, and when.
#[derive(Default)]
struct Content {
    given: Vec<Given>,
}

struct Given {
    flight: usize,
    at: Nanos,
    wall: DateTime<Utc>,
    fresh_for: Nanos,
    withdrawn: Option<Nanos>,
}

impl State {
    pub(super) fn breaks(&mut self, now: Nanos, law: &str) {
        let _ = writeln!(self.trace, "{now} BROKEN {law}");
        self.broken
            .get_or_insert_with(|| format!("{law}, at {:.3} s", now as f64 / SECOND as f64));
    }

    pub(super) fn host(&self, limit: usize) -> &'static str {
        self.hosts[self.limits[limit].host].name
    }

    /// Returns whether the pace of a limit allows a request now.
    pub(super) fn pace_allows(&self, limit: usize, now: Nanos) -> bool {
        let limit = &self.limits[limit];
        let Some((requests, per)) = limit.requests else {
            return true;
        };
        let Some(before) = limit.flights.len().checked_sub(requests) else {
            return true;
        };
        self.flights[limit.flights[before]]
            .reached
            .is_some_and(|reached| reached + per <= now)
    }

    pub(super) fn suspended(&self, host: &str, now: Nanos) -> bool {
        let host = self.hosts.iter().find(|known| known.name == host).unwrap();
        host.suspensions.iter().any(|known| known.latest >= now)
    }

    pub(super) fn opened(&mut self, host: &str, until: Nanos) {
        let host = self.hosts.iter_mut().find(|known| known.name == host).unwrap();
        host.open_until = host.open_until.max(until);
    }

    fn ended(&mut self, flight: usize, now: Nanos) {
        let flight_number = flight;
        let flight = &mut self.flights[flight];
        flight.ended.get_or_insert(now);
        if let Some((_, under_way)) = self.addresses.get_mut(&flight.address)
            && *under_way == Some(flight_number)
        {
            *under_way = None;
        }
    }
}

impl Network {
    pub(super) fn new(
        seed: u64,
        time: &Arc<Time>,
        rates: &[HostRate],
        unlisted: &[&'static str],
    ) -> Arc<Self> {
        let chance = Chance::new(seed);
        let mut names: Vec<&'static str> = rates.iter().map(|rate| rate.host).collect();
        names.dedup();
        names.extend(unlisted);
        let hosts: Vec<Host> = names
            .iter()
            .map(|name| Host {
                name,
                weather: Weather::Fair,
                until: chance.below(HOUR),
                skew_s: chance.one_of(&[0, 0, 0, 90, -86_400, 259_200]),
                suspensions: Vec::new(),
                open_until: 0,
            })
            .collect();
        let place = |name: &str| hosts.iter().position(|host| host.name == name).unwrap();
        let listed = rates.iter().map(|rate| Limit {
            host: place(rate.host),
            path: rate.path,
            requests: Some((
                usize::try_from(rate.pace.requests).unwrap(),
                u64::try_from(rate.pace.per.as_nanos()).unwrap(),
            )),
            at_once: usize::try_from(rate.in_flight).unwrap(),
            flights: Vec::new(),
            arrivals: Vec::new(),
        });
        let others = unlisted.iter().map(|name| Limit {
            host: place(name),
            path: "",
            requests: None,
            at_once: Limits::DEFAULT.per_host_in_flight,
            flights: Vec::new(),
            arrivals: Vec::new(),
        });
        let limits = listed.chain(others).collect();
        Arc::new(Self {
            time: Arc::clone(time),
            chance,
            state: Mutex::new(State {
                hosts,
                limits,
                flights: Vec::new(),
                contents: Vec::new(),
                addresses: HashMap::new(),
                trace: String::new(),
                broken: None,
                sent: 0,
            }),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn wall(&self) -> DateTime<Utc> {
        Clock::now(&Clocks(Arc::clone(&self.time)))
    }

    /// Takes a request to its host, and its answer back.
    pub(super) async fn send(
        self: Arc<Self>,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, reqwest::Error> {
        let flight = self.departs(&request);
        let mut way = Way {
            network: Arc::clone(&self),
            flight,
            done: false,
        };
        let (weather, fate) = {
            let mut state = self.lock();
            let host = state.flights[flight].host;
            let host = &mut state.hosts[host];
            if host.until <= self.time.nanos() {
                let (weather, lasts) = Weather::next(&self.chance);
                host.weather = weather;
                host.until = self.time.nanos() + lasts;
            }
            (host.weather, fate(host.weather, &self.chance))
        };
        // Half of the requests find a connection open.
        if fate == Fate::NoConnection || self.chance.percent(50) {
            for step in [Step::Dns, Step::Connect, Step::Tls] {
                now_at(step);
                self.time.sleep_for(delay(weather, &self.chance)).await;
                if fate == Fate::NoConnection && step == Step::Connect {
                    if self.chance.percent(50) {
                        std::future::pending::<()>().await;
                    }
                    return Err(no_connection());
                }
            }
        }
        now_at(Step::Answer);
        self.time.sleep_for(delay(weather, &self.chance)).await;
        self.arrives(flight);
        match fate {
            Fate::Silence => std::future::pending::<()>().await,
            Fate::Closed => return Err(no_connection()),
            _ => {}
        }
        self.time.sleep_for(delay(weather, &self.chance)).await;
        way.done = true;
        Ok(self.answers(flight, fate, weather, &request).into())
    }

    fn departs(&self, request: &reqwest::Request) -> usize {
        let now = self.time.nanos();
        let url = request.url();
        let mut state = self.lock();
        let state = &mut *state;
        let host = state
            .hosts
            .iter()
            .position(|host| Some(host.name) == url.host_str())
            .unwrap();
        let fits = |limit: &Limit| limit.host == host && url.path().starts_with(limit.path);
        let longest = |limit: usize| state.limits[limit].path.len();
        let limit = (0..state.limits.len())
            .filter(|limit| fits(&state.limits[*limit]))
            .max_by_key(|limit| longest(*limit))
            .unwrap();
        let flight = state.flights.len();
        let _ = writeln!(state.trace, "{now} {flight} departs {url}");
        state.sent += 1;
        let asked_for_quiet = |known: &Suspension| {
            known.limit.is_none_or(|of| of == limit) && known.from < now && now < known.until
        };
        if state.hosts[host].suspensions.iter().any(asked_for_quiet) {
            state.breaks(
                now,
                "suspension: a host that asked to be left alone got a request",
            );
        }
        if now < state.hosts[host].open_until {
            state.breaks(now, "breaker: a host got a request though its breaker was open");
        }
        let address = url.to_string();
        let known = state.addresses.entry(address.clone()).or_default();
        if known.1.replace(flight).is_some() {
            state.breaks(now, "coalescing: two equal requests were under way at one time");
        }
        state.limits[limit].flights.push(flight);
        state.flights.push(Flight {
            host,
            limit,
            address,
            reached: None,
            ended: None,
        });
        flight
    }

    fn arrives(&self, flight: usize) {
        let now = self.time.nanos();
        let mut state = self.lock();
        let _ = writeln!(state.trace, "{now} {flight} arrives");
        let limit = state.flights[flight].limit;
        let limit = &mut state.limits[limit];
        limit.arrivals.push(now);
        let Some((requests, per)) = limit.requests else {
            return;
        };
        let before = limit.arrivals.len().checked_sub(requests + 1);
        if before.is_some_and(|before| now - limit.arrivals[before] < per) {
            state.breaks(
                now,
                "pace: a host got more requests in a window than it published",
            );
        }
    }

    /// Writes the answer. Its head arrives now.
    fn answers(
        self: &Arc<Self>,
        flight: usize,
        fate: Fate,
        weather: Weather,
        request: &reqwest::Request,
    ) -> http::Response<reqwest::Body> {
        let now = self.time.nanos();
        let wall = self.wall();
        let mut state = self.lock();
        let state = &mut *state;
        state.flights[flight].reached = Some(now);
        let _ = writeln!(state.trace, "{now} {flight} {fate:?}");
        let host = &state.hosts[state.flights[flight].host];
        let skew_s = host.skew_s;
        let date = wall + chrono::TimeDelta::seconds(skew_s);
        let mut head = http::Response::builder().header("date", httpdate::fmt_http_date(date.into()));
        let mut body = SimulatedBody::new(self, flight, weather);
        let kind = if fate == Fate::Page {
            "text/html"
        } else {
            "application/json"
        };
        head = head.header("content-type", kind);
        match fate {
            Fate::Failed(status) => {
                body.sends("{\"error\":\"crafted\"}");
                head = head.status(status);
            }
            Fate::Limited(wait) => {
                body.sends("{\"error\":\"slow down\"}");
                head = head.status(429);
                if let Some(wait) = wait {
                    head = if skew_s == 0 && wait > 1 && self.chance.percent(20) {
                        let at = wall + chrono::TimeDelta::seconds(i64::try_from(wait).unwrap());
                        // A date has no fractions of a second.
                        body.suspends = Some((None, Wait::Until(now + (wait - 1).min(3_600) * SECOND)));
                        head.header("retry-after", httpdate::fmt_http_date(at.into()))
                    } else {
                        body.suspends = Some((None, Wait::For(wait.min(3_600) * SECOND)));
                        head.header("retry-after", wait.to_string())
                    };
                } else {
                    let limit = state.flights[flight].limit;
                    let least = Limits::DEFAULT.refusal_wait_ms * SECOND / 1_000;
                    let window = state.limits[limit].requests.map_or(0, |(_, per)| per);
                    let wait = window.min(REFUSAL_WAIT_MAX_S * SECOND).max(least);
                    body.suspends = Some((Some(limit), Wait::For(wait)));
                }
            }
            Fate::Away(wait) => {
                body.sends("{\"error\":\"away\"}");
                body.suspends = Some((None, Wait::For(wait.min(3_600) * SECOND)));
                head = head.status(503).header("retry-after", wait.to_string());
            }
            Fate::Page => body.sends("<html><head><title>Welcome</title></head><body>Sign in</body></html>"),
            Fate::Elsewhere => {
                let other =
                    state.hosts[usize::try_from(self.chance.below(state.hosts.len() as u64)).unwrap()].name;
                head = head
                    .status(302)
                    .header("location", format!("https://{other}/landing/{flight}"));
            }
            Fate::TooLarge => head = head.header("content-length", "5000000"),
            _ => head = self.content(state, flight, request, head, &mut body, fate),
        }
        head.body(reqwest::Body::wrap(body)).unwrap()
    }

    /// Writes a good answer, or one that breaks off.
    fn content(
        &self,
        state: &mut State,
        flight: usize,
        request: &reqwest::Request,
        mut head: http::response::Builder,
        body: &mut SimulatedBody,
        fate: Fate,
    ) -> http::response::Builder {
        let address = state.flights[flight].address.clone();
        let (last, _) = state.addresses.entry(address.clone()).or_default();
        let content = match *last {
            Some(content) if self.chance.percent(60) => content,
            _ => {
                *last = Some(state.contents.len());
                state.contents.push(Content::default());
                state.contents.len() - 1
            }
        };
        let has_tag = content % 3 != 0;
        if has_tag {
            head = head.header("etag", format!("\"{content}\""));
        }
        // One content always has the same rules: a copy may have been confirmed in between.
        let stated = [
            None,
            None,
            Some("max-age=30"),
            Some("max-age=7200"),
            Some("no-store"),
            Some("no-cache"),
        ][content % 6];
        let age_s = if content % 7 == 0 { 20 } else { 0 };
        if let Some(stated) = stated {
            head = head.header("cache-control", stated);
        }
        if age_s > 0 {
            head = head.header("age", age_s.to_string());
        }
        let lifetime_s: u64 = match stated {
            Some("max-age=30") => 30,
            Some("max-age=7200") => 7_200,
            Some(_) => 0,
            None => cached_for(&address),
        };
        state.contents[content].given.push(Given {
            flight,
            at: self.time.nanos(),
            wall: self.wall(),
            fresh_for: lifetime_s.saturating_sub(age_s) * SECOND,
            withdrawn: None,
        });
        let tag = request.headers().get("if-none-match");
        if has_tag && tag.is_some_and(|tag| tag.as_bytes() == format!("\"{content}\"").as_bytes()) {
            return head.status(304);
        }
        let large = content % 11 == 0;
        let filling = "x".repeat(if large { 40_000 } else { content % 900 });
        let text = format!("{CONTENT}{content}#\",\"filling\":\"{filling}\"}}");
        if content % 5 == 0 && fate == Fate::Answered {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            body.sends_bytes(packed.finish().unwrap().into());
            return head.header("content-encoding", "gzip");
        }
        match fate {
            Fate::Stalled => body.breaks_off(&text, End::Never),
            Fate::Cut => body.breaks_off(&text, End::Reset),
            _ => body.sends_bytes(text.into()),
        }
        head
    }

    /// Finds the content of an answer by its number. `None` for an answer of no host.
    pub(super) fn content_of(body: &[u8]) -> Option<usize> {
        let text = std::str::from_utf8(body).ok()?.strip_prefix(CONTENT)?;
        text.split('#').next()?.parse().ok()
    }

    /// Notes that a reader found a content to be useless.
    pub(super) fn withdraw(&self, content: usize, retrieved: DateTime<Utc>) {
        let now = self.time.nanos();
        let given = &mut self.lock().contents[content].given;
        for given in given.iter_mut().filter(|given| given.wall == retrieved) {
            given.withdrawn.get_or_insert(now);
        }
    }

    /// Checks what is said of a content that a call got: when it was retrieved and, for a copy, its age.
    pub(super) fn check_content(
        &self,
        content: usize,
        retrieved: DateTime<Utc>,
        copy: Option<Copy>,
        began: Nanos,
    ) -> Result<(), &'static str> {
        let now = self.time.nanos();
        let state = self.lock();
        let all = &state.contents[content].given;
        let given: Vec<&Given> = all.iter().filter(|given| given.wall == retrieved).collect();
        if given.is_empty() {
            return Err("moment: an answer names a moment of retrieval that it does not have");
        }
        let Some(copy) = copy else {
            let within = |given: &&Given| {
                state.flights[given.flight]
                    .ended
                    .is_none_or(|ended| ended >= began)
            };
            return if given.iter().any(within) {
                Ok(())
            } else {
                Err("age: an old copy passes for an answer of this moment")
            };
        };
        let told = u64::try_from(copy.age.as_nanos()).unwrap();
        // The answer may have waited for memory since its age was taken.
        let waited = Limits::DEFAULT.queue_wait_ms * SECOND / 1_000;
        let true_age = |given: &Given| now - given.at;
        if !given.iter().any(|given| told + waited >= true_age(given)) {
            return Err("age: a copy is older than it says");
        }
        if !copy.clock_was_set && !given.iter().any(|given| told <= true_age(given)) {
            return Err("age: a copy is younger than it says");
        }
        if copy.max_age.is_some_and(|max| copy.age > max) {
            return Err("age: a copy is older than its caller allows");
        }
        if !given
            .iter()
            .any(|given| true_age(given) < given.fresh_for + waited)
        {
            return Err("cache: a copy was given out after its end");
        }
        if given
            .iter()
            .all(|given| given.withdrawn.is_some_and(|at| at + waited < now))
        {
            return Err("cache: a copy was given out after a reader withdrew it");
        }
        Ok(())
    }
}

/// What is said of a copy from the cache, and what was asked for.
pub(super) struct Copy {
    pub(super) age: std::time::Duration,
    pub(super) max_age: Option<std::time::Duration>,
    pub(super) clock_was_set: bool,
}

/// Returns for how many seconds the simulated source keeps what is at an address. Its path ends with a number.
pub(super) fn cached_for(address: &str) -> u64 {
    if address.contains("/landing/") {
        // The address that led here decides; this is the most that one keeps.
        return 3_600;
    }
    let last = address.bytes().last().unwrap_or(b'0');
    [0, 60, 300, 3_600][usize::from(last) % 4]
}

fn no_connection() -> reqwest::Error {
    // An error of any kind without a cause: the step at which it comes says what it is.
    let response = http::Response::builder().status(500).body("").unwrap();
    reqwest::Response::from(response).error_for_status().unwrap_err()
}

/// A request until the head of its answer is there.
struct Way {
    network: Arc<Network>,
    flight: usize,
    done: bool,
}

impl Drop for Way {
    fn drop(&mut self) {
        if !self.done {
            let now = self.network.time.nanos();
            let mut state = self.network.lock();
            let flight = self.flight;
            let _ = writeln!(state.trace, "{now} {flight} given up");
            state.flights[flight].reached.get_or_insert(now);
            state.ended(flight, now);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Good,
    Never,
    Reset,
}

/// How long a refusal asks to wait.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// From the moment at which the refusal is read.
    For(Nanos),
    Until(Nanos),
}

/// A body that comes in parts.
struct SimulatedBody {
    network: Arc<Network>,
    flight: usize,
    weather: Weather,
    parts: Vec<Bytes>,
    end: End,
    pause: Option<Sleep>,
    /// What a refusal asks for, and for which limit; `None` for the whole host.
    suspends: Option<(Option<usize>, Wait)>,
}

impl SimulatedBody {
    fn new(network: &Arc<Network>, flight: usize, weather: Weather) -> Self {
        Self {
            network: Arc::clone(network),
            flight,
            weather,
            parts: Vec::new(),
            end: End::Good,
            pause: None,
            suspends: None,
        }
    }

    fn sends(&mut self, text: &'static str) {
        self.sends_bytes(Bytes::from_static(text.as_bytes()));
    }

    fn sends_bytes(&mut self, all: Bytes) {
        // The last part comes first.
        self.parts = if all.len() > 10_000 {
            vec![all.slice(10_000..), all.slice(..10_000)]
        } else {
            vec![all]
        };
    }

    fn breaks_off(&mut self, text: &str, end: End) {
        self.parts = vec![Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2])];
        self.end = end;
    }

    fn ends(&mut self) {
        let now = self.network.time.nanos();
        let mut state = self.network.lock();
        if let Some((limit, wait)) = self.suspends.take() {
            let until = match wait {
                Wait::For(time) => now + time,
                Wait::Until(until) => until,
            };
            let host = state.flights[self.flight].host;
            state.hosts[host].suspensions.retain(|known| known.latest >= now);
            state.hosts[host].suspensions.push(Suspension {
                limit,
                from: now,
                until,
                latest: until + SECOND,
            });
        }
        state.ended(self.flight, now);
    }
}

impl Body for SimulatedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        if !this.parts.is_empty() || this.end != End::Good {
            let (network, weather) = (&this.network, this.weather);
            let pause = this
                .pause
                .get_or_insert_with(|| network.time.sleep_for(delay(weather, &network.chance) / 2));
            if Pin::new(pause).poll(cx).is_pending() {
                return Poll::Pending;
            }
            this.pause = None;
        }
        match (this.parts.pop(), this.end) {
            (Some(part), _) => Poll::Ready(Some(Ok(Frame::data(part)))),
            (None, End::Good) => {
                this.ends();
                Poll::Ready(None)
            }
            (None, End::Reset) => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
            (None, End::Never) => Poll::Pending,
        }
    }
}

impl Drop for SimulatedBody {
    fn drop(&mut self) {
        let now = self.network.time.nanos();
        self.network.lock().ended(self.flight, now);
    }
}
