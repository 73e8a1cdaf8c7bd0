//! The tool list as clients see it.

pub mod answers;
mod examples;

use std::sync::Arc;

use freshcontext_engine::Engine;
use freshcontext_mcp::{Cost, McpServer, cost};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::run::{Bench, block_on};
use crate::verdict;

/// Maximum bytes of name, title, description and inputSchema, the part that a model reads, of the reference's tools
/// together.
const VISIBLE_BYTES: usize = 18_000;
/// Maximum bytes of the output schemas of the reference's tools together.
const OUTPUT_BYTES: usize = 42_000;
/// Maximum visible bytes of any other tool, so that a new source has room and cannot take more than its share.
const VISIBLE_BYTES_EACH: usize = VISIBLE_BYTES / TOOLS.len();
/// Bytes of the output schema of any other tool: sources share one, of their answers.
const OUTPUT_BYTES_EACH: usize = 1_900;
/// The only number without bounds: scores of any scale are read.
const OF_ANY_SCALE: &str = "semantic_score";
/// Names in the description of `signals` that are read without being declared, because the list has a budget.
const READ_TOO: [&str; 3] = ["http_status", "content_type", "final_url"];
/// Minimum number of words in the description of a tool.
const WORDS: usize = 3;

/// Tools of the reference server: callers rely on these names. Other tools may be added.
const TOOLS: [&str; 22] = [
    "evaluate_context",
    "extract_arxiv",
    "extract_changelog",
    "extract_company_landscape",
    "extract_finance",
    "extract_finance_landscape",
    "extract_gdelt",
    "extract_gebiz",
    "extract_github",
    "extract_gov_landscape",
    "extract_govcontracts",
    "extract_hackernews",
    "extract_idea_landscape",
    "extract_landscape",
    "extract_producthunt",
    "extract_reddit",
    "extract_scholar",
    "extract_sec_filings",
    "extract_yc",
    "package_trends",
    "search_jobs",
    "search_repos",
];

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("surface::tools", || with_engine(tools)),
        Trial::test("surface::schemas", || with_engine(schemas)),
        Trial::test("surface::budget", || with_engine(budget)),
        Trial::test("surface::names", || with_engine(names)),
        Trial::test("surface::bad_arguments", || block_on(bad_arguments())),
        Trial::test("surface::meant", || block_on(examples::meant())),
        Trial::test("surface::added_arguments", || block_on(examples::added())),
        Trial::test("surface::examples_run", || block_on(examples::run())),
        Trial::test("surface::declared", || block_on(answers::declared())),
        Trial::test("surface::both_forms", answers::both_forms),
    ]
}

fn with_engine(check: fn(&Arc<Engine>) -> Vec<String>) -> Result<(), libtest_mimic::Failed> {
    block_on(async {
        let bench = Bench::idle().await?;
        verdict(check(&bench.engine))
    })
}

fn tools(engine: &Arc<Engine>) -> Vec<String> {
    let mut out = Vec::new();
    let names: Vec<&str> = engine.tools().iter().map(|tool| tool.name.as_str()).collect();
    for name in TOOLS {
        if !names.contains(&name) {
            out.push(format!("{name} is missing"));
        }
    }
    if !names.is_sorted() {
        out.push(format!("the tools are not listed in order: {names:?}"));
    }
    for tool in engine.tools() {
        let length = tool.description.chars().count();
        if !(20..=400).contains(&length) {
            out.push(format!("{}: a description of {length} characters", tool.name));
        }
        if tool.description.split_whitespace().count() < WORDS {
            out.push(format!("{}: described in fewer than {WORDS} words", tool.name));
        }
        if tool.title.is_empty() {
            out.push(format!("{}: no title", tool.name));
        }
        if serde_json::from_str::<Value>(&tool.example).is_err() {
            out.push(format!(
                "{}: the example is not JSON: {}",
                tool.name, tool.example
            ));
        }
    }
    out
}

/// Every value that an output schema declares has one type, or that type and null: a list of types is less
/// portable, and without a type a generated client knows nothing.
fn untyped(at: &str, schema: &Value, out: &mut Vec<String>) {
    let one = |schema: &Value| schema["type"].is_string();
    let choice = schema["anyOf"].as_array();
    let typed =
        one(schema) || schema["enum"].is_array() || choice.is_some_and(|branches| branches.iter().all(one));
    if !typed {
        out.push(format!("{at}: declared as {schema}"));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        untyped(&format!("{at}.{name}"), property, out);
    }
    if schema["type"] == "array" {
        untyped(&format!("{at}[]"), &schema["items"], out);
    }
}

