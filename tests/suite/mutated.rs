//! A source whose response differs from its documentation in one field: the result is an error or less
//! complete, and never contains something that the source did not send.
//!
//! Every field with every alteration would take minutes. Each case tries an evenly spread, fixed selection.
//! `MUTATED=<n>` tries `n` per case, on all cases with an answer and on the recordings too.

pub mod alter;
mod laws;
mod markup;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Kind, load_cases};
use libtest_mimic::{Failed, Trial};
use tokio::task::JoinSet;

use self::alter::Altered;
use crate::cases::{of_a_composite, panic_line};
use crate::run::{Bench, block_on, once};
use crate::{root, shared, verdict};

/// Alterations per case.
const TRIED: usize = 128;
/// Concurrent calls: one that waits for a host's pace does not delay the others.
const AT_ONCE: usize = 6;
/// Deadline of a call, with a margin for a busy machine.
const LIMIT: Duration = Duration::from_secs(25);

pub fn trials() -> Vec<Trial> {
    let asked: Option<usize> = std::env::var("MUTATED").ok().and_then(|tried| tried.parse().ok());
    let all = asked.is_some();
    let load = |folder| load_cases(&root().join(folder)).unwrap_or_else(|error| panic_line(&error));
    let mut cases = load("fixtures");
    let recordings = shared().filter(|_| all).map(|shared| shared.join("recordings"));
    if recordings.is_some() {
        cases.extend(load("tests/recordings"));
    }
    let recordings = recordings.unwrap_or_default();
    cases
        .into_iter()
        .filter(|case| case.kind == Kind::Ok || (all && case.expect.status.is_some()))
        .filter(|case| !of_a_composite(case))
        .map(|case| {
            let recordings = recordings.clone();
            let name = format!("{}::{}::mutated", case.tool, case.name);
            Trial::test(name, move || {
                block_on(one_field(Arc::new(case), recordings, asked.unwrap_or(TRIED)))
            })
        })
        .collect()
}

/// Returns the tool's result with one reply altered. Uses a separate server, because a shared cache or pace
/// would interfere.
async fn answer(case: &Case, recordings: &Path, altered: Option<(usize, &[u8])>) -> Result<Outcome, String> {
    let bench = Bench::hurried(case, recordings, once(), |script| {
        let at = AtomicUsize::new(0);
        script.alter(|_, reply| {
            let number = at.fetch_add(1, Ordering::Relaxed);
            if let Some((_, body)) = altered.filter(|(altered, _)| *altered == number) {
                reply.body = body.to_vec();
            }
        });
    })
    .await?;
    bench.call(&case.tool, case.arguments.clone()).await
}

async fn one_field(case: Arc<Case>, recordings: PathBuf, tried: usize) -> Result<(), Failed> {
    let whole = Arc::new(answer(&case, &recordings, None).await?);
    if whole.is_error {
        return Err(Failed::from(format!("unaltered, it fails: {}", whole.text)));
    }
    let mut sent = String::new();
    let mut all = Vec::new();
    for (number, exchange) in case.exchanges.iter().enumerate() {
        let body = case.body(exchange, &recordings)?;
        sent.push_str(&String::from_utf8_lossy(&body));
        if (200..300).contains(&exchange.status) {
            let alterations = alter::alterations(&body, &exchange.content_type());
            all.extend(alterations.into_iter().map(|altered| (number, altered)));
        }
    }
    if all.is_empty() {
        return Err(Failed::from("nothing to alter in what the source sends"));
    }
    let (sent, recordings) = (Arc::<str>::from(sent), Arc::<Path>::from(recordings));
    let step = step(all.len(), tried);
    let mut due = all.into_iter().step_by(step);
    let mut running = JoinSet::new();
    let mut complaints = Vec::new();
    loop {
        while running.len() < AT_ONCE
            && let Some((number, altered)) = due.next()
        {
            let (case, recordings) = (Arc::clone(&case), Arc::clone(&recordings));
            let (whole, sent) = (Arc::clone(&whole), Arc::clone(&sent));
            running.spawn(async move { judged(&case, &recordings, &sent, &whole, number, &altered).await });
        }
        match running.join_next().await {
            Some(Ok(lines)) => complaints.extend(lines),
            // The panic itself is printed above, with its location.
            Some(Err(error)) => complaints.push(error.to_string()),
            None => return verdict(complaints),
        }
    }
}

/// Returns the complaints about one alteration, each with the field.
async fn judged(
    case: &Case,
    recordings: &Path,
    sent: &str,
    whole: &Outcome,
    number: usize,
    altered: &Altered,
) -> Vec<String> {
    let begun = Instant::now();
    let mut lines = match answer(case, recordings, Some((number, &altered.body))).await {
        Ok(became) => laws::broken(case, sent, whole, altered, &became),
        Err(error) => vec![error],
    };
    if begun.elapsed() > LIMIT {
        lines.push(format!("it took {:?}", begun.elapsed()));
    }
    let place = format!("reply {}, {}", number + 1, altered.what);
    lines.into_iter().map(|line| format!("{place}: {line}")).collect()
}

/// Returns the distance between the alterations tried. Not a divisor of a field's number of alterations;
/// otherwise the same few would be tried on each field.
fn step(all: usize, tried: usize) -> usize {
    let least = all.div_ceil(tried).max(1);
    (least..least + 11)
        .find(|step| [2, 3, 5, 7].iter().all(|divisor| step % divisor != 0))
        .unwrap_or(least)
}
