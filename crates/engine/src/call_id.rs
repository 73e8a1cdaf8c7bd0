//! Ids of calls: in the log, in the answer and in traces.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Ids of one process: a random beginning, which tells replicas and restarts apart, and a number.
pub(crate) struct CallIds {
    process: u32,
    next: AtomicU64,
}

impl CallIds {
    pub(crate) fn new() -> Self {
        let mut bytes = [0; 4];
        // Without randomness the numbers still tell the calls of this process apart.
        let _ = getrandom::fill(&mut bytes);
        Self {
            process: u32::from_be_bytes(bytes),
            next: AtomicU64::new(1),
        }
    }

    pub(crate) fn next(&self) -> Arc<str> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-{number}", self.process).into()
    }
}
