//! Composites: one id for the whole, a verdict for every section, and the strongest of them as the overall
//! verdict.

use freshcontext_engine::RECHECK;
use freshcontext_testkit::Reply;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::setup::{Folder, ask, case, engine, ensure, recheck, serving};
use crate::run::block_on;
use crate::upstreams::reply;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("time::composite::sections", || block_on(sections())),
        Trial::test("time::composite::failed_section", || block_on(failed_section())),
        Trial::test("time::composite::left_out_items", || block_on(left_out_items())),
        Trial::test("time::composite::nothing_told", || block_on(nothing_told())),
        Trial::test("time::composite::without_an_id", || block_on(without_an_id())),
    ]
}

const CASE: &str = "composites/extract_gov_landscape";

/// Returns the verdicts of the sections, by tool.
fn verdicts(found: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sections = found["sections"].as_array().cloned().unwrap_or_default();
    sections
        .iter()
        .map(|section| (text(&section["tool"]), text(&section["verdict"])))
        .collect()
}

fn all_current_but(found: &Value, tool: &str, verdict: &str) -> bool {
    verdicts(found).iter().all(|(name, said)| {
        let right = if name == tool { verdict } else { "current" };
        said == right
    })
}

async fn sections() -> Result<(), Failed> {
    let folder = Folder::new();
    let (first, case, script, upstream) = serving(&case(CASE)?, &folder).await?;
    let answer = ask(&first, &case.tool, Value::Object(case.arguments.clone())).await?;
    let again = ask(&first, &case.tool, Value::Object(case.arguments.clone())).await?;
    first.close().await;
    let full = upstream.requests().len();
    let id = answer.structured["answer_id"].as_str().unwrap_or_default();
    ensure(
        !id.is_empty() && again.structured["answer_id"] == id,
        "an id that the cache keeps",
    )?;
    let heading = answer.text.split("\nCoverage: ").next().unwrap_or_default();
    ensure(heading.ends_with(&format!("\nAnswer-Id: {id}")), heading)?;
    let later = engine(&upstream.base(), &folder, Some(&case), |_| {})?;
    let found = recheck(&later, &answer).await?;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    ensure(verdicts(&found.structured).len() == 4, &found.text)?;
    let asked = upstream.requests().len() - full;
    ensure(
        found.structured["requests"] == asked && asked < full,
        format!("{asked} of {full} requests"),
    )?;
    // A story gets another title: its section changed, and so did the whole.
    script.alter(|exchange, reply: &mut Reply| {
        if exchange.url.as_str().contains("hn.algolia.com") {
            let body = String::from_utf8_lossy(&reply.body).replace("wins a contract", "loses a contract");
            reply.body = body.into_bytes();
        }
    });
    let found = recheck(&later, &answer).await?;
    ensure(found.structured["verdict"] == "changed", &found.text)?;
    ensure(
        all_current_but(&found.structured, "extract_hackernews", "changed"),
        &found.text,
    )?;
    // With a refusal as well, the strongest verdict counts.
    script.alter(|exchange, line: &mut Reply| {
        if exchange.url.as_str().contains("/search/repositories") {
            *line = reply(503, "text/plain", "down");
        }
    });
    let found = recheck(&later, &answer).await?;
    later.close().await;
    ensure(found.structured["verdict"] == "changed", &found.text)?;
    let refused = verdicts(&found.structured);
    ensure(
        refused.contains(&("search_repos".to_owned(), "could_not_check".to_owned())),
        &found.text,
    )
}

/// A section that had failed is not requested, and does not prevent the verdict `current`.
async fn failed_section() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, script, upstream) = serving(&case(CASE)?, &folder).await?;
    script.alter(|exchange, line: &mut Reply| {
        if exchange.url.as_str().contains("hn.algolia.com") {
            *line = reply(403, "text/plain", "no");
        }
    });
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    ensure(answer.structured["partial"] == true, &answer.text)?;
    let before = upstream.requests().len();
    let found = recheck(&engine, &answer).await?;
    engine.close().await;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    ensure(verdicts(&found.structured).len() == 3, &found.text)?;
    let label = found.structured["not_rechecked"][0].as_str().unwrap_or_default();
    ensure(
        label.contains("Hacker News") && found.text.contains(label),
        &found.text,
    )?;
    let asked = upstream.requests().split_off(before);
    ensure(
        asked.iter().all(|seen| seen.host != "hn.algolia.com"),
        "a section that told nothing was asked",
    )
}

/// What the caller asked not to see is not new.
async fn left_out_items() -> Result<(), Failed> {
    let mut left_out = 0;
    for least in [5, 20, 40, 60, 80] {
        let folder = Folder::new();
        let (engine, case, _script, _upstream) = serving(&case(CASE)?, &folder).await?;
        let mut arguments = case.arguments.clone();
        arguments.insert("min_freshness_score".to_owned(), least.into());
        let answer = ask(&engine, &case.tool, Value::Object(arguments)).await?;
        if answer.structured.get("answer_id").is_some() {
            left_out += usize::from(
                answer.text.contains("that score below") || answer.text.contains("that scores below"),
            );
            let found = recheck(&engine, &answer).await?;
            ensure(
                found.structured["verdict"] == "current",
                format!("{least}: {}", found.text),
            )?;
        }
        engine.close().await;
    }
    ensure(left_out > 0, "no item was left out: nothing was tried")
}

async fn nothing_told() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, script, _upstream) = serving(&case(CASE)?, &folder).await?;
    script.answer_all(&reply(403, "text/plain", "no"));
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    engine.close().await;
    ensure(answer.is_error, &answer.text)?;
    ensure(answer.structured.get("answer_id").is_none(), "an id of nothing")
}

async fn without_an_id() -> Result<(), Failed> {
    let folder = Folder::new();
    let engine = engine("http://127.0.0.1:9", &folder, None, |_| {})?;
    let about = json!({"tool": "extract_gov_landscape", "arguments": {"query": "x"}, "hash": "x"});
    let found = ask(&engine, RECHECK, about).await?;
    engine.close().await;
    ensure(
        found.code() == "invalid_input" && found.structured["field"] == "tool",
        &found.text,
    )?;
    ensure(found.text.contains("by their answer_id"), &found.text)
}
