//! Floods: messages without a response, and requests whose responses are not read.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};

use crate::memory::figure;
use crate::process::{LEGACY, MODERN, PATIENCE, command, in_revision};
use crate::run::block_on;
use crate::upstreams::Stalled;
use crate::wire::{HttpServer, request, until};

/// Maximum above an idle server, in KiB.
const PEAK: u64 = 64 << 10;
/// The same with unread tool lists.
const UNREAD_PEAK: u64 = 16 << 10;
/// Size of each flood, in MiB; `FRESHCONTEXT_FLOOD_MIB` overrides it.
const FLOOD_MIB: usize = 3;

/// Every kind of message without a response.
const KINDS: [&str; 10] = [
    "unknown",
    "initialized",
    "cancelled",
    "cancelled_by_name",
    "roots",
    "progress",
    "responses",
    "errors",
    "large",
    "mixed",
];

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let mut trials: Vec<Trial> = KINDS
        .into_iter()
        .map(|kind| {
            Trial::test(format!("floods::notifications::{kind}"), move || {
                block_on(notifications(kind))
            })
        })
        .collect();
    trials.extend([
        Trial::test("floods::asked_and_cancelled", || block_on(asked_and_cancelled())),
        Trial::test("floods::cancelled_behind_unread_lists", || {
            block_on(cancelled_behind_unread("tools/list"))
        }),
        Trial::test("floods::cancelled_behind_unread_pages", || {
            block_on(cancelled_behind_unread("resources/read"))
        }),
        Trial::test("floods::slow_reader", || block_on(slow_reader())),
        Trial::test("floods::progress_tokens", || block_on(progress_tokens())),
        Trial::test("floods::posted_notifications", || block_on(posted())),
    ]);
    trials
}

fn flood_bytes() -> usize {
    let given = std::env::var("FRESHCONTEXT_FLOOD_MIB").ok();
    given.and_then(|mib| mib.parse().ok()).unwrap_or(FLOOD_MIB) << 20
}

/// Builds a message without a response.
fn unanswered(kind: &str, number: usize) -> String {
    let note = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
    };
    match kind {
        "unknown" => r#"{"jsonrpc":"2.0","method":"x"}"#.to_owned(),
        "initialized" => r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        "cancelled" => note(
            "notifications/cancelled",
            json!({"requestId": 1_000_000 + number, "reason": "no more"}),
        ),
        "cancelled_by_name" => note(
            "notifications/cancelled",
            json!({"requestId": format!("request {number}")}),
        ),
        "roots" => r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#.to_owned(),
        "progress" => note(
            "notifications/progress",
            json!({"progressToken": format!("token {number}"), "progress": number}),
        ),
        "responses" => json!({"jsonrpc": "2.0", "id": number, "result": {"roots": []}}).to_string(),
        "errors" => {
            json!({"jsonrpc": "2.0", "id": number, "error": {"code": 1, "message": "no"}}).to_string()
        }
        "large" => {
            let words = vec!["a word"; 9_000];
            let long = "x".repeat(if number % 4 == 3 { 4 << 20 } else { 100 << 10 });
            note("notifications/x", json!({"words": words, "long": long}))
        }
        _ => unanswered(KINDS[number % (KINDS.len() - 2)], number),
    }
}

/// A session with raw pipes, opened as its revision requires.
struct Pipes {
    child: tokio::process::Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    idle: u64,
}

