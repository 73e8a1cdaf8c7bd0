//! One service and many callers behind one address: no caller can use all capacity, and probes are always
//! answered.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::process::{LEGACY, PATIENCE};
use crate::run::block_on;
use crate::upstreams::{ordinary, query};
use crate::verdict;
use crate::wire::{Answer, HttpServer, request, until};

/// Longest wait for a response while another caller uses its full share; none of these requests waits for a
/// source.
const SOON: Duration = Duration::from_secs(5);

/// Timeouts longer than a test.
const PATIENT: [(&str, &str); 2] = [
    ("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "300000"),
    ("FRESHCONTEXT_LIMIT_FIRST_BYTE_MS", "300000"),
];
const TOKENS: (&str, &str) = (
    "FRESHCONTEXT_HTTP_TOKENS",
    "team-a=token-of-team-a,team-b=token-of-team-b",
);
const TEAM_A: &str = "Bearer token-of-team-a";
const TEAM_B: &str = "Bearer token-of-team-b";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("http::sharing::teams_behind_a_proxy", || block_on(teams())),
        Trial::test("http::sharing::callers_without_names", || block_on(unnamed())),
        Trial::test("http::sharing::an_address_with_names", || block_on(one_address())),
        Trial::test("http::sharing::connections_of_one_caller", || {
            block_on(connections_of_one_caller())
        }),
        Trial::test("http::sharing::probes_at_full_load", || block_on(probes())),
        Trial::test("http::sharing::slow_heads_make_room", || block_on(slow_heads())),
    ]
}

/// A source that never responds to slow requests.
async fn upstream() -> Result<ScriptedUpstream, Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| {
        if query(seen).starts_with("slow") {
            Reply {
                delay_ms: 300_000,
                ..ordinary(seen)
            }
        } else {
            ordinary(seen)
        }
    });
    Ok(upstream.await?)
}

/// Starts a server with this source and metrics.
async fn patient(upstream: &ScriptedUpstream, environment: &[(&str, &str)]) -> HttpServer {
    let base = format!("*={}", upstream.base());
    let mut all = vec![
        ("FRESHCONTEXT_UPSTREAM", base.as_str()),
        ("FRESHCONTEXT_HTTP_METRICS", "true"),
    ];
    all.extend(PATIENT);
    all.extend(environment);
    HttpServer::start(&all).await
}

/// A proxy on this machine: all connections through it have one address.
async fn proxy(server: SocketAddr) -> Result<SocketAddr, Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut theirs, _)) = listener.accept().await {
            tokio::spawn(async move {
                if let Ok(mut ours) = TcpStream::connect(server).await {
                    let _ = tokio::io::copy_bidirectional(&mut theirs, &mut ours).await;
                }
            });
        }
    });
    Ok(address)
}

/// Sends a request through an address on a separate connection.
async fn ask(through: SocketAddr, token: &str, method: &str, path: &str, message: &str) -> Answer {
    let mut stream = TcpStream::connect(through).await.expect("it listens");
    let headers = [("MCP-Protocol-Version", LEGACY[3]), ("Authorization", token)];
    let bytes = request(through, method, path, &headers, message);
    stream.write_all(bytes.as_bytes()).await.expect("it reads");
    Answer::read(&mut stream).await
}

