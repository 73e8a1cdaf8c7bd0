//! Wrong clocks, through the command line and on both databases: current source content is reported, a replay
//! deletes nothing, and a future time is not reported as a known one.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::setup::ensure;
use super::whole::{Changing, NAME};
use crate::places::{Kept, on_both};
use crate::process::{MODERN, Session, finish};

const DAY_S: i64 = 86_400;
/// A year in which everything that is kept now is past its age.
const FAR_S: i64 = 73 * 365 * DAY_S;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(on_both("deliverables::clocks::ahead_once", ahead_once));
    trials.extend(on_both("deliverables::clocks::two_machines", two_machines));
    trials.extend(on_both("deliverables::clocks::cannot_be_asked", cannot_be_asked));
    trials.extend(on_both("deliverables::clocks::replay_of_2099", replay_of_2099));
    trials.extend(on_both("deliverables::clocks::no_such_key", no_such_key));
    trials
}

async fn said(scene: &Changing, words: &[&str]) -> Result<String, Failed> {
    let done = finish(scene.command(words), "").await;
    // A check ends with 3 where a source is stale.
    let checked = done.code == Some(3) && words.contains(&"check");
    ensure(
        done.code == Some(0) || checked,
        format!("{words:?}: {}", done.stderr),
    )?;
    Ok(done.stdout)
}

/// Generated once with a clock that is a month ahead. With a correct clock, every version has the source's
/// current content.
async fn ahead_once(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    scene.generate_true(32 * DAY_S).await?;
    let told = scene
        .told
        .last()
        .ok_or("a version")?
        .synced_at
        .clone()
        .unwrap_or_default();
    let checked = said(&scene, &["deliverable", "check", NAME]).await?;
    ensure(
        checked.contains(": stale, synced at an unknown time (recorded as")
            && checked.contains(&told)
            && !checked.contains("just now"),
        &checked,
    )?;
    let listed = said(&scene, &["deliverable", "list"]).await?;
    ensure(
        listed.contains("brief: version 1, made at an unknown time (recorded as"),
        &listed,
    )?;
    let shown = said(&scene, &["deliverable", "show", NAME]).await?;
    ensure(
        shown.contains("Note: this version was made at an unknown time"),
        &shown,
    )?;
    for version in 2..=4 {
        ensure(scene.generate_true(0).await? == version, "a version more")?;
        let checked = said(&scene, &["deliverable", "check", NAME, "--json"]).await?;
        let checked: Value = serde_json::from_str(&checked)?;
        let source = &checked["sources"][0];
        ensure(
            source["verdict"] == "current" && source["synced_at"] == scene.now(),
            source,
        )?;
    }
    let listed = said(&scene, &["deliverable", "list"]).await?;
    ensure(
        listed.contains(&format!("brief: version 4 of {}", scene.now())),
        &listed,
    )
}

/// Two machines share a database, and one clock is ahead or behind: each reports the source's current
/// content.
async fn two_machines(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    for (round, ahead_s) in [(1, 20 * DAY_S), (2, -20 * DAY_S), (3, 3_600), (4, -3_600)] {
        scene.generate_true(ahead_s).await?;
        scene.generate_true(0).await?;
        let versions = scene.generate_true(ahead_s).await?;
        ensure(versions == 3 * round, format!("{versions} versions"))?;
    }
    Ok(())
}

/// Items of unknown age from an unavailable source are not used, because they cannot be labelled with their
/// age.
async fn cannot_be_asked(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    said(&scene, &["deliverable", "remove", NAME]).await?;
    let source = "extract_hackernews url=rust limit=20";
    let add = [
        "deliverable",
        "add",
        NAME,
        "--source",
        source,
        "--on-unchecked",
        "use_last",
    ];
    said(&scene, &add).await?;
    scene.generate_true(32 * DAY_S).await?;
    let mut command = scene.attempt();
    command.env("FRESHCONTEXT_UPSTREAM", "*=http://127.0.0.1:9");
    let done = finish(command, "").await;
    ensure(
        done.code == Some(1) && done.stderr.contains("gave 0 items (unreachable)"),
        format!("{done:?}"),
    )?;
    let mut command = scene.command(&["deliverable", "generate", NAME, "--allow-empty"]);
    command.env("FRESHCONTEXT_UPSTREAM", "*=http://127.0.0.1:9");
    let done = finish(command, "").await;
    ensure(
        done.code == Some(0)
            && done
                .stdout
                .contains("and is left out (last synced at an unknown time (recorded as")
            && !done.stdout.contains("Story 1 of")
            && !done.stdout.contains("just now"),
        format!("{done:?}"),
    )?;
    // With a past timestamp they are used.
    scene.generate().await?;
    let mut command = scene.attempt();
    command.env("FRESHCONTEXT_UPSTREAM", "*=http://127.0.0.1:9");
    let done = finish(command, "").await;
    ensure(
        done.code == Some(0) && done.stdout.contains("could not be checked; 20 items as of"),
        format!("{done:?}"),
    )
}

