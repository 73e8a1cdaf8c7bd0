//! A source with what was found out about it, and what is done with that.

use chrono::{DateTime, Utc};
use freshcontext_deliverables::{Known, Source, Trouble};

use super::keep::Kept;

/// What is done with what was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// That it is as it was is noted; what is not is left as it was.
    Check,
    /// It is kept.
    Sync,
    /// It is kept, and who was asked a moment ago is asked again: the watcher keeps its own times.
    Watch,
    /// Nothing is kept.
    Look,
}

/// What was found out about a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It was asked a moment ago.
    Reused,
    /// It is as it was.
    Current,
    /// It says something else.
    Stale,
    /// It was never synced.
    NeverSynced,
    /// Nobody can tell.
    CouldNotCheck,
}

impl Found {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Reused | Self::Current => "current",
            Self::Stale => "stale",
            Self::NeverSynced => "never_synced",
            Self::CouldNotCheck => "could_not_check",
        }
    }
}

/// A source with what was found out about it.
#[derive(Debug)]
pub(super) struct Followed {
    pub source: Source,
    pub found: Found,
    /// What is held of it now; after [`Mode::Check`], what was held before.
    pub kept: Option<Kept>,
    pub trouble: Option<Trouble>,
    /// The newest date of what the source answered now, where it was asked for everything.
    pub seen_latest: Option<DateTime<Utc>>,
    /// Requests that left this machine.
    pub requests: u32,
}

impl Followed {
    /// The newest date of an item that the source is known to have now.
    pub(super) fn latest(&self) -> Option<DateTime<Utc>> {
        match self.found {
            Found::Stale | Found::NeverSynced => self.seen_latest,
            Found::Reused | Found::Current => self.seen_latest.or_else(|| self.kept.as_ref()?.latest()),
            Found::CouldNotCheck => None,
        }
    }

    pub(super) fn known(self) -> Known {
        Known {
            source: self.source,
            held: self.kept.map(|kept| kept.held),
            trouble: self.trouble,
        }
    }
}
