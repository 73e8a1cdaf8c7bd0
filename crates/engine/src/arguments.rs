//! Looking at a call's arguments as a whole: how deep, how big, and how to log them.

use std::fmt::Write as _;

use freshcontext_contract::SourceError;
use freshcontext_redact::masked;
use serde_json::{Map, Value};

use crate::borrowed::BorrowedArguments;

/// A call's arguments.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// As rmcp has them.
    Owned(Map<String, Value>),
    /// Those of a judgement, which may be large.
    Borrowed(BorrowedArguments),
}

impl From<Map<String, Value>> for Arguments {
    fn from(arguments: Map<String, Value>) -> Self {
        Self::Owned(arguments)
    }
}

impl Arguments {
    /// The arguments as a map of their own.
    pub(super) fn read(self, example: &str) -> Result<Map<String, Value>, SourceError> {
        match self {
            Self::Owned(arguments) => Ok(arguments),
            Self::Borrowed(arguments) => serde_json::from_slice(arguments.json()),
        }
        .map_err(|error| {
            SourceError::invalid_input("arguments", "must be a JSON object", example).caused_by(error)
        })
    }

    /// About how many bytes of text they hold.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Owned(arguments) => text_bytes(arguments),
            Self::Borrowed(arguments) => arguments.json().len(),
        }
    }

    /// Whether they hold an argument of this name.
    pub fn hold(&self, name: &str) -> bool {
        match self {
            Self::Owned(arguments) => arguments.contains_key(name),
            Self::Borrowed(arguments) => arguments.hold(name),
        }
    }

    /// The argument of this name; of two, the last.
    pub(super) fn get(&self, name: &str) -> Option<Value> {
        match self {
            Self::Owned(arguments) => arguments.get(name).cloned(),
            Self::Borrowed(arguments) => {
                let fields = arguments.value().as_object()?;
                let found = fields.iter().filter(|(known, _)| *known == name).last();
                found.map(|(_, value)| Value::from(value))
            }
        }
    }

    /// For the log: names and sizes, never what a caller wrote.
    pub(super) fn redacted(&self) -> String {
        match self {
            Self::Owned(arguments) => redacted(arguments),
            Self::Borrowed(arguments) => format!("json({})", arguments.json().len()),
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

/// The arguments with secrets masked in names that the tool does not declare. An error repeats such a name, cut to a
/// length at which a secret may no longer be recognised.
pub(super) fn with_clean_names(schema: &Value, arguments: Map<String, Value>) -> Map<String, Value> {
    let declared = schema.get("properties").and_then(Value::as_object);
    let is_declared = |name: &String| declared.is_some_and(|declared| declared.contains_key(name));
    if arguments.keys().all(is_declared) {
        return arguments;
    }
    arguments
        .into_iter()
        .map(|(name, value)| {
            let clean = if is_declared(&name) {
                name
            } else {
                masked(&name).0.into_owned()
            };
            (clean, value)
        })
        .collect()
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
        // A caller may put a secret into a name, too. It is searched before characters are replaced in it.
        let name = masked(name).0;
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
