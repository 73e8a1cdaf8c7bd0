//! The coordinator: asks Redis for leases, and falls back to this process's share.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::Limits;
use freshcontext_fetch::Timer;
use redis::Client;
use redis::aio::MultiplexedConnection;
use tokio::sync::{Notify, mpsc};

use crate::keys::digest;
use crate::own::Own;
use crate::scripts::Scripts;
use crate::share::Shares;
use crate::status::SharedStatus;
use crate::{BUDGET, CLOCK_TOLERANCE_MS, LASTED, PREFIX, address};

/// Messages to Redis that wait to be sent. Later ones are dropped: leases end by themselves.
pub(crate) const WAITING: usize = 4_096;
/// Maximum number of suspensions that a process tells a Redis that has forgotten them.
const PAUSES: usize = 256;
/// Longest exchange whose answer shows the clock well enough to follow it.
const STEADY: Duration = Duration::from_millis(10);

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
    pub(crate) replicas: u64,
    pub(crate) head: Duration,
    pub(crate) next: AtomicU64,
    pub(crate) granted: AtomicU64,
    pub(crate) from_share: AtomicU64,
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
    /// The first loss since a connection last held for [`LASTED`].
    pub(crate) unsteady: Option<Instant>,
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
            let now = self.timer.now();
            let joined = state.since.unwrap_or(self.start);
            if state.unsteady.is_none() || now.saturating_duration_since(joined) >= LASTED {
                state.unsteady = Some(now);
            }
            state.losses += 1;
            state.since = Some(now);
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
    pub(crate) fn remember_pause(&self, key: &str, until: Instant, stated: bool) {
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
}

/// Describes an error without the server's address.
pub(crate) fn describe(error: &redis::RedisError) -> String {
    error.category().to_owned()
}
