//! Output schemas: every field of an answer is declared, and as little else as can be, since they travel with every
//! list of tools. A property without a type is text.

use serde_json::{Map, Value, json};

/// The output schema of a tool with one source. It admits the flat failure object too, since some clients check error
/// results.
pub fn answer_schema() -> Value {
    let (text, whole, maybe) = (
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": ["string", "null"]}),
    );
    let score = json!({"type": ["number", "null"]});
    json!({
        "type": "object",
        "properties": {
            "freshcontext": {"type": "object", "properties": {
                "source_url": {}, "content_date": maybe, "retrieved_at": {}, "freshness_confidence": {},
                "freshness_score": score, "adapter": {}, "decay_rate": {"type": "number"}
            }},
            "content": text,
            "content_age": maybe,
            "staleness": text,
            "revalidate_after": maybe,
            "content_is_external": {"type": "boolean"},
            "status": {"enum": ["success", "partial", "empty"]},
            "route": {},
            "summary": text,
            "fields": {"type": "object"},
            "items": {"type": "array", "items": {"type": "object", "properties": {
                "id": text, "title": text, "url": maybe, "source": text, "source_type": text, "retrieved_at": text,
                "published_at": maybe, "age": maybe, "date_confidence": text, "freshness_score": score,
                "summary": text, "fields": {"type": "object"}
            }}},
            "truncated": whole,
            "skipped": {"type": "array", "items": {"type": "object", "properties": {"count": whole, "reason": {}}}},
            "failures": {"type": "array", "items": {"type": "object", "properties": {"what": {}, "code": {}, "message": {}}}},
            "notes": {"type": "array", "items": text},
            "next_cursor": {},
            "message": {},
            "code": {}
        },
        "anyOf": [{"required": ["freshcontext"]}, {"required": ["message"]}]
    })
}

/// A schema's names without the types of its leaves, for where it stands within another.
pub(crate) fn names_only(schema: &Value) -> Value {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let names: Map<String, Value> = properties
            .iter()
            .map(|(name, property)| (name.clone(), names_only(property)))
            .collect();
        return json!({"type": "object", "properties": names});
    }
    match schema
        .get("items")
        .filter(|items| items.get("properties").is_some())
    {
        Some(items) => json!({"type": "array", "items": names_only(items)}),
        None if schema.get("type") == Some(&json!("object")) => schema.clone(),
        None => json!({}),
    }
}

/// The schema of the flat failure object where it stands within another.
pub(crate) fn failure_schema() -> Value {
    let names = [
        "message",
        "code",
        "source",
        "adapter",
        "http_status",
        "retry_after_s",
        "attempts",
        "retrieved_at",
        "detail",
        "hint",
        "field",
    ];
    let properties: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({"type": "object", "properties": properties})
}
