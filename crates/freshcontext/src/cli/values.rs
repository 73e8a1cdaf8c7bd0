//! Converts `key=value` words of a shell into tool arguments, typed by the tool's schema.

use std::borrow::Cow;
use std::path::Path;

use freshcontext_contract::{Limits, code};
use freshcontext_core::unreadable::why_unreadable;
use serde_json::{Map, Number, Value};

use freshcontext_files::read::{self as input, Bound};

/// Reads the words of `freshcontext call <tool> ...` by the tool's input schema: `key=value`, `key=@FILE`,
/// JSON objects, `@FILE` and `-` (stdin). All files together are limited to `limits.input_bytes`. Errors are
/// one line.
pub fn read(schema: &Value, words: &[String], limits: &Limits) -> Result<Map<String, Value>, String> {
    let mut files = Files(Bound::input(limits));
    let empty = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let names = || {
        properties
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut arguments = Map::new();
    for word in words {
        if let Some(object) = whole(word, &mut files)? {
            for (key, value) in object {
                if arguments.contains_key(&key) {
                    return Err(format!("{} is given twice", code(&key)));
                }
                arguments.insert(key, value);
            }
            continue;
        }
        let named = word.split_once('=').and_then(|(key, value)| {
            let key = key.trim();
            properties
                .get(key)
                .map(|property| (key.to_owned(), property, value))
        });
        let (key, property, text) = match named {
            Some(named) => named,
            None => bare(schema, properties, word).ok_or_else(|| {
                format!(
                    "{} is not key=value with a key of this tool (it takes {})",
                    code(word),
                    names()
                )
            })?,
        };
        let text = given(text, &mut files).map_err(|problem| format!("{}: {problem}", code(&key)))?;
        let value = typed(property, &text).map_err(|problem| format!("{} {problem}", code(&key)))?;
        match (arguments.get_mut(&key), value) {
            (None, value) => {
                arguments.insert(key, value);
            }
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(_), _) => return Err(format!("{} is given twice", code(&key))),
        }
    }
    Ok(arguments)
}

/// Reads a word with named arguments: a JSON object, or a reference to one.
fn whole(word: &str, files: &mut Files) -> Result<Option<Map<String, Value>>, String> {
    let (text, what) = if word.trim_start().starts_with('{') {
        (
            word.to_owned(),
            "the argument begins like a JSON object and is none".to_owned(),
        )
    } else if word == "-" || names_a_file(word) && !word.starts_with("@@") {
        let file = word.strip_prefix('@').unwrap_or(word);
        (files.text(file)?, format!("{word} does not hold a JSON object"))
    } else {
        return Ok(None);
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(arguments)) => Ok(Some(arguments)),
        Ok(_) => Err(what),
        Err(_) => {
            let why = why_unreadable(text.as_bytes());
            Err(why.map_or(what, |why| {
                format!(
                    "{} {why}",
                    if word.starts_with('{') {
                        "the argument"
                    } else {
                        word
                    }
                )
            }))
        }
    }
}

/// Returns whether a value refers to a file; `@@` escapes `@`.
pub(super) fn names_a_file(text: &str) -> bool {
    text.starts_with('@')
}

/// Returns the value of a text: the text itself, or a file's content without the final line ending.
fn given<'t>(text: &'t str, files: &mut Files) -> Result<Cow<'t, str>, String> {
    match text.strip_prefix('@') {
        None => Ok(Cow::Borrowed(text)),
        Some(literal) if literal.starts_with('@') => Ok(Cow::Borrowed(literal)),
        Some(file) => {
            let mut content = files.text(file)?;
            content.truncate(content.trim_end_matches(['\n', '\r']).len());
            Ok(Cow::Owned(content))
        }
    }
}

/// Files of arguments, and the bytes that may still be read.
struct Files(Bound);

impl Files {
    fn text(&mut self, file: &str) -> Result<String, String> {
        let bytes = input::read(Path::new(file), self.0).map_err(|refused| refused.to_string())?;
        self.0 = self.0.less(bytes.len());
        String::from_utf8(bytes).map_err(|_| format!("{file} is not UTF-8 text"))
    }
}

