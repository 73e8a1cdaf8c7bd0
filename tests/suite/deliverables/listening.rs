//! `subscriptions/listen` over HTTP: a real server, clients that read their streams line by line, and restarts in between.

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::setup::{ensure, stories};
use crate::places::Kept;
use crate::process::{self, MODERN, PATIENCE, finish};
use crate::wire::{HttpServer, request, rpc, until, version_headers};

const URI: &str = "freshcontext://deliverables/brief";
const CHANGES: &str = "freshcontext://deliverables/brief/changes";
const SOURCE: &str = "extract_hackernews url=rust";
const TOKENS: [(&str, &str); 2] = [
    ("anna", "Bearer a-long-token-of-anna"),
    ("ben", "Bearer a-long-token-of-ben"),
];
const METHOD: &str = "subscriptions/listen";

/// One open stream.
struct Stream {
    lines: tokio::io::Lines<BufReader<TcpStream>>,
    /// Comments seen so far.
    comments: usize,
}

impl Stream {
    /// Opens a stream as the holder of a token, with what the client knows already. The head says what came of it.
    async fn open(server: &HttpServer, token: &str, after: &Value) -> Result<(u16, Self), Failed> {
        let params = json!({
            "notifications": {"resourcesListChanged": true, "toolsListChanged": true, "resourceSubscriptions": [URI, CHANGES]},
        });
        let mut message = rpc(MODERN, 7, METHOD, params.clone());
        if after.is_object() {
            message["params"]["_meta"]["io.github.freshcontext/after"] = after.clone();
        }
        let mut headers = version_headers(MODERN, METHOD, &params);
        headers.push(("Authorization", token));
        let mut stream = server.connect().await;
        let bytes = request(server.address, "POST", "/mcp", &headers, &message.to_string());
        stream.write_all(bytes.as_bytes()).await?;
        let mut lines = BufReader::new(stream).lines();
        let head = tokio::time::timeout(PATIENCE, lines.next_line())
            .await??
            .unwrap_or_default();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        Ok((status, Self { lines, comments: 0 }))
    }

    /// Opens a stream that must be accepted.
    async fn accepted(server: &HttpServer, token: &str, after: &Value) -> Result<Self, Failed> {
        let (status, mut stream) = Self::open(server, token, after).await?;
        ensure(status == 200, status)?;
        let word = stream.next().await?.ok_or("an acknowledgement")?;
        ensure(
            word["method"] == "notifications/subscriptions/acknowledged"
                && word["params"]["notifications"]
                    == json!({"resourcesListChanged": true, "resourceSubscriptions": [URI, CHANGES]}),
            &word,
        )?;
        Ok(stream)
    }

    /// Returns the next message; `None` at the end of the stream.
    async fn next(&mut self) -> Result<Option<Value>, Failed> {
        loop {
            let Some(line) = tokio::time::timeout(PATIENCE, self.lines.next_line()).await?? else {
                return Ok(None);
            };
            self.comments += usize::from(line.starts_with(':'));
            if let Some(data) = line.strip_prefix("data:").map(str::trim)
                && !data.is_empty()
            {
                return Ok(Some(serde_json::from_str(data)?));
            }
        }
    }

    /// Reads the two updates of a version, which name this change.
    async fn version(&mut self, sequence: i64) -> Result<(), Failed> {
        for uri in [URI, CHANGES] {
            let word = self.next().await?.ok_or("an update")?;
            let change = &word["params"]["_meta"]["io.github.freshcontext/change"];
            ensure(
                word["method"] == "notifications/resources/updated"
                    && word["params"]["uri"] == uri
                    && word["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == 7
                    && change["sequence"] == sequence
                    && change["deliverable"] == "brief"
                    && change["version"] == sequence,
                &word,
            )?;
        }
        Ok(())
    }

    async fn list_changed(&mut self) -> Result<(), Failed> {
        let word = self.next().await?.ok_or("a word")?;
        ensure(word["method"] == "notifications/resources/list_changed", &word)
    }
}

fn tokens() -> String {
    let tokens = TOKENS.map(|(name, token)| format!("{name}={}", token.trim_start_matches("Bearer ")));
    tokens.join(",")
}

async fn serve(kept: &Kept, base: &str) -> HttpServer {
    let mut command = kept.process(&["http", "--addr", "127.0.0.1:0", "--toolset", "time"]);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={base}"))
        .env("FRESHCONTEXT_HTTP_TOKENS", tokens())
        .env("FRESHCONTEXT_LIMIT_STREAM_KEEP_ALIVE_MS", "100")
        .env("FRESHCONTEXT_LIMIT_INBOUND_RATE_PER_MINUTE", "0");
    HttpServer::of(command).await
}

/// A listener hears each change of its owner's deliverables once and in order, also of those that were made while no server
/// ran, and its stream ends with a result at shutdown.
pub(super) async fn over_http(kept: Kept) -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First")], None)).await?;
    let base = upstream.base();
    let run = |task: &'static str, owner: &'static str, minute: u32| {
        let mut arguments = vec!["deliverable", task, "brief", "--token", owner];
        if task == "add" {
            arguments.extend(["--source", SOURCE]);
        }
        let now = format!("2026-11-23T09:{minute:02}:00Z");
        let mut command = kept.command(&arguments, &now, &base);
        command.env("FRESHCONTEXT_HTTP_TOKENS", tokens());
        async move {
            let done = finish(command, "").await;
            ensure(done.code == Some(0), &done.stderr)
        }
    };
    run("add", "anna", 0).await?;
    run("add", "ben", 0).await?;
    let [(_, annas), (_, bens)] = TOKENS;
    let mut server = serve(&kept, &base).await;
    let mut anna = Stream::accepted(&server, annas, &Value::Null).await?;
    let mut again = Stream::accepted(&server, annas, &Value::Null).await?;
    let mut ben = Stream::accepted(&server, bens, &Value::Null).await?;
    run("generate", "anna", 2).await?;
    anna.list_changed().await?;
    anna.version(1).await?;
    run("generate", "anna", 4).await?;
    anna.version(2).await?;
    again.list_changed().await?;
    again.version(1).await?;
    again.version(2).await?;
    // Another owner's changes were not told: the first thing that Ben hears is his own.
    run("generate", "ben", 6).await?;
    ben.list_changed().await?;
    ben.version(1).await?;
    ensure(anna.comments > 0, "silent streams are kept open by comments")?;

