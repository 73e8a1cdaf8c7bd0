//! JSON Schemas of the records, made from the types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::bundle::{Bundle, SCHEMAS};
use crate::objects;
use crate::options::Context;
use crate::values::Kind;

/// Every schema, by the name of its file: one for each of the thirteen objects, the bundle, and what a caller may say.
pub fn all() -> Vec<(String, String)> {
    let mut out = vec![file::<Bundle>("bundle"), file::<Context>("caller_context")];
    out.extend(Kind::ALL.iter().map(|kind| match kind {
        Kind::Envelope => file::<objects::Envelope>(kind.as_str()),
        Kind::Surface => file::<objects::Surface>(kind.as_str()),
        Kind::Item => file::<objects::Item>(kind.as_str()),
        Kind::SourceRef => file::<objects::SourceRef>(kind.as_str()),
        Kind::Selection => file::<objects::Selection>(kind.as_str()),
        Kind::Budget => file::<objects::BudgetRecord>(kind.as_str()),
        Kind::Window => file::<objects::Window>(kind.as_str()),
        Kind::Assembly => file::<objects::Assembly>(kind.as_str()),
        Kind::Injection => file::<objects::Injection>(kind.as_str()),
        Kind::Compaction => file::<objects::Compaction>(kind.as_str()),
        Kind::Summary => file::<objects::Summary>(kind.as_str()),
        Kind::Missing => file::<objects::Missing>(kind.as_str()),
        Kind::Event => file::<objects::Event>(kind.as_str()),
    }));
    out.sort();
    out
}

fn file<T: JsonSchema>(name: &str) -> (String, String) {
    let mut schema = SchemaGenerator::new(SchemaSettings::draft2020_12())
        .into_root_schema_for::<T>()
        .to_value();
    if let Value::Object(fields) = &mut schema {
        fields.insert("$id".to_owned(), json!(format!("{SCHEMAS}{name}.json")));
    }
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    (format!("{name}.json"), text + "\n")
}
