//! Virtual time: a monotonic clock that jumps from event to event, and a wall clock that may be set.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::{BoxFuture, Clock};

use super::chance::Chance;
use crate::ports::Timer;

/// Nanoseconds since the start of the day.
pub(super) type Nanos = u64;
pub(super) const MILLISECOND: Nanos = 1_000_000;
pub(super) const SECOND: Nanos = 1_000 * MILLISECOND;
pub(super) const HOUR: Nanos = 3_600 * SECOND;

/// When an alarm rings, a number of chance that orders alarms of one instant, and its own number.
type Key = (Nanos, u64, u64);

pub(super) struct Time {
    start: Instant,
    now: AtomicU64,
    /// Seconds that the wall clock was set forward or back.
    set: AtomicI64,
    alarms: Mutex<BTreeMap<Key, Waker>>,
    numbers: AtomicU64,
    ties: Chance,
}

impl Time {
    pub(super) fn new(seed: u64) -> Arc<Self> {
        Arc::new(Self {
            // Entries of the cache may come from before the start.
            start: Instant::now(),
            now: AtomicU64::new(0),
            set: AtomicI64::new(0),
            alarms: Mutex::default(),
            numbers: AtomicU64::new(0),
            ties: Chance::new(!seed),
        })
    }

    pub(super) fn nanos(&self) -> Nanos {
        self.now.load(Ordering::Relaxed)
    }

    pub(super) fn at(&self, nanos: Nanos) -> Instant {
        self.start + Duration::from_nanos(nanos)
    }

    pub(super) fn go_to(&self, nanos: Nanos) {
        self.now.fetch_max(nanos, Ordering::Relaxed);
    }

    pub(super) fn set_wall(&self, seconds: i64) {
        self.set.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(super) fn next_alarm(&self) -> Option<Nanos> {
        let alarms = self.alarms.lock().unwrap();
        alarms.first_key_value().map(|((at, _, _), _)| *at)
    }

    /// Rings the first alarm that is due. Returns whether there was one.
    pub(super) fn ring(&self) -> bool {
        let due = {
            let mut alarms = self.alarms.lock().unwrap();
            match alarms.first_key_value() {
                Some(((at, _, _), _)) if *at <= self.nanos() => alarms.pop_first(),
                _ => None,
            }
        };
        due.map(|(_, waker)| waker.wake()).is_some()
    }

    pub(super) fn sleep_for(self: &Arc<Self>, nanos: Nanos) -> Sleep {
        Sleep {
            time: Arc::clone(self),
            until: self.nanos().saturating_add(nanos),
            key: None,
        }
    }
}

pub(super) struct Sleep {
    time: Arc<Time>,
    until: Nanos,
    key: Option<Key>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.time.nanos() >= self.until {
            return Poll::Ready(());
        }
        let key = self.key.unwrap_or_else(|| {
            let number = self.time.numbers.fetch_add(1, Ordering::Relaxed);
            (self.until, self.time.ties.next(), number)
        });
        self.key = Some(key);
        self.time.alarms.lock().unwrap().insert(key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.time.alarms.lock().unwrap().remove(&key);
        }
    }
}

/// The ports [`Timer`] and [`Clock`] of a simulated day.
pub(super) struct Clocks(pub(super) Arc<Time>);

impl Timer for Clocks {
    fn now(&self) -> Instant {
        self.0.at(self.0.nanos())
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Box::pin(self.0.sleep_for(nanos))
    }
}

impl Clock for Clocks {
    fn now(&self) -> DateTime<Utc> {
        let nanos = i64::try_from(self.0.nanos()).unwrap();
        let set = self.0.set.load(Ordering::Relaxed);
        DateTime::from_timestamp(1_794_000_000, 0).unwrap()
            + TimeDelta::nanoseconds(nanos)
            + TimeDelta::seconds(set)
    }
}
