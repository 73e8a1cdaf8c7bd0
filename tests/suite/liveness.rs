//! Responsiveness while readers process hostile pages or hang. The only wall-clock tests; each fails only
//! after three failed attempts.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::hostile;
use crate::process::{LEGACY, MODERN, Session, command, outcome, program, signal, through};
use crate::run::block_on;
use crate::wire::{Answer, HttpServer, request, rpc, until, version_headers};

/// Maximum delay of a ping or a health check.
const AT_ONCE: Duration = Duration::from_millis(100);
const STUCK: &str = env!("CARGO_BIN_EXE_stuck-reader");

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    if !cfg!(unix) {
        return trials;
    }
    for processors in [None, Some("0")] {
        let name = |what: &str| {
            format!(
                "liveness::{what}{}",
                processors.map_or("", |_| "_on_one_processor")
            )
        };
        trials.push(Trial::test(name("hostile_pages_stdio"), move || {
            thrice(async || hostile_stdio(processors).await)
        }));
        trials.push(Trial::test(name("hostile_pages_http"), move || {
            thrice(async || hostile_http(processors).await)
        }));
        trials.push(Trial::test(name("stuck_reader_stdio"), move || {
            thrice(async || stuck_stdio(processors).await)
        }));
        trials.push(Trial::test(name("stuck_reader_http"), move || {
            thrice(async || stuck_http(processors).await)
        }));
    }
    trials
}

/// Retries up to three times, because a busy machine may exceed a time limit, which an assertion may notice
/// first. Pauses between attempts.
pub fn thrice(check: impl AsyncFn() -> Result<(), Failed>) -> Result<(), Failed> {
    block_on(async {
        for pause in [2, 8] {
            let tried = AssertUnwindSafe(check()).catch_unwind().await;
            if matches!(tried, Ok(Ok(()))) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(pause)).await;
        }
        check().await
    })
}

/// Optionally pins a command to processors.
fn tied(command: Command, processors: Option<&str>) -> Command {
    let Some(processors) = processors else {
        return command;
    };
    through("taskset", &["-c", processors], &command)
}

fn soon(what: &str, began: Instant) -> Result<(), Failed> {
    let took = began.elapsed();
    if took <= AT_ONCE {
        Ok(())
    } else {
        Err(format!("{what} took {took:?}").into())
    }
}

async fn pings(session: &mut Session) -> Result<(), Failed> {
    for _ in 0..5 {
        let began = Instant::now();
        let pong = session.ask("ping", json!({})).await;
        soon("a ping", began)?;
        assert_eq!(pong["result"], json!({}), "{pong}");
    }
    Ok(())
}

/// Cancels a call: it gets no response, and a ping does.
async fn cancelled(session: &mut Session, id: i64) -> Result<(), Failed> {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    session.send(&note).await;
    pings(session).await
}

/// Ends the server by a signal: open calls get an error at once, and it exits normally.
async fn ended(session: Session, open: &[i64], most: Duration) -> Result<(), Failed> {
    let began = Instant::now();
    signal(session.process(), "TERM");
    let ended = session.end().await;
    let took = began.elapsed();
    assert_eq!(ended.status.code(), Some(0));
    for id in open {
        let told = ended.messages.iter().find(|message| message["id"] == *id);
        let told = told.ok_or("an open call got no answer")?;
        assert_eq!(told["error"]["code"], -32000, "{told}");
    }
    if took > most {
        return Err(format!("it took {took:?} to leave").into());
    }
    Ok(())
}

/// Two hostile pages at once, of every kind.
async fn hostile_stdio(processors: Option<&str>) -> Result<(), Failed> {
    for piece in 0..hostile::PIECES.len() {
        let upstream = hostile::Apart::start().await;
        let mut command = command(&["stdio"]);
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base));
        let mut session = Session::open(tied(command, processors), LEGACY[3]).await;
        let mut open = Vec::new();
        for (tool, arguments) in hostile::calls(piece) {
            open.push(
                session
                    .request("tools/call", json!({"name": tool, "arguments": arguments}))
                    .await,
            );
        }
        until("the requests upstream", async || upstream.asked() >= 2).await;
        // Responses may arrive as well, in any order.
        for _ in 0..5 {
            tokio::time::sleep(Duration::from_millis(40)).await;
            let began = Instant::now();
            let id = session.request("ping", json!({})).await;
            let came = session.until(id).await;
            soon("a ping", began)?;
            open.retain(|id| came.iter().all(|message| message["id"] != *id));
        }
        let began = Instant::now();
        signal(session.process(), "TERM");
        let ended = session.end().await;
        let took = began.elapsed();
        assert_eq!(ended.status.code(), Some(0));
        for id in open {
            assert!(
                ended.messages.iter().any(|message| message["id"] == id),
                "{id} got no answer"
            );
        }
        if took > Duration::from_millis(500) {
            return Err(format!("it took {took:?} to leave").into());
        }
    }
    Ok(())
}

