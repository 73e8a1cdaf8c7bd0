//! Admission: so many calls at work, so many waiting, so long; and of one caller among others, a share of these.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshcontext_contract::{ErrorCode, Limits, SourceError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of callers from which those without a call are forgotten: subjects of access tokens are without number.
const CALLERS: usize = 1_024;

tokio::task_local! {
    /// Whose call this task is at work on, where callers are told apart.
    static CALLER: Option<usize>;
}

/// Does the work of a call in the name of this caller: the gate counts it among theirs. `None` where callers are
/// not told apart.
pub fn in_name_of<F: Future>(caller: Option<usize>, call: F) -> impl Future<Output = F::Output> {
    CALLER.scope(caller, call)
}

/// The gate that every call passes.
#[derive(Debug)]
pub struct Gate {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
    longest_wait: Duration,
    /// Of each caller that has called, as long as it has a call, or there are few of them.
    callers: Mutex<HashMap<usize, Arc<Part>>>,
    part: usize,
    part_waiting: usize,
}

/// The part of one caller.
#[derive(Debug)]
struct Part {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Part {
    /// Whether its caller has no call: nobody holds the part, and all of its places are free.
    fn is_idle(self: &Arc<Self>, all: usize) -> bool {
        Arc::strong_count(self) == 1 && self.places.available_permits() == all
    }
}

/// A place among the calls at work; free again when dropped.
#[derive(Debug)]
pub struct Place {
    _permit: OwnedSemaphorePermit,
    _own: Option<OwnedSemaphorePermit>,
}

impl Gate {
    pub fn new(limits: &Limits) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits.calls_in_flight)),
            waiting: AtomicUsize::new(0),
            most_waiting: limits.calls_queued,
            longest_wait: Duration::from_millis(limits.queue_wait_ms),
            callers: Mutex::default(),
            part: limits.share_of(limits.calls_in_flight),
            part_waiting: match limits.calls_queued {
                0 => 0,
                queued => limits.share_of(queued),
            },
        }
    }

    /// The part of the caller whose call this is.
    fn part(&self) -> Option<Arc<Part>> {
        let caller = CALLER.try_with(|caller| *caller).ok()??;
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS && !callers.contains_key(&caller) {
            callers.retain(|_, part| !part.is_idle(self.part));
        }
        let part = callers.entry(caller).or_insert_with(|| {
            Arc::new(Part {
                places: Arc::new(Semaphore::new(self.part)),
                waiting: AtomicUsize::new(0),
            })
        });
        Some(Arc::clone(part))
    }

    /// A place now or within the longest wait, else `overloaded`.
    pub async fn enter(&self) -> Result<Place, SourceError> {
        let until = tokio::time::Instant::now() + self.longest_wait;
        // First of their own, so that nobody waits among all for more than they may have.
        let own = match self.part() {
            Some(part) => Some(self.own(&part, until).await?),
            None => None,
        };
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(Place {
                _permit: permit,
                _own: own,
            });
        }
        let _turn = Turn::take(&self.waiting, self.most_waiting).ok_or_else(|| self.overloaded())?;
        match tokio::time::timeout_at(until, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place {
                _permit: permit,
                _own: own,
            }),
            _ => Err(self.overloaded()),
        }
    }

    async fn own(
        &self,
        part: &Part,
        until: tokio::time::Instant,
    ) -> Result<OwnedSemaphorePermit, SourceError> {
        if let Ok(permit) = Arc::clone(&part.places).try_acquire_owned() {
            return Ok(permit);
        }
        let taken = || {
            let what = format!(
                "the {} calls that one caller may have at work here are at work (limits.caller_share)",
                self.part
            );
            overloaded(&what, self.longest_wait)
        };
        let _turn = Turn::take(&part.waiting, self.part_waiting).ok_or_else(taken)?;
        match tokio::time::timeout_at(until, Arc::clone(&part.places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(taken()),
        }
    }

    fn overloaded(&self) -> SourceError {
        overloaded(
            "this server has no free place for another call",
            self.longest_wait,
        )
    }
}

/// Something of ours is used up, and was so for as long as a call waits for it.
pub(super) fn overloaded(what: &str, longest_wait: Duration) -> SourceError {
    SourceError::new(ErrorCode::Overloaded, what.to_owned())
        .hint("try again in a few seconds, with fewer calls at once")
        .retry_after(longest_wait.max(Duration::from_secs(1)))
}

