//! Answers as of an earlier moment: nothing later is shown, in items and in values, and what is not known of that moment
//! is said.
//!
//! Every fixture is asked at a few random moments, and where the recordings are present, they are, too. `AS_OF=<n>` asks
//! about `n` calls in all; the complete check is `AS_OF=10000`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::moment::parse_instant;
use freshcontext_contract::{Descriptor, HEAD, TEXT};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Script, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value};

use crate::cases::panic_line;
use crate::run::{Bench, block_on, once};
use crate::{root, shared, verdict};

/// Calls of a case where nothing else is asked for.
const MOMENTS: usize = 3;
/// Fields of an item or an answer that are not facts of the source.
const ALWAYS: [&str; 3] = ["date_as_given", "date_contradicted_by", "also_in"];

pub fn trials() -> Vec<Trial> {
    let load = |folder: &str| load_cases(&root().join(folder)).unwrap_or_else(|error| panic_line(&error));
    let mut all: Vec<(Case, PathBuf)> = Vec::new();
    all.extend(load("fixtures").into_iter().map(|case| (case, PathBuf::new())));
    if let Some(shared) = shared() {
        let recordings = shared.join("recordings");
        let recorded = load("tests/recordings");
        all.extend(recorded.into_iter().map(|case| (case, recordings.clone())));
    }
    let asked: Option<usize> = std::env::var("AS_OF").ok().and_then(|calls| calls.parse().ok());
    let each = asked.map_or(MOMENTS, |calls| calls.div_ceil(all.len().max(1)));
    let all = Arc::new(all);
    let tables = Arc::clone(&all);
    let mut tools: Vec<String> = all.iter().map(|(case, _)| case.tool.clone()).collect();
    tools.sort();
    tools.dedup();
    let mut trials = vec![
        Trial::test("as_of::tables", move || block_on(named(&tables))),
        Trial::test("as_of::arguments", || block_on(arguments())),
        Trial::test("as_of::evaluate", || block_on(evaluated())),
    ];
    trials.extend(tools.into_iter().map(|tool| {
        let all = Arc::clone(&all);
        Trial::test(format!("as_of::{tool}"), move || {
            block_on(earlier(&all, &tool, each))
        })
    }));
    trials
}

fn descriptor(adapter: &str) -> Option<&'static Descriptor> {
    let adapters = freshcontext_sources::adapters();
    let mut facts = adapters.iter().map(|adapter| adapter.descriptor());
    facts.find(|facts| facts.id == adapter)
}

/// Numbers that look random and are the same in each run (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most.max(1)
    }
}

/// Every fact that any answer shows stands in its source's table, in one list only.
async fn named(all: &[(Case, PathBuf)]) -> Result<(), Failed> {
    let mut out = BTreeSet::new();
    for adapter in freshcontext_sources::adapters() {
        let facts = adapter.descriptor();
        for name in facts.facts.fixed {
            if facts.facts.moving.contains(name) {
                out.insert(format!("{}: {name} is fixed and moves", facts.id));
            }
        }
        for name in [TEXT, HEAD] {
            if !facts.facts.knows(name) {
                out.insert(format!("{}: {name} is in no list", facts.id));
            }
        }
    }
    for (case, recordings) in all {
        let bench = Bench::hurried(case, recordings, once(), |_| {}).await?;
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        for answer in answers(&outcome.structured) {
            let Some(facts) = answer["freshcontext"]["adapter"].as_str().and_then(descriptor) else {
                continue;
            };
            let names = |fields: &Value| -> Vec<String> {
                let names = fields.as_object().into_iter().flat_map(Map::keys);
                names.cloned().collect()
            };
            let mut shown = names(&answer["fields"]);
            shown.extend(
                answer["items"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .flat_map(|item| names(&item["fields"])),
            );
            for name in shown {
                if !facts.facts.knows(&name) && !ALWAYS.contains(&name.as_str()) {
                    out.insert(format!("{}: {name} is neither fixed nor moving", facts.id));
                }
            }
        }
    }
    verdict(out.into_iter().collect())
}

/// The answers in a result: itself, or the results of a composite's sections.
fn answers(structured: &Value) -> Vec<&Value> {
    match structured["sections"].as_array() {
        Some(sections) => sections.iter().map(|section| &section["result"]).collect(),
        None => vec![structured],
    }
}

async fn earlier(all: &[(Case, PathBuf)], tool: &str, each: usize) -> Result<(), Failed> {
    let mut out = Vec::new();
    let (mut calls, mut with_items) = (0, 0);
    let mut random = Random(tool.bytes().map(u64::from).sum());
    for (number, (case, recordings)) in all.iter().enumerate().filter(|(_, (case, _))| case.tool == tool) {
        let moments = moments(case, recordings, each, &mut random).await?;
        // What no request of its own can answer (a cursor, a wrong argument) stays what it is.
        for moment in moments {
            let mut arguments = case.arguments.clone();
            arguments.insert("as_of".to_owned(), moment.clone().into());
            let at = format!("{tool} case {number} ({:?}) at {moment}", case.arguments);
            let bench = Bench::hurried(case, recordings, once(), Script::ignore_queries).await?;
            let first = bench.call(&case.tool, arguments.clone()).await?;
            let again = Bench::hurried(case, recordings, once(), Script::ignore_queries).await?;
            let second = again.call(&case.tool, arguments).await?;
            if bytes(&first) != bytes(&second) {
                out.push(format!("{at}: another answer the second time"));
            }
            calls += 1;
            let shown = answers(&first.structured);
            let items = shown.iter().filter_map(|answer| answer["items"].as_array());
            with_items += usize::from(items.flatten().next().is_some());
            let last = parse_instant(&moment).ok_or("a moment")?.last();
            for answer in answers(&first.structured) {
                out.extend(
                    later(answer, last)
                        .into_iter()
                        .map(|line| format!("{at}: {line}")),
                );
            }
            if !first.is_error && case.tool.starts_with("extract_") {
                for line in first.text.lines().filter(|line| line.starts_with("Published: ")) {
                    let shown = line.trim_start_matches("Published: ");
                    if parse_instant(shown).is_some_and(|date| date.instant > last) {
                        out.push(format!("{at}: the text says {line}"));
                    }
                }
            }
            if out.len() > 20 {
                return verdict(out);
            }
        }
    }
    // A source that shows nothing at any moment would pass without being tried.
    let supported = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor())
        .all(|facts| facts.tool != tool || facts.no_as_of().is_none());
    if with_items * 20 < calls && supported {
        out.push(format!("{tool}: only {with_items} of {calls} calls show an item"));
    }
    verdict(out)
}

