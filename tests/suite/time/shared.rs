//! Two processes on one database: each rechecks the other's answers, owners are separate in both, both write
//! concurrently, and a restart of Postgres is a temporary failure.

use std::time::{Duration, Instant};

use freshcontext_engine::RECHECK;
use freshcontext_testkit::check::Outcome;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::processes::{search, stdio, upstream, whole};
use super::setup::ensure;
use crate::places::{Kept, on_both, on_postgres};
use crate::process::{MODERN, PATIENCE, Session, finish, outcome, signal};
use crate::wire::{HttpServer, rpc, version_headers};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(on_both("time::shared::answers", answers));
    trials.extend(on_both("time::shared::owners", owners));
    trials.extend(on_both("time::shared::two_writers", two_writers));
    trials.push(on_postgres("time::shared::restarted_database", restarted));
    trials
}

/// Calls of each of two writers, and how many answers of one must finish before it is killed.
const CALLS: usize = 200;
const WAITED_FOR: usize = 100;

/// Answers are written in the background, so another process may look too early.
async fn until_found(session: &mut Session, id: &Value) -> Outcome {
    let until = Instant::now() + PATIENCE;
    loop {
        let found = session.call(RECHECK, json!({"answer_id": id})).await;
        if found.code() != "not_found" || Instant::now() > until {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Each process rechecks the other's answers while both run.
async fn answers(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut one = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let mut other = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    for words in ["rust async", "rust embedded"] {
        let (tool, arguments) = search(words);
        let answer = one.call(tool, arguments).await;
        let before = upstream.requests().len();
        let found = until_found(&mut other, &answer.structured["answer_id"]).await;
        ensure(found.structured["verdict"] == "current", &found.text)?;
        ensure(
            upstream.requests().len() > before,
            "it was rechecked without asking",
        )?;
        std::mem::swap(&mut one, &mut other);
    }
    for mut session in [one, other] {
        session.hang_up();
        let ended = session.end().await;
        ensure(ended.status.success(), ended.log)?;
    }
    Ok(())
}

const TOKENS: &str = "anna=anna-token-0123456789,ben=ben-token-0123456789";

/// A call over HTTP with the token of this name.
async fn by(server: &HttpServer, name: &str, tool: &str, arguments: Value) -> Outcome {
    let token = format!("Bearer {name}-token-0123456789");
    let params = json!({"name": tool, "arguments": arguments});
    let mut headers = version_headers(MODERN, "tools/call", &params);
    headers.push(("Authorization", &token));
    let message = rpc(MODERN, 1, "tools/call", params.clone());
    outcome(&server.post(&headers, &message).await.json())
}

/// A token has the same data in both processes, and never another token's.
async fn owners(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let base = format!("*={}", upstream.base());
    let mut servers = Vec::new();
    for _ in 0..2 {
        let mut command = kept.process(&["http", "--addr", "127.0.0.1:0"]);
        command
            .env("FRESHCONTEXT_UPSTREAM", &base)
            .env("FRESHCONTEXT_TOOLSETS", "default,time")
            .env("FRESHCONTEXT_HTTP_TOKENS", TOKENS);
        servers.push(HttpServer::of(command).await);
    }
    let (tool, arguments) = search("rust async");
    let answer = by(&servers[0], "anna", tool, arguments).await;
    let about = json!({"answer_id": answer.structured["answer_id"]});
    let until = Instant::now() + PATIENCE;
    let mut found = by(&servers[1], "anna", RECHECK, about.clone()).await;
    while found.code() == "not_found" && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
        found = by(&servers[1], "anna", RECHECK, about.clone()).await;
    }
    ensure(found.structured["verdict"] == "current", &found.text)?;
    let mut add = kept.process(&["deliverable", "--token", "anna", "add", "brief"]);
    add.args(["--source", "extract_hackernews url=rust"])
        .env("FRESHCONTEXT_HTTP_TOKENS", TOKENS);
    let added = finish(add, "").await;
    ensure(added.code == Some(0), &added.stderr)?;
    let name = json!({"name": "brief"});
    let made = by(&servers[0], "anna", "deliverable_generate", name.clone()).await;
    ensure(!made.is_error, &made.text)?;
    for server in &servers {
        let foreign = by(server, "ben", RECHECK, about.clone()).await;
        ensure(foreign.code() == "not_found", &foreign.text)?;
        let foreign = by(server, "ben", "deliverable_generate", name.clone()).await;
        ensure(foreign.code() == "not_found", &foreign.text)?;
        for (who, has) in [("anna", 1), ("ben", 0)] {
            let list = by(server, who, "deliverable_list", json!({})).await;
            let all = list.structured["deliverables"].as_array().map_or(0, Vec::len);
            ensure(all == has, format!("{who} has {all}: {}", list.text))?;
        }
    }
    let made = by(&servers[1], "anna", "deliverable_generate", name).await;
    ensure(made.text.contains("version 2"), &made.text)
}

/// Both write as fast as they can, and one is killed: every answer of the other is stored, the killed one's
/// stored answers are complete.
async fn two_writers(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        sessions.push(Session::open(stdio(&upstream.base(), &kept), MODERN).await);
    }
    let [other, killed] = sessions.as_mut_slice() else {
        return Err("two processes".into());
    };
    // Answers are written in the background: by now the process to be killed has its database.
    let (tool, arguments) = search(&format!("words{}", " ".repeat(CALLS)));
    let first = killed.call(tool, arguments).await;
    let found = until_found(other, &first.structured["answer_id"]).await;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    let mut requests = Vec::new();
    for at in 0..CALLS {
        for session in &mut sessions {
            // The same request, so that the cache answers without a pace; with different arguments, so that
            // the id differs.
            let (tool, arguments) = search(&format!("words{}", " ".repeat(at)));
            let call = json!({"name": tool, "arguments": arguments});
            requests.push(session.request("tools/call", call).await);
        }
    }
    let mut killed = sessions.pop().ok_or("the second")?;
    let mut other = sessions.pop().ok_or("the first")?;
    for _ in 0..WAITED_FOR {
        killed.next().await.ok_or("the process ended")?;
    }
    if cfg!(unix) {
        signal(killed.process(), "KILL");
    } else {
        killed.hang_up();
    }
    killed.end().await;
    let ids: Vec<i64> = requests.into_iter().step_by(2).collect();
    let mut told: Vec<String> = Vec::new();
    for answer in other.answers(&ids).await.values() {
        let answer = outcome(answer);
        let id = answer.structured["answer_id"].as_str();
        told.push(id.ok_or(format!("no id: {}", answer.text))?.to_owned());
    }
    other.hang_up();
    let ended = other.end().await;
    ensure(ended.status.success(), ended.log)?;
    let all = whole(&kept).await?;
    let lost = told.iter().filter(|id| !all.contains(id)).count();
    ensure(
        lost == 0 && told.len() == CALLS,
        format!(
            "{lost} of {} answers of the one that was not killed are lost",
            told.len()
        ),
    )?;
    let first = first.structured["answer_id"].as_str().unwrap_or_default();
    ensure(all.iter().any(|id| id == first), "the first answer is lost")?;
    let others = all.len() - told.len() - 1;
    ensure(
        (1..=CALLS).contains(&others),
        format!("{others} answers of the other"),
    )
}

/// A client's calls while the database is unavailable, all at once: those that need it wait a few seconds.
async fn without_it(session: &mut Session, id: &Value) -> Result<(), Failed> {
    let calls = [
        (RECHECK, json!({"answer_id": id})),
        ("deliverable_generate", json!({"name": "brief"})),
        // Different arguments: repeating the rechecked answer would queue it in memory, where it would be
        // found.
        search("rust embedded"),
    ];
    let mut outcomes = session.calls(&calls).await;
    let ordinary = outcomes.pop().ok_or("an answer")?;
    ensure(
        !ordinary.is_error && ordinary.structured["items"].is_array(),
        &ordinary.text,
    )?;
    let clear = [
        "the store cannot be used: the database server ended the connection",
        "the store cannot be used: the database server cannot be reached",
        "the store cannot be used: the database did not answer in time",
    ];
    for ((tool, _), refused) in calls.iter().zip(outcomes) {
        ensure(
            refused.code() == "overloaded"
                && refused.structured["retry_after_s"].is_u64()
                && clear.iter().any(|clear| refused.text.contains(clear))
                && refused.text.trim_end().lines().count() == 1,
            format!("{tool} without its database: {}", refused.text),
        )?;
    }
    Ok(())
}

/// The database is stopped for a while: tools keep working, the error is one clear line, and afterwards both
/// processes have their data and make further versions without a restart.
async fn restarted(kept: Kept) -> Result<(), Failed> {
    let upstream = upstream().await?;
    let mut one = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let mut other = Session::open(stdio(&upstream.base(), &kept), MODERN).await;
    let source = [
        "deliverable",
        "add",
        "brief",
        "--source",
        "extract_hackernews url=rust",
    ];
    let added = finish(kept.process(&source), "").await;
    ensure(added.code == Some(0), &added.stderr)?;
    let name = json!({"name": "brief"});
    let made = one.call("deliverable_generate", name.clone()).await;
    ensure(!made.is_error, &made.text)?;
    let (tool, arguments) = search("rust async");
    let answer = one.call(tool, arguments).await;
    let id = &answer.structured["answer_id"];
    let found = until_found(&mut other, id).await;
    ensure(found.structured["verdict"] == "current", &found.text)?;

    kept.tell("stop")?;
    tokio::try_join!(without_it(&mut one, id), without_it(&mut other, id))?;
    kept.tell("start")?;
    for (number, session) in [(2, &mut one), (3, &mut other)] {
        let found = until_found(session, id).await;
        ensure(found.structured["verdict"] == "current", &found.text)?;
        let made = session.call("deliverable_generate", name.clone()).await;
        ensure(
            !made.is_error && made.text.contains(&format!("version {number}")),
            &made.text,
        )?;
    }
    for mut session in [one, other] {
        session.hang_up();
        session.end().await;
    }
    let ids = whole(&kept).await?;
    ensure(ids.iter().any(|kept| id == kept.as_str()), "an answer is lost")
}
