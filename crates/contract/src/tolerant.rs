//! What callers send and mean. Agents write a list where words are due, a number as text, `query` where a tool says
//! `url`. Where only one reading is possible it is taken, and said; everything else stays as it is and is refused by
//! name later. Workflow tools add arguments of their own (n8n: `toolCallId`, `sessionId`): they are ignored, and said.

use serde_json::{Map, Number, Value};

use crate::args::is_absent;
use crate::error::SourceError;
use crate::near::{not_known, refuse_near_misses};
use crate::quote::{closed, code};

/// Names that callers use for the one thing that a tool asks about.
const MAIN: [&str; 24] = [
    "company",
    "idea",
    "input",
    "keyword",
    "keywords",
    "package",
    "packages",
    "page",
    "q",
    "query",
    "repo",
    "repository",
    "search",
    "subject",
    "symbol",
    "symbols",
    "term",
    "text",
    "ticker",
    "tickers",
    "topic",
    "uri",
    "url",
    "words",
];

/// Arguments of which 0 is a value: no cached copy is new enough for a `max_age` of 0, and nothing fits into a budget of 0.
const ZERO_IS_A_VALUE: &[&str] = &[
    "max_age",
    "max_tokens",
    "reserved_tokens",
    "max_bytes",
    "max_items",
];

/// Reads arguments as the tool's schema declares them. Where an argument is optional, null, blank text and 0 (as text,
/// too, where a number is due) count as not given, but for a `max_age` of 0. An argument that the tool does not declare is
/// ignored. The notes say what was read otherwise than it was written, and what was ignored.
///
/// # Errors
/// [`InvalidInput`](crate::ErrorCode::InvalidInput) for a near miss of a declared name, such as `limt`: to ignore it would
/// change the answer unnoticed.
pub fn as_declared(
    schema: &Value,
    example: &str,
    arguments: Map<String, Value>,
) -> Result<(Map<String, Value>, Vec<String>), SourceError> {
    let nothing = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut notes = Vec::new();
    let mut arguments = renamed(properties, &required, arguments, &mut notes);
    let known = || properties.keys().map(String::as_str);
    refuse_near_misses(arguments.keys().map(String::as_str), known, example)?;
    let ignored: Vec<&str> = arguments.keys().map(String::as_str).collect();
    notes.extend(not_known(ignored.into_iter(), known));
    arguments.retain(|name, value| {
        let Some(kind) = properties.get(name) else {
            return false;
        };
        let read = as_kind(kind, value);
        // 0 as text or a list of blanks is nothing only once it is read.
        let is_nothing = if ZERO_IS_A_VALUE.contains(&name.as_str()) {
            is_absent
        } else {
            is_nothing
        };
        let nothing = is_nothing(value) || read.as_ref().is_some_and(is_nothing);
        if nothing && !required.contains(&name.as_str()) {
            return false;
        }
        if let Some(read) = read {
            if *value != read {
                notes.push(format!("{} was read as {}", code(name), shown(&read)));
            }
            *value = read;
        }
        true
    });
    Ok((arguments, notes))
}

/// Puts the one argument with an unknown name in the place of the one that is missing, where both mean the subject.
fn renamed(
    properties: &Map<String, Value>,
    required: &[&str],
    arguments: Map<String, Value>,
    notes: &mut Vec<String>,
) -> Map<String, Value> {
    // Where nothing is required, the subject is `url`.
    let Some(main) = required
        .first()
        .or_else(|| properties.contains_key("url").then_some(&"url"))
        .filter(|main| MAIN.contains(main))
    else {
        return arguments;
    };
    if arguments.get(*main).is_some_and(|value| !is_absent(value)) {
        return arguments;
    }
    let says_the_subject = |(name, value): &(&String, &Value)| {
        !properties.contains_key(*name)
            && MAIN.contains(&name.to_ascii_lowercase().as_str())
            && !is_absent(value)
            && !value.is_object()
    };
    let mut strangers = arguments
        .iter()
        .filter(says_the_subject)
        .map(|(name, _)| name.clone());
    let (Some(stranger), None) = (strangers.next(), strangers.next()) else {
        return arguments;
    };
    notes.push(format!("{} was read as `{main}`", code(&stranger)));
    arguments
        .into_iter()
        .filter(|(name, _)| name != main)
        .map(|(name, value)| {
            if name == stranger {
                ((*main).to_owned(), value)
            } else {
                (name, value)
            }
        })
        .collect()
}

fn is_nothing(value: &Value) -> bool {
    is_absent(value) || value.as_f64() == Some(0.0)
}

/// The value in the declared kind; `None` where it has it already, or cannot have it.
fn as_kind(kind: &Value, value: &Value) -> Option<Value> {
    match (kind.get("type")?.as_str()?, value) {
        ("string", Value::Array(values)) if !values.is_empty() => {
            let words: Option<Vec<String>> = values.iter().map(scalar).collect();
            Some(Value::String(words?.join(",")))
        }
        ("string", Value::Number(_)) => scalar(value).map(Value::String),
        ("array", Value::String(text)) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            Some(words.map(Value::from).collect())
        }
        ("array", Value::Array(values)) if items_are_text(kind) && values.iter().any(Value::is_number) => {
            let texts: Option<Vec<Value>> = values
                .iter()
                .map(|value| scalar(value).map(Value::String))
                .collect();
            texts.map(Value::Array)
        }
        // Some clients have only floats.
        ("integer", Value::Number(number)) if number.is_f64() => whole_number(number.as_f64()?),
        ("integer" | "number", Value::String(text)) => {
            let text = text.trim();
            let whole = text.parse::<i64>().ok().map(Number::from);
            whole
                .or_else(|| Number::from_f64(text.parse().ok()?))
                .map(Value::Number)
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(Value::Bool(true)),
            "false" | "no" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        ("boolean", Value::Number(number)) => match number.as_i64() {
            Some(1) => Some(Value::Bool(true)),
            _ => None,
        },
        _ => None,
    }
}

