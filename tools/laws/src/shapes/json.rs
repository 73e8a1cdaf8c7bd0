//! Hostile JSON, derived from a valid document: every list, string and number becomes long, every object wide.

use serde_json::Value;

use super::tokens::{ENTITIES, MARKUP, WORDS};
use super::{Shape, Unit, mark};

/// Marker for the place of an insertion while the document is written. No document contains it.
const HOLE: &str = "\u{1}hole\u{1}";

/// One step of a path in a document.
#[derive(Debug, Clone)]
enum Step {
    Key(String),
    First,
}

/// Returns all hostile texts in one list.
fn texts() -> Vec<&'static str> {
    // Interleaved, so that neighbours differ.
    let mut out = Vec::new();
    let longest = MARKUP.len().max(WORDS.len());
    for place in 0..longest {
        out.extend(MARKUP.get(place));
        out.extend(WORDS.get(place));
        out.extend(ENTITIES.get(place));
    }
    out
}

pub(super) fn shapes(seed: &[u8], turn: usize) -> Vec<Shape> {
    let mut out = anywhere();
    mark(&mut out, turn, 1);
    let Ok(document) = serde_json::from_slice::<Value>(seed) else {
        return out;
    };
    let mut places = Vec::new();
    walk(&document, &mut Vec::new(), &mut places);
    let (mut lists, mut strings, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (path, value) in &places {
        let name = shown(path);
        let hole = |put: &str| {
            let mut altered = document.clone();
            if let Some(place) = at(&mut altered, path) {
                *place = Value::String(put.to_owned());
            }
            altered.to_string()
        };
        let quoted = Value::String(HOLE.to_owned()).to_string();
        let whole = hole(HOLE);
        let Some((before, after)) = whole.split_once(&quoted) else {
            continue;
        };
        match value {
            Value::Array(values) => {
                if let Some(first) = values.first() {
                    let parts = differing(first);
                    lists.push(Shape::new(
                        format!("{name}[] differing"),
                        format!("{before}[{first}"),
                        Unit::Differing(parts),
                        format!("]{after}"),
                    ));
                }
                for (what, element) in [
                    ("repeated", values.first().map(ToString::to_string)),
                    ("of null", Some("null".to_owned())),
                    ("of 0", Some("0".to_owned())),
                    ("of \"\"", Some("\"\"".to_owned())),
                    ("of {}", Some("{}".to_owned())),
                    ("of []", Some("[]".to_owned())),
                ] {
                    let Some(element) = element else { continue };
                    let mut shape = Shape::same(
                        format!("{name}[] {what}"),
                        format!("{before}[{element}"),
                        format!(",{element}"),
                        format!("]{after}"),
                    );
                    if what == "repeated" {
                        lists.push(shape);
                    } else {
                        shape.crumbs = true;
                        others.push(shape);
                    }
                }
            }
            Value::Object(entries) => {
                let inner = Value::Object(entries.clone()).to_string();
                let open = inner.strip_suffix('}').unwrap_or("{\"a\":0");
                let open = if open.ends_with('{') { "{\"a\":0" } else { open };
                let first = entries.keys().next().map_or("a", String::as_str);
                let first = Value::String(first.to_owned()).to_string();
                others.push(Shape::new(
                    format!("{name}: other keys"),
                    format!("{before}{open}"),
                    Unit::Counted(b",\"k".to_vec(), b"\":0".to_vec()),
                    format!("}}{after}"),
                ));
                others.push(Shape::same(
                    format!("{name}: the same key"),
                    format!("{before}{open}"),
                    format!(",{first}:null"),
                    format!("}}{after}"),
                ));
                others.push(Shape::same(
                    format!("{name}: in itself"),
                    before,
                    format!("{{{first}:"),
                    format!("null{after}"),
                ));
            }
            Value::Number(_) => {
                others.push(Shape::same(
                    format!("{name}: digits"),
                    format!("{before}1"),
                    "0",
                    after,
                ));
                others.push(Shape::same(
                    format!("{name}: decimals"),
                    format!("{before}0."),
                    "9",
                    after,
                ));
                others.push(Shape::same(
                    format!("{name}: as text"),
                    format!("{before}\""),
                    "9",
                    format!("\"{after}"),
                ));
            }
            Value::String(_) => {
                for text in texts() {
                    let escaped = Value::String(text.to_owned()).to_string();
                    let unit = escaped.trim_matches('"');
                    let unit = if text.ends_with('"') { "\\\"" } else { unit };
                    strings.push(Shape::same(
                        format!("{name}: {}", text.escape_debug()),
                        format!("{before}\""),
                        unit,
                        format!("\"{after}"),
                    ));
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    mark(&mut lists, turn, 2);
    mark(&mut strings, turn, 2);
    mark(&mut others, turn, 1);
    out.extend(lists);
    out.extend(strings);
    out.extend(others);
    out
}

/// Splits an element into pieces. A number between the pieces makes each copy distinct, which forces a reader that
/// removes duplicates to compare each copy with all previous ones.
fn differing(element: &Value) -> Vec<Vec<u8>> {
    fn alter(value: &mut Value) {
        match value {
            // A date stays valid.
            Value::String(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => text.push_str(HOLE),
            Value::Array(values) => values.iter_mut().for_each(alter),
            Value::Object(entries) => entries.values_mut().for_each(alter),
            _ => {}
        }
    }
    let mut altered = element.clone();
    alter(&mut altered);
    if altered == *element {
        altered = Value::String(HOLE.to_owned());
    }
    let hole = Value::String(HOLE.to_owned()).to_string();
    let text = format!(",{altered}");
    text.split(hole.trim_matches('"'))
        .map(|part| part.as_bytes().to_vec())
        .collect()
}

/// Shapes that need no valid document.
fn anywhere() -> Vec<Shape> {
    vec![
        Shape::same("lists in lists", "", "[", ""),
        Shape::same("lists in lists, closed", "[", "[],", "0]"),
        Shape::same("objects in objects", "", "{\"a\":", ""),
        Shape::same("closers", "{", "}", ""),
        Shape::same("digits", "", "9", ""),
        Shape::same("blanks", "", " ", "{}"),
        Shape::same("escapes", "{\"a\":\"", "\\u00e9", "\"}"),
        Shape::same("surrogates", "{\"a\":\"", "\\ud83d", "\"}"),
        Shape::same("backslashes", "{\"a\":\"", "\\\\", "\"}"),
        Shape::same("documents", "", "{}\n", ""),
        Shape::same("openers of texts", "", "\"", ""),
        Shape::same("anything", "", "<div>", ""),
    ]
}

/// Collects every path of a document. It visits only the first element of a list.
fn walk<'v>(value: &'v Value, path: &mut Vec<Step>, out: &mut Vec<(Vec<Step>, &'v Value)>) {
    out.push((path.clone(), value));
    match value {
        Value::Array(values) => {
            if let Some(first) = values.first() {
                path.push(Step::First);
                walk(first, path, out);
                path.pop();
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                path.push(Step::Key(key.clone()));
                walk(value, path, out);
                path.pop();
            }
        }
        _ => {}
    }
}

fn at<'v>(document: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(document, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::First => value.get_mut(0),
    })
}

fn shown(path: &[Step]) -> String {
    let mut out = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Step::First => out.push_str("[]"),
        }
    }
    out
}
