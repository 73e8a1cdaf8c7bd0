//! What the inspector says.

use serde::Serialize;
use std::borrow::Cow;

pub use freshcontext_contract::FailureKind as Kind;

/// One fact that weighed in the judgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// What was looked at: `form`, `wall`, `wording`, `shape`, `value`, `residue`.
    pub aspect: &'static str,
    /// What was seen, in a few words; a quotation is cut short.
    pub seen: String,
}

/// The judgement of one text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// Whether the text is a failed retrieval rather than content.
    pub failed: bool,
    /// What kind of failure; `None` where the text is content.
    pub kind: Option<Kind>,
    /// How sure the judgement is, 0..=1. For a failure, 0.5..0.9 means that the evidence is thin:
    /// worth a note, not an exclusion.
    pub confidence: f64,
    /// One line: why.
    pub reason: Cow<'static, str>,
    /// The facts that weighed, strongest first; at most eight.
    pub evidence: Vec<Evidence>,
}

impl Inspection {
    /// From this confidence on, a failure is certain enough to leave the text out.
    pub const SURE: f64 = 0.9;

    /// The kind of failure, or `None` for content.
    pub(crate) fn new(
        kind: impl Into<Option<Kind>>,
        confidence: f64,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        let kind = kind.into();
        Self {
            failed: kind.is_some(),
            kind,
            // Two decimals: the figure is a judgement, more digits would be a pretence.
            confidence: (confidence.clamp(0.0, 1.0) * 100.0).round() / 100.0,
            reason: reason.into(),
            evidence: Vec::new(),
        }
    }

    /// Adds a fact, up to the eighth.
    #[must_use]
    pub(crate) fn with(mut self, aspect: &'static str, seen: impl Into<String>) -> Self {
        if self.evidence.len() < 8 {
            let seen = seen.into();
            self.evidence.push(Evidence { aspect, seen });
        }
        self
    }

    /// Whether this is a failure beyond reasonable doubt; see [`Self::SURE`].
    pub fn is_sure_failure(&self) -> bool {
        self.failed && self.confidence >= Self::SURE
    }
}
