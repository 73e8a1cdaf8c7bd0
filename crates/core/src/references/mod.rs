//! `check_references`: from what a registry says of a reference to a verdict, and both forms in which the verdicts leave.

mod judge;
mod write;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use freshcontext_contract::Shown;
use serde_json::{Map, Value};

pub use judge::{is_to_be_asked_again, judge};
pub use write::output_schema;

use crate::date::Confidence;
use crate::standing::Standing;

/// What is said of a reference, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Its own registry or address says that it is there no more.
    Gone,
    /// It was taken back: retracted, withdrawn, yanked, cancelled.
    Withdrawn,
    /// A newer thing takes its place.
    Superseded,
    /// It is under another name or address.
    Moved,
    /// Nothing that was learned settles it. Never the same as gone.
    CouldNotCheck,
    /// The text has no form of a reference that is known here.
    NotRecognised,
    /// It was found, and nothing void or replaced was said of it.
    Stands,
}

impl Verdict {
    /// All of them, the worst first.
    pub const ALL: [Self; 7] = [
        Self::Gone,
        Self::Withdrawn,
        Self::Superseded,
        Self::Moved,
        Self::CouldNotCheck,
        Self::NotRecognised,
        Self::Stands,
    ];

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Withdrawn => "withdrawn",
            Self::Superseded => "superseded",
            Self::Moved => "moved",
            Self::CouldNotCheck => "could_not_check",
            Self::NotRecognised => "not_recognised",
            Self::Stands => "stands",
        }
    }
}

/// A verdict on one reference with what it rests on. Made by [`judge`] only.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The state that its source gives it, which may be one that leaves it standing.
    pub standing: Option<Standing>,
    /// When it was published, as its source says.
    pub date: Option<String>,
    /// Its title, as its source writes it: external text.
    pub title: Option<String>,
    /// How sure the verdict is.
    pub confidence: Confidence,
    /// What shows it, beside the evidence of the state.
    pub shown: Vec<Shown>,
    /// A short machine-readable reason, where the verdict has one: `rate_limited`, `not_asked_in_time`.
    pub detail: Option<String>,
    /// Why it could not be checked, in words.
    pub message: Option<String>,
}

/// A copy in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedCopy {
    /// Its address.
    pub url: String,
    /// When it was made.
    pub at: Option<DateTime<Utc>>,
}

/// One reference and its verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Its place among all references of the call, from 0.
    pub place: usize,
    /// The reference as the caller, or the document, has it.
    pub given: String,
    /// Its kind.
    pub kind: Option<&'static str>,
    /// Its normal form.
    pub id: Option<String>,
    /// The verdict.
    pub judged: Judged,
    /// Whether its title is another than the one under which it is cited.
    pub title_differs: bool,
    /// A copy of what is gone.
    pub archived_copy: Option<ArchivedCopy>,
    /// When its source was asked.
    pub checked_at: DateTime<Utc>,
}

/// The answer of `check_references`. Text and structure are written from it.
#[derive(Debug)]
pub struct References {
    /// The references, in the caller's order.
    pub checked: Vec<Checked>,
    /// References in all, of which these are one page.
    pub total: usize,
    /// What the text was read as.
    pub format: Option<&'static str>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// The way to those that are not settled yet.
    pub cursor: Option<String>,
}

impl References {
    /// The worst verdict; `None` without references.
    pub fn worst(&self) -> Option<Verdict> {
        self.checked.iter().map(|checked| checked.judged.verdict).min()
    }

    /// The text: the counts, then a line or two for each reference.
    pub fn text(&self) -> String {
        write::text(self)
    }

    /// The structured form.
    pub fn structured(&self) -> Map<String, Value> {
        write::structure(self)
    }
}
