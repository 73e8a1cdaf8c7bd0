//! The rule of quotation (`freshcontext_testkit::forms`) on every surface: the format alone shows which text
//! is the server's. The check `hostile` covers single sources; this module covers all other surfaces, and
//! fails for a tool, a command or a resource that it does not list.

mod command_line;
mod kept;

use std::path::Path;

use crate::time::setup::Timed;
use freshcontext_budget::Strategy;
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::forms::{self, Group, MARK, poison};
use freshcontext_testkit::{Case, ScriptedUpstream, check, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::cases::of_a_composite;
use crate::run::{Bench, block_on, once};
use crate::time::setup::{Folder, ask, engine};
use crate::upstreams::{json_reply, reply};
use crate::{root, verdict};

/// Number of groups that the names of a body are divided into; each group is poisoned separately.
pub const GROUPS: usize = 3;
/// Number of poisons tried if each takes one call.
const TURNS: usize = 30;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("quoted::composites", || block_on(composites())),
        Trial::test("quoted::arguments", || block_on(arguments())),
        Trial::test("quoted::judgements", || block_on(judgements())),
        Trial::test("quoted::refusals", || block_on(refusals())),
    ];
    trials.extend(kept::trials());
    trials.extend(command_line::trials());
    trials
}

/// Returns the source text that reads as the server's in an outcome, with its location.
fn held(place: &str, outcome: &Outcome, out: &mut Vec<String>) {
    let found = forms::of_outcome(outcome);
    out.extend(found.into_iter().map(|complaint| format!("{place}: {complaint}")));
}

/// The same for a text.
fn held_text(place: &str, text: &str, out: &mut Vec<String>) {
    let found = forms::of_text(text);
    out.extend(found.into_iter().map(|complaint| format!("{place}: {complaint}")));
}

/// Whether the poison was output anywhere: otherwise the check proves nothing.
fn arrived(outcome: &Outcome) -> bool {
    outcome.text.contains(MARK) || outcome.structured.to_string().contains(MARK)
}

/// A case whose upstream poisons the strings of one group of names.
pub async fn poisoned_case(case: &Case, recordings: &Path, group: Group) -> Result<Outcome, Failed> {
    let bench = Bench::start(case, recordings, once(), |script| {
        script.alter(|exchange, reply| {
            reply.body = forms::poisoned(&reply.body, &exchange.content_type(), group);
        });
    })
    .await?;
    Ok(bench.call(&case.tool, case.arguments.clone()).await?)
}

/// Composites: each section's answer, the table above them, and the reports of failed sections.
async fn composites() -> Result<(), Failed> {
    let (mut complaints, mut seen) = (Vec::new(), 0);
    for case in load_cases(&root().join("fixtures"))?
        .iter()
        .filter(|case| of_a_composite(case))
    {
        for number in 0..GROUPS {
            let group = Group { number, of: GROUPS };
            let outcome = poisoned_case(case, Path::new(""), group).await?;
            held(&case.name, &outcome, &mut complaints);
            seen += usize::from(arrived(&outcome));
        }
    }
    if seen == 0 {
        complaints.push("the poison reached no composite".to_owned());
    }
    verdict(complaints)
}

/// A server with all tools, whose sources refuse with a poison.
async fn refusing() -> Result<(Timed, Folder, ScriptedUpstream), Failed> {
    let upstream = ScriptedUpstream::start(|request| {
        let number = request.target.len();
        let words = poison(number);
        let body = json!({"message": words, "error": words, "errors": [{"message": words, "detail": words}],
            "detail": words, "reason": words, "name": words, "title": words});
        match number % 4 {
            0 => reply(422, "application/json", &body.to_string()),
            1 => json_reply(&body.to_string()),
            2 => reply(404, "text/plain", &words),
            _ => reply(200, "text/html", &format!("<title>{words}</title><p>{words}</p>")),
        }
    })
    .await?;
    let folder = Folder::new();
    let engine = engine(&upstream.base(), &folder, None, |_| ())?;
    Ok((engine, folder, upstream))
}

/// An argument of a tool by its schema, with a poison if it is text.
fn given(property: &Value, poison: &str) -> Value {
    match property.get("type").and_then(Value::as_str) {
        Some("array") => json!([poison, poison]),
        Some("object") => json!({ poison: poison }),
        _ => json!(poison),
    }
}

/// Every argument of every tool, an unknown argument and an unknown tool: the errors repeat them.
async fn arguments() -> Result<(), Failed> {
    let (engine, _folder, _upstream) = refusing().await?;
    let (mut complaints, mut seen) = (Vec::new(), 0);
    for tool in engine.tools() {
        let example: Map<String, Value> = serde_json::from_str(&tool.example).unwrap_or_default();
        let properties = tool.input_schema.get("properties").and_then(Value::as_object);
        let mut names: Vec<String> = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        names.push(poison(tool.name.len()));
        for (at, name) in names.iter().enumerate() {
            for turn in 0..3 {
                let words = poison(at * 7 + turn * 11);
                let property = tool.input_schema["properties"]
                    .get(name)
                    .cloned()
                    .unwrap_or_default();
                let mut arguments = example.clone();
                arguments.insert(name.clone(), given(&property, &words));
                let outcome = ask(&engine, &tool.name, Value::Object(arguments)).await?;
                held(&format!("{} {name:.20}", tool.name), &outcome, &mut complaints);
                seen += usize::from(arrived(&outcome));
            }
        }
    }
    if seen < 20 {
        complaints.push(format!("the poison of {seen} calls came out"));
    }
    complaints.truncate(60);
    verdict(complaints)
}

