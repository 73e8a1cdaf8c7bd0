//! What is said of an answer, and of its items.

use std::collections::BTreeMap;

use serde::Serialize;

/// What became of an item, or of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it was.
    Current,
    /// It says something else now.
    Changed,
    /// The source says that it is no more.
    Gone,
    /// What came does not tell.
    CouldNotCheck,
}

impl Verdict {
    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::CouldNotCheck => "could_not_check",
        }
    }
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ItemVerdict {
    /// The source's own id of it, else its address, else a hash of its title.
    pub id: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Why it could not be checked, or what says that it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<&'static str>,
    /// The parts that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// What these parts are now, where it was fetched; long texts are cut.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub now: BTreeMap<String, String>,
    /// Its date as the earlier answer had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_then: Option<String>,
    /// Its date now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_now: Option<String>,
    /// The state in which the earlier answer had it, where that is another now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing_then: Option<String>,
    /// The state in which it is now, where that was another then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing_now: Option<String>,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The verdict on the whole.
    pub verdict: Verdict,
    /// The verdict on each item that was shown.
    pub items: Vec<ItemVerdict>,
    /// Items that were not there, by id; at most some of them.
    pub added: Vec<String>,
    /// How many there are in all.
    pub added_count: usize,
    /// Parts of the whole that differ.
    pub changed: Vec<String>,
    /// What these parts are now.
    pub now: BTreeMap<String, String>,
}

impl Comparison {
    /// Of an answer of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            verdict: Verdict::CouldNotCheck,
            items: Vec::new(),
            added: Vec::new(),
            added_count: 0,
            changed: Vec::new(),
            now: BTreeMap::new(),
        }
    }
}
