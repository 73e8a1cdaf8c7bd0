//! What a look at the sources of an earlier answer came to.

use std::sync::Arc;
use std::time::Instant;

use freshcontext_contract::{Evidence, SourceError};

use super::compare::{Comparison, Verdict, unknown};
use super::marks::Record;
use super::moments::KeptMoment;
use freshcontext_engine::Place;

/// What a look at the source came to.
pub(super) struct Finding {
    pub comparison: Comparison,
    /// What a verdict rests on, where the cheap question settled it.
    pub evidence: Vec<Evidence>,
    /// Hash of the answer as it is now, where everything was fetched.
    pub hash_now: Option<String>,
    /// Why it could not be checked.
    pub error: Option<SourceError>,
    /// Requests that left this machine.
    pub requests: u32,
    /// Bytes of bodies that came.
    pub bytes: usize,
}

impl Finding {
    /// Of a source that was not asked.
    pub(super) fn none(then: &Record, error: SourceError) -> Self {
        Self {
            comparison: unknown(then, "not_read"),
            error: Some(error),
            ..Self::default()
        }
    }
}

impl Default for Finding {
    fn default() -> Self {
        Self {
            comparison: unknown(&Record::empty(), ""),
            evidence: Vec::new(),
            hash_now: None,
            error: None,
            requests: 0,
            bytes: 0,
        }
    }
}

/// What was found of an answer.
pub(super) enum Found {
    /// Of one source.
    Answer(Box<Finding>),
    /// Of several, in the order of the answer.
    Sections(Vec<SectionFinding>),
}

/// A place among the calls at work, and until when.
#[derive(Clone)]
pub(super) struct Admitted {
    pub place: Arc<Place>,
    pub deadline: Instant,
}

/// The answer that is asked about.
pub(super) struct Subject {
    pub answer_id: Option<String>,
    pub tool: String,
    pub answered: Option<KeptMoment>,
}

/// What became of a section.
pub(super) struct SectionFinding {
    pub tool: String,
    pub label: String,
    pub finding: Finding,
}

/// The strongest verdict of all sections: changed, gone, could not check, current.
pub(super) fn strongest(sections: &[SectionFinding]) -> Verdict {
    let found = |verdict: &Verdict| {
        let mut verdicts = sections.iter().map(|section| section.finding.comparison.verdict);
        verdicts.any(|of_section| of_section == *verdict)
    };
    [Verdict::Changed, Verdict::Gone, Verdict::CouldNotCheck]
        .into_iter()
        .find(found)
        .unwrap_or(Verdict::Current)
}
