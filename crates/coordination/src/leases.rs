//! Leases: asked of Redis, or granted from this process's share.

use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_fetch::{Grant, HostLimit, Lease};

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
