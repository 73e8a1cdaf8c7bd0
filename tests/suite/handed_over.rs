//! What a hand-off holds: the items of every ordinary case of every source, through a budget and through a deliverable. No
//! fact of the tool's text is missing, and every block is a valid envelope.

use std::collections::BTreeSet;
use std::path::Path;

use freshcontext_spec::validate::{Level, validate};
use freshcontext_testkit::{Case, Kind, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::cases::{of_a_composite, panic_line};
use crate::deliverables::fixtures::scene_of;
use crate::run::{Bench, block_on, once};
use crate::{root, verdict};

/// Room for whatever a case holds.
const ROOM: u64 = 400_000;

pub fn trials() -> Vec<Trial> {
    let cases = load_cases(&root().join("fixtures")).unwrap_or_else(|error| panic_line(&error));
    cases
        .into_iter()
        .filter(|case| case.kind == Kind::Ok && !of_a_composite(case))
        .map(|case| {
            let name = format!("handed_over::{}", case.name);
            Trial::test(name, move || block_on(whole(&case)))
        })
        .collect()
}

async fn whole(case: &Case) -> Result<(), Failed> {
    let bench = Bench::hurried(case, Path::new(""), once(), |_| {}).await?;
    let answer = bench.call(&case.tool, case.arguments.clone()).await?;
    let items = answer.structured["items"].as_array().cloned().unwrap_or_default();
    let told = items_of(&answer.text);
    if items.is_empty() || told.len() != items.len() {
        // An answer without items, or one of which a part did not fit: the deliverable's own trials have them.
        return Ok(());
    }
    let mut complaints = Vec::new();
    let budget = json!({
        "profile": "local_custom", "intent": "developer_adoption", "signals": [answer.structured],
        "now": answer.structured["freshcontext"]["retrieved_at"],
        "budget": {"max_tokens": ROOM, "allow_unverified": true},
    });
    let arguments = budget.as_object().cloned().unwrap_or_default();
    let fitted = bench.call("evaluate_context", arguments).await?.structured;
    let selection = &fitted["selection"];
    let blocks = &fitted["assembly"]["blocks"];
    compare("a budget", (&items, &told), blocks, selection, &mut complaints);

    let (version, text) = scene_of(case, ROOM).await?.generate().await?;
    if version["items"].as_array().map(Vec::len) == Some(items.len()) {
        let (blocks, selection) = (&version["blocks"], &version["selection"]);
        compare(
            "a deliverable",
            (&items, &told),
            blocks,
            selection,
            &mut complaints,
        );
    }
    let shown = blocks_in(&text);
    let made = version["blocks"].as_array().map_or(0, Vec::len);
    if shown != made {
        complaints.push(format!(
            "a deliverable: {shown} of {made} blocks stand in a fence"
        ));
    }
    verdict(complaints)
}

/// The text of each item: from `[n] ` to the blank line behind it.
fn items_of(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with(&format!("[{}] ", out.len() + 1)) {
            out.push(String::new());
            inside = true;
        } else if line.is_empty() || line.starts_with("End of data ") {
            inside = false;
        }
        if inside && let Some(item) = out.last_mut() {
            item.push_str(line);
            item.push('\n');
        }
    }
    out
}

/// Words of the form in which a tool writes an item's head, not facts.
const FORM: [&str; 7] = [
    "ago",
    "certain",
    "date",
    "inferred",
    "published",
    "score",
    "uncertain",
];

/// The words, numbers and addresses of a text.
fn tokens(text: &str) -> BTreeSet<String> {
    let trimmed = |word: &str| {
        let edge = |c: char| !c.is_alphanumeric();
        word.trim_matches(edge).to_lowercase()
    };
    text.split_whitespace()
        .map(trimmed)
        .filter(|word| !word.is_empty() && !FORM.contains(&word.as_str()))
        .collect()
}

fn compare(
    by: &str,
    (items, told): (&[Value], &[String]),
    blocks: &Value,
    selection: &Value,
    complaints: &mut Vec<String>,
) {
    let blocks: Vec<&str> = blocks
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|block| block["text"].as_str())
        .collect();
    let omitted = selection["omitted"].as_array().cloned().unwrap_or_default();
    // What is omitted has a cause in itself; nobody asked for anything fresh or relevant.
    for one in &omitted {
        let reason = one["reason"].as_str().unwrap_or_default();
        let causes = [
            "duplicate_coverage",
            "failed_retrieval",
            "unsupported_media",
            "does_not_stand",
        ];
        if !causes.contains(&reason) {
            complaints.push(format!("{by}: {one}"));
        }
    }
    if blocks.len() + omitted.len() != items.len() {
        let (selected, left) = (blocks.len(), omitted.len());
        complaints.push(format!("{by}: {selected} + {left} of {} items", items.len()));
    }
    for block in &blocks {
        let report = validate(block, None);
        if !report.passed() || report.level < Level::Compatible {
            let failed: Vec<String> = report.failed().map(|check| format!("{check:?}")).collect();
            complaints.push(format!("{by}: {:?}, {failed:?}: {block}", report.level));
        }
        if block.contains("Confidence: unknown") {
            complaints.push(format!("{by}: {block}"));
        }
    }
    let known: Vec<BTreeSet<String>> = blocks.iter().map(|block| tokens(block)).collect();
    let mut whole = 0;
    for (item, told) in items.iter().zip(told) {
        // The number of an item is its place in the text.
        let own = tokens(told.split_once("] ").map_or(told.as_str(), |(_, rest)| rest));
        let best = known
            .iter()
            .map(|block| own.difference(block).cloned().collect::<Vec<_>>())
            .min_by_key(Vec::len);
        match best {
            Some(lacks) if lacks.is_empty() => whole += 1,
            Some(lacks) if omitted.is_empty() => {
                complaints.push(format!("{by}: of {} these are missing: {lacks:?}", item["title"]));
            }
            _ => {}
        }
    }
    if whole < blocks.len() {
        complaints.push(format!(
            "{by}: {whole} of {} blocks hold a whole item",
            blocks.len()
        ));
    }
}

/// The envelopes that stand in a fence of a Markdown text.
fn blocks_in(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .filter(|pair| **pair == ["~~~text", "[FRESHCONTEXT]"])
        .count()
}
