//! The toolset `time`: answers get ids, `recheck` says whether an earlier answer still holds, and deliverables are put
//! together from sources that are checked first. Without the toolset nothing is kept and nothing of it is shown.

mod again;
mod compare;
mod deliverable;
mod document;
mod keeping;
mod marks;
mod observer;
mod peeking;
mod recheck;
mod records;
mod renamed;
mod sections;
mod tool;
mod toolset;
mod watch;
mod webhook;

use std::sync::Arc;

use freshcontext_engine::Engine;

pub use deliverable::{
    CHANGES_SUFFIX, DELIVERABLE_URI, INTENT, Notify, PROFILE, Progress, Seen, Task, To, VersionPage,
    deliverable_tools,
};
pub use freshcontext_core::date::KeptMoment;
pub use keeping::TimeToolset;
pub use webhook::{Answered, Courier, Passed, Poster, WebhookSecret};

/// What the toolset does with one engine: rechecks, deliverables, context records that are kept. Cheap to clone.
#[derive(Clone)]
pub struct Follow {
    engine: Arc<Engine>,
    toolset: TimeToolset,
}

impl Follow {
    /// The toolset at work on an engine, which must have been built with it.
    pub fn new(engine: Arc<Engine>, toolset: TimeToolset) -> Self {
        Self { engine, toolset }
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Whether deliverables are offered: they need the store.
    pub fn has_deliverables(&self) -> bool {
        self.toolset.store().is_some()
    }
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follow").finish_non_exhaustive()
    }
}
