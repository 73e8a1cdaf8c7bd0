//! What clients see of the tools, before they call any.

use std::net::SocketAddr;
use std::sync::Arc;

use freshcontext_server::engine::{CallContext, EVALUATE, Engine};
use freshcontext_server::mcp::{Cost, McpServer, cost};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{ScriptedUpstream, StepClock, load_cases};
use freshcontext_xtask::{examples, replay};
use libtest_mimic::{Failed, Trial};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::run::{self, Bench, block_on};
use crate::{root, verdict};

/// Bytes of name, title, description and inputSchema of all tools together: what a model pays for.
const VISIBLE_BYTES: usize = 18_000;
/// Bytes of the output schemas of all tools together.
const OUTPUT_BYTES: usize = 36_000;
/// The fewest words that say anything.
const WORDS: usize = 3;

/// The names that a caller of the reference server uses.
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
        Trial::test("surface::meant", || block_on(meant())),
        Trial::test("surface::examples_run", || block_on(examples_run())),
        Trial::test("surface::declared", || block_on(declared())),
        Trial::test("surface::both_forms", both_forms),
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
    if !names.is_sorted() || names.len() != TOOLS.len() {
        out.push(format!(
            "the list is not the {} tools in order: {names:?}",
            TOOLS.len()
        ));
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

/// Every value that an output schema declares has one type, or that type or null: a list of types is less portable, and
/// without a type a generated client knows nothing.
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

/// Plain objects that every model dialect accepts.
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
        for (name, property) in object
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let at = format!("{at}.{name}");
            let about = property.get("description").and_then(Value::as_str);
            if about.is_none_or(|about| about.split_whitespace().count() < WORDS) {
                out.push(format!("{at}: described in fewer than {WORDS} words: {about:?}"));
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
    let visible: usize = costs.iter().map(|(_, cost)| cost.visible).sum();
    let output: usize = costs.iter().map(|(_, cost)| cost.output).sum();
    if visible <= VISIBLE_BYTES && output <= OUTPUT_BYTES {
        return Vec::new();
    }
    vec![format!(
        "{visible} bytes visible, {output} of output schemas; allowed are {VISIBLE_BYTES} and {OUTPUT_BYTES}: {costs:?}"
    )]
}

/// No text names a tool or an argument that does not exist: a word with an underscore is one of either.
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
        TOOLS
            .iter()
            .any(|tool| *tool == word || (word.ends_with('_') && tool.starts_with(word)))
            || names.iter().any(|name| name == word)
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
    for stranger in strangers(freshcontext_server::mcp::INSTRUCTIONS, &all) {
        out.push(format!(
            "the instructions name `{stranger}`, which does not exist"
        ));
    }
    out
}

