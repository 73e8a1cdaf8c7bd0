//! From an answer to its records. Everything that is said here was known when the answer was written; nothing is asked
//! or measured again.

mod answer;
mod composite;
mod judged;
mod maker;
mod native;
mod recheck;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

pub use answer::{document_id, item_id};
pub(crate) use maker::{Maker, moment};

use freshcontext_core::evaluate::Known;

use crate::bundle::Bundle;
use crate::options::{Native, RecordOptions};

/// Who makes the records and masks in them.
const PRODUCER: &str = "freshcontext";

/// The id of an item, from its source (an address or a name), its own title and its content: the same as wherever else
/// the item is named.
pub type Identify = fn(source: &str, title: Option<&str>, content: Option<&str>) -> String;

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
    /// Tells an item's id.
    pub identify: Identify,
}

/// An answer as it leaves.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// The text.
    pub text: &'a str,
    /// The structure.
    pub structured: &'a Value,
    /// Whether the call failed.
    pub is_error: bool,
    /// Of a judgement: what it knows of each result, in rank order.
    pub known: &'a [Known],
}

/// The records of a call. The error says which rule of ours the records broke; the answer is not touched by it.
pub fn bundle(occasion: &Occasion<'_>, answered: Answered<'_>) -> Result<Bundle, String> {
    let mut maker = Maker::new(occasion, answered);
    let structured = answered.structured;
    let has = |name: &str| structured.get(name).is_some();
    if has("results") && has("legend") {
        judged::record(&mut maker);
    } else if has("verdict") && has("checked_at") {
        recheck::record(&mut maker);
    } else if has("sections") {
        composite::record(&mut maker);
    } else {
        answer::record(&mut maker);
    }
    maker.finish()
}

/// A text of a structured answer.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name).and_then(Value::as_str)
}

/// A text of a structured answer, as one of ours.
pub(crate) fn owned(value: &Value, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
}

/// A whole number of a structured answer.
pub(crate) fn whole(value: &Value, name: &str) -> Option<u64> {
    let value = value.get(name)?;
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|number| *number >= 0.0)?;
        // A score like 97.0: nothing in an answer comes near 2^53.
        format!("{number:.0}").parse().ok()
    })
}

/// The entries of a list in a structured answer.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
