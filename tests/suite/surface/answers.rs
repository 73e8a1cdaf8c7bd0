//! Answers beside what is declared of them, and their two forms beside each other.

use freshcontext_engine::EVALUATE;
use freshcontext_testkit::load_cases;
use freshcontext_xtask::examples;
use libtest_mimic::Failed;
use regex::Regex;
use serde_json::{Map, Value};

use super::TOOLS;
use crate::run::{self, Bench};
use crate::{root, verdict};

/// What of an answer its tool's output schema does not declare.
pub fn undeclared(at: &str, schema: &Value, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(entries) => {
            // Without declared properties it holds a source's own facts, or is keyed by data.
            let Some(properties) = schema["properties"].as_object() else {
                let object = |schema: &Value| schema["type"] == "object";
                let mut branches = schema["anyOf"].as_array().into_iter().flatten();
                if !object(schema) && !branches.any(object) {
                    out.push(format!("{at} is an object, which is not declared"));
                }
                return;
            };
            for (name, value) in entries {
                match properties.get(name) {
                    Some(property) => undeclared(&format!("{at}.{name}"), property, value, out),
                    None => out.push(format!("{at}.{name} is not declared")),
                }
            }
        }
        Value::Array(values) => {
            for value in values {
                undeclared(&format!("{at}[]"), &schema["items"], value, out);
            }
        }
        _ => {}
    }
}

/// A typed client loses no field: every key of every answer is declared, in items too. Sections: `composites::form`.
pub(super) async fn declared() -> Result<(), Failed> {
    let mut out = Vec::new();
    let mut seen = 0;
    for case in load_cases(&root().join("fixtures"))? {
        let bench = Bench::start(&case, std::path::Path::new(""), run::once(), |_| {}).await?;
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        let tool = bench.engine.tool(&case.tool).ok_or("a case of no tool")?;
        if !outcome.is_error {
            seen += 1;
            undeclared(&case.tool, &tool.output_schema, &outcome.structured, &mut out);
        }
    }
    let bench = Bench::idle().await?;
    let text = std::fs::read_to_string(root().join("examples/signals.json"))?;
    let signals: Map<String, Value> = serde_json::from_str(&text)?;
    let outcome = bench.call(EVALUATE, signals).await?;
    let tool = bench.engine.tool(EVALUATE).ok_or("no evaluate_context")?;
    undeclared(EVALUATE, &tool.output_schema, &outcome.structured, &mut out);
    if seen < TOOLS.len() {
        out.push(format!("only {seen} answers were looked at"));
    }
    out.sort();
    out.dedup();
    verdict(out)
}

/// Bytes of JSON for each byte of text, over the examples of all tools that fetch. It was 1.3 before the text said each
/// fact once, which an item as JSON does not: it is a signal for `evaluate_context` as it is.
const JSON_TO_TEXT: f64 = 1.4;

/// The JSON of an answer is hardly longer than its text, and every date in a text has its age beside it.
pub(super) fn both_forms() -> Result<(), Failed> {
    let mut out = Vec::new();
    let examples = examples::all(&root())?;
    let absent = TOOLS
        .iter()
        .filter(|tool| !examples.iter().any(|example| example.tool == **tool));
    out.extend(absent.map(|tool| format!("no example of {tool}")));
    let (mut text, mut json) = (0, 0);
    // A date on its line, in a fact or in brackets; after it, its age. The lines of the envelope that the specification
    // lays down have `Age:` below them.
    let date = Regex::new(
        r"(?:: |\| | \()(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)(?P<after>(?: \(|, )[^)]*(?:ago|in |today)|)",
    )?;
    for example in examples.iter().filter(|example| example.tool != EVALUATE) {
        text += example.text.len();
        json += example.json().len();
        for line in example.text.lines() {
            let envelope = ["Published: 2", "Retrieved: ", "Generated: "]
                .iter()
                .any(|start| line.starts_with(start) && !line.contains(" ("));
            if envelope || line.starts_with("Age: ") {
                continue;
            }
            // What a source wrote itself is quoted.
            if line.starts_with("> ") {
                continue;
            }
            for found in date.captures_iter(line) {
                if found["after"].is_empty() {
                    out.push(format!("{}: {} without an age: {line}", example.tool, &found[1]));
                }
            }
        }
        // What is named as the source can be opened by a person. GDELT's interface gives a page when no format is asked for.
        let sources = example
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("Source: "));
        let is_interface = |url: &&str| {
            (url.contains("//api.") && !url.contains("//api.gdeltproject.org"))
                || url.contains("/api/") && !url.contains("gdeltproject")
                || url.contains("format=json")
        };
        out.extend(
            sources
                .filter(is_interface)
                .map(|url| format!("{}: {url} is no page", example.tool)),
        );
        if example.text.contains("\nPublished: 2") && !example.text.contains("\nAge: ") {
            out.push(format!("{}: an envelope without an age", example.tool));
        }
    }
    let ratio = json as f64 / text as f64;
    if ratio > JSON_TO_TEXT {
        out.push(format!(
            "{json} bytes of JSON for {text} of text: {ratio:.3}, at most {JSON_TO_TEXT}"
        ));
    }
    verdict(out)
}
