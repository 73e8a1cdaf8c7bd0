//! Several replicas and a real Redis: published limits hold in sum by the upstream's own clock, and no call is lost,
//! while Redis is killed, stopped, flushed and restarted at random.
//!
//! `FRESHCONTEXT_REPLICAS_SECONDS` is the length of one run (15 by default, 600 for the long form), and `FRESHCONTEXT_SEED`
//! repeats one.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::sync::RwLock;
use tokio::task::JoinSet;

use crate::process::{self, MODERN, signal};
use crate::run::block_on;
use crate::upstreams::{json_reply, ordinary, reply};
use crate::verdict;
use crate::wire::{HttpServer, rpc, until, version_headers};

/// Callers at once.
const CALLERS: usize = 50;
/// A call of one source must be answered within its deadline, and a replica needs a moment to answer.
const ANSWERED: Duration = Duration::from_secs(30);
/// Length of a run in seconds.
const SECONDS: u64 = 15;

/// The limits that are counted: host, beginning of the path, requests, seconds.
const LIMITS: [(&str, &str, usize, u64); 4] = [
    ("api.gdeltproject.org", "/", 1, 5),
    ("export.arxiv.org", "/", 1, 3),
    ("www.reddit.com", "/", 1, 60),
    ("api.github.com", "/search/", 10, 60),
];

pub static INSTALLED: LazyLock<bool> = LazyLock::new(|| {
    let mut look = std::process::Command::new("redis-server");
    look.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    look.status().is_ok_and(|status| status.success())
});

pub fn trials() -> Vec<Trial> {
    let trials = [
        Trial::test("replicas::two", || block_on(run(2, &[]))),
        Trial::test("replicas::two_with_faults", || block_on(run(2, &FAULTS))),
        Trial::test("replicas::eight_with_faults", || block_on(run(8, &FAULTS))),
        Trial::test("replicas::one_answer_for_all", || block_on(one_answer_for_all())),
        Trial::test("replicas::one_rate_for_all", || block_on(one_rate_for_all())),
        Trial::test("replicas::without_redis", || block_on(without_redis())),
    ];
    trials
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!*INSTALLED))
        .collect()
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    Kill,
    Stop,
    Flush,
    Restart,
    Replica,
}

const FAULTS: [Fault; 5] = [
    Fault::Kill,
    Fault::Stop,
    Fault::Flush,
    Fault::Restart,
    Fault::Replica,
];

/// A Redis server of the test's own, without persistence.
pub struct Redis {
    port: u16,
    child: Child,
}

impl Redis {
    pub async fn start() -> Self {
        Self::at(free_port()).await
    }

    pub async fn at(port: u16) -> Self {
        Self {
            port,
            child: Self::spawn(port).await,
        }
    }

    async fn spawn(port: u16) -> Child {
        let port_text = port.to_string();
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port_text,
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("redis-server starts");
        until("redis-server listens", async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
        })
        .await;
        child
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    pub fn signal(&self, name: &str) {
        signal(self.child.id().expect("it runs"), name);
    }

    pub async fn tell(&self, line: &str) {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", self.port))
            .await
            .expect("it listens");
        stream
            .write_all(format!("{line}\r\n").as_bytes())
            .await
            .expect("it reads");
        let mut answer = [0; 16];
        let _ = stream.read(&mut answer).await;
    }

    async fn again(&mut self, pause: Duration) {
        let _ = self.child.wait().await;
        tokio::time::sleep(pause).await;
        self.child = Self::spawn(self.port).await;
    }
}

pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Waits until this server shares through Redis.
pub async fn shares(server: &HttpServer) {
    until("Redis is shared", async || {
        let ready = server.send("GET", "/readyz", &[], "").await;
        ready.body.contains("redis: shared")
    })
    .await;
}

/// A small generator of random numbers with a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % most
    }
}

