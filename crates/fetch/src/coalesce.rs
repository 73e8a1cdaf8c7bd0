//! Request coalescing: identical concurrent requests share one upstream request. The shared request lives as long as
//! at least one caller waits for it. When the last caller leaves, it is dropped and its socket closes.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::url::Url;
use freshcontext_contract::{BoxFuture, ErrorCode, Provenance, SourceError};
use futures_util::FutureExt;
use futures_util::future::{Either, Shared, WeakShared, select};

use crate::coordination::Missing;
use crate::deadline::Deadline;
use crate::exchange::Answer;
use crate::limiter::Awaited;
use crate::ports::Timer;

/// Extra wait of a caller whose deadline equals the request's own. It lets the request report the timeout, because
/// only the request knows what it was waiting for.
const GRACE: Duration = Duration::from_millis(30);

/// Minimum wait that a refusal names, where the time until the next slot is not known.
const LEAST_WAIT: Duration = Duration::from_millis(1);

/// Result of a request.
#[derive(Debug, Clone)]
pub(crate) struct Delivered {
    pub(crate) answer: Answer,
    pub(crate) final_url: Url,
    pub(crate) provenance: Provenance,
    pub(crate) attempts: u32,
}

pub(crate) type Outcome = Result<Delivered, SourceError>;

/// Progress of a request, for callers who leave before its end.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) attempts: AtomicU32,
    /// What the request waits for in the rate limiter; `None` once it has left.
    pub(crate) slot: Mutex<Option<Awaited>>,
}

impl Progress {
    pub(crate) fn attempts(&self) -> u32 {
        self.attempts.load(Ordering::Relaxed)
    }

    pub(crate) fn expect_slot(&self, expected: Option<Awaited>) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = expected;
    }

    fn slot(&self) -> Option<Awaited> {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Running = Shared<BoxFuture<'static, Outcome>>;

struct SharedRequest {
    id: u64,
    running: WeakShared<BoxFuture<'static, Outcome>>,
    deadline: Deadline,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct State {
    running: HashMap<String, SharedRequest>,
    next_id: u64,
}

#[derive(Default)]
pub(crate) struct Coalescer(Mutex<State>);

#[cfg(not(test))]
const fn is_fault_planted() -> bool {
    false
}
#[cfg(test)]
fn is_fault_planted() -> bool {
    crate::simulation::planted(crate::simulation::Fault::NotCoalesced)
}

impl Coalescer {
    /// Joins the running request with this key, or starts one.
    pub(crate) fn join<F>(
        self: &Arc<Self>,
        key: String,
        until: Instant,
        start: impl FnOnce(Deadline, Arc<Progress>) -> F,
    ) -> Waiter
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let mut board = self.lock();
        if let Some(shared) = board.running.get(&key)
            && let Some(running) = shared.running.upgrade()
            // A finished request has an old answer; a new caller needs a new one.
            && running.peek().is_none()
            && !is_fault_planted()
        {
            shared.deadline.extend(until);
            return Waiter {
                running: Some(running),
                deadline: shared.deadline.clone(),
                progress: Arc::clone(&shared.progress),
                until,
                _place: Place {
                    board: Arc::clone(self),
                    key,
                    id: shared.id,
                },
            };
        }
        let deadline = Deadline::new(until);
        let progress = Arc::new(Progress::default());
        let running = start(deadline.clone(), Arc::clone(&progress)).boxed().shared();
        let id = board.next_id;
        board.next_id += 1;
        if let Some(weak) = running.downgrade() {
            let shared = SharedRequest {
                id,
                running: weak,
                deadline: deadline.clone(),
                progress: Arc::clone(&progress),
            };
            board.running.insert(key.clone(), shared);
        }
        Waiter {
            running: Some(running),
            deadline,
            progress,
            until,
            _place: Place {
                board: Arc::clone(self),
                key,
                id,
            },
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.lock().running.len()
    }
}

/// A caller's share in a running request.
pub(crate) struct Waiter {
    // Must be dropped before `_place`, which then sees whether another caller is left.
    running: Option<Running>,
    deadline: Deadline,
    progress: Arc<Progress>,
    until: Instant,
    _place: Place,
}

struct Place {
    board: Arc<Coalescer>,
    key: String,
    id: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut board = self.board.lock();
        let over = board
            .running
            .get(&self.key)
            .is_some_and(|shared| shared.id == self.id && shared.running.upgrade().is_none());
        if over {
            board.running.remove(&self.key);
        }
    }
}

impl Waiter {
    /// Waits for the outcome, at most until this caller's own deadline.
    pub(crate) async fn wait(mut self, timer: &dyn Timer, host: &str) -> Outcome {
        let Some(running) = self.running.take() else {
            return Err(SourceError::new(
                ErrorCode::Internal,
                "a request was waited for twice",
            ));
        };
        let patience = if self.deadline.at() <= self.until {
            GRACE
        } else {
            Duration::ZERO
        };
        let left = self.until.saturating_duration_since(timer.now()) + patience;
        match select(running, timer.sleep(left)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), running)) => {
                drop(running);
                Err(self.too_late(timer.now(), host))
            }
        }
    }

    fn too_late(&self, now: Instant, host: &str) -> SourceError {
        let mut failure = match self.progress.slot() {
            Some(expected) => no_place(expected.at.saturating_duration_since(now), expected.missing, host),
            None => crate::fault::of_deadline(crate::step::Step::Answer, host),
        };
        failure.attempts = self.progress.attempts();
        failure
    }
}

/// Creates the error for a request that could not leave before its deadline. The host was not asked, so the message does
/// not blame it for an answer that is missing.
pub(crate) fn no_place(wait: Duration, missing: Missing, host: &str) -> SourceError {
    let reason = match missing {
        Missing::Slot if !wait.is_zero() => {
            format!("the pace that {host} asks for leaves no time for this request")
        }
        Missing::Slot | Missing::Place => {
            let message = format!("other requests to {host} left no place for this one in time");
            return SourceError::new(ErrorCode::Timeout, message).detail("place");
        }
        Missing::Agreement => {
            format!("the replicas of this server did not agree in time on which of them asks {host}")
        }
    };
    let wait = wait.max(LEAST_WAIT);
    let mut failure = SourceError::new(
        ErrorCode::RateLimited,
        format!("{reason}; next slot in {} s", wait.as_secs_f64().ceil()),
    )
    .detail("pace");
    failure.retry_after = Some(wait);
    failure
}
