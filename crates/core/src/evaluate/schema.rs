//! What the tool declares about itself.

use serde_json::{Map, Value, json};

use super::profile::{INTENTS, PROFILES};
use super::verdict::Decision;

/// The tool's name.
pub const TOOL: &str = "evaluate_context";
/// The tool's title.
pub const TITLE: &str = "Evaluate context";
/// What the tool does, for the model that chooses it.
pub const DESCRIPTION: &str = "Ranks context that you already have by relevance and age, and says of each whether to use, cite, refresh, verify, watch or exclude it, and why. Fetches nothing: for new context use the extract_ and search_ tools, whose items and results fit as signals as they are.";

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
        ("retrieved_at", "string", "Moment of its retrieval"),
        ("semantic_score", "number", "Your relevance, 0 to 1"),
        ("http_status", "integer", "Of the retrieval"),
        ("content_type", "string", "Its media type"),
        ("final_url", "string", "Address after redirects"),
    ]);
    let status = ["success", "partial", "stale", "failed", "unknown"];
    signal.insert(
        "date_confidence".to_owned(),
        one_of("How sure published_at is", ["high", "medium", "low", "unknown"].into_iter()),
    );
    signal.insert("status".to_owned(), one_of("How retrieval went", status.into_iter()));
    signal.insert("id".to_owned(), property("string", "Your id for it"));
    signal.insert("metadata".to_owned(), property("object", "Facts of its origin"));
    json!({
        "type": "object",
        "properties": {
            "profile": one_of("Kind of sources; sets how fast they age", PROFILES.iter().map(|profile| profile.id)),
            "intent": one_of("What the context is for", INTENTS.iter().map(|intent| intent.id)),
            "signals": {
                "type": "array",
                "description": "1-500, each with source and a title or content; or items or results of these tools",
                "items": {"type": "object", "properties": signal},
            },
            "query": property("string", "What you look for; judges relevance where semantic_score is absent"),
            "now": property("string", "Moment to judge at; default the present"),
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
    json!({
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
    })
}