fn items_are_text(kind: &Value) -> bool {
    kind.pointer("/items/type").and_then(Value::as_str) == Some("string")
}

fn whole_number(number: f64) -> Option<Value> {
    /// Up to here a float holds every whole number.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within ±2^53")]
    let whole = |number: f64| Value::from(number as i64);
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| whole(number))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A value as a note shows it: short, on one line.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    if text.chars().count() > 60 {
        short.push('…');
    }
    closed(short)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "required": ["url"], "properties": {
            "url": {"type": "string"}, "limit": {"type": "integer"}, "score": {"type": "number"},
            "words": {"type": "array", "items": {"type": "string"}}, "remote": {"type": "boolean"}, "since": {"type": "string"},
            "max_age": {"type": "integer"}
        }})
    }

    fn read(given: &Value) -> (Value, usize) {
        let given = given.as_object().cloned().unwrap_or_default();
        let (read, notes) = as_declared(&schema(), "{}", given).unwrap();
        (Value::Object(read), notes.len())
    }

    #[test]
    fn what_agents_send_is_read_as_meant_and_noted() {
        for (given, wanted, notes) in [
            (
                json!({"url": "x", "limit": 5}),
                json!({"url": "x", "limit": 5}),
                0,
            ),
            (json!({"query": "rust"}), json!({"url": "rust"}), 1),
            (json!({"tickers": "AAPL"}), json!({"url": "AAPL"}), 1),
            (json!({"url": null, "query": "rust"}), json!({"url": "rust"}), 1),
            (json!({"url": ["a", "b"]}), json!({"url": "a,b"}), 1),
            (json!({"url": 4_242}), json!({"url": "4242"}), 1),
            (
                json!({"url": "x", "limit": "4"}),
                json!({"url": "x", "limit": 4}),
                1,
            ),
            (
                json!({"url": "x", "score": "4.5"}),
                json!({"url": "x", "score": 4.5}),
                1,
            ),
            (
                json!({"url": "x", "words": "a, b,"}),
                json!({"url": "x", "words": ["a", "b"]}),
                1,
            ),
            (
                json!({"url": "x", "remote": "true"}),
                json!({"url": "x", "remote": true}),
                1,
            ),
            (
                json!({"url": "x", "limit": 0, "since": " ", "words": null, "score": 0.0}),
                json!({"url": "x"}),
                0,
            ),
            (
                json!({"url": "x", "limit": 4.0, "words": ["a", 5], "toolCallId": "c1", "sessionId": null}),
                json!({"url": "x", "limit": 4, "words": ["a", "5"]}),
                3,
            ),
            (
                json!({"query": "rust", "toolCallId": "c1"}),
                json!({"url": "rust"}),
                2,
            ),
            (
                json!({"url": "x", "max_age": 0}),
                json!({"url": "x", "max_age": 0}),
                0,
            ),
            (
                json!({"url": "x", "max_age": "0"}),
                json!({"url": "x", "max_age": 0}),
                1,
            ),
            (
                json!({"url": "x", "limit": "0", "score": " -0.0 ", "since": [" "]}),
                json!({"url": "x"}),
                0,
            ),
        ] {
            assert_eq!(read(&given), (wanted, notes), "{given}");
        }
    }

    #[test]
    fn what_has_more_than_one_reading_stays_as_it_is() {
        for given in [
            json!({"url": "x", "query": "rust"}),
            json!({"query": "rust", "topic": "go"}),
            json!({"uri": {"a": 1}, "more": 1}),
            json!({"other": "x"}),
        ] {
            let left = given
                .get("url")
                .map_or_else(|| json!({}), |url| json!({"url": url}));
            assert_eq!(
                read(&given),
                (left, 1),
                "{given}: what is not known is ignored, and said"
            );
        }
        for given in [
            json!({"url": ""}),
            json!({"url": 0}),
            json!({"url": [["a"]]}),
            json!({"url": "x", "limit": "many"}),
            json!({"url": "x", "limit": "NaN"}),
            json!({"url": "x", "remote": "maybe"}),
            json!({"url": "x", "remote": false}),
        ] {
            let (became, notes) = read(&given);
            if given != json!({"url": 0}) {
                assert_eq!((&became, notes), (&given, 0));
            }
        }
    }

    #[test]
    fn a_near_miss_is_refused_by_its_name() {
        for (name, meant) in [
            ("limt", "limit"),
            ("Limit", "limit"),
            ("maxAge", "max_age"),
            ("max-age", "max_age"),
            ("sicne", "since"),
            ("urls", "url"),
        ] {
            let given = Map::from_iter([("url".to_owned(), json!("x")), (name.to_owned(), json!(5))]);
            let error = as_declared(&schema(), r#"{"url": "x"}"#, given).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(name));
            assert!(error.message.contains(&format!("`{meant}`")), "{}", error.message);
        }
    }

    proptest! {
        #[test]
        fn reading_twice_changes_nothing(name in "url|query|limit|words|remote|x", text in "\\PC{0,20}", number: i32) {
            for value in [json!(text), json!(number), json!([text]), json!(null)] {
                let given = Map::from_iter([("url".to_owned(), json!("u")), (name.clone(), value)]);
                let (once, _) = as_declared(&schema(), "{}", given).unwrap();
                let (twice, notes) = as_declared(&schema(), "{}", once.clone()).unwrap();
                prop_assert_eq!(once, twice);
                prop_assert_eq!(notes.len(), 0);
            }
        }
    }
}
