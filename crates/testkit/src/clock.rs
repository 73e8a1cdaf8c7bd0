//! A manually advanced clock.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::Clock;

/// Stands still until it is stepped.
#[derive(Debug)]
pub struct StepClock(Mutex<DateTime<Utc>>);

impl StepClock {
    /// Creates a clock at this instant.
    pub fn new(at: DateTime<Utc>) -> Self {
        Self(Mutex::new(at))
    }

    /// Moves the clock forward, or back with a negative step.
    pub fn step(&self, by: TimeDelta) {
        let mut at = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *at += by;
    }
}

impl Clock for StepClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
