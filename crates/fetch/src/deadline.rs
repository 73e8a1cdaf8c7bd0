//! A deadline that can move later: the latest deadline of all callers that wait for the same request.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::ports::Timer;

#[derive(Debug, Clone)]
pub(crate) struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    pub(crate) fn new(at: Instant) -> Self {
        Self(Arc::new(Mutex::new(at)))
    }

    pub(crate) fn at(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the deadline later. An earlier instant has no effect.
    pub(crate) fn extend(&self, to: Instant) {
        let mut at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *at = (*at).max(to);
    }

    pub(crate) fn left(&self, timer: &dyn Timer) -> Duration {
        self.at().saturating_duration_since(timer.now())
    }

    /// Completes when the deadline has passed, including extensions made in the meantime.
    pub(crate) async fn passed(&self, timer: &dyn Timer) {
        loop {
            let left = self.left(timer);
            if left.is_zero() {
                return;
            }
            timer.sleep(left).await;
        }
    }
}