fn call(tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

/// Calls that never finish, each with different arguments.
fn slow_calls(through: SocketAddr, token: &'static str, calls: usize) -> JoinSet<Answer> {
    let mut asking = JoinSet::new();
    for at in 0..calls {
        let message = call("extract_hackernews", &json!({"url": format!("slow {at}")}));
        asking.spawn(async move { ask(through, token, "POST", "/mcp", &message).await });
    }
    asking
}

/// Returns complaints if a caller or a probe is not served soon.
async fn served(through: SocketAddr, token: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let judged = call(
        "evaluate_context",
        &json!({"profile": "official_docs", "intent": "citation_check",
            "signals": [{"source": "https://example.org/", "content": "a"}]}),
    );
    let source = call("extract_arxiv", &json!({"url": "rust"}));
    for (what, method, path, message) in [
        ("a ping", "POST", "/mcp", ping.as_str()),
        ("the list of tools", "POST", "/mcp", &list),
        ("a judgement", "POST", "/mcp", &judged),
        ("a source", "POST", "/mcp", &source),
        ("/healthz", "GET", "/healthz", ""),
        ("/readyz", "GET", "/readyz", ""),
        ("/metrics", "GET", "/metrics", ""),
    ] {
        let began = Instant::now();
        let answer = ask(through, token, method, path, message).await;
        let said = if method == "POST" {
            answer.json()
        } else {
            Value::Null
        };
        let failed = !said["error"].is_null() || said["result"]["isError"] == true;
        if answer.status != 200 || failed || began.elapsed() > SOON {
            complaints.push(format!(
                "{what}: {} after {:?}: {:.300}",
                answer.status,
                began.elapsed(),
                answer.body
            ));
        }
    }
    complaints
}

/// Returns the number of running calls by the service's metrics.
async fn calls_at_work(server: &HttpServer, token: &str) -> Option<usize> {
    let figures = server
        .send("GET", "/metrics", &[("Authorization", token)], "")
        .await
        .body;
    let mut lines = figures.lines();
    let count = lines.find_map(|line| line.strip_prefix("freshcontext_calls_in_flight "))?;
    count.trim().parse().ok()
}

/// Waits until the service runs this many calls.
async fn at_work(server: &HttpServer, token: &str, calls: usize) {
    until("the calls at work", async || {
        calls_at_work(server, token).await >= Some(calls)
    })
    .await;
}

/// Team A sends a hundred slow requests at once through the proxy that team B also uses: half of the capacity
/// runs them, the rest is refused, and team B is not affected.
async fn teams() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let server = patient(&upstream, &[TOKENS]).await;
    let through = proxy(server.address).await?;
    let mut slow = slow_calls(through, TEAM_A, 100);
    at_work(&server, TEAM_B, 32).await;
    let mut complaints = served(through, TEAM_B).await;
    // Requests beyond the share are refused in time.
    for _ in 0..100 - 32 {
        let told = tokio::time::timeout(PATIENCE, slow.join_next())
            .await?
            .ok_or("an answer")??;
        let said = told.json();
        if said["result"]["structuredContent"]["code"] != "overloaded"
            || !said.to_string().contains("caller_share")
        {
            complaints.push(format!("beyond the share: {} {:.300}", told.status, told.body));
        }
    }
    complaints.extend(served(through, TEAM_B).await);
    assert_eq!(slow.len(), 32, "half of the places are at work");
    verdict(complaints)
}

/// The same without named tokens: while capacity is free, 40 slow calls from one address block no other
/// caller.
async fn unnamed() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let server = patient(&upstream, &[]).await;
    let through = proxy(server.address).await?;
    let _slow = slow_calls(through, "", 40);
    at_work(&server, "", 40).await;
    verdict(served(through, "").await)
}

/// An address that counts as one client, with named callers behind it: its limit applies to unnamed ones
/// only.
async fn one_address() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let server = patient(
        &upstream,
        &[
            ("FRESHCONTEXT_HTTP_LIMIT_LOOPBACK", "true"),
            ("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS_PER_PEER", "4"),
            TOKENS,
        ],
    )
    .await;
    let _slow = slow_calls(server.address, TEAM_A, 3);
    at_work(&server, TEAM_B, 3).await;
    let _more = slow_calls(server.address, TEAM_A, 3);
    at_work(&server, TEAM_B, 6).await;
    let mut complaints = served(server.address, TEAM_B).await;
    // An unnamed caller still has the limit.
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(server.connect().await);
    }
    until("the limit", async || {
        ask(server.address, TEAM_B, "POST", "/mcp", "{}").await.status == 503
    })
    .await;
    let health = ask(server.address, "", "GET", "/healthz", "").await;
    if health.status != 200 {
        complaints.push(format!("/healthz beside a full address: {}", health.status));
    }
    verdict(complaints)
}

