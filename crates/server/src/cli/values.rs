//! `key=value` words of the shell to the arguments of a tool, typed by its schema.

use serde_json::{Map, Number, Value};

/// Reads the words of `freshcontext call <tool> ...` by the tool's input schema. An error is one line.
pub fn read(schema: &Value, words: &[String]) -> Result<Map<String, Value>, String> {
    if let [word] = words
        && word.trim_start().starts_with('{')
    {
        return match serde_json::from_str(word) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            _ => Err("the argument begins like a JSON object and is none".to_owned()),
        };
    }
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
                    "`{word}` is not key=value with a key of this tool (it takes {})",
                    names()
                )
            })?,
        };
        let value = typed(property, text).map_err(|problem| format!("`{key}` {problem}"))?;
        match (arguments.get_mut(&key), value) {
            (None, value) => {
                arguments.insert(key, value);
            }
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(_), _) => return Err(format!("`{key}` is given twice")),
        }
    }
    Ok(arguments)
}

/// A word without a key stands for the tool's one required argument.
fn bare<'s, 'w>(
    schema: &Value,
    properties: &'s Map<String, Value>,
    word: &'w str,
) -> Option<(String, &'s Value, &'w str)> {
    let required = schema.get("required")?.as_array()?;
    let [Value::String(name)] = required.as_slice() else {
        return None;
    };
    // `qurey=rust` is a slip of the pen, not a value; an address with a query is a value.
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

    fn given(words: &[&str]) -> Result<Value, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        read(&schema(), &words).map(Value::Object)
    }

    #[test]
    fn values_are_typed_by_the_schema() {
        let arguments = given(&[
            "query=5",
            "limit=5",
            "ratio=0.5",
            "remote=yes",
            "tags=a, b",
            "years=[1,2]",
            r#"extra={"a":1}"#,
        ]);
        let expected = json!({"query": "5", "limit": 5, "ratio": 0.5, "remote": true, "tags": ["a", "b"], "years": [1, 2], "extra": {"a": 1}});
        assert_eq!(arguments.unwrap(), expected);
        assert_eq!(given(&["query=a=b"]).unwrap(), json!({"query": "a=b"}));
        assert_eq!(
            given(&["years=1,2", "years=3", "query=x"]).unwrap()["years"],
            json!([1, 2, 3])
        );
    }

    #[test]
    fn a_bare_word_is_the_required_argument() {
        assert_eq!(given(&["rust async"]).unwrap(), json!({"query": "rust async"}));
        assert_eq!(
            given(&["https://example.com/?a=b"]).unwrap(),
            json!({"query": "https://example.com/?a=b"})
        );
    }

    #[test]
    fn a_json_object_is_all_arguments() {
        assert_eq!(
            given(&[r#"{"query": "x", "limit": 1}"#]).unwrap(),
            json!({"query": "x", "limit": 1})
        );
        assert!(given(&["{oops"]).is_err());
    }

    #[test]
    fn slips_are_named() {
        assert!(given(&["qurey=rust"]).unwrap_err().contains("limit"));
        assert!(given(&["limit=ten", "query=x"]).unwrap_err().contains("`limit`"));
        assert!(given(&["query=a", "query=b"]).unwrap_err().contains("twice"));
        assert!(given(&["remote=perhaps"]).unwrap_err().contains("true or false"));
    }
}
