//! The operator's settings of the HTTP service: rate limit (E12) and metrics (E14).

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;

use crate::process::LEGACY;
use crate::run::block_on;
use crate::upstreams::ordinary;
use crate::wire::{Answer, HttpServer, request};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("http::rate_of_one_client", || block_on(rate())),
        Trial::test("http::no_rate_for_this_machine", || block_on(this_machine())),
        Trial::test("http::figures", || block_on(figures())),
        Trial::test("http::figures_token", || block_on(figures_token())),
        Trial::test("http::refusals_in_the_log", || block_on(refusals_in_the_log())),
    ]
}

/// Whoever collects figures has a token that opens nothing else; callers' tokens open both.
async fn figures_token() -> Result<(), Failed> {
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_TOKEN", "of-a-caller"),
        ("FRESHCONTEXT_HTTP_METRICS_TOKEN", "of-the-figures"),
    ])
    .await;
    for (token, path, method, status) in [
        ("of-the-figures", "/metrics", "GET", 200),
        ("of-the-figures", "/mcp", "POST", 401),
        ("of-a-caller", "/metrics", "GET", 200),
        ("of-a-caller", "/mcp", "POST", 200),
        ("neither", "/metrics", "GET", 401),
    ] {
        let authorization = format!("Bearer {token}");
        let body = if method == "POST" { ping() } else { String::new() };
        let answer = server
            .send(method, path, &[("Authorization", &authorization)], &body)
            .await;
        assert_eq!(answer.status, status, "{token} {path}: {answer:?}");
    }
    Ok(())
}

/// A refused Host or token is logged as JSON, once for many; no token shows.
async fn refusals_in_the_log() -> Result<(), Failed> {
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_TOKEN", "of-a-caller"),
        ("FRESHCONTEXT_HTTP_ALLOWED_HOSTS", "127.0.0.0/8,*.example.com"),
        ("FRESHCONTEXT_LOG_FORMAT", "json"),
    ])
    .await;
    let good = ("Authorization", "Bearer of-a-caller");
    for (host, status) in [
        ("127.0.0.1", 200),
        ("mcp.example.com:8443", 200),
        ("example.com", 403),
        ("127.0.0.1.example.org", 403),
    ] {
        let answer = server
            .send("POST", "/mcp", &[("Host", host), good], &ping())
            .await;
        assert_eq!(answer.status, status, "{host}: {answer:?}");
    }
    for _ in 0..20 {
        let wrong = [("Authorization", "Bearer hunter2-hunter2")];
        assert_eq!(server.send("POST", "/mcp", &wrong, &ping()).await.status, 401);
    }
    let log = server.log.text();
    assert!(!log.contains("hunter2"), "{log}");
    let settings: Vec<String> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
        .filter(|line| {
            line["fields"]["message"]
                .as_str()
                .is_some_and(|text| text.starts_with("refused"))
        })
        .map(|line| line["fields"]["setting"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(
        settings,
        ["http.allowed_hosts", "http.token, http.tokens"],
        "{log}"
    );
    Ok(())
}

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

/// E12: beyond its rate, a client gets 429 with the delay in header and body; other clients are served as
/// before.
async fn rate() -> Result<(), Failed> {
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_LIMIT_LOOPBACK", "true"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_PER_MINUTE", "6"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_BURST", "5"),
    ])
    .await;
    for _ in 0..5 {
        assert_eq!(server.send("POST", "/mcp", &[], &ping()).await.status, 200);
    }
    let refused = server.send("POST", "/mcp", &[], &ping()).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let seconds: u64 = refused.header("retry-after").parse().expect("whole seconds");
    assert!((1..=10).contains(&seconds), "{refused:?}");
    let error = &refused.json()["error"];
    assert_eq!(error["data"]["retry_after_s"], seconds, "{error}");
    assert!(error["code"].is_i64() && error["message"].is_string(), "{error}");
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    // On macOS 127.0.0.2 is not configured by default.
    if cfg!(not(target_os = "macos")) {
        let socket = TcpSocket::new_v4()?;
        socket.bind("127.0.0.2:0".parse().expect("an address"))?;
        let mut other = socket.connect(server.address).await?;
        let message = request(server.address, "POST", "/mcp", &[], &ping());
        other.write_all(message.as_bytes()).await?;
        assert_eq!(Answer::read(&mut other).await.status, 200, "another client");
    }
    Ok(())
}

/// By default, programs on this machine are not limited.
async fn this_machine() -> Result<(), Failed> {
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_PER_MINUTE", "1"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_BURST", "1"),
    ])
    .await;
    for _ in 0..10 {
        assert_eq!(server.send("POST", "/mcp", &[], &ping()).await.status, 200);
    }
    Ok(())
}

/// Requests to a source are counted by host, and cache hits are not counted as requests. E14: made-up tool
/// names add no series.
async fn figures() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_HTTP_METRICS", "true"),
    ])
    .await;
    for _ in 0..3 {
        let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
        let answer = server.ask(LEGACY[3], "tools/call", params).await;
        assert_eq!(answer["result"]["isError"], Value::from(false), "{answer}");
    }
    assert_eq!(upstream.requests().len(), 1);
    let before = server.send("GET", "/metrics", &[], "").await;
    assert_eq!(before.status, 200);
    assert_eq!(before.header("content-type"), "text/plain; version=0.0.4");
    for line in [
        r#"freshcontext_calls_total{outcome="ok",tool="extract_hackernews"} 3"#,
        r#"freshcontext_call_duration_seconds_count{tool="extract_hackernews"} 3"#,
        r#"freshcontext_upstream_requests_total{host="hn.algolia.com",result="ok"} 1"#,
        r#"freshcontext_cache_answers_total{result="hit"} 2"#,
        r#"freshcontext_cache_answers_total{result="miss"} 1"#,
        "freshcontext_calls_in_flight 0",
    ] {
        assert!(
            before.body.lines().any(|known| known == line),
            "{line}\n{}",
            before.body
        );
    }
    for at in 0..300 {
        let params = json!({"name": format!("made_up_{at}"), "arguments": {}});
        server.ask(LEGACY[3], "tools/call", params).await;
    }
    let after = server.send("GET", "/metrics", &[], "").await;
    assert_eq!(series(&after.body), series(&before.body));
    assert!(
        after
            .body
            .contains(r#"freshcontext_calls_total{outcome="unknown_tool",tool="other"} 300"#)
    );
    Ok(())
}

/// Returns the names of all series, with their labels.
fn series(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect()
}
