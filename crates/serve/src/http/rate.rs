//! Rate limit per client, in a table of bounded size.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshcontext_contract::{BoxFuture, Limits};
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::ShrinkableKeyedStateStore;
use governor::state::{InMemoryState, NotKeyed, StateStore};
use governor::{Quota, RateLimiter};
use tokio::time::Instant;

/// Minimum interval between two sweeps of a full table for idle clients.
const SWEEP: Duration = Duration::from_millis(100);
/// The IPv6 prefix that a network assigns to one customer, who controls the remaining bits.
const IPV6_CLIENT: u128 = u128::MAX << 64;

/// What replicas of the service share. Without it, each counts its own requests.
pub trait Replicas: std::fmt::Debug + Send + Sync + 'static {
    /// Counts a request of a client. The error is the time until the next one is allowed. `None` if nothing is shared
    /// now, and this process counts alone.
    fn admit<'a>(
        &'a self,
        client: &'a str,
        interval: Duration,
        burst: u32,
    ) -> BoxFuture<'a, Option<Result<(), Duration>>>;

    /// Returns the number of replicas.
    fn count(&self) -> u32;

    /// Returns one line about the state, for the operator.
    fn state(&self) -> String;

    /// Returns the state in Prometheus' text format.
    fn figures(&self) -> String;
}

/// The unit of rate limiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// An IPv4 address, or an IPv6 network of 64 bits.
    Address(IpAddr),
    /// Holder of a named token at any address, by token index.
    Holder(usize),
    /// Subject of an access token at any address, by its hash.
    Subject([u8; 16]),
}

impl Client {
    /// Returns the client of an address.
    pub(crate) fn of(peer: IpAddr) -> Self {
        Self::Address(match peer.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & IPV6_CLIENT).into(),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

/// The rate limiter.
pub(crate) struct Rate {
    limiter: RateLimiter<Client, Table, Ticks, NoOpMiddleware<Duration>>,
    clock: Ticks,
    most: usize,
    /// Time of the last sweep, in milliseconds of the clock.
    swept: AtomicU64,
    /// Average interval of requests, and requests at once, as replicas share them.
    quota: (Duration, u32),
}

impl Rate {
    /// Creates the limiter; `None` if the operator disabled it.
    pub(crate) fn new(limits: &Limits) -> Option<Self> {
        let quota = Quota::per_minute(NonZeroU32::new(limits.inbound_rate_per_minute)?)
            .allow_burst(NonZeroU32::new(limits.inbound_rate_burst).unwrap_or(NonZeroU32::MIN));
        let clock = Ticks(Instant::now());
        let table = Table {
            clients: Mutex::default(),
            most: limits.inbound_rate_clients,
            rest: InMemoryState::default(),
        };
        Some(Self {
            limiter: RateLimiter::new(quota, table, clock),
            clock,
            most: limits.inbound_rate_clients,
            swept: AtomicU64::new(0),
            quota: (quota.replenish_interval(), quota.burst_size().get()),
        })
    }

    /// Counts one more request for all replicas, or in this process's share where nothing is shared now.
    pub(crate) async fn admit_shared(
        &self,
        replicas: &Arc<dyn Replicas>,
        client: Client,
        name: Option<&str>,
    ) -> Result<(), u64> {
        let key = match (client, name) {
            (Client::Address(address), _) => format!("address {address}"),
            (Client::Holder(_) | Client::Subject(_), Some(name)) => format!("token {name}"),
            (Client::Subject(_), None) => "subject".to_owned(),
            (Client::Holder(number), None) => format!("token number {number}"),
        };
        match replicas.admit(&key, self.quota.0, self.quota.1).await {
            Some(counted) => counted.map_err(whole_seconds),
            None => self.admit_as(client, NonZeroU32::new(replicas.count())),
        }
    }

    /// Counts one more request. The error is the delay in whole seconds, at least one.
    pub(crate) fn admit(&self, client: Client) -> Result<(), u64> {
        self.admit_as(client, None)
    }

    /// Counts a request as so many. A number beyond the burst counts as the burst.
    fn admit_as(&self, client: Client, number: Option<NonZeroU32>) -> Result<(), u64> {
        if self.limiter.len() >= self.most && self.may_sweep() {
            self.limiter.retain_recent();
        }
        let most = NonZeroU32::new(self.quota.1).unwrap_or(NonZeroU32::MIN);
        let number = number.unwrap_or(NonZeroU32::MIN).min(most);
        match self.limiter.check_key_n(&client, number) {
            Ok(Err(until)) => Err(whole_seconds(until.wait_time_from(self.clock.now()))),
            // The number is at most the burst, so the capacity always suffices.
            Ok(Ok(())) | Err(_) => Ok(()),
        }
    }

    fn may_sweep(&self) -> bool {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // Starts at one: zero means "never".
        let now = millis(self.clock.now()).saturating_add(1);
        let last = self.swept.load(Ordering::Relaxed);
        (last == 0 || now >= last.saturating_add(millis(SWEEP)))
            && self
                .swept
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }
}

/// Rounds a delay up: a client that returns a fraction of a second early would be refused again.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

impl std::fmt::Debug for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rate").finish_non_exhaustive()
    }
}

/// The runtime's monotonic clock, relative to the limiter's creation.
#[derive(Debug, Clone, Copy)]
struct Ticks(Instant);

