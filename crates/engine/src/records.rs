//! Context records at the doors: what a request asks for, and the bundle beside its answer.

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_core::evaluate::{Known, Noted, item_identity};
use freshcontext_records::make::{Answered, Occasion, bundle};
use freshcontext_records::{Bundle, CONTEXT_KEY, Native, RECORDS_KEY, RecordOptions};
use serde_json::{Map, Value, json};

use crate::ToolOutcome;

/// Where a structured result holds its records.
pub const FIELD: &str = "records";
/// Where the `_meta` of a result says whether its records could be made, and whether they are kept.
pub const STATUS: &str = "io.github.freshcontext/records";

/// What a request says about records, not read yet.
#[derive(Debug, Clone, Default)]
pub struct RecordsRequest {
    /// `none` or `full`.
    pub records: Option<Value>,
    /// What the caller says about its context.
    pub context: Option<Value>,
    /// What was seen of the request.
    /// What was seen of the request.
    pub native: Native,
}

impl RecordsRequest {
    /// From a request's `_meta`.
    pub fn of_meta(meta: &Map<String, Value>) -> Self {
        let text = |name: &str| meta.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            records: meta.get(RECORDS_KEY).cloned(),
            context: meta.get(CONTEXT_KEY).cloned(),
            native: Native {
                traceparent: text("traceparent"),
                tracestate: text("tracestate"),
                missing_id: text(crate::missing::ASKED).filter(|id| freshcontext_budget::is_missing_id(id)),
                ..Native::default()
            },
        }
    }

    /// Records in full, and nothing said about them.
    pub fn full() -> Self {
        Self {
            records: Some(json!("full")),
            ..Self::default()
        }
    }

    /// What is wanted; an error names the key of `_meta`.
    pub fn options(&self) -> Result<Option<RecordOptions>, SourceError> {
        RecordOptions::read(self.records.as_ref(), self.context.as_ref()).map_err(|wrong| {
            let field = format!("_meta.freshcontext/{}", wrong.field);
            SourceError::invalid_input(field, wrong.problem, wrong.example)
        })
    }
}

/// What the records of a call are made from, besides its answer.
pub struct Call<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Its arguments, as they came.
    pub arguments: Option<&'a Map<String, Value>>,
    /// The time of the answer.
    pub now: DateTime<Utc>,
    /// What was asked for.
    pub options: &'a RecordOptions,
    /// What was seen of the request.
    pub native: &'a Native,
}

/// The records of an answer.
pub fn of(
    call: &Call<'_>,
    text: &str,
    structured: &Value,
    is_error: bool,
    known: &[Known],
) -> Result<Bundle, SourceError> {
    let wrong =
        |what: String| SourceError::new(ErrorCode::Internal, format!("records could not be made: {what}"));
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| wrong(error.to_string()))?;
    let occasion = Occasion {
        tool: call.tool,
        arguments: call.arguments,
        now: call.now,
        seed,
        version: env!("CARGO_PKG_VERSION"),
        options: call.options,
        native: call.native,
        identify: item_identity,
    };
    let answered = Answered {
        text,
        structured,
        is_error,
        known,
    };
    bundle(&occasion, answered).map_err(wrong)
}

/// Puts the records beside an answer. The answer stands whatever becomes of them.
pub fn attach(outcome: &mut ToolOutcome, call: &Call<'_>, known: &[Known]) {
    let structured = outcome
        .structured
        .get_or_insert_with(|| Value::Object(Map::new()));
    let made = of(call, &outcome.text, structured, outcome.is_error, known).and_then(|bundle| {
        serde_json::to_value(bundle).map_err(|error| {
            SourceError::new(ErrorCode::Internal, "records could not be written").caused_by(error)
        })
    });
    match (made, structured.as_object_mut()) {
        (Ok(records), Some(fields)) => {
            fields.insert(FIELD.to_owned(), records);
        }
        (made, _) => {
            let why = made.err().map(|error| error.message.clone());
            tracing::error!(why, "records");
            let meta = outcome.meta.get_or_insert_with(Map::new);
            meta.insert(STATUS.to_owned(), json!({"status": "not_made", "why": why}));
        }
    }
}

/// The records of a judgement, from what it noted for them.
pub fn of_evaluation(
    outcome: &mut ToolOutcome,
    options: &RecordOptions,
    noted: &Noted,
    native: &Native,
    now: DateTime<Utc>,
) {
    let mut arguments = Map::new();
    if let Some(query) = &noted.query {
        arguments.insert("query".to_owned(), query.as_str().into());
    }
    let call = Call {
        tool: crate::EVALUATE,
        arguments: Some(&arguments),
        now,
        options,
        native,
    };
    attach(outcome, &call, &noted.known);
}