impl Pipes {
    async fn open(mut server: tokio::process::Command, version: &str) -> Result<Self, Failed> {
        let mut child = server.spawn()?;
        let mut input = child.stdin.take().ok_or("a pipe")?;
        let mut output = BufReader::new(child.stdout.take().ok_or("a pipe")?);
        let hello = if version == MODERN {
            json!({"jsonrpc": "2.0", "id": "hello", "method": "tools/list", "params": in_revision(MODERN, json!({}))})
        } else {
            json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {"protocolVersion": version,
                "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}}})
        };
        input.write_all(format!("{hello}\n").as_bytes()).await?;
        let mut line = String::new();
        tokio::time::timeout(PATIENCE, output.read_line(&mut line)).await??;
        let idle = figure(child.id().ok_or("a process")?, "VmHWM");
        Ok(Self {
            child,
            input,
            output,
            idle,
        })
    }

    fn process(&self) -> u32 {
        self.child.id().expect("a running process")
    }

    async fn next(&mut self) -> Result<Value, Failed> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.output.read_line(&mut line)).await??;
        if read == 0 {
            return Err("the output ended".into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    /// Returns the peak above the idle server, in KiB.
    fn above(&self) -> u64 {
        figure(self.process(), "VmHWM").saturating_sub(self.idle)
    }

    async fn end(self) -> Result<(), Failed> {
        let Self { mut child, input, .. } = self;
        drop(input);
        let status = tokio::time::timeout(PATIENCE, child.wait()).await??;
        crate::ensure(status.success(), format!("it ended with {status}"))
    }
}

/// Notifications and unsolicited responses in sequence: none is stored, and a ping between them is answered.
async fn notifications(kind: &str) -> Result<(), Failed> {
    for version in [LEGACY[3], MODERN] {
        let mut pipes = Pipes::open(command(&["stdio"]), version).await?;
        // The newest revision has no ping.
        let ask = |id: usize| {
            let method = if version == MODERN { "tools/list" } else { "ping" };
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": in_revision(version, json!({}))})
        };
        let (mut sent, mut number) = (0, 0);
        for quarter in 1..=4 {
            let mut block = String::new();
            while sent < flood_bytes() * quarter / 4 {
                block.clear();
                while block.len() < 64 << 10 {
                    block.push_str(&unanswered(kind, number));
                    block.push('\n');
                    number += 1;
                }
                pipes.input.write_all(block.as_bytes()).await?;
                sent += block.len();
            }
            let question = ask(quarter);
            pipes.input.write_all(format!("{question}\n").as_bytes()).await?;
            let answer = pipes.next().await?;
            assert_eq!(answer["id"], quarter, "{answer}");
            assert!(answer["result"].is_object(), "{answer}");
        }
        let above = pipes.above();
        eprintln!(
            "{kind} {version}: {number} messages, {} KiB, +{above} KiB",
            sent >> 10
        );
        crate::ensure(
            above <= PEAK,
            format!("{kind} {version}: {above} KiB above an idle server"),
        )?;
        pipes.end().await?;
    }
    Ok(())
}

/// Requests cancelled on the next line: they count until their work has ended, and none is answered twice.
async fn asked_and_cancelled() -> Result<(), Failed> {
    let mut pipes = Pipes::open(command(&["stdio"]), LEGACY[3]).await?;
    let mut block = String::new();
    let (mut sent, mut id) = (0, 0_usize);
    while sent < flood_bytes() {
        block.clear();
        while block.len() < 64 << 10 {
            id += 1;
            let (method, params) = match id % 3 {
                0 => ("tools/list", json!({})),
                1 => ("resources/read", json!({"uri": "ui://freshcontext/timeline"})),
                _ => (
                    "tools/call",
                    json!({"name": "evaluate_context", "arguments": {"profile": "official_docs",
                    "intent": "citation_check", "signals": [{"source": "https://example.org/", "content": "a"}]}}),
                ),
            };
            let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            let cancel =
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
            let _ = writeln!(block, "{asked}\n{cancel}");
        }
        pipes.input.write_all(block.as_bytes()).await?;
        sent += block.len();
    }
    let last = json!({"jsonrpc": "2.0", "id": "last", "method": "ping"});
    let Pipes {
        mut input,
        mut output,
        child,
        idle,
    } = pipes;
    // Requests that finished before their cancellation still have responses to read.
    let asking = tokio::spawn(async move {
        input.write_all(format!("{last}\n").as_bytes()).await?;
        Ok::<_, std::io::Error>(input)
    });
    let mut seen = HashSet::new();
    loop {
        let mut line = String::new();
        tokio::time::timeout(PATIENCE, output.read_line(&mut line)).await??;
        let answer: Value = serde_json::from_str(&line)?;
        if answer["id"] == "last" {
            break;
        }
        assert!(
            seen.insert(answer["id"].as_u64()),
            "answered twice: {}",
            answer["id"]
        );
    }
    let pipes = Pipes {
        input: asking.await??,
        output,
        child,
        idle,
    };
    let above = pipes.above();
    eprintln!("{id} asked and cancelled, {} answered, +{above} KiB", seen.len());
    crate::ensure(above <= PEAK, format!("{above} KiB above an idle server"))?;
    pipes.end().await
}

/// 1,200 unread responses, followed by the cancellation of a running call: the call ends within a
/// cancellation's time limit, memory stays bounded, and all responses arrive in the end.
async fn cancelled_behind_unread(method: &str) -> Result<(), Failed> {
    const UNREAD: usize = 1_200;
    let upstream = Stalled::start().await;
    let mut server = command(&["stdio"]);
    server
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "300000")
        .env("FRESHCONTEXT_LIMIT_IDLE_READ_MS", "300000");
    let mut pipes = Pipes::open(server, LEGACY[3]).await?;
    let call = json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call",
        "params": {"name": "extract_hackernews", "arguments": {"url": "rust"}}});
    pipes.input.write_all(format!("{call}\n").as_bytes()).await?;
    let half = upstream.half_answered().await;
    let params = if method == "resources/read" {
        json!({"uri": "ui://freshcontext/timeline"})
    } else {
        json!({})
    };
    let mut lines = String::new();
    for id in 0..UNREAD {
        let asked = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let _ = writeln!(lines, "{asked}");
    }
    pipes.input.write_all(lines.as_bytes()).await?;
    // Everything that is produced in advance has been produced.
    let (mut last, mut same) = (0, 0);
    while same < 10 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = pipes.above();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}});
    let began = Instant::now();
    pipes.input.write_all(format!("{cancel}\n").as_bytes()).await?;
    let took = Stalled::time_to_close(half).await;
    // Without the cancellation, the call would end after five minutes.
    crate::ensure(
        took <= Duration::from_secs(2),
        format!("the cancelled call went on for {took:?} ({:?})", began.elapsed()),
    )?;
    let mut seen = HashSet::new();
    while seen.len() < UNREAD {
        let answer = pipes.next().await?;
        assert!(answer["result"].is_object(), "{answer}");
        assert!(
            seen.insert(answer["id"].as_u64()),
            "answered twice: {}",
            answer["id"]
        );
    }
    assert!(!seen.contains(&None), "the cancelled call was answered");
    let above = pipes.above();
    eprintln!("{method}: {UNREAD} unread, cancelled in {took:?}, +{above} KiB");
    crate::ensure(
        above <= UNREAD_PEAK,
        format!("{method}: {above} KiB above an idle server"),
    )?;
    pipes.end().await
}