async fn hostile_http(processors: Option<&str>) -> Result<(), Failed> {
    let upstream = hostile::Apart::start().await;
    let mut command = command(&["http", "--addr", "127.0.0.1:0"]);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base))
        .env("FRESHCONTEXT_LIMIT_DRAIN_MS", "1000");
    let mut server = HttpServer::of(tied(command, processors)).await;
    let mut calls = Vec::new();
    for piece in 0..3 {
        for (tool, arguments) in hostile::calls(piece) {
            calls.push(asked(&server, &json!({"name": tool, "arguments": arguments})).await?);
        }
    }
    until("the requests upstream", async || upstream.asked() >= 2).await;
    for _ in 0..10 {
        healthy(&server).await?;
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    let began = Instant::now();
    signal(server.process(), "TERM");
    let status = tokio::time::timeout(Duration::from_secs(5), server.child.wait()).await??;
    assert_eq!(status.code(), Some(0));
    if began.elapsed() > Duration::from_millis(1_500) {
        return Err(format!("it took {:?} to leave", began.elapsed()).into());
    }
    for mut call in calls {
        let answer = Answer::read(&mut call).await.json();
        assert!(
            answer["result"].is_object() || answer["error"]["code"] == -32000,
            "{answer}"
        );
    }
    Ok(())
}

async fn healthy(server: &HttpServer) -> Result<(), Failed> {
    let began = Instant::now();
    let answer = server.send("GET", "/healthz", &[], "").await;
    soon("/healthz", began)?;
    assert_eq!(answer.status, 200);
    Ok(())
}

/// Sends a call without reading the response.
async fn asked(server: &HttpServer, params: &Value) -> Result<tokio::net::TcpStream, Failed> {
    use tokio::io::AsyncWriteExt as _;
    let mut stream = server.connect().await;
    let message = rpc(MODERN, 9, "tools/call", params.clone()).to_string();
    let headers = version_headers(MODERN, "tools/call", params);
    let bytes = request(server.address, "POST", "/mcp", &headers, &message);
    stream.write_all(bytes.as_bytes()).await?;
    Ok(stream)
}

/// The only reader thread hangs forever: its call ends at its deadline, all others get an error, and nothing
/// else is late.
async fn stuck_stdio(processors: Option<&str>) -> Result<(), Failed> {
    let mut session = Session::open(tied(program(STUCK, &["stdio"]), processors), LEGACY[3]).await;
    let stuck = json!({"name": "extract_stuck", "arguments": {"url": "stuck"}});
    let fine = json!({"name": "extract_stuck", "arguments": {"url": "rust"}});
    let first = session.ask("tools/call", fine.clone()).await;
    if outcome(&first).is_error {
        // Late on a busy machine: retried like every wall-clock test.
        return Err(first.to_string().into());
    }
    let id = session.request("tools/call", stuck.clone()).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    pings(&mut session).await?;
    cancelled(&mut session, id).await?;
    let began = Instant::now();
    let refused = session.ask("tools/call", fine).await;
    assert_eq!(outcome(&refused).code(), "overloaded", "{refused}");
    if began.elapsed() > Duration::from_millis(800) {
        return Err(format!("overloaded took {:?}", began.elapsed()).into());
    }
    pings(&mut session).await?;
    let open = session.request("tools/call", stuck).await;
    ended(session, &[open], Duration::from_millis(500)).await
}

async fn stuck_http(processors: Option<&str>) -> Result<(), Failed> {
    let mut server = HttpServer::of(tied(program(STUCK, &["http"]), processors)).await;
    let stuck = json!({"name": "extract_stuck", "arguments": {"url": "stuck"}});
    let mut first = asked(&server, &stuck).await?;
    let began = Instant::now();
    tokio::time::sleep(Duration::from_millis(100)).await;
    for _ in 0..5 {
        healthy(&server).await?;
    }
    let late = Answer::read(&mut first).await.json();
    assert_eq!(outcome(&late).code(), "timeout", "{late}");
    if began.elapsed() > Duration::from_millis(2_800) {
        return Err(format!("a deadline of 2 s took {:?}", began.elapsed()).into());
    }
    let mut second = asked(&server, &stuck).await?;
    let refused = Answer::read(&mut second).await.json();
    assert_eq!(outcome(&refused).code(), "overloaded", "{refused}");

    // Another server, whose call still hangs at the end of the drain time.
    let mut server_two = HttpServer::of(tied(program(STUCK, &["http"]), processors)).await;
    let mut hanging = asked(&server_two, &stuck).await?;
    tokio::time::sleep(Duration::from_millis(100)).await;
    healthy(&server_two).await?;
    let began = Instant::now();
    for server in [&mut server, &mut server_two] {
        signal(server.process(), "TERM");
    }
    let told = Answer::read(&mut hanging).await;
    assert_eq!(told.status, 503, "{}", told.body);
    let told = told.json();
    assert_eq!(
        (&told["id"], &told["error"]["code"]),
        (&json!(9), &json!(-32000)),
        "{told}"
    );
    for server in [&mut server, &mut server_two] {
        let status = tokio::time::timeout(Duration::from_secs(5), server.child.wait()).await??;
        assert_eq!(status.code(), Some(0));
    }
    if began.elapsed() > Duration::from_millis(1_400) {
        return Err(format!("it took {:?} to leave", began.elapsed()).into());
    }
    Ok(())
}
