//! What the tool declares about itself.

use serde_json::{Map, Value, json};

use super::profile::{INTENTS, PROFILES};
use super::verdict::Decision;

/// The tool's name.
pub const TOOL: &str = "evaluate_context";
/// The tool's title.
pub const TITLE: &str = "Evaluate context";
/// What the tool does, for the model that chooses it.
pub const DESCRIPTION: &str = "Ranks context you have by relevance and age: use, cite, refresh, verify, watch or exclude each, and why. Fetches nothing: other tools do.";

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
        ("title", "string", "Title in one line"),
        ("content", "string", "Text to be judged"),
        ("published_at", "string", "Publication, e.g. 2026-01-31"),
        ("retrieved_at", "string", "When it was fetched"),
        ("semantic_score", "number", "Your relevance, 0 to 1"),
        ("http_status", "integer", "Of the retrieval"),
        ("content_type", "string", "Its media type"),
        ("final_url", "string", "After all redirects"),
    ]);
    let status = ["success", "partial", "stale", "failed", "unknown"];
    signal.insert(
        "date_confidence".to_owned(),
        one_of(
            "How sure published_at is",
            ["high", "medium", "low", "unknown"].into_iter(),
        ),
    );
    signal.insert(
        "status".to_owned(),
        one_of("How retrieval went", status.into_iter()),
    );
    signal.insert("id".to_owned(), property("string", "Your id for it"));
    signal.insert("metadata".to_owned(), property("object", "Facts of its origin"));
    json!({
        "type": "object",
        "properties": {
            "profile": one_of("Kind; sets decay", PROFILES.iter().map(|profile| profile.id)),
            "intent": one_of("Purpose of it all", INTENTS.iter().map(|intent| intent.id)),
            "signals": {
                "type": "array",
                "description": "1 to 500: source with title or content, or these tools' results",
                "items": {"type": "object", "properties": signal},
            },
            "query": property("string", "What you look for"),
            "now": property("string", "Default the present"),
            "budget": freshcontext_budget::input_schema(),
        },
        "required": ["profile", "intent", "signals"],
    })
}

/// The schema of the structured result: every field is declared; a property without a type is text or null.
pub fn output_schema() -> Value {
    let names = |list: &[&str]| -> Map<String, Value> {
        list.iter().map(|name| ((*name).to_owned(), json!({}))).collect()
    };
    let maybe = |kind: &str| json!({"type": [kind, "null"]});
    let object = |list: &[&str]| json!({"type": "object", "properties": names(list)});
    let mut result = names(&[
        "title",
        "source",
        "source_type",
        "label",
        "confidence",
        "relevance",
        "verdict_id",
        "evaluated_at",
    ]);
    result.extend([
        ("index".to_owned(), json!({"type": "integer"})),
        (
            "decision".to_owned(),
            json!({"enum": Decision::ALL.map(Decision::as_str)}),
        ),
        (
            "rank_score".to_owned(),
            property("number", "0 to 1, sets the order"),
        ),
        ("freshness_score".to_owned(), maybe("number")),
        ("utility_score".to_owned(), maybe("number")),
        ("revalidate_after".to_owned(), maybe("string")),
        ("why".to_owned(), json!({"type": "array"})),
        ("warnings".to_owned(), json!({"type": "array"})),
        (
            "handoff".to_owned(),
            object(&["safe_for_agent_handoff", "reason"]),
        ),
    ]);
    let mut origin = names(&[
        "state",
        "published_at",
        "retrieved_at",
        "timing_confidence",
        "timing_completeness",
        "canonical_content_sha256",
        "semantic_fingerprint_sha256",
        "warnings",
    ]);
    origin.insert(
        "source_identity".to_owned(),
        object(&["source_type", "result_id", "completeness"]),
    );
    result.insert(
        "provenance_readiness".to_owned(),
        json!({"type": "object", "properties": origin}),
    );
    for list in ["why", "warnings"] {
        if let Some(list) = result.get_mut(list).and_then(Value::as_object_mut) {
            list.insert("items".to_owned(), json!({"type": "string"}));
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": {
            "profile": {"type": "string"},
            "intent": {"type": "string"},
            "now": {"type": "string"},
            "legend": property("object", "Per decision: label, meaning, action, summary"),
            "results": {
                "type": "array",
                "description": "In rank order",
                "items": {
                    "type": "object",
                    "properties": result,
                    "required": ["index", "decision", "rank_score", "why", "verdict_id"],
                },
            },
        },
        "required": ["profile", "intent", "now", "legend", "results"],
    });
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties
            .extend(freshcontext_budget::output_schemas().map(|(name, schema)| (name.to_owned(), schema)));
    }
    schema
}
