//! What a source says of whether a thing still stands.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::date::DateValue;

/// A state in which a thing no longer stands, or stands with a reservation. The set is closed; where several hold, the
/// first in this order is the state. That nothing is said is no state: no source proves that a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandingState {
    /// The publisher or the editor says not to rely on it.
    Retracted,
    /// Its author, the moderators or the host took it away.
    Removed,
    /// Whoever issued it took it back.
    Withdrawn,
    /// A newer thing takes its place, and the source names it or proves it.
    Superseded,
    /// The same thing is under another name or address.
    Moved,
    /// It ended before its purpose was met.
    Cancelled,
    /// Its time is over.
    Ended,
    /// Nothing can be done with it any more.
    Closed,
    /// The release was pulled from normal use; who pins it still gets it.
    Yanked,
    /// There is doubt, and no verdict yet.
    Concern,
    /// Its owner advises against it.
    Deprecated,
    /// Its issuer filed a later document that changes it.
    Amended,
    /// A correction of it was published.
    Corrected,
    /// Its owner keeps it read-only; no more changes will come.
    Archived,
    /// It goes on under another owner.
    Acquired,
    /// It is not meant as stable.
    Prerelease,
}

impl StandingState {
    /// All states, the weightiest first.
    pub const ALL: [Self; 16] = [
        Self::Retracted,
        Self::Removed,
        Self::Withdrawn,
        Self::Superseded,
        Self::Moved,
        Self::Cancelled,
        Self::Ended,
        Self::Closed,
        Self::Yanked,
        Self::Concern,
        Self::Deprecated,
        Self::Amended,
        Self::Corrected,
        Self::Archived,
        Self::Acquired,
        Self::Prerelease,
    ];

    /// The word, as results have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retracted => "retracted",
            Self::Removed => "removed",
            Self::Withdrawn => "withdrawn",
            Self::Superseded => "superseded",
            Self::Moved => "moved",
            Self::Cancelled => "cancelled",
            Self::Ended => "ended",
            Self::Closed => "closed",
            Self::Yanked => "yanked",
            Self::Concern => "concern",
            Self::Deprecated => "deprecated",
            Self::Amended => "amended",
            Self::Corrected => "corrected",
            Self::Archived => "archived",
            Self::Acquired => "acquired",
            Self::Prerelease => "prerelease",
        }
    }

    /// The state of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// How a sign says it, the surest first. The core crate derives the confidence from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A field of the host, registry, publisher or issuer about this very thing: high confidence.
    Field,
    /// A mark in the title, two documents that belong together, a flag without a notice: medium.
    Mark,
    /// Prose, such as a read-me, a banner or an advert: low.
    Prose,
}

/// What takes the place of a thing, as a field or a phrase of its source names it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Its id within the source: a package, an accession number, an arXiv id, a DOI.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub url: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
}

impl Replacement {
    /// One that is named by its id alone.
    pub fn id(id: impl Into<String>) -> Self {
        Self {
            id: Some(id.into()),
            ..Self::default()
        }
    }

    /// One that is named by its address alone.
    pub fn url(url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..Self::default()
        }
    }
}

/// One sign that a thing does not stand as it is shown. Adapters report signs of the very thing that an item shows; the
/// core crate decides which state they make. A thing of which nothing is said has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingEvidence {
    /// What the sign means by the source's documentation.
    pub state: StandingState,
    /// How it says so.
    pub basis: Basis,
    /// The field as the source spells it: `updated-by[2].type`.
    pub field: Cow<'static, str>,
    /// Its value, or the words that were found.
    pub value: String,
    /// The page that shows the sign, where it is another than the item's.
    pub url: Option<String>,
    /// Since when it holds, as the source says. Never the moment of retrieval, and no date of another change.
    pub since: Option<DateValue>,
    /// Who says it: `publisher`, `retraction-watch`, `author`, `moderators`, `registry`, `owner`, `issuer`, `host`, `agency`,
    /// or the source's own word.
    pub by: Option<Cow<'static, str>>,
    /// The notice that says it: an address, or an id.
    pub notice: Option<String>,
    /// The reason in the source's words.
    pub reason: Option<String>,
    /// What takes its place.
    pub replaced_by: Option<Replacement>,
}

