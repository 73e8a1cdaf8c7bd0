//! Output schemas: every field of an answer is declared with its one type, and as little else as can be, since they
//! travel with every list of tools. What may be null is an `anyOf`, which more model dialects read than a list of types.

use serde_json::{Value, json};

/// The output schema of a tool with one source. It requires nothing, since some clients check failed results too.
pub fn answer_schema() -> Value {
    let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
    let (maybe, score) = (or_null("string"), or_null("number"));
    json!({
        "type": "object",
        "properties": {
            "freshcontext": {"type": "object", "properties": {
                "source_url": text, "content_date": maybe, "retrieved_at": text, "freshness_confidence": text,
                "freshness_score": score, "adapter": text, "decay_rate": {"type": "number"}
            }},
            "content": text,
            "content_age": maybe,
            "staleness": text,
            "revalidate_after": maybe,
            "content_is_external": {"type": "boolean"},
            "as_of": text,
            "standing": {"type": "object"},
            "standing_told": text,
            "status": {"enum": ["success", "partial", "empty"]},
            "route": text,
            "summary": text,
            "fields": {"type": "object"},
            "items": {"type": "array", "items": {"type": "object", "properties": {
                "n": whole, "id": text, "title": text, "url": maybe, "source": text, "source_type": text, "retrieved_at": text,
                "published_at": maybe, "age": maybe, "date_confidence": text, "freshness_score": score,
                "standing": {"type": "object"}, "summary": text, "fields": {"type": "object"}
            }}},
            "truncated": whole,
            "skipped": {"type": "array", "items": {"type": "object", "properties": {"count": whole, "reason": text}}},
            "failures": {"type": "array", "items": {"type": "object", "properties": {
                "what": text, "code": text, "message": text, "standing": {"type": "object"}
            }}},
            "notes": {"type": "array", "items": text},
            "next_cursor": text,
            "records": {"type": "object"},
            "message": text,
            "code": text
        },
        "required": ["freshcontext", "status", "items"]
    })
}

/// Some clients check failed results against the schema too, so it must admit them.
pub fn admitting_failure(mut schema: Value) -> Value {
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    if object.contains_key("anyOf") || !object.contains_key("required") {
        return schema;
    }
    if let Some(required) = object.remove("required") {
        object.insert(
            "anyOf".to_owned(),
            json!([{"required": required}, {"required": ["code", "message"]}]),
        );
    }
    schema
}

/// The schema of an answer that says how many origins its items have, too.
pub fn with_origins(mut schema: Value) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("origins".to_owned(), json!({"type": "object"}));
    }
    schema
}

/// The schema of a value of this kind, or null.
pub(crate) fn or_null(kind: &str) -> Value {
    json!({"anyOf": [{"type": kind}, {"type": "null"}]})
}