/// Calls and a removed deliverable, then calls in 2099: all stored data is still there.
async fn replay_of_2099(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    scene.generate_true(0).await?;
    scene.generate_true(0).await?;
    said(&scene, &["deliverable", "remove", NAME]).await?;
    let call = |at: usize| {
        let query = format!("url=words {at}");
        [
            "call",
            "extract_hackernews",
            "--toolset",
            "time",
            "--json",
            &query,
        ]
        .map(str::to_owned)
    };
    let mut ids = Vec::new();
    for at in 0..4 {
        let words = call(at);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let answer: Value = serde_json::from_str(&said(&scene, &words).await?)?;
        ids.push(answer["answer_id"].clone());
    }
    for at in 4..8 {
        let words = call(at);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = finish(scene.command_by(&words, FAR_S), "").await;
        ensure(done.code == Some(0), done.stderr)?;
    }
    for task in [&["store", "vacuum"][..], &["store", "info", "--json"]] {
        let done = finish(scene.command_by(task, FAR_S), "").await;
        ensure(done.code == Some(0), &done.stderr)?;
        if task.contains(&"info") {
            let info: Value = serde_json::from_str(&done.stdout)?;
            ensure(info["answers"] == 8 && info["versions"] == 2, &info)?;
        }
    }
    let mut session = Session::open(scene.command(&["stdio", "--toolset", "time"]), MODERN).await;
    for id in ids {
        let found = session.call("recheck", json!({"answer_id": id})).await;
        ensure(!found.is_error, &found.text)?;
    }
    session.hang_up();
    session.end().await;
    // An answer of 2099 is found, with an unknown time.
    let exported = said(&scene, &["store", "export"]).await?;
    let late = exported
        .lines()
        .map(serde_json::from_str::<Value>)
        .find(|row| row.as_ref().is_ok_and(|row| row["answered_at_ahead"].is_string()))
        .ok_or("one is marked")??;
    ensure(late["answered_at"].is_null(), &late)?;
    let id = late["answer_id"].as_str().ok_or("an id")?;
    let found = said(&scene, &["recheck", id]).await?;
    ensure(
        found.contains("\nAnswered: at an unknown time (recorded as 20"),
        &found,
    )?;
    // The versions of the deliverable's name continue.
    let source = "extract_hackernews url=rust limit=20";
    said(&scene, &["deliverable", "add", NAME, "--source", source]).await?;
    ensure(scene.generate_true(0).await? == 3, "its versions go on")
}

/// An id with a NUL is never found, however it is passed.
async fn no_such_key(kept: Kept) -> Result<(), Failed> {
    let mut scene = Changing::new(kept, 0).await?;
    scene.generate().await?;
    let mut session = Session::open(scene.command(&["stdio", "--toolset", "time"]), MODERN).await;
    let answer = session.call("extract_hackernews", json!({"url": "c"})).await;
    for key in ["\0", "a\0b", "brief\0"] {
        for (tool, arguments) in [
            ("recheck", json!({"answer_id": key})),
            ("deliverable_generate", json!({"name": key})),
            ("deliverable_diff", json!({"name": key, "from": 1})),
        ] {
            let found = session.call(tool, arguments.clone()).await;
            ensure(
                found.is_error && found.code() == "not_found" && !found.text.contains('\0'),
                format!("{tool} {arguments}: {}", found.text),
            )?;
        }
        for kind in ["deliverables", "records"] {
            let uri = format!("freshcontext://{kind}/{key}");
            let read = session.ask("resources/read", json!({"uri": uri})).await;
            let code = read["error"]["code"].as_i64();
            ensure(
                read["result"].is_null() && matches!(code, Some(-32_002 | -32_602)),
                format!("{uri:?}: {read}"),
            )?;
        }
    }
    // The store remains usable.
    let found = session
        .call("recheck", json!({"answer_id": answer.structured["answer_id"]}))
        .await;
    ensure(!found.is_error, &found.text)?;
    session.hang_up();
    let ended = session.end().await;
    ensure(!ended.log.contains("the store cannot be used"), ended.log)
}