/// An error response of every source with an example.
async fn refusals() -> Result<(), Failed> {
    let (engine, _folder, _upstream) = refusing().await?;
    let mut complaints = Vec::new();
    for tool in engine.tools() {
        let example: Value = serde_json::from_str(&tool.example).unwrap_or_default();
        let outcome = ask(&engine, &tool.name, example).await?;
        held(&tool.name, &outcome, &mut complaints);
    }
    verdict(complaints)
}

/// Evaluations: cards, and assemblies under every strategy, of signals with poison in every text, and of
/// results of the server's own tools.
async fn judgements() -> Result<(), Failed> {
    let bench = Bench::idle().await?;
    let mut budgets = vec![
        Value::Null,
        json!({"max_tokens": 4_000}),
        json!({"max_tokens": 400}),
    ];
    for strategy in Strategy::ALL.map(Strategy::as_str) {
        for most in [300, 900] {
            budgets
                .push(json!({"max_tokens": most, "overflow_strategy": strategy, "allow_unverified": true}));
        }
    }
    let (mut complaints, mut seen) = (Vec::new(), 0);
    for turn in 0..TURNS {
        let budget = budgets.get(turn % budgets.len()).cloned().unwrap_or_default();
        let mut arguments = json!({
            "profile": "local_custom", "intent": "developer_adoption", "query": poison(turn),
            "signals": signals(turn), "records": "full",
        });
        if !budget.is_null() {
            arguments["budget"] = budget.clone();
        }
        let outcome = bench.call("evaluate_context", object(arguments)).await?;
        let place = format!("turn {turn}, {budget}");
        held(&place, &outcome, &mut complaints);
        let text = outcome.text.as_str();
        let envelopes = |tag: &str| text.lines().filter(|line| *line == tag).count();
        let blocks = outcome.structured["assembly"]["blocks"]
            .as_array()
            .map_or(0, Vec::len);
        if [envelopes("[FRESHCONTEXT]"), envelopes("[/FRESHCONTEXT]")] != [blocks, blocks] {
            complaints.push(format!(
                "{place}: {blocks} blocks, another number of envelopes:\n{text}"
            ));
        }
        for block in outcome.structured["assembly"]["blocks"]
            .as_array()
            .into_iter()
            .flatten()
        {
            held_text(
                &place,
                block["text"].as_str().unwrap_or_default(),
                &mut complaints,
            );
        }
        seen += usize::from(arrived(&outcome));
        if outcome.is_error && outcome.code() != "too_large" {
            complaints.push(format!("{place}: {}", outcome.text));
        }
    }
    if seen == 0 {
        complaints.push("the poison reached no judgement".to_owned());
    }
    verdict(complaints)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Signals with poison in every text: dated and undated, failed, denied, and whole results of the server's
/// tools.
fn signals(turn: usize) -> Value {
    let words = |at: usize| poison(turn * 13 + at);
    let long = |at: usize| {
        let lines: Vec<String> = (0..12)
            .map(|line| format!("A sentence of it. {}", words(at + line)))
            .collect();
        lines.join("\n")
    };
    json!([
        {"source": format!("https://example.com/{turn}"), "title": words(0), "content": long(1),
            "published_at": "2026-11-20T10:00:00Z", "retrieved_at": "2026-11-21T11:00:00Z",
            "date_confidence": "high", "semantic_score": 0.9},
        {"source": words(2), "source_type": words(3), "id": words(4), "title": words(5), "content": long(6),
            "published_at": "2026-11-19T10:00:00Z", "semantic_score": 0.8,
            "metadata": {"replacement": words(7), "retention_hint": words(8), "semantic_fingerprint": words(9)}},
        {"source": words(10), "title": words(11)},
        {"source": words(12), "content": words(13), "status": "failed"},
        {"source": words(14), "content": words(15), "content_type": words(16), "final_url": words(17)},
        {"source": words(18), "content": words(19), "metadata": {"permission": "denied"}},
        {"source": words(20), "content": words(21), "metadata": {"policy": {"ref": words(22)}, "sensitivity": "secret"}},
        {"source": words(23), "content": words(24), "metadata": {"policy": words(25)}},
        {"code": words(26), "message": words(27), "adapter": words(28), "source": words(29)},
        {"freshcontext": {"source_url": words(30), "adapter": words(31), "retrieved_at": "2026-11-21T11:00:00Z"},
            "items": [{"title": words(32), "summary": words(33), "url": words(34),
                "published_at": "2026-11-18T10:00:00Z"}]},
        {"source": "https://example.com/login", "content": format!("Access denied. {} Please sign in.", words(35)),
            "http_status": 403},
    ])
}

/// Kept beside what a case says: the honesty of a poisoned answer.
pub fn of_case(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut complaints = check::honesty(case, outcome);
    complaints.extend(check::harmless(outcome));
    complaints.extend(forms::of_outcome(outcome));
    complaints
}
