//! Input schemas that every model dialect accepts: one plain object, no references, unions or nulls.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::arg_spec::ArgSpec;

/// The schema of a tool's arguments: the adapter's own fields, then the common ones.
pub fn argument_schema<I: JsonSchema>(spec: &ArgSpec) -> Value {
    let mut schema = plain_object::<I>();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.extend(spec.properties());
    }
    schema
}

/// The schema of a type as one plain object: nothing but `type`, `properties`, `required`, and per
/// property `type`, `description`, `enum`, `minimum`, `maximum`, `default`, `examples`, `items`.
pub fn plain_object<I: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator();
    let full = Value::from(generator.into_root_schema_for::<I>());
    let mut properties = Map::new();
    if let Some(fields) = full.get("properties").and_then(Value::as_object) {
        for (name, field) in fields {
            properties.insert(name.clone(), plain(field));
        }
    }
    let mut out = json!({"type": "object", "properties": properties});
    if let (Some(required), Some(object)) = (full.get("required"), out.as_object_mut()) {
        object.insert("required".to_owned(), required.clone());
    }
    out
}

/// Keeps what models need of a property and removes what trips the weaker dialects.
fn plain(schema: &Value) -> Value {
    let Some(object) = schema.as_object() else {
        return json!({});
    };
    // An optional value comes as `anyOf [T, null]`: take T, keep the outer description.
    if let Some(Value::Array(choices)) = object.get("anyOf") {
        let not_null = |choice: &&Value| choice.get("type") != Some(&json!("null"));
        let mut inner = choices.iter().find(not_null).map_or_else(|| json!({}), plain);
        if let (Some(about), Some(inner)) = (object.get("description"), inner.as_object_mut()) {
            inner.insert("description".to_owned(), about.clone());
        }
        return inner;
    }
    let mut out = Map::new();
    if let Some(kind) = object.get("type") {
        let kind = match kind {
            Value::Array(kinds) => kinds
                .iter()
                .find(|kind| **kind != json!("null"))
                .cloned()
                .unwrap_or(Value::Null),
            other => other.clone(),
        };
        out.insert("type".to_owned(), kind);
    }
    for key in ["enum", "minimum", "maximum", "default", "examples", "description"] {
        // An optional field's default is null, which says nothing.
        if let Some(value) = object.get(key).filter(|value| !value.is_null()) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(items) = object.get("items") {
        out.insert("items".to_owned(), plain(items));
    }
    if let Some(fields) = object.get("properties").and_then(Value::as_object) {
        let fields: Map<_, _> = fields
            .iter()
            .map(|(name, field)| (name.clone(), plain(field)))
            .collect();
        out.insert("properties".to_owned(), Value::Object(fields));
        if let Some(required) = object.get("required") {
            out.insert("required".to_owned(), required.clone());
        }
    }
    Value::Object(out)
}
