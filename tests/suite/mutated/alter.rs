//! One field at a time: a document, and every way in which a single field of it may differ.

use serde_json::{Value, json};

use super::markup;

/// A document that differs from the original in one field.
pub struct Altered {
    /// The reply, the field and what became of it, for a complaint.
    pub what: String,
    /// The field's name.
    pub field: String,
    /// The nonsense that stands there now.
    pub now: Option<&'static str>,
    /// Whether the document now says that there is nothing, which a source may well mean.
    pub emptied: bool,
    /// The document.
    pub body: Vec<u8>,
}

/// Values that no source sends, easily found in an answer: less than nothing, more than there can be,
/// part of one, and words that say nothing.
pub const BELOW: &str = "-987654";
pub const HUGE: &str = "9876543219876543";
pub const FRACTION: &str = "0.987654";
pub const WORDS: &str = "qzx vwk";

/// Every single alteration of a document.
pub fn alterations(body: &[u8], content_type: &str) -> Vec<Altered> {
    let Ok(text) = std::str::from_utf8(body) else {
        return Vec::new();
    };
    if let Ok(document) = serde_json::from_str::<Value>(text) {
        return of_json(&document);
    }
    if text.trim_start().starts_with('<') {
        return markup::alterations(text);
    }
    if content_type.contains("csv") {
        return of_csv(text);
    }
    of_lines(text)
}

#[derive(Clone, PartialEq)]
enum Step {
    Key(String),
    Each,
}

/// The distinct paths of a document, those of a list's entries told once.
fn paths(value: &Value, at: &mut Vec<Step>, out: &mut Vec<Vec<Step>>) {
    if !at.is_empty() && at.last() != Some(&Step::Each) && !out.contains(at) {
        out.push(at.clone());
    }
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                at.push(Step::Key(key.clone()));
                paths(value, at, out);
                at.pop();
            }
        }
        Value::Array(values) => {
            for value in values {
                at.push(Step::Each);
                if !value.is_object() && !out.contains(at) {
                    out.push(at.clone());
                }
                paths(value, at, out);
                at.pop();
            }
        }
        _ => {}
    }
}

fn shown(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                out.push('.');
                out.push_str(key);
            }
            Step::Each => out.push_str("[]"),
        }
    }
    out
}

/// Alters the field wherever it is, or only where it is first; true where it was somewhere.
fn alter(value: &mut Value, path: &[Step], first: bool, to: Option<&Value>, was: &mut Vec<Value>) -> bool {
    let Some((step, rest)) = path.split_first() else {
        return false;
    };
    let mut done = false;
    match (step, value) {
        (Step::Key(key), Value::Object(entries)) => {
            if !rest.is_empty() {
                return entries
                    .get_mut(key)
                    .is_some_and(|value| alter(value, rest, first, to, was));
            }
            if let Some(found) = entries.get_mut(key) {
                match to {
                    Some(to) => was.push(std::mem::replace(found, to.clone())),
                    None => was.extend(entries.shift_remove(key)),
                }
                done = true;
            }
        }
        (Step::Each, Value::Array(values)) => {
            for entry in values {
                if rest.is_empty() {
                    was.push(std::mem::replace(entry, to.cloned().unwrap_or_default()));
                    done = true;
                } else {
                    done |= alter(entry, rest, first, to, was);
                }
                if done && first {
                    break;
                }
            }
        }
        _ => {}
    }
    done
}

/// What a field may become: the name of it, the value (none: the field goes), the nonsense in it.
fn becomes() -> Vec<(&'static str, Option<Value>, Option<&'static str>)> {
    vec![
        ("gone", None, None),
        ("null", Some(Value::Null), None),
        ("an empty text", Some(json!("")), None),
        ("words", Some(json!(WORDS)), Some(WORDS)),
        ("below zero", Some(json!(-987_654)), Some(BELOW)),
        ("huge", Some(json!(9_876_543_219_876_543_u64)), Some(HUGE)),
        ("a fraction", Some(json!(0.987_654)), Some(FRACTION)),
        (
            "the greatest",
            Some(json!(u64::MAX)),
            Some("18446744073709551615"),
        ),
        (
            "the greatest signed",
            Some(json!(i64::MAX)),
            Some("9223372036854775807"),
        ),
        ("the least", Some(json!(i64::MIN)), Some("-9223372036854775808")),
        ("below zero in a text", Some(json!(BELOW)), Some(BELOW)),
        ("true", Some(json!(true)), None),
        ("an empty list", Some(json!([])), None),
        ("an empty object", Some(json!({})), None),
        (
            "a tree",
            Some(json!({"a": [{"b": [null, {"c": WORDS}]}]})),
            Some(WORDS),
        ),
    ]
}

fn of_json(document: &Value) -> Vec<Altered> {
    let mut all = Vec::new();
    paths(document, &mut Vec::new(), &mut all);
    let mut out = Vec::new();
    for path in all {
        for first in [true, false] {
            for (name, to, now) in becomes() {
                let mut altered = document.clone();
                let mut was = Vec::new();
                if !alter(&mut altered, &path, first, to.as_ref(), &mut was) {
                    continue;
                }
                if to.is_some() && was.iter().all(|was| Some(was) == to.as_ref()) {
                    continue;
                }
                if !first && was.len() < 2 {
                    continue; // The first is all.
                }
                let emptied = match name {
                    "an empty list" => was.iter().all(Value::is_array),
                    "an empty object" => was.iter().all(Value::is_object),
                    _ => altered == json!({}),
                };
                let field = match path.iter().rev().find(|step| **step != Step::Each) {
                    Some(Step::Key(key)) => key.clone(),
                    _ => String::new(),
                };
                let whom = if first { "first" } else { "all" };
                out.push(Altered {
                    what: format!("{} ({whom}) {name}", shown(&path)),
                    field,
                    now,
                    emptied,
                    body: altered.to_string().into_bytes(),
                });
            }
        }
    }
    out
}

/// One column at a time, by commas alone.
fn of_csv(text: &str) -> Vec<Altered> {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let mut out = Vec::new();
    for column in 0..columns {
        for (name, to) in [
            ("gone", None),
            ("empty", Some("")),
            ("words", Some(WORDS)),
            ("below zero", Some(BELOW)),
            ("huge", Some(HUGE)),
            ("a fraction", Some(FRACTION)),
        ] {
            let lines: Vec<String> = rows
                .iter()
                .enumerate()
                .map(|(at, row)| {
                    let mut row = row.clone();
                    if column < row.len() {
                        match to {
                            None => {
                                row.remove(column);
                            }
                            Some(to) if at > 0 => row[column] = to,
                            Some(_) => {}
                        }
                    }
                    row.join(",")
                })
                .collect();
            let field = rows[0][column].to_owned();
            out.push(Altered {
                what: format!("column {field} {name}"),
                field,
                now: to.filter(|to| !to.is_empty()),
                emptied: false,
                body: (lines.join("\r\n") + "\r\n").into_bytes(),
            });
        }
    }
    out
}

/// One line less at a time.
fn of_lines(text: &str) -> Vec<Altered> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len())
        .filter(|at| !lines[*at].trim().is_empty())
        .map(|at| {
            let mut left = lines.clone();
            let line = left.remove(at);
            Altered {
                what: format!("line {} {line:?} gone", at + 1),
                field: String::new(),
                now: None,
                emptied: false,
                body: left.join("\n").into_bytes(),
            }
        })
        .collect()
}
