//! Looking at a call's arguments as a whole: how deep, how big, and how to log them.

use std::fmt::Write as _;

use bytes::Bytes;
use freshcontext_contract::SourceError;
use serde_json::{Map, Value};

/// A call's arguments.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// Read.
    Read(Map<String, Value>),
    /// As JSON text in UTF-8. Large ones are read faster by who knows what is in them.
    Json(Bytes),
}

impl From<Map<String, Value>> for Arguments {
    fn from(arguments: Map<String, Value>) -> Self {
        Self::Read(arguments)
    }
}

impl Arguments {
    /// The arguments, read.
    pub(super) fn read(self, example: &str) -> Result<Map<String, Value>, SourceError> {
        match self {
            Self::Read(arguments) => Ok(arguments),
            Self::Json(text) => serde_json::from_slice(&text),
        }
        .map_err(|error| {
            SourceError::invalid_input("arguments", "must be a JSON object", example).caused_by(error)
        })
    }

    /// About how many bytes of text they hold.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Read(arguments) => text_bytes(arguments),
            Self::Json(text) => text.len(),
        }
    }

    /// Whether they may hold an argument of this name. As text, whatever else holds it in quotes counts, too.
    pub(crate) fn may_hold(&self, name: &str) -> bool {
        match self {
            Self::Read(arguments) => arguments.contains_key(name),
            Self::Json(text) => memchr::memmem::find(text, format!("\"{name}\"").as_bytes()).is_some(),
        }
    }

    /// For the log: names and sizes, never what a caller wrote.
    pub(super) fn redacted(&self) -> String {
        match self {
            Self::Read(arguments) => redacted(arguments),
            Self::Json(text) => format!("json({})", text.len()),
        }
    }
}

/// Whether a value nests deeper than `most` levels. Never recurses deeper than that itself.
pub(super) fn deeper_than(value: &Value, most: usize) -> bool {
    match value {
        Value::Array(values) => {
            most == 0
                || values
                    .iter()
                    .any(|value| deeper_than(value, most.saturating_sub(1)))
        }
        Value::Object(entries) => {
            most == 0
                || entries
                    .values()
                    .any(|value| deeper_than(value, most.saturating_sub(1)))
        }
        _ => false,
    }
}

/// Bytes of all texts in the arguments.
fn text_bytes(arguments: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len(),
            Value::Array(values) => values.iter().map(of).sum(),
            Value::Object(entries) => entries.iter().map(|(name, value)| name.len() + of(value)).sum(),
            _ => 0,
        }
    }
    arguments.iter().map(|(name, value)| name.len() + of(value)).sum()
}

fn redacted(arguments: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (name, value) in arguments.iter().take(12) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(
            name.chars()
                .take(32)
                .map(|c| if c.is_ascii_graphic() { c } else { '?' }),
        );
        out.push('=');
        match value {
            Value::String(text) => drop(write!(out, "text({})", text.chars().count())),
            Value::Array(values) => drop(write!(out, "list({})", values.len())),
            Value::Object(entries) => drop(write!(out, "object({})", entries.len())),
            Value::Number(_) => out.push_str("number"),
            Value::Bool(value) => out.push_str(&value.to_string()),
            Value::Null => out.push_str("null"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn depth_is_judged_exactly() {
        assert!(!deeper_than(&json!({"a": 1}), 1));
        assert!(deeper_than(&json!({"a": [1]}), 1));
        assert!(!deeper_than(&json!({"a": [1]}), 2));
        assert!(!deeper_than(&json!("text"), 0));
    }

    #[test]
    fn the_log_form_holds_no_text_of_the_caller_and_is_one_line() {
        let arguments = json!({"query": "my secret\nplan", "a\nb": [1], "limit": 5});
        let line = redacted(arguments.as_object().unwrap());
        assert_eq!(line, "query=text(14) a?b=list(1) limit=number");
    }
}
