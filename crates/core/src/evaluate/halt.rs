//! Ending an evaluation early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use freshcontext_contract::{ErrorCode, SourceError};

/// Ends an evaluation whose answer nobody waits for any more; all clones are one.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<AtomicBool>);

impl Halt {
    /// Lets evaluations with this in their options end before the next signal.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they are to end.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The error of an evaluation that took too long.
    pub fn late() -> SourceError {
        SourceError::new(ErrorCode::Timeout, "the evaluation was not finished in time")
            .detail("deadline")
            .hint("judge fewer signals, or shorter ones, in a call")
    }

    pub(super) fn check(&self) -> Result<(), SourceError> {
        if self.is_set() { Err(Self::late()) } else { Ok(()) }
    }
}
