//! How `recheck` makes requests, and its evidence: validators, hashes, dates, the source's own report.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use freshcontext_engine::RECHECK;
use freshcontext_testkit::{Reply, Script, ScriptedUpstream};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::setup::{FIRST, Folder, Says, ask, case, engine, ensure, recheck, repository, stories};
use crate::upstreams::reply;

pub(super) async fn not_modified() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, _, upstream) = repository(&folder).await?;
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    let found = recheck(&engine, &answer).await?;
    let said = &found.structured;
    ensure(said["verdict"] == "current", &found.text)?;
    ensure(said["bytes"] == 0, &found.text)?;
    let evidence = said["evidence"].as_array().map_or(0, Vec::len);
    ensure(
        evidence > 0 && said["evidence"][0]["kind"] == "not_modified",
        &found.text,
    )?;
    let conditional = upstream
        .requests()
        .iter()
        .filter(|seen| seen.header("if-none-match").is_some())
        .count();
    ensure(
        conditional == evidence,
        format!("{conditional} conditional requests"),
    )?;
    ensure(found.text.contains("304 for "), &found.text)
}

/// A source may change its validators while the bytes stay the same: the new ones are sent from then on, so that the next
/// check is a 304 again.
pub(super) async fn renewed_validators() -> Result<(), Failed> {
    let folder = Folder::new();
    let case = case("github/repository")?;
    let script = Script::of(&case, Path::new(""))?;
    let state = Arc::new(AtomicU32::new(1));
    let current = Arc::clone(&state);
    let upstream = ScriptedUpstream::start(move |seen| {
        let mut reply = script.answer(seen);
        if reply.status == 200 {
            let tag = format!("\"state {}\"", current.load(Ordering::Relaxed));
            if seen.header("if-none-match") == Some(tag.as_str()) {
                reply.status = 304;
                reply.body.clear();
            }
            reply.headers.push(("etag".to_owned(), tag));
        }
        reply
    })
    .await?;
    let engine = engine(&upstream.base(), &folder, Some(&case), |_| {})?;
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    state.store(2, Ordering::Relaxed);
    for (what, is_whole) in [("whole", true), ("not modified", false)] {
        let found = recheck(&engine, &answer).await?;
        ensure(
            found.structured["verdict"] == "current",
            format!("{what}: {}", found.text),
        )?;
        let bytes = found.structured["bytes"].as_u64();
        ensure(
            bytes.is_some_and(|bytes| (bytes > 0) == is_whole),
            format!("{what}: {bytes:?} bytes, {}", found.text),
        )?;
    }
    engine.close().await;
    Ok(())
}

/// A page of two releases.
fn page_of_releases(footer: &str, ago: &str, note: &str) -> Reply {
    let release = |version: &str, day: &str, ago: &str, note: &str| {
        format!(
            "<section><h2>v{version}</h2><p><time datetime=\"{day}\">{ago}</time></p><ul><li>{note}</li>\
             <li>Lists of orders are faster when there are many of them.</li></ul></section>"
        )
    };
    let page = format!(
        "<!doctype html><html><head><title>Changelog</title></head><body><main><h1>Changelog</h1>{}{}</main>\
         <footer><p>{footer}</p></footer></body></html>",
        release("1.2.0", "2026-11-19", ago, note),
        release(
            "1.1.0",
            "2026-10-02",
            "Oct 2",
            "Filters for lists of orders that are long."
        )
    );
    reply(200, "text/html; charset=utf-8", &page)
}

/// What changes around the entries of a page is no change of them: the footer, and words such as `2 days ago`. A source that
/// answers 304 to a request without a validator confirms nothing.
pub(super) async fn around_the_entries() -> Result<(), Failed> {
    let folder = Folder::new();
    let note = "The flow of forms no longer loses what was typed.";
    let says = Says::new(page_of_releases("Contact us", "2 days ago", note));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "https://example.com/changelog"});
    let answer = ask(&engine, "extract_changelog", arguments).await?;
    let days = |answer: &Value| {
        let items = answer["items"].as_array().into_iter().flatten();
        items.map(|item| item["published_at"].clone()).collect::<Vec<_>>()
    };
    ensure(
        days(&answer.structured) == ["2026-11-19", "2026-10-02"],
        &answer.text,
    )?;
    let verdicts = async |page: Reply| -> Result<[Value; 3], Failed> {
        says.now(page);
        let found = recheck(&engine, &answer).await?.structured;
        let of = |at: usize| found["items"][at]["verdict"].clone();
        Ok([found["verdict"].clone(), of(0), of(1)])
    };
    let moved = page_of_releases("We have moved to another street", "3 days ago", note);
    let current = verdicts(moved).await?;
    ensure(
        current == ["current", "current", "current"],
        format!("{current:?}"),
    )?;
    let unasked = verdicts(reply(304, "text/html", "")).await?;
    ensure(
        unasked.iter().all(|verdict| verdict == "could_not_check"),
        format!("{unasked:?}"),
    )?;
    let changed = verdicts(page_of_releases(
        "Contact us",
        "2 days ago",
        "The flow of forms is gone.",
    ))
    .await?;
    ensure(
        changed == ["changed", "changed", "current"],
        format!("{changed:?}"),
    )?;
    engine.close().await;
    Ok(())
}

