mod finding;
mod verdict;
mod write;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

pub use finding::{Finding, Found, SectionFinding};
pub use verdict::{Comparison, ItemVerdict, Verdict};

use crate::date::KeptMoment;

/// The answer of `recheck`. Text and structure are written from it.
#[derive(Debug)]
pub struct Recheck {
    /// Which answer it is about.
    pub subject: Subject,
    /// What was found of it.
    pub found: Found,
    /// When.
    pub checked_at: DateTime<Utc>,
}

/// The answer that a recheck is about.
#[derive(Debug)]
pub struct Subject {
    /// Its id, where it was asked about by one.
    pub answer_id: Option<String>,
    /// The tool that gave it.
    pub tool: String,
    /// When it was given, where that is known.
    pub answered: Option<KeptMoment>,
    /// What the present state was compared with.
    pub against: Against,
    /// Headings of the sections that told nothing then: nothing is known of them, so they are not asked again.
    pub unanswered: Vec<String>,
}

/// What the present state of a source is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The earlier answer, item by item.
    Answer,
    /// The hash of the earlier answer, which tells only whether anything changed.
    Hash,
    /// A moment: only whether there is something newer.
    Moment,
}

impl Against {
    /// What the verdict does not cover, where that is not all.
    const fn limit(self) -> Option<&'static str> {
        match self {
            Self::Answer => None,
            Self::Hash => Some("by its hash only, which does not tell what changed"),
            Self::Moment => Some("only for items with a later date; edits and removals were not looked for"),
        }
    }
}

impl Recheck {
    /// The verdict on the whole.
    pub fn verdict(&self) -> Verdict {
        self.found.verdict()
    }

    /// The text: a line for each fact and for each item.
    pub fn text(&self) -> String {
        write::text(self)
    }

    /// The structured form.
    pub fn structured(&self) -> Map<String, Value> {
        write::structure(self)
    }
}
