//! Known-item search over real documents of this machine:
//! `cargo run --release -p freshcontext-tests --example known_items -- --seed 7 --documents 40 --tokens 4000 FOLDER...`
//!
//! Folders hold manual pages (`man1/ssh.1.gz`), or packages with a read-me file beside their `Cargo.toml`; without one it is
//! `/usr/share/man`. Each document's own description is asked for under every profile, with the documents' dates, without,
//! with every other date, and with last week's. Ends with 1 where the answer goes in less often than by BM25 alone, minus
//! one in forty, or a hand-off is empty.

#![expect(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "this program prints its figures"
)]

#[path = "../suite/known_items/documents.rs"]
mod documents;
#[path = "../suite/known_items/search.rs"]
mod search;

use std::path::PathBuf;
use std::process::ExitCode;

use search::{Plan, run, sample};

fn plan() -> Result<Plan, String> {
    let mut plan = Plan::of(1);
    let mut folders = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().and_then(|value| value.parse::<u64>().ok());
            value.ok_or_else(|| format!("{argument} needs a number"))
        };
        match argument.as_str() {
            "--seed" => plan.seed = number()?,
            "--documents" => plan.documents = usize::try_from(number()?).unwrap_or(40),
            "--tokens" => plan.tokens = usize::try_from(number()?).unwrap_or(4_000),
            "--untyped" => plan.source_type = "",
            folder if !folder.starts_with('-') => folders.push(PathBuf::from(folder)),
            other => return Err(format!("{other} is not an option")),
        }
    }
    if !folders.is_empty() {
        plan.folders = folders;
    }
    Ok(plan)
}

fn main() -> Result<ExitCode, String> {
    let plan = plan()?;
    let documents = sample(&plan);
    println!(
        "{} documents, seed {}, {} tokens; the first: {}",
        documents.len(),
        plan.seed,
        plan.tokens,
        documents.first().map_or("none", |document| &document.title)
    );
    println!(
        "{:<14}{:<24}{:>9}{:>9}{:>7}{:>12}{:>9}",
        "dates", "profile", "answered", "by words", "empty", "irrelevant", "dropped"
    );
    let mut holds = !documents.is_empty();
    for row in run(&plan, &documents)? {
        holds &= row.holds();
        println!(
            "{:<14}{:<24}{:>9}{:>9}{:>7}{:>12}{:>9}{}",
            row.mode.as_str(),
            row.profile,
            row.answered,
            row.by_words,
            row.empty,
            row.irrelevant,
            row.dropped,
            if row.holds() { "" } else { "  too few" }
        );
    }
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
