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
                    "content_date": {"type": ["string", "null"]},
                    "retrieved_at": {"type": "string"},
                    "freshness_confidence": {"enum": ["high", "medium", "low"]},
                    "freshness_score": {"type": ["number", "null"], "minimum": 0, "maximum": 100},
                    "adapter": {"type": "string"},
                    "decay_rate": {"type": "number"}
                },
                "required": ["source_url", "content_date", "retrieved_at", "freshness_confidence", "freshness_score", "adapter"],
                "additionalProperties": false
            },
            "content": {"type": "string"},
            "staleness": {"enum": ["fresh", "aging", "stale", "unknown"]},
            "revalidate_after": {"type": ["string", "null"]},
            "status": {"enum": ["success", "partial", "empty"]},
            "items": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "url": {"type": ["string", "null"]},
                    "published_at": {"type": ["string", "null"]},
                    "date_confidence": {"enum": ["high", "medium", "low"]},
                    "freshness_score": {"type": ["number", "null"]},
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
        "detail": {"type": ["string", "null"]},
        "hint": {"type": "string"},
        "field": {"type": "string"}
    })
}
