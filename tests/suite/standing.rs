//! Whether things still stand: the text of every answer says what its structure says.

use freshcontext_testkit::load_cases;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::run::{self, Bench, block_on};
use crate::{root, verdict};

/// Minimum numbers of items with a state, and of states, among the fixtures.
const ITEMS: usize = 20;
const STATES: usize = 8;

pub fn trials() -> Vec<Trial> {
    vec![Trial::test("standing::both_forms", || block_on(both_forms()))]
}

/// The state that the text has of each item, by the lines below its title.
fn told(text: &str) -> Vec<Option<String>> {
    let mut out = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.starts_with(&format!("[{}] ", out.len() + 1)) {
            continue;
        }
        let state = lines.peek().and_then(|below| below.strip_prefix("Standing: "));
        let word = |state: &str| {
            state
                .split(|c: char| !c.is_ascii_alphabetic())
                .next()
                .map(str::to_owned)
        };
        out.push(state.and_then(word));
    }
    out
}

/// Every item has the same state in both forms, what is void has no score, and an answer without any state has no such
/// line.
async fn both_forms() -> Result<(), Failed> {
    let mut out = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for case in load_cases(&root().join("fixtures"))? {
        let bench = Bench::start(&case, std::path::Path::new(""), run::once(), |_| {}).await?;
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        let name = format!("{} {:?}", case.tool, case.arguments);
        let Some(items) = outcome.structured["items"].as_array() else {
            continue;
        };
        let states: Vec<Option<String>> = items
            .iter()
            .map(|item| item["standing"]["state"].as_str().map(str::to_owned))
            .collect();
        if told(&outcome.text) != states {
            out.push(format!(
                "{name}: the text has {:?}, the structure {states:?}",
                told(&outcome.text)
            ));
        }
        for item in items.iter().filter(|item| item["standing"]["severity"] == "void") {
            if item["freshness_score"] != Value::Null {
                out.push(format!("{name}: {} is void and scored", item["title"]));
            }
        }
        for item in items.iter().filter(|item| !item["standing"].is_null()) {
            if item["standing"]["evidence"].as_array().is_none_or(Vec::is_empty) {
                out.push(format!("{name}: {} has a state without evidence", item["title"]));
            }
        }
        let overview = outcome.text.lines().take_while(|line| *line != "---");
        let has_overview = overview.into_iter().any(|line| line.starts_with("Standing: "));
        if has_overview == outcome.structured["standing"].is_null() {
            out.push(format!("{name}: head and structure differ"));
        }
        seen.extend(states.into_iter().flatten());
    }
    let items = seen.len();
    seen.sort();
    seen.dedup();
    if items < ITEMS || seen.len() < STATES {
        out.push(format!("only {items} items with a state, of {seen:?}"));
    }
    verdict(out)
}
