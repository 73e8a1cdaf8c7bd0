//! Tokens that are read again while the service runs.

use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::process::{command, scratch, signal};
use crate::run::block_on;
use crate::wire::{HttpServer, request, until};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("http::tokens_of_a_changed_file", || {
        block_on(changed_file())
    })];
    if cfg!(unix) {
        trials.push(Trial::test("http::tokens_at_sighup", || block_on(at_sighup())));
    }
    trials
}

/// Every token is long enough for any address, and easy to find in a log.
fn token(name: &str, version: u32) -> String {
    format!("secret-of-{name}-{version}-0123456789")
}

fn tokens(lines: &[(&str, u32)]) -> String {
    let lines = lines.iter();
    let lines: Vec<String> = lines
        .map(|(name, version)| format!("{name} = {}\n", token(name, *version)))
        .collect();
    lines.concat()
}

fn file(name: &str, text: &str) -> PathBuf {
    let file = scratch().join(format!("{name}-{}", std::process::id()));
    std::fs::write(&file, text).expect("a file of tokens");
    file
}

async fn start(file: &Path) -> HttpServer {
    let mut command = command(&["http", "--addr", "127.0.0.1:0"]);
    command.env("FRESHCONTEXT_HTTP_TOKENS_FILE", file);
    HttpServer::of(command).await
}

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

async fn status(server: &HttpServer, name: &str, version: u32) -> u16 {
    let authorization = format!("Bearer {}", token(name, version));
    let headers = [("Authorization", authorization.as_str())];
    server.send("POST", "/mcp", &headers, &ping()).await.status
}

/// Status of one more request on an open connection.
async fn status_on(stream: &mut TcpStream, server: &HttpServer, name: &str, version: u32) -> u16 {
    let authorization = format!("Bearer {}", token(name, version));
    let headers = [
        ("Authorization", authorization.as_str()),
        ("Connection", "keep-alive"),
    ];
    let message = request(server.address, "POST", "/mcp", &headers, &ping());
    stream.write_all(message.as_bytes()).await.expect("it reads");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("an answer"));
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.expect("a body");
    head.split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0)
}

/// At SIGHUP new tokens are taken and removed ones refused, also on a connection that is open. A broken file changes nothing,
/// and the log says which of both happened, without a token.
async fn at_sighup() -> Result<(), Failed> {
    let file = file("sighup", &tokens(&[("alice", 1), ("bob", 1)]));
    let server = start(&file).await;
    let mut open = server.connect().await;
    assert_eq!(status_on(&mut open, &server, "bob", 1).await, 200);
    for broken in [
        "alice is missing\n".to_owned(),
        String::new(),
        format!("{}\nalice = {}\n", tokens(&[("alice", 1)]), token("alice", 9)),
        format!("a = {0}\nb = {0}\n", token("alice", 1)),
    ] {
        let before = told(&server, "the old ones stay in force");
        std::fs::write(&file, &broken)?;
        signal(server.process(), "HUP");
        until("the log says that the old tokens stay", async || {
            told(&server, "the old ones stay in force") > before
        })
        .await;
        assert_eq!(status(&server, "alice", 1).await, 200, "{broken}");
        assert_eq!(status(&server, "alice", 9).await, 401, "{broken}");
    }
    std::fs::write(&file, tokens(&[("alice", 2), ("carol", 1)]))?;
    signal(server.process(), "HUP");
    until("the log says that tokens were read", async || {
        told(&server, "the new ones are in force") == 1
    })
    .await;
    for (name, version, expected) in [
        ("alice", 2, 200),
        ("carol", 1, 200),
        ("alice", 1, 401),
        ("bob", 1, 401),
    ] {
        assert_eq!(status(&server, name, version).await, expected, "{name} {version}");
    }
    assert_eq!(
        status_on(&mut open, &server, "bob", 1).await,
        401,
        "an open connection"
    );
    signal(server.process(), "HUP");
    until("the log says that nothing changed", async || {
        told(&server, "they are the same") == 1
    })
    .await;
    let log = server.log.text();
    assert!(!log.contains("secret-of"), "{log}");
    let line = log.lines().find(|line| line.contains("in force, removed"));
    let line = line.unwrap_or_default();
    assert!(
        line.contains("carol") && line.contains("alice") && line.contains("bob"),
        "{line}"
    );
    std::fs::remove_file(file)?;
    Ok(())
}

fn told(server: &HttpServer, words: &str) -> usize {
    server.log.text().matches(words).count()
}

/// Without a signal, too: an orchestrator that mounts a secret only changes the file.
async fn changed_file() -> Result<(), Failed> {
    let file = file("changed", &tokens(&[("alice", 1)]));
    let server = start(&file).await;
    assert_eq!(status(&server, "alice", 1).await, 200);
    std::fs::write(&file, tokens(&[("bob", 1)]))?;
    until("the new token is taken", async || {
        status(&server, "bob", 1).await == 200
    })
    .await;
    assert_eq!(status(&server, "alice", 1).await, 401);
    std::fs::remove_file(&file)?;
    until("the log says that the file is gone", async || {
        told(&server, "the old ones stay in force") == 1
    })
    .await;
    assert_eq!(status(&server, "bob", 1).await, 200);
    Ok(())
}
