//! The coordinator: asks Redis for leases, and falls back to this process's share.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::{BoxFuture, Limits};
use freshcontext_fetch::{Coordinate, Grant, HostEvent, HostLimit, Lease, Progress, Timer, Turn};
use redis::Client;
use redis::aio::MultiplexedConnection;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, mpsc};

use crate::own::Own;
use crate::reply::Reply;
use crate::scripts::{LATER, OPENED, REACHED, Scripts, UNLOCK};
use crate::share::{Allowed, Rate, Shares, millis};
use crate::status::SharedStatus;
use crate::{BUDGET, CLOCK_TOLERANCE_MS, GATHER, PREFIX, SILENT, address};

/// Time for which a call waits for a Redis that has just stopped answering, or that this process has just begun to
/// reach, before it counts on its own share.
const HICCUP: Duration = Duration::from_millis(1_500);
/// Longest interval between two requests for a lease.
const AGAIN: Duration = Duration::from_millis(250);
/// Time for a response body, beyond the time to the head of the answer.
const BODY: Duration = Duration::from_secs(30);
/// Messages to Redis that wait to be sent. Later ones are dropped: leases end by themselves.
const WAITING: usize = 4_096;
/// Maximum number of suspensions that a process tells a Redis that has forgotten them.
const PAUSES: usize = 256;
/// Longest exchange whose answer shows the clock well enough to follow it.
const STEADY: Duration = Duration::from_millis(10);
/// Largest answer that is shared, in bytes.
const LARGEST: usize = 1 << 20;
/// Time for which a breaker is remembered after its end, for the probe.
const REMEMBERED: Duration = Duration::from_mins(5);

/// What a coordinator is made of.
pub struct Options {
    /// Address of the server: `redis://`, `rediss://` or `unix://`.
    pub address: String,
    /// Number of replicas, for a process that has not learned it from Redis.
    pub replicas: u32,
    /// Limits of time.
    pub limits: Limits,
    /// Monotonic clock.
    pub timer: Arc<dyn Timer>,
}

/// Coordination through Redis. Connects on first use.
#[derive(Clone)]
pub struct Coordinator(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) client: Client,
    /// Random name of this process.
    pub(crate) name: String,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) start: Instant,
    pub(crate) scripts: Scripts,
    pub(crate) lost: Notify,
    pub(crate) messages: mpsc::Sender<Message>,
    pub(crate) inbox: Mutex<Option<mpsc::Receiver<Message>>>,
    pub(crate) state: Mutex<State>,
    replicas: u64,
    head: Duration,
    next: AtomicU64,
    granted: AtomicU64,
    from_share: AtomicU64,
}

/// Command that nobody waits for.
pub(crate) type Message = Vec<redis::Cmd>;

#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) connection: MultiplexedConnection,
    pub(crate) generation: String,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) link: Option<Link>,
    /// Redis' clock minus this process's, in milliseconds.
    pub(crate) clock: Option<i64>,
    /// Generation that this process found unusable, because its clock had jumped.
    pub(crate) given_up: String,
    pub(crate) known: Known,
    /// Redis' time at which it may have heard of this process last.
    pub(crate) heard: i64,
    pub(crate) since: Option<Instant>,
    pub(crate) why: String,
    pub(crate) losses: u64,
    pub(crate) own: HashMap<String, Own>,
    /// End of each suspension that this process met, and whether the host stated it, by key.
    pub(crate) pauses: HashMap<String, (Instant, bool)>,
    /// Leases that Redis may have given without this process learning of it.
    pub(crate) orphans: VecDeque<Message>,
}

/// What this process knows of the members.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) generation: String,
    pub(crate) version: i64,
    pub(crate) n: i64,
    pub(crate) before: i64,
    pub(crate) agreed: bool,
    pub(crate) index: i64,
    /// Index, Redis' time of the last sign of life, and version by member.
    pub(crate) peers: HashMap<String, (i64, i64, i64)>,
}

