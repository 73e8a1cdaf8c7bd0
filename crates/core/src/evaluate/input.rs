//! Reading the arguments: any JSON value becomes a checked request, or an error that names the
//! field. Texts are borrowed, never copied.

use chrono::{DateTime, Utc};
use freshcontext_budget::Budget;
use freshcontext_contract::limits::{JSON_TEXT_BYTES, QUERY_CHARS, SIGNALS_VALUES};
use freshcontext_contract::{Limits, SourceError, as_declared, not_known, quoted_within, refuse_near_misses};
use serde_json::{Map, Value, json};
use serde_json_borrow::{ObjectAsVec, Value as Node};

pub(super) use super::fields::last;
use super::given::Given;
use super::made::Made;
use super::profile::{INTENT, INTENTS, Intent, PROFILE, PROFILES, Profile};
use super::results;
use super::shape::{lists_in, scalar};
use super::text::{is_blank, utf16_longer_than};
use super::{as_of, columns, distances, scale, wrapped};
use crate::date::{Parsed, Precision, date_of_number, read_date};
use crate::values::values;

pub(super) const EXAMPLE: &str = r#"{"profile": "official_docs", "intent": "developer_adoption", "signals": [{"source": "https://example.com/a", "content": "..."}]}"#;

/// The arguments of the tool, in the order in which errors list them. `records` and `context` are checked where records are
/// made; no schema lists them, since the list of tools has a budget of its own.
pub const ARGUMENTS: [&str; 9] = [
    "profile", "intent", "signals", "query", "now", "as_of", "budget", "records", "context",
];

/// A whole call, checked.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub profile: &'static Profile,
    pub intent: &'static Intent,
    pub now: DateTime<Utc>,
    /// What the caller looks for, in words.
    pub query: Option<&'a str>,
    /// How much may go in, where the caller says so.
    pub budget: Option<Budget>,
    /// Whether records are asked for, which the caller of this crate makes.
    pub noting: bool,
    pub signals: Vec<Given<'a>>,
    /// How the arguments were read where that is not plain.
    pub notes: Vec<String>,
}

impl<'a> Request<'a> {
    pub(super) fn read(
        arguments: &'a Node<'a>,
        clock_now: DateTime<Utc>,
        limits: &Limits,
        made: &'a Made,
    ) -> Result<Self, SourceError> {
        let Node::Object(fields) = arguments else {
            return Err(SourceError::invalid_input(
                "arguments",
                "must be an object",
                EXAMPLE,
            ));
        };
        let (names, known) = (|| fields.iter().map(|(name, _)| name), || ARGUMENTS.into_iter());
        refuse_near_misses(names(), known, EXAMPLE)?;
        let masked: Vec<String> = names()
            .map(|name| freshcontext_redact::masked(name).0.into_owned())
            .collect();
        let mut notes: Vec<String> = not_known(masked.iter().map(String::as_str), known)
            .into_iter()
            .collect();
        if let Some((name, _)) = fields
            .iter()
            .find(|(_, value)| deeper_than(value, limits.json_depth))
        {
            let problem = format!("nests deeper than {} levels", limits.json_depth);
            return Err(SourceError::invalid_input(name.to_owned(), problem, EXAMPLE));
        }
        let profile = choice(
            fields,
            "profile",
            PROFILE,
            PROFILES.iter().map(|profile| profile.id),
        )?;
        let intent = choice(fields, "intent", INTENT, INTENTS.iter().map(|intent| intent.id))?;
        let (Some(profile), Some(intent)) = (Profile::find(profile), Intent::find(intent)) else {
            return Err(SourceError::invalid_input("profile", "is unknown", EXAMPLE));
        };
        let now = match given(fields, "now") {
            None => clock_now,
            Some(Node::Str(text)) => {
                instant(text).ok_or_else(|| bad_now("is not a date that can be read"))?
            }
            Some(Node::Number(number)) => number
                .as_f64()
                .and_then(date_of_number)
                .and_then(moment)
                .ok_or_else(|| bad_now("is not a date that can be read"))?,
            Some(_) => return Err(bad_now("must be text")),
        };
        let mut signals = signals(fields, limits, made)?;
        distances::as_scores(&mut signals, &mut notes);
        scale::leave_out_constant(&mut signals, &mut notes);
        let as_of = given(fields, "as_of")
            .map(|given| as_of::moment(given, now))
            .transpose()?;
        if let Some(moment) = as_of {
            as_of::leave_out_later(&mut signals, moment, &mut notes);
        }
        Ok(Self {
            profile,
            intent,
            now: to_millis(as_of.unwrap_or(now)),
            query: query(fields, made)?,
            budget: given(fields, "budget")
                .map(|budget| read_budget(budget, &mut notes))
                .transpose()?,
            noting: matches!(last(fields, "records"), Some(Node::Str(level)) if level != "none"),
            signals,
            notes,
        })
    }

