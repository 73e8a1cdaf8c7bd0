//! Whether a thing still stands: from the signs that a source gives to one state, with its severity and its words.
//!
//! Nothing said gives no state, and never "it stands".

mod line;
mod overview;
mod resolve;
#[cfg(test)]
mod tests;

use freshcontext_contract::StandingState;
use freshcontext_contract::standing::Replacement;
use serde::Serialize;
use serde_json::{Value, json};

pub use line::meaning;
pub(crate) use overview::{counts, overview};
pub use resolve::resolve;

use crate::date::Confidence;
use crate::sanitize::cut_marked;

/// Longest name of a replacement that a verdict repeats, in characters.
const SHORT_CHARS: usize = 80;

/// How much of a thing's use a state takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Not to be relied on, or not there any more.
    Void,
    /// Another thing takes its place.
    Replaced,
    /// It is over.
    Ended,
    /// It stands, with a reservation.
    Reserved,
    /// It stands, and there is something to know.
    Note,
}

impl Severity {
    /// The one table: what each state is worth.
    pub const fn of(state: StandingState) -> Self {
        use StandingState as S;
        match state {
            S::Retracted | S::Withdrawn | S::Removed => Self::Void,
            S::Superseded | S::Moved => Self::Replaced,
            S::Cancelled | S::Ended | S::Closed => Self::Ended,
            S::Yanked | S::Concern | S::Deprecated | S::Amended | S::Corrected | S::Archived => {
                Self::Reserved
            }
            S::Acquired | S::Prerelease => Self::Note,
        }
    }

    /// The word, as results have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Replaced => "replaced",
            Self::Ended => "ended",
            Self::Reserved => "reserved",
            Self::Note => "note",
        }
    }
}

/// Who says it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct By {
    /// `publisher`, `retraction-watch`, `author`, `moderators`, `registry`, `owner`, `issuer`, `host`, `agency`, or the
    /// source's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The address or id of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl By {
    fn is_nothing(&self) -> bool {
        self.who.is_none() && self.notice.is_none()
    }
}

/// A field that says it, with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The field, as the source spells it.
    pub field: String,
    /// Its value.
    pub value: String,
    /// The page that shows it, where it is another than the item's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A state that holds beside the weightier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Also {
    /// The state.
    pub state: StandingState,
    /// Since when, as the source says.
    pub since: Option<String>,
    /// Who says it.
    #[serde(skip_serializing_if = "By::is_nothing")]
    pub by: By,
    /// What says it.
    pub evidence: Vec<Said>,
}

/// In which state a thing is, and what says so. Made by [`resolve`] only; clean and bounded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The weightiest state that holds.
    pub state: StandingState,
    /// What that is worth.
    pub severity: Severity,
    /// The day or the moment on which it began, as the source says; `None` if it does not.
    pub since: Option<String>,
    /// Who says it.
    #[serde(skip_serializing_if = "By::is_nothing")]
    pub by: By,
    /// The source's own words: external text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<Replacement>,
    /// What says it.
    pub evidence: Vec<Said>,
    /// How sure that is.
    pub confidence: Confidence,
    /// Further states that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
}

impl Standing {
    /// Whether nothing of it may be used as content that stands.
    pub fn is_void(&self) -> bool {
        self.severity == Severity::Void
    }

    /// The structured form.
    pub fn structured(&self) -> Value {
        // Of texts and lists alone, which can be written.
        serde_json::to_value(self).unwrap_or_else(|_| json!({"state": self.state.as_str()}))
    }

    /// The part of it that a verdict repeats, at most about 200 bytes.
    pub fn short(&self) -> Value {
        let mut out = json!({"state": self.state.as_str(), "since": self.since, "confidence": self.confidence.as_str()});
        if let (Some(by), Some(out)) = (self.replacement(), out.as_object_mut()) {
            out.insert("replaced_by".to_owned(), cut_marked(by, SHORT_CHARS).into());
        }
        out
    }

    /// What takes its place, in the shortest form that names it.
    pub fn replacement(&self) -> Option<&str> {
        let by = self.replaced_by.as_ref()?;
        [&by.id, &by.url, &by.title]
            .into_iter()
            .find_map(Option::as_deref)
    }
}
