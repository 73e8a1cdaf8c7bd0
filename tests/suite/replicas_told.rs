//! What replicas tell each other through a real Redis, and what an operator sees of it.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use freshcontext_testkit::{Reply, ScriptedUpstream};
use libtest_mimic::{Failed, Trial};
use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::process;
use crate::replicas::{INSTALLED, Redis, answer, free_port, shares, violations};
use crate::run::block_on;
use crate::upstreams::{ordinary, reply};
use crate::verdict;
use crate::wire::{HttpServer, until};

/// Calls at once, half of them at each replica.
const CALLS: usize = 10;

pub fn trials() -> Vec<Trial> {
    let trials = [
        Trial::test("replicas::a_suspension_for_all", || block_on(suspension())),
        Trial::test("replicas::one_probe_for_all", || block_on(probe())),
        Trial::test("replicas::what_an_operator_sees", || block_on(operator())),
        Trial::test("replicas::before_redis", || block_on(before_redis())),
        Trial::test("replicas::an_unknown_certificate", || block_on(certificate())),
    ];
    trials
        .into_iter()
        .map(|trial| trial.with_ignored_flag(!*INSTALLED))
        .collect()
}

async fn pair(redis: &str, upstream: &str, more: &[(&str, &str)]) -> [Arc<HttpServer>; 2] {
    let routed = format!("*={upstream}");
    let mut environment = vec![
        ("FRESHCONTEXT_REDIS_URL", redis),
        ("FRESHCONTEXT_UPSTREAM", &routed),
    ];
    environment.extend(more);
    let (one, two) = (
        HttpServer::start(&environment).await,
        HttpServer::start(&environment).await,
    );
    [Arc::new(one), Arc::new(two)]
}

/// A host that asks one replica to wait is not asked by the other one.
async fn suspension() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|_| {
        let mut refusal = reply(429, "text/plain", "slow down");
        refusal.headers.push(("retry-after".to_owned(), "40".to_owned()));
        refusal
    })
    .await?;
    let redis = Redis::start().await;
    let [one, two] = pair(&redis.url(), &upstream.base(), &[]).await;
    shares(&one).await;
    shares(&two).await;
    let first = one.call("extract_hackernews", json!({"url": "rust"})).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = upstream.requests().len();
    // A Redis that has forgotten everything is told again.
    redis.tell("FLUSHALL").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let second = two.call("extract_hackernews", json!({"url": "tokio"})).await;
    let mut wrong = Vec::new();
    for refused in [&first, &second] {
        if !refused.is_error || !refused.structured.to_string().contains("rate_limited") {
            wrong.push(format!("{} {}", refused.text, refused.structured));
        }
    }
    if before == 0 || upstream.requests().len() != before {
        wrong.push(format!("{before} requests, then {}", upstream.requests().len()));
    }
    verdict(wrong)
}

