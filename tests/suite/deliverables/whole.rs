//! A deliverable whose source changes with every response, and a check that its stored data is complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use freshcontext_deliverables::{Definition, Version, verify_chain};
use freshcontext_store::Store;
use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::process::Command;

use super::setup::ensure;
use crate::places::Kept;
use crate::process::{Finished, finish};
use crate::upstreams::json_reply;

/// The deliverable's name.
pub(super) const NAME: &str = "brief";
/// Stories per response; each carries the response's number.
const STORIES: u64 = 20;
/// Start time; each attempt is five minutes later, so that no check is reused.
const BEGIN_S: i64 = 1_795_000_000;
/// Path of libfaketime's shared library, to repeat these rounds with real clocks that are wrong.
const FAKE_CLOCK: &str = "FRESHCONTEXT_FAKETIME";

fn stories(round: u64) -> Reply {
    let hits: Vec<Value> = (0..STORIES)
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

/// Returns the number of the response that a title belongs to.
fn answer_of(title: &Value) -> Option<u64> {
    title.as_str()?.rsplit(' ').next()?.parse().ok()
}

/// Returns the response that all of these titles belong to.
fn one_answer(titles: impl IntoIterator<Item = Value>) -> Option<u64> {
    let of: Vec<Option<u64>> = titles.into_iter().map(|title| answer_of(&title)).collect();
    let first = of.first().copied().flatten();
    let whole = of.len() as u64 == STORIES && of.into_iter().all(|one| one == first);
    first.filter(|_| whole)
}

/// A version's statement about its only source.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// Number of the response that its items belong to.
    pub answer: u64,
    pub generated_at: String,
    pub synced_at: Option<String>,
    pub checked_at: Option<String>,
    /// The line about the source.
    pub line: String,
}

/// The deliverable, in some location.
pub(super) struct Changing {
    pub(super) kept: Kept,
    pub(super) base: String,
    _upstream: ScriptedUpstream,
    /// Number of the source's responses.
    answers: Arc<AtomicU64>,
    attempts: i64,
    /// Hashes of the versions checked so far.
    seen: Vec<String>,
    /// Their statements, in order.
    pub(super) told: Vec<Told>,
}

impl Changing {
    /// Adds it. The source delays each response by this time.
    pub(super) async fn new(kept: Kept, delay_ms: u64) -> Result<Self, Failed> {
        let answers = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&answers);
        let upstream = ScriptedUpstream::start(move |_| Reply {
            delay_ms,
            ..stories(counted.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
        let made = Self {
            kept,
            base: upstream.base(),
            _upstream: upstream,
            answers,
            attempts: 0,
            seen: Vec::new(),
            told: Vec::new(),
        };
        let source = format!("extract_hackernews url=rust limit={STORIES}");
        let added = finish(
            made.command(&["deliverable", "add", NAME, "--source", &source]),
            "",
        )
        .await;
        ensure(added.code == Some(0), added.stderr)?;
        Ok(made)
    }

    /// The server's command line at the moment of the last attempt.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        self.command_by(arguments, 0)
    }

    /// The same with a clock ahead of the others by this many seconds, or behind them. Where
    /// [`FAKE_CLOCK`] names the library, the process's own clock is wrong; else the moment is that of a
    /// replay, whose writes prune nothing.
    pub(super) fn command_by(&self, arguments: &[&str], ahead_s: i64) -> Command {
        let seconds = BEGIN_S + self.attempts * 300 + ahead_s;
        let now = chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        let at = now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        let mut command = self.kept.command(arguments, &at, &self.base);
        if let Some(library) = std::env::var_os(FAKE_CLOCK) {
            command
                .env_remove("FRESHCONTEXT_REPLAY_AT")
                .env("LD_PRELOAD", library)
                .env("FAKETIME", now.format("@%Y-%m-%d %H:%M:%S").to_string())
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                .env("TZ", "UTC");
        }
        command
    }

    /// The next attempt to make a version.
    pub(super) fn attempt(&mut self) -> Command {
        self.attempt_by(0)
    }

    /// The same with a clock ahead of the others by this many seconds, or behind them.
    pub(super) fn attempt_by(&mut self, ahead_s: i64) -> Command {
        self.attempts += 1;
        self.command_by(&["deliverable", "generate", NAME], ahead_s)
    }

    /// The moment of the last attempt; with a clock that runs on, the end of its five minutes.
    pub(super) fn now(&self) -> String {
        let elapsed_s = if std::env::var_os(FAKE_CLOCK).is_some() {
            299
        } else {
            0
        };
        let seconds = BEGIN_S + self.attempts * 300 + elapsed_s;
        let now = chrono::DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    }

    /// Number of the source's responses so far.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::SeqCst)
    }