    /// Bytes of text in all signals.
    pub(super) fn bytes(&self) -> usize {
        self.signals.iter().map(Given::bytes).sum()
    }
}

fn deeper_than(value: &Node<'_>, most: usize) -> bool {
    let below = |value: &Node<'_>| deeper_than(value, most.saturating_sub(1));
    match value {
        Node::Array(values) => most == 0 || values.iter().any(below),
        Node::Object(fields) => most == 0 || fields.values().any(below),
        _ => false,
    }
}

/// What stands under a name, unless it is null or blank text.
fn given<'a>(fields: &'a ObjectAsVec<'a>, name: &str) -> Option<&'a Node<'a>> {
    last(fields, name).filter(|value| match value {
        Node::Null => false,
        Node::Str(text) => !is_blank(text),
        _ => true,
    })
}

/// The budget, its numbers as text and as floats, too.
fn read_budget(budget: &Node<'_>, notes: &mut Vec<String>) -> Result<Budget, SourceError> {
    let Value::Object(fields) = Value::from(budget) else {
        return Budget::read(&Value::from(budget));
    };
    let inside = |mut error: SourceError| {
        error.field = error.field.map(|field| format!("budget.{field}").into());
        error
    };
    let kind = |name: &str| match name {
        "max_tokens" | "reserved_tokens" | "max_bytes" | "max_items" => "integer",
        "allow_unverified" => "boolean",
        _ => "string",
    };
    let properties = Budget::NAMES
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": kind(name)})));
    let schema = json!({"properties": properties.collect::<Map<String, Value>>()});
    let (fields, read) =
        as_declared(&schema, r#"{"budget": {"max_tokens": 4000}}"#, fields).map_err(inside)?;
    notes.extend(read.into_iter().map(|note| format!("budget: {note}")));
    Budget::read(&Value::Object(fields))
}

fn bad_now(problem: &str) -> SourceError {
    SourceError::invalid_input("now", problem, r#"{"now": "2026-06-09T12:00:00Z"}"#)
}

/// An instant in one of the accepted forms, in whole milliseconds.
pub(super) fn instant(text: &str) -> Option<DateTime<Utc>> {
    read_date(text).and_then(moment).map(to_millis)
}

/// The moment of a date; a month or a year has none.
fn moment(date: Parsed) -> Option<DateTime<Utc>> {
    matches!(date.precision, Precision::Day | Precision::Instant).then_some(date.instant)
}

pub(super) fn to_millis(instant: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(instant.timestamp_millis()).unwrap_or(instant)
}

/// A text out of a closed set, in any case; the default where none is given.
fn choice(
    fields: &ObjectAsVec<'_>,
    name: &'static str,
    default: &'static str,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<&'static str, SourceError> {
    let wrong = |problem: String| {
        SourceError::invalid_input(name, problem, format_args!("{{\"{name}\": \"{default}\"}}"))
    };
    match given(fields, name) {
        None => Ok(default),
        Some(Node::Str(text)) => known
            .clone()
            .find(|id| id.eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| wrong(format!("must be one of {}", known.collect::<Vec<_>>().join(", ")))),
        Some(_) => Err(wrong("must be text".to_owned())),
    }
}

fn query<'a>(fields: &'a ObjectAsVec<'a>, made: &'a Made) -> Result<Option<&'a str>, SourceError> {
    let wrong = |problem: String| {
        SourceError::invalid_input("query", problem, r#"{"query": "migration from version 3"}"#)
    };
    let Some(value) = given(fields, "query") else {
        return Ok(None);
    };
    match value {
        Node::Str(_) | Node::Number(_) => match scalar(value, made) {
            Some(text) if utf16_longer_than(text, QUERY_CHARS) => {
                Err(wrong(format!("is longer than {QUERY_CHARS} characters")))
            }
            text => Ok(text),
        },
        _ => Err(wrong("must be text".to_owned())),
    }
}

fn signals<'a>(
    fields: &'a ObjectAsVec<'a>,
    limits: &Limits,
    made: &'a Made,
) -> Result<Vec<Given<'a>>, SourceError> {
    let wrong = |problem: String| SourceError::invalid_input("signals", problem, EXAMPLE);
    let list = match given(fields, "signals") {
        None => return Err(wrong("is missing".to_owned())),
        Some(Node::Array(list)) => list.as_slice(),
        Some(one @ Node::Object(fields)) if results::is_result(fields) => std::slice::from_ref(one),
        // The answer of a search interface, or one document.
        Some(one @ Node::Object(fields)) => match lists_in(fields).as_slice() {
            [(_, documents)] => documents,
            // What failed is excluded with its reason.
            [] if !results::is_document(fields, made) && !results::is_failed(fields) => {
                return Err(wrong(without_documents(fields)));
            }
            _ => std::slice::from_ref(one),
        },
        Some(_) => return Err(wrong("must be a list".to_owned())),
    };
    if list.is_empty() {
        return Err(wrong("is empty; at least one signal is needed".to_owned()));
    }
    let mut bytes = 0;
    // What follows the first signal too many is not read.
    let mut out = Vec::with_capacity(list.len().min(limits.signals.saturating_add(1)));
    for (index, value) in list.iter().enumerate() {
        let before = out.len();
        results::signals(value, index, made, &mut out);
        if out.len() > limits.signals {
            let most = limits.signals;
            // What stands in the list, or more where results of several items are in it.
            let count = out.len().max(list.len());
            return Err(wrong(format!(
                "holds {count} signals or more; the most is {most}"
            )));
        }
        bytes += out.iter().skip(before).map(Given::bytes).sum::<usize>();
        if bytes > limits.signals_bytes {
            let most = limits.signals_bytes;
            return Err(wrong(format!(
                "hold more than {most} bytes of text, reached at signals[{index}]"
            )));
        }
    }
    Ok(out)
}

