//! Known-item search over real documents of this machine. `cargo run --release -p freshcontext-tests --example known_items`
//! asks other questions of other documents.

mod documents;
mod search;

use libtest_mimic::Trial;
use search::{Mode, Plan, run, sample};

use crate::verdict;

/// Documents that a trial needs.
const DOCUMENTS: usize = 24;

/// None where the machine has no manual pages.
pub fn trials() -> Vec<Trial> {
    // One profile for each date policy.
    let plan = Plan {
        documents: DOCUMENTS,
        tokens: 3_000,
        profiles: vec!["official_docs", "market_finance", "academic_research"],
        modes: vec![Mode::Dated, Mode::Undated, Mode::Half],
        ..Plan::of(49)
    };
    let documents = sample(&plan);
    if documents.len() < DOCUMENTS {
        return Vec::new();
    }
    vec![Trial::test("known_items::answers_go_in", move || {
        let rows = run(&plan, &documents)?;
        let few = rows.iter().filter(|row| !row.holds()).map(|row| {
            let (mode, profile) = (row.mode.as_str(), row.profile);
            format!("dates: {mode}, {profile}: {row:?}")
        });
        verdict(few.collect())
    })]
}