impl Coordinator {
    /// Prepares the coordinator. Does no I/O. The error describes the address without showing it.
    pub fn new(options: Options) -> Result<Self, String> {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(|error| format!("no randomness: {error}"))?;
        let (messages, inbox) = mpsc::channel(WAITING);
        let head = options.limits.connect_ms + options.limits.tls_ms + options.limits.first_byte_ms;
        let start = options.timer.now();
        Ok(Self(Arc::new(Inner {
            client: address::client(&options.address)?,
            name: base16ct::lower::encode_string(&random),
            timer: options.timer,
            start,
            scripts: Scripts::new(),
            lost: Notify::new(),
            messages,
            inbox: Mutex::new(Some(inbox)),
            state: Mutex::new(State {
                since: Some(start),
                why: "not connected yet".to_owned(),
                known: Known {
                    index: -1,
                    ..Known::default()
                },
                ..State::default()
            }),
            replicas: u64::from(options.replicas.max(1)),
            head: Duration::from_millis(head.max(1_000)),
            next: AtomicU64::new(1),
            granted: AtomicU64::new(0),
            from_share: AtomicU64::new(0),
        })))
    }

    /// Starts the connection. Needs a running runtime; without a call, the first request starts it.
    pub fn start(&self) {
        let inbox = self.0.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(inbox) = inbox {
            let inner = Arc::clone(&self.0);
            // A process that was idle until now has not missed Redis so far.
            inner.lock().since = Some(inner.timer.now());
            tokio::spawn(async move { inner.run(inbox).await });
        }
    }

    /// Returns the current state.
    pub fn status(&self) -> SharedStatus {
        let inner = &self.0;
        let state = inner.lock();
        let since = state.since.unwrap_or(inner.start);
        SharedStatus {
            connected: state.link.is_some(),
            why: state.why.clone(),
            since: inner.timer.now().saturating_duration_since(since),
            replicas: state.shares().map_or(inner.replicas, Shares::most),
            granted: (
                inner.granted.load(Ordering::Relaxed),
                inner.from_share.load(Ordering::Relaxed),
            ),
            lost: state.losses,
        }
    }

    /// Counts a request of a client for all replicas. The error is the time until the next one is allowed. `None` if
    /// Redis is out of reach.
    pub async fn admit(&self, client: &str, interval: Duration, burst: u32) -> Option<Result<(), Duration>> {
        self.start();
        let inner = &self.0;
        let key = format!("{PREFIX}rate:{}", digest(client));
        let mut call = inner.scripts.rate.key(key);
        call.arg(interval.as_secs_f64() * 1_000.0).arg(burst);
        let value = inner.ask(async |mut link: Link| call.invoke_async(&mut link.connection).await);
        let wait: u64 = value.await?;
        Some(if wait == 0 {
            Ok(())
        } else {
            Err(Duration::from_millis(wait))
        })
    }

    /// Returns the number of replicas that shares are counted by.
    pub fn replicas(&self) -> u64 {
        self.status().replicas
    }

    /// Tells Redis that this process ends, so that the others need not wait for it.
    pub async fn leave(&self) {
        let inner = &self.0;
        let key = format!("{PREFIX}members");
        let command = redis::cmd("HDEL")
            .arg(key)
            .arg(format!("m:{}", inner.name))
            .to_owned();
        let told = inner.ask(async |mut link: Link| command.query_async::<i64>(&mut link.connection).await);
        let _ = told.await;
        inner.lock().link = None;
    }

    /// Waits until Redis has answered, at most this long. For a check by the operator.
    pub async fn connected_within(&self, longest: Duration) -> bool {
        self.start();
        let until = self.0.timer.now() + longest;
        while !self.status().connected {
            if self.0.timer.now() >= until {
                return false;
            }
            self.0.timer.sleep(Duration::from_millis(20)).await;
        }
        true
    }
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator").finish_non_exhaustive()
    }
}

