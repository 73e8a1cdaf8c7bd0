//! Content that a composite shows: a minimum score, and a length shared by the sections.

use std::sync::Arc;

use freshcontext_engine::CallContext;
use freshcontext_testkit::load_cases;
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::form::form;
use super::{Table, call, once, sections};
use crate::upstreams::{hits, json_reply};
use crate::{root, verdict};

/// G06: a minimum score replaces content and keeps the heading; an unknown score is below it; invalid values
/// are rejected.
pub(super) async fn freshness(table: Arc<Table>) -> Result<(), Failed> {
    let whole = table.ordinary(&json!({})).await?;
    let mut out = Vec::new();
    // 0 is the same as absent.
    for least in [0.0, 1.0, 50.0, 99.5, 100.0] {
        let (engine, _upstream, _) = table.serve(once(), |_| None).await?;
        let mut arguments = table.case.arguments.clone();
        arguments.insert("min_freshness_score".to_owned(), json!(least));
        let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
        out.extend(form(&table, &engine, &outcome));
        for (section, before) in sections(&outcome).iter().zip(sections(&whole)) {
            let score = before["result"]["freshcontext"]["freshness_score"].as_f64();
            let settled =
                ["failed", "empty", "skipped"].contains(&before["status"].as_str().unwrap_or_default());
            let under = least > 0.0 && !settled && score.is_none_or(|score| score < least);
            let adapter = section["adapter"].as_str().unwrap_or_default();
            let status = if score.is_none() { "undated" } else { "stale" };
            let stale = &section[status];
            if (section["status"] == status) != under || stale.is_object() != under {
                out.push(format!(
                    "least {least}: {adapter} with {score:?} is {}",
                    section["status"]
                ));
            }
            if !under {
                let items = section["result"]["items"].as_array().into_iter().flatten();
                let below = items.filter(|item| {
                    item["freshness_score"]
                        .as_f64()
                        .is_some_and(|score| score < least)
                });
                out.extend(below.map(|item| format!("least {least}: {item}")));
                continue;
            }
            let message = stale["message"].as_str().unwrap_or_default();
            let right = stale["threshold"].as_f64() == Some(least)
                && stale["score"].as_f64() == score
                && stale["content_date"] == before["result"]["freshcontext"]["content_date"];
            let body = outcome
                .text
                .split(&format!(" ({})\n", section["tool"].as_str().unwrap_or_default()))
                .nth(1)
                .unwrap_or_default();
            if !right
                || !body.starts_with(message)
                || !(message.starts_with("Stale: ") || message.starts_with("Undated: "))
            {
                out.push(format!("least {least}: {adapter} says {stale}"));
            }
        }
    }
    let (engine, upstream, _) = table.serve(once(), |_| None).await?;
    for bad in [
        json!(-1),
        json!(100.5),
        json!(true),
        json!("high"),
        json!([50]),
        json!({}),
    ] {
        let mut arguments = table.case.arguments.clone();
        arguments.insert("min_freshness_score".to_owned(), bad.clone());
        let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
        if outcome.code() != "invalid_input" || outcome.structured["field"] != "min_freshness_score" {
            out.push(format!("min_freshness_score {bad}: {}", outcome.text));
        }
    }
    if !upstream.requests().is_empty() {
        out.push("somebody was asked for nonsense".to_owned());
    }
    verdict(out)
}

/// H08 for composites: the whole keeps its maximum length, short sections are complete, and cuts are
/// reported.
pub(super) async fn length() -> Result<(), Failed> {
    let cases = load_cases(&root().join("fixtures"))?;
    let case = cases.into_iter().find(|case| case.tool == "extract_landscape");
    let table = Table::set(case.ok_or("extract_landscape has no case")?)?;
    let long: Value = serde_json::from_str(&hits("robots"))?;
    let stories: Vec<Value> = (0..20)
        .map(|at| {
            let mut story = long["hits"][0].clone();
            story["objectID"] = json!((41_000_000 + at).to_string());
            story["url"] = json!(format!("https://example.com/story-{at}"));
            story["title"] = json!(format!("Story number {at} {}", "about robots ".repeat(12)));
            story
        })
        .collect();
    let mut body = long;
    body["hits"] = json!(stories);
    body["nbHits"] = json!(20);
    let body = body.to_string();
    let ask = async |max_length: usize| {
        let body = body.clone();
        let (engine, _upstream, _) = table
            .serve(once(), move |seen| {
                (seen.host == "hn.algolia.com").then(|| json_reply(&body))
            })
            .await?;
        let mut arguments = table.case.arguments.clone();
        arguments.insert("max_length".to_owned(), json!(max_length));
        let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
        let wrong = form(&table, &engine, &outcome);
        if wrong.is_empty() {
            Ok(outcome)
        } else {
            Err(wrong.join("\n"))
        }
    };
    let whole = ask(20_000).await?;
    let mut out = Vec::new();
    for max_length in [10_000, 9_000, 8_000] {
        let outcome = ask(max_length).await?;
        let chars = outcome.text.chars().count();
        if chars > max_length || chars + 600 < max_length {
            out.push(format!("{chars} characters, {max_length} asked for"));
        }
        for (section, before) in sections(&outcome).iter().zip(sections(&whole)) {
            let cut = section["result"]["truncated"].as_u64().unwrap_or_default();
            let shown = |section: &Value| section["result"]["items"].as_array().map_or(0, Vec::len);
            if shown(section) as u64 + cut != shown(before) as u64 {
                out.push(format!(
                    "{}: {} shown, {cut} cut",
                    section["adapter"],
                    shown(section)
                ));
            }
            if (section["adapter"] == "hackernews") != (cut > 0) {
                out.push(format!("{max_length}: {} lost {cut}", section["adapter"]));
            }
        }
    }
    // Six envelopes alone exceed this; none is dropped, and each is complete.
    let least = ask(300).await?;
    let chars = least.text.chars().count();
    if chars > 6_000 {
        out.push(format!("{chars} characters for 300 asked for"));
    }
    verdict(out)
}
