//! What may go in, and why it may not.

use std::borrow::Cow;
use std::cmp::Ordering;

use freshcontext_contract::named;
use serde::Serialize;

use crate::limits::{FRESH_LEAST, Require};
use crate::percent::percent;

/// Why a candidate stays out: the eight reasons of Agent Context, then three of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No room is left for it.
    Budget,
    /// It is not relevant to the query, or by the caller's score.
    LowRelevance,
    /// It is older than the budget allows.
    StaleSource,
    /// A policy fact of the caller, or the strategy `policy_block`.
    PolicyBlock,
    /// What is selected has its content, or contains it.
    DuplicateCoverage,
    /// It is no text.
    UnsupportedMedia,
    /// Its sensitivity is restricted or secret.
    PrivacyRisk,
    /// Permission to use it is denied.
    MissingPermission,
    /// Ours: nothing was retrieved.
    FailedRetrieval,
    /// Ours: it has no usable date, and the budget wants one.
    UnverifiedDate,
    /// Ours: it does not stand any more (retracted, withdrawn, removed).
    DoesNotStand,
}

impl Reason {
    /// All of them, those of Agent Context first.
    pub const ALL: [Self; 11] = [
        Self::Budget,
        Self::LowRelevance,
        Self::StaleSource,
        Self::PolicyBlock,
        Self::DuplicateCoverage,
        Self::UnsupportedMedia,
        Self::PrivacyRisk,
        Self::MissingPermission,
        Self::FailedRetrieval,
        Self::UnverifiedDate,
        Self::DoesNotStand,
    ];

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::LowRelevance => "low_relevance",
            Self::StaleSource => "stale_source",
            Self::PolicyBlock => "policy_block",
            Self::DuplicateCoverage => "duplicate_coverage",
            Self::UnsupportedMedia => "unsupported_media",
            Self::PrivacyRisk => "privacy_risk",
            Self::MissingPermission => "missing_permission",
            Self::FailedRetrieval => "failed_retrieval",
            Self::UnverifiedDate => "unverified_date",
            Self::DoesNotStand => "does_not_stand",
        }
    }
}

/// What the judgement made of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Usability {
    /// It may be used.
    #[default]
    Usable,
    /// Nothing was retrieved.
    Failed,
    /// It is longer than what can be judged.
    TooLong,
    /// It should be fetched again first.
    NeedsRefresh,
    /// It does not stand any more.
    Void,
}

/// Whose judgement a relevance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// The caller's score.
    Caller,
    /// The words that it shares with the caller's query.
    Query,
    /// The order of the caller's scores, which are of another scale.
    Order,
}

/// How relevant a candidate is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    /// 0..=1.
    pub score: f64,
    /// What is below stays out.
    pub least: f64,
    /// Who says so.
    pub by: Judge,
}

impl Relevance {
    /// Whether it is too little to be of use.
    pub fn is_low(&self) -> bool {
        self.score < self.least
    }

    /// The cause of an omission, with both numbers; `weakest` is the least relevance that went in.
    pub fn too_low(&self, weakest: Option<f64>) -> String {
        let (own, than) = match self.by {
            Judge::Query if self.score <= 0.0 => ("Shares no word of weight with the query".to_owned(), ""),
            Judge::Query => (
                format!("Shares {} of the query's weight", percent(self.score)),
                "",
            ),
            Judge::Caller | Judge::Order => {
                (format!("Its score is {:.2}", clamped(self.score)), "a score of ")
            }
        };
        let number = |score: f64| match self.by {
            Judge::Query => percent(score),
            Judge::Caller | Judge::Order => format!("{:.2}", clamped(score)),
        };
        match weakest {
            None if self.by == Judge::Query && self.score <= 0.0 => format!("{own}."),
            Some(weakest) => format!("{own}; the weakest chosen has {than}{}.", number(weakest)),
            None => format!("{own}; the least that goes in is {}.", number(self.least)),
        }
    }
}