impl Drop for Inner {
    /// Leaves at the end of a short command, whose runtime and connection have ended already.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.link.take().is_some()
            && let Ok(mut connection) = self.client.get_connection_with_timeout(BUDGET)
            && connection.set_read_timeout(Some(BUDGET)).is_ok()
        {
            let member = format!("m:{}", self.name);
            let command = redis::cmd("HDEL")
                .arg(format!("{PREFIX}members"))
                .arg(member)
                .to_owned();
            let _ = command.query::<i64>(&mut connection);
        }
    }
}

impl State {
    /// Returns the shares that this process must keep within; `None` if it has never learned them.
    pub(crate) fn shares(&self) -> Option<Shares> {
        let known = &self.known;
        let n = u64::try_from(known.n).ok().filter(|n| *n > 0)?;
        let before = u64::try_from(known.before).unwrap_or(0);
        Some(Shares {
            index: u64::try_from(known.index).unwrap_or(u64::MAX),
            n,
            before: (!known.agreed).then_some(before),
        })
    }
}

impl Inner {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns this process's time in milliseconds.
    pub(crate) fn millis(&self, at: Instant) -> i64 {
        i64::try_from(at.saturating_duration_since(self.start).as_millis()).unwrap_or(i64::MAX)
    }

    /// Returns Redis' time at which a command that leaves now counts for the last time.
    pub(crate) fn deadline(&self, clock: i64) -> i64 {
        // An answer that took the whole budget leaves the clock uncertain by half of it.
        let budget = i64::try_from(BUDGET.as_millis()).unwrap_or(50);
        clock + self.millis(self.timer.now()) + budget + budget / 2
    }

    /// Runs a command within the budget. `None` if Redis is out of reach, or the command failed.
    pub(crate) async fn ask<T, F>(&self, command: impl FnOnce(Link) -> F) -> Option<T>
    where
        F: Future<Output = redis::RedisResult<T>>,
    {
        let link = self.lock().link.clone()?;
        let running = std::pin::pin!(command(link));
        match futures_util::future::select(running, self.timer.sleep(BUDGET)).await {
            futures_util::future::Either::Left((Ok(value), _)) => Some(value),
            futures_util::future::Either::Left((Err(error), _)) => {
                self.lose(&describe(&error));
                None
            }
            futures_util::future::Either::Right(_) => {
                self.lose("slow: no answer within 50 ms");
                None
            }
        }
    }

    /// Drops the connection. A process without one keeps to its share.
    pub(crate) fn lose(&self, why: &str) {
        let mut state = self.lock();
        if state.link.take().is_some() {
            state.losses += 1;
            state.since = Some(self.timer.now());
            why.clone_into(&mut state.why);
            self.lost.notify_one();
        }
    }

    /// Checks Redis' clock by an answer, and drops a server whose clock has jumped.
    pub(crate) fn check_clock(&self, now: i64, begun: Instant) -> bool {
        let (earliest, latest) = (self.millis(begun), self.millis(self.timer.now()));
        let mut state = self.lock();
        let Some(clock) = state.clock else { return false };
        let fits = now >= clock + earliest - CLOCK_TOLERANCE_MS && now <= clock + latest + CLOCK_TOLERANCE_MS;
        if !fits {
            let generation = state.known.generation.clone();
            state.given_up = generation;
            drop(state);
            self.lose("its clock has jumped");
        }
        fits
    }

    /// Follows Redis' clock by an exchange: two clocks that are right never run equally fast.
    pub(crate) fn follow_clock(&self, now: i64, begun: Instant) {
        let ended = self.timer.now();
        let middle = i64::midpoint(self.millis(begun), self.millis(ended));
        if ended.saturating_duration_since(begun) <= STEADY
            && let Some(clock) = &mut self.lock().clock
        {
            *clock += (now - middle - *clock).signum();
        }
    }

    /// Remembers a suspension, so that a Redis that was away or has forgotten it can be told.
    fn remember_pause(&self, key: &str, until: Instant, stated: bool) {
        let now = self.timer.now();
        let mut state = self.lock();
        state.pauses.retain(|_, (until, _)| *until > now);
        if state.pauses.len() < PAUSES || state.pauses.contains_key(key) {
            let known = state.pauses.entry(key.to_owned()).or_insert((until, stated));
            if known.0 < until {
                *known = (until, stated);
            }
        }
    }