    process::signal(server.process(), "TERM");
    for stream in [&mut anna, &mut again, &mut ben] {
        let last = stream.next().await?.ok_or("a result")?;
        ensure(last["id"] == 7 && last["result"].is_object(), &last)?;
        ensure(stream.next().await?.is_none(), "the stream ends")?;
    }
    let ended = tokio::time::timeout(PATIENCE, server.child.wait()).await??;
    ensure(ended.success(), ended)?;

    // Changes without a server are told to a client that says what it knows.
    run("generate", "anna", 8).await?;
    run("generate", "anna", 10).await?;
    let mut server = serve(&kept, &base).await;
    let mut anna = Stream::accepted(&server, annas, &json!({"brief": 2})).await?;
    anna.version(3).await?;
    anna.version(4).await?;
    server.child.kill().await?;
    ensure(
        anna.next().await.map_or(true, |word| word.is_none()),
        "the server is gone",
    )?;
    let server = serve(&kept, &base).await;
    let mut anna = Stream::accepted(&server, annas, &json!({"brief": 4, "other": 1})).await?;
    run("generate", "anna", 12).await?;
    anna.version(5).await?;
    // A client that knows more than is stored, as after a restored backup, hears of the next change.
    let mut ahead = Stream::accepted(&server, annas, &json!({"brief": 900, "other": 9})).await?;
    run("generate", "anna", 14).await?;
    ahead.version(6).await?;
    anna.version(6).await?;
    // Of a foreign deliverable nothing is told, whatever the client says that it knows.
    let mut ben = Stream::accepted(&server, bens, &json!({"brief": 0})).await?;
    ben.version(1).await?;
    let params = json!({"uri": CHANGES});
    let mut headers = version_headers(MODERN, "resources/read", &params);
    headers.push(("Authorization", annas));
    let read = server
        .post(&headers, &rpc(MODERN, 1, "resources/read", params.clone()))
        .await;
    let text = read.json()["result"]["contents"][0]["text"].clone();
    let text: Value = serde_json::from_str(text.as_str().unwrap_or_default())?;
    let sequences: Vec<i64> = text["changes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|change| change["data"]["sequence"].as_i64())
        .collect();
    ensure(sequences == [1, 2, 3, 4, 5, 6] && text["sequence"] == 6, &text)?;
    // The revisions with a handshake are not offered what needs a session.
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}});
    let answer = server
        .post(
            &[("Authorization", annas)],
            &rpc("2025-11-25", 1, "initialize", hello),
        )
        .await;
    ensure(
        answer.json()["result"]["capabilities"]["resources"] == json!({}),
        &answer.body,
    )?;
    let found = server
        .post(
            &[
                version_headers(MODERN, "server/discover", &Value::Null),
                vec![("Authorization", annas)],
            ]
            .concat(),
            &rpc(MODERN, 1, "server/discover", json!({})),
        )
        .await;
    ensure(
        found.json()["result"]["capabilities"]["resources"]
            == json!({"subscribe": true, "listChanged": true}),
        &found.body,
    )
}

/// A thousand listeners of one caller get what one caller may have; others are served, and places come back.
pub(super) async fn bounded(kept: Kept) -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First")], None)).await?;
    let server = serve(&kept, &upstream.base()).await;
    let [(_, annas), (_, bens)] = TOKENS;
    let mut open = Vec::new();
    let mut refused = 0;
    for _ in 0..1_000 {
        let (status, mut stream) = Stream::open(&server, annas, &Value::Null).await?;
        match status {
            200 => open.push(stream),
            503 => {
                refused += 1;
                let mut told = String::new();
                while let Some(line) = stream.lines.next_line().await? {
                    told.push_str(&line);
                }
                ensure(
                    told.contains("limits.listeners_per_caller") && told.contains("\"id\":7"),
                    &told,
                )?;
            }
            other => return Err(format!("status {other}").into()),
        }
    }
    ensure(
        (open.len(), refused) == (32, 968),
        format!("{} open, {refused} refused", open.len()),
    )?;
    Stream::accepted(&server, bens, &Value::Null).await?;
    let mut headers = version_headers(MODERN, "tools/list", &Value::Null);
    headers.push(("Authorization", annas));
    let list = server
        .post(&headers, &rpc(MODERN, 1, "tools/list", json!({})))
        .await;
    ensure(list.status == 200, list.status)?;
    drop(open);
    until("a place", async || {
        Stream::open(&server, annas, &Value::Null)
            .await
            .is_ok_and(|(status, _)| status == 200)
    })
    .await;
    Ok(())
}
