//! From an answer to its records. Everything that is said here was known when the answer was written; nothing is asked
//! or measured again.

mod answer;
mod composite;
mod evaluation;
mod maker;
mod native;
mod recheck;

use chrono::{DateTime, Utc};
use freshcontext_core::answer::{Failure, SourceAnswer};
use freshcontext_core::composite::CompositeAnswer;
use freshcontext_core::evaluate::Evaluation;
use freshcontext_core::recheck::Recheck;
use serde_json::{Map, Value};

pub use answer::{document_id, item_id, shown_id};
pub(crate) use maker::{Maker, moment};

use crate::bundle::Bundle;
use crate::options::{Native, RecordOptions};

/// Who makes the records and masks in them.
const PRODUCER: &str = "freshcontext";

/// What the records of a call are made from, besides its answer.
#[derive(Debug)]
pub struct Occasion<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, where they are known: for the call that would fill a gap.
    pub arguments: Option<&'a Map<String, Value>>,
    /// The injected clock.
    pub now: DateTime<Utc>,
    /// 32 bytes of the injected randomness.
    pub seed: [u8; 32],
    /// Version of the producer.
    pub version: &'a str,
    /// What the caller asked for.
    pub options: &'a RecordOptions,
    /// What was seen of the request.
    pub native: &'a Native,
}

/// An answer as it leaves.
#[derive(Debug, Clone, Copy)]
pub enum Answered<'a> {
    /// Of one source.
    Source(&'a SourceAnswer),
    /// Of several.
    Composite(&'a CompositeAnswer),
    /// Of `evaluate_context`, with what it [noted](Evaluation::noted).
    Evaluation(&'a Evaluation),
    /// Of `recheck`.
    Recheck(&'a Recheck),
    /// Of a tool for deliverables that shows no items.
    Deliverable,
    /// A version of a deliverable, by the evaluation that chose what is in it, with what it [noted](Evaluation::noted).
    Version(&'a Evaluation),
    /// A failed call.
    Failure(&'a Failure),
}

/// The records of a call that answered with this `text`. The error says which rule of ours the records broke; the answer is
/// not touched by it.
pub fn bundle(occasion: &Occasion<'_>, text: &str, answered: Answered<'_>) -> Result<Bundle, String> {
    let mut maker = Maker::new(occasion, text);
    match answered {
        Answered::Source(answer) => answer::record(&mut maker, answer),
        Answered::Composite(answer) => composite::record(&mut maker, answer),
        Answered::Evaluation(evaluation) => evaluation::record(&mut maker, evaluation),
        Answered::Recheck(recheck) => recheck::record(&mut maker, recheck),
        Answered::Deliverable => answer::record_nothing(&mut maker),
        Answered::Version(evaluation) => evaluation::record_version(&mut maker, evaluation),
        Answered::Failure(failure) => answer::record_failure(&mut maker, failure),
    }
    maker.finish()
}