    /// Sends commands that nobody waits for.
    pub(crate) fn tell(&self, commands: Message) {
        if self.lock().link.is_some() {
            let _ = self.messages.try_send(commands);
        }
    }

    async fn acquire(&self, limit: &HostLimit) -> Grant {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (link, clock) = {
            let state = self.lock();
            (state.link.clone(), state.clock)
        };
        if let (Some(link), Some(clock)) = (link, clock)
            && let Some(grant) = self.acquire_shared(limit, id, &link, clock).await
        {
            return grant;
        }
        // A number of its own: Redis may be told to forget the lease that was asked for.
        self.acquire_own(limit, self.next.fetch_add(1, Ordering::Relaxed))
    }

    async fn acquire_shared(&self, limit: &HostLimit, id: u64, link: &Link, clock: i64) -> Option<Grant> {
        let begun = self.timer.now();
        let keys = Keys::of(&link.generation, limit);
        let pace = limit.pace.map(Rate::from);
        let mut call = self.scripts.acquire.key(format!("{PREFIX}members"));
        call.key(&keys.slots)
            .key(&keys.places)
            .key(pause_key(&limit.host, None))
            .key(pause_key(&limit.host, Some((limit.path, limit.keyed))))
            .key(breaker_key(&limit.host));
        call.arg(&self.name)
            .arg(self.deadline(clock))
            .arg(&link.generation)
            .arg(id);
        call.arg(pace.map_or(0, |pace| pace.requests))
            .arg(pace.map_or(0, |pace| pace.per_ms));
        call.arg(limit.at_once)
            .arg(millis(self.head))
            .arg(millis(self.head + BODY));
        call.arg(millis(SILENT)).arg(millis(GATHER));
        call.arg(pace.map_or(0, Rate::pitch))
            .arg(pace.map_or(0, Rate::window));
        let mut given_up = GivenUp {
            inner: self,
            keys: &keys,
            id,
            armed: true,
        };
        let asked = self.ask(async |mut link: Link| call.invoke_async(&mut link.connection).await);
        let value = asked.await;
        given_up.armed = false;
        let Some(value) = value else {
            self.orphaned(&keys, id);
            return None;
        };
        let reply = Reply::of(value);
        if !self.check_clock(reply.now, begun) {
            self.orphaned(&keys, id);
            return None;
        }
        let time = Duration::from_millis(u64::try_from(reply.number(0)).unwrap_or(0));
        match reply.word.as_str() {
            "go" => {
                self.granted.fetch_add(1, Ordering::Relaxed);
                self.note(limit, id, true);
                let probe = reply.number(0) == 1;
                Some(Grant::Go(Lease { id, probe }))
            }
            "wait" => Some(Grant::Wait {
                time: time.max(Duration::from_millis(1)),
                again: time.clamp(Duration::from_millis(1), Duration::from_secs(1)),
            }),
            "paused" => Some(Grant::Suspended {
                time: time.max(Duration::from_millis(1)),
                stated: reply.number(1) == 1,
                whole: reply.number(2) == 1,
            }),
            "open" => Some(Grant::Open(time.max(Duration::from_millis(1)))),
            "late" => {
                self.lose("slow: a command came late");
                None
            }
            _ => {
                self.lose("it has forgotten this process (flushed or restarted)");
                None
            }
        }
    }

    fn orphaned(&self, keys: &Keys, id: u64) {
        let mut state = self.lock();
        if state.orphans.len() >= WAITING {
            state.orphans.pop_front();
        }
        state.orphans.push_back(self.removal(keys, id));
    }

    fn removal(&self, keys: &Keys, id: u64) -> Message {
        let lease = format!("{}-{id}", self.name);
        [&keys.slots, &keys.places]
            .map(|key| redis::cmd("ZREM").arg(key).arg(&lease).to_owned())
            .to_vec()
    }

