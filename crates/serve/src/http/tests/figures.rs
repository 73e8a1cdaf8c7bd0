//! `GET /metrics`: its counts, its access control, and its bounded number of series.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use freshcontext_contract::Limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{ask, body, get, header, post, start, status, tool_call, until};
use freshcontext_config::{HttpSettings, Secret};

fn counted() -> HttpSettings {
    HttpSettings {
        metrics: true,
        ..HttpSettings::default()
    }
}

/// Parses every series with its value, as a scraper does.
async fn figures(address: SocketAddr) -> BTreeMap<String, String> {
    let answer = ask(address, &get("/metrics", "")).await;
    assert_eq!(status(&answer), 200, "{answer}");
    assert_eq!(header(&answer, "content-type"), "text/plain; version=0.0.4");
    let mut series = BTreeMap::new();
    let mut typed = Vec::new();
    for line in body(&answer).lines() {
        if let Some(about) = line.strip_prefix("# TYPE ") {
            typed.push(about.split(' ').next().unwrap().to_owned());
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("freshcontext_"), "{line}");
            assert!(
                typed.iter().any(|known| name.starts_with(known.as_str())),
                "{line}"
            );
            assert!(value.parse::<f64>().is_ok_and(|value| value >= 0.0), "{line}");
            let again = series.insert(name.to_owned(), value.to_owned());
            assert_eq!(again, None, "{line}");
        }
    }
    series
}

#[tokio::test]
async fn there_are_no_figures_unless_the_operator_wants_them_and_none_without_the_token() {
    let running = start(HttpSettings::default(), Limits::DEFAULT).await;
    assert_eq!(status(&ask(running.address, &get("/metrics", "")).await), 404);

    let http = HttpSettings {
        token: Some(Secret::new("right-token")),
        ..counted()
    };
    let running = start(http, Limits::DEFAULT).await;
    let without = ask(running.address, &get("/metrics", "")).await;
    assert_eq!(status(&without), 401);
    assert!(!without.contains("freshcontext_calls"), "{without}");
    let right = get("/metrics", "Authorization: Bearer right-token\r\n");
    assert_eq!(status(&ask(running.address, &right).await), 200);
    let foreign = right.replace("localhost", "evil.example");
    assert_eq!(status(&ask(running.address, &foreign).await), 403);
    let posted = right.replace("GET", "POST");
    assert_eq!(status(&ask(running.address, &posted).await), 405);
}