pub fn answer(request: &SeenRequest) -> Reply {
    match request.host.as_str() {
        "api.github.com" => json_reply(r#"{"total_count": 0, "incomplete_results": false, "items": []}"#),
        "www.reddit.com" => reply(
            200,
            "application/atom+xml",
            r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>/r/x</id><title>x</title><updated>2025-06-01T10:00:00+00:00</updated></feed>"#,
        ),
        _ => ordinary(request),
    }
}

fn call(at: usize) -> Value {
    let (tool, arguments) = match at % 4 {
        0 => ("extract_gdelt", json!({"url": format!("topic {at}")})),
        1 => ("extract_arxiv", json!({"url": format!("topic {at}")})),
        2 => ("extract_reddit", json!({"url": format!("r/topic{at}")})),
        _ => ("search_repos", json!({"query": format!("topic {at}")})),
    };
    json!({"name": tool, "arguments": arguments})
}

async fn replica(redis: &str, upstream: &str) -> HttpServer {
    let routed = format!("*={upstream}");
    HttpServer::start(&[
        ("FRESHCONTEXT_REDIS_URL", redis),
        ("FRESHCONTEXT_UPSTREAM", &routed),
        ("FRESHCONTEXT_REPLICAS", "8"),
    ])
    .await
}

/// What the callers saw.
#[derive(Default)]
struct Calls {
    answered: AtomicUsize,
    content: AtomicUsize,
    lost: AtomicUsize,
    cut_off: AtomicUsize,
}

async fn run(count: usize, faults: &[Fault]) -> Result<(), Failed> {
    let seed = std::env::var("FRESHCONTEXT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| u64::from(std::process::id()) * 7_919 + count as u64);
    let seconds = std::env::var("FRESHCONTEXT_REPLICAS_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let length = Duration::from_secs(seconds.unwrap_or(SECONDS));
    eprintln!(
        "replicas: {count}, {} s, FRESHCONTEXT_SEED={seed}",
        length.as_secs()
    );
    let mut random = Random(seed);
    let upstream = Arc::new(ScriptedUpstream::start(answer).await?);
    let mut redis = Redis::start().await;
    let mut servers = Vec::new();
    for _ in 0..count {
        servers.push(Arc::new(RwLock::new(Arc::new(
            replica(&redis.url(), &upstream.base()).await,
        ))));
    }
    let began = Instant::now();
    let (over, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(Calls::default()));
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let (servers, over, calls) = (servers.clone(), over.clone(), calls.clone());
        callers.spawn(async move {
            let mut at = caller;
            while !over.load(Ordering::Relaxed) {
                let server = servers[(at / 4 + caller) % servers.len()].read().await.clone();
                let params = call(at);
                let message = rpc(MODERN, 1, "tools/call", params.clone());
                let headers: Vec<(String, String)> = version_headers(MODERN, "tools/call", &params)
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect();
                let asked = {
                    let server = server.clone();
                    tokio::spawn(async move {
                        let headers: Vec<(&str, &str)> = headers
                            .iter()
                            .map(|(name, value)| (name.as_str(), value.as_str()))
                            .collect();
                        server.post(&headers, &message).await.json()
                    })
                };
                let answered = tokio::time::timeout(ANSWERED, asked).await;
                match answered {
                    Ok(Ok(answer)) if answer["result"]["content"].is_array() => {
                        calls.answered.fetch_add(1, Ordering::Relaxed);
                        if answer["result"]["isError"] != json!(true) {
                            calls.content.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    // The replica was killed under this call. A balancer asks another one.
                    _ if !Arc::ptr_eq(&server, &*servers[(at / 4 + caller) % servers.len()].read().await) => {
                        calls.cut_off.fetch_add(1, Ordering::Relaxed);
                    }
                    other => {
                        eprintln!("lost: {params} {other:?}");
                        calls.lost.fetch_add(1, Ordering::Relaxed);
                    }
                }
                at += CALLERS;
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
    }
    while began.elapsed() < length {
        let pause = Duration::from_millis(2_000 + random.below(6_000));
        tokio::time::sleep(pause.min(length.saturating_sub(began.elapsed()))).await;
        let Some(fault) = faults.get(usize::try_from(random.below(faults.len().max(1) as u64))?) else {
            continue;
        };
        let time = Duration::from_millis(random.below(6_000));
        eprintln!("{:6.1} s: {fault:?} {time:?}", began.elapsed().as_secs_f64());
        match fault {
            Fault::Kill => {
                redis.signal("KILL");
                redis.again(time).await;
            }
            Fault::Restart => {
                redis.signal("TERM");
                redis.again(Duration::ZERO).await;
            }
            Fault::Stop => {
                redis.signal("STOP");
                tokio::time::sleep(time).await;
                redis.signal("CONT");
            }
            Fault::Flush => redis.tell("FLUSHALL").await,
            Fault::Replica => {
                let at = usize::try_from(random.below(count as u64))?;
                let mut place = servers[at].write().await;
                signal(place.process(), "KILL");
                *place = Arc::new(replica(&redis.url(), &upstream.base()).await);
            }
        }
    }
    over.store(true, Ordering::Relaxed);
    while callers.join_next().await.is_some() {}
    redis.signal("KILL");
    let requests = upstream.requests();
    let mut wrong = violations(&requests);
    let lost = calls.lost.load(Ordering::Relaxed);
    eprintln!(
        "{} calls answered ({} with content), {lost} lost, {} of killed replicas; requests {:?}",
        calls.answered.load(Ordering::Relaxed),
        calls.content.load(Ordering::Relaxed),
        calls.cut_off.load(Ordering::Relaxed),
        counts(&requests),
    );
    if lost > 0 {
        wrong.push(format!("{lost} calls lost"));
    }
    let arxiv = requests
        .iter()
        .filter(|seen| seen.host == "export.arxiv.org")
        .count();
    if arxiv == 0 {
        wrong.push("arXiv was never asked".to_owned());
    }
    verdict(wrong)
}

fn counts(requests: &[SeenRequest]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for seen in requests {
        *counts.entry(seen.host.as_str()).or_default() += 1;
    }
    counts
}

/// Windows in which a host got more than its limit, by the upstream's clock.
pub fn violations(requests: &[SeenRequest]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (host, path, most, seconds) in LIMITS {
        let mut times: Vec<Instant> = requests
            .iter()
            .filter(|seen| seen.host == host && seen.target.starts_with(path))
            .map(|seen| seen.at)
            .collect();
        times.sort_unstable();
        for window in times.windows(most + 1) {
            let between = window[most] - window[0];
            if between < Duration::from_secs(seconds) {
                wrong.push(format!("{host}: {} requests within {between:?}", most + 1));
            }
        }
    }
    wrong
}

/// Equal calls of two replicas at one time make one request, and a later one gets the same answer with its age.
async fn one_answer_for_all() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|request| Reply {
        delay_ms: 300,
        ..ordinary(request)
    })
    .await?;
    let redis = Redis::start().await;
    let (one, two) = (
        replica(&redis.url(), &upstream.base()).await,
        replica(&redis.url(), &upstream.base()).await,
    );
    for server in [&one, &two] {
        until("Redis is shared", async || {
            server
                .send("GET", "/readyz", &[], "")
                .await
                .body
                .contains("redis: shared")
        })
        .await;
    }
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let ask = json!({"url": "rust"});
    let (first, second) = tokio::join!(
        one.call("extract_hackernews", ask.clone()),
        two.call("extract_hackernews", ask.clone())
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    let third = two.call("extract_hackernews", ask).await;
    let mut wrong = Vec::new();
    for found in [&first, &second, &third] {
        if found.is_error {
            wrong.push(found.text.clone());
        }
    }
    let asked = upstream.requests().len();
    if asked != 1 {
        wrong.push(format!("{asked} requests"));
    }
    let moments = [&first, &second, &third].map(|found| {
        let text = found.structured.to_string();
        let at = text.split("\"retrieved_at\":\"").nth(1);
        at.map(|rest| rest.chars().take_while(|c| *c != '"').collect::<String>())
    });
    if moments[0].is_none() || moments.iter().any(|moment| *moment != moments[0]) {
        wrong.push(format!("retrieved at {moments:?}"));
    }
    verdict(wrong)
}

/// A caller's requests count in sum.
async fn one_rate_for_all() -> Result<(), Failed> {
    let redis = Redis::start().await;
    let url = redis.url();
    let environment = [
        ("FRESHCONTEXT_REDIS_URL", url.as_str()),
        ("FRESHCONTEXT_HTTP_LIMIT_LOOPBACK", "true"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_PER_MINUTE", "6"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_BURST", "4"),
    ];
    let (one, two) = (
        HttpServer::start(&environment).await,
        HttpServer::start(&environment).await,
    );
    for server in [&one, &two] {
        until("Redis is shared", async || {
            server
                .send("GET", "/readyz", &[], "")
                .await
                .body
                .contains("redis: shared")
        })
        .await;
    }
    let mut passed = 0;
    for at in 0..10 {
        let server = if at % 2 == 0 { &one } else { &two };
        let answer = server.send("GET", "/nothing", &[], "").await;
        passed += usize::from(answer.status != 429);
    }
    verdict(if passed == 4 {
        Vec::new()
    } else {
        vec![format!("{passed} of 10 passed")]
    })
}

/// A wrong address costs a caller nothing but the shared pace; a malformed one ends the start.
async fn without_redis() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(answer).await?;
    let server = replica("redis://127.0.0.1:1/0", &upstream.base()).await;
    let began = Instant::now();
    let found = server.call("extract_hackernews", json!({"url": "rust"})).await;
    let mut wrong = Vec::new();
    if found.is_error || began.elapsed() > Duration::from_secs(5) {
        wrong.push(format!("{:?}: {}", began.elapsed(), found.text));
    }
    let mut command = process::command(&["http", "--addr", "127.0.0.1:0"]);
    command.env("FRESHCONTEXT_REDIS_URL", "http://secret@example.com");
    let refused = process::finish(command, "").await;
    if refused.code != Some(2)
        || !refused.stderr.contains("FRESHCONTEXT_REDIS_URL")
        || refused.stderr.contains("secret")
    {
        wrong.push(format!("{refused:?}"));
    }
    verdict(wrong)
}