    fn note(&self, limit: &HostLimit, id: u64, shared: bool) {
        if let Some(pace) = limit.pace {
            let now = self.timer.now();
            let mut state = self.lock();
            let own = state.own.entry(limit_name(limit));
            own.or_insert_with(|| Own::new(pace.per, self.head))
                .add(id, now, shared);
        }
    }

    /// Grants from this process's share.
    fn acquire_own(&self, limit: &HostLimit, id: u64) -> Grant {
        let go = || {
            self.from_share.fetch_add(1, Ordering::Relaxed);
            self.note(limit, id, false);
            Grant::Go(Lease { id, probe: false })
        };
        let Some(pace) = limit.pace else { return go() };
        let rate = Rate::from(pace);
        let now = self.timer.now();
        let state = self.lock();
        let down = now.saturating_duration_since(state.since.unwrap_or(self.start));
        let (shares, clock) = (state.shares(), state.clock);
        if down < HICCUP {
            return wait(Duration::from_millis(50));
        }
        let own = state.own.get(&limit_name(limit));
        let taken = own.map(|own| own.of_share(now)).unwrap_or_default();
        let last = own.and_then(Own::last_of_share);
        let by_number = |number: u64| -> Result<(), Duration> {
            let free = usize::try_from(number).unwrap_or(usize::MAX);
            match taken.len().checked_sub(free) {
                None => Ok(()),
                Some(over) => Err(taken
                    .get(over)
                    .map_or(pace.per, |end| end.saturating_duration_since(now))),
            }
        };
        let (Some(shares), Some(clock)) = (shares, clock) else {
            drop(state);
            // Never a member: the operator's number of replicas. Without a turn, nobody can keep the spacing of a pace
            // that has fewer requests than there are replicas.
            let allowed = match rate.requests / self.replicas {
                0 => Err(pace.per),
                number => by_number(number),
            };
            return allowed.map_or_else(wait, |()| go());
        };
        let redis_now = clock + self.millis(now);
        let begins = state.heard + i64::try_from(millis(SILENT) + rate.per_ms).unwrap_or(i64::MAX);
        let silence = Duration::from_millis(u64::try_from(begins - redis_now).unwrap_or(0));
        drop(state);
        let at = u64::try_from(redis_now).unwrap_or(0);
        let allowed = match rate.allowed(shares, at) {
            Allowed::Number(_) if !silence.is_zero() => match rate.reserve(shares) {
                0 => Err(silence),
                reserve => by_number(reserve),
            },
            Allowed::Number(number) => by_number(number),
            Allowed::Turn(_) if !silence.is_zero() => {
                let first = at + millis(silence);
                match rate.allowed(shares, first) {
                    Allowed::Turn(more) => Err(silence + Duration::from_millis(more)),
                    _ => Err(silence),
                }
            }
            Allowed::Turn(0) => match last {
                // One request in each turn.
                Some(last) if now.saturating_duration_since(last) < pace.per => Err(last + pace.per - now),
                _ => Ok(()),
            },
            Allowed::Turn(time) => Err(Duration::from_millis(time)),
            Allowed::Nothing => Err(pace.per.max(Duration::from_secs(5))),
        };
        allowed.map_or_else(wait, |()| go())
    }
}

/// Returns the lease of a call that is dropped while it asks for one.
struct GivenUp<'a> {
    inner: &'a Inner,
    keys: &'a Keys,
    id: u64,
    armed: bool,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.inner.tell(self.inner.removal(self.keys, self.id));
        }
    }
}

/// Waits, and asks again soon: Redis may be back.
fn wait(time: Duration) -> Grant {
    let time = time.max(Duration::from_millis(1));
    Grant::Wait {
        time,
        again: time.min(AGAIN),
    }
}

/// The keys of one limit in one generation.
pub(crate) struct Keys {
    slots: String,
    places: String,
}

impl Keys {
    fn of(generation: &str, limit: &HostLimit) -> Self {
        let name = limit_name(limit);
        Self {
            slots: format!("{PREFIX}{generation}:slots:{name}"),
            places: format!("{PREFIX}{generation}:places:{name}"),
        }
    }
}

