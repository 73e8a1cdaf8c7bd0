//! CloudEvents 1.0 in the JSON batch format.

use serde_json::{Value, json};

use crate::bundle::{Bundle, SCHEMAS};
use crate::values::EventClass;

/// One for each event, in causal order. The one that says `context.exported` carries the bundle.
pub(super) fn batch(bundle: &Bundle) -> Vec<Value> {
    let source = format!("urn:freshcontext:context:{}", bundle.context_envelope.context_id);
    let events = bundle.context_event.iter().map(|event| {
        let last = event.event_class == EventClass::Exported;
        let (schema, data) = if last {
            ("bundle.json", json!(bundle))
        } else {
            ("context_event.json", json!(event))
        };
        let mut out = json!({
            "specversion": "1.0",
            "id": event.event_id,
            "source": source,
            "type": event.event_class.as_str(),
            "time": event.created_at,
            "datacontenttype": "application/json",
            "dataschema": format!("{SCHEMAS}{schema}"),
            // Extensions of ours: names of CloudEvents have lower case letters and digits only.
            "sequence": event.sequence.to_string(),
        });
        if let Some(fields) = out.as_object_mut() {
            if let Some(subject) = event.subject_refs.first() {
                fields.insert("subject".to_owned(), subject.as_str().into());
            }
            if let Some(cause) = &event.cause_ref {
                fields.insert("causeid".to_owned(), cause.as_str().into());
            }
            fields.insert("data".to_owned(), data);
        }
        out
    });
    events.collect()
}

/// The bundle in a batch.
pub(super) fn bundle(events: &[Value]) -> Result<Bundle, String> {
    let carrier = events
        .iter()
        .rev()
        .find(|event| event.get("type").and_then(Value::as_str) == Some(EventClass::Exported.as_str()))
        .and_then(|event| event.get("data"))
        .ok_or("no event of the batch is context.exported: the bundle would be in it")?;
    serde_json::from_value(carrier.clone()).map_err(|error| error.to_string())
}
