//! One ordinary call of every tool, run through the real server against its fixture at a fixed time.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext::app::App;
use freshcontext_config::Settings;
use freshcontext_engine::{CallContext, EVALUATE, Written};
use freshcontext_fetch::{Exchange, Observe};
use freshcontext_mcp::timeline;
use freshcontext_testkit::{Case, Kind, SECRET, Script, ScriptedUpstream, StepClock, load_cases};
use serde_json::{Map, Value};

use crate::words::{shell, words};

/// Fixed time of all examples, so that none ages: the latest time of a fixture.
pub const NOW: &str = "2026-11-21T20:15:00Z";
/// Placeholder for a cursor, which each server seals with its own key.
const CURSOR: &str = "CURSOR";

/// A call and its result.
#[derive(Debug, Clone)]
pub struct Example {
    /// The tool.
    pub tool: String,
    /// Its title.
    pub title: String,
    /// The call as typed on the command line.
    pub call: String,
    /// The result's text.
    pub text: String,
    /// The result's structured content.
    pub structured: Value,
    /// Whether the call failed.
    pub is_error: bool,
    /// The result as an HTML page.
    pub page: String,
}

impl Example {
    /// Returns the structured content as JSON.
    pub fn json(&self) -> String {
        self.structured.to_string()
    }
}

/// Selects the ordinary case of every source tool: the case of the tool's own example if there is one.
pub fn ordinary(cases: &[Case]) -> BTreeMap<&str, &Case> {
    let examples: Vec<(&str, Map<String, Value>)> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| (adapter.descriptor().tool, adapter.descriptor().example))
        .chain(
            freshcontext_sources::composites()
                .iter()
                .map(|composite| (composite.tool, composite.example)),
        )
        .filter_map(|(tool, example)| Some((tool, serde_json::from_str(example).ok()?)))
        .collect();
    let mut chosen: BTreeMap<&str, &Case> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.kind == Kind::Ok) {
        let own = examples
            .iter()
            .any(|(tool, example)| *tool == case.tool && *example == case.arguments);
        if own || !chosen.contains_key(case.tool.as_str()) {
            chosen.insert(&case.tool, case);
        }
    }
    chosen
}

/// Returns every tool's example, sorted by name.
pub fn all(root: &Path) -> Result<Vec<Example>, String> {
    let cases = load_cases(&root.join("fixtures"))?;
    let chosen = ordinary(&cases);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let mut examples = Vec::new();
        for case in chosen.values() {
            examples.push(answer(root, case, &case.tool, case.arguments.clone()).await?);
        }
        examples.push(judged(root, &cases).await?);
        examples.sort_by(|a: &Example, b| a.tool.cmp(&b.tool));
        Ok(examples)
    })
}

/// Returns a call that is rejected before any source is contacted.
pub fn refused(root: &Path, tool: &str, arguments: &Value) -> Result<Example, String> {
    let cases = load_cases(&root.join("fixtures"))?;
    let case = cases.first().ok_or("there are no fixtures")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    runtime.block_on(answer(root, case, tool, arguments))
}

/// Runs `evaluate_context` with the signals of examples/.
async fn judged(root: &Path, cases: &[Case]) -> Result<Example, String> {
    let name = "examples/signals.json";
    let text = std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    let arguments = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    let any = cases.first().ok_or("there are no fixtures")?;
    let mut example = answer(root, any, EVALUATE, arguments).await?;
    example.call = format!("freshcontext call {EVALUATE} @{name}");
    Ok(example)
}

/// Pages shown in the documentation: a name, the case by its folder in fixtures/, and hosts that answer with
/// a rate limit.
const PICTURED: [(&str, &str, &[&str]); 5] = [
    ("list", "hackernews/rust", &[]),
    (
        "composite",
        "composites/extract_landscape",
        &["api.github.com", "www.reddit.com"],
    ),
    ("undated", "changelog/page-comment", &[]),
    ("failed", "changelog/challenge", &[]),
    ("quotes", "finance/ok", &[]),
];

