//! MCP over HTTP against a real process: the protocol.

use std::time::Duration;

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::composites::landscape;
use crate::process::{LEGACY, MODERN, outcome};
use crate::run::block_on;
use crate::upstreams::{Stalled, ordinary};
use crate::verdict;
use crate::wire::{HttpServer, request, rpc, version_headers};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("http::both_eras", || block_on(both_eras())),
        Trial::test("http::headers_agree_with_the_body", || block_on(header_rules())),
        Trial::test("http::errors_by_the_book", || block_on(errors())),
        Trial::test("http::methods_and_media", || block_on(methods_and_media())),
        Trial::test("http::progress", || block_on(progress())),
        Trial::test("http::disconnect_cancels", || block_on(disconnect())),
    ]
}

/// Every revision, without a session: the same list, a call, a refusal, JSON and no stream.
async fn both_eras() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    let mut first = Value::Null;
    for version in LEGACY.into_iter().chain([MODERN]) {
        if version == MODERN {
            let found = server.ask(version, "server/discover", json!({})).await;
            assert!(
                found["result"]["supportedVersions"]
                    .as_array()
                    .is_some_and(|all| all.len() == 5),
                "{found}"
            );
        } else {
            let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}});
            let answer = server.post(&[], &rpc(version, 1, "initialize", hello)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert_eq!(answer.header("content-type"), "application/json");
            assert_eq!(answer.header("mcp-session-id"), "", "there are no sessions");
            assert_eq!(answer.json()["result"]["protocolVersion"], version);
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            assert_eq!(
                server
                    .post(&[("MCP-Protocol-Version", version)], &ready)
                    .await
                    .status,
                202
            );
        }
        let list = server.ask(version, "tools/list", json!({})).await["result"]["tools"].clone();
        assert!(list.as_array().is_some_and(|tools| !tools.is_empty()));
        if first.is_null() {
            first = list;
        } else {
            assert!(list == first, "{version} lists other tools");
        }
        let params = json!({"name": "extract_hackernews", "arguments": {"url": version}});
        let found = outcome(&server.ask(version, "tools/call", params).await);
        assert!(!found.is_error, "{}", found.text);
        assert_eq!(found.items()[0]["title"], format!("About {version}"));
        let params = json!({"name": "extract_hackernews", "arguments": {}});
        let bad = outcome(&server.ask(version, "tools/call", params).await);
        assert_eq!((bad.is_error, bad.code()), (true, "invalid_input"), "{version}");
    }
    Ok(())
}

/// 2026-07-28: headers that contradict the body, or are missing, are refused.
async fn header_rules() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let params = json!({"name": "evaluate_context", "arguments": {}});
    let message = rpc(MODERN, 1, "tools/call", params);
    let mut complaints = Vec::new();
    for (what, headers, code) in [
        (
            "no method",
            vec![("MCP-Protocol-Version", MODERN), ("Mcp-Name", "evaluate_context")],
            -32_020,
        ),
        (
            "no name",
            vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/call")],
            -32_020,
        ),
        (
            "another method",
            vec![
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/list"),
                ("Mcp-Name", "evaluate_context"),
            ],
            -32_020,
        ),
        (
            "another tool",
            vec![
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "extract_arxiv"),
            ],
            -32_020,
        ),
        (
            "another revision",
            vec![
                ("MCP-Protocol-Version", "2025-11-25"),
                ("Mcp-Method", "tools/call"),
                ("Mcp-Name", "evaluate_context"),
            ],
            -32_020,
        ),
    ] {
        let answer = server.post(&headers, &message).await;
        if answer.status != 400 || answer.json()["error"]["code"] != code {
            complaints.push(format!("{what}: {} {}", answer.status, answer.body));
        }
    }
    let strange = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta":
        {"io.modelcontextprotocol/protocolVersion": "2199-01-01", "io.modelcontextprotocol/clientCapabilities": {}}}});
    let answer = server
        .post(
            &[
                ("MCP-Protocol-Version", "2199-01-01"),
                ("Mcp-Method", "tools/list"),
            ],
            &strange,
        )
        .await;
    let error = &answer.json()["error"];
    if answer.status != 400 || error["code"] != -32_022 || !error["data"]["supported"].is_array() {
        complaints.push(format!("an unknown revision: {} {}", answer.status, answer.body));
    }
    verdict(complaints)
}