/// Returns the name of a limit in keys. Callers choose some hosts, so names are hashed.
fn limit_name(limit: &HostLimit) -> String {
    let keyed = if limit.keyed { "keyed" } else { "free" };
    digest(&format!("{}|{}|{keyed}", limit.host, limit.path))
}

fn pause_key(host: &str, limit: Option<(&str, bool)>) -> String {
    match limit {
        None => format!("{PREFIX}pause:{}", digest(host)),
        Some((path, keyed)) => format!("{PREFIX}pause:{}", digest(&format!("{host}|{path}|{keyed}"))),
    }
}

fn breaker_key(host: &str) -> String {
    format!("{PREFIX}breaker:{}", digest(host))
}

/// Describes an error without the server's address.
pub(crate) fn describe(error: &redis::RedisError) -> String {
    error.category().to_owned()
}

fn digest(text: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text))
}

/// Returns a script's call as a command; `EVAL`, because a restarted server has forgotten its scripts.
fn command(script: &str, key: &str, arguments: &[&str]) -> redis::Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(script).arg(1).arg(key);
    for argument in arguments {
        command.arg(argument);
    }
    command
}

impl Coordinate for Coordinator {
    fn acquire<'a>(&'a self, limit: &'a Arc<HostLimit>) -> BoxFuture<'a, Grant> {
        self.start();
        Box::pin(self.0.acquire(limit))
    }

    fn progress(&self, limit: &Arc<HostLimit>, lease: Lease, progress: Progress) {
        let inner = &self.0;
        let name = limit_name(limit);
        let generation = {
            let now = inner.timer.now();
            let mut state = inner.lock();
            if let Some(own) = state.own.get_mut(&name) {
                match progress {
                    // An exchange that failed may have reached the host until it failed.
                    Progress::Reached | Progress::Ended => own.reached(lease.id, now),
                    Progress::Unused => own.forget(lease.id),
                }
            }
            state.link.as_ref().map(|link| link.generation.clone())
        };
        let Some(generation) = generation else { return };
        let keys = Keys::of(&generation, limit);
        let member = format!("{}-{}", inner.name, lease.id);
        let reached = |pace: freshcontext_contract::Pace| {
            let per = millis(pace.per).to_string();
            command(REACHED, &keys.slots, &[&member, &per])
        };
        let out = redis::cmd("ZREM").arg(&keys.places).arg(&member).to_owned();
        inner.tell(match progress {
            Progress::Reached => limit.pace.map(reached).into_iter().collect(),
            Progress::Ended => vec![out],
            Progress::Unused => {
                let mut message = inner.removal(&keys, lease.id);
                if lease.probe {
                    // Nobody has tried the host, so somebody else may.
                    let key = breaker_key(&limit.host);
                    message.push(redis::cmd("HDEL").arg(key).arg("probe").to_owned());
                }
                message
            }
        });
    }