/// Without a sign before 0.
fn clamped(score: f64) -> f64 {
    if score > 0.0 { score.min(1.0) } else { 0.0 }
}

/// What the caller says about the use of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts<'a> {
    /// `metadata.sensitivity`.
    pub sensitivity: Option<&'a str>,
    /// `metadata.permission`.
    pub permission: Option<&'a str>,
    /// The reference of a policy that blocks it: `metadata.policy`.
    pub blocking_policy: Option<Cow<'a, str>>,
    /// The caller's own shorter text: `metadata.replacement`.
    pub replacement: Option<Cow<'a, str>>,
    /// Media type of what was retrieved.
    pub media_type: Option<&'a str>,
}

impl<'a> Facts<'a> {
    /// With the media type of what was retrieved.
    #[must_use]
    pub fn with_media(self, media_type: Option<&'a str>) -> Self {
        Self { media_type, ..self }
    }
}

/// A call that is known to have brought a candidate, or to have failed to.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownCall {
    /// The tool.
    pub tool: String,
    /// Its arguments, where they are known.
    pub arguments: Option<serde_json::Value>,
}

/// What takes a candidate's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced<'a> {
    /// Its name: an id, else an address or a title.
    pub name: Cow<'a, str>,
    /// Its address, where that is known.
    pub url: Option<Cow<'a, str>>,
}

/// A judged signal. Its texts are clean: nothing in them ends an envelope.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate<'a> {
    /// Place in rank order, from 1.
    pub index: usize,
    /// Whether it is relevant because the caller named its source: it goes in before the others.
    pub named: bool,
    /// Its id, as [`crate::item_id`] makes it: the same in every call.
    pub item_id: Cow<'a, str>,
    /// Where it is from.
    pub source: Cow<'a, str>,
    /// Kind of source, an adapter's id where it is one of ours.
    pub source_type: Cow<'a, str>,
    /// Title, where it has one.
    pub title: Option<Cow<'a, str>>,
    /// Its id and its facts on one line, as its tool writes them; empty where it has none.
    pub details: Cow<'a, str>,
    /// Text, where it has one.
    pub content: Option<Cow<'a, str>>,
    /// The address without what does not change the page.
    pub address: Option<Cow<'a, str>>,
    /// SHA-256 of the canonical content.
    pub content_sha256: Option<Cow<'a, str>>,
    /// Usable date of publication, ISO 8601 in UTC.
    pub published_at: Option<Cow<'a, str>>,
    /// The same date as the envelope has it: as it was given, a day as a day. `None` where the envelope cannot vouch for it.
    pub published_shown: Option<Cow<'a, str>>,
    /// Its age in words, where the date is known; of what is old, with its kind and score.
    pub age: Option<Cow<'a, str>>,
    /// When it was retrieved, in the form of `published_at`; `None` where that is not known.
    pub retrieved_at: Option<Cow<'a, str>>,
    /// How reliable the date is: high, medium or low; low where it is not known.
    pub date_confidence: &'static str,
    /// Its score by age, 0..=100, where the date is known.
    pub freshness: Option<u8>,
    /// 0..=1.
    pub rank: f64,
    /// 0..=1; what goes in first where there is no room for all.
    pub selection_rank: f64,
    /// Place in the arguments, from 0.
    pub position: usize,
    /// How relevant it is, where somebody judged it.
    pub relevance: Option<Relevance>,
    /// What the judgement made of it.
    pub usability: Usability,
    /// Whether it still stands, on one line, where its source says that it does not, or with a reservation.
    pub standing: Option<Cow<'a, str>>,
    /// What takes its place, where its source names it.
    pub replaced_by: Option<Replaced<'a>>,
    /// The decision's name.
    pub decision: &'static str,
    /// The weightiest reason of the judgement.
    pub why: Cow<'a, str>,
    /// What the caller says about its use.
    pub facts: Facts<'a>,
    /// The call that brought it, where that is known.
    pub call: Option<KnownCall>,
}

