//! Records in the forms that others read.

mod cloudevents;
mod prov;

use serde_json::{Value, json};

use crate::bundle::Bundle;
use crate::ids::Ids;
use crate::objects::{Event, Facts};
use crate::values::{EventClass, Kind};
use freshcontext_redact::joined;

/// A form of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object.
    Json,
    /// A line for each record: `{"object": KIND, "record": ...}`.
    JsonLines,
    /// A batch of CloudEvents 1.0 in JSON, one for each event; the last carries the whole bundle.
    CloudEvents,
    /// PROV-JSON (W3C member submission of 2013).
    Prov,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Json, Self::JsonLines, Self::CloudEvents, Self::Prov];

    /// The name at the shell.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::CloudEvents => "cloudevents",
            Self::Prov => "prov",
        }
    }
}

/// Writes a bundle. The export is an event of its own, at the moment of `ids`, and is written with the rest.
pub fn export(bundle: &Bundle, format: Format, at: &str, ids: &mut Ids) -> String {
    let mut bundle = bundle.clone();
    let cause = bundle.context_event.last().map(|event| event.event_id.clone());
    bundle.context_event.push(Event {
        event_id: ids.next(Kind::Event),
        event_class: EventClass::Exported,
        context_id: bundle.context_envelope.context_id.clone(),
        sequence: bundle.context_event.len() as u64 + 1,
        created_at: at.to_owned(),
        cause_ref: cause,
        lifecycle: None,
        subject_refs: vec![bundle.context_envelope.context_id.clone()],
        metadata: Facts::from_iter([("format".to_owned(), json!(format.as_str()))]),
    });
    match format {
        Format::Json => written(&bundle),
        Format::JsonLines => bundle
            .records()
            .into_iter()
            .map(|record| json!({"object": record.kind.as_str(), "record": record.value}))
            .map(|mut line| {
                joined(&mut line);
                line.to_string()
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Format::CloudEvents => written(&cloudevents::batch(&bundle)),
        Format::Prov => written(&prov::document(&bundle)),
    }
}

/// The form as text. What became a secret only by being put together in it is masked.
fn written(value: &impl serde::Serialize) -> String {
    let mut value = serde_json::to_value(value).unwrap_or_default();
    joined(&mut value);
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

/// Reads a bundle out of any of the forms but PROV, and out of an answer that holds one: a structured result, an MCP
/// result, or a whole JSON-RPC answer.
pub fn read(text: &str) -> Result<Bundle, String> {
    let whole: Result<Value, _> = serde_json::from_str(text);
    let value = match whole {
        Ok(value) if value.get("object").is_none() => value,
        _ => return lines(text),
    };
    if let Value::Array(events) = &value {
        return cloudevents::bundle(events);
    }
    let places = [
        "",
        "/records",
        "/structuredContent/records",
        "/result/structuredContent/records",
    ];
    let found = places
        .iter()
        .filter_map(|place| value.pointer(place))
        .find(|place| place.get(Kind::Envelope.as_str()).is_some());
    let Some(found) = found else {
        return Err("there are no records in it (no context_envelope)".to_owned());
    };
    serde_json::from_value(found.clone()).map_err(|error| error.to_string())
}

fn lines(text: &str) -> Result<Bundle, String> {
    let mut records = Vec::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let mut value: Value =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1))?;
        let kind = value.get("object").and_then(Value::as_str).and_then(Kind::named);
        let record = value.get_mut("record").map(Value::take);
        let (Some(kind), Some(record)) = (kind, record) else {
            return Err(format!("line {}: is no {{\"object\", \"record\"}}", at + 1));
        };
        records.push((kind, record));
    }
    Bundle::of_records(records)
}
