//! What revision 2026-07-28 recommends to servers (tests/protocol.toml), where no other group of tests holds it.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::ensure;
use crate::process::{LEGACY, MODERN, Session, command};
use crate::run::block_on;
use crate::upstreams::{ordinary, reply};
use crate::wire::{HttpServer, request, rpc, version_headers};

/// Releases that are dated by days.
const CHANGELOG: &str =
    "# Changelog\n\n## 1.1.0 - 2025-06-01\n\n- A new flag.\n\n## 1.0.0 - 2025-05-01\n\n- The first.\n";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("protocol::every_result_names_the_server", || block_on(named())),
        Trial::test("protocol::streams_are_not_buffered", || block_on(unbuffered())),
        Trial::test("protocol::cursors_of_lists_are_invalid", || block_on(cursors())),
        Trial::test("protocol::content_says_when_it_was_published", || {
            block_on(published())
        }),
    ]
}

/// Requests whose results are looked at.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        (
            "tools/call",
            json!({"name": "extract_hackernews", "arguments": {"url": "rust"}}),
        ),
        (
            "tools/call",
            json!({"name": "extract_hackernews", "arguments": {}}),
        ),
        (
            "tools/call",
            json!({"name": "evaluate_context", "arguments": {"signals": [{"content": "x"}]}}),
        ),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "skill://freshcontext/SKILL.md"})),
        ("prompts/list", json!({})),
        (
            "prompts/get",
            json!({"name": "brief_me", "arguments": {"topic": "rust"}}),
        ),
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": "skill://freshcontext/SKILL.md"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "brief_me"}, "argument": {"name": "topic", "value": "r"}}),
        ),
    ]
}

/// Every result of the newest revision names the server and its version, on both transports; older ones do so once.
async fn named() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    let mut stdio = command(&["stdio"]);
    stdio.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let mut session = Session::open(stdio, MODERN).await;
    for (method, params) in requests() {
        for answer in [
            server.ask(MODERN, method, params.clone()).await,
            session.ask(method, params.clone()).await,
        ] {
            let about = &answer["result"]["_meta"][SERVER_INFO];
            ensure(
                about["name"] == "freshcontext" && about["version"] == env!("CARGO_PKG_VERSION"),
                format!("{method}: {answer}"),
            )?;
            let whole = method == "server/discover";
            ensure(
                about["websiteUrl"].is_string() == whole && about["icons"].is_array() == whole,
                format!("{method}: in full where the server introduces itself: {about}"),
            )?;
        }
        if method != "server/discover" && !method.starts_with("skills/") {
            let answer = server.ask(LEGACY[3], method, params).await;
            ensure(
                answer["result"]["_meta"][SERVER_INFO].is_null(),
                format!("{method}: {answer}"),
            )?;
        }
    }
    session.hang_up();
    session.end().await;
    Ok(())
}

/// A stream of progress asks proxies not to hold it back.
async fn unbuffered() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    let params = json!({"name": "extract_landscape", "arguments": {"topic": "rust"}});
    let mut message = rpc(MODERN, 1, "tools/call", params.clone());
    message["params"]["_meta"]["progressToken"] = json!("p");
    let headers = version_headers(MODERN, "tools/call", &params);
    let answer = server
        .raw(request(
            server.address,
            "POST",
            "/mcp",
            &headers,
            &message.to_string(),
        ))
        .await;
    ensure(
        answer.header("content-type").starts_with("text/event-stream")
            && answer.header("x-accel-buffering") == "no",
        format!("{answer:?}"),
    )
}

async fn cursors() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    for method in [
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "skills/list",
    ] {
        let params = json!({"cursor": "abc"});
        let answer = server
            .post(
                &version_headers(MODERN, method, &params),
                &rpc(MODERN, 1, method, params.clone()),
            )
            .await;
        ensure(
            answer.json()["error"]["code"] == -32_602,
            format!("{method}: {}", answer.body),
        )?;
    }
    Ok(())
}

/// The text of an answer says at what time its newest item was published; a day without a time, an evaluation and a
/// failure do not.
async fn published() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|request| match request.host.as_str() {
        "docs.example.org" => reply(200, "text/markdown", CHANGELOG),
        _ => ordinary(request),
    })
    .await?;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    for (tool, arguments, dated) in [
        ("extract_hackernews", json!({"url": "rust"}), true),
        ("extract_hackernews", json!({}), false),
        (
            "extract_changelog",
            json!({"url": "https://docs.example.org/CHANGELOG.md"}),
            false,
        ),
        ("evaluate_context", json!({"signals": [{"content": "x"}]}), false),
    ] {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = server.ask(MODERN, "tools/call", params).await;
        let block = &answer["result"]["content"][0];
        let told = block["annotations"]["lastModified"].as_str();
        let items = answer["result"]["structuredContent"]["items"].as_array().cloned();
        let newest = items
            .into_iter()
            .flatten()
            .filter(|item| item["date_confidence"] != "low")
            .filter_map(|item| item["published_at"].as_str().map(str::to_owned))
            .max();
        ensure(told.is_some() == dated, format!("{tool}: {block}"))?;
        ensure(
            tool != "extract_changelog" || newest.as_deref() == Some("2025-06-01"),
            answer.to_string(),
        )?;
        ensure(
            !dated || told == newest.as_deref(),
            format!("{told:?}, {newest:?}: {answer}"),
        )?;
    }
    Ok(())
}