/// D07 of the fault matrix for every tool: wrong arguments are named, and nobody is asked.
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
        for strange in ["no_such_argument", "__proto__"] {
            let mut with = good.clone();
            with.insert(strange.to_owned(), json!(1));
            tries.push(("an unknown argument".to_owned(), strange.to_owned(), with));
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

/// Servers that the replay answers, at the examples' moment.
struct Replayed {
    upstream: ScriptedUpstream,
}

impl Replayed {
    async fn start() -> Result<Self, String> {
        let upstream = replay::Replay::load(&root(), None)?
            .start(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await?;
        Ok(Self { upstream })
    }

    fn engine(&self) -> Result<Arc<Engine>, String> {
        let now = examples::NOW
            .parse()
            .map_err(|_| "the moment of the examples is none")?;
        let clock = Arc::new(StepClock::new(now));
        run::engine(&self.upstream.base(), clock, run::once(), |_| {})
    }

    /// Calls a tool of a server of its own: no call waits for the pace of those before it.
    async fn call(&self, tool: &str, arguments: Value) -> Result<Outcome, String> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        run::call(&self.engine()?, tool, arguments, CallContext::default()).await
    }
}

/// What agents send in place of what is declared succeeds, and the answer says what was read.
async fn meant() -> Result<(), Failed> {
    let server = Replayed::start().await?;
    let mut out = Vec::new();
    for (tool, arguments, note) in [
        (
            "extract_hackernews",
            json!({"query": "rust"}),
            "`query` was read as `url`",
        ),
        (
            "extract_finance",
            json!({"tickers": "AAPL"}),
            "`tickers` was read as `url`",
        ),
        (
            "package_trends",
            json!({"packages": ["npm:react"]}),
            "`packages` was read as \"npm:react\"",
        ),
        (
            "extract_hackernews",
            json!({"url": "rust", "limit": "4"}),
            "`limit` was read as 4",
        ),
        (
            "extract_gebiz",
            json!({"query": "cybersecurity"}),
            "`query` was read as `url`",
        ),
    ] {
        let outcome = server.call(tool, arguments.clone()).await?;
        if outcome.is_error {
            out.push(format!("{tool} {arguments}: {}", outcome.text));
            continue;
        }
        let noted = outcome.structured["notes"]
            .to_string()
            .contains(&note.replace('"', "\\\""));
        if !noted || !outcome.text.contains(note) {
            out.push(format!(
                "{tool} {arguments}: no note {note:?}: {}",
                outcome.structured["notes"]
            ));
        }
    }
    verdict(out)
}

/// Every example that a reader may copy is accepted: those of the tools, of the texts about arguments, and the calls
/// in the docs. Those of the tools that a fixture answers succeed.
async fn examples_run() -> Result<(), Failed> {
    let server = Replayed::start().await?;
    let engine = server.engine()?;
    let cases = load_cases(&root().join("fixtures"))?;
    let answered = examples::ordinary(&cases);
    let mut out = Vec::new();
    let mut calls: Vec<(String, Value, &str)> = Vec::new();
    for tool in engine.tools() {
        let example: Value = serde_json::from_str(&tool.example).unwrap_or_default();
        let with_fixture = answered
            .get(tool.name.as_str())
            .is_some_and(|case| Value::Object(case.arguments.clone()) == example && case.env.is_empty());
        let place = if with_fixture {
            "its fixture"
        } else {
            "its example"
        };
        calls.push((tool.name.clone(), example.clone(), place));
        for (name, property) in tool.input_schema["properties"].as_object().into_iter().flatten() {
            let about = property["description"].as_str().unwrap_or_default();
            let Some((_, shown)) = about.split_once("e.g. ") else {
                continue;
            };
            let shown = shown.split(';').next().unwrap_or_default().trim();
            let mut with = example.clone();
            with[name.as_str()] = shown.into();
            calls.push((tool.name.clone(), with, "the text about an argument"));
        }
    }
    for file in documents()? {
        let text = std::fs::read_to_string(&file)?;
        for line in text.lines() {
            let line = line.trim().trim_start_matches("$ ");
            let Some(words) = line.strip_prefix("freshcontext call ") else {
                continue;
            };
            let refused = text.contains(&format!("{line}\nerror:"));
            let Some((tool, arguments)) = typed(&engine, words) else {
                continue;
            };
            if !refused {
                calls.push((tool, arguments, "the docs"));
            }
        }
    }
    for (tool, arguments, place) in calls {
        let outcome = server.call(&tool, arguments.clone()).await?;
        if outcome.code() == "invalid_input" || (place == "its fixture" && outcome.is_error) {
            out.push(format!("{tool} {arguments} of {place}: {}", outcome.text));
        }
    }
    verdict(out)
}

/// The documents that a reader of the project meets.
fn documents() -> Result<Vec<std::path::PathBuf>, Failed> {
    let mut found = vec![root().join("README.md")];
    for folder in ["docs", "adapters"] {
        for entry in std::fs::read_dir(root().join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|kind| kind == "md") {
                found.push(path);
            } else if path.join("README.md").exists() {
                found.push(path.join("README.md"));
            }
        }
    }
    Ok(found)
}

/// A call as a person types it: plain words and words in single quotes. `None` where it takes a file.
fn typed(engine: &Engine, words: &str) -> Option<(String, Value)> {
    let word = Regex::new(r"(?:[^\s']|'[^']*')+").ok()?;
    let words: Vec<String> = word
        .find_iter(words)
        .map(|word| word.as_str().replace('\'', ""))
        .collect();
    let (name, rest) = words.split_first()?;
    let tool = engine
        .tool(name)
        .or_else(|| engine.tool(&format!("extract_{name}")))?;
    let rest: Vec<String> = rest
        .iter()
        .take_while(|word| !word.starts_with("--"))
        .cloned()
        .collect();
    if rest
        .iter()
        .any(|word| word.starts_with('@') || !word.contains('='))
    {
        return None;
    }
    let arguments = freshcontext_server::cli::read_arguments(&tool.input_schema, &rest).ok()?;
    Some((tool.name.clone(), Value::Object(arguments)))
}

/// What of an answer its tool's output schema does not declare.
pub(crate) fn undeclared(at: &str, schema: &Value, value: &Value, out: &mut Vec<String>) {
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
async fn declared() -> Result<(), Failed> {
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

/// Bytes of JSON for each byte of text, over the examples of all tools that fetch.
const JSON_TO_TEXT: f64 = 1.3;

/// The JSON of an answer is hardly longer than its text, and every date in a text has its age beside it.
fn both_forms() -> Result<(), Failed> {
    let mut out = Vec::new();
    let examples = examples::all(&root())?;
    if examples.len() != TOOLS.len() {
        out.push(format!("{} examples of {} tools", examples.len(), TOOLS.len()));
    }
    let (mut text, mut json) = (0, 0);
    // A date on its line, in a fact or in brackets; after it, its age. The lines of the envelope that the specification
    // lays down have `Age:` below them.
    let date =
        Regex::new(r"(?:: |\| | \()(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)(?P<after>(?: \(|, )[^)]*(?:ago|in )|)")?;
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
