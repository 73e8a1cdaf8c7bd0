//! What a look at the sources of an earlier answer came to.

use freshcontext_contract::{Evidence, SourceError};

use super::verdict::{Comparison, Verdict};

/// What a look at one source came to.
#[derive(Debug)]
pub struct Finding {
    /// What became of the answer.
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

impl Default for Finding {
    fn default() -> Self {
        Self {
            comparison: Comparison::unknown(),
            evidence: Vec::new(),
            hash_now: None,
            error: None,
            requests: 0,
            bytes: 0,
        }
    }
}

/// What was found of an answer.
#[derive(Debug)]
pub enum Found {
    /// Of one source.
    Answer(Box<Finding>),
    /// Of several, in the order of the answer.
    Sections(Vec<SectionFinding>),
}

/// What became of a section.
#[derive(Debug)]
pub struct SectionFinding {
    /// The tool that answered it.
    pub tool: String,
    /// Its heading.
    pub label: String,
    /// What a look at its source came to.
    pub finding: Finding,
}

impl Found {
    /// What was found of each source.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let (one, several) = match self {
            Self::Answer(finding) => (Some(finding.as_ref()), [].as_slice()),
            Self::Sections(sections) => (None, sections.as_slice()),
        };
        one.into_iter()
            .chain(several.iter().map(|section| &section.finding))
    }

    /// Requests that left this machine.
    pub fn requests(&self) -> u32 {
        self.findings().map(|finding| finding.requests).sum()
    }

    /// Bytes of bodies that came.
    pub fn bytes(&self) -> usize {
        self.findings().map(|finding| finding.bytes).sum()
    }

    /// The strongest verdict of all sources: changed, gone, could not check, current.
    pub fn verdict(&self) -> Verdict {
        let found = |verdict: &Verdict| {
            let mut verdicts = self.findings().map(|finding| finding.comparison.verdict);
            verdicts.any(|of_source| of_source == *verdict)
        };
        [Verdict::Changed, Verdict::Gone, Verdict::CouldNotCheck]
            .into_iter()
            .find(found)
            .unwrap_or(Verdict::Current)
    }
}
