//! Deliverables as resources: listed, read, and with change notifications, including changes by another
//! process.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::setup::{ensure, stories};
use crate::places::Kept;
use crate::process::{LEGACY, MODERN, Session, finish};

const URI: &str = "freshcontext://deliverables/brief";

/// One minute per step, so that nothing is reused.
fn at(minute: u32) -> String {
    format!("2026-11-23T09:{minute:02}:00Z")
}

/// Waits for the next message of this method.
async fn told(session: &mut Session, method: &str) -> Result<Value, Failed> {
    loop {
        let message = session.next().await.ok_or("the session ended")?;
        if message["method"] == method {
            return Ok(message);
        }
    }
}

pub async fn told_of_changes() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First")], None)).await?;
    let base = upstream.base();
    let run = |arguments: Vec<&'static str>, minute| finish(kept.command(&arguments, &at(minute), &base), "");
    let source = "extract_hackernews url=rust";
    run(vec!["deliverable", "add", "brief", "--source", source], 0).await;
    let arguments = ["stdio", "--toolset", "time"];
    let open = |version| Session::open(kept.command(&arguments, &at(0), &base), version);
    let mut modern = open(MODERN).await;
    let found = modern.ask("server/discover", json!({})).await;
    ensure(
        found["result"]["capabilities"]["resources"] == json!({"subscribe": true, "listChanged": true}),
        &found,
    )?;
    let list = modern.ask("resources/list", json!({})).await;
    // The timeline page, the skill and the sources are always listed.
    let listed = list["result"]["resources"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of_deliverables = |resource: &Value| {
        resource["uri"]
            .as_str()
            .is_some_and(|uri| uri.starts_with("freshcontext://deliverables/"))
    };
    ensure(
        listed.len() == 3 && !listed.iter().any(of_deliverables),
        "one has a version",
    )?;
    let listening = modern
        .request(
            "subscriptions/listen",
            json!({"notifications": {"resourcesListChanged": true, "resourceSubscriptions": [URI]}}),
        )
        .await;
    told(&mut modern, "notifications/subscriptions/acknowledged").await?;
    let mut legacy = open(LEGACY[3]).await;
    let subscribed = legacy.ask("resources/subscribe", json!({"uri": URI})).await;
    ensure(subscribed["result"].is_object(), &subscribed)?;
    let other = legacy
        .ask(
            "resources/subscribe",
            json!({"uri": "freshcontext://deliverables/other"}),
        )
        .await;
    ensure(other["error"].is_object(), &other)?;

    // The first version also changes the list.
    let done = run(vec!["deliverable", "generate", "brief"], 2).await;
    ensure(done.code == Some(0), &done.stderr)?;
    let word = told(&mut modern, "notifications/resources/list_changed").await?;
    ensure(
        word["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listening,
        &word,
    )?;
    for session in [&mut modern, &mut legacy] {
        let word = told(session, "notifications/resources/updated").await?;
        ensure(word["params"]["uri"] == URI, &word)?;
    }
    // A second version only sends an update.
    let done = run(vec!["deliverable", "generate", "brief"], 4).await;
    for session in [&mut modern, &mut legacy] {
        let word = session.next().await.ok_or("a word")?;
        ensure(word["method"] == "notifications/resources/updated", &word)?;
    }
    let list = legacy.ask("resources/list", json!({})).await;
    ensure(list["result"]["resources"][0]["uri"] == URI, &list)?;
    let read = legacy.ask("resources/read", json!({"uri": URI})).await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_default();
    ensure(
        text.trim() == done.stdout.trim() && text.contains("version 2"),
        &read,
    )?;
    let unknown = legacy
        .ask(
            "resources/read",
            json!({"uri": "freshcontext://deliverables/other"}),
        )
        .await;
    ensure(unknown["error"]["code"] == -32002, &unknown)?;
    let templates = legacy.ask("resources/templates/list", json!({})).await;
    ensure(
        templates["result"]["resourceTemplates"][0]["uriTemplate"] == "freshcontext://deliverables/{name}",
        &templates,
    )?;
    let ended = legacy.ask("resources/unsubscribe", json!({"uri": URI})).await;
    ensure(ended["result"].is_object(), &ended)?;
    for mut session in [modern, legacy] {
        session.hang_up();
        let ended = session.end().await;
        ensure(ended.status.success(), ended.log)?;
    }
    // Without the toolset, only the timeline page, the skill and the sources are listed, and they never change.
    let mut plain = Session::open(kept.command(&["stdio"], &at(0), &base), MODERN).await;
    let found = plain.ask("server/discover", json!({})).await;
    ensure(found["result"]["capabilities"]["resources"] == json!({}), &found)?;
    let list = plain.ask("resources/list", json!({})).await;
    ensure(
        list["result"]["resources"]
            .as_array()
            .is_some_and(|listed| listed.len() == 3),
        &list,
    )?;
    let unknown = plain.ask("resources/read", json!({"uri": URI})).await;
    ensure(unknown["error"]["code"] == -32602, &unknown)?;
    plain.hang_up();
    plain.end().await;
    Ok(())
}
