//! The port of the pipeline.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_contract::BoxFuture;
use freshcontext_fetch::{Coordinate, Grant, HostEvent, HostLimit, Lease, Progress, Turn};

use crate::coordinator::{Coordinator, Link};
use crate::keys::{Keys, breaker_key, command, digest, limit_name, pause_command, pause_key, unlock_command};
use crate::scripts::{OPENED, REACHED};
use crate::share::millis;
use crate::{CLOCK_TOLERANCE_MS, PREFIX};

/// Largest answer that is shared, in bytes.
const LARGEST: usize = 1 << 20;
/// Time for which a breaker is remembered after its end, for the probe.
const REMEMBERED: Duration = Duration::from_mins(5);

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
}
