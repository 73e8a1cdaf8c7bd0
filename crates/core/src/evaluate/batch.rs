//! Judging a batch against what a reviewer expected, for the command line.

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use serde::Serialize;
use serde_json::Value;

use super::verdict::Decision;
use super::{Evaluation, Options, evaluate};
use crate::sanitize::clean_line;

/// One result beside what was expected of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Place in rank order, from 1.
    pub index: usize,
    /// Place in the batch, from 0.
    pub position: usize,
    /// Title.
    pub title: String,
    /// What was decided.
    pub decision: Decision,
    /// What the reviewer expected, where they did.
    pub expected: Option<Decision>,
    /// What the reviewer noted.
    pub note: Option<String>,
    /// 0..=100.
    pub freshness_score: Option<u8>,
    /// 0..=1.
    pub rank_score: f64,
}

impl Row {
    /// Whether the decision is the expected one; none where nothing was expected.
    pub fn agrees(&self) -> Option<bool> {
        self.expected.map(|expected| expected == self.decision)
    }
}

/// A judged batch.
#[derive(Debug)]
pub struct Batch {
    /// The evaluation itself.
    pub evaluation: Evaluation,
    /// One row for each result, in rank order.
    pub rows: Vec<Row>,
}

impl Batch {
    /// How many expectations there are.
    pub fn expected(&self) -> usize {
        self.rows.iter().filter(|row| row.expected.is_some()).count()
    }

    /// How many of them came true.
    pub fn agreed(&self) -> usize {
        self.rows.iter().filter(|row| row.agrees() == Some(true)).count()
    }

    /// The rows where the reviewer expected something else.
    pub fn disagreements(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.agrees() == Some(false))
    }
}

/// Judges a batch: the arguments of [`evaluate`], where a signal may carry `expected_decision` and
/// `review_note`.
pub fn batch(arguments: &Value, clock_now: DateTime<Utc>, options: &Options) -> Result<Batch, SourceError> {
    let evaluation = evaluate(arguments, clock_now, options)?;
    let signals = arguments
        .get("signals")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut rows = Vec::with_capacity(evaluation.verdicts.len());
    for verdict in &evaluation.verdicts {
        let signal = signals.get(verdict.position);
        let expected = match signal.and_then(|signal| signal.get("expected_decision")) {
            None | Some(Value::Null) => None,
            Some(given) => Some(given.as_str().and_then(Decision::find).ok_or_else(|| {
                let names: Vec<&str> = Decision::ALL.iter().map(|decision| decision.as_str()).collect();
                SourceError::invalid_input(
                    format!("signals[{}].expected_decision", verdict.position),
                    format_args!("must be one of {}", names.join(", ")),
                    r#"{"expected_decision": "use_first"}"#,
                )
            })?),
        };
        let note = signal
            .and_then(|signal| signal.get("review_note"))
            .and_then(Value::as_str);
        rows.push(Row {
            index: verdict.index,
            position: verdict.position,
            title: verdict.title.clone(),
            decision: verdict.decision,
            expected,
            note: note.map(|note| clean_line(note).into()),
            freshness_score: verdict.freshness_score,
            rank_score: verdict.rank_score,
        });
    }
    Ok(Batch { evaluation, rows })
}