/// Plain objects that every model's dialect accepts.
fn schemas(engine: &Arc<Engine>) -> Vec<String> {
    fn plain(at: &str, schema: &Value, out: &mut Vec<String>) {
        let Some(object) = schema.as_object() else {
            out.push(format!("{at}: not an object schema"));
            return;
        };
        for word in [
            "$ref", "$schema", "$defs", "anyOf", "oneOf", "allOf", "not", "format",
        ] {
            if object.contains_key(word) {
                out.push(format!("{at}: has {word}"));
            }
        }
        if !object.get("type").is_some_and(Value::is_string) {
            out.push(format!("{at}: type is {:?}", object.get("type")));
        }
        // Gemini refuses all tools for one bare object.
        let has_properties = object
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|properties| !properties.is_empty());
        if object.get("type").is_some_and(|kind| kind == "object") && !has_properties {
            out.push(format!("{at}: an object without properties"));
        }
        for (name, property) in object
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let at = format!("{at}.{name}");
            let about = property.get("description").and_then(Value::as_str);
            if about.is_none_or(|about| about.trim().is_empty()) {
                out.push(format!("{at}: not described"));
            }
            let number = matches!(property["type"].as_str(), Some("integer" | "number"));
            if number && property["minimum"].is_null() && name != OF_ANY_SCALE {
                out.push(format!("{at}: a number without its bounds"));
            }
            if matches!(name.as_str(), "limit" | "max_length") && property["default"].is_null() {
                out.push(format!("{at}: no default"));
            }
            plain(&at, property, out);
        }
        if let Some(items) = object.get("items") {
            plain(&format!("{at}[]"), items, out);
        }
    }
    let mut out = Vec::new();
    for tool in engine.tools() {
        plain(&tool.name, &tool.input_schema, &mut out);
        if let Err(error) = jsonschema::validator_for(&tool.input_schema) {
            out.push(format!("{}: the input schema is not one: {error}", tool.name));
        }
        if tool.output_schema.to_string().contains("uint") {
            out.push(format!("{}: the output schema names a uint format", tool.name));
        }
        if tool.output_schema["type"] != "object" {
            out.push(format!("{}: the output schema is not of type object", tool.name));
        }
        untyped(&tool.name, &tool.output_schema, &mut out);
        match jsonschema::validator_for(&tool.output_schema) {
            Ok(schema) if schema.is_valid(&json!({})) => {
                out.push(format!("{}: the output schema admits an empty object", tool.name));
            }
            Ok(_) => {}
            Err(error) => out.push(format!("{}: the output schema is not one: {error}", tool.name)),
        }
    }
    out
}

fn budget(engine: &Arc<Engine>) -> Vec<String> {
    let server = McpServer::new(Arc::clone(engine));
    let costs: Vec<(String, Cost)> = server
        .tools()
        .iter()
        .map(|tool| (tool.name.to_string(), cost(tool)))
        .collect();
    let (reference, others): (Vec<_>, Vec<_>) =
        costs.iter().partition(|(name, _)| TOOLS.contains(&name.as_str()));
    let visible: usize = reference.iter().map(|(_, cost)| cost.visible).sum();
    let output: usize = reference.iter().map(|(_, cost)| cost.output).sum();
    let mut out = Vec::new();
    if visible > VISIBLE_BYTES || output > OUTPUT_BYTES {
        out.push(format!(
            "{visible} bytes visible, {output} of output schemas; allowed are {VISIBLE_BYTES} and {OUTPUT_BYTES}: {costs:?}"
        ));
    }
    for (name, cost) in others {
        if cost.visible > VISIBLE_BYTES_EACH || cost.output > OUTPUT_BYTES_EACH {
            out.push(format!(
                "{name}: {} bytes visible, {} of output schema; allowed are {VISIBLE_BYTES_EACH} and {OUTPUT_BYTES_EACH}; \
                 shorten its descriptions",
                cost.visible, cost.output
            ));
        }
    }
    out
}

