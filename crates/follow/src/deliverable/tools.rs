//! The tools as clients see them, and their arguments.

use freshcontext_contract::SourceError;
use freshcontext_core::answer::admitting_failure;
use serde_json::{Map, Value, json};

use super::{TOOLS, Task, To};
use freshcontext_engine::{Tool, Work};

const EXAMPLE: &str = r#"{"name": "jobs"}"#;
const DIFF_EXAMPLE: &str = r#"{"name": "jobs", "from": 1, "to": 2}"#;

/// What a call of one of the tools asks for.
pub fn read_task(tool: &str, arguments: &Map<String, Value>) -> Result<Task, SourceError> {
    let known: &[&str] = match tool {
        "deliverable_generate" => &["name", "allow_empty"],
        "deliverable_diff" => &["name", "from", "to"],
        _ => &[],
    };
    if let Some(name) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
        let problem = format!("is not an argument of this tool (it takes {})", known.join(", "));
        return Err(SourceError::invalid_input(shown, problem, EXAMPLE));
    }
    if tool == "deliverable_list" {
        return Ok(Task::List { versions: false });
    }
    let name = arguments.get("name").and_then(Value::as_str).map(str::trim);
    let Some(name) = name.filter(|name| !name.is_empty()).map(str::to_owned) else {
        return Err(SourceError::invalid_input("name", "is missing", EXAMPLE));
    };
    if tool == "deliverable_generate" {
        let allow_empty = match arguments.get("allow_empty") {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Bool(true)) => true,
            Some(_) => {
                let problem = "must be true or false";
                return Err(SourceError::invalid_input("allow_empty", problem, EXAMPLE));
            }
        };
        return Ok(Task::Generate { name, allow_empty });
    }
    let from = arguments.get("from").and_then(Value::as_i64);
    let from = from
        .ok_or_else(|| SourceError::invalid_input("from", "must be the number of a version", DIFF_EXAMPLE))?;
    let to = match arguments.get("to") {
        None | Some(Value::Null) => To::Now,
        Some(Value::String(text)) if text.trim() == "now" => To::Now,
        Some(to) => To::Version(to.as_i64().ok_or_else(|| {
            SourceError::invalid_input(
                "to",
                "must be the number of a version, or left out for now",
                DIFF_EXAMPLE,
            )
        })?),
    };
    Ok(Task::Diff { name, from, to })
}

/// The tools, as they are offered with the toolset `time`.
pub fn deliverable_tools() -> Vec<Tool> {
    let [generate, diff, list] = TOOLS;
    let name = json!({"type": "string", "description": "Name of the deliverable"});
    let number = |about: &str| json!({"type": "integer", "description": about});
    let (text, whole) = (json!({"type": "string"}), json!({"type": "integer"}));
    let objects = json!({"type": "array", "items": {"type": "object"}});
    let tool =
        |name: &str, title: &str, description: &str, example: &str, input: Value, output: Value| Tool {
            name: name.to_owned(),
            title: title.to_owned(),
            description: description.to_owned(),
            example: example.to_owned(),
            input_schema: input,
            output_schema: admitting_failure(output).into(),
            work: Work::Toolset {
                id: "deliverable",
                open_world: name != list,
                writes: name == generate,
            },
        };
    vec![
        tool(
            generate,
            "Generate a deliverable",
            "Checks the sources of a deliverable, fetches what is stale, judges everything at this moment and keeps the \
             result as a new version: the items that fit, each under its envelope, what each source stood at, and what is \
             missing. What cannot be checked is named.",
            EXAMPLE,
            json!({
                "type": "object",
                "properties": {
                    "name": name,
                    "allow_empty": {"type": "boolean", "description": "Keep a version without an item, too", "default": false}
                },
                "required": ["name"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "name": text, "version": whole, "generated_at": text, "hash": text,
                    "source_snapshots": objects, "items": objects, "markdown": text, "requests": whole
                },
                "required": ["name", "version", "generated_at", "source_snapshots"]
            }),
        ),
        tool(
            diff,
            "Compare versions of a deliverable",
            "Says what changed between two versions of a deliverable, or between one and now: items added, removed and \
             changed field by field, and what could not be checked. Keeps nothing.",
            DIFF_EXAMPLE,
            json!({
                "type": "object",
                "properties": {
                    "name": name, "from": number("Version"), "to": number("Version; left out: what is so now")
                },
                "required": ["name", "from"]
            }),
            json!({
                "type": "object",
                "properties": {
                    "name": text, "from": whole, "compared_at": text, "same": {"type": "boolean"},
                    "diff": {"type": "object"}
                },
                "required": ["name", "from", "to", "same", "diff"]
            }),
        ),
        tool(
            list,
            "List deliverables",
            "Lists the deliverables that are defined here, with their sources and newest versions.",
            "{}",
            json!({"type": "object", "properties": {}}),
            json!({
                "type": "object",
                "properties": {"deliverables": objects},
                "required": ["deliverables"]
            }),
        ),
    ]
}
