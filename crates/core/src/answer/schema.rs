//! Output schemas, small on purpose: they travel with every list of tools.

use serde_json::{Value, json};

/// The output schema of a tool with one source. It also admits the flat failure object, for clients
/// that check error results too.
pub fn answer_schema() -> Value {
    let (text, whole, maybe) = (
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": ["string", "null"]}),
    );
    let score = json!({"type": ["number", "null"]});
    let confidence = json!({"enum": ["high", "medium", "low"]});
    let mut schema = json!({
        "type": "object",
        "properties": {
            "freshcontext": {
                "type": "object",
                "properties": {
                    "source_url": text, "content_date": maybe, "retrieved_at": text, "freshness_confidence": confidence,
                    "freshness_score": score, "adapter": text, "decay_rate": {"type": "number"}
                },
                "required": ["source_url", "content_date", "retrieved_at", "freshness_confidence", "freshness_score"]
            },
            "content": text,
            "content_age": maybe,
            "staleness": {"enum": ["fresh", "aging", "stale", "unknown"]},
            "revalidate_after": maybe,
            "content_is_external": {"type": "boolean"},
            "status": {"enum": ["success", "partial", "empty"]},
            "route": text,
            "summary": text,
            "fields": {"type": "object"},
            "items": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "id": text, "title": text, "url": maybe, "source": text, "source_type": text, "retrieved_at": text,
                    "published_at": maybe, "age": maybe, "date_confidence": confidence, "freshness_score": score,
                    "summary": text, "fields": {"type": "object"}
                },
                "required": ["title", "published_at", "date_confidence", "freshness_score"]
            }},
            "truncated": whole,
            "skipped": {"type": "array", "items": {"type": "object", "properties": {"count": whole, "reason": text}}},
            "failures": {"type": "array", "items": {
                "type": "object", "properties": {"what": text, "code": text, "message": text}
            }},
            "notes": {"type": "array", "items": text},
            "next_cursor": text
        },
        "anyOf": [
            {"required": ["freshcontext", "staleness", "status", "items", "truncated", "notes"]},
            {"required": ["code", "message"]}
        ]
    });
    admit_failures(&mut schema);
    schema
}

/// Adds the properties of the flat failure object to a schema that does not name them.
pub(crate) fn admit_failures(schema: &mut Value) {
    if let (Some(properties), Value::Object(failure)) = (
        schema.get_mut("properties").and_then(Value::as_object_mut),
        failure_properties(),
    ) {
        for (name, kind) in failure {
            properties.entry(name).or_insert(kind);
        }
    }
}

/// The properties of the flat failure object that decide what a caller does next. The others (`source`, `adapter`,
/// `http_status`, `attempts`, `retrieved_at`, `detail`) are admitted without being listed, for the size of the list of
/// tools.
fn failure_properties() -> Value {
    json!({
        "message": {"type": "string"},
        "code": {"type": "string"},
        "hint": {"type": "string"},
        "retry_after_s": {"type": "integer"},
        "field": {"type": "string"}
    })
}