/// A place in the queue, given back on drop (also when the caller cancels while waiting).
struct Turn<'g>(&'g AtomicUsize);

impl<'g> Turn<'g> {
    fn take(waiting: &'g AtomicUsize, most: usize) -> Option<Self> {
        waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| {
                (now < most).then_some(now + 1)
            })
            .ok()
            .map(|_| Self(waiting))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(in_flight: usize, queued: usize, wait_ms: u64) -> Gate {
        Gate::new(&Limits {
            calls_in_flight: in_flight,
            calls_queued: queued,
            queue_wait_ms: wait_ms,
            ..Limits::DEFAULT
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_is_refused_at_once_and_a_long_wait_after_its_time() {
        let gate = gate(1, 1, 2_000);
        let place = gate.enter().await.unwrap();
        let started = tokio::time::Instant::now();
        let (waited, refused) = tokio::join!(gate.enter(), gate.enter());
        assert_eq!(waited.unwrap_err().code, ErrorCode::Overloaded);
        assert_eq!(refused.unwrap_err().code, ErrorCode::Overloaded);
        assert_eq!(started.elapsed(), Duration::from_secs(2));
        drop(place);
        assert!(gate.enter().await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_call_gets_the_place_that_falls_free() {
        let gate = gate(1, 4, 2_000);
        let place = gate.enter().await.unwrap();
        let release = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(place);
        };
        let (got, ()) = tokio::join!(gate.enter(), release);
        assert!(got.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn giving_up_the_wait_frees_the_turn() {
        let gate = gate(1, 1, 2_000);
        let _place = gate.enter().await.unwrap();
        for _ in 0..3 {
            let given_up = tokio::time::timeout(Duration::from_millis(1), gate.enter()).await;
            assert!(given_up.is_err(), "it waits, so the turn was free");
        }
        assert_eq!(gate.waiting.load(Ordering::Acquire), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_caller_among_others_has_a_share() {
        let gate = gate(4, 4, 2_000);
        let (one, other) = (Some(1), Some(2));
        let mut places = Vec::new();
        for _ in 0..2 {
            places.push(in_name_of(one, gate.enter()).await.unwrap());
        }
        let started = tokio::time::Instant::now();
        let (first, second, third, theirs) = tokio::join!(
            in_name_of(one, gate.enter()),
            in_name_of(one, gate.enter()),
            in_name_of(one, gate.enter()),
            in_name_of(other, gate.enter()),
        );
        for refused in [first, second, third] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.code, ErrorCode::Overloaded);
            assert!(refused.message.contains("caller_share"), "{}", refused.message);
        }
        assert_eq!(started.elapsed(), Duration::from_secs(2));
        places.push(theirs.unwrap());
        // Who is not told apart has all of it, as far as there is any.
        places.push(gate.enter().await.unwrap());
        assert!(in_name_of(None, gate.enter()).await.is_err());
        places.remove(0);
        assert!(in_name_of(one, gate.enter()).await.is_ok());
    }

    #[tokio::test]
    async fn callers_without_a_call_are_forgotten_and_the_others_keep_their_share() {
        let gate = gate(4, 4, 0);
        let busy = [
            in_name_of(Some(0), gate.enter()).await.unwrap(),
            in_name_of(Some(0), gate.enter()).await.unwrap(),
        ];
        for caller in 1..5_000 {
            assert!(in_name_of(Some(caller), gate.enter()).await.is_ok());
        }
        assert!(gate.callers.lock().unwrap().len() <= CALLERS);
        assert!(in_name_of(Some(0), gate.enter()).await.is_err());
        drop(busy);
    }

    #[tokio::test]
    async fn of_a_thousand_calls_none_is_lost() {
        let gate = Arc::new(gate(64, 256, 2_000));
        let calls = (0..1_000).map(|_| {
            let gate = Arc::clone(&gate);
            async move {
                match gate.enter().await {
                    Ok(_place) => {
                        tokio::task::yield_now().await;
                        true
                    }
                    Err(_) => false,
                }
            }
        });
        let answers = futures_util::future::join_all(calls).await;
        assert_eq!(answers.len(), 1_000);
        assert!(answers.iter().filter(|served| **served).count() >= 320);
    }
}
