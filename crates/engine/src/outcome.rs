//! What comes of a call. It stays typed until it leaves: text, structure and `_meta` are written here, once, when the door
//! asks for them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_core::answer::{Failure, Kept, SourceAnswer};
use freshcontext_core::composite::CompositeAnswer;
use freshcontext_core::evaluate::Evaluation;
use freshcontext_core::recheck::Recheck;
use freshcontext_core::references::References;
use freshcontext_records::Bundle;
use freshcontext_records::make::Answered;
use freshcontext_spec::signed::{Keyring, Signature, SignedVerdicts, Subject};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Where a structured result holds its records.
pub const RECORDS_FIELD: &str = "records";
/// Where the `_meta` of a result holds the signature of its text.
const SIGNATURE: &str = "io.github.freshcontext/signature";
/// Where the `_meta` of a result says how it was retrieved.
const RETRIEVAL: &str = "io.github.freshcontext/retrieval";
/// Where it says that its answer is not kept.
const ANSWER: &str = "io.github.freshcontext/answer";
/// Where it has the id of the call, which stands in the log.
const CALL: &str = "io.github.freshcontext/call";
/// Where it says whether its records could be made, and whether they are kept.
const RECORDS: &str = "io.github.freshcontext/records";

/// What came of a call.
#[derive(Debug)]
pub enum Outcome {
    /// The answer of one source.
    Source(Box<SourceAnswer>),
    /// The answer of several, or that all of them failed.
    Composite(Box<CompositeAnswer>),
    /// The evaluation of what the caller brought.
    Evaluation(Box<Evaluated>),
    /// Whether an earlier answer is still so.
    Recheck(Box<Recheck>),
    /// What a tool for deliverables did.
    Deliverable(Box<dyn Deliverable>),
    /// Whether references still stand.
    References(Box<References>),
    /// A failed call.
    Failure(Box<Failure>),
}

/// An evaluation with its structure as JSON text. It is written where it is made, beside the threads that serve if it is
/// large: a tree of values would take as long as the evaluation.
#[derive(Debug)]
pub struct Evaluated {
    /// The evaluation.
    pub evaluation: Evaluation,
    json: Option<Box<RawValue>>,
}

/// What signs, and the moment.
pub(super) type Signing<'k> = Option<(&'k Keyring, DateTime<Utc>)>;

/// An evaluation with what leaves beside it.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    records: &'a Bundle,
}

impl Evaluated {
    /// Writes the structure, and signs it.
    pub(super) fn new(evaluation: Evaluation, signing: Signing<'_>) -> Result<Self, SourceError> {
        let json = match signing {
            None => Some(evaluation.json()?),
            Some((keys, now)) => {
                let mut structured = evaluation.structured()?;
                sign(&mut structured, keys, now);
                to_raw_value(&structured).ok()
            }
        };
        Ok(Self { evaluation, json })
    }
}

fn sign(structured: &mut Value, keys: &Keyring, now: DateTime<Utc>) {
    SignedVerdicts::put_into(structured, env!("CARGO_PKG_VERSION"), keys, now);
}

/// What a tool for deliverables did. Its toolset has the types; both forms are written when a door asks.
pub trait Deliverable: fmt::Debug + Send + Sync {
    /// The text.
    fn text(&self) -> String;

    /// The structure.
    fn structured(&self) -> Value;

    /// The evaluation that chose what a new version holds.
    fn evaluation(&self) -> Option<&Evaluation> {
        None
    }

    /// What a check found, for the exit code of the command line.
    fn state(&self) -> SourcesState {
        SourcesState::Fresh
    }
}

/// State of the sources of a deliverable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourcesState {
    /// All are fresh, or nothing was checked.
    #[default]
    Fresh,
    /// At least one is stale or was never synced.
    Stale,
    /// At least one could not be checked.
    Unchecked,
}

impl Outcome {
    /// The code of a failure; `None` where there is an answer.
    pub fn code(&self) -> Option<ErrorCode> {
        self.failure().map(|failure| failure.code)
    }

