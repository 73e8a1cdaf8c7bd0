//! The toolset in a separate process over stdio: ended between a call and its recheck, killed during a write,
//! without disk space, with a damaged file.

use freshcontext_engine::RECHECK;
use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::process::Command;

use super::setup::ensure;
use crate::places::{Kept, on_both, on_sqlite};
use crate::process::{Finished, MODERN, Session, finish};
use crate::upstreams::ordinary;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::from(on_both("time::process::restart_between", restart_between));
    trials.push(on_sqlite("time::process::damaged_pages", damaged_pages));
    if cfg!(unix) {
        trials.extend(on_both(
            "time::process::killed_while_writing",
            killed_while_writing,
        ));
        trials.push(on_sqlite("time::process::no_room", no_room));
    }
    trials
}

/// Rounds of calling and killing.
const ROUNDS: usize = 6;
/// Calls per round, and how many of them must finish before the process is killed.
const CALLS: usize = 300;
const WAITED_FOR: usize = 150;

/// A server with the toolset that stores its answers there.
pub(super) fn stdio(base: &str, kept: &Kept) -> Command {
    let mut command = kept.process(&["stdio", "--toolset", "time"]);
    command.env("FRESHCONTEXT_UPSTREAM", format!("*={base}"));
    command
}

async fn store(kept: &Kept, task: &str) -> Finished {
    finish(kept.process(&["store", task]), "").await
}

/// Checks that stored data is sound and every answer complete. Returns their ids.
pub(super) async fn whole(kept: &Kept) -> Result<Vec<String>, Failed> {
    let checked = store(kept, "check").await;
    ensure(
        checked.code == Some(0) && checked.stdout.starts_with("sound\n"),
        checked.stdout + &checked.stderr,
    )?;
    let exported = store(kept, "export").await;
    let mut ids = Vec::new();
    for line in exported.stdout.lines() {
        let row: Value = serde_json::from_str(line)?;
        let parts = ["answer_id", "tool", "arguments", "answer_hash", "marks"];
        ensure(parts.iter().all(|name| !row[name].is_null()), line)?;
        ids.extend(row["answer_id"].as_str().map(str::to_owned));
    }
    Ok(ids)
}

pub(super) fn search(words: &str) -> (&'static str, Value) {
    ("extract_hackernews", json!({"url": words}))
}

pub(super) async fn upstream() -> Result<ScriptedUpstream, Failed> {
    Ok(ScriptedUpstream::start(ordinary).await?)
}

async fn restart_between(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut first = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (tool, arguments) = search("rust async");
    let answer = first.call(tool, arguments).await;
    first.hang_up();
    let ended = first.end().await;
    ensure(ended.status.success(), ended.log)?;
    let id = answer.structured["answer_id"].clone();
    let mut second = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let found = second.call(RECHECK, json!({"answer_id": id})).await;
    second.hang_up();
    second.end().await;
    ensure(found.structured["verdict"] == "current", &found.text)
}

/// Killed repeatedly with many answers being stored: stored data stays and is complete.
async fn killed_while_writing(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut before: Vec<String> = Vec::new();
    let mut interrupted = 0;
    for round in 0..ROUNDS {
        let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
        for at in 0..CALLS {
            // The same request, so that the cache answers without a pace; with different arguments, so that
            // the id differs.
            let (tool, arguments) = search(&format!("words {round}{}", " ".repeat(at)));
            let call = json!({"name": tool, "arguments": arguments});
            session.request("tools/call", call).await;
        }
        for _ in 0..WAITED_FOR + 20 * round {
            session.next().await.ok_or("the process ended")?;
        }
        crate::process::signal(session.process(), "KILL");
        session.end().await;
        let after = whole(&kept).await?;
        ensure(
            before.iter().all(|id| after.contains(id)),
            format!("round {round}: an answer that was kept is lost"),
        )?;
        interrupted += usize::from(after.len() - before.len() < CALLS);
        before = after;
    }
    ensure(
        !before.is_empty() && interrupted > 0,
        format!("{} are kept; killed too late to interrupt anything", before.len()),
    )
}

/// The process's files are limited in size, as on a full disk: tools keep working, answers get no id, and
/// earlier data stays sound.
async fn no_room(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let plain = stdio(&upstream.base(), &kept);
    // 512 bytes each; a process that ignores the signal gets the error instead, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$@\"";
    let mut session = Session::open(
        crate::process::through("sh", &["-c", script, "sh"], &plain),
        MODERN,
    )
    .await;
    let mut without = 0;
    for at in 0..20 {
        let calls: Vec<(&str, Value)> = (0..10).map(|n| search(&format!("words {at} {n}"))).collect();
        for outcome in session.calls(&calls).await {
            ensure(
                !outcome.is_error && outcome.structured["items"].is_array(),
                &outcome.text,
            )?;
            without += usize::from(outcome.structured.get("answer_id").is_none());
        }
    }
    session.hang_up();
    let ended = session.end().await;
    ensure(
        without > 0,
        "there was room for everything: this has tried nothing",
    )?;
    ensure(ended.log.contains("the store cannot be used"), ended.log)?;
    let checked = store(&kept, "check").await;
    ensure(
        checked.stdout.starts_with("sound\n"),
        checked.stdout + &checked.stderr,
    )
}

/// Corrupted bytes in the middle of the file: `check` reports them, and tools keep working.
async fn damaged_pages(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let calls: Vec<(&str, Value)> = (0..60).map(|at| search(&format!("words {at}"))).collect();
    session.calls(&calls).await;
    session.hang_up();
    session.end().await;
    let mut bytes = std::fs::read(kept.file())?;
    let from = bytes.len() / 4;
    bytes[from..].fill(0xA5);
    std::fs::write(kept.file(), bytes)?;
    let checked = store(&kept, "check").await;
    ensure(
        checked.code != Some(0),
        format!("{}{}", checked.stdout, checked.stderr),
    )?;
    ensure(!checked.stderr.is_empty(), "nothing is said")?;
    let mut session = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let (tool, arguments) = search("rust async");
    let answer = session.call(tool, arguments).await;
    let recheck = session.call(RECHECK, json!({"answer_id": "aAAAAAAAAAAAA"})).await;
    session.hang_up();
    session.end().await;
    ensure(
        !answer.is_error && answer.structured["items"].is_array(),
        &answer.text,
    )?;
    ensure(recheck.is_error && !recheck.code().is_empty(), &recheck.text)
}
