//! Secrets in JSON: a field's name says what its value is, whatever its form; and what is one only when all is written.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::names::{Sure, sure};
use super::pairs::{NAMED, is_like_one};
use super::rules::Rules;
use crate::marks::{self, JOINED, REMOVED};
use crate::scan::{find, masked};
use crate::structure::is_structure;

/// Fields of the specification whose names say secret and whose values are none.
const DECLARED: &[&str] = &["mcp_session_id", "prompt_cache_key"];
/// Fields that hold a name, and those that hold its value: headers and variables in a list.
const NAME_FIELDS: &[&str] = &["name", "key", "header", "field", "variable", "k"];
const VALUE_FIELDS: &[&str] = &["value", "values", "val", "content", "v"];
/// Types of JSON Schema: an object with one declares a field and holds no value of it, but for these.
const TYPES: &[&str] = &[
    "string", "number", "integer", "boolean", "object", "array", "null",
];
const EXAMPLES: &[&str] = &["default", "example", "examples", "const", "enum"];

/// A change to one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// JSON Pointer in the record.
    pub field: String,
    /// Whether it was removed (else masked).
    pub removed: bool,
    /// The name of the method.
    pub method: String,
}

impl Touched {
    fn by(field: &str, name: &str) -> Self {
        Self {
            field: field.to_owned(),
            removed: false,
            method: format!("pattern:{name}"),
        }
    }
}

