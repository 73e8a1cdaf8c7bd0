//! The output schema of composites.

use serde_json::{Value, json};

use crate::answer::admit_failures;

/// The output schema of a composite. A section's `result` has the shape of
/// [`answer_schema`](crate::answer::answer_schema); it is not repeated, for the size of the list of
/// tools. The flat failure object is admitted too.
pub fn composite_schema() -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "generated_at": {"type": "string"},
            "query": {"type": "string"},
            "partial": {"type": "boolean"},
            "coverage": {
                "type": "object",
                "properties": {
                    "sources": {"type": "integer"},
                    "answered": {"type": "integer"},
                    "stale": {"type": "integer"},
                    "failed": {"type": "integer"},
                    "weakest": {"type": ["object", "null"]},
                    "missing": {"type": "array", "items": {"type": "object"}}
                },
                "required": ["sources", "answered", "stale", "failed", "weakest", "missing"]
            },
            "sections": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "adapter": {"type": "string"},
                    "tool": {"type": "string"},
                    "label": {"type": "string"},
                    "status": {"enum": ["success", "partial", "empty", "stale", "failed"]},
                    "newest": {"type": ["string", "null"]},
                    "age": {"type": ["string", "null"]},
                    "score": {"type": ["number", "null"]},
                    "items": {"type": "integer"},
                    "result": {"type": "object"},
                    "stale": {"type": "object"},
                    "error": {"type": "object"}
                },
                "required": ["adapter", "label", "status"]
            }},
            "notes": {"type": "array", "items": {"type": "string"}}
        },
        "anyOf": [
            {"required": ["generated_at", "query", "partial", "coverage", "sections"]},
            {"required": ["code", "message"]}
        ]
    });
    admit_failures(&mut schema);
    schema
}
