//! Context records at the doors: what a request asks for, and the bundle beside its answer.

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_core::evaluate::Evaluation;
use freshcontext_records::make::{Answered, Occasion, bundle};
use freshcontext_records::{Bundle, CONTEXT_KEY, Native, RECORDS_KEY, RecordOptions};
use serde_json::{Map, Value, json};

use crate::outcome::{Answer, Records};

/// What a request says about records, not read yet.
#[derive(Debug, Clone, Default)]
pub struct RecordsRequest {
    /// `none` or `full`.
    pub records: Option<Value>,
    /// What the caller says about its context.
    pub context: Option<Value>,
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

fn made(call: &Call<'_>, text: &str, answered: Answered<'_>) -> Result<Bundle, SourceError> {
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
    };
    bundle(&occasion, text, answered).map_err(wrong)
}

impl Answer {
    /// Makes its records. The answer stands whatever becomes of them.
    pub(crate) fn record(&mut self, call: &Call<'_>) {
        self.records = match made(call, self.text(), self.outcome().answered()) {
            Ok(bundle) => Records::Made {
                bundle: Box::new(bundle),
                kept: None,
            },
            Err(error) => {
                let why = error.message;
                tracing::error!(why, "records");
                Records::NotMade(why)
            }
        };
    }
}

/// The records of an evaluation that noted what they need.
pub fn of_evaluation(
    evaluation: &Evaluation,
    text: &str,
    options: &RecordOptions,
    native: &Native,
    now: DateTime<Utc>,
) -> Result<Bundle, SourceError> {
    let call = Call {
        tool: crate::tool::EVALUATE,
        arguments: None,
        now,
        options,
        native,
    };
    made(&call, text, Answered::Evaluation(evaluation))
}
