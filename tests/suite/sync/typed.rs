//! Code decides by types: no answer of ours is read as JSON on its way to the door, and no error by its words.

use std::collections::BTreeSet;
use std::path::Path;

use freshcontext_engine::Toolset as _;
use serde_json::Value;

use super::sources_of;
use crate::root;

/// Code through which answers pass on their way to the door.
const PASSED: [&str; 8] = [
    "deliverables",
    "engine",
    "follow",
    "freshcontext",
    "mcp",
    "metrics",
    "records",
    "serve",
];

/// Reads by a name that our answers have, too, of JSON that is none: the file, the name, and whose it is.
const OTHERS: &[(&str, &str, &str)] = &[
    ("cli/explain.rs", "items", "a JSON Schema"),
    ("cli/values.rs", "items", "a JSON Schema"),
    ("rest/openapi.rs", "format", "a JSON Schema"),
    ("cli/files.rs", "id", "an entry of the caller's file"),
    ("deliverable/tools.rs", "from", "the caller's arguments"),
    ("deliverable/tools.rs", "name", "the caller's arguments"),
    ("engine/src/scoring.rs", "records", "the caller's arguments"),
    ("follow/src/tool.rs", "arguments", "the caller's arguments"),
    ("cli/records.rs", "records", "the caller's arguments"),
    ("http/routes.rs", "error", "a JSON-RPC message"),
    ("records/src/later.rs", "label", "metadata of a record"),
    ("maker/gaps.rs", "tool", "a call that a record names"),
    ("maker/gaps.rs", "arguments", "a call that a record names"),
    (
        "deliverables/src/diff.rs",
        "fields",
        "an item as the store has it",
    ),
    (
        "deliverables/src/gather.rs",
        "fields",
        "an item as the store has it",
    ),
    (
        "deliverables/src/version.rs",
        "fields",
        "an item as the store has it",
    ),
];

/// Names of fields of our structured answers.
fn names_of_answers() -> BTreeSet<String> {
    fn gather(schema: &Value, out: &mut BTreeSet<String>) {
        match schema {
            Value::Object(fields) => {
                let properties = fields.get("properties").and_then(Value::as_object);
                out.extend(
                    properties
                        .into_iter()
                        .flat_map(|properties| properties.keys().cloned()),
                );
                fields.values().for_each(|value| gather(value, out));
            }
            Value::Array(values) => values.iter().for_each(|value| gather(value, out)),
            _ => {}
        }
    }

    let mut out = BTreeSet::new();
    gather(&freshcontext_core::answer::answer_schema(), &mut out);
    gather(&freshcontext_core::composite::composite_schema(), &mut out);
    gather(&freshcontext_core::evaluate::output_schema(), &mut out);
    for tool in freshcontext_follow::TimeToolset::new(None).tools() {
        gather(&tool.output_schema, &mut out);
    }
    gather(
        &freshcontext_lookup::check_references_tool().output_schema,
        &mut out,
    );
    out
}

/// Reads by a name, as code writes them: `.get("x")`, `.pointer("/x/y")`, `["x"]`.
fn reads_by_name(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (opening, pointer) in [
        (".get(\"", false),
        (".get_mut(\"", false),
        (".remove(\"", false),
        (".shift_remove(\"", false),
        (".pointer(\"/", true),
        (".pointer_mut(\"/", true),
        ("[\"", false),
    ] {
        for (at, _) in code.match_indices(opening) {
            let before = code.get(..at).unwrap_or_default().trim_end();
            // A list of texts is no index.
            let indexes =
                before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '?'));
            let rest = code.get(at + opening.len()..).unwrap_or_default();
            let Some((name, after)) = rest.split_once('"') else {
                continue;
            };
            if opening == "[\"" && !(indexes && after.starts_with(']')) {
                continue;
            }
            let parts = name.split('/').filter(|_| pointer).map(str::to_owned);
            out.extend(parts);
            if !pointer {
                out.push(name.to_owned());
            }
        }
    }
    out
}

/// Places that look into the message of an error to write another one, not to decide: the file, and why.
const MESSAGES: [(&str, &str); 2] = [
    ("core/src/answer/score.rs", "the part is named once"),
    (
        "fetch/src/simulation/day.rs",
        "the simulation checks what callers are told",
    ),
];

/// No branch depends on the words of an error: its code, detail and standing are there for that.
pub(super) fn errors() -> Vec<String> {
    let mut out = Vec::new();
    let mut used = BTreeSet::new();
    for file in [
        sources_of(&root().join("crates")),
        sources_of(&root().join("adapters")),
    ]
    .concat()
    {
        let path = file.display().to_string();
        if path.contains("crates/xtask/") {
            continue;
        }
        let code = without_tests(&file);
        let reads = [
            ".message.contains(",
            ".message.starts_with(",
            ".message.ends_with(",
        ];
        if reads.iter().any(|read| code.contains(read)) {
            match MESSAGES.iter().position(|(known, _)| path.ends_with(known)) {
                Some(place) => drop(used.insert(place)),
                None => out.push(format!(
                    "{path} reads the message of an error; give the error a detail"
                )),
            }
        }
    }
    let unused = MESSAGES
        .iter()
        .enumerate()
        .filter(|(place, _)| !used.contains(place));
    out.extend(unused.map(|(_, (file, why))| format!("{file} reads no message any more ({why})")));
    out
}

/// Nothing between the engine and the door reads one of our answers as JSON by the names of its fields: an answer is typed
/// until it is written.
pub(super) fn answers() -> Vec<String> {
    let names = names_of_answers();
    let mut out = Vec::new();
    if !names.contains("published_at") || !names.contains("verdict") {
        out.push("the schemas of answers name no fields".to_owned());
    }
    if reads_by_name(r#"a.get("x"); b["y"][0]; c.pointer("/z/w"); ["v", "u"]"#) != ["x", "z", "w", "y"] {
        out.push("a read by name is not seen".to_owned());
    }
    let mut used = BTreeSet::new();
    for name in PASSED {
        for file in sources_of(&root().join("crates").join(name).join("src")) {
            let path = file.display().to_string();
            for read in reads_by_name(&without_tests(&file))
                .iter()
                .filter(|read| names.contains(*read))
            {
                let known = OTHERS
                    .iter()
                    .position(|(file, name, _)| path.ends_with(file) && name == read);
                match known {
                    Some(place) => drop(used.insert(place)),
                    None => out.push(format!(
                        "{path} reads \"{read}\" of an answer as JSON; take the typed answer"
                    )),
                }
            }
        }
    }
    let unused = OTHERS
        .iter()
        .enumerate()
        .filter(|(place, _)| !used.contains(place));
    out.extend(unused.map(|(_, (file, name, _))| format!("{file} does not read \"{name}\" any more")));
    out
}

/// The code of a file without its tests, which read answers as clients do.
fn without_tests(file: &Path) -> String {
    let path = file.display().to_string();
    if path.ends_with("tests.rs") || path.contains("/tests/") {
        return String::new();
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    code.unwrap_or_default().to_owned()
}
