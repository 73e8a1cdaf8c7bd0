//! The output schema of composites.

use serde_json::{Value, json};

use crate::answer::{answer_schema, failure_schema, names_only};

/// The output schema of a composite. A section's `result` has the shape of [`answer_schema`], by its names alone, for
/// the size of the list of tools. The flat failure object is admitted too.
pub fn composite_schema() -> Value {
    let (text, whole, maybe) = (
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": ["string", "null"]}),
    );
    let mut result = names_only(&answer_schema());
    // A section that failed has `error` in place of `result`.
    if let Some(names) = result.get_mut("properties").and_then(Value::as_object_mut) {
        names.remove("message");
        names.remove("code");
    }
    json!({
        "type": "object",
        "properties": {
            "generated_at": text,
            "query": text,
            "partial": {"type": "boolean"},
            "coverage": {"type": "object", "properties": {
                "sources": whole,
                "answered": whole,
                "stale": whole,
                "failed": whole,
                "weakest": {"type": ["object", "null"], "properties": {
                    "adapter": {}, "content_date": {}, "confidence": {}, "score": {}
                }},
                "missing": {"type": "array", "items": {"type": "object", "properties": {
                    "adapter": {}, "code": {}, "tool": {}
                }}}
            }},
            "sections": {"type": "array", "items": {"type": "object", "properties": {
                "adapter": text,
                "tool": text,
                "label": text,
                "status": {"enum": ["success", "partial", "empty", "stale", "failed"]},
                "newest": maybe,
                "age": maybe,
                "score": {"type": ["number", "null"]},
                "items": whole,
                "result": result,
                "stale": {"type": "object", "properties": {
                    "score": {}, "content_date": {}, "threshold": {}, "message": {}
                }},
                "error": failure_schema()
            }}},
            "notes": {"type": "array", "items": text},
            "message": {},
            "code": {}
        },
        "anyOf": [{"required": ["sections"]}, {"required": ["message"]}]
    })
}