    fn suspend(&self, host: &str, limit: Option<(&'static str, bool)>, time: Duration, stated: bool) {
        let key = pause_key(host, limit);
        let until = self.0.timer.now() + time;
        self.0.remember_pause(&key, until, stated);
        self.0.tell(vec![pause_command(&key, time, stated)]);
    }

    fn host(&self, host: &str, event: HostEvent) {
        let key = breaker_key(host);
        self.0.tell(vec![match event {
            HostEvent::Closed => redis::cmd("DEL").arg(key).to_owned(),
            HostEvent::Opened(time) => {
                let (time, remembered) = (millis(time).to_string(), millis(REMEMBERED).to_string());
                command(OPENED, &key, &[&time, &remembered])
            }
        }]);
    }

    fn look<'a>(&'a self, key: &'a str, longest: Duration) -> BoxFuture<'a, Turn> {
        self.start();
        Box::pin(async move {
            let inner = &self.0;
            let key = digest(key);
            let holder = format!("{}-{}", inner.name, inner.next.fetch_add(1, Ordering::Relaxed));
            let mut pipe = redis::pipe();
            pipe.cmd("GET").arg(format!("{PREFIX}cache:{key}"));
            pipe.cmd("SET").arg(format!("{PREFIX}ask:{key}")).arg(&holder);
            pipe.arg("NX").arg("PX").arg(millis(longest).max(1));
            let asked = inner.ask(async |mut link: Link| {
                pipe.query_async::<(Option<Vec<u8>>, Option<String>)>(&mut link.connection)
                    .await
            });
            let Some((stored, taken)) = asked.await else {
                return Turn::Alone;
            };
            let Some(clock) = inner.lock().clock else {
                return Turn::Alone;
            };
            let read = stored.as_deref().and_then(|stored| {
                let (moment, value) = stored.split_first_chunk::<8>()?;
                let now = clock + inner.millis(inner.timer.now());
                let age = age(now, i64::from_be_bytes(*moment))?;
                Some(Turn::Stored(value.to_vec(), age))
            });
            match (read, taken) {
                (Some(read), taken) => {
                    if taken.is_some() {
                        inner.tell(vec![unlock_command(&key, &holder)]);
                    }
                    read
                }
                (None, Some(_)) => Turn::Mine(holder),
                (None, None) => Turn::Others,
            }
        })
    }

    fn save(&self, key: &str, value: Vec<u8>, age: Duration, fresh_for: Duration) {
        let inner = &self.0;
        let time = millis(fresh_for.saturating_sub(age));
        let Some(clock) = inner.lock().clock else { return };
        if value.len() > LARGEST || time == 0 {
            return;
        }
        let now = clock + inner.millis(inner.timer.now());
        let moment = now.saturating_sub_unsigned(millis(age));
        let mut stored = moment.to_be_bytes().to_vec();
        stored.extend(value);
        let key = format!("{PREFIX}cache:{}", digest(key));
        inner.tell(vec![
            redis::cmd("SET")
                .arg(key)
                .arg(stored)
                .arg("PX")
                .arg(time)
                .to_owned(),
        ]);
    }

    fn unlock(&self, key: &str, lock: &str) {
        self.0.tell(vec![unlock_command(&digest(key), lock)]);
    }
}

/// Returns the age of an answer of this moment. `None` if the moment lies ahead: the clock has been set back, and nobody
/// knows the age.
fn age(now: i64, moment: i64) -> Option<Duration> {
    let age = now
        .checked_sub(moment)
        .filter(|age| *age >= -CLOCK_TOLERANCE_MS)?;
    Some(Duration::from_millis(u64::try_from(age).unwrap_or(0)))
}

pub(crate) fn pause_command(key: &str, time: Duration, stated: bool) -> redis::Cmd {
    let time = millis(time).max(1).to_string();
    command(LATER, key, &[if stated { "1" } else { "0" }, &time])
}

fn unlock_command(digest: &str, holder: &str) -> redis::Cmd {
    command(UNLOCK, &format!("{PREFIX}ask:{digest}"), &[holder])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_ahead_of_the_clock_has_no_age() {
        assert_eq!(age(10_000, 4_000), Some(Duration::from_secs(6)));
        assert_eq!(age(10_000, 10_200), Some(Duration::ZERO));
        assert_eq!(age(10_000, 10_300), None);
        assert_eq!(age(i64::MAX, i64::MIN), None);
    }

    #[test]
    fn keys_show_no_host() {
        let limit = HostLimit {
            host: "wiki.internal.example".to_owned(),
            path: "/search/",
            keyed: true,
            pace: None,
            at_once: 1,
        };
        let Keys { slots, places } = Keys::of("generation", &limit);
        let pauses = [None, Some((limit.path, limit.keyed))].map(|scope| pause_key(&limit.host, scope));
        for key in [&slots, &places, &breaker_key(&limit.host), &pauses[0], &pauses[1]] {
            assert!(
                key.starts_with(PREFIX) && !key.contains("wiki") && !key.contains("search"),
                "{key}"
            );
        }
    }
}