/// Writes the pages for the documentation to a folder, each with its answer as JSON, and those of every tool to `tools` in it.
pub fn timelines(root: &Path, into: &Path) -> Result<String, String> {
    std::fs::create_dir_all(into).map_err(|error| format!("{}: {error}", into.display()))?;
    let cases = load_cases(&root.join("fixtures"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    for (name, folder, busy) in PICTURED {
        let mut case = cases
            .iter()
            .find(|case| case.folder.ends_with(folder))
            .cloned()
            .ok_or_else(|| format!("fixtures/ has no case {folder}"))?;
        for exchange in &mut case.exchanges {
            if exchange.url.host_str().is_some_and(|host| busy.contains(&host)) {
                exchange.status = 429;
                exchange
                    .headers
                    .insert("retry-after".to_owned(), "600".to_owned());
            }
        }
        let case = &case;
        let example = runtime.block_on(answer(root, case, &case.tool, case.arguments.clone()))?;
        write_page(&into.join(name), &example)?;
    }
    let tools = into.join("tools");
    std::fs::create_dir_all(&tools).map_err(|error| format!("{}: {error}", tools.display()))?;
    let every = all(root)?;
    for example in &every {
        write_page(&tools.join(&example.tool), example)?;
    }
    Ok(format!(
        "pages of {} answers at {NOW} in {}",
        PICTURED.len() + every.len(),
        into.display()
    ))
}

/// Writes the page of an answer, and the answer as JSON.
fn write_page(path: &Path, example: &Example) -> Result<(), String> {
    for (ending, text) in [("json", &example.json()), ("html", &example.page)] {
        let file = path.with_extension(ending);
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// Observer that ignores every exchange.
struct NoObserver;

impl Observe for NoObserver {
    fn exchanged(&self, _exchange: &Exchange<'_>) {}
}

/// Runs a call against a case's exchanges, with the case's settings, at [`NOW`].
async fn answer(
    root: &Path,
    case: &Case,
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<Example, String> {
    let now: DateTime<Utc> = NOW.parse().map_err(|error| format!("{NOW}: {error}"))?;
    answer_at(root, case, tool, arguments, now, Path::new("")).await
}

/// Runs a case's own call at its own moment. `bodies` is the folder of its recordings.
///
/// # Errors
/// A body that cannot be read, or a tool that does not exist.
pub async fn answer_of(root: &Path, case: &Case, bodies: Option<&Path>) -> Result<Example, String> {
    let bodies = bodies.unwrap_or(Path::new(""));
    answer_at(root, case, &case.tool, case.arguments.clone(), case.now, bodies).await
}

async fn answer_at(
    root: &Path,
    case: &Case,
    tool: &str,
    arguments: Map<String, Value>,
    now: DateTime<Utc>,
    bodies: &Path,
) -> Result<Example, String> {
    let script = Script::of(case, bodies)?;
    let upstream = ScriptedUpstream::start(move |seen| script.answer(seen))
        .await
        .map_err(|error| error.to_string())?;
    let has_contact = case.env.iter().any(|name| name == "FRESHCONTEXT_CONTACT");
    let settings = Settings {
        upstreams: vec![("*".to_owned(), upstream.base())],
        contact: has_contact.then(|| "ops@example.com".to_owned()),
        data_dir: Some(root.join("target/examples")),
        ..Settings::default()
    };
    let environment: Vec<(String, String)> = case
        .env
        .iter()
        .map(|name| (name.clone(), SECRET.to_owned()))
        .collect();
    let clock = Arc::new(StepClock::new(now));
    let app = App::build_observed(&settings, &environment, Arc::new(NoObserver), Some(clock))
        .map_err(|error| error.to_string())?;
    let known = app
        .engine
        .tool(tool)
        .ok_or_else(|| format!("there is no tool {tool}"))?;
    let title = known.title.clone();
    let call = shell(&words(tool, &arguments));
    let asked = arguments.clone();
    let called = app.engine.call(tool, arguments, CallContext::default()).await;
    let answer = called.map_err(|_| format!("there is no tool {tool}"))?;
    let page = timeline::of(known, &asked, &answer, now);
    let Written {
        mut text,
        mut structured,
        is_error,
        ..
    } = answer.written();
    mask(&mut structured, &mut text);
    Ok(Example {
        tool: tool.to_owned(),
        title,
        call,
        text,
        structured,
        is_error,
        page,
    })
}

/// Replaces every cursor by [`CURSOR`], including those in a composite's sections.
fn mask(structured: &mut Value, text: &mut String) {
    if let Some(cursor) = structured.get_mut("next_cursor") {
        *text = text.replace(cursor.as_str().unwrap_or_default(), CURSOR);
        *cursor = CURSOR.into();
    }
    let sections = structured.get_mut("sections").and_then(Value::as_array_mut);
    for section in sections.into_iter().flatten() {
        if let Some(result) = section.get_mut("result") {
            mask(result, text);
        }
    }
}
