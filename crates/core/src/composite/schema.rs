//! The output schema of composites.

use serde_json::{Value, json};

use crate::answer::or_null;

/// The output schema of a composite. What a section's tool answered is an object that its own schema describes; said
/// again here it would be most of the list of tools. A section that failed has `error`, the flat failure object, in its
/// place; a whole answer may be one too. One that was held back has `stale` or `undated`: kind, score, content_date,
/// threshold, message. One that was not asked has `skipped`: message.
pub fn composite_schema() -> Value {
    let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
    let (maybe, score) = (or_null("string"), or_null("number"));
    json!({
        "type": "object",
        "properties": {
            "generated_at": text,
            "query": text,
            "content_is_external": {"type": "boolean"},
            "partial": {"type": "boolean"},
            "coverage": {"type": "object", "properties": {
                "sources": whole,
                "answered": whole,
                "stale": whole,
                "undated": whole,
                "skipped": whole,
                "failed": whole,
                "weakest": or_null("object"),
                "missing": {"type": "array", "items": {"type": "object", "properties": {
                    "adapter": text, "code": text, "tool": text
                }}}
            }},
            "sections": {"type": "array", "items": {"type": "object", "properties": {
                "adapter": text,
                "tool": text,
                "label": text,
                "status": {"enum": ["success", "partial", "empty", "stale", "undated", "skipped", "failed"]},
                "newest": maybe,
                "age": maybe,
                "score": score,
                "items": whole,
                "taken_for": text,
                "looked_through": text,
                "arguments": {"type": "object"},
                "result": {"type": "object"},
                "stale": {"type": "object"},
                "undated": {"type": "object"},
                "skipped": {"type": "object"},
                "error": {"type": "object"}
            }}},
            "origins": {"type": "object"},
            "notes": {"type": "array", "items": text},
            "records": {"type": "object"},
            "message": text,
            "code": text
        },
        "required": ["generated_at", "coverage", "sections"]
    })
}
