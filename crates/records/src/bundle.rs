//! The records of one call.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::ids::kind_of;
use crate::objects::record::{is_empty, record};
use crate::objects::{
    Assembly, BudgetRecord, Compaction, Envelope, Event, Injection, Item, Missing, Selection, SourceRef,
    Summary, Surface, Window,
};
use crate::values::Kind;

/// The version of Agent Context that these records follow. Its text is a draft without a number.
pub const SCHEMA_VERSION: &str = "draft";

/// Where the schemas are published; a schema's `$id` is this and its file.
pub const SCHEMAS: &str =
    "https://raw.githubusercontent.com/freshcontext/freshcontext/main/schemas/agent-context/";

record! {
    /// The records of one call: the envelope, and whatever of the other kinds applies.
    Bundle
    needs {
        /// The snapshot.
        context_envelope: Envelope,
    }
    lists {
        /// What was available.
        context_surface: Vec<Surface>,
        /// Units of context.
        context_item: Vec<Item>,
        /// Where they are from.
        context_source_ref: Vec<SourceRef>,
        /// What was selected.
        context_selection: Vec<Selection>,
        /// The room there was.
        context_budget: Vec<BudgetRecord>,
        /// How it is laid out.
        context_window: Vec<Window>,
        /// What was put together.
        context_assembly: Vec<Assembly>,
        /// Where it became visible.
        context_injection: Vec<Injection>,
        /// What was replaced.
        context_compaction: Vec<Compaction>,
        /// What stands in.
        context_summary: Vec<Summary>,
        /// What is missing.
        missing_context: Vec<Missing>,
        /// What happened, in the order of cause and effect.
        context_event: Vec<Event>,
    }
}

/// Fields whose references lead out of a bundle: what the caller named, and records of other calls.
const LEADING_OUT: [&str; 9] = [
    "actor_refs",
    "runtime_refs",
    "policy_refs",
    "evidence_refs",
    "telemetry_refs",
    "provenance_refs",
    "external_mappings",
    "metadata",
    "call",
];

/// One record of a bundle as JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// The record.
    pub value: Value,
}

/// The name of the field with a record's own id.
pub const fn id_field(kind: Kind) -> &'static str {
    match kind {
        Kind::Envelope => "context_id",
        Kind::Surface => "surface_id",
        Kind::Item => "item_id",
        Kind::SourceRef => "source_id",
        Kind::Selection => "selection_id",
        Kind::Budget => "budget_id",
        Kind::Window => "window_id",
        Kind::Assembly => "assembly_id",
        Kind::Injection => "injection_id",
        Kind::Compaction => "compaction_id",
        Kind::Summary => "summary_id",
        Kind::Missing => "missing_id",
        Kind::Event => "event_id",
    }
}

impl Bundle {
    /// All records, the envelope first.
    pub fn records(&self) -> Vec<Record> {
        let whole = serde_json::to_value(self).unwrap_or_default();
        let mut out = Vec::new();
        for kind in Kind::ALL {
            let records = match whole.get(kind.as_str()) {
                Some(Value::Array(records)) => records.as_slice(),
                Some(record) => std::slice::from_ref(record),
                None => &[],
            };
            out.extend(records.iter().map(|value| {
                Record {
                    kind: *kind,
                    id: value
                        .get(id_field(*kind))
                        .and_then(Value::as_str)
                        .unwrap_or_default()
                        .to_owned(),
                    value: value.clone(),
                }
            }));
        }
        out
    }

    /// The bundle of these records; the error says what is wrong with which.
    pub fn of_records(records: impl IntoIterator<Item = (Kind, Value)>) -> Result<Self, String> {
        let mut whole = serde_json::Map::new();
        for (kind, value) in records {
            if kind == Kind::Envelope {
                if whole.insert(kind.as_str().to_owned(), value).is_some() {
                    return Err("there are two envelopes: a bundle has one".to_owned());
                }
            } else {
                let list = whole
                    .entry(kind.as_str())
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.push(value);
                }
            }
        }
        serde_json::from_value(Value::Object(whole)).map_err(|error| error.to_string())
    }

    /// References that no record of the bundle answers to, each with the record and field that holds it.
    pub fn dangling(&self) -> Vec<String> {
        let records = self.records();
        let known: BTreeSet<&str> = records.iter().map(|record| record.id.as_str()).collect();
        let mut out = Vec::new();
        for record in &records {
            references(&record.value, "", &mut |field, reference| {
                if !known.contains(reference) {
                    out.push(format!("{} {field}: {reference}", record.id));
                }
            });
        }
        out
    }
}

/// Every text that has the form of one of our ids, but for fields that lead out.
fn references(value: &Value, field: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) if kind_of(text).is_some() => found(field, text),
        Value::Array(values) => values.iter().for_each(|value| references(value, field, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if !LEADING_OUT.contains(&name.as_str()) {
                    references(value, name, found);
                }
            }
        }
        _ => {}
    }
}
