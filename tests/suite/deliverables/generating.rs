//! Which sources are requested, and how responses and failures are handled.

use std::path::Path;

use chrono::TimeDelta;
use freshcontext_engine::Owner;
use freshcontext_follow::{Task, To};
use freshcontext_testkit::{Script, load_cases};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::setup::{ARXIV, HN, Scene, arxiv, ensure, hn, limited, papers, stories};
use crate::root;
use crate::upstreams::reply;

/// Check, sync and generate do not request a recent source again.
pub(super) async fn fresh() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(HN, stories(&[(1, "First")], None));
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[hn(), arxiv()], "refuse").await?;
    scene.sync().await?;
    let asked = scene.asked();
    ensure(asked >= 2, format!("{asked} requests for the first sync"))?;
    scene.later(TimeDelta::seconds(30));
    let checked = scene.check().await?;
    ensure(checked["sources"][0]["verdict"] == "current", &checked)?;
    scene.sync().await?;
    let (made, _) = scene.generate().await?;
    ensure(made["items"].as_array().map(Vec::len) == Some(2), &made)?;
    ensure(
        scene.asked() == asked,
        format!("{} requests", scene.asked() - asked),
    )?;
    scene.later(TimeDelta::seconds(31));
    scene.check().await?;
    ensure(scene.asked() > asked, "after a minute they are asked again")
}

/// A source that answers 304 gets that one request; the changed source is fetched, and only its items change.
pub(super) async fn stale_alone() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene
        .says
        .set(HN, stories(&[(1, "First"), (2, "Second")], Some("\"one\"")));
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[hn(), arxiv()], "refuse").await?;
    scene.generate().await?;
    scene.later(TimeDelta::hours(5));
    scene.says.set(
        HN,
        stories(&[(3, "Third"), (1, "First, altered")], Some("\"two\"")),
    );
    let before = (scene.asked_of(HN), scene.asked_of(ARXIV));
    let checked = scene.check().await?;
    ensure(
        (
            &checked["sources"][0]["verdict"],
            &checked["sources"][1]["verdict"],
        ) == (&json!("stale"), &json!("current")),
        &checked,
    )?;
    ensure(
        scene.asked_of(ARXIV) - before.1 == 1 && scene.asked_of(HN) - before.0 == 1,
        "one question each",
    )?;
    let (made, _) = scene.generate().await?;
    ensure(
        scene.asked_of(ARXIV) - before.1 == 1,
        "what was just found current is not asked",
    )?;
    ensure(made["version"] == 2, &made["version"])?;
    let found = scene.diff(1, To::Version(2)).await?;
    let diff = &found["diff"];
    ensure(diff["added"][0]["item"]["title"] == "Third", diff)?;
    ensure(
        diff["removed"][0]["title"] == "Second" && diff["removed"][0]["detail"] == "outside_window",
        diff,
    )?;
    ensure(
        diff["changed"][0]["fields"] == json!([{"field": "title", "then": "First", "now": "First, altered"}]),
        diff,
    )?;
    // The next check rests on the validators of the second answer.
    scene.later(TimeDelta::hours(5));
    let checked = scene.check().await?;
    ensure(checked["requests"] == 2, &checked)?;
    ensure(checked["sources"][0]["verdict"] == "current", &checked)?;
    scene.says.set(HN, stories(&[(3, "Third")], Some("\"three\"")));
    scene.later(TimeDelta::hours(5));
    let checked = scene.check().await?;
    ensure(checked["sources"][0]["verdict"] == "stale", &checked)
}

/// Items synced a week ago are evaluated at the current time, and the version states the time of sync.
pub(super) async fn week_old() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[arxiv()], "use_last").await?;
    let (first, _) = scene.generate().await?;
    scene.later(TimeDelta::days(7));
    let (second, text) = scene.generate().await?;
    let score = |version: &Value| {
        version["items"][0]["judged"]["freshness_score"]
            .as_u64()
            .unwrap_or_default()
    };
    ensure(
        second["generated_at"] == "2026-11-30T09:00:00.000Z",
        &second["generated_at"],
    )?;
    ensure(score(&second) < score(&first), "a week older, a lower score")?;
    let snapshot = &second["source_snapshots"][0];
    ensure(
        snapshot["synced_at"] == "2026-11-23T09:00:00.000Z"
            && snapshot["checked_at"] == "2026-11-30T09:00:00.000Z",
        snapshot,
    )?;
    ensure(snapshot["state"] == "current", snapshot)?;
    ensure(
        text.contains("synced 2026-11-23T09:00:00.000Z (7 days ago), confirmed 2026-11-30T09:00:00.000Z"),
        &text,
    )?;
    // Also if no source can confirm it.
    scene.says.set(ARXIV, limited());
    scene.later(TimeDelta::days(7));
    let (third, text) = scene.generate().await?;
    ensure(
        third["source_snapshots"][0]["state"] == "last_used",
        &third["source_snapshots"],
    )?;
    ensure(
        text.contains(
            "could not be checked; 1 item as of 2026-11-23T09:00:00.000Z (14 days ago), judged at now",
        ),
        &text,
    )?;
    ensure(score(&third) < score(&second), "two weeks older")
}

