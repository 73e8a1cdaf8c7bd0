//! Output schemas, small on purpose: they travel with every list of tools.

use serde_json::{Value, json};

/// The output schema of a tool with one source. It also admits the flat failure object, for clients
/// that check error results too.
pub fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "freshcontext": {
                "type": "object",
                "properties": {
                    "source_url": {"type": "string"},
                    "content_date": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "retrieved_at": {"type": "string"},
                    "freshness_confidence": {"enum": ["high", "medium", "low"]},
                    "freshness_score": {"anyOf": [{"type": "number", "minimum": 0, "maximum": 100}, {"type": "null"}]},
                    "adapter": {"type": "string"},
                    "decay_rate": {"type": "number"}
                },
                "required": ["source_url", "content_date", "retrieved_at", "freshness_confidence", "freshness_score", "adapter"],
                "additionalProperties": false
            },
            "content": {"type": "string"},
            "staleness": {"enum": ["fresh", "aging", "stale", "unknown"]},
            "revalidate_after": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "status": {"enum": ["success", "partial", "empty"]},
            "items": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "url": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "published_at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "date_confidence": {"enum": ["high", "medium", "low"]},
                    "freshness_score": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "summary": {"type": "string"},
                    "fields": {"type": "object"}
                },
                "required": ["title", "url", "published_at", "date_confidence", "freshness_score", "summary", "fields"]
            }},
            "truncated": {"type": "integer"},
            "notes": {"type": "array", "items": {"type": "string"}},
            "next_cursor": {"type": "string"},
            "code": {"type": "string"},
            "message": {"type": "string"}
        },
        "anyOf": [
            {"required": ["freshcontext", "content", "staleness", "status", "items", "truncated", "notes"]},
            {"required": ["code", "message"]}
        ]
    })
}

/// The properties of the flat failure object, for schemas and documentation that list them.
pub fn failure_properties() -> Value {
    json!({
        "code": {"type": "string"},
        "message": {"type": "string"},
        "source": {"type": "string"},
        "adapter": {"type": "string"},
        "http_status": {"type": "integer"},
        "retry_after_s": {"type": "integer"},
        "attempts": {"type": "integer"},
        "retrieved_at": {"type": "string"},
        "detail": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "hint": {"type": "string"},
        "field": {"type": "string"}
    })
}