    /// The failure; `None` where there is an answer.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failure(failure) => Some(failure),
            Self::Composite(answer) => answer.failure(),
            Self::Source(_)
            | Self::Evaluation(_)
            | Self::Recheck(_)
            | Self::Deliverable(_)
            | Self::References(_) => None,
        }
    }

    /// The same for records.
    pub(crate) fn answered(&self) -> Answered<'_> {
        match self {
            Self::Source(answer) => Answered::Source(answer),
            Self::Composite(answer) => Answered::Composite(answer),
            Self::Evaluation(evaluated) => Answered::Evaluation(&evaluated.evaluation),
            Self::Recheck(recheck) => Answered::Recheck(recheck),
            Self::Deliverable(deliverable) => match deliverable.evaluation() {
                Some(evaluation) => Answered::Version(evaluation),
                None => Answered::Deliverable,
            },
            Self::References(_) => Answered::Deliverable,
            Self::Failure(failure) => Answered::Failure(failure),
        }
    }

    /// Says in the answer whether it is kept.
    pub(crate) fn set_kept(&mut self, kept: Kept) {
        match self {
            Self::Source(answer) => answer.kept = kept,
            Self::Composite(answer) => answer.kept = kept,
            _ => {}
        }
    }

    fn kept(&self) -> Option<&Kept> {
        match self {
            Self::Source(answer) => Some(&answer.kept),
            Self::Composite(answer) => Some(&answer.kept),
            _ => None,
        }
    }

    /// When the newest of what it shows was published, as the source's date is written; `None` without a date of medium
    /// confidence or better.
    fn published(&self) -> Option<&str> {
        let date = match self {
            Self::Source(answer) => answer.newest(),
            Self::Composite(answer) => answer.newest(),
            _ => None,
        };
        date?.shown.as_deref()
    }

    fn text(&self) -> String {
        match self {
            Self::Source(answer) => answer.text(),
            Self::Composite(answer) => answer.text(),
            Self::Evaluation(evaluated) => evaluated.evaluation.text(),
            Self::Recheck(recheck) => recheck.text(),
            Self::Deliverable(deliverable) => deliverable.text(),
            Self::References(references) => references.text(),
            Self::Failure(failure) => failure.text(),
        }
    }

    fn structured(&self) -> Value {
        match self {
            Self::Source(answer) => answer.structured().into(),
            Self::Composite(answer) => answer.structured().into(),
            // What was written as JSON once can be written as a value.
            Self::Evaluation(evaluated) => evaluated.evaluation.structured().unwrap_or_default(),
            Self::Recheck(recheck) => recheck.structured().into(),
            Self::Deliverable(deliverable) => deliverable.structured(),
            Self::References(references) => references.structured().into(),
            Self::Failure(failure) => failure.structured().into(),
        }
    }
}

/// Context records of a call.
#[derive(Debug, Default)]
pub enum Records {
    /// They were not asked for.
    #[default]
    NotAsked,
    /// They could not be made: why.
    NotMade(String),
    /// They were made.
    Made {
        /// The records.
        bundle: Box<Bundle>,
        /// Where a toolset keeps records: whether it kept these, or why it did not.
        kept: Option<Result<(), String>>,
    },
}

/// The answer to a call: its outcome, and what leaves beside it.
#[derive(Debug)]
pub struct Answer {
    outcome: Outcome,
    text: OnceLock<String>,
    /// How its arguments were read, where the outcome does not say so itself.
    notes: Vec<String>,
    /// Its context records.
    pub records: Records,
    /// Facts for `_meta` that a door adds.
    pub meta: Map<String, Value>,
    /// What signs the answer, and when.
    signing: Option<(Arc<Keyring>, DateTime<Utc>)>,
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            text: OnceLock::new(),
            notes: Vec::new(),
            records: Records::NotAsked,
            meta: Map::new(),
            signing: None,
        }
    }
}

impl Answer {
    /// The answer with notes on how its arguments were read.
    pub(super) fn noting(outcome: Outcome, notes: Vec<String>) -> Self {
        Self {
            notes,
            ..outcome.into()
        }
    }

    /// Lets the keys sign the answer as it leaves, dated `now`.
    pub(super) fn sign_with(&mut self, keys: &Arc<Keyring>, now: DateTime<Utc>) {
        self.signing = Some((Arc::clone(keys), now));
    }

    /// Signs the bytes with which the answer leaves; `None` where nothing is signed.
    pub fn signature(&self, bytes: &[u8]) -> Option<Signature> {
        let (keys, now) = self.signing.as_ref()?;
        Some(keys.sign(Subject::Answer, bytes, *now))
    }

    fn written_text(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\nNote: {note}"));
        std::iter::once(self.outcome.text()).chain(notes).collect()
    }

    /// What came of the call.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The code of a failure; `None` where there is an answer.
    pub fn code(&self) -> Option<ErrorCode> {
        self.outcome.code()
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.code().is_some()
    }