/// No text names a tool or an argument that does not exist: a word with an underscore is one of them.
fn names(engine: &Arc<Engine>) -> Vec<String> {
    fn arguments(schema: &Value, names: &mut Vec<String>, texts: &mut Vec<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            names.push(name.clone());
            texts.extend(property["description"].as_str().map(str::to_owned));
            arguments(property, names, texts);
            arguments(&property["items"], names, texts);
        }
    }
    let known = |word: &str, names: &[String]| {
        engine
            .tools()
            .iter()
            .any(|tool| tool.name == word || (word.ends_with('_') && tool.name.starts_with(word)))
            || names.iter().any(|name| name == word)
            || READ_TOO.contains(&word)
    };
    let strangers = |text: &str, names: &[String]| -> Vec<String> {
        text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'))
            .filter(|word| word.contains('_') && !known(word, names))
            .map(str::to_owned)
            .collect()
    };
    let mut out = Vec::new();
    let mut all = Vec::new();
    for tool in engine.tools() {
        let (mut names, mut texts) = (Vec::new(), vec![tool.description.clone()]);
        arguments(&tool.input_schema, &mut names, &mut texts);
        for text in texts {
            for stranger in strangers(&text, &names) {
                out.push(format!("{}: `{stranger}` in {text:?} does not exist", tool.name));
            }
        }
        all.append(&mut names);
    }
    for stranger in strangers(freshcontext_mcp::INSTRUCTIONS, &all) {
        out.push(format!(
            "the instructions name `{stranger}`, which does not exist"
        ));
    }
    out
}

/// D07 of the fault matrix for every tool: wrong arguments are named, and no source is contacted.
async fn bad_arguments() -> Result<(), libtest_mimic::Failed> {
    let bench = Bench::idle().await?;
    let mut out = Vec::new();
    for tool in bench.engine.tools() {
        let example: Value = serde_json::from_str(&tool.example).unwrap_or_default();
        let good = example.as_object().cloned().unwrap_or_default();
        let required: Vec<String> = tool.input_schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let properties = tool.input_schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut tries: Vec<(String, String, serde_json::Map<String, Value>)> = Vec::new();
        for name in &required {
            let mut without = good.clone();
            without.remove(name);
            tries.push((format!("no {name}"), name.clone(), without));
            let text = properties[name]["type"] == "string";
            for (what, value) in [
                ("null", Value::Null),
                ("an object", json!({"a": 1})),
                ("true", json!(true)),
                ("blank", json!("  \t ")),
                ("1 MiB", json!("x".repeat(1 << 20))),
                ("a NUL", json!("a\u{0}b")),
                ("an escape", json!("a\u{1b}[31mb")),
            ] {
                if !text && value.is_string() {
                    continue;
                }
                let mut with = good.clone();
                with.insert(name.clone(), value);
                tries.push((format!("{name} is {what}"), name.clone(), with));
            }
        }
        for name in properties.keys().filter(|name| name.len() > 3) {
            let mut with = good.clone();
            let slip = format!("{}{}", name.to_uppercase(), "s");
            with.insert(slip.clone(), json!(1));
            tries.push(("a near miss of an argument".to_owned(), slip, with));
        }
        for name in ["limit", "max_length", "max_age"] {
            if properties.contains_key(name) {
                for value in [json!(-1), json!("many"), json!(1.5), json!([])] {
                    let mut with = good.clone();
                    with.insert(name.to_owned(), value.clone());
                    tries.push((format!("{name} is {value}"), name.to_owned(), with));
                }
            }
        }
        for name in ["since", "until", "cursor"] {
            if properties.contains_key(name) {
                for value in [
                    json!("yesterday"),
                    json!("0000-00-00"),
                    json!("2026-02-30"),
                    json!(5),
                ] {
                    let mut with = good.clone();
                    with.insert(name.to_owned(), value.clone());
                    tries.push((format!("{name} is {value}"), name.to_owned(), with));
                }
            }
        }
        for (what, field, arguments) in tries {
            let outcome = bench.call(&tool.name, arguments).await?;
            let named = outcome.structured["field"].as_str().unwrap_or_default();
            if outcome.code() != "invalid_input" || !named.contains(&field) || !outcome.text.contains(&field)
            {
                out.push(format!(
                    "{}: {what}: {:?} naming {named:?}: {}",
                    tool.name,
                    outcome.code(),
                    outcome.text.chars().take(160).collect::<String>()
                ));
            }
        }
    }
    let asked = bench.script.asked();
    if asked > 0 {
        out.push(format!(
            "{asked} requests were made for bad arguments: {:?}",
            bench.script.complaints()
        ));
    }
    verdict(out)
}