impl Candidate<'_> {
    /// The order in which candidates go in: those of named sources, then by use, then the newer first and undated ones last, then as they came.
    pub fn before(&self, other: &Self) -> Ordering {
        // The dates are of one form, so that their order is that of their texts.
        (other.named.cmp(&self.named))
            .then_with(|| other.selection_rank.total_cmp(&self.selection_rank))
            .then_with(|| other.published_at.cmp(&self.published_at))
            .then(self.position.cmp(&other.position))
            .then(self.index.cmp(&other.index))
    }

    /// Whether somebody judged it, and found it not relevant.
    pub fn is_irrelevant(&self) -> bool {
        self.relevance.is_some_and(|relevance| relevance.is_low())
    }

    /// Why it cannot go in, however much room there is, and what that rests on.
    pub fn ineligible(&self, require: Require) -> Option<(Reason, String)> {
        let facts = &self.facts;
        let is = |value: Option<&str>, words: &[&str]| {
            value.is_some_and(|value| words.iter().any(|word| value.trim().eq_ignore_ascii_case(word)))
        };
        if is(facts.sensitivity, &["restricted", "secret"]) {
            let word = facts.sensitivity.unwrap_or_default().trim().to_ascii_lowercase();
            return Some((
                Reason::PrivacyRisk,
                format!("Its metadata says: sensitivity {word}."),
            ));
        }
        if is(facts.permission, &["denied"]) {
            return Some((
                Reason::MissingPermission,
                "Its metadata says: permission denied.".to_owned(),
            ));
        }
        if let Some(policy) = &facts.blocking_policy {
            return Some((
                Reason::PolicyBlock,
                format!("A policy of the caller blocks it: {}.", named(policy)),
            ));
        }
        let why = || self.why.to_string();
        match self.usability {
            Usability::Failed | Usability::TooLong => return Some((Reason::FailedRetrieval, why())),
            Usability::Void => return Some((Reason::DoesNotStand, why())),
            _ if self.is_no_text() => {
                let media = facts.media_type.unwrap_or("bytes in place of text");
                let is_plain = |c: &char| c.is_ascii_graphic() || *c == ' ';
                let media: String = media.chars().filter(is_plain).take(80).collect();
                return Some((
                    Reason::UnsupportedMedia,
                    format!("It is no text: {}.", named(&media)),
                ));
            }
            Usability::NeedsRefresh | Usability::Usable => {}
        }
        if let Some(relevance) = self
            .relevance
            .filter(|relevance| relevance.is_low() && !self.named)
        {
            return Some((Reason::LowRelevance, relevance.too_low(None)));
        }
        let wanted = require.as_str();
        match self.freshness {
            None if require >= Require::Dated => Some((
                Reason::UnverifiedDate,
                format!("It has no usable date, and `require` is {wanted}."),
            )),
            Some(score) if require == Require::Fresh && score < FRESH_LEAST => Some((
                Reason::StaleSource,
                format!("Its freshness is {score}, and `require` {wanted} wants {FRESH_LEAST}."),
            )),
            _ => None,
        }
    }

    /// Whether it is no text, by its media type or by its first bytes. Documents whose text can be taken out
    /// (PDF, office formats) are texts unless the content is the document itself.
    fn is_no_text(&self) -> bool {
        let text = self.content.as_deref().unwrap_or_default().trim_start();
        let itself = [
            "%PDF-",
            "data:image/",
            "data:audio/",
            "data:video/",
            "data:application/octet-stream",
        ];
        if itself.iter().any(|begin| text.starts_with(begin)) {
            return true;
        }
        let media = self.facts.media_type.unwrap_or_default();
        let media = media
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let kind = media.split('/').next().unwrap_or_default();
        matches!(kind, "image" | "audio" | "video" | "font" | "model")
            || matches!(
                media.as_str(),
                "application/octet-stream" | "application/zip" | "application/gzip" | "application/wasm"
            )
    }
}
