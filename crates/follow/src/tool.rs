//! The tool as clients see it, and its arguments.

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use freshcontext_contract::moment::read_date;
use freshcontext_core::answer::admitting_failure;
use serde_json::{Map, Value, json};

use freshcontext_engine::{RECHECK, Tool, Work};

/// Right arguments.
pub(super) const EXAMPLE: &str = r#"{"answer_id": "aV3x0Zr1k9QmT"}"#;

/// What is asked.
pub(super) enum Question {
    /// About an answer that is kept.
    Answer(String),
    /// About a call, against a hash or a moment.
    Call {
        tool: String,
        arguments: Map<String, Value>,
        hash: Option<String>,
        since: Option<DateTime<Utc>>,
    },
}

impl Question {
    pub(super) fn read(arguments: &Map<String, Value>) -> Result<Self, SourceError> {
        let text = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str).map(str::trim);
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let known = ["answer_id", "tool", "arguments", "hash", "since"];
        if let Some(name) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            let problem = format!("is not an argument of this tool (it takes {})", known.join(", "));
            return Err(SourceError::invalid_input(shown, problem, EXAMPLE));
        }
        if let Some(id) = text("answer_id") {
            return Ok(Self::Answer(id));
        }
        let Some(tool) = text("tool") else {
            let problem = "is missing, and so are tool, arguments and hash or since";
            return Err(SourceError::invalid_input("answer_id", problem, EXAMPLE));
        };
        let Some(Value::Object(given)) = arguments.get("arguments") else {
            let problem = "must be the object that the tool was called with";
            return Err(SourceError::invalid_input("arguments", problem, EXAMPLE));
        };
        let since = text("since").map(|given| instant(&given)).transpose()?;
        let hash = text("hash");
        if hash.is_none() && since.is_none() {
            let problem = "is missing, and so is since: one of them says what was known";
            return Err(SourceError::invalid_input("hash", problem, EXAMPLE));
        }
        Ok(Self::Call {
            tool,
            arguments: given.clone(),
            hash,
            since,
        })
    }
}

fn instant(given: &str) -> Result<DateTime<Utc>, SourceError> {
    let read = read_date(given).map(|read| read.instant);
    read.ok_or_else(|| {
        SourceError::invalid_input(
            "since",
            "is no date or moment",
            "2026-11-22 or 2026-11-22T10:00:00Z",
        )
    })
}

/// The tool.
pub fn recheck_tool() -> Tool {
    Tool {
        name: RECHECK.to_owned(),
        title: "Recheck an answer".to_owned(),
        description: "Says whether an earlier answer is still so, before you act on it: current, changed, gone or \
                      could_not_check, for the whole and for each item, by the cheapest honest question to its \
                      source. Pass the answer_id; or tool, arguments and the answer's hash (or since)."
            .to_owned(),
        example: EXAMPLE.to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "answer_id": {"type": "string", "description": "Id of the answer"},
                "tool": {"type": "string", "description": "Instead of an id: the tool"},
                "arguments": {"type": "object", "description": "and what it was called with",
                    "properties": {"url": {"type": "string"}, "query": {"type": "string"}}},
                "hash": {"type": "string", "description": "answer_hash of the answer"},
                "since": {"type": "string", "description": "or what is newer than this"}
            }
        }),
        output_schema: admitting_failure(output_schema()).into(),
        work: Work::Toolset {
            id: RECHECK,
            open_world: true,
            writes: false,
        },
    }
}

fn output_schema() -> Value {
    let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
    let verdict = json!({"enum": ["current", "changed", "gone", "could_not_check"]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let found = json!({
        "items": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "id": text, "verdict": verdict, "detail": text, "changed": texts, "published_then": text,
                "published_now": text, "standing_then": text, "standing_now": text,
                "now": {"type": "object", "description": "New values of what changed"}
            },
            "required": ["id", "verdict"]
        }},
        "added": texts, "added_count": whole, "changed": texts, "now": {"type": "object"},
        "evidence": {"type": "array", "items": {"type": "object"}},
        "answer_hash_now": text, "requests": whole, "bytes": whole, "code": text, "message": text,
        "retry_after_s": whole, "hint": text
    });
    let mut schema = json!({
        "type": "object",
        "properties": {
            "verdict": verdict, "answer_id": text, "tool": text, "answered_at": text, "answered_at_ahead": text,
            "checked_at": text, "compared": text, "not_rechecked": texts,
            "sections": {"type": "array", "description": "Of a composite: each section, found as a whole answer is",
                "items": {"type": "object", "properties": {"tool": text, "label": text, "verdict": verdict},
                    "required": ["tool", "label", "verdict"]}}
        },
        "required": ["verdict", "tool", "checked_at", "requests"]
    });
    if let (Some(Value::Object(properties)), Value::Object(found)) = (schema.get_mut("properties"), found) {
        properties.extend(found);
    }
    schema
}

/// The output schema of a tool whose answers have ids.
pub fn with_answer_id(schema: Value) -> Value {
    with_text(schema, "answer_id")
}

/// The same, of one whose answers can be rechecked by their hash as well.
pub fn with_answer_hash(schema: Value) -> Value {
    with_text(with_text(schema, "answer_id"), "answer_hash")
}

fn with_text(mut schema: Value, name: &str) -> Value {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), json!({"type": "string"}));
    }
    schema
}
