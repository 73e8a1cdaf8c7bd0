//! The facts of an item on one line: one renderer for a tool's text and for a block of a hand-off.

use chrono::{DateTime, Utc};
use freshcontext_contract::named;
use serde_json::{Map, Value};

use super::item::{bound_map, line, show};
use crate::date::parse_instant;
use crate::sanitize::{Counts, cut_marked};

/// Between the facts of a line.
pub(super) const BETWEEN: &str = " · ";
/// Longest fact of an item, in characters.
const FACT_CHARS: usize = 300;
/// Longest id of an item, in characters.
const ID_CHARS: usize = 200;
/// Length of a day as `2026-11-20`.
const DAY_CHARS: usize = 10;
/// Length from which an id without its prefix is told from an ordinary part of an address, in bytes.
const BARE_ID_CHARS: usize = 4;

/// A fact of the source behind its name. What stands between facts cannot stand in one.
pub(super) fn fact(name: &str, value: &Value, at: DateTime<Utc>, chars: usize) -> String {
    let shown = show(value, at).replace(BETWEEN, " • ");
    format!("{}: {}", named(name), cut_marked(&shown, chars))
}

/// The words for a value, as the text of an answer has them: a date with its age at `at`, a list without brackets.
pub fn value_words(value: &Value, at: DateTime<Utc>) -> String {
    cut_marked(&show(value, at), FACT_CHARS).into_owned()
}

/// Writes the fields of an item in the words of the text. Ages count to `at`, and not to its retrieval.
pub fn write_item_words(item: &mut Map<String, Value>, at: DateTime<Utc>) {
    if let Some(Value::Object(fields)) = item.get_mut("fields") {
        write_words_of(fields, at);
    }
}

fn write_words_of(fields: &mut Map<String, Value>, at: DateTime<Utc>) {
    for value in fields.values_mut() {
        *value = value_words(value, at).into();
    }
}

/// Writes every `fields` object of a structured answer in the words of the text. Ages count to the moment of retrieval of
/// the item or the answer that has the fields, else to `at`.
pub fn write_value_words(structured: &mut Value, at: DateTime<Utc>) {
    match structured {
        Value::Array(values) => {
            for value in values {
                write_value_words(value, at);
            }
        }
        Value::Object(object) => {
            let envelope = object
                .get("freshcontext")
                .and_then(|envelope| envelope.get("retrieved_at"));
            let retrieved = object.get("retrieved_at").or(envelope).and_then(Value::as_str);
            let at = retrieved.and_then(parse_instant).map_or(at, |read| read.instant);
            for (name, value) in object {
                match value {
                    Value::Object(fields) if name == "fields" => write_words_of(fields, at),
                    value => write_value_words(value, at),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The facts of an item, each behind its name, without that of the name `told`.
pub(super) fn facts<'f>(
    fields: &'f Map<String, Value>,
    at: DateTime<Utc>,
    told: Option<&'f str>,
) -> impl Iterator<Item = String> + use<'f> {
    let untold = fields.iter().filter(move |(name, _)| Some(name.as_str()) != told);
    untold.map(move |(name, value)| fact(name, value, at, FACT_CHARS))
}

/// The fact that says no more than the item's own date: the same moment, or its day.
pub(super) fn repeated_date<'f>(fields: &'f Map<String, Value>, shown: Option<&str>) -> Option<&'f str> {
    let own = shown?;
    let moment = parse_instant(own)?;
    let repeats = |value: &str| {
        own.starts_with(value) && value.len() == DAY_CHARS
            || parse_instant(value).is_some_and(|other| {
                value.len() > DAY_CHARS && own.len() > DAY_CHARS && other.instant == moment.instant
            })
    };
    fields
        .iter()
        .find(|(_, value)| value.as_str().is_some_and(repeats))
        .map(|(name, _)| name.as_str())
}

/// The id where it adds something: the address has no such part, and no fact of `fields` repeats it or holds it in an
/// address.
pub(super) fn shown_id<'i>(
    id: Option<&'i str>,
    url: Option<&str>,
    fields: Option<&Map<String, Value>>,
) -> Option<&'i str> {
    let id = id?;
    let facts = fields.into_iter().flat_map(Map::values).filter_map(Value::as_str);
    let mut told = url.into_iter().chain(facts);
    let is_told = told.any(|told| told == id || told.ends_with(id) || is_part(told, id));
    (!is_told).then_some(id)
}

/// Whether an address has the id, or what follows the source's prefix of it (`t3_`, `cnbc:`), as one of its parts.
fn is_part(address: &str, id: &str) -> bool {
    if !address.starts_with("http") {
        return false;
    }
    let bare = id.rsplit([':', '_']).next().unwrap_or(id);
    let mut parts = address.split(['/', '?', '=', '&', '#']);
    parts.any(|part| part == id || (bare.len() >= BARE_ID_CHARS && part == bare))
}

/// The id and the facts of an item that a caller holds, on one line, cleaned, as a tool's text has them; ages of dates count
/// to `at`. A fact that `told` has already is left out. Empty if there is nothing to add.
pub(crate) fn details(
    id: Option<&str>,
    url: &str,
    mut fields: Map<String, Value>,
    told: Option<&str>,
    at: DateTime<Utc>,
) -> String {
    bound_map(&mut fields, 0);
    let id = id.map(|id| line(id, ID_CHARS, &mut Counts::default()));
    let id = shown_id(id.as_deref(), Some(url), Some(&fields))
        .filter(|id| !id.is_empty())
        .map(|id| format!("id: {}", named(id)));
    let facts = facts(&fields, at, None).filter(|fact| told.is_none_or(|told| !told.contains(fact.as_str())));
    let all: Vec<String> = id.into_iter().chain(facts).collect();
    all.join(BETWEEN)
}