/// A failing host is left alone by all, and one request of all of them tries it again.
async fn probe() -> Result<(), Failed> {
    let healthy = Arc::new(AtomicBool::new(false));
    let state = Arc::clone(&healthy);
    let upstream = ScriptedUpstream::start(move |request| {
        if state.load(Ordering::Relaxed) {
            Reply {
                delay_ms: 1_500,
                ..ordinary(request)
            }
        } else {
            reply(500, "text/plain", "broken")
        }
    })
    .await?;
    let redis = Redis::start().await;
    let open = [("FRESHCONTEXT_LIMIT_BREAKER_OPEN_MS", "4000")];
    let [one, two] = pair(&redis.url(), &upstream.base(), &open).await;
    shares(&one).await;
    shares(&two).await;
    let mut asked = 0;
    for at in 0..20 {
        one.call("extract_hackernews", json!({"url": format!("topic {at}")}))
            .await;
        if upstream.requests().len() == asked {
            break;
        }
        asked = upstream.requests().len();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let refused = two.call("extract_hackernews", json!({"url": "other"})).await;
    let mut wrong = Vec::new();
    if !refused.is_error || upstream.requests().len() != asked {
        wrong.push(format!(
            "while open: {asked} requests, then {}; {}",
            upstream.requests().len(),
            refused.text
        ));
    }
    healthy.store(true, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(4_500)).await;
    let mut calls = JoinSet::new();
    for at in 0..CALLS {
        let server = Arc::clone([&one, &two][at % 2]);
        calls.spawn(async move {
            server
                .call("extract_hackernews", json!({"url": format!("probe {at}")}))
                .await
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let probes = upstream.requests().len() - asked;
    if probes != 1 {
        wrong.push(format!("{probes} probes"));
    }
    let mut good = 0;
    while let Some(found) = calls.join_next().await {
        good += usize::from(!found?.is_error);
    }
    if good == 0 {
        wrong.push("the probe got no answer".to_owned());
    }
    let later = two.call("extract_hackernews", json!({"url": "later"})).await;
    if later.is_error {
        wrong.push(later.text);
    }
    verdict(wrong)
}

/// `/readyz`, the metrics, the log and `doctor`, with and without Redis.
async fn operator() -> Result<(), Failed> {
    let port = free_port();
    let url = format!("redis://:hidden-password@127.0.0.1:{port}/0");
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_REDIS_URL", &url),
        ("FRESHCONTEXT_HTTP_METRICS", "true"),
    ])
    .await;
    let mut wrong = Vec::new();
    let mut expect = |what: &str, holds: bool, seen: &str| {
        if !holds {
            wrong.push(format!("{what}: {seen}"));
        }
    };
    tokio::time::sleep(Duration::from_secs(4)).await;
    let ready = server.send("GET", "/readyz", &[], "").await;
    let said = ready.status == 200 && ready.body.contains("redis: out of reach");
    expect("readyz", said, &ready.body);
    let metrics = server.send("GET", "/metrics", &[], "").await.body;
    expect("metrics", metrics.contains("freshcontext_redis_up 0\n"), &metrics);
    let log = server.log.text();
    expect("log", log.matches("Redis is out of reach").count() == 1, &log);
    let hidden = [&ready.body, &metrics, &log]
        .iter()
        .all(|text| !text.contains("hidden-password"));
    expect("secret", hidden, &log);
    let doctor = async |url: &str| {
        let mut command = process::command(&["doctor", "--json"]);
        command.env("FRESHCONTEXT_REDIS_URL", url);
        process::finish(command, "").await
    };
    let red = doctor(&url).await;
    let told = red.code != Some(0)
        && red.stdout.contains("does not answer")
        && !red.stdout.contains("hidden-password");
    expect("doctor without", told, &format!("{red:?}"));

    let redis = Redis::at(port).await;
    let url = redis.url();
    let fine = doctor(&url).await;
    let told = fine.code == Some(0) && fine.stdout.contains("answers; limits and the cache are shared");
    expect("doctor with", told, &format!("{fine:?}"));
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_REDIS_URL", &url),
        ("FRESHCONTEXT_HTTP_METRICS", "true"),
    ])
    .await;
    shares(&server).await;
    let metrics = server.send("GET", "/metrics", &[], "").await.body;
    expect(
        "metrics with",
        metrics.contains("freshcontext_redis_up 1\n"),
        &metrics,
    );
    redis.signal("KILL");
    until("the loss is said", async || {
        let ready = server.send("GET", "/readyz", &[], "").await;
        ready.status == 200 && ready.body.contains("redis: out of reach")
    })
    .await;
    verdict(wrong)
}

/// Replicas that start before Redis keep a spacing that they cannot share, and go on when Redis comes.
async fn before_redis() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(answer).await?;
    let port = free_port();
    let url = format!("redis://127.0.0.1:{port}/0");
    let servers = pair(&url, &upstream.base(), &[]).await;
    let mut calls = JoinSet::new();
    for at in 0..2 * CALLS {
        let server = Arc::clone(&servers[at % 2]);
        let tool = if at % 4 < 2 {
            "extract_gdelt"
        } else {
            "extract_arxiv"
        };
        calls.spawn(async move { server.call(tool, json!({"url": format!("topic {at}")})).await });
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = upstream.requests().len();
    let _redis = Redis::at(port).await;
    let (mut good, mut refused, mut wrong) = (0, 0, Vec::new());
    while let Some(found) = calls.join_next().await {
        let found = found?;
        if !found.is_error {
            good += 1;
        } else if found.structured.to_string().contains("rate_limited") {
            refused += 1;
        } else {
            wrong.push(found.text);
        }
    }
    wrong.extend(violations(&upstream.requests()));
    if before > 0 || good == 0 {
        wrong.push(format!(
            "{before} requests before Redis; {good} answers, {refused} refused"
        ));
    }
    verdict(wrong)
}

/// With `rediss://`, a server whose certificate nobody vouches for is out of reach, and calls go on.
async fn certificate() -> Result<(), Failed> {
    let folder = process::scratch();
    let (key, certificate) = (folder.join("key.pem"), folder.join("certificate.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args(["-addext", "subjectAltName=DNS:localhost", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .stderr(Stdio::null())
        .status()
        .await?;
    assert!(made.success(), "openssl makes a certificate");
    let port = free_port();
    let _redis = Command::new("redis-server")
        .args([
            "--port",
            "0",
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--tls-auth-clients",
            "no",
        ])
        .args(["--tls-port", &port.to_string(), "--tls-cert-file"])
        .arg(&certificate)
        .arg("--tls-key-file")
        .arg(&key)
        .arg("--tls-ca-cert-file")
        .arg(&certificate)
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    until("redis-server listens", async || {
        tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
    })
    .await;
    let upstream = ScriptedUpstream::start(answer).await?;
    let [server, _] = pair(&format!("rediss://localhost:{port}/0"), &upstream.base(), &[]).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let ready = server.send("GET", "/readyz", &[], "").await.body;
    let found = server.call("extract_hackernews", json!({"url": "rust"})).await;
    let mut wrong = Vec::new();
    if !ready.contains("redis: out of reach") || found.is_error {
        wrong.push(format!("{ready} {}", found.text));
    }
    verdict(wrong)
}
