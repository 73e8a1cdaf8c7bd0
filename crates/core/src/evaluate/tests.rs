//! Tests of the whole evaluation.

mod batches;
mod budget;
mod contract;
mod large;
mod laws;
mod moment;
mod others;
mod stands;
mod wrapped;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::*;

fn clock() -> DateTime<Utc> {
    "2026-06-09T12:00:00Z".parse().unwrap()
}

/// An evaluation in its three forms.
#[derive(Debug)]
struct Rendered {
    text: String,
    structured: Value,
    verdicts: Vec<Verdict>,
}

impl Rendered {
    fn of(evaluation: Evaluation) -> Self {
        Self {
            text: evaluation.text(),
            structured: evaluation.structured().unwrap(),
            verdicts: evaluation.verdicts,
        }
    }
}

fn evaluated(arguments: &Value) -> Result<Rendered, SourceError> {
    evaluate(arguments, clock(), &Options::default()).map(Rendered::of)
}

/// A fresh, relevant, well-dated signal with these fields changed; null removes a field.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn signal(changes: Value) -> Value {
    let mut signal = json!({
        "title": "Quickstart",
        "content": "Install the package, then run the setup command once.",
        "source": "https://docs.example.org/quickstart",
        "source_type": "official_docs",
        "published_at": "2026-06-08T10:00:00Z",
        "semantic_score": 0.9,
        "date_confidence": "high",
    });
    let fields = signal.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            fields.remove(name);
        } else {
            fields.insert(name.clone(), value.clone());
        }
    }
    signal
}

fn call(signals: &[Value]) -> Value {
    json!({"profile": "official_docs", "intent": "developer_adoption", "signals": signals})
}

/// The verdict on one signal with these changes.
fn one(changes: Value) -> Verdict {
    evaluated(&call(&[signal(changes)])).unwrap().verdicts.remove(0)
}

/// Nothing is lost or changed where values are borrowed.
#[test]
fn values_are_borrowed_as_they_are() {
    let text = r#"{"a": [1, -2, 18446744073709551615, 0.5, 1e300, null, true, "x", {"b": [], "": {}}], "c": {"d": "\u00e9"}}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(Value::from(&super::fields::borrowed(&value)), value);
}