impl StandingEvidence {
    fn new(
        state: StandingState,
        basis: Basis,
        field: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            state,
            basis,
            field: field.into(),
            value: value.into(),
            url: None,
            since: None,
            by: None,
            notice: None,
            reason: None,
            replaced_by: None,
        }
    }

    /// A sign in a structured field about this very thing.
    pub fn field(
        state: StandingState,
        field: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(state, Basis::Field, field, value)
    }

    /// A mark in a title, a match of two documents, or a flag without a notice.
    pub fn mark(state: StandingState, field: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Self::new(state, Basis::Mark, field, value)
    }

    /// Words of a text.
    pub fn prose(
        state: StandingState,
        field: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
    ) -> Self {
        Self::new(state, Basis::Prose, field, value)
    }

    /// Adds since when it holds, if the source says so.
    #[must_use]
    pub fn since(mut self, since: Option<impl Into<DateValue>>) -> Self {
        self.since = since.map(Into::into);
        self
    }

    /// Adds who says it.
    #[must_use]
    pub fn by(mut self, by: impl Into<Cow<'static, str>>) -> Self {
        self.by = Some(by.into());
        self
    }

    /// Adds the notice, if there is one.
    #[must_use]
    pub fn notice(mut self, notice: Option<impl Into<String>>) -> Self {
        self.notice = notice.map(Into::into);
        self
    }

    /// Adds the reason, if the source gives one.
    #[must_use]
    pub fn reason(mut self, reason: Option<impl Into<String>>) -> Self {
        self.reason = reason.map(Into::into);
        self
    }

    /// Adds what takes its place, if the source names it.
    #[must_use]
    pub fn replaced_by(mut self, replaced_by: Option<Replacement>) -> Self {
        self.replaced_by = replaced_by;
        self
    }

    /// Adds the page that shows the sign.
    #[must_use]
    pub fn shown_at(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }
}

/// Whether a route can tell the states of what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum StandingTold {
    /// It can.
    #[default]
    Yes,
    /// It can, but this time a part of it is not known.
    Partly,
    /// It cannot.
    No,
}

/// Phrases that name what takes a thing's place, before its name, and after it where a phrase goes on behind it.
const PHRASES: [(&str, &str); 9] = [
    ("renamed to", ""),
    ("moved to", ""),
    ("please use", ""),
    ("superseded by", ""),
    ("in favor of", ""),
    ("in favour of", ""),
    ("use", "instead"),
    ("use", "in its place"),
    ("", "is its successor"),
];

/// Words between a phrase and a web address. Before another name they may be a part of something else.
const FILLERS: [&str; 24] = [
    "the",
    "a",
    "an",
    "our",
    "its",
    "their",
    "own",
    "new",
    "official",
    "repository",
    "repo",
    "project",
    "package",
    "library",
    "home",
    "address",
    "location",
    "website",
    "page",
    "at",
    "on",
    "here",
    "github",
    "gitlab",
];

/// The name of what takes a thing's place in a text of its owner's. Only a few phrases count (`renamed to`, `use ...
/// instead`), and only a name that `is_name` accepts.
///
/// ```text
/// "Jade has been renamed to pug, please install the latest version of pug instead of jade" -> "pug"
/// ```
pub fn replacement_in(text: &str, is_name: impl Fn(&str) -> bool) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let says = |at: usize, phrase: &str| {
        phrase.split_whitespace().enumerate().all(|(offset, part)| {
            words
                .get(at + offset)
                .is_some_and(|word| bare(word).eq_ignore_ascii_case(part))
        })
    };
    let length = |phrase: &str| phrase.split_whitespace().count();
    PHRASES.into_iter().find_map(|(before, after)| {
        (0..words.len()).find_map(|at| {
            let first = at + length(before);
            // "moved to our new home at https://..."
            let behind = words.iter().skip(first).position(|word| !is_filler(bare(word)));
            let name_at = behind
                .map(|behind| first + behind)
                .filter(|at| words.get(*at).is_some_and(|word| is_address(bare(word))))
                .unwrap_or(first);
            let word = words.get(name_at)?;
            // A sentence that ends with the phrase names nothing behind it.
            let name = bare(word);
            let ends = after.is_empty() || says(name_at + 1, after);
            (says(at, before) && ends && is_name(name)).then_some(name)
        })
    })
}

/// Whether a word may stand between a phrase and the address that it names.
fn is_filler(word: &str) -> bool {
    FILLERS.iter().any(|filler| filler.eq_ignore_ascii_case(word))
}

fn is_address(name: &str) -> bool {
    name.starts_with("https://") || name.starts_with("http://")
}

/// A word without the quotation marks, brackets and stops around it.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['"', '\'', '`', '(', '[', '<', '*', '\u{201c}']);
    word.trim_end_matches([
        '"', '\'', '`', ')', ']', '>', '*', ',', ';', ':', '!', '.', '\u{201d}',
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_their_states_and_in_order() {
        for state in StandingState::ALL {
            assert_eq!(StandingState::of(state.as_str()), Some(state));
            let json = serde_json::to_value(state).unwrap();
            assert_eq!(json, state.as_str());
        }
        assert!(StandingState::ALL.is_sorted());
        assert_eq!(StandingState::of("stands"), None);
    }

    #[test]
    fn only_the_phrases_name_a_replacement() {
        let is_name = |name: &str| {
            name.starts_with('@')
                || name.len() > 2
                    && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                    && !["the", "version", "another"].contains(&name)
        };
        for (text, name) in [
            (
                "It has been renamed to new-name, please install that.",
                Some("new-name"),
            ),
            ("Please use @scope/name instead", Some("@scope/name")),
            ("use `other-one` instead.", Some("other-one")),
            ("Deprecated in favour of \"better\".", Some("better")),
            (
                "Package no longer supported. Contact support for more info.",
                None,
            ),
            ("this works with use of strict", None),
            ("Use version 7 instead", None),
        ] {
            assert_eq!(replacement_in(text, is_name), name, "{text}");
        }
    }
}