/// Why an object cannot be read, with the names of its fields.
fn without_documents(fields: &ObjectAsVec<'_>) -> String {
    /// As many names are listed, and as much of each.
    const NAMES: usize = 8;
    const NAME: usize = 40;
    let names: Vec<String> = fields
        .iter()
        .take(NAMES)
        .map(|(name, _)| quoted_within(&freshcontext_redact::masked(name).0, NAME))
        .collect();
    if names.is_empty() {
        return "must be a list".to_owned();
    }
    format!(
        "must be a list: in the object with {} there is no document, which has a text, or a title and a source",
        names.join(", ")
    )
}

/// Whether the parts of a document stand beside each other in the signals.
pub(super) fn holds_parts(arguments: &Node<'_>) -> bool {
    match arguments {
        Node::Object(fields) => last(fields, "signals")
            .is_some_and(|signals| columns::are_apart(signals) || wrapped::are_wrapped(signals)),
        _ => false,
    }
}

/// The arguments with these parts put together, and what is to be said of it.
pub(super) fn with_parts_together(arguments: &Node<'_>) -> (Value, Vec<String>) {
    let mut arguments = Value::from(arguments);
    let notes = arguments.get_mut("signals").map(|signals| {
        let mut notes = wrapped::take_out(signals);
        notes.extend(columns::put_together(signals));
        notes
    });
    (arguments, notes.unwrap_or_default())
}

/// Whether JSON text was given where an object or a list is expected.
pub(super) fn holds_json_as_text(arguments: &Node<'_>) -> bool {
    let Node::Object(fields) = arguments else {
        return false;
    };
    let signal = |value: &Node<'_>| match value {
        Node::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == "metadata" && is_json_text(value)),
        other => is_json_text(other),
    };
    fields.iter().any(|(name, value)| {
        (name == "budget" && is_json_text(value))
            || name == "signals"
                && match value {
                    Node::Array(list) => list.iter().any(signal),
                    other => is_json_text(other),
                }
    })
}

fn is_json_text(value: &Node<'_>) -> bool {
    matches!(value, Node::Str(text) if text.trim_start().starts_with(['{', '[']))
}

/// Reads what was given as JSON text in place of a list of signals, a signal or metadata. What is no JSON, or more
/// than is read, stays as it is, and is refused by its name.
pub(super) fn with_json_texts_read(arguments: &Node<'_>) -> Value {
    /// What may still be read in this call.
    struct Left {
        bytes: usize,
        values: usize,
    }

    impl Left {
        fn read(&mut self, value: &mut Value) {
            if let Value::String(text) = value
                && text.trim_start().starts_with(['{', '['])
                && let Some(bytes) = self.bytes.checked_sub(text.len())
                && let Some(values) = self.values.checked_sub(values(text.as_bytes(), self.values))
                && let Ok(read) = serde_json::from_str(text)
            {
                *self = Self { bytes, values };
                *value = read;
            }
        }
    }

    let mut left = Left {
        bytes: JSON_TEXT_BYTES,
        values: SIGNALS_VALUES,
    };
    let mut arguments = Value::from(arguments);
    if let Some(budget) = arguments.get_mut("budget") {
        left.read(budget);
    }
    if let Some(signals) = arguments.get_mut("signals") {
        left.read(signals);
        for signal in signals.as_array_mut().into_iter().flatten() {
            left.read(signal);
            if let Some(metadata) = signal.get_mut("metadata") {
                left.read(metadata);
            }
        }
    }
    arguments
}
