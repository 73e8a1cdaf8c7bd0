//! Access to the HTTP service, and its timeouts: group E of the fault matrix.

mod hosting;
mod live;
mod operator;
mod rotation;
mod sharing;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use freshcontext_testkit::{ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::process::{LEGACY, MODERN, PATIENCE, outcome, signal};
use crate::run::block_on;
use crate::upstreams::{Stalled, ordinary};
use crate::verdict;
use crate::wire::{Answer, HttpServer, request, rpc, until, version_headers};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("http::host_and_origin", || block_on(host_and_origin())),
        Trial::test("http::token", || block_on(token())),
        Trial::test("http::large_and_slow_bodies", || block_on(bodies())),
        Trial::test("http::ambiguous_heads", || block_on(ambiguous_heads())),
        Trial::test("http::dribbled_headers", || block_on(slowloris())),
        Trial::test("http::connections_of_one_peer", || block_on(connections())),
    ];
    trials.extend(operator::trials());
    trials.extend(live::trials());
    trials.extend(rotation::trials());
    trials.extend(hosting::trials());
    trials.extend(sharing::trials());
    if cfg!(unix) {
        trials.push(Trial::test("http::drain", || block_on(drain())));
    }
    trials
}

/// E04: Host and Origin are checked on every method and path, even with a valid token.
async fn host_and_origin() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_HTTP_TOKEN", "right-token")]).await;
    let right = ("Authorization", "Bearer right-token");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let mut complaints = Vec::new();
    let port = server.address.port();
    let local = [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "localhost".to_owned(),
    ];
    for host in &local {
        let answer = server.send("POST", "/mcp", &[("Host", host), right], &ping).await;
        if answer.status != 200 {
            complaints.push(format!("Host {host}: {}", answer.status));
        }
    }
    for origin in ["http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:8080"] {
        let answer = server
            .send("POST", "/mcp", &[("Origin", origin), right], &ping)
            .await;
        if answer.status != 200 {
            complaints.push(format!("Origin {origin}: {}", answer.status));
        }
    }
    let bad = [
        ("Host", "evil.test"),
        ("Host", "127.0.0.1.evil.test"),
        ("Host", "localhost.evil.test"),
        ("Host", "127.0.0.1:80:80"),
        ("Host", "user@127.0.0.1"),
        ("Host", "0.0.0.0"),
        ("Host", "169.254.169.254"),
        ("Origin", "https://evil.test"),
        ("Origin", "null"),
        ("Origin", "http://localhost.evil.test"),
        ("Origin", "file://"),
    ];
    for header in bad {
        for (method, path) in [
            ("POST", "/mcp"),
            ("GET", "/mcp"),
            ("OPTIONS", "/mcp"),
            ("DELETE", "/mcp"),
            ("GET", "/healthz"),
            ("GET", "/none"),
        ] {
            // A supervisor connects by address; its response is the same for all callers.
            let expected = if (header.0, path) == ("Host", "/healthz") {
                200
            } else {
                403
            };
            let answer = server.send(method, path, &[header, right], &ping).await;
            if answer.status != expected {
                complaints.push(format!("{header:?} {method} {path}: {}", answer.status));
            }
        }
    }
    for (what, head) in [
        ("no Host", "POST /mcp HTTP/1.1\r\n".to_owned()),
        (
            "two Hosts",
            format!("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.test\r\n"),
        ),
        (
            "a Host twice",
            format!("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"),
        ),
        (
            "another authority",
            format!("POST http://evil.test/mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"),
        ),
    ] {
        let rest = format!(
            "Connection: close\r\nAuthorization: Bearer right-token\r\nContent-Type: application/json\r\n\
            Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{ping}",
            ping.len()
        );
        let answer = server.raw(format!("{head}{rest}")).await;
        if !matches!(answer.status, 400 | 403) {
            complaints.push(format!("{what}: {}", answer.status));
        }
    }
    verdict(complaints)
}

