//! Groups A and K: a process that runs for long, has little, or has nothing to do.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::memory::figure;
use crate::process::{MODERN, Session, command, through};
use crate::run::block_on;
use crate::upstreams::{json_reply, ordinary, reply};

/// Length of the soak in seconds.
const SOAK_S: u64 = 6;
const SOAK: &str = "FRESHCONTEXT_SOAK_S";
/// Most growth between the middle and the end of a soak, in KiB. For an hour it would be 1 MiB; allocators keep pages.
const GROWTH: u64 = 4 << 10;
/// Descriptors that may differ for other reasons: kept connections to the source.
const SLACK: usize = 8;
/// A page with two releases.
const PAGE: &str = "<!doctype html><html><title>Changes</title><main><h1>Changelog</h1><h2>2.0.0 - 2025-06-01</h2><p>New</p>\
    <h2>1.9.0 - 2025-05-01</h2><p>Fixes</p></main></html>";
/// Calls to different hosts at once.
const HOSTS: usize = 150;

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    vec![
        Trial::test("faults::soak", || block_on(soak())),
        Trial::test("faults::few_descriptors", || block_on(few_descriptors())),
        Trial::test("faults::idle_takes_no_time", || block_on(idle())),
    ]
}

fn descriptors(process: u32) -> usize {
    std::fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count)
}

fn threads(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    line.and_then(|count| count.trim().parse().ok())
        .unwrap_or_default()
}

/// Faults in turn, so that every call of a round meets another.
fn mixed(number: usize, seen: &SeenRequest) -> Reply {
    match number % 8 {
        0 => reply(500, "text/plain", "down"),
        1 => reply(200, "text/html", "<html><h1>Sorry</h1></html>"),
        2 => json_reply("{\"hits\": ["),
        3 => Reply {
            delay_ms: 5_000,
            ..ordinary(seen)
        },
        4 => reply(404, "text/plain", "nothing"),
        5 => json_reply(&" ".repeat(300_000)),
        _ => ordinary(seen),
    }
}

/// A07: mixed faults for a while. Memory stays where it was half-way, descriptors and threads come back.
async fn soak() -> Result<(), Failed> {
    let seconds = std::env::var(SOAK)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SOAK_S);
    let at = AtomicUsize::new(0);
    let upstream =
        ScriptedUpstream::start(move |seen: &SeenRequest| mixed(at.fetch_add(1, Ordering::Relaxed), seen))
            .await?;
    let mut command = command(&["stdio"]);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("FRESHCONTEXT_LIMIT_ATTEMPTS", "1")
        .env("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "1000")
        .env("FRESHCONTEXT_LIMIT_BREAKER_FAILURES", "1000000")
        .env("FRESHCONTEXT_LIMIT_CACHE_BYTES", "1000000");
    let mut session = Session::open(command, MODERN).await;
    session.call("extract_hackernews", json!({"url": "first"})).await;
    let process = session.process();
    let (fds, tasks) = (descriptors(process), threads(process));
    let length = Duration::from_secs(seconds);
    let began = Instant::now();
    let (mut calls, mut half) = (0_u64, None);
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    while began.elapsed() < length {
        let words: Vec<String> = (0..20).map(|at| format!("word {calls} {at}")).collect();
        let asked: Vec<_> = words
            .iter()
            .map(|word| ("extract_hackernews", json!({"url": word})))
            .collect();
        for outcome in session.calls(&asked).await {
            let code = if outcome.is_error { outcome.code() } else { "" };
            *codes.entry(code.to_owned()).or_default() += 1;
        }
        calls += 20;
        if half.is_none() && began.elapsed() >= length / 2 {
            half = Some(figure(process, "VmRSS"));
        }
    }
    let grown = figure(process, "VmRSS").saturating_sub(half.unwrap_or_default());
    let mut left = usize::MAX;
    let waiting = Instant::now();
    while left > fds + SLACK && waiting.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(Duration::from_millis(200)).await;
        left = descriptors(process);
    }
    eprintln!("soak: {calls} calls, +{grown} KiB, {left} descriptors, {fds} before, {codes:?}");
    assert!(codes.len() >= 4, "few faults were met: {codes:?}");
    assert!(!codes.contains_key("internal"), "{codes:?}");
    assert!(grown <= GROWTH, "{grown} KiB between the middle and the end");
    assert!(left <= fds + SLACK, "{left} descriptors, {fds} before");
    let now = threads(process);
    assert!(now <= tasks + 16, "{now} threads, {tasks} before");
    session.ask("tools/list", json!({})).await;
    Ok(())
}

/// K03: with 64 descriptors, a call that finds none fails with a code, never with an absence, and the server goes on.
async fn few_descriptors() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| Reply {
        delay_ms: 500,
        ..match seen.host.as_str() {
            "hn.algolia.com" => ordinary(seen),
            _ => reply(200, "text/html", PAGE),
        }
    })
    .await?;
    let mut command = command(&["stdio"]);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("FRESHCONTEXT_LIMIT_CALLS_IN_FLIGHT", "200");
    let limited = through("sh", &["-c", "ulimit -n $0 && exec \"$@\"", "64"], &command);
    let mut session = Session::open(limited, MODERN).await;
    let calls: Vec<(&str, Value)> = (0..HOSTS)
        .map(|at| {
            (
                "extract_changelog",
                json!({"url": format!("https://h{at}.example.org/changes")}),
            )
        })
        .collect();
    let mut codes: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in session.calls(&calls).await {
        let code = if outcome.is_error { outcome.code() } else { "" };
        *codes.entry(code.to_owned()).or_default() += 1;
    }
    eprintln!("few descriptors: {codes:?}");
    let wrong: Vec<&String> = codes
        .keys()
        .filter(|code| !["", "overloaded"].contains(&code.as_str()))
        .collect();
    assert!(wrong.is_empty() && codes.contains_key("overloaded"), "{codes:?}");
    let after = session.call("extract_hackernews", json!({"url": "rust"})).await;
    assert!(!after.is_error, "{}", after.text);
    Ok(())
}

/// Processor time of a process in hundredths of a second: `utime` and `stime` of proc(5).
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    let field = |at: usize| after.split(' ').nth(at).and_then(|text| text.parse::<u64>().ok());
    field(11).unwrap_or_default() + field(12).unwrap_or_default()
}

/// K01: a server that is asked nothing takes no processor time.
async fn idle() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    session.ask("tools/list", json!({})).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = ticks(session.process());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let taken = ticks(session.process()) - before;
    assert!(taken <= 1, "{taken} hundredths of a second in three seconds");
    session.ask("tools/list", json!({})).await;
    Ok(())
}