/// Requests of all kinds between notifications, with a slow reader: memory stays bounded, and every
/// uncancelled request is answered once.
async fn slow_reader() -> Result<(), Failed> {
    let pipes = Pipes::open(command(&["stdio"]), LEGACY[3]).await?;
    let (process, idle) = (pipes.process(), pipes.idle);
    let Pipes {
        mut input,
        mut output,
        mut child,
        ..
    } = pipes;
    let asked = 1_500;
    let writing = tokio::spawn(async move {
        let signals = vec![json!({"source": "https://example.org/", "content": "a"}); 60];
        for id in 0..asked {
            let (method, params) = match id % 5 {
                0 => ("tools/list", json!({})),
                1 => ("ping", json!({})),
                2 => ("resources/read", json!({"uri": "ui://freshcontext/timeline"})),
                3 => ("logging/setLevel", json!({"level": "debug"})),
                _ => (
                    "tools/call",
                    json!({"name": "evaluate_context", "arguments": {"profile": "official_docs",
                    "intent": "citation_check", "signals": signals}}),
                ),
            };
            let mut block =
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
            for at in 0..20 {
                block.push('\n');
                block.push_str(&unanswered("mixed", id * 20 + at));
            }
            // An unparsable message, which is answered without an id.
            block.push_str("\n{oops\n");
            input.write_all(block.as_bytes()).await?;
        }
        Ok::<_, std::io::Error>(input)
    });
    let mut seen = HashSet::new();
    let (mut refused, mut buffer, mut rest) = (0, vec![0; 4 << 10], Vec::new());
    let began = Instant::now();
    while seen.len() < asked || refused < asked {
        // Slow until the server has read as much as it accepts.
        if began.elapsed() < Duration::from_secs(5) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        } else {
            buffer.resize(256 << 10, 0);
        }
        let read = tokio::time::timeout(PATIENCE, output.read(&mut buffer)).await??;
        assert!(read > 0, "the output ended");
        rest.extend_from_slice(&buffer[..read]);
        let whole = rest
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        for line in rest
            .drain(..whole)
            .collect::<Vec<u8>>()
            .split(|byte| *byte == b'\n')
        {
            if line.is_empty() {
                continue;
            }
            let answer: Value = serde_json::from_slice(line)?;
            match answer["id"].as_u64() {
                Some(id) => assert!(seen.insert(id), "{id} is answered twice"),
                None => refused += 1,
            }
        }
    }
    let input = writing.await??;
    let above = figure(process, "VmHWM").saturating_sub(idle);
    eprintln!("slow reader: {asked} answered, +{above} KiB");
    crate::ensure(above <= PEAK, format!("{above} KiB above an idle server"))?;
    drop(input);
    assert!(tokio::time::timeout(PATIENCE, child.wait()).await??.success());
    Ok(())
}

