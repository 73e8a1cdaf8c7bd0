//! Types of JSON Schema, as far as the description of the interface uses it.

use serde_json::Value;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these words.
    Words(Vec<String>),
    List(Box<Shape>),
    /// An object with these fields.
    Fields(Vec<Field>),
    /// An object of whatever fields.
    Map,
    /// A named type.
    Named(String),
    Either(Vec<Shape>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) is_required: bool,
    pub(super) about: Option<String>,
    pub(super) shape: Shape,
}

impl Shape {
    /// Reads a schema.
    pub(super) fn of(schema: &Value) -> Self {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return Self::Named(camel(reference.rsplit('/').next().unwrap_or_default()));
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return Self::Words(
                words
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            );
        }
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return Self::Words(vec![word.to_owned()]);
        }
        if schema.get("properties").is_some() {
            return Self::fields(schema);
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(name).and_then(Value::as_array) {
                return Self::either(branches.iter().map(Self::of).collect());
            }
        }
        match schema.get("type") {
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                Self::either(kinds.map(|kind| Self::simple(kind, schema)).collect())
            }
            Some(Value::String(kind)) => Self::simple(kind, schema),
            _ => Self::Any,
        }
    }

    fn simple(kind: &str, schema: &Value) -> Self {
        match kind {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::Text,
            "array" => Self::List(Box::new(schema.get("items").map_or(Self::Any, Self::of))),
            "object" => Self::Map,
            _ => Self::Any,
        }
    }

    fn either(branches: Vec<Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for branch in branches {
            match branch {
                Self::Any => return Self::Any,
                // Words of several branches are one set.
                Self::Words(words) => match kept.iter_mut().find(|shape| matches!(shape, Self::Words(_))) {
                    Some(Self::Words(known)) => known.extend(words),
                    _ => kept.push(Self::Words(words)),
                },
                other if kept.contains(&other) => {}
                other => kept.push(other),
            }
        }
        if kept.len() == 1 {
            return kept.pop().unwrap_or(Self::Any);
        }
        Self::Either(kept)
    }

    fn fields(schema: &Value) -> Self {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten().map(|(name, schema)| Field {
            name: name.clone(),
            is_required: required.contains(&name.as_str()),
            about: schema.get("description").and_then(Value::as_str).map(one_line),
            shape: Self::of(schema),
        });
        Self::Fields(fields.collect())
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("*/", "* /")
}

/// `extract_arxiv_result` as the name of a type.
pub(super) fn camel(name: &str) -> String {
    name.split(['_', '.', '/'])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .into_iter()
                .flat_map(char::to_uppercase)
                .chain(letters)
                .collect::<String>()
        })
        .collect()
}
