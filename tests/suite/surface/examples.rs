//! What agents send and what a reader may copy, as calls that succeed.

use std::net::SocketAddr;
use std::sync::Arc;

use freshcontext_engine::{CallContext, Engine};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{ScriptedUpstream, StepClock, load_cases};
use freshcontext_xtask::{examples, replay};
use libtest_mimic::Failed;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::run;
use crate::{root, verdict};

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
pub(super) async fn meant() -> Result<(), Failed> {
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

/// Arguments that workflow tools and agents add to their calls.
const ADDED: [&str; 7] = [
    "toolCallId",
    "sessionId",
    "action",
    "chatInput",
    "explanation",
    "_meta",
    "tool_call_id",
];

/// Each of them on each tool: the call is as it is without, and the answer says what was ignored.
pub(super) async fn added() -> Result<(), Failed> {
    let server = Replayed::start().await?;
    let engine = server.engine()?;
    let cases = load_cases(&root().join("fixtures"))?;
    let answered = examples::ordinary(&cases);
    let (mut out, mut calls, mut noted) = (Vec::new(), 0, 0);
    for tool in engine.tools() {
        let mut example: Map<String, Value> = serde_json::from_str(&tool.example).unwrap_or_default();
        if let Some(case) = answered
            .get(tool.name.as_str())
            .filter(|case| case.env.is_empty())
        {
            example.clone_from(&case.arguments);
        }
        // The first call asks; the others are answered from the cache.
        let engine = server.engine()?;
        for name in ADDED {
            let mut with = example.clone();
            with.insert(name.to_owned(), json!("added by a workflow tool"));
            let outcome = run::call(&engine, &tool.name, with, CallContext::default()).await?;
            calls += 1;
            if outcome.code() == "invalid_input" {
                out.push(format!("{} {name}: {}", tool.name, outcome.text));
            } else if !outcome.is_error {
                noted += 1;
                if !outcome.text.contains(&format!("`{name}`")) {
                    out.push(format!("{} {name} is not noted: {}", tool.name, outcome.text));
                }
            }
        }
    }
    if calls < 154 || noted < 100 {
        out.push(format!("{calls} calls, {noted} with an answer"));
    }
    verdict(out)
}

/// Every example that a reader may copy is accepted: those of the tools, of the texts about arguments, and the calls
/// in the docs. Those of the tools that a fixture answers succeed.
pub(super) async fn run() -> Result<(), Failed> {
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
    let arguments =
        freshcontext::cli::read_arguments(&tool.input_schema, &rest, &freshcontext_contract::Limits::DEFAULT)
            .ok()?;
    Some((tool.name.clone(), Value::Object(arguments)))
}