/// D01, D03, D04, D06 over HTTP.
async fn errors() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let mut complaints = Vec::new();
    for (what, body, status, code) in [
        ("no JSON", "{oops", 400, -32_700),
        ("nothing", "", 400, -32_700),
        ("NUL bytes", "\0\0", 400, -32_700),
        (
            "a batch",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            400,
            -32_600,
        ),
        ("a number", "17", 400, -32_600),
        ("no version", r#"{"id":1,"method":"ping"}"#, 400, -32_600),
        (
            "an id that is an object",
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            400,
            -32_600,
        ),
    ] {
        let answer = server.send("POST", "/mcp", &[], body).await;
        if answer.status != status || answer.json()["error"]["code"] != code {
            complaints.push(format!("{what}: {} {}", answer.status, answer.body));
        }
    }
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let answer = server.send("POST", "/mcp", &[], &deep).await;
    if answer.status != 400 {
        complaints.push(format!("deep nesting: {}", answer.status));
    }
    for (version, status) in [(LEGACY[3], 200), (MODERN, 404)] {
        let answer = server
            .post(
                &version_headers(version, "no/such", &json!({})),
                &rpc(version, 7, "no/such", json!({})),
            )
            .await;
        if answer.status != status || answer.json()["error"]["code"] != -32_601 || answer.json()["id"] != 7 {
            complaints.push(format!(
                "{version}: an unknown method: {} {}",
                answer.status, answer.body
            ));
        }
        let params = json!({"name": "no_such_tool"});
        let answer = server
            .post(
                &version_headers(version, "tools/call", &params),
                &rpc(version, 8, "tools/call", params.clone()),
            )
            .await;
        if answer.json()["error"]["code"] != -32_602 {
            complaints.push(format!(
                "{version}: an unknown tool: {} {}",
                answer.status, answer.body
            ));
        }
    }
    assert_eq!(
        server.ask(LEGACY[0], "ping", json!({})).await["result"],
        json!({})
    );
    verdict(complaints)
}

/// E08: methods, media types, paths.
async fn methods_and_media() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let mut complaints = Vec::new();
    for method in [
        "GET", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "HEAD", "BREW",
    ] {
        let answer = server.send(method, "/mcp", &[], "").await;
        if answer.status != 405 || answer.header("allow") != "POST" {
            complaints.push(format!(
                "{method}: {} allow {:?}",
                answer.status,
                answer.header("allow")
            ));
        }
    }
    for (what, headers, status) in [
        ("text", [("Content-Type", "text/plain")], 415),
        (
            "a form",
            [("Content-Type", "application/x-www-form-urlencoded")],
            415,
        ),
        ("no media type", [("Content-Type", "")], 415),
        (
            "a charset",
            [("Content-Type", "application/json; charset=utf-8")],
            200,
        ),
        ("pages wanted", [("Accept", "text/html")], 406),
        ("JSON alone", [("Accept", "application/json")], 200),
        ("events alone", [("Accept", "text/event-stream")], 200),
        ("no Accept", [("Accept", "")], 200),
    ] {
        let answer = server.send("POST", "/mcp", &headers, &ping).await;
        if answer.status != status {
            complaints.push(format!("{what}: {} {}", answer.status, answer.body));
        }
    }
    let answer = server.send("POST", "/mcp/", &[], &ping).await;
    if answer.status != 200 {
        complaints.push(format!("/mcp/: {} {}", answer.status, answer.body));
    }
    for path in [
        "/mcp/../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "//mcp",
        "/static/../../x",
        "/%00",
    ] {
        let answer = server.send("GET", path, &[], "").await;
        if !matches!(answer.status, 400 | 404) {
            complaints.push(format!("{path}: {}", answer.status));
        }
    }
    let health = server.send("GET", "/healthz", &[], "").await;
    if (health.status, health.body.as_str()) != (200, "ok\n") {
        complaints.push(format!("/healthz: {} {:?}", health.status, health.body));
    }
    verdict(complaints)
}

/// Progress turns the answer into a stream that ends with the result; without a token it is plain JSON.
async fn progress() -> Result<(), Failed> {
    let (tool, arguments) = landscape()?;
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_LIMIT_ATTEMPTS", "1"),
    ])
    .await;
    for version in [LEGACY[3], MODERN] {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "t"}});
        let answer = server
            .post(
                &version_headers(version, "tools/call", &params),
                &rpc(version, 3, "tools/call", params.clone()),
            )
            .await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(
            answer.header("content-type").starts_with("text/event-stream"),
            "{answer:?}"
        );
        let mut events: Vec<Value> = answer
            .events()
            .iter()
            .filter_map(|event| serde_json::from_str(event).ok())
            .collect();
        let result = events.pop().unwrap_or_default();
        assert_eq!(
            result["id"], 3,
            "{version}: the stream ends with the answer: {result}"
        );
        let steps: Vec<f64> = events
            .iter()
            .filter_map(|step| step["params"]["progress"].as_f64())
            .collect();
        assert!(!steps.is_empty() && steps.len() == events.len(), "{events:?}");
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
        let params = json!({"name": tool, "arguments": arguments});
        let answer = server
            .post(
                &version_headers(version, "tools/call", &params),
                &rpc(version, 4, "tools/call", params.clone()),
            )
            .await;
        assert_eq!(answer.header("content-type"), "application/json");
    }
    Ok(())
}

/// D14: a caller that hangs up cancels its call; the upstream socket is closed within 200 ms.
async fn disconnect() -> Result<(), Failed> {
    let upstream = Stalled::start().await;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    let mut best = Duration::MAX;
    for (version, word) in [(MODERN, "one"), (LEGACY[3], "two"), (MODERN, "three")] {
        let params = json!({"name": "extract_hackernews", "arguments": {"url": word}});
        let message = rpc(version, 1, "tools/call", params.clone()).to_string();
        let mut stream = server.connect().await;
        let bytes = request(
            server.address,
            "POST",
            "/mcp",
            &version_headers(version, "tools/call", &params),
            &message,
        );
        stream.write_all(bytes.as_bytes()).await?;
        let half = upstream.half_answered().await;
        drop(stream);
        best = best.min(Stalled::time_to_close(half).await);
    }
    assert!(best.as_millis() <= 200, "the socket was closed after {best:?}");
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    Ok(())
}