    /// The id under which it is kept.
    pub fn answer_id(&self) -> Option<&str> {
        self.outcome.kept()?.answer_id.as_deref()
    }

    /// When the newest of what it shows was published, by a date of medium confidence or better; `None` for a day without
    /// a time. MCP's TypeScript SDK (1.32) refuses the whole result over a `lastModified` without a time, and midnight would
    /// be invented.
    pub fn published(&self) -> Option<&str> {
        self.outcome
            .published()
            .filter(|date| DateTime::parse_from_rfc3339(date).is_ok())
    }

    /// The text for the model.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.written_text())
    }

    /// The same as data, with the records.
    pub fn structured(&self) -> Value {
        let mut structured = self.outcome.structured();
        if let (false, Some(fields)) = (self.notes.is_empty(), structured.as_object_mut()) {
            fields.insert("notes".to_owned(), self.notes.clone().into());
        }
        if let (Records::Made { bundle, .. }, Some(fields)) = (&self.records, structured.as_object_mut()) {
            fields.insert(
                RECORDS_FIELD.to_owned(),
                serde_json::to_value(bundle).unwrap_or_default(),
            );
        }
        // Last, because the signature covers all of it.
        if let (Outcome::Evaluation(_), Some((keys, now))) = (&self.outcome, &self.signing) {
            sign(&mut structured, keys, *now);
        }
        structured
    }

    /// Takes the structure as JSON text, once: of an evaluation, where that is quicker than as a value.
    pub fn take_json(&mut self) -> Option<Box<RawValue>> {
        let Outcome::Evaluation(evaluated) = &mut self.outcome else {
            return None;
        };
        match &self.records {
            Records::Made { .. } if self.signing.is_some() => to_raw_value(&self.structured()).ok(),
            Records::Made { bundle, .. } => to_raw_value(&Whole {
                evaluation: &evaluated.evaluation,
                records: bundle,
            })
            .ok(),
            Records::NotAsked | Records::NotMade(_) => evaluated.json.take(),
        }
    }

    /// Takes its records out of it.
    pub fn take_records(&mut self) -> Option<Bundle> {
        match std::mem::take(&mut self.records) {
            Records::Made { bundle, .. } => Some(*bundle),
            others => {
                self.records = others;
                None
            }
        }
    }

    /// Both forms.
    pub fn written(self) -> Written {
        Written {
            structured: self.structured(),
            is_error: self.is_error(),
            meta: self.meta(),
            text: self.into_text(),
        }
    }

    /// The text for the model, and nothing else.
    pub fn into_text(mut self) -> String {
        self.text.take().unwrap_or_else(|| self.written_text())
    }

    /// Names the call that this answers.
    pub(crate) fn name_call(&mut self, id: &str) {
        self.meta.insert(CALL.to_owned(), json!({"id": id}));
    }

    /// Facts about the call that are not part of the answer, each under a key with our prefix, as MCP asks.
    pub fn meta(&self) -> Map<String, Value> {
        let mut meta = Map::new();
        if let Outcome::Source(answer) = &self.outcome {
            meta.insert(RETRIEVAL.to_owned(), answer.scored().meta());
        }
        if let Some(why) = self.outcome.kept().and_then(|kept| kept.not_kept.as_deref()) {
            meta.insert(ANSWER.to_owned(), json!({"status": "not_kept", "why": why}));
        }
        let records = match &self.records {
            Records::NotAsked | Records::Made { kept: None, .. } => None,
            Records::NotMade(why) => Some(json!({"status": "not_made", "why": why})),
            Records::Made {
                kept: Some(Ok(())), ..
            } => Some(json!({"status": "kept"})),
            Records::Made {
                kept: Some(Err(why)), ..
            } => Some(json!({"status": "not_kept", "why": why})),
        };
        if let Some(records) = records {
            meta.insert(RECORDS.to_owned(), records);
        }
        if let Some(signature) = self.signature(self.text().as_bytes()) {
            meta.insert(SIGNATURE.to_owned(), json!(signature));
        }
        meta.extend(self.meta.clone());
        meta
    }
}

/// An answer in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The text for the model.
    pub text: String,
    /// The same as data.
    pub structured: Value,
    /// Whether the call failed.
    pub is_error: bool,
    /// Facts about the call that are not part of the answer.
    pub meta: Map<String, Value>,
}

/// What a caller reads when our own code failed. The log has the place.
pub fn defect() -> SourceError {
    SourceError::new(
        ErrorCode::Internal,
        "a defect in this server ended this call; other calls go on",
    )
}
