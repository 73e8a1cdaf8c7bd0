//! The toolset `time`: answers get ids, `recheck` says whether what was answered is still so, and deliverables are put
//! together from sources that are checked before.
//! Without the toolset none of this is built, and nothing is kept or shown.

mod compare;
mod deliverable;
mod finding;
mod keeping;
mod marks;
mod moments;
mod outcome;
mod peeking;
mod recheck;
mod records;
mod sections;
mod tool;
mod watch;

use std::sync::Arc;

pub(super) use deliverable::read_task;
pub use deliverable::{INTENT, PROFILE, Task, To, deliverable_tools};
pub(super) use keeping::Times;
pub(super) use marks::Draft;
pub use moments::KeptMoment;
pub(super) use sections::Watched;
pub(super) use tool::{recheck_tool, with_answer_hash, with_answer_id};
pub(super) use watch::Watch;

/// Whose answers these are: no operation crosses owners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner(Arc<str>);

impl Owner {
    /// An owner of this name: a token's name, or a JWT's issuer and subject.
    pub fn named(name: &str) -> Self {
        Self(name.into())
    }

    /// Whoever calls over HTTP with the token of this name.
    pub fn of_token(name: &str) -> Self {
        Self::named(&format!("token:{name}"))
    }

    /// The name that the store knows.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Owner {
    /// Whoever calls on stdio, or over HTTP where no token is asked for.
    fn default() -> Self {
        Self::named("local")
    }
}
