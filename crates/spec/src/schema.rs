//! The JSON Schema of the specification's JSON form, with the fields that this server adds. It is strict: required fields,
//! closed sets of words, scores from 0 to 100. The schemas in the list of tools declare the same fields and require little,
//! because they travel with each list.

use freshcontext_core::answer::{answer_schema, with_origins};
use serde_json::{Map, Value, json};

use crate::specification;

/// A day, or a moment with a time zone.
const DATE: &str = r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$";
/// A moment with a time zone.
const MOMENT: &str = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$";
const CONFIDENCES: [&str; 3] = ["high", "medium", "low"];

/// Returns the schema (JSON Schema 2020-12).
pub fn json_schema() -> Value {
    let mut schema = with_origins(answer_schema());
    let score = json!({"anyOf": [{"type": "number", "minimum": 0, "maximum": 100}, {"type": "null"}]});
    let date = json!({"anyOf": [{"type": "string", "pattern": DATE}, {"type": "null"}]});
    let moment = json!({"type": "string", "pattern": MOMENT});
    if let Some(envelope) = properties(&mut schema, &["properties", "freshcontext"]) {
        envelope.extend(fields(json!({
            "source_url": {"type": "string", "format": "uri"},
            "content_date": date,
            "retrieved_at": moment,
            "freshness_confidence": {"enum": CONFIDENCES},
            "freshness_score": score,
            "adapter": {"type": "string", "minLength": 1},
            "decay_rate": {"type": "number", "exclusiveMinimum": 0}
        })));
    }
    if let Some(item) = properties(&mut schema, &["properties", "items", "items"]) {
        item.extend(fields(json!({
            "n": {"type": "integer", "minimum": 1},
            "published_at": date,
            "retrieved_at": moment,
            "date_confidence": {"enum": CONFIDENCES},
            "freshness_score": score
        })));
    }
    if let Some(own) = properties(&mut schema, &[]) {
        // A failed call is no answer of the specification.
        own.shift_remove("code");
        own.shift_remove("message");
        own.extend(fields(json!({"truncated": {"type": "integer", "minimum": 0}})));
    }
    close(
        &mut schema,
        &["properties", "freshcontext"],
        &[
            "source_url",
            "content_date",
            "retrieved_at",
            "freshness_confidence",
            "freshness_score",
            "adapter",
        ],
    );
    close(
        &mut schema,
        &["properties", "items", "items"],
        &["n", "published_at", "date_confidence"],
    );
    close(&mut schema, &[], &["freshcontext", "status"]);
    if let Some(object) = schema.as_object_mut() {
        let head = fields(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "FreshContext",
            "description": format!(
                "{} {}: the JSON form, with the fields that this server adds",
                specification::NAME,
                specification::VERSION
            ),
        }));
        let body = std::mem::take(object);
        *object = head.into_iter().chain(body).collect();
    }
    schema
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn at<'s>(schema: &'s mut Value, path: &[&str]) -> Option<&'s mut Map<String, Value>> {
    let mut place = schema;
    for name in path {
        place = place.get_mut(*name)?;
    }
    place.as_object_mut()
}

fn properties<'s>(schema: &'s mut Value, path: &[&str]) -> Option<&'s mut Map<String, Value>> {
    at(schema, path)?.get_mut("properties")?.as_object_mut()
}

/// Requires fields of an object, and allows no others than the declared ones.
fn close(schema: &mut Value, path: &[&str], required: &[&str]) {
    if let Some(object) = at(schema, path) {
        object.insert("required".to_owned(), json!(required));
        object.insert("additionalProperties".to_owned(), false.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        json!({
            "freshcontext": {
                "source_url": "https://example.com/a", "content_date": "2026-11-20", "retrieved_at": "2026-11-21T12:00:00.000Z",
                "freshness_confidence": "high", "freshness_score": 97, "adapter": "hackernews", "decay_rate": 0.02
            },
            "status": "success",
            "items": [{"n": 1, "published_at": null, "date_confidence": "low"}]
        })
    }

    #[test]
    fn it_accepts_an_answer_and_refuses_each_departure() {
        let validator = jsonschema::validator_for(&json_schema()).unwrap();
        assert!(validator.is_valid(&answer()));
        for (place, value) in [
            ("/freshcontext/freshness_score", json!(101)),
            ("/freshcontext/freshness_score", json!(-1)),
            ("/freshcontext/freshness_score", json!("97")),
            ("/freshcontext/freshness_confidence", json!("certain")),
            ("/freshcontext/content_date", json!("yesterday")),
            ("/freshcontext/content_date", json!("2026")),
            ("/freshcontext/retrieved_at", json!("2026-11-21")),
            ("/freshcontext/retrieved_at", json!(null)),
            ("/freshcontext/decay_rate", json!(0)),
            ("/freshcontext/adapter", json!("")),
            ("/status", json!("failed")),
            ("/items/0/freshness_score", json!(100.1)),
            ("/items/0/date_confidence", json!("unknown")),
            ("/items/0/n", json!(0)),
            ("/freshcontext", json!({})),
        ] {
            let mut wrong = answer();
            match wrong.pointer_mut(place) {
                Some(found) => *found = value.clone(),
                None => wrong["items"][0]["freshness_score"] = value.clone(),
            }
            assert!(!validator.is_valid(&wrong), "{place} {value}");
        }
        for name in [
            "source_url",
            "retrieved_at",
            "freshness_score",
            "adapter",
            "content_date",
        ] {
            let mut wrong = answer();
            wrong["freshcontext"].as_object_mut().unwrap().shift_remove(name);
            assert!(!validator.is_valid(&wrong), "without {name}");
        }
        let failure = json!({"code": "timeout", "message": "timed out"});
        assert!(!validator.is_valid(&failure));
    }
}
