//! Leases: asked of Redis, or granted from this process's share.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshcontext_fetch::{Grant, HostLimit, Lease, Missing};

use crate::coordinator::{Inner, Link, Message, WAITING};
use crate::keys::{Keys, breaker_key, limit_name, pause_key};
use crate::own::Own;
use crate::reply::Reply;
use crate::share::{Allowed, Rate, millis};
use crate::{GATHER, PREFIX, SILENT};

/// Time for which a call waits for a Redis that has just stopped answering, or that this process has just begun to
/// reach, before it counts on its own share.
const HICCUP: Duration = Duration::from_millis(1_500);
/// Longest interval between two requests for a lease.
const AGAIN: Duration = Duration::from_millis(250);
/// Time for a response body, beyond the time to the head of the answer.
const BODY: Duration = Duration::from_secs(30);

impl Inner {
    pub(crate) async fn acquire(&self, limit: &HostLimit) -> Grant {
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
                missing: match reply.number(1) {
                    0 => Missing::Slot,
                    1 => Missing::Place,
                    _ => Missing::Agreement,
                },
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

    pub(crate) fn removal(&self, keys: &Keys, id: u64) -> Message {
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
        let down = |since: Option<Instant>| now.saturating_duration_since(since.unwrap_or(self.start));
        let (is_hiccup, is_unsteady) = (
            down(state.since) < HICCUP,
            state.unsteady.is_some() && down(state.unsteady) >= HICCUP,
        );
        let (shares, clock) = (state.shares(), state.clock);
        let own = state.own.get(&limit_name(limit));
        let taken = own.map(|own| own.of_share(now)).unwrap_or_default();
        let last = own.and_then(Own::last_of_share);
        let by_number = |number: u64| -> Result<(), (Duration, Missing)> {
            let free = usize::try_from(number).unwrap_or(usize::MAX);
            match taken.len().checked_sub(free) {
                None => Ok(()),
                Some(over) => {
                    let end = taken.get(over);
                    let time = end.map_or(pace.per, |end| end.saturating_duration_since(now));
                    Err((time, Missing::Slot))
                }
            }
        };
        if is_hiccup {
            // Each short connection begins the silence and this wait again. The reserve needs neither: Redis never grants it.
            let reserve = shares.filter(|_| is_unsteady).map_or(0, |shares| {
                let at = clock.map_or(0, |clock| u64::try_from(clock + self.millis(now)).unwrap_or(0));
                match rate.allowed(shares, at) {
                    Allowed::Number(_) => rate.reserve(shares),
                    Allowed::Turn(_) | Allowed::Nothing => 0,
                }
            });
            drop(state);
            return if reserve > 0 && by_number(reserve).is_ok() {
                go()
            } else {
                wait(Duration::from_millis(50), Missing::Agreement)
            };
        }
        let (Some(shares), Some(clock)) = (shares, clock) else {
            drop(state);
            // Never a member: the operator's number of replicas. Without a turn, nobody can keep the spacing of a pace
            // that has fewer requests than there are replicas.
            let allowed = match rate.requests / self.replicas {
                0 => Err((pace.per, Missing::Agreement)),
                number => by_number(number),
            };
            return allowed.map_or_else(|(time, missing)| wait(time, missing), |()| go());
        };
        let redis_now = clock + self.millis(now);
        let begins = state.heard + i64::try_from(millis(SILENT) + rate.per_ms).unwrap_or(i64::MAX);
        let silence = Duration::from_millis(u64::try_from(begins - redis_now).unwrap_or(0));
        drop(state);
        let at = u64::try_from(redis_now).unwrap_or(0);
        let allowed = match rate.allowed(shares, at) {
            Allowed::Number(_) if !silence.is_zero() => match rate.reserve(shares) {
                0 => Err((silence, Missing::Agreement)),
                reserve => by_number(reserve),
            },
            Allowed::Number(number) => by_number(number),
            Allowed::Turn(_) if !silence.is_zero() => {
                let first = at + millis(silence);
                let more = match rate.allowed(shares, first) {
                    Allowed::Turn(more) => Duration::from_millis(more),
                    _ => Duration::ZERO,
                };
                Err((silence + more, Missing::Agreement))
            }
            Allowed::Turn(0) => match last {
                // One request in each turn.
                Some(last) if now.saturating_duration_since(last) < pace.per => {
                    Err((last + pace.per - now, Missing::Slot))
                }
                _ => Ok(()),
            },
            Allowed::Turn(time) => Err((Duration::from_millis(time), Missing::Slot)),
            Allowed::Nothing => Err((pace.per.max(Duration::from_secs(5)), Missing::Agreement)),
        };
        allowed.map_or_else(|(time, missing)| wait(time, missing), |()| go())
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
fn wait(time: Duration, missing: Missing) -> Grant {
    let time = time.max(Duration::from_millis(1));
    Grant::Wait {
        time,
        again: time.min(AGAIN),
        missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    use freshcontext_contract::{BoxFuture, Limits, Pace};
    use freshcontext_fetch::Timer;

    use crate::LASTED;
    use crate::coordinator::{Coordinator, Options};

    /// A monotonic clock that only tests advance.
    struct StepTimer(Instant, Mutex<Duration>);

    impl StepTimer {
        fn step(&self, time: Duration) {
            *self.1.lock().unwrap() += time;
        }
    }

    impl Timer for StepTimer {
        fn now(&self) -> Instant {
            self.0 + *self.1.lock().unwrap()
        }

        fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }
    }

    /// A member of two whose connection was lost just now, for the first time or after others, and its timer.
    fn lost(unsteady_for: Duration) -> (Coordinator, Arc<StepTimer>) {
        let timer = Arc::new(StepTimer(Instant::now(), Mutex::default()));
        let coordinator = Coordinator::new(Options {
            address: "redis://127.0.0.1:1/".to_owned(),
            replicas: 2,
            limits: Limits::DEFAULT,
            timer: timer.clone(),
        })
        .unwrap();
        timer.step(Duration::from_mins(1));
        let unsteady = timer.now();
        timer.step(unsteady_for);
        let inner = &coordinator.0;
        let heard = 1_000_000 + inner.millis(timer.now());
        {
            let mut state = inner.lock();
            state.clock = Some(1_000_000);
            state.heard = heard;
            state.since = Some(timer.now());
            state.unsteady = Some(unsteady);
            state.known.n = 2;
            state.known.index = 1;
            state.known.agreed = true;
        }
        (coordinator, timer)
    }

    fn limit(requests: u32, per: Duration) -> HostLimit {
        HostLimit {
            host: "api.test.org".to_owned(),
            path: "",
            keyed: false,
            pace: Some(Pace { requests, per }),
            at_once: 4,
        }
    }

    /// Asks for leases of the share until one is refused. Returns the number of leases, and what was missing then.
    fn drain(coordinator: &Coordinator, limit: &HostLimit) -> (u64, Missing) {
        let mut id = 0;
        loop {
            match coordinator.0.acquire_own(limit, id) {
                Grant::Go(_) => id += 1,
                Grant::Wait { missing, .. } => return (id, missing),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn the_reserve_serves_while_connections_do_not_last() {
        let hour = limit(800, Duration::from_hours(1));
        // An eighth of the half of each of two members.
        let reserve = 800 / (8 * 2);
        let (first, _) = lost(Duration::ZERO);
        assert_eq!(
            drain(&first, &hour),
            (0, Missing::Agreement),
            "one loss is a hiccup"
        );
        let (again, timer) = lost(LASTED);
        assert_eq!(drain(&again, &hour), (reserve, Missing::Agreement));
        timer.step(HICCUP);
        assert_eq!(drain(&again, &hour), (0, Missing::Slot), "the same reserve");
        // A pace without a reserve waits for the silence.
        let (again, timer) = lost(LASTED);
        let second = limit(10, Duration::from_secs(1));
        assert_eq!(drain(&again, &second), (0, Missing::Agreement));
        timer.step(HICCUP);
        assert_eq!(drain(&again, &second), (0, Missing::Agreement));
        timer.step(SILENT + Duration::from_secs(1));
        assert_eq!(drain(&again, &second), (5, Missing::Slot));
        // A member that has no share yet has no reserve either.
        let (outside, _) = lost(LASTED);
        outside.0.lock().known.index = 2;
        assert_eq!(drain(&outside, &hour), (0, Missing::Agreement));
    }
}
