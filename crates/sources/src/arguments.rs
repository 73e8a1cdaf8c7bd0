//! Shared arguments of the composites.

use freshcontext_contract::limits::MIN_RESULT_CHARS;
use freshcontext_contract::{SourceError, as_of_property, decode_input, max_length_property, read_as_of};
use serde_json::{Map, Value, json};

use crate::composite::Composite;

/// Returns the schema of a composite: its own texts, the first one required, and the shared arguments.
pub fn schema(max_length: usize, texts: &[(&str, &str)]) -> Value {
    let mut properties = Map::new();
    for (name, about) in texts {
        properties.insert(
            (*name).to_owned(),
            json!({ "type": "string", "description": about }),
        );
    }
    properties.insert("max_length".to_owned(), max_length_property(max_length));
    properties.insert(
        "min_freshness_score".to_owned(),
        json!({ "type": "number", "description": "Hide staler", "minimum": 1, "maximum": 100 }),
    );
    properties.insert("as_of".to_owned(), as_of_property());
    let required: Vec<&str> = texts.first().map(|(name, _)| *name).into_iter().collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Validated arguments of one call.
#[derive(Debug)]
pub struct Given {
    /// The required text.
    pub first: String,
    /// Its name.
    name: String,
    example: &'static str,
    rest: Map<String, Value>,
    /// Maximum length of the answer, in characters.
    pub max_length: usize,
    /// Sections below this score show a warning.
    pub min_score: Option<f64>,
    /// Nothing later than this, as the caller wrote it.
    pub as_of: Option<Value>,
}

impl Given {
    /// Validates arguments against the composite's schema. Blank options count as absent.
    pub fn read(
        composite: &Composite,
        arguments: Map<String, Value>,
        max_length: usize,
    ) -> Result<Self, SourceError> {
        let schema = (composite.input_schema)();
        let example = composite.example;
        let mut rest: Map<String, Value> = decode_input(&schema, example, arguments)?;
        let wrong = |name: &str, problem: &str| {
            SourceError::invalid_input(name.to_owned(), problem.to_owned(), example)
        };
        let max_length = match rest.remove("max_length") {
            None => max_length,
            Some(value) => {
                let number = value
                    .as_f64()
                    .filter(|number| number.fract() == 0.0 && *number >= 1.0);
                let number =
                    number.ok_or_else(|| wrong("max_length", "must be a whole number of 1 or more"))?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole, and the cast saturates"
                )]
                let number = number as usize;
                number.max(MIN_RESULT_CHARS)
            }
        };
        let min_score = match rest.remove("min_freshness_score") {
            None => None,
            Some(value) => {
                let number = value.as_f64().filter(|number| (0.0..=100.0).contains(number));
                Some(number.ok_or_else(|| wrong("min_freshness_score", "must be a number from 0 to 100"))?)
            }
        };
        let as_of = rest.remove("as_of");
        if let Some(given) = &as_of {
            read_as_of(given)?;
        }
        for (name, value) in &mut rest {
            let text = value.as_str().ok_or_else(|| wrong(name, "must be text"))?;
            *value = Value::from(text.trim());
        }
        let required = schema
            .get("required")
            .and_then(|names| names.get(0))
            .and_then(Value::as_str);
        let name = required.unwrap_or_default().to_owned();
        let first = rest
            .get(&name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        if !first.chars().any(char::is_alphanumeric) {
            return Err(wrong(&name, "holds nothing to search for"));
        }
        Ok(Self {
            first,
            name,
            example,
            rest,
            max_length,
            min_score,
            as_of,
        })
    }

    /// Returns an optional text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.rest
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Returns the required text as words. An address is an error, because each source would interpret it
    /// differently.
    pub fn words(&self) -> Result<&str, SourceError> {
        if self.first.contains("://") {
            return Err(SourceError::invalid_input(
                self.name.clone(),
                "must be words, not an address",
                self.example,
            ));
        }
        Ok(&self.first)
    }
}