/// An oversized progress token is not repeated.
async fn progress_tokens() -> Result<(), Failed> {
    let (tool, arguments) = crate::composites::landscape()?;
    let upstream = freshcontext_testkit::ScriptedUpstream::start(crate::upstreams::ordinary).await?;
    let mut server = command(&["stdio"]);
    server.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let mut pipes = Pipes::open(server, LEGACY[3]).await?;
    let mut told = 0;
    for id in 0..6 {
        let params = json!({"name": tool, "arguments": arguments,
            "_meta": {"progressToken": format!("{id}{}", "x".repeat(1 << 20))}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        pipes.input.write_all(format!("{call}\n").as_bytes()).await?;
    }
    let mut answered = 0;
    while answered < 6 {
        let message = pipes.next().await?;
        if message["method"] == "notifications/progress" {
            told += 1;
        } else {
            assert_eq!(message["result"]["isError"], false, "{message:.300}");
            answered += 1;
        }
    }
    assert_eq!(told, 0, "a token of 1 MiB was repeated {told} times");
    let above = pipes.above();
    eprintln!("progress tokens: +{above} KiB");
    crate::ensure(above <= PEAK, format!("{above} KiB above an idle server"))?;
    pipes.end().await
}

/// The same notifications over HTTP, on a few persistent connections.
async fn posted() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    server.ask(LEGACY[3], "tools/list", json!({})).await;
    let idle = figure(server.process(), "VmHWM");
    let posting: Vec<_> = (0..8)
        .map(|lane| {
            let address = server.address;
            tokio::spawn(async move {
                let mut stream = tokio::net::TcpStream::connect(address).await?;
                let (mut reading, mut writing) = stream.split();
                let sending = async {
                    for number in 0..300 {
                        let body = unanswered("mixed", lane * 300 + number);
                        let headers = [("MCP-Protocol-Version", LEGACY[3]), ("Connection", "")];
                        let asked = request(address, "POST", "/mcp", &headers, &body);
                        writing.write_all(asked.as_bytes()).await?;
                    }
                    writing.shutdown().await
                };
                let mut answers = Vec::new();
                let (sent, read) = tokio::join!(sending, reading.read_to_end(&mut answers));
                sent?;
                read?;
                let answers = String::from_utf8_lossy(&answers).into_owned();
                let taken = answers.matches("HTTP/1.1 202").count();
                // The server rejects unsolicited responses.
                Ok::<_, std::io::Error>((taken, answers.matches("HTTP/1.1 4").count()))
            })
        })
        .collect();
    let (mut taken, mut refused) = (0, 0);
    for lane in posting {
        let (of_lane, not) = tokio::time::timeout(PATIENCE, lane).await???;
        taken += of_lane;
        refused += not;
    }
    assert_eq!(
        (taken, refused),
        (1_800, 600),
        "notifications, and answers to nothing"
    );
    let above = figure(server.process(), "VmHWM").saturating_sub(idle);
    eprintln!("posted: +{above} KiB");
    crate::ensure(above <= PEAK, format!("{above} KiB above an idle server"))?;
    until("an answer", async || {
        server.send("GET", "/healthz", &[], "").await.status == 200
    })
    .await;
    Ok(())
}