/// A deleted repository is reported by its source.
pub(super) async fn named_thing_gone() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, script, _upstream) = repository(&folder).await?;
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    script.answer_all(&reply(404, "application/json", r#"{"message": "Not Found"}"#));
    let found = recheck(&engine, &answer).await?;
    ensure(found.structured["verdict"] == "gone", &found.text)
}

pub(super) async fn without_an_id() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "rust async"});
    let answer = ask(&engine, "extract_hackernews", arguments.clone()).await?;
    let by_hash = json!({"tool": "extract_hackernews", "arguments": arguments,
        "hash": answer.structured["answer_hash"]});
    let by_date = |since: &str| json!({"tool": "extract_hackernews", "arguments": arguments, "since": since});
    let verdict_of = async |about: &Value| -> Result<Value, String> {
        Ok(ask(&engine, RECHECK, about.clone()).await?.structured["verdict"].clone())
    };
    ensure(verdict_of(&by_hash).await? == "current", "by hash")?;
    ensure(
        verdict_of(&by_date("2026-11-21")).await? == "current",
        "nothing newer",
    )?;
    ensure(
        verdict_of(&by_date("2026-11-19")).await? == "changed",
        "newer ones",
    )?;
    says.now(stories(&[(3, "Third"), (2, "Second"), (1, "First, retracted")]));
    ensure(verdict_of(&by_hash).await? == "changed", "another hash")?;
    says.now(reply(503, "text/plain", "down"));
    ensure(verdict_of(&by_hash).await? == "could_not_check", "down")?;
    engine.close().await;
    Ok(())
}

pub(super) async fn wrong_arguments() -> Result<(), Failed> {
    let folder = Folder::new();
    let engine = engine("http://127.0.0.1:9", &folder, None, |_| {})?;
    for (arguments, field) in [
        (json!({}), "answer_id"),
        // An unknown argument is ignored.
        (json!({"id": "x"}), "answer_id"),
        (json!({"tool": "extract_hackernews"}), "arguments"),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "x"}}),
            "hash",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "x"}, "since": "soon"}),
            "since",
        ),
        (
            json!({"tool": "extract_nothing", "arguments": {}, "hash": "x"}),
            "tool",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"limt": 5}, "hash": "x"}),
            "limt",
        ),
    ] {
        let found = ask(&engine, RECHECK, arguments.clone()).await?;
        ensure(
            found.code() == "invalid_input",
            format!("{arguments}: {}", found.text),
        )?;
        ensure(
            found.structured["field"] == field,
            format!("{arguments}: {}", found.text),
        )?;
    }
    engine.close().await;
    Ok(())
}

/// A signal may carry the id of its answer.
pub(super) async fn id_in_a_signal() -> Result<(), Failed> {
    let folder = Folder::new();
    let engine = engine("http://127.0.0.1:9", &folder, None, |_| {})?;
    let signal = |with: bool| {
        let mut signal = json!({"source": "https://docs.example.org/", "content": "A page about things.",
            "published_at": "2026-11-01", "retrieved_at": "2026-11-20T00:00:00Z"});
        if with {
            signal["answer_id"] = "aAAAAAAAAAAAA".into();
        }
        json!({"profile": "official_docs", "intent": "citation_check", "signals": [signal]})
    };
    let without = ask(&engine, "evaluate_context", signal(false)).await?;
    let with = ask(&engine, "evaluate_context", signal(true)).await?;
    engine.close().await;
    ensure(!with.is_error, &with.text)?;
    ensure(with.text == without.text, "the verdict does not depend on it")
}