/// E06: a missing or wrong token gets 401 with a challenge, and no work is done.
async fn token() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_HTTP_TOKEN", "right-token")]).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let mut complaints = Vec::new();
    let long = format!("Bearer {}", "x".repeat(16 << 10));
    let huge = format!("Bearer {}", "x".repeat(1 << 20));
    for value in [
        "",
        "Bearer",
        "Bearer wrong",
        "Bearer right-token2",
        "Bearer right-toke",
        "Basic right-token",
        "right-token",
        "Bearer right token",
        &long,
    ] {
        let answer = server
            .send("POST", "/mcp", &[("Authorization", value)], &ping)
            .await;
        let challenge = answer.header("www-authenticate");
        // No login server is configured, so there is no metadata to point to.
        if answer.status != 401
            || !challenge.starts_with("Bearer")
            || challenge.contains("resource_metadata=")
        {
            let shown: String = value.chars().take(40).collect();
            complaints.push(format!("{shown:?}: {} {challenge:?}", answer.status));
        }
    }
    let answer = server
        .send("POST", "/mcp", &[("Authorization", &huge)], &ping)
        .await;
    if !matches!(answer.status, 0 | 401 | 431) {
        complaints.push(format!("a token of 1 MiB: {}", answer.status));
    }
    for path in ["/mcp?token=right-token", "/mcp?access_token=right-token"] {
        let answer = server.send("POST", path, &[], &ping).await;
        if answer.status != 401 {
            complaints.push(format!("{path}: {}", answer.status));
        }
    }
    let twice = [
        ("Authorization", "Bearer right-token"),
        ("Authorization", "Bearer wrong"),
    ];
    if server.send("POST", "/mcp", &twice, &ping).await.status != 401 {
        complaints.push("two Authorization headers pass".to_owned());
    }
    for value in ["Bearer right-token", "bearer right-token"] {
        let answer = server
            .send("POST", "/mcp", &[("Authorization", value)], &ping)
            .await;
        if answer.status != 200 {
            complaints.push(format!("the right token: {}", answer.status));
        }
    }
    if server.send("GET", "/healthz", &[], "").await.status != 200 {
        complaints.push("/healthz asks for a token".to_owned());
    }
    verdict(complaints)
}

/// E02: an oversized body is refused unread, a slow one times out.
async fn bodies() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_LIMIT_INBOUND_HEADER_MS", "700")]).await;
    let pad = |bytes: usize| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{{\"p\":\"{}\"}}}}",
            "x".repeat(bytes)
        )
    };
    let frame = pad(0).len();
    let most = server.send("POST", "/mcp", &[], &pad((16 << 20) - frame)).await;
    assert_eq!(most.status, 200, "a body at the limit: {}", most.body);
    let over = server
        .send("POST", "/mcp", &[], &pad((16 << 20) - frame + 1))
        .await;
    assert_eq!(over.status, 413, "{}", over.body);
    assert_eq!(over.header("connection"), "close");
    let began = Instant::now();
    let promised = server
        .send("POST", "/mcp", &[("Content-Length", "10737418240")], "{")
        .await;
    assert_eq!(promised.status, 413);
    assert!(
        began.elapsed() <= Duration::from_millis(500),
        "refused after {:?}",
        began.elapsed()
    );
    // Without a length: chunks beyond the limit.
    let mut stream = server.connect().await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await?;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..257 {
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    let chunked = Answer::read(&mut stream).await;
    assert!(matches!(chunked.status, 0 | 413), "{}", chunked.status);
    let began = Instant::now();
    let slow = server
        .send("POST", "/mcp", &[("Content-Length", "100")], "{")
        .await;
    assert_eq!(slow.status, 408, "{}", slow.body);
    assert!(
        began.elapsed() <= Duration::from_secs(3),
        "given up after {:?}",
        began.elapsed()
    );
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    Ok(())
}

/// E07: an ambiguous head gets 400, and the connection closes.
async fn ambiguous_heads() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let host = format!("Host: {}\r\n", server.address);
    let many = "X-Header: a\r\n".repeat(200);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let kinds = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let length = format!("Content-Length: {}\r\n", ping.len());
    let mut complaints = Vec::new();
    for (what, head, body) in [
        (
            "length and chunks",
            format!("{length}Transfer-Encoding: chunked\r\n"),
            "0\r\n\r\n",
        ),
        ("two lengths", format!("{length}Content-Length: 5\r\n"), ping),
        ("a negative length", "Content-Length: -1\r\n".to_owned(), ping),
        (
            "a length with a plus",
            format!("Content-Length: +{}\r\n", ping.len()),
            ping,
        ),
        ("a folded header", format!("{length}X-Folded: a\r\n b\r\n"), ping),
        (
            "an unknown coding",
            "Transfer-Encoding: xchunked\r\n".to_owned(),
            "0\r\n\r\n",
        ),
        ("a NUL in a header", format!("{length}X-Nul: a\0b\r\n"), ping),
        (
            "a space before the colon",
            format!("{length}X-Space : a\r\n"),
            ping,
        ),
        ("a bare line feed", format!("{length}X-Bare: a\n"), ping),
        ("many headers", format!("{length}{many}"), ping),
        (
            "a bad chunk size",
            "Transfer-Encoding: chunked\r\n".to_owned(),
            "xyz\r\n{}\r\n0\r\n\r\n",
        ),
    ] {
        // Without `Connection: close`, because the server must close. A second request follows in the same
        // bytes.
        let bytes =
            format!("POST /mcp HTTP/1.1\r\n{host}{kinds}{head}\r\n{body}GET /healthz HTTP/1.1\r\n{host}\r\n");
        let answer = server.raw(bytes).await;
        if !matches!(answer.status, 400 | 431) || answer.body.contains("ok\n") {
            complaints.push(format!("{what}: {} {:?}", answer.status, answer.body));
        }
    }
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    verdict(complaints)
}

