//! The watcher.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::setup::{ensure, stories};
use crate::places::Kept;
use crate::process::{self, finish};
use crate::upstreams::json_reply;

/// The watcher prints a line per change, maintains both feeds, and ends on a signal.
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

/// Stories with the hour in which each was written, newest first.
fn hourly(list: &[(u64, &str)]) -> Reply {
    let hits: Vec<Value> = list
        .iter()
        .map(|(hour, title)| {
            json!({"objectID": format!("9{hour}"), "title": title, "url": format!("https://example.com/{hour}"),
                "author": "someone", "points": 10, "num_comments": 3, "created_at": format!("2026-11-20T{hour:02}:00:00Z"),
                "created_at_i": 1_795_132_800_u64 + hour * 3_600, "_tags": ["story"]})
        })
        .collect();
    json_reply(
        &json!({"hits": hits, "nbHits": 50, "page": 0, "nbPages": 3, "hitsPerPage": 20, "exhaustiveNbHits": true})
            .to_string(),
    )
}

/// J07: an item that arrives an hour late, dated before one that was seen, is told once. So are two of one moment.
pub(super) async fn late() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    let says = Arc::new(Mutex::new(hourly(&[(12, "Twelve"), (10, "Ten")])));
    let answers = Arc::clone(&says);
    let upstream =
        ScriptedUpstream::start(move |_| answers.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .await?;
    let (base, now) = (upstream.base(), "2026-11-23T09:00:00Z");
    let source = "extract_hackernews url=rust";
    let add = ["deliverable", "add", "late", "--source", source];
    finish(kept.command(&add, now, &base), "").await;
    finish(kept.command(&["deliverable", "sync", "late"], now, &base), "").await;
    let watch = ["deliverable", "watch", "late", "--every", "1"];
    let mut child = kept.command(&watch, now, &base).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
    for (list, new) in [
        (
            &[(12, "Twelve"), (11, "Eleven, late"), (10, "Ten")][..],
            "Eleven, late",
        ),
        (
            &[
                (13, "Thirteen"),
                (12, "Twelve"),
                (11, "Eleven, late"),
                (10, "Ten"),
            ],
            "Thirteen",
        ),
        (
            &[
                (13, "Thirteen"),
                (12, "Twelve"),
                (11, "Eleven, late"),
                (10, "Ten"),
                (9, "Nine, very late"),
            ],
            "Nine, very late",
        ),
    ] {
        *says.lock().unwrap_or_else(PoisonError::into_inner) = hourly(list);
        let line = tokio::time::timeout(process::PATIENCE, lines.next_line()).await??;
        let event: Value = serde_json::from_str(&line.ok_or("a line")?)?;
        ensure(event["kind"] == "added" && event["title"] == new, &event)?;
    }
    // Any further line would be one of them again.
    let more = tokio::time::timeout(Duration::from_millis(2_500), lines.next_line()).await;
    process::signal(child.id().ok_or("it runs")?, "TERM");
    let status = tokio::time::timeout(process::PATIENCE, child.wait()).await??;
    ensure(more.is_err(), format!("{more:?}"))?;
    ensure(status.code() == Some(0), status)
}

/// A watcher whose reader disconnected ends, with or without pending changes, and makes no more requests. So
/// does one whose writes fail, with an error.
pub(super) async fn unread() -> Result<(), Failed> {
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
    let watch = ["deliverable", "watch", "brief"];
    let often = [&watch[..], &["--every", "1"]].concat();
    // The first has no change to print and checks again only in hours; the second has one.
    for (words, titles) in [(&watch[..], 1), (&often, 2)] {
        *says.lock().unwrap_or_else(PoisonError::into_inner) = match titles {
            1 => stories(&[(1, "First")], None),
            _ => stories(&[(2, "Second"), (1, "First")], None),
        };
        let mut child = kept.command(words, now, &base).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
        if titles > 1 {
            let line = tokio::time::timeout(process::PATIENCE, lines.next_line()).await??;
            ensure(line.is_some(), "a line")?;
        }
        drop(lines);
        let status = tokio::time::timeout(process::PATIENCE, child.wait()).await;
        let status = status.map_err(|_| format!("{words:?} goes on without a reader"))??;
        ensure(status.code() == Some(0), status)?;
        let asked = upstream.requests().len();
        tokio::time::sleep(Duration::from_secs(2)).await;
        ensure(upstream.requests().len() == asked, "it goes on asking")?;
    }
    #[cfg(target_os = "linux")]
    {
        *says.lock().unwrap_or_else(PoisonError::into_inner) =
            stories(&[(3, "Third"), (2, "Second"), (1, "First")], None);
        let mut command = kept.command(&often, now, &base);
        command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full")?);
        let done = finish(command, "").await;
        ensure(
            done.code == Some(1) && done.stderr.contains("cannot write to stdout"),
            format!("{done:?}"),
        )?;
    }
    Ok(())
}

/// A feed is never written through a link, and keeps its mode.
#[cfg(unix)]
pub(super) async fn feeds() -> Result<(), Failed> {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let kept = Kept::in_folder();
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First")], None)).await?;
    let (base, now) = (upstream.base(), "2026-11-23T09:00:00Z");
    let source = "extract_hackernews url=rust";
    finish(
        kept.command(&["deliverable", "add", "brief", "--source", source], now, &base),
        "",
    )
    .await;
    let folder = kept.folder().join("feeds");
    std::fs::create_dir_all(&folder)?;
    let (victim, link, feed) = (folder.join("victim"), folder.join("link"), folder.join("feed"));
    std::fs::write(&victim, "kept")?;
    symlink(&victim, &link)?;
    std::fs::write(&feed, "old")?;
    std::fs::set_permissions(&feed, std::fs::Permissions::from_mode(0o640))?;
    // An earlier version wrote this file next to the feed; it may be a link by now.
    symlink(&victim, folder.join("feed.new"))?;
    let named = |file: &std::path::Path| file.display().to_string();
    let done = finish(
        kept.command(
            &["deliverable", "watch", "brief", "--atom", &named(&link)],
            now,
            &base,
        ),
        "",
    )
    .await;
    ensure(
        done.code == Some(1) && done.stderr.contains("symbolic link") && done.stderr.lines().count() == 1,
        format!("{done:?}"),
    )?;
    let mut child = kept
        .command(
            &["deliverable", "watch", "brief", "--json-feed", &named(&feed)],
            now,
            &base,
        )
        .spawn()?;
    let until = std::time::Instant::now() + process::PATIENCE;
    while std::fs::read_to_string(&feed)? == "old" && std::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child.kill().await?;
    let text: Value = serde_json::from_str(&std::fs::read_to_string(&feed)?)?;
    ensure(text["version"].is_string(), &text)?;
    ensure(
        std::fs::metadata(&feed)?.permissions().mode() & 0o777 == 0o640,
        "its mode is another",
    )?;
    ensure(
        std::fs::read_to_string(&victim)? == "kept",
        "a link was written through",
    )
}