impl Clock for Ticks {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// State of the known clients. New clients share one entry when the table is full.
struct Table {
    clients: Mutex<HashMap<Client, InMemoryState>>,
    most: usize,
    rest: InMemoryState,
}

impl StateStore for Table {
    type Key = Client;

    fn measure_and_replace<T, F, E>(&self, client: &Client, judge: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        // The number of token holders is fixed by the configuration, so they always have an entry.
        let strange = !matches!(client, Client::Holder(_));
        if strange && clients.len() >= self.most && !clients.contains_key(client) {
            return self.rest.measure_and_replace(&NotKeyed::NonKey, judge);
        }
        let state = clients.entry(*client).or_default();
        state.measure_and_replace(&NotKeyed::NonKey, judge)
    }
}

impl ShrinkableKeyedStateStore<Client> for Table {
    fn retain_recent(&self, drop_below: Nanos) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, state| {
            // A refused measurement changes nothing, so this only reads.
            let read = state.measure_and_replace(&NotKeyed::NonKey, Err::<((), Nanos), _>);
            read.is_err_and(|time| time.is_some_and(|time| time > drop_below))
        });
    }

    fn len(&self) -> usize {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(per_minute: u32, burst: u32, clients: usize) -> Rate {
        let limits = Limits {
            inbound_rate_per_minute: per_minute,
            inbound_rate_burst: burst,
            inbound_rate_clients: clients,
            ..Limits::DEFAULT
        };
        Rate::new(&limits).unwrap()
    }

    fn client(text: &str) -> Client {
        Client::of(text.parse().unwrap())
    }

    fn numbered(at: u32) -> Client {
        Client::of(IpAddr::from((0xC633_6400 + at).to_be_bytes()))
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_burst_the_rate_holds_and_the_stated_delay_suffices() {
        let rate = rate(20, 4, 100);
        let (one, other) = (client("198.51.100.1"), client("198.51.100.2"));
        for _ in 0..4 {
            assert_eq!(rate.admit(one), Ok(()));
        }
        // One request per three seconds.
        assert_eq!(rate.admit(one), Err(3));
        assert_eq!(rate.admit(other), Ok(()), "another client is not touched");
        tokio::time::advance(Duration::from_millis(2_100)).await;
        assert_eq!(rate.admit(one), Err(1), "0.9 s are told as a whole second");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(rate.admit(one), Ok(()));
        assert!(rate.admit(one).is_err(), "a refusal earned nothing");
        tokio::time::advance(Duration::from_mins(1)).await;
        let passed = (0..10).filter(|_| rate.admit(one).is_ok()).count();
        assert_eq!(passed, 4, "quiet clients save up no more than the burst");
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_is_an_ipv4_address_or_an_ipv6_network() {
        let rate = rate(60, 1, 100);
        assert!(rate.admit(client("192.0.2.1")).is_ok());
        assert!(
            rate.admit(client("::ffff:192.0.2.1")).is_err(),
            "the same address in the other notation"
        );
        assert!(rate.admit(client("192.0.2.2")).is_ok());
        assert!(rate.admit(client("2001:db8:1:2::1")).is_ok());
        assert!(
            rate.admit(client("2001:db8:1:2:ffff::9")).is_err(),
            "the same /64"
        );
        assert!(rate.admit(client("2001:db8:1:3::1")).is_ok(), "the next /64");
    }

    #[test]
    fn no_rate_is_no_limit() {
        let off = Limits {
            inbound_rate_per_minute: 0,
            ..Limits::DEFAULT
        };
        assert!(Rate::new(&off).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_table_stays_full_and_newcomers_share_one_allowance() {
        let rate = rate(6, 3, 50);
        for at in 0..50 {
            assert_eq!(rate.admit(numbered(at)), Ok(()));
        }
        let newcomers = (50..100).filter(|at| rate.admit(numbered(*at)).is_ok()).count();
        assert_eq!(newcomers, 3, "one burst for all of them");
        assert_eq!(rate.limiter.len(), 50);
        assert_eq!(rate.admit(numbered(7)), Ok(()), "known ones keep their own");
        // All clients have been idle long enough to be forgotten, which frees their entries.
        tokio::time::advance(Duration::from_mins(1)).await;
        for at in 50..100 {
            assert_eq!(rate.admit(numbered(at)), Ok(()));
        }
        assert_eq!(rate.limiter.len(), 50);
    }

    proptest! {
        /// For any distribution of requests, no client exceeds its burst and its rate, and the table never
        /// exceeds its size.
        #[test]
        fn no_client_exceeds_burst_and_rate(steps in prop::collection::vec((0_u32..6, 0_u64..3_000), 1..200)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                let rate = rate(60, 5, 4);
                let started = Instant::now();
                let mut passed: HashMap<u32, u64> = HashMap::new();
                for (who, wait) in steps {
                    tokio::time::advance(Duration::from_millis(wait)).await;
                    if rate.admit(numbered(who)).is_ok() {
                        *passed.entry(who).or_default() += 1;
                    }
                    let most = 5 + started.elapsed().as_secs();
                    // A forgotten or shared client had at most one more burst in each entry.
                    prop_assert!(passed.values().all(|count| *count <= 2 * most));
                    prop_assert!(rate.limiter.len() <= 4);
                }
                Ok(())
            })?;
        }
    }
}
