//! `kill -9` at any moment of `deliverable generate`: what is kept is whole, and nothing that was kept is lost. Twelve
//! times on each database; FRESHCONTEXT_KILLS says how often instead, FRESHCONTEXT_SEED repeats a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use freshcontext_deliverables::{Version, verify_chain};
use freshcontext_store::Store;
use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::Failed;
use serde_json::json;

use super::places::Kept;
use crate::process::{PATIENCE, finish};
use crate::upstreams::json_reply;

const KILLS: &str = "FRESHCONTEXT_KILLS";
const SEED: &str = "FRESHCONTEXT_SEED";
/// Stories in one answer; all carry the number of that answer.
const STORIES: u64 = 20;
/// The first moment; each attempt is five minutes later, so that no check is reused.
const BEGIN_S: i64 = 1_795_000_000;

/// Numbers that look random and can be had again (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn moment(attempt: i64) -> String {
    let at = chrono::DateTime::from_timestamp(BEGIN_S + attempt * 300, 0).unwrap_or_default();
    at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Every answer is another one.
fn stories(round: &AtomicU64, _: &SeenRequest) -> Reply {
    let round = round.fetch_add(1, Ordering::Relaxed);
    let hits: Vec<_> = (0..STORIES)
        .map(|id| {
            json!({"objectID": id.to_string(), "title": format!("Story {id} of answer {round}"),
                "url": format!("https://example.com/{id}"), "author": "someone", "points": 10, "num_comments": 3,
                "created_at": "2026-11-17T10:00:00Z", "created_at_i": 1_794_909_600_u64 + id, "_tags": ["story"]})
        })
        .collect();
    json_reply(
        &json!({"hits": hits, "nbHits": STORIES, "page": 0, "nbPages": 1, "hitsPerPage": 20, "exhaustiveNbHits": true})
            .to_string(),
    )
}

/// The number of the answer that a title is of.
fn answer_of(title: &str) -> Option<u64> {
    title.rsplit(' ').next()?.parse().ok()
}

pub async fn often(kept: &Kept, which: &str) -> Result<(), Failed> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let kills = number(KILLS).unwrap_or(12);
    let seed = number(SEED).unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        u64::try_from(since.as_nanos() & u128::from(u64::MAX)).unwrap_or_default()
    });
    eprintln!("{which}: {kills} kills, {SEED}={seed}");
    let mut random = Random(seed);
    let round = Arc::new(AtomicU64::new(0));
    let answers = Arc::clone(&round);
    let upstream = ScriptedUpstream::start(move |request| stories(&answers, request)).await?;
    let base = upstream.base();
    let source = format!("extract_hackernews url=rust limit={STORIES}");
    let added = finish(
        kept.command(
            &["deliverable", "add", "kills", "--source", &source],
            &moment(0),
            &base,
        ),
        "",
    )
    .await;
    if added.code != Some(0) {
        return Err(Failed::from(added.stderr));
    }
    // How long one takes that nobody kills.
    let began = Instant::now();
    let done = finish(
        kept.command(&["deliverable", "generate", "kills"], &moment(1), &base),
        "",
    )
    .await;
    if done.code != Some(0) {
        return Err(Failed::from(done.stderr));
    }
    let whole = began.elapsed();
    let store = kept.store();
    let mut seen = look(&store, &[]).await?;
    let (mut killed, mut attempt) = (0_u64, 1);
    while killed < kills {
        attempt += 1;
        let arguments = ["deliverable", "generate", "kills"];
        let mut command = kept.command(&arguments, &moment(attempt), &base);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut child = command.spawn()?;
        let share = (random.next() % 1_100) as f64 / 1_000.0;
        tokio::time::sleep(whole.mul_f64(share)).await;
        if child.try_wait()?.is_none() {
            child.start_kill()?;
            killed += 1;
        }
        tokio::time::timeout(PATIENCE, child.wait()).await??;
        seen = look(&store, &seen).await.map_err(|error| {
            Failed::from(format!("{which}, {SEED}={seed}, after kill {killed}: {error:?}"))
        })?;
    }
    // And it goes on.
    let arguments = ["deliverable", "generate", "kills"];
    let done = finish(kept.command(&arguments, &moment(attempt + 1), &base), "").await;
    let after = look(&store, &seen).await?;
    store.close().await;
    if done.code != Some(0) || after.len() != seen.len() + 1 {
        return Err(Failed::from(format!("it does not go on: {}", done.stderr)));
    }
    eprintln!(
        "{which}: {killed} kills in {attempt} attempts of {} ms, {} versions, all whole",
        whole.as_millis(),
        after.len()
    );
    Ok(())
}

