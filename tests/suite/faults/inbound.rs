//! Groups D and E: clients of the HTTP service that are odd, slow, many, or leave.

use std::time::{Duration, Instant};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::composites::landscape;
use crate::process::{LEGACY, MODERN, PATIENCE, Session, command, finish};
use crate::run::block_on;
use crate::verdict;
use crate::wire::{HttpServer, request, rpc, until, version_headers};

/// Connections with slow heads.
const SLOW: usize = 1_000;
/// Clients that leave.
const LEAVING: usize = 1_000;
/// Descriptors that may differ for other reasons: a connection that is just closing.
const SLACK: usize = 4;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("faults::posted_messages", || block_on(posted())),
        Trial::test("faults::a_thousand_slow_heads", || block_on(slow_heads())),
        Trial::test("faults::clients_of_http2", || block_on(http2())),
        Trial::test("faults::loopback_by_default", || block_on(loopback())),
        Trial::test("faults::every_tool_only_reads", || block_on(only_reads())),
    ];
    if cfg!(target_os = "linux") {
        trials.push(Trial::test("faults::leaving_in_the_middle", || {
            block_on(leaving())
        }));
    }
    trials
}

/// D01, D03 and D04 over HTTP: bytes that are no message, batches, and ids at the edges.
async fn posted() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let ping = |id: &Value| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let post = async |body: &[u8]| {
        let length = body.len().to_string();
        let head = request(server.address, "POST", "/mcp", &[("Content-Length", &length)], "");
        server.raw([head.as_bytes(), body].concat()).await
    };
    let mut complaints = Vec::new();
    let whole = ping(&json!(1)).to_string();
    for (what, body) in [
        (
            "invalid UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(),
        ),
        ("half a message", whole.as_bytes()[..whole.len() / 2].to_vec()),
        (
            "a lone surrogate",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}".to_vec(),
        ),
        ("two messages", format!("{whole}\n{whole}").into_bytes()),
        ("a nested batch", format!("[[{whole}]]").into_bytes()),
        (
            "a large batch",
            format!("[{whole}{}]", format!(",{whole}").repeat(9_999)).into_bytes(),
        ),
    ] {
        let answer = post(&body).await;
        let code = answer.json()["error"]["code"].as_i64().unwrap_or_default();
        let is_refused = answer.status == 400 && [-32_700, -32_600].contains(&code);
        if !is_refused {
            complaints.push(format!("{what}: {} {:.200}", answer.status, answer.body));
        }
    }
    let answer = post(format!("\u{feff}{whole}").as_bytes()).await;
    if answer.status != 200 || answer.json()["id"] != 1 {
        complaints.push(format!("a mark: {} {:.200}", answer.status, answer.body));
    }
    // The same code as over stdio, whether or not the string is read.
    for body in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}"[..],
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"aside\":\"\xff\"}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}",
    ] {
        let answer = post(body).await;
        let said = answer.json();
        if answer.status != 400 || said["error"]["code"] != -32_700 {
            let body = String::from_utf8_lossy(body);
            complaints.push(format!("unreadable characters, {body}: {} {said}", answer.status));
        }
    }
    let answer = post(format!("\r\n  {whole}\r\n\r\n").as_bytes()).await;
    if answer.status != 200 || answer.json()["id"] != 1 {
        complaints.push(format!(
            "other ends of lines: {} {:.200}",
            answer.status, answer.body
        ));
    }
    for id in [
        json!(0),
        json!(-1),
        json!(""),
        json!(9_007_199_254_740_993_i64),
        json!("x".repeat(1 << 20)),
    ] {
        let answer = post(ping(&id).to_string().as_bytes()).await;
        let said = answer.json();
        if answer.status != 200 || said["id"] != id || !said["result"].is_object() {
            complaints.push(format!("the id {id:.40}: {} {said:.200}", answer.status));
        }
    }
    for id in [Value::Null, json!(1.5), json!([1]), json!(true)] {
        let answer = post(ping(&id).to_string().as_bytes()).await;
        let said = answer.json();
        if answer.status != 400 || said["error"]["code"] != -32_600 || !said["id"].is_null() {
            complaints.push(format!("the id {id}: {} {said}", answer.status));
        }
    }
    server.ask(MODERN, "tools/list", json!({})).await;
    verdict(complaints)
}