/// Masks and removes in every text of a record, names of fields included, and lists the changes in `out`. `path` is the
/// JSON Pointer of `value`; `marked` are the names of the fields to remove.
pub fn sweep(value: &mut Value, marked: &[String], path: &str, out: &mut Vec<Touched>) {
    match value {
        Value::String(text) => {
            if let (Cow::Owned(clean), found) = masked(text) {
                out.extend(found.iter().map(|method| Touched::by(path, method)));
                *text = clean;
            }
        }
        Value::Array(values) => {
            // `["Authorization", "Basic ..."]`, `["--password", "..."]`.
            let follow: Vec<bool> = values.windows(2).map(is_pair).collect();
            for (at, value) in values.iter_mut().enumerate() {
                let place = format!("{path}/{at}");
                if at.checked_sub(1).and_then(|at| follow.get(at)) == Some(&true) {
                    conceal(value, &place, out);
                } else {
                    sweep(value, marked, &place, out);
                }
            }
        }
        Value::Object(fields) => sweep_fields(fields, marked, path, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn sweep_fields(fields: &mut Map<String, Value>, marked: &[String], path: &str, out: &mut Vec<Touched>) {
    let said = fields.iter().find_map(|(name, value)| {
        let named = NAME_FIELDS.contains(&name.as_str());
        named
            .then(|| value.as_str().and_then(|name| of_name(&masked(name).0)))
            .flatten()
    });
    for (name, mut value) in std::mem::take(fields) {
        let (clean, found) = masked(&name);
        let place = format!("{path}/{}", clean.replace('~', "~0").replace('/', "~1"));
        out.extend(found.iter().map(|method| Touched::by(&place, method)));
        let clean = clean.into_owned();
        let beside = said.filter(|_| VALUE_FIELDS.contains(&name.as_str()));
        let secret = if DECLARED.contains(&name.as_str()) {
            None
        } else {
            beside.or_else(|| of_name(&clean))
        };
        if marked.contains(&clean) {
            remove(&mut value);
            out.push(Touched {
                field: place,
                removed: true,
                method: "marked".to_owned(),
            });
        } else {
            match secret {
                Some(Sure::Password | Sure::Key) if !is_declaration(&value) => {
                    conceal(&mut value, &place, out);
                }
                Some(Sure::Perhaps) if value.as_str().is_some_and(is_like_one) => {
                    conceal(&mut value, &place, out);
                }
                Some(Sure::Password | Sure::Key) => declaration(&mut value, marked, &place, out),
                _ => sweep(&mut value, marked, &place, out),
            }
        }
        fields.insert(clean, value);
    }
}

/// What a masked name says, as it is written or as its reader will have it. A mark says nothing.
fn of_name(name: &str) -> Option<Sure> {
    let marks = marks::all(name);
    let outside = marks::outside(name, &marks, 0, name.len());
    let name: &str = &outside
        .iter()
        .filter_map(|(start, end)| name.get(*start..*end))
        .collect::<String>();
    sure(name).or_else(|| {
        crate::view::View::all(name)
            .iter()
            .find_map(|view| sure(&view.text))
    })
}

fn is_pair(pair: &[Value]) -> bool {
    let [Value::String(name), Value::String(value)] = pair else {
        return false;
    };
    let header = !name.contains(' ') && name.len() <= 64;
    header
        && matches!(of_name(&masked(name).0), Some(Sure::Password | Sure::Key))
        && (is_like_one(value) || scheme(value))
}

/// `Basic dXNlcjpwYXNz`: one word and something that looks like a secret.
fn scheme(value: &str) -> bool {
    value.split_once(' ').is_some_and(|(scheme, rest)| {
        scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && is_like_one(rest.trim())
    })
}

fn is_declaration(value: &Value) -> bool {
    let of = |name: &str| value.get(name).and_then(Value::as_str);
    of("type").is_some_and(|kind| TYPES.contains(&kind)) || of("$ref").is_some()
}

/// A field that is declared, not given: its examples are values.
fn declaration(value: &mut Value, marked: &[String], path: &str, out: &mut Vec<Touched>) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields.iter_mut() {
        let place = format!("{path}/{name}");
        if EXAMPLES.contains(&name.as_str()) {
            conceal(value, &place, out);
        } else {
            sweep(value, marked, &place, out);
        }
    }
}

/// Puts a mark in place of every text and number of a value.
fn conceal(value: &mut Value, path: &str, out: &mut Vec<Touched>) {
    match value {
        Value::String(text) => {
            let known = marks::all(text);
            let whole = marks::outside(text, &known, 0, text.len());
            if text.is_empty() || whole.is_empty() {
                return;
            }
            *text = marks::mark(NAMED);
            out.push(Touched::by(path, NAMED));
        }
        Value::Number(_) => {
            *value = Value::String(marks::mark(NAMED));
            out.push(Touched::by(path, NAMED));
        }
        Value::Array(values) => {
            for (at, value) in values.iter_mut().enumerate() {
                conceal(value, &format!("{path}/{at}"), out);
            }
        }
        Value::Object(fields) => {
            for (name, mut value) in std::mem::take(fields) {
                let (name, found) = masked(&name);
                let place = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                out.extend(found.iter().map(|method| Touched::by(&place, method)));
                conceal(&mut value, &place, out);
                fields.insert(name.into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Takes every text out of a value and leaves its form.
fn remove(value: &mut Value) {
    match value {
        Value::String(text) => REMOVED.clone_into(text),
        Value::Array(values) => values.iter_mut().for_each(remove),
        Value::Object(fields) => {
            for (name, mut value) in std::mem::take(fields) {
                remove(&mut value);
                fields.insert(masked(&name).0.into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The value with everything masked that records would mask: for a page or a log.
pub fn masked_value(mut value: Value) -> Value {
    sweep(&mut value, &[], "", &mut Vec::new());
    joined(&mut value);
    value
}

/// Looks for what is a secret only when all is written as JSON, and masks every text that is part of it. Where, as JSON
/// Pointers.
pub fn joined(value: &mut Value) -> Vec<String> {
    let Some(rules) = Rules::all() else {
        return Vec::new();
    };
    let mut text = String::new();
    let mut leaves = Vec::new();
    write(value, "", &mut text, &mut leaves);
    let found = find(rules, &text);
    let mut out = Vec::new();
    for (start, end, place) in leaves {
        let within = found.iter().any(|span| span.start < end && start < span.end);
        let name = place.rsplit('/').next().unwrap_or_default();
        if !within || is_structure(name) {
            continue;
        }
        if let Some(Value::String(text)) = value.pointer_mut(&place) {
            *text = marks::mark(JOINED);
            out.push(place);
        }
    }
    out
}

/// Writes a value as JSON and notes where each of its texts is.
fn write(value: &Value, path: &str, out: &mut String, leaves: &mut Vec<(usize, usize, String)>) {
    match value {
        Value::String(_) => {
            let start = out.len() + 1;
            // Writing to a String cannot fail.
            let _ = write!(out, "{value}");
            leaves.push((start, out.len() - 1, path.to_owned()));
        }
        Value::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(value, &format!("{path}/{at}"), out, leaves);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::String(name.clone()));
                let place = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                write(value, &place, out, leaves);
            }
            out.push('}');
        }
        other => drop(write!(out, "{other}")),
    }
}