/// Assigns a word without a key to the tool's single required argument.
fn bare<'s, 'w>(
    schema: &Value,
    properties: &'s Map<String, Value>,
    word: &'w str,
) -> Option<(String, &'s Value, &'w str)> {
    let required = schema.get("required")?.as_array()?;
    let [Value::String(name)] = required.as_slice() else {
        return None;
    };
    // `qurey=rust` is a typing error rather than a value, but an address with a query is a value.
    let slip = word
        .split_once('=')
        .is_some_and(|(key, _)| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    let property = properties.get(name)?;
    (!slip).then(|| (name.clone(), property, word))
}

fn typed(property: &Value, text: &str) -> Result<Value, String> {
    match property.get("type").and_then(Value::as_str) {
        Some("integer") => text
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| "must be a whole number".to_owned()),
        Some("number") => text
            .trim()
            .parse::<f64>()
            .ok()
            .and_then(Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| "must be a number".to_owned()),
        Some("boolean") => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" | "on" => Ok(Value::Bool(true)),
            "false" | "no" | "0" | "off" => Ok(Value::Bool(false)),
            _ => Err("must be true or false".to_owned()),
        },
        Some("array") => list(property, text),
        Some("object") => match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err("must be a JSON object".to_owned()),
        },
        _ => Ok(Value::from(text)),
    }
}

fn list(property: &Value, text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('[') {
        return match serde_json::from_str(text) {
            Ok(value @ Value::Array(_)) => Ok(value),
            _ => Err("begins like a JSON list and is none".to_owned()),
        };
    }
    let items = property.get("items").unwrap_or(&Value::Null);
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| typed(items, part))
        .collect::<Result<Vec<_>, _>>()
        .map(Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({"type": "object", "required": ["query"], "properties": {
            "query": {"type": "string"}, "limit": {"type": "integer"}, "ratio": {"type": "number"},
            "remote": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}},
            "years": {"type": "array", "items": {"type": "integer"}}, "extra": {"type": "object"},
        }})
    }

    fn arguments(words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&schema(), &words, &Limits::DEFAULT).map(Value::Object)
    }

    #[test]
    fn values_are_typed_by_the_schema() {
        let found = arguments(&[
            "query=5",
            "limit=5",
            "ratio=0.5",
            "remote=yes",
            "tags=a, b",
            "years=[1,2]",
            r#"extra={"a":1}"#,
        ]);
        let expected = json!({"query": "5", "limit": 5, "ratio": 0.5, "remote": true, "tags": ["a", "b"], "years": [1, 2], "extra": {"a": 1}});
        assert_eq!(found.unwrap(), expected);
        assert_eq!(arguments(&["query=a=b"]).unwrap(), json!({"query": "a=b"}));
        assert_eq!(
            arguments(&["years=1,2", "years=3", "query=x"]).unwrap()["years"],
            json!([1, 2, 3])
        );
    }

    #[test]
    fn a_bare_word_is_the_required_argument() {
        assert_eq!(
            arguments(&["rust async"]).unwrap(),
            json!({"query": "rust async"})
        );
        assert_eq!(
            arguments(&["https://example.com/?a=b"]).unwrap(),
            json!({"query": "https://example.com/?a=b"})
        );
    }

    #[test]
    fn a_json_object_is_all_arguments() {
        assert_eq!(
            arguments(&[r#"{"query": "x", "limit": 1}"#]).unwrap(),
            json!({"query": "x", "limit": 1})
        );
        assert!(arguments(&["{oops"]).is_err());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test's own file")]
    fn a_value_or_all_arguments_come_from_a_file() {
        let file = std::env::temp_dir().join(format!("freshcontext-arguments-{}", std::process::id()));
        let at = |key: &str| format!("{key}@{}", file.display());
        std::fs::write(&file, "two\nlines\r\n").unwrap();
        assert_eq!(
            arguments(&[&at("query=")]).unwrap(),
            json!({"query": "two\nlines"})
        );
        assert!(arguments(&[&at("")]).unwrap_err().contains("JSON"));
        std::fs::write(&file, r#"{"query": "x", "limit": 1}"#).unwrap();
        assert_eq!(
            arguments(&[&at(""), "remote=no"]).unwrap(),
            json!({"query": "x", "limit": 1, "remote": false})
        );
        assert!(arguments(&[&at(""), "limit=2"]).unwrap_err().contains("twice"));
        std::fs::remove_file(&file).unwrap();
        assert!(arguments(&[&at("query=")]).unwrap_err().contains("cannot read"));
        assert_eq!(arguments(&["query=@@rust"]).unwrap(), json!({"query": "@rust"}));
        assert_eq!(arguments(&["@@rust"]).unwrap(), json!({"query": "@rust"}));
    }

    #[test]
    fn slips_are_named() {
        assert!(arguments(&["qurey=rust"]).unwrap_err().contains("limit"));
        assert!(
            arguments(&["limit=ten", "query=x"])
                .unwrap_err()
                .contains("`limit`")
        );
        assert!(arguments(&["query=a", "query=b"]).unwrap_err().contains("twice"));
        assert!(
            arguments(&["remote=perhaps"])
                .unwrap_err()
                .contains("true or false")
        );
    }
}