/// The three policies; unreadable parts show no removals.
pub(super) async fn policies() -> Result<(), Failed> {
    for policy in ["refuse", "use_last", "leave_out"] {
        let scene = Scene::start().await?;
        scene.says.set(HN, stories(&[(1, "First")], None));
        scene.says.set(ARXIV, papers("One", "\"a\""));
        scene.add(&[hn(), arxiv()], policy).await?;
        scene.generate().await?;
        scene.later(TimeDelta::days(1));
        scene.says.set(HN, limited());
        let task = Task::Generate {
            name: "brief".to_owned(),
            allow_empty: false,
        };
        let made = scene.follow.deliverable(task, &Owner::default()).await;
        if policy == "refuse" {
            let error = made.err().ok_or("it is refused")?;
            ensure(
                error.code.as_str() == "rate_limited" && error.message.contains("extract_hackernews"),
                &error.message,
            )?;
            ensure(error.retry_after.is_some(), "when to try again")?;
            ensure(
                scene
                    .doing(Task::Show {
                        name: "brief".to_owned(),
                        version: Some(2),
                    })
                    .await
                    .is_err(),
                "no version was made",
            )?;
            continue;
        }
        let made = made.map_err(|error| error.message)?;
        ensure(made.text().contains("rate_limited"), &made.text())?;
        let found = scene.diff(1, To::Version(2)).await?;
        let empty = |name: &str| found["diff"][name].as_array().is_some_and(Vec::is_empty);
        ensure(empty("removed") && empty("added") && empty("changed"), &found)?;
        ensure(empty("could_not_check") == (policy == "use_last"), &found)?;
        ensure(found["not_known"].as_array().map(Vec::len) == Some(1), &found)?;
        let now = scene.diff(1, To::Now).await?;
        ensure(now["diff"]["removed"] == json!([]), &now)?;
    }
    Ok(())
}

/// The adverts of a failing board are not removed.
pub(super) async fn partial() -> Result<(), Failed> {
    let cases = load_cases(&root().join("fixtures"))?;
    let case = cases
        .iter()
        .find(|case| case.name == "jobs/ok")
        .ok_or("the fixture")?;
    for policy in ["use_last", "leave_out"] {
        let script = Script::of(case, Path::new(""))?;
        let scene = Scene::with(script.clone()).await?;
        let jobs = json!({"tool": "search_jobs", "arguments": case.arguments});
        scene.add(&[jobs], policy).await?;
        let (first, _) = scene.generate().await?;
        ensure(
            first["source_snapshots"][0]["state"] == "current",
            &first["source_snapshots"],
        )?;
        scene.later(TimeDelta::hours(5));
        script.alter(|exchange, answer| {
            if exchange.url.host_str() == Some("remotive.com") {
                *answer = reply(503, "text/plain", "broken");
            }
        });
        let (second, text) = scene.generate().await?;
        ensure(
            second["source_snapshots"][0]["state"] == "partial",
            &second["source_snapshots"],
        )?;
        ensure(
            text.contains("Remotive") && text.contains("upstream_error"),
            &text,
        )?;
        let items = |version: &Value| version["items"].as_array().map_or(0, Vec::len);
        let lost = items(&first) - items(&second);
        ensure(
            (lost > 0) == (policy == "leave_out"),
            format!("{policy}: {lost} lost"),
        )?;
        let found = scene.diff(1, To::Version(2)).await?;
        ensure(found["diff"]["removed"] == json!([]), &found["diff"])?;
        ensure(
            found["diff"]["could_not_check"].as_array().map(Vec::len) == Some(lost),
            &found["diff"],
        )?;
    }
    Ok(())
}

/// While the previous route fails, its replacement shows no removals, in any number of calls.
pub(super) async fn stand_in() -> Result<(), Failed> {
    const SITE: &str = "news.ycombinator.com";
    let feed = "<rss version=\"2.0\"><channel><title>Hacker News</title><item><title>First</title>\
        <link>https://example.com/1</link><pubDate>Fri, 20 Nov 2026 10:00:00 +0000</pubDate>\
        <description>&lt;a href=\"https://news.ycombinator.com/item?id=1\"&gt;Comments&lt;/a&gt;</description></item></channel></rss>";
    let down = || reply(503, "text/plain", "broken");
    for policy in ["use_last", "leave_out"] {
        let scene = Scene::start().await?;
        scene.says.set(HN, stories(&[(1, "First"), (2, "Second")], None));
        scene.says.set("hacker-news.firebaseio.com", down());
        let front =
            json!({"tool": "extract_hackernews", "arguments": {"url": "https://news.ycombinator.com/news"}});
        scene.add(&[front], policy).await?;
        scene.generate().await?;
        scene.says.set(HN, down());
        scene.says.set(SITE, reply(200, "application/rss+xml", feed));
        for version in [2, 3] {
            scene.later(TimeDelta::minutes(20));
            let (made, _) = scene.generate().await?;
            let snapshot = &made["source_snapshots"][0];
            ensure(snapshot["state"] == "partial", snapshot)?;
            let trouble = snapshot["troubles"][0]["message"].as_str().unwrap_or_default();
            ensure(
                trouble.contains("the feed of the front page answered in its stead"),
                snapshot,
            )?;
            let diff = &scene.diff(1, To::Version(version)).await?["diff"];
            ensure(diff["removed"] == json!([]), format!("{policy}: {diff}"))?;
            let unknown = diff["could_not_check"].as_array().map_or(0, Vec::len);
            ensure(
                (unknown == 1) == (policy == "leave_out"),
                format!("{policy}: {diff}"),
            )?;
        }
        scene.says.set(HN, stories(&[(1, "First")], None));
        scene.later(TimeDelta::minutes(20));
        scene.generate().await?;
        let diff = &scene.diff(1, To::Version(4)).await?["diff"];
        ensure(
            diff["removed"][0]["detail"] == "outside_window",
            format!("{policy}: {diff}"),
        )?;
    }
    Ok(())
}