    /// Generates the next version with this clock, and checks that its content is the source's at that
    /// clock's time. Returns the number of versions.
    pub(super) async fn generate_true(&mut self, ahead_s: i64) -> Result<usize, Failed> {
        let before = self.answers();
        let done = finish(self.attempt_by(ahead_s), "").await;
        ensure(done.code == Some(0), &done.stderr)?;
        let versions = self.look_once().await?;
        let newest = self.told.last().ok_or("a version")?;
        let said = before..self.answers();
        ensure(
            said.contains(&newest.answer),
            format!("{newest:?}, where the source gave the answers {said:?}"),
        )?;
        ensure(
            newest
                .synced_at
                .as_deref()
                .is_some_and(|at| at <= newest.generated_at.as_str())
                && newest
                    .checked_at
                    .as_deref()
                    .is_some_and(|at| at <= newest.generated_at.as_str())
                && newest.line.contains("(just now)"),
            format!("{newest:?}"),
        )?;
        Ok(versions)
    }

    /// Makes the next version.
    pub(super) async fn generate(&mut self) -> Result<Finished, Failed> {
        let done = finish(self.attempt(), "").await;
        ensure(done.code == Some(0), &done.stderr)?;
        Ok(done)
    }

    /// Like [`look`](Self::look), with a temporary store.
    pub(super) async fn look_once(&mut self) -> Result<usize, Failed> {
        let store = self.kept.store();
        let found = self.look(&store).await;
        store.close().await;
        found
    }

    /// Checks that all stored data is complete and that earlier data is unchanged. Returns the number of
    /// versions.
    pub(super) async fn look(&mut self, store: &Store) -> Result<usize, Failed> {
        let kept = store.backend().await?;
        let complaints = store.check().await?;
        ensure(complaints.is_empty(), complaints.join("; "))?;
        let mut rows = kept.versions("local", NAME, 0).await?;
        while let Some(last) = rows.last() {
            let more = kept.versions("local", NAME, last.version).await?;
            if more.is_empty() {
                break;
            }
            rows.extend(more);
        }
        let chain = rows.iter().map(|row| {
            let predecessor = row.predecessor_hash.as_deref();
            (row.version, predecessor, row.hash.as_str(), row.body.as_str())
        });
        verify_chain(None, chain).map_err(|number| format!("version {number} does not follow"))?;
        // The hashes of those checked before are compared below.
        for row in rows.iter().skip(self.seen.len()) {
            let version: Version = serde_json::from_str(&row.body)?;
            let titles = version
                .items
                .into_iter()
                .map(|mut entry| entry.item["title"].take());
            let answer = one_answer(titles).filter(|_| version.version == row.version);
            let line = version.markdown.lines().find(|line| line.starts_with("- `"));
            let (Some(answer), Some(line), Some(snapshot)) =
                (answer, line, version.source_snapshots.into_iter().next())
            else {
                return Err(format!("version {} is not whole", row.version).into());
            };
            self.told.push(Told {
                answer,
                line: line.to_owned(),
                generated_at: version.generated_at,
                synced_at: snapshot.synced_at,
                checked_at: snapshot.checked_at,
            });
        }
        let hashes: Vec<String> = rows.into_iter().map(|row| row.hash).collect();
        ensure(hashes.starts_with(&self.seen), "a version was lost or changed")?;
        self.seen = hashes;
        let definition = kept.deliverable("local", NAME).await?.ok_or("it was lost")?;
        let definition: Definition = serde_json::from_str(&definition.definition)?;
        for source in &definition.sources {
            let Some((held, _)) = kept.resource("local", &source.resource()).await? else {
                ensure(self.seen.is_empty(), "its items were lost")?;
                continue;
            };
            let mut titles = Vec::new();
            for (_, item) in held.items {
                let mut item: Value = serde_json::from_str(&item)?;
                titles.push(item["title"].take());
            }
            ensure(
                one_answer(titles.clone()).is_some(),
                format!("a sync is half written: {titles:?}"),
            )?;
        }
        Ok(self.seen.len())
    }
}
