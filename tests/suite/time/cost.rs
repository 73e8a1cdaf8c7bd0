//! Cost of a recheck compared with a full fetch, counted.

use std::fmt::Write as _;
use std::path::Path;

use freshcontext_contract::AnyAdapter;
use freshcontext_testkit::Case;
use freshcontext_testkit::check::Outcome;
use libtest_mimic::Failed;
use serde_json::Value;

use super::setup::{Folder, ask, engine, ordinary_cases, recheck, serving};
use crate::{root, verdict};

/// The cost of a recheck compared with a full fetch, for an ordinary case of every tool whose upstream
/// honours ETags. The table in docs/time.md is this count.
pub(super) async fn requests_counted() -> Result<(), Failed> {
    let cases = ordinary_cases()?;
    let mut table = String::from(
        "| tool | full fetch | bytes | recheck | bytes | settled by | at most a third of the requests |\n\
         | --- | ---: | ---: | ---: | ---: | --- | --- |\n",
    );
    let mut wrong = Vec::new();
    let mut sums = [0_usize; 4];
    for adapter in freshcontext_sources::adapters() {
        let facts = AnyAdapter::descriptor(adapter.as_ref());
        let Some(case) = cases.get(facts.tool) else {
            wrong.push(format!("{} has no ordinary case", facts.tool));
            continue;
        };
        let folder = Folder::new();
        let (first, case, _, upstream) = serving(case, &folder).await?;
        let answer = ask(&first, &case.tool, Value::Object(case.arguments.clone())).await?;
        let full = upstream.requests().len();
        first.close().await;
        // A separate process, so that the cache of the first cannot help.
        let later = engine(&upstream.base(), &folder, Some(&case), |_| {})?;
        let found = recheck(&later, &answer).await?;
        let asked = upstream.requests().len() - full;
        later.close().await;
        let number = |outcome: &Outcome, name: &str| -> usize {
            let value = outcome.structured[name].as_u64().unwrap_or_default();
            usize::try_from(value).unwrap_or_default()
        };
        let counts = [full, body_bytes(&case)?, asked, number(&found, "bytes")];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        let by = match found.structured["evidence"][0]["kind"].as_str() {
            Some("not_modified") => "304",
            Some("same_bytes") => "the same bytes",
            Some(_) => "its own mark",
            None => "everything",
        };
        let [full, bytes, asked, less] = counts;
        let third = match (asked * 3 <= full, asked) {
            (true, _) => "yes".to_owned(),
            (false, 1) => "no: one is the least".to_owned(),
            (false, _) => format!("no: {asked} addresses, none speaks for another"),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            table,
            "| `{}` | {full} | {bytes} | {asked} | {less} | {by} | {third} |",
            facts.tool
        );
        if found.structured["verdict"] != "current" {
            wrong.push(format!("{}: {}", facts.tool, found.text));
        }
        if asked > full {
            wrong.push(format!(
                "{}: {asked} requests for a recheck, {full} for everything",
                facts.tool
            ));
        }
    }
    let [full, bytes, asked, less] = sums;
    let _ = writeln!(table, "| in sum | {full} | {bytes} | {asked} | {less} | | |");
    if less * 3 > bytes {
        wrong.push(format!("{less} of {bytes} bytes: more than a third"));
    }
    let page = root().join("docs/time.md");
    let found = std::fs::read_to_string(&page)?;
    let right = freshcontext_xtask::generate::replace(&found, "requests of a recheck", table.trim_end())?;
    if std::env::var_os(freshcontext_xtask::generate::WRITE).is_some() {
        std::fs::write(&page, &right)?;
    } else if found != right {
        wrong.push(format!(
            "docs/time.md: the table of requests is out of date; run `cargo xtask generate`. It should be:\n{table}"
        ));
    }
    verdict(wrong)
}

/// Returns the bytes of all requested bodies of a case.
fn body_bytes(case: &Case) -> Result<usize, String> {
    let bodies = case.exchanges.iter().filter(|exchange| exchange.status == 200);
    bodies
        .map(|exchange| Ok(case.body(exchange, Path::new(""))?.len() * exchange.times.max(1)))
        .sum()
}