#[tokio::test]
async fn calls_are_counted_by_tool_and_outcome_with_their_time() {
    let running = start(counted(), Limits::DEFAULT).await;
    let address = running.address;
    let before = figures(address).await;
    assert_eq!(
        before[r#"freshcontext_calls_total{outcome="ok",tool="extract_echo"}"#],
        "0"
    );
    assert_eq!(
        before[&format!(
            r#"freshcontext_build_info{{version="{}"}}"#,
            env!("CARGO_PKG_VERSION")
        )],
        "1"
    );
    for word in ["rust", "rust", "fail", "panic", ""] {
        assert_eq!(status(&ask(address, &post(&tool_call(word), "")).await), 200);
    }
    let no_argument = tool_call("rust").replace("url", "colour");
    ask(address, &post(&no_argument, "")).await;
    // A composite whose sections all failed.
    let nothing = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"extract_both","arguments":{"first":{"url":"fail"},"second":{"url":"fail"}}}}"#;
    ask(address, &post(nothing, "")).await;
    let after = figures(address).await;
    let calls = |tool: &str, outcome: &str| {
        let name = format!(r#"freshcontext_calls_total{{outcome="{outcome}",tool="{tool}"}}"#);
        after.get(&name).map_or("none", String::as_str).to_owned()
    };
    assert_eq!(calls("extract_echo", "ok"), "2", "{after:#?}");
    assert_eq!(calls("extract_echo", "upstream_error"), "1");
    assert_eq!(calls("extract_echo", "internal"), "1");
    assert_eq!(calls("extract_echo", "invalid_input"), "2");
    assert_eq!(calls("extract_both", "upstream_error"), "1", "{after:#?}");
    assert_eq!(calls("extract_other", "ok"), "0");
    let times = |part: &str| after[&format!("freshcontext_call_duration_seconds_{part}")].as_str();
    assert_eq!(times(r#"count{tool="extract_echo"}"#), "6");
    assert_eq!(times(r#"bucket{tool="extract_echo",le="+Inf"}"#), "6");
    assert_eq!(times(r#"count{tool="evaluate_context"}"#), "0");
    assert_eq!(after["freshcontext_calls_in_flight"], "0");
}

#[tokio::test]
async fn what_is_under_way_and_what_its_caller_leaves_is_counted() {
    let running = start(counted(), Limits::DEFAULT).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream
        .write_all(post(&tool_call("hang"), "").as_bytes())
        .await
        .unwrap();
    let upstream = Arc::clone(&running.upstream);
    until(|| upstream.asked.load(Ordering::SeqCst) == 1).await;
    let during = figures(running.address).await;
    assert_eq!(during["freshcontext_calls_in_flight"], "1");
    assert_eq!(during["freshcontext_http_connections"], "2");
    drop(stream);
    until(|| upstream.dropped.load(Ordering::SeqCst) == 1).await;
    let mut after = figures(running.address).await;
    while after["freshcontext_calls_in_flight"] != "0" || after["freshcontext_http_connections"] != "1" {
        tokio::task::yield_now().await;
        after = figures(running.address).await;
    }
    for name in [
        r#"freshcontext_calls_total{outcome="cancelled",tool="extract_echo"}"#,
        r#"freshcontext_upstream_requests_total{host="echo.example",result="cancelled"}"#,
    ] {
        assert_eq!(
            after.get(name).map(String::as_str),
            Some("1"),
            "{name}: {after:#?}"
        );
    }
}

#[tokio::test]
async fn refusals_are_counted_by_their_reason() {
    let http = HttpSettings {
        token: Some(Secret::new("right-token")),
        limit_loopback: true,
        ..counted()
    };
    let limits = Limits {
        http_body_bytes: 500,
        inbound_connections_per_peer: 1,
        ..Limits::DEFAULT
    };
    let running = start(http, limits).await;
    let address = running.address;
    let right = "Authorization: Bearer right-token\r\n";
    let long = format!("{:600}", " ");
    let text = post("{}", right).replace("application/json\r\n", "text/plain\r\n");
    for (request, expected) in [
        (post("{}", ""), 401),
        (post("{}", right).replace("localhost", "evil.example"), 403),
        (
            post("{}", &format!("{right}Origin: https://evil.example\r\n")),
            403,
        ),
        (post(&long, right), 413),
        (post("{oops", right), 400),
        (text, 415),
        (get("/mcp", right), 405),
    ] {
        assert_eq!(status(&ask(address, &request).await), expected, "{request}");
    }
    let held = TcpStream::connect(address).await.unwrap();
    assert_eq!(status(&ask(address, &post("{}", right)).await), 503);
    drop(held);
    let request = get("/metrics", right);
    let mut answer = ask(address, &request).await;
    while status(&answer) != 200 {
        tokio::task::yield_now().await;
        answer = ask(address, &request).await;
    }
    for (reason, count) in [
        ("token", 1),
        ("host", 1),
        ("origin", 1),
        ("body_too_large", 1),
        ("protocol", 3),
        ("rate_limit", 0),
        ("busy", 0),
    ] {
        let line = format!("freshcontext_refused_total{{reason=\"{reason}\"}} {count}\n");
        assert!(answer.contains(&line), "{line}{answer}");
    }
    let none = "freshcontext_refused_total{reason=\"connections\"} 0\n";
    assert!(!answer.contains(none), "{answer}");
}

/// E14: tool names made up by callers do not become labels.
#[tokio::test]
async fn ten_thousand_made_up_tools_add_no_series() {
    const NAMES: usize = 10_000;
    let running = start(counted(), Limits::DEFAULT).await;
    let names = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
    let before = figures(running.address).await;
    let (mut reading, mut writing) = TcpStream::connect(running.address).await.unwrap().into_split();
    let flood = tokio::spawn(async move {
        for at in 0..NAMES {
            let call = tool_call("rust").replace("extract_echo", &format!("made_up_{at}"));
            let mut request = post(&call, "");
            if at + 1 < NAMES {
                request = request.replace("Connection: close\r\n", "");
            }
            writing.write_all(request.as_bytes()).await.unwrap();
        }
        writing
    });
    let mut answers = String::new();
    reading.read_to_string(&mut answers).await.unwrap();
    flood.await.unwrap();
    assert_eq!(answers.matches("Unknown tool: made_up_").count(), NAMES);
    let after = figures(running.address).await;
    assert_eq!(names(&after), names(&before));
    assert_eq!(
        after[r#"freshcontext_calls_total{outcome="unknown_tool",tool="other"}"#],
        "10000"
    );
    assert!(!names(&after).iter().any(|name| name.contains("made_up")));
}