/// Both forms, without cursors: each server seals its own with a key of its own.
fn bytes(outcome: &Outcome) -> String {
    let mut both = format!("{}\n{}", outcome.text, outcome.structured);
    for answer in answers(&outcome.structured) {
        if let Some(cursor) = answer["next_cursor"].as_str() {
            both = both.replace(cursor, "");
        }
    }
    both
}

/// Moments around the dates that a case's answer shows, and random ones: the day of one, its end, a little before.
async fn moments(
    case: &Case,
    recordings: &Path,
    each: usize,
    random: &mut Random,
) -> Result<Vec<String>, Failed> {
    let bench = Bench::hurried(case, recordings, once(), |_| {}).await?;
    let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
    let mut dates: Vec<DateTime<Utc>> = Vec::new();
    for answer in answers(&outcome.structured) {
        let items = answer["items"].as_array().into_iter().flatten();
        let shown = items.filter_map(|item| item["published_at"].as_str());
        dates.extend(shown.filter_map(parse_instant).map(|date| date.instant));
    }
    dates.retain(|date| *date <= case.now);
    let mut out = Vec::new();
    for _ in 0..each {
        let most = u64::try_from(dates.len()).unwrap_or(0);
        let chosen = usize::try_from(random.below(most)).unwrap_or(0);
        let near = dates.get(chosen).copied().filter(|_| random.below(4) > 0);
        let at = if let Some(date) = near {
            let seconds = i64::try_from(random.below(172_800)).unwrap_or(0) - 86_400;
            (date + TimeDelta::seconds(seconds)).min(case.now)
        } else {
            let days = i64::try_from(random.below(20 * 365)).unwrap_or(0);
            case.now - TimeDelta::days(days)
        };
        out.push(if random.below(2) == 0 {
            at.format("%Y-%m-%d").to_string()
        } else {
            at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
        });
    }
    Ok(out)
}

/// What an answer shows that is later than a moment, or moves.
fn later(answer: &Value, moment: DateTime<Utc>) -> Vec<String> {
    let mut out = Vec::new();
    let Some(facts) = answer["freshcontext"]["adapter"].as_str().and_then(descriptor) else {
        return out;
    };
    if answer["as_of"]
        .as_str()
        .and_then(parse_instant)
        .map(|date| date.instant)
        != Some(moment)
    {
        out.push(format!("as_of is {}", answer["as_of"]));
    }
    let is_late = |text: &str| {
        // The last moment that is certain to be meant: a day is over at its end.
        parse_instant(text).is_some_and(|date| date.last() > moment)
    };
    for item in answer["items"].as_array().into_iter().flatten() {
        let title = &item["title"];
        match item["published_at"].as_str() {
            None => out.push(format!("{title} has no date")),
            Some(date) if is_late(date) => out.push(format!("{title} is of {date}")),
            Some(_) => {}
        }
        if !item["summary"].as_str().unwrap_or_default().is_empty() && !facts.facts.is_fixed(TEXT) {
            out.push(format!("{title} has a text, which moves"));
        }
        out.extend(moving(facts, &item["fields"], moment));
        if let Some(since) = item["standing"]["since"].as_str()
            && is_late(since)
        {
            out.push(format!("{title}: a state since {since}"));
        }
    }
    out.extend(moving(facts, &answer["fields"], moment));
    if let Some(date) = answer["freshcontext"]["content_date"].as_str()
        && is_late(date)
    {
        out.push(format!("the answer is of {date}"));
    }
    out
}

