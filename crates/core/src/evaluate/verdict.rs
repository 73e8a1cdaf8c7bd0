//! The verdict on one signal. The output has exactly this structure.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// What to do with a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Put it at the front of the context.
    UseFirst,
    /// Cite it as main evidence.
    CiteAsPrimary,
    /// Cite it beside main evidence.
    CiteAsSupporting,
    /// Keep it as background.
    UseAsBackground,
    /// Fetch it again first.
    NeedsRefresh,
    /// Check its date or origin first.
    NeedsVerification,
    /// Keep an eye on it.
    WatchOnly,
    /// Leave it out.
    Exclude,
}

impl Decision {
    /// All decisions, the most useful first.
    pub const ALL: [Self; 8] = [
        Self::UseFirst,
        Self::CiteAsPrimary,
        Self::CiteAsSupporting,
        Self::UseAsBackground,
        Self::NeedsRefresh,
        Self::NeedsVerification,
        Self::WatchOnly,
        Self::Exclude,
    ];

    /// The name in results and in verdict ids.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UseFirst => "use_first",
            Self::CiteAsPrimary => "cite_as_primary",
            Self::CiteAsSupporting => "cite_as_supporting",
            Self::UseAsBackground => "use_as_background",
            Self::NeedsRefresh => "needs_refresh",
            Self::NeedsVerification => "needs_verification",
            Self::WatchOnly => "watch_only",
            Self::Exclude => "exclude",
        }
    }

    /// The decision of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == name)
    }

    /// Whether a signal so judged can be passed on to another agent at all.
    pub const fn can_be_handed_off(self) -> bool {
        matches!(
            self,
            Self::UseFirst | Self::CiteAsPrimary | Self::CiteAsSupporting | Self::UseAsBackground
        )
    }
}

/// How sure the judgement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Little to go by.
    Low,
    /// Relevance or age is known.
    Medium,
    /// Relevant, and its age is known.
    High,
}

impl Confidence {
    /// One step less sure.
    #[must_use]
    pub const fn lowered(self) -> Self {
        match self {
            Self::High => Self::Medium,
            Self::Medium | Self::Low => Self::Low,
        }
    }

    /// The name in results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// How reliable a signal's date is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DateConfidence {
    /// A structured field of the source.
    High,
    /// Inferred, or not stated.
    Medium,
    /// Doubtful.
    Low,
    /// No usable date.
    Unknown,
}

impl DateConfidence {
    /// The name in arguments and results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Unknown => "unknown",
        }
    }
}

/// How the retrieval of a signal went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalStatus {
    /// Complete.
    Success,
    /// Parts are missing.
    Partial,
    /// An old copy.
    Stale,
    /// Nothing usable came back.
    Failed,
    /// Not known.
    Unknown,
}

impl SignalStatus {
    /// The name in arguments.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Stale => "stale",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether a signal can be traced back to where it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadinessState {
    /// Source, time and content are all known.
    Complete,
    /// Something is vague.
    Partial,
    /// The source or the content is missing.
    Incomplete,
    /// A copy, excerpt or summary of something else.
    Derived,
    /// It failed, or its source names nothing.
    Unknown,
}

/// How well a source can be found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceCompleteness {
    /// An address, a path, or a name long enough to look up.
    Complete,
    /// Too short or vague.
    Weak,
    /// A placeholder such as `n/a`.
    Unusable,
    /// Blank.
    Missing,
}

/// Whether the times of a signal are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingCompleteness {
    /// Published and retrieved.
    Complete,
    /// One of the two, or neither.
    Partial,
    /// A failed retrieval has no meaningful times.
    Unknown,
}

/// Whether a signal may be passed on to another agent as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handoff {
    /// Whether it may.
    pub safe_for_agent_handoff: bool,
    /// Why.
    pub reason: &'static str,
}

/// Who the source is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceIdentity {
    /// Kind of source.
    pub source_type: String,
    /// A stable id of the signal, where there is one.
    pub result_id: Option<String>,
    /// How well the source can be found again.
    pub completeness: SourceCompleteness,
}

