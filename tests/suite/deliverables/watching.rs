//! The watcher.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::Failed;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::setup::{ensure, stories};
use crate::places::Kept;
use crate::process::{self, finish};

/// The watcher prints a line for a change, keeps both feeds, and ends when it is told to.
pub(super) async fn watched() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    let says = Arc::new(Mutex::new(stories(&[(1, "First")], None)));
    let answers = Arc::clone(&says);
    let upstream =
        ScriptedUpstream::start(move |_| answers.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .await?;
    let (base, now) = (upstream.base(), "2026-11-23T09:00:00Z");
    let source = "extract_hackernews url=rust";
    finish(
        kept.command(&["deliverable", "add", "brief", "--source", source], now, &base),
        "",
    )
    .await;
    finish(kept.command(&["deliverable", "sync", "brief"], now, &base), "").await;
    let feeds = process::scratch().join(format!("feeds-{}", std::process::id()));
    std::fs::create_dir_all(&feeds)?;
    let (atom, json_feed) = (feeds.join("changes.atom"), feeds.join("changes.json"));
    let (atom_name, json_name) = (atom.display().to_string(), json_feed.display().to_string());
    let arguments = [
        "deliverable",
        "watch",
        "brief",
        "--every",
        "1",
        "--atom",
        &atom_name,
        "--json-feed",
        &json_name,
    ];
    let mut child = kept.command(&arguments, now, &base).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
    *says.lock().unwrap_or_else(PoisonError::into_inner) = stories(&[(2, "Second"), (1, "First")], None);
    let line = tokio::time::timeout(process::PATIENCE, lines.next_line()).await??;
    let event: Value = serde_json::from_str(&line.ok_or("a line")?)?;
    ensure(
        event["kind"] == "added" && event["title"] == "Second" && event["deliverable"] == "brief",
        &event,
    )?;
    // The feeds are written after the line.
    let until = std::time::Instant::now() + process::PATIENCE;
    while !std::fs::read_to_string(&json_feed)?.contains("Second") && std::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let feed: Value = serde_json::from_str(&std::fs::read_to_string(&json_feed)?)?;
    ensure(feed["items"][0]["title"] == "added: Second", &feed)?;
    ensure(
        std::fs::read_to_string(&atom)?.contains("added: Second"),
        "the Atom feed has it too",
    )?;
    process::signal(child.id().ok_or("it runs")?, "TERM");
    let status = tokio::time::timeout(process::PATIENCE, child.wait()).await??;
    std::fs::remove_dir_all(&feeds)?;
    ensure(status.code() == Some(0), status)
}