/// Facts that move, and dates in facts that are later.
fn moving(facts: &Descriptor, fields: &Value, moment: DateTime<Utc>) -> Vec<String> {
    let mut out = Vec::new();
    for (name, value) in fields.as_object().into_iter().flatten() {
        if !facts.facts.is_fixed(name) && !ALWAYS.contains(&name.as_str()) {
            out.push(format!("{name} moves: {value}"));
        }
        let text = value.to_string();
        let days = text.match_indices('-').filter_map(|(at, _)| {
            let day = text.get(at.checked_sub(4)?..at + 6)?;
            Some(parse_instant(day)?.instant)
        });
        if days.max().is_some_and(|day| day > moment) {
            out.push(format!("{name} is later: {value}"));
        }
    }
    out
}

/// Moments that lie ahead, or are none, are refused by name; sources that cannot answer say so without a request.
async fn arguments() -> Result<(), Failed> {
    let bench = Bench::idle().await?;
    let mut out = Vec::new();
    let call = async |tool: &str, arguments: Value| {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        bench.call(tool, arguments).await
    };
    for (tool, argument) in [
        ("extract_hackernews", "url"),
        ("extract_landscape", "topic"),
        ("extract_finance", "url"),
    ] {
        for wrong in ["2026-11-22", "2999-01-01", "some day"] {
            let outcome = call(tool, serde_json::json!({argument: "rust", "as_of": wrong})).await?;
            let error = &outcome.structured;
            if error["code"] != "invalid_input" || error["field"] != "as_of" {
                out.push(format!("{tool} at {wrong}: {error}"));
            }
        }
    }
    for (tool, url) in [("extract_finance", "AAPL"), ("extract_yc", "drones")] {
        let outcome = call(tool, serde_json::json!({"url": url, "as_of": "2026-03-01"})).await?;
        let error = &outcome.structured;
        if error["as_of"] != "not_supported"
            || !outcome.text.contains("not_supported")
            || error["attempts"] != 0
        {
            out.push(format!("{tool}: {error}"));
        }
    }
    verdict(out)
}

/// Signals published later are left out and counted, the others are judged at the moment.
async fn evaluated() -> Result<(), Failed> {
    let bench = Bench::idle().await?;
    let signals = serde_json::json!([
        {"source": "a", "title": "Before", "content": "one", "published_at": "2026-02-27"},
        {"source": "b", "title": "After", "content": "two", "published_at": "2026-03-02"},
        {"source": "c", "title": "Undated", "content": "three"},
        {"source": "d", "title": "Retracted later", "content": "four", "published_at": "2026-02-01",
            "standing": {"state": "retracted", "since": "2026-05-01"}},
    ]);
    let arguments = serde_json::json!({"signals": signals, "as_of": "2026-03-01"});
    let outcome = bench
        .call(
            "evaluate_context",
            arguments.as_object().cloned().unwrap_or_default(),
        )
        .await?;
    let mut out = Vec::new();
    let shown = outcome.structured.to_string();
    let titles: Vec<&str> = outcome.structured["results"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|result| result["title"].as_str())
        .collect();
    if titles.len() != 3 || titles.contains(&"After") || shown.contains("retracted") {
        out.push(format!("judged are {titles:?}: {shown}"));
    }
    if outcome.structured["now"] != "2026-03-01T23:59:59.999Z"
        || !outcome.text.contains("1 signal was left out")
    {
        out.push(format!("not said: {}", outcome.text));
    }
    // All of them later, also under a budget: the text says so.
    for budget in [serde_json::json!(null), serde_json::json!({"max_tokens": 500})] {
        let arguments = serde_json::json!({"signals": [signals[1]], "as_of": "2026-03-01", "budget": budget});
        let outcome = bench
            .call(
                "evaluate_context",
                arguments.as_object().cloned().unwrap_or_default(),
            )
            .await?;
        if outcome.is_error || !outcome.text.contains("1 signal was left out") {
            out.push(format!("not said under {budget}: {}", outcome.text));
        }
    }
    verdict(out)
}
