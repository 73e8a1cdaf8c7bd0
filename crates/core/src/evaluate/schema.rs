//! What the tool declares about itself.

use freshcontext_contract::as_of_property;
use serde_json::{Map, Value, json};

use super::profile::{INTENTS, PROFILES};
use super::verdict::Decision;
use crate::answer::or_null;

/// The tool's name.
pub const TOOL: &str = "evaluate_context";
/// The tool's title.
pub const TITLE: &str = "Evaluate context";
/// What the tool does, for the model that chooses it.
pub const DESCRIPTION: &str = "Ranks context you have by relevance and age: use, cite, refresh, verify, watch or exclude each, and why. Fetches nothing.";

fn property(kind: &str, about: &str) -> Value {
    json!({"type": kind, "description": about})
}

fn properties(list: &[(&str, &str, &str)]) -> Map<String, Value> {
    list.iter()
        .map(|(name, kind, about)| ((*name).to_owned(), property(kind, about)))
        .collect()
}

fn one_of<'a>(about: &str, values: impl Iterator<Item = &'a str>) -> Value {
    json!({"type": "string", "description": about, "enum": values.collect::<Vec<_>>()})
}

/// The schema of the arguments: one plain object.
pub fn input_schema() -> Value {
    let mut signal = properties(&[
        ("source", "string", "URL or stable name"),
        ("source_type", "string", "Kind, e.g. arxiv, jobs"),
        ("title", "string", "Title"),
        ("content", "string", "Text"),
        ("published_at", "string", "E.g. 2026-01-31"),
        ("retrieved_at", "string", "Fetched at"),
        ("semantic_score", "number", "Your relevance, 0 to 1"),
    ]);
    let status = ["success", "partial", "stale", "failed", "unknown"];
    signal.insert(
        "date_confidence".to_owned(),
        one_of(
            "Of published_at",
            ["high", "medium", "low", "unknown"].into_iter(),
        ),
    );
    signal.insert("status".to_owned(), one_of("Of retrieval", status.into_iter()));
    signal.insert("id".to_owned(), property("string", "Your id"));
    json!({
        "type": "object",
        "properties": {
            "profile": one_of("Kind of sources", PROFILES.iter().map(|profile| profile.id)),
            "intent": one_of("What it is for", INTENTS.iter().map(|intent| intent.id)),
            "signals": {
                "type": "array",
                "description": "Up to 500 documents as you hold them (http_status, content_type, final_url, metadata too), or tool results",
                "items": {"type": "object", "properties": signal},
            },
            "query": property("string", "Your question"),
            "now": property("string", "Default is now"),
            "as_of": as_of_property(),
            "budget": freshcontext_budget::input_schema(),
        },
        "required": ["signals"],
    })
}

/// The schema of the structured result: every field is declared with its type.
pub fn output_schema() -> Value {
    let text = json!({"type": "string"});
    let (maybe, score) = (or_null("string"), or_null("number"));
    let texts = json!({"type": "array", "items": text});
    let provenance = json!({"type": "object", "properties": {
        "state": text,
        "source_identity": {"type": "object", "properties": {
            "source_type": text, "result_id": maybe, "completeness": text
        }},
        "published_at": maybe,
        "retrieved_at": maybe,
        "timing_confidence": text,
        "timing_completeness": text,
        "canonical_content_sha256": maybe,
        "semantic_fingerprint_sha256": maybe,
        "warnings": texts
    }});
    let mut schema = json!({
        "type": "object",
        "properties": {
            "profile": text,
            "intent": text,
            "now": text,
            "notes": texts,
            "legend": property("object", "Label, meaning, action, summary"),
            "records": property("object", "schemas/agent-context/bundle.json"),
            "results": {
                "type": "array",
                                "items": {
                    "type": "object",
                    "properties": {
                        "index": property("integer", "Place from 1"),
                        "id": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                        "input_index": property("integer", "In signals, from 0"),
                        "title": text,
                        "source": text,
                        "source_type": text,
                        "decision": {"enum": Decision::ALL.map(Decision::as_str)},
                        "label": text,
                        "freshness_score": score,
                        "rank_score": property("number", "0 to 1, sets the order"),
                        "selection_rank": {"type": "number"},
                        "relevance": text,
                        "utility_score": score,
                        "confidence": text,
                        "why": texts,
                        "warnings": texts,
                        "standing": {"type": "object"},
                        "verdict_id": text,
                        "evaluated_at": text,
                        "revalidate_after": maybe,
                        "handoff": {"type": "object", "properties": {
                            "safe_for_agent_handoff": {"type": "boolean"}, "reason": text
                        }},
                        "provenance_readiness": provenance
                    },
                    "required": ["index", "decision", "rank_score", "why", "verdict_id"],
                },
            },
        },
        "required": ["profile", "intent", "now", "legend", "results"],
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("origins".to_owned(), json!({"type": "object"}));
        properties
            .extend(freshcontext_budget::output_schemas().map(|(name, schema)| (name.to_owned(), schema)));
    }
    schema
}