/// What is known of where a signal came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProvenanceReadiness {
    /// The summary of the rest.
    pub state: ReadinessState,
    /// Who the source is.
    pub source_identity: SourceIdentity,
    /// The usable date of publication, `YYYY-MM-DDTHH:MM:SS.sssZ`.
    pub published_at: Option<String>,
    /// When it was retrieved, in the same form, as the caller said it. Nothing stands in for it.
    pub retrieved_at: Option<String>,
    /// How reliable the date of publication is.
    pub timing_confidence: DateConfidence,
    /// Whether the times are known.
    pub timing_completeness: TimingCompleteness,
    /// SHA-256 of the canonical content.
    pub canonical_content_sha256: Option<String>,
    /// SHA-256 of the caller's semantic fingerprint.
    pub semantic_fingerprint_sha256: Option<String>,
    /// What is missing or vague.
    pub warnings: Vec<&'static str>,
}

/// What a result has in common with an earlier one, whose place in rank order is given, from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Duplicate {
    /// The same canonical content.
    Content(usize),
    /// Nearly the same text.
    Nearly {
        /// The earlier result.
        earlier: usize,
        /// Share of the shorter text's runs of words that the other has, 0..=1.
        share: f64,
    },
    /// The same web address, but for what does not change the page.
    Address(usize),
}

impl Duplicate {
    /// In a few words, for a card.
    pub(super) fn short(self) -> String {
        match self {
            Self::Content(earlier) => format!("copy of {earlier}"),
            Self::Nearly { earlier, .. } => format!("nearly a copy of {earlier}"),
            Self::Address(earlier) => format!("same address as {earlier}"),
        }
    }
}

/// As a warning.
impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content(earlier) => write!(f, "Same content as result {earlier}."),
            Self::Nearly { earlier, share } => {
                let percent = (share * 100.0).round();
                write!(
                    f,
                    "Nearly the same text as result {earlier} ({percent} % of it): likely one report."
                )
            }
            Self::Address(earlier) => write!(
                f,
                "Same address as result {earlier}: another part of the same page, or the page again."
            ),
        }
    }
}

/// The verdict on one signal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Place in rank order, from 1.
    pub index: usize,
    /// The caller's id of the signal, as it came: text, or a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// Place in the list of signals, from 0; several verdicts have one where a whole result stood there.
    #[serde(rename = "input_index")]
    pub position: usize,
    /// Title, else the beginning of the content, else the source.
    pub title: String,
    /// The source, cleaned.
    pub source: String,
    /// Kind of source, cleaned.
    pub source_type: String,
    /// What to do with it.
    pub decision: Decision,
    /// The decision in words.
    pub label: &'static str,
    /// 0..=100; none where the date cannot be trusted or the retrieval failed.
    pub freshness_score: Option<u8>,
    /// 0..=1; decides the order.
    pub rank_score: f64,
    /// 0..=1; decides what goes into a budget first.
    pub selection_rank: f64,
    /// Origin of the relevance if the caller gave none: `query` (the query's words) or `not_judged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<&'static str>,
    /// 0..=100; explains, decides nothing. None where the relevance is not judged.
    pub utility_score: Option<f64>,
    /// How sure the judgement is.
    pub confidence: Confidence,
    /// At most five reasons, the weightiest first.
    pub why: Vec<String>,
    /// What an earlier result has in common with it, which is among the warnings. Not part of the output.
    #[serde(skip)]
    pub duplicate: Option<Duplicate>,
    /// What to mind when using it.
    pub warnings: Vec<String>,
    /// Whether it still stands, where the signal says that it does not, or with a reservation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Value>,
    /// Recomputable id, see [`VerdictBasis`](crate::provenance::VerdictBasis).
    pub verdict_id: String,
    /// The evaluation clock.
    pub evaluated_at: String,
    /// When to judge again: one half-life of the profile later.
    pub revalidate_after: Option<String>,
    /// Whether it may be passed on as it is.
    pub handoff: Handoff,
    /// Where it came from.
    pub provenance_readiness: ProvenanceReadiness,
}