/// E01: a thousand heads that do not end are closed at their time, and others are served meanwhile.
async fn slow_heads() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_LIMIT_INBOUND_HEADER_MS", "3000")]).await;
    let began = Instant::now();
    let mut slow = tokio::task::JoinSet::new();
    for at in 0..SLOW {
        let address = server.address;
        slow.spawn(async move {
            let Ok(mut stream) = tokio::net::TcpStream::connect(address).await else {
                return;
            };
            let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nX-Number: {at}");
            let _ = stream.write_all(head.as_bytes()).await;
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest).await;
        });
    }
    let mut worst = Duration::ZERO;
    for _ in 0..20 {
        let asked = Instant::now();
        let answer = server.ask(LEGACY[3], "ping", json!({})).await;
        assert_eq!(answer["result"], json!({}));
        worst = worst.max(asked.elapsed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(worst <= Duration::from_secs(2), "a call took {worst:?}");
    while let Some(closed) = tokio::time::timeout(PATIENCE, slow.join_next()).await? {
        closed?;
    }
    let all = began.elapsed();
    assert!(
        all <= Duration::from_secs(10),
        "the last was closed after {all:?}"
    );
    server.ask(MODERN, "tools/list", json!({})).await;
    Ok(())
}

/// E09: the service speaks HTTP/1.1 only. A client of HTTP/2 is refused at its first bytes, with or without a flood behind
/// them, an upgrade is not offered, and others are served.
async fn http2() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let reset = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8];
    for flood in [
        settings.to_vec(),
        [&settings[..], &reset.repeat(10_000)].concat(),
        settings.repeat(100_000),
    ] {
        let began = Instant::now();
        let answer = server.raw([&preface[..], &flood].concat()).await;
        assert!(matches!(answer.status, 0 | 400 | 505), "{answer:?}");
        assert!(began.elapsed() <= Duration::from_secs(5), "{:?}", began.elapsed());
        server.ask(MODERN, "tools/list", json!({})).await;
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let headers = [
        ("Connection", "Upgrade, HTTP2-Settings"),
        ("Upgrade", "h2c"),
        ("HTTP2-Settings", "AAMAAABkAAQAAP__"),
    ];
    let bytes = request(server.address, "POST", "/mcp", &headers, &ping);
    let mut stream = server.connect().await;
    stream.write_all(bytes.as_bytes()).await?;
    let mut first = [0; 12];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut first)).await??;
    let first = String::from_utf8_lossy(&first).into_owned();
    assert!(
        first.starts_with("HTTP/1.1 ") && !first.ends_with("101"),
        "{first}"
    );
    Ok(())
}

/// E05: without a word on it, the service listens on loopback.
async fn loopback() -> Result<(), Failed> {
    let done = finish(command(&["settings"]), "").await;
    let line = done.stdout.lines().find(|line| line.starts_with("http.addr"));
    assert!(
        line.is_some_and(|line| line.contains(" 127.0.0.1:")),
        "{line:?} of {}",
        done.stdout
    );
    Ok(())
}

/// D18: every tool is marked as one that only reads, and no description commands the model.
async fn only_reads() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let list = session.ask("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().cloned().unwrap_or_default();
    assert!(tools.len() >= 22, "{} tools", tools.len());
    let mut complaints = Vec::new();
    for tool in tools {
        let name = tool["name"].as_str().unwrap_or_default();
        if tool["annotations"]["readOnlyHint"] != true || tool["annotations"]["destructiveHint"] == true {
            complaints.push(format!("{name}: {}", tool["annotations"]));
        }
        let said = tool["description"].as_str().unwrap_or_default().to_lowercase();
        for command in [
            "ignore ",
            "you must",
            "you should",
            "always call",
            "never call",
            "important:",
            "<important",
            "system prompt",
            "do not tell",
        ] {
            if said.contains(command) {
                complaints.push(format!("{name} commands: {said}"));
            }
        }
    }
    verdict(complaints)
}

/// Open descriptors of a process.
fn descriptors(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

/// E10: clients that leave while their answer is streamed leave nothing behind.
async fn leaving() -> Result<(), Failed> {
    let (tool, arguments) = landscape()?;
    // Slow, so that every stream is open when its client leaves.
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| Reply {
        delay_ms: 2_000,
        ..crate::upstreams::ordinary(seen)
    })
    .await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_LIMIT_ATTEMPTS", "1"),
    ])
    .await;
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "t"}});
    let headers = version_headers(LEGACY[3], "tools/call", &params);
    let message = rpc(LEGACY[3], 3, "tools/call", params.clone()).to_string();
    let bytes = request(server.address, "POST", "/mcp", &headers, &message);
    server.ask(MODERN, "tools/list", json!({})).await;
    let leave = async || {
        let mut stream = server.connect().await;
        stream.write_all(bytes.as_bytes()).await?;
        // Some have read the head, and some nothing.
        let mut first = [0; 16];
        let _ = tokio::time::timeout(Duration::from_millis(15), stream.read(&mut first)).await;
        Ok::<_, std::io::Error>(())
    };
    leave().await?;
    until("the first call to end", async || {
        descriptors(server.process()) < 200
    })
    .await;
    let process = server.process();
    let before = descriptors(process);
    for _ in 0..LEAVING / 20 {
        let some = (0..20).map(|_| leave());
        for left in futures_util::future::join_all(some).await {
            left?;
        }
    }
    let mut after = usize::MAX;
    let began = Instant::now();
    while after > before + SLACK && began.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(200)).await;
        after = descriptors(process);
    }
    eprintln!(
        "left in the middle: {} descriptors more",
        after.saturating_sub(before)
    );
    assert!(after <= before + SLACK, "{after} descriptors, {before} before");
    server.ask(MODERN, "tools/list", json!({})).await;
    Ok(())
}