/// What is kept is whole, and what was there before is there unchanged; the hashes of the versions.
async fn look(store: &Store, before: &[String]) -> Result<Vec<String>, Failed> {
    let kept = store.backend().await?;
    let complaints = store.check().await?;
    if !complaints.is_empty() {
        return Err(Failed::from(complaints.join("; ")));
    }
    let rows = kept.versions("local", "kills").await?;
    let chain = rows.iter().map(|row| {
        (
            row.version,
            row.predecessor_hash.as_deref(),
            row.hash.as_str(),
            row.body.as_str(),
        )
    });
    verify_chain(chain).map_err(|number| format!("version {number} does not follow"))?;
    // Those that were looked at before have the same hash, as is seen below.
    for row in rows.iter().skip(before.len()) {
        let version: Version = serde_json::from_str(&row.body)?;
        let mut of = version.items.iter().map(|entry| {
            entry
                .item
                .get("title")
                .and_then(|title| answer_of(title.as_str()?))
        });
        let first = of.next().flatten();
        let whole = first.is_some() && of.all(|one| one == first) && version.items.len() as u64 == STORIES;
        if !whole || version.version != row.version || version.markdown.is_empty() {
            return Err(Failed::from(format!("version {} is not whole", row.version)));
        }
    }
    let hashes: Vec<String> = rows.into_iter().map(|row| row.hash).collect();
    if !hashes.starts_with(before) {
        return Err(Failed::from("a version was lost or changed"));
    }
    let definition = kept.deliverable("local", "kills").await?.ok_or("it was lost")?;
    let definition: freshcontext_deliverables::Definition = serde_json::from_str(&definition.definition)?;
    for source in &definition.sources {
        let held = kept
            .resource("local", &source.resource())
            .await?
            .ok_or("its items were lost")?;
        let of: Vec<Option<u64>> = held
            .items
            .iter()
            .map(|(_, item)| {
                let item: serde_json::Value = serde_json::from_str(item).ok()?;
                answer_of(item["title"].as_str()?)
            })
            .collect();
        let one_answer =
            of.first().is_some_and(Option::is_some) && of.iter().all(|one| Some(one) == of.first());
        if !one_answer || of.len() as u64 != STORIES {
            return Err(Failed::from(format!("a sync is half written: {of:?}")));
        }
    }
    Ok(hashes)
}

/// Two processes that generate at the same moment make two versions, in order and whole.
pub async fn two_at_once(kept: &Kept) -> Result<(), Failed> {
    let round = Arc::new(AtomicU64::new(0));
    let answers = Arc::clone(&round);
    let upstream = ScriptedUpstream::start(move |request| {
        let mut reply = stories(&answers, request);
        reply.delay_ms = 50;
        reply
    })
    .await?;
    let base = upstream.base();
    let source = format!("extract_hackernews url=rust limit={STORIES}");
    finish(
        kept.command(
            &["deliverable", "add", "kills", "--source", &source],
            &moment(0),
            &base,
        ),
        "",
    )
    .await;
    let generate = || {
        finish(
            kept.command(&["deliverable", "generate", "kills"], &moment(1), &base),
            "",
        )
    };
    let began = Instant::now();
    let (one, other) = tokio::join!(generate(), generate());
    if (one.code, other.code) != (Some(0), Some(0)) {
        return Err(Failed::from(format!("{}{}", one.stderr, other.stderr)));
    }
    let store = kept.store();
    let versions = look(&store, &[]).await?;
    store.close().await;
    if versions.len() != 2 || began.elapsed() > Duration::from_mins(1) {
        return Err(Failed::from(format!("{} versions of two", versions.len())));
    }
    Ok(())
}
