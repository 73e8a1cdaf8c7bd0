//! The HTTP service on a loopback port, tested byte by byte.

mod details;
mod figures;
mod pace;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_contract::Limits;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{Interfaces, Rest, serve_until};
use freshcontext_config::{HttpSettings, Secret};
use freshcontext_echo::{Silent, counted_engine, engine_with, settings, until};
use freshcontext_mcp::McpServer;

struct Running {
    address: SocketAddr,
    upstream: Arc<Silent>,
    stop: Arc<Notify>,
    stop_now: Arc<Notify>,
    task: JoinHandle<()>,
}

async fn start(http: HttpSettings, limits: Limits) -> Running {
    let (engine, upstream, metrics) = if http.serves_metrics() {
        counted_engine(&settings())
    } else {
        let (engine, upstream) = engine_with(&settings());
        (engine, upstream, None)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stop_now) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let signals = (Arc::clone(&stop), Arc::clone(&stop_now));
    let task = tokio::spawn(async move {
        let mcp = McpServer::new(Arc::clone(&engine));
        let rest = Rest::new(engine, mcp.clone(), |_| Vec::new());
        let interfaces = Interfaces {
            mcp,
            rest: Some(Arc::new(rest)),
            metrics,
            replicas: None,
            oauth: None,
            tokens: None,
            ending: CancellationToken::new(),
        };
        let (first, second) = (signals.0.notified(), signals.1.notified());
        serve_until(interfaces, listener, &http, &limits, first, second).await;
    });
    Running {
        address,
        upstream,
        stop,
        stop_now,
        task,
    }
}

fn post(body: &str, extra: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n{extra}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn get(path: &str, extra: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{extra}\r\n")
}

/// Returns the status code of a response.
fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_default()
}

/// Returns a header of a response, empty if absent.
fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    head.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map_or("", |(_, value)| value)
}

/// Returns the body of a response.
fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}

fn tool_call(url: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"extract_echo","arguments":{{"url":"{url}"}}}}}}"#
    )
}

async fn ask(address: SocketAddr, request: &str) -> String {
    let stream = TcpStream::connect(address).await.unwrap();
    ask_on(stream, request).await
}

async fn ask_on(mut stream: TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_call_is_answered_and_mistakes_get_their_status() {
    let running = start(HttpSettings::default(), Limits::DEFAULT).await;
    let answer = ask(running.address, &post(&tool_call("rust"), "")).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("Result for rust"), "{answer}");
    for (body, status, code) in [
        ("{oops", "400", "-32700"),
        ("[]", "400", "-32600"),
        (r#"{"id":1}"#, "400", "-32600"),
    ] {
        let answer = ask(running.address, &post(body, "")).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(code),
            "{body}: {answer}"
        );
    }
    let bad_host = post(&tool_call("rust"), "").replace("localhost", "evil.example");
    assert!(ask(running.address, &bad_host).await.starts_with("HTTP/1.1 403"));
    let bad_origin = post(&tool_call("rust"), "Origin: https://evil.example\r\n");
    assert!(
        ask(running.address, &bad_origin)
            .await
            .starts_with("HTTP/1.1 403")
    );
    let get = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = ask(running.address, get).await;
    assert!(
        answer.starts_with("HTTP/1.1 405") && answer.contains("allow: POST"),
        "{answer}"
    );
    let both = post("{}", "Transfer-Encoding: chunked\r\n");
    assert!(ask(running.address, &both).await.starts_with("HTTP/1.1 400"));
    let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert!(ask(running.address, health).await.ends_with("ok\n"));
}

#[tokio::test]
async fn a_token_is_needed_everywhere_but_for_health() {
    let http = HttpSettings {
        token: Some(Secret::new("correct-horse")),
        ..HttpSettings::default()
    };
    let running = start(http, Limits::DEFAULT).await;
    let without = ask(running.address, &post(&tool_call("rust"), "")).await;
    assert!(without.starts_with("HTTP/1.1 401"), "{without}");
    assert!(
        without.contains("www-authenticate: Bearer") && !without.contains("resource_metadata"),
        "{without}"
    );
    let in_query = post(&tool_call("rust"), "").replace("/mcp ", "/mcp?access_token=correct-horse ");
    assert!(ask(running.address, &in_query).await.starts_with("HTTP/1.1 401"));
    let with = post(&tool_call("rust"), "Authorization: Bearer correct-horse\r\n");
    assert!(ask(running.address, &with).await.starts_with("HTTP/1.1 200"));
    let foreign = with.replace("localhost", "evil.example");
    assert!(
        ask(running.address, &foreign).await.starts_with("HTTP/1.1 403"),
        "a token does not excuse the host"
    );
}

#[tokio::test]
async fn too_many_connections_are_turned_away_and_places_come_back() {
    let limits = Limits {
        inbound_connections_per_peer: 2,
        ..Limits::DEFAULT
    };
    let http = HttpSettings {
        limit_loopback: true,
        ..HttpSettings::default()
    };
    let running = start(http, limits).await;
    let first = TcpStream::connect(running.address).await.unwrap();
    let _second = TcpStream::connect(running.address).await.unwrap();
    let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert!(ask(running.address, health).await.ends_with("ok\n"));
    let ping = post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "");
    let answer = ask(running.address, &ping).await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert_eq!(header(&answer, "retry-after"), "1");
    drop(first);
    // The server notices it shortly afterwards.
    let served = async {
        while status(&ask(running.address, &ping).await) != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), served)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_ends_its_call() {
    let running = start(HttpSettings::default(), Limits::DEFAULT).await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream
        .write_all(post(&tool_call("hang"), "").as_bytes())
        .await
        .unwrap();
    let upstream = Arc::clone(&running.upstream);
    until(|| upstream.asked.load(Ordering::SeqCst) == 1).await;
    drop(stream);
    until(|| upstream.dropped.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn a_signal_lets_running_calls_finish_and_a_second_one_does_not() {
    let running = start(HttpSettings::default(), Limits::DEFAULT).await;
    let hanging = tokio::spawn(async move { ask(running.address, &post(&tool_call("hang"), "")).await });
    let upstream = Arc::clone(&running.upstream);
    until(|| upstream.asked.load(Ordering::SeqCst) == 1).await;
    running.stop.notify_one();
    let refused = async {
        while TcpStream::connect(running.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), refused)
        .await
        .unwrap();
    assert!(!running.task.is_finished(), "a call is still running");
    running.stop_now.notify_one();
    tokio::time::timeout(Duration::from_secs(5), running.task)
        .await
        .unwrap()
        .unwrap();
    hanging.abort();
}

#[tokio::test]
async fn draining_ends_as_soon_as_the_last_call_is_answered() {
    let running = start(HttpSettings::default(), Limits::DEFAULT).await;
    // An idle connection must not delay the drain.
    let _idle = TcpStream::connect(running.address).await.unwrap();
    assert!(
        ask(running.address, &post(&tool_call("rust"), ""))
            .await
            .starts_with("HTTP/1.1 200")
    );
    running.stop.notify_one();
    tokio::time::timeout(Duration::from_secs(5), running.task)
        .await
        .unwrap()
        .unwrap();
}