/// One caller may hold half of all connections; its next request is refused, and other callers are served.
async fn connections_of_one_caller() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let server = patient(
        &upstream,
        &[("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS", "12"), TOKENS],
    )
    .await;
    let through = proxy(server.address).await?;
    let _slow = slow_calls(through, TEAM_A, 6);
    at_work(&server, TEAM_B, 6).await;
    let mut complaints = Vec::new();
    for _ in 0..20 {
        let beyond = ask(
            through,
            TEAM_A,
            "POST",
            "/mcp",
            &call("extract_hackernews", &json!({"url": "slow"})),
        )
        .await;
        let said = beyond.json();
        let told = said["error"]["data"]["code"] == "overloaded" && said.to_string().contains("caller_share");
        if (beyond.status, beyond.header("retry-after")) != (503, "1") || !told {
            complaints.push(format!(
                "the seventh request of six: {} {:.300}",
                beyond.status, beyond.body
            ));
        }
    }
    complaints.extend(served(through, TEAM_B).await);
    verdict(complaints)
}

/// All connections are taken, and silent ones hold those reserved for probes: a probe is answered, and other
/// requests are asked to retry.
async fn probes() -> Result<(), Failed> {
    let upstream = upstream().await?;
    let server = patient(
        &upstream,
        &[
            ("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS", "8"),
            ("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS_KEPT", "3"),
        ],
    )
    .await;
    let mut slow = JoinSet::new();
    // This check takes a connection, too, which one of them may lack.
    until("a full service", async || {
        while slow.try_join_next().is_some() {}
        for at in slow.len()..8 {
            let message = call("extract_hackernews", &json!({"url": format!("slow {at}")}));
            let through = server.address;
            slow.spawn(async move { ask(through, "", "POST", "/mcp", &message).await });
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        calls_at_work(&server, "").await >= Some(8)
    })
    .await;
    let mut silent = Vec::new();
    let mut complaints = Vec::new();
    for round in 0..10 {
        for path in ["/healthz", "/readyz", "/metrics"] {
            let answer = ask(server.address, "", "GET", path, "").await;
            if answer.status != 200 || answer.header("connection") != "close" {
                complaints.push(format!("{path} in round {round}: {}", answer.status));
            }
        }
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        let other = ask(server.address, "", "POST", "/mcp", &ping).await;
        let code = other.json()["error"]["data"]["code"].clone();
        if (other.status, other.header("retry-after")) != (503, "1") || code != "overloaded" {
            complaints.push(format!(
                "a ping in round {round}: {} {}",
                other.status, other.body
            ));
        }
        for _ in 0..4 {
            silent.push(server.connect().await);
        }
    }
    // A silent connection gets a reason when it is closed.
    let told = Answer::read(&mut silent.pop().ok_or("a silent connection")?).await;
    if (told.status, told.header("retry-after")) != (503, "1") {
        complaints.push(format!("a silent connection: {told:?}"));
    }
    assert_eq!(slow.len(), 8, "those that were there are unharmed");
    drop(slow);
    until("a place", async || {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        ask(server.address, "", "POST", "/mcp", &ping).await.status == 200
    })
    .await;
    verdict(complaints)
}

/// E01 from an address that stands for many: connections with slow heads are closed in favour of active ones.
async fn slow_heads() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_LIMIT_INBOUND_CONNECTIONS", "20")]).await;
    let mut dribbling = JoinSet::new();
    for at in 0..60 {
        let mut stream = server.connect().await;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nX-Number-{at}: ",
            server.address
        );
        stream.write_all(head.as_bytes()).await?;
        dribbling.spawn(async move {
            let mut rest = Vec::new();
            let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        });
    }
    // A head that has not begun does not count yet.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut complaints = Vec::new();
    for round in 0..30 {
        let began = Instant::now();
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        let answer = ask(server.address, "", "POST", "/mcp", &ping).await;
        if answer.status != 200 || began.elapsed() > SOON {
            complaints.push(format!(
                "round {round}: {} after {:?}",
                answer.status,
                began.elapsed()
            ));
        }
    }
    verdict(complaints)
}