/// E01: connections with slow headers are closed at the timeout; others are not affected.
async fn slowloris() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_LIMIT_INBOUND_HEADER_MS", "800")]).await;
    let mut dribbling = tokio::task::JoinSet::new();
    for at in 0..20 {
        dribbling.spawn(dribble(server.address, at));
    }
    let began = Instant::now();
    for _ in 0..10 {
        assert_eq!(
            server.ask(LEGACY[3], "ping", json!({})).await["result"],
            json!({})
        );
    }
    assert!(
        began.elapsed() <= Duration::from_secs(3),
        "ten calls took {:?}",
        began.elapsed()
    );
    let closed = tokio::time::timeout(PATIENCE, dribbling.join_all()).await?;
    for time in &closed {
        let expected = Duration::from_millis(700)..Duration::from_secs(4);
        assert!(expected.contains(time), "closed after {time:?}");
    }
    Ok(())
}

/// Sends a head byte by byte. Returns how long the server waited.
async fn dribble(address: SocketAddr, number: usize) -> Duration {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    let began = Instant::now();
    let (mut reading, mut writing) = stream.into_split();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nX-Number-{number}: ");
    let _ = writing.write_all(head.as_bytes()).await;
    let bytes = async {
        while writing.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut rest = Vec::new();
    tokio::select! {
        _ = reading.read_to_end(&mut rest) => {}
        () = bytes => {}
    }
    began.elapsed()
}

/// E03: one peer gets a limited number of connections; existing ones stay open, probes are answered, and
/// permits are released.
async fn connections() -> Result<(), Failed> {
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS_PER_PEER", "4"),
        ("FRESHCONTEXT_HTTP_LIMIT_LOOPBACK", "true"),
    ])
    .await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(server.connect().await);
    }
    let refused = server.send("POST", "/mcp", &[], &ping).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, "1"),
        "{refused:?}"
    );
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    let mut first = held.remove(0);
    first
        .write_all(request(server.address, "GET", "/healthz", &[], "").as_bytes())
        .await?;
    assert_eq!(Answer::read(&mut first).await.status, 200);
    drop(first);
    until("a free place", async || {
        server.send("POST", "/mcp", &[], &ping).await.status == 200
    })
    .await;
    Ok(())
}

/// E11: after SIGTERM new work is refused, running calls are answered, and the process exits with 0; a second
/// signal ends it at once.
async fn drain() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| {
        let mut answer = ordinary(seen);
        answer.delay_ms = 700;
        answer
    })
    .await?;
    let mut server = HttpServer::with_upstream(&upstream.base()).await;
    let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
    let message = rpc(MODERN, 1, "tools/call", params.clone()).to_string();
    let mut running = server.connect().await;
    // Kept alive on purpose: an idle connection must not delay the exit.
    let _idle = server.connect().await;
    let headers = version_headers(MODERN, "tools/call", &params);
    running
        .write_all(request(server.address, "POST", "/mcp", &headers, &message).as_bytes())
        .await?;
    until("the request upstream", async || !upstream.requests().is_empty()).await;
    signal(server.process(), "TERM");
    until("the closed door", async || {
        TcpStream::connect(server.address).await.is_err()
    })
    .await;
    let answer = Answer::read(&mut running).await;
    assert!(!outcome(&answer.json()).is_error, "{}", answer.body);
    let status = tokio::time::timeout(Duration::from_secs(3), server.child.wait()).await??;
    assert_eq!(status.code(), Some(0));

    let hanging = Stalled::start().await;
    let mut server = HttpServer::with_upstream(&hanging.base()).await;
    let mut running = server.connect().await;
    running
        .write_all(request(server.address, "POST", "/mcp", &headers, &message).as_bytes())
        .await?;
    let _half = hanging.half_answered().await;
    signal(server.process(), "TERM");
    until("the closed door", async || {
        TcpStream::connect(server.address).await.is_err()
    })
    .await;
    let began = Instant::now();
    signal(server.process(), "TERM");
    let status = tokio::time::timeout(PATIENCE, server.child.wait()).await??;
    assert_eq!(status.code(), Some(0));
    assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
    Ok(())
}
