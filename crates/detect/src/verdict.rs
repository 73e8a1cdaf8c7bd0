//! Result of the detector.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

pub use freshcontext_contract::FailureKind as Kind;

/// One fact that contributed to the classification.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Evidence {
    /// Aspect of the text: `form`, `wall`, `wording`, `shape`, `value`, `residue`.
    pub aspect: &'static str,
    /// The observation, in a few words; quotations are shortened.
    pub seen: String,
}

/// Classification of one text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Inspection {
    /// Whether the text is a failed retrieval rather than content.
    pub failed: bool,
    /// Kind of failure; `None` for content.
    pub kind: Option<Kind>,
    /// Confidence of the classification, 0..=1. For a failure, 0.5..0.9 means weak evidence: worth a note,
    /// not an exclusion.
    pub confidence: f64,
    /// Reason in one line.
    pub reason: Cow<'static, str>,
    /// Contributing facts, strongest first; at most eight.
    pub evidence: Vec<Evidence>,
}

impl Inspection {
    /// Confidence from which a failure is excluded.
    pub const SURE: f64 = 0.9;

    /// `kind` is the kind of failure, or `None` for content.
    pub(crate) fn new(
        kind: impl Into<Option<Kind>>,
        confidence: f64,
        reason: impl Into<Cow<'static, str>>,
    ) -> Self {
        let kind = kind.into();
        Self {
            failed: kind.is_some(),
            kind,
            // Two decimals: more digits would suggest a precision that the estimate lacks.
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

    /// Whether this is a failure with at least [`Self::SURE`] confidence.
    pub fn is_sure_failure(&self) -> bool {
        self.failed && self.confidence >= Self::SURE
    }
}
