//! What the tool declares about itself.

use serde_json::{Map, Value, json};

use super::profile::{INTENTS, PROFILES};
use super::verdict::Decision;

/// The tool's name.
pub const TOOL: &str = "evaluate_context";
/// The tool's title.
pub const TITLE: &str = "Evaluate";
/// What the tool does, for the model that chooses it.
pub const DESCRIPTION: &str = "Ranks context you hold by relevance and age; says use, cite, refresh, verify, watch or exclude each, and why. A signal may be an item or a whole result of these tools, as it came; pass query where there are no semantic_scores.";

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
        ("source_type", "string", "e.g. arxiv, jobs"),
        ("title", "string", "Title"),
        ("content", "string", "Text"),
        ("published_at", "string", "ISO date"),
        ("retrieved_at", "string", "ISO date"),
        ("semantic_score", "number", "Relevance 0..1"),
        ("http_status", "integer", "Of the retrieval"),
        ("content_type", "string", "Media type"),
        ("final_url", "string", "After redirects"),
    ]);
    let status = ["success", "partial", "stale", "failed", "unknown"];
    signal.insert(
        "date_confidence".to_owned(),
        one_of("Of the date", ["high", "medium", "low", "unknown"].into_iter()),
    );
    signal.insert("status".to_owned(), one_of("Retrieval", status.into_iter()));
    signal.insert("id".to_owned(), property("string", "Id"));
    signal.insert("metadata".to_owned(), property("object", "Origin facts"));
    json!({
        "type": "object",
        "properties": {
            "profile": one_of("Kind of sources", PROFILES.iter().map(|profile| profile.id)),
            "intent": one_of("Purpose", INTENTS.iter().map(|intent| intent.id)),
            "signals": {
                "type": "array",
                "description": "1-500, each with source and a title or content; or items or results of these tools",
                "items": {"type": "object", "properties": signal},
            },
            "query": property("string", "What you look for; judges relevance where semantic_score is absent"),
            "now": property("string", "ISO clock"),
            "budget": freshcontext_budget::input_schema(),
        },
        "required": ["profile", "intent", "signals"],
    })
}

/// The schema of the structured result. Facts that can be null are named in a description, since
/// a plain schema has no way to say "or null".
pub fn output_schema() -> Value {
    let mut result = properties(&[
        ("index", "integer", "Place, from 1"),
        ("title", "string", "Title"),
        ("source", "string", "Source"),
    ]);
    result.insert(
        "decision".to_owned(),
        one_of("What to do", Decision::ALL.iter().map(|it| it.as_str())),
    );
    result.extend(properties(&[
        ("rank_score", "number", "0..1, sets the order"),
        ("confidence", "string", "high, medium or low"),
        ("why", "array", "Reasons"),
        ("warnings", "array", "What to mind"),
        ("verdict_id", "string", "SHA-256"),
        ("handoff", "object", "safe_for_agent_handoff, reason"),
        ("provenance_readiness", "object", "state and facts of origin"),
    ]));
    for list in ["why", "warnings"] {
        if let Some(list) = result.get_mut(list).and_then(Value::as_object_mut) {
            list.insert("items".to_owned(), json!({"type": "string"}));
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": {
            "profile": property("string", "Profile"),
            "intent": property("string", "Intent"),
            "now": property("string", "Evaluation clock"),
            "legend": property("object", "Per decision: label, meaning, action, summary"),
            "results": {
                "type": "array",
                "description": "In rank order. Also label, source_type, evaluated_at; freshness_score and utility_score (0..100), revalidate_after: null if unknown; relevance: query or not_judged where no semantic_score was given",
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
