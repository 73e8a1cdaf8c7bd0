//! Admission: so many calls at work, so many waiting, so long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use freshcontext_contract::{ErrorCode, Limits, SourceError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The gate that every call passes.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
    longest_wait: Duration,
}

/// A place among the calls at work; free again when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl Gate {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits.calls_in_flight)),
            waiting: AtomicUsize::new(0),
            most_waiting: limits.calls_queued,
            longest_wait: Duration::from_millis(limits.queue_wait_ms),
        }
    }

    /// A place now or within the longest wait, else `overloaded`.
    pub(crate) async fn enter(&self) -> Result<Place, SourceError> {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Ok(Place { _permit: permit });
        }
        let _turn = Turn::take(&self.waiting, self.most_waiting).ok_or_else(|| self.overloaded())?;
        match tokio::time::timeout(self.longest_wait, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place { _permit: permit }),
            _ => Err(self.overloaded()),
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
