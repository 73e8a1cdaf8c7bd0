//! Maximum memory of the server under any input.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use ruzstd::encoding::CompressionLevel;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::hostile::{BROTLI, LARGE, deflate, fill, gzip};
use crate::process::{LEGACY, MODERN, PATIENCE, Session, command, through};
use crate::run::block_on;
use crate::upstreams::{query, reply};
use crate::wire::{HttpServer, request, rpc, version_headers};

/// Maximum above an idle server, in KiB.
const PEAK: u64 = 64 << 10;
/// The same for consecutive large lines: one is held, and none remains after its response.
const LINES_PEAK: u64 = 32 << 10;
/// Concurrent calls.
const AT_ONCE: usize = 16;
/// Address space granted to a server that reads hostile bodies or large requests, in KiB: heap, stacks and everything writable,
/// touched or not. A larger request aborts. A container's limit would be weaker, because it counts touched
/// memory only.
const GRANTED: &str = "262144";
/// Decompressed size of a bomb, in bytes.
const BOMB: usize = 32 << 20;
/// Kinds of hostile bodies.
const KINDS: usize = 16;

pub fn trials() -> Vec<Trial> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    vec![
        Trial::test("memory::unread_stdout", || block_on(unread())),
        Trial::test("memory::hostile_bodies", || block_on(bodies())),
        Trial::test("memory::large_requests", || block_on(large_requests())),
        Trial::test("memory::large_lines", || block_on(large_lines())),
    ]
}

/// The command with no more memory than [`GRANTED`].
fn granted(command: &tokio::process::Command) -> tokio::process::Command {
    through("sh", &["-c", "ulimit -d $0 && exec \"$@\"", GRANTED], command)
}

/// A figure of `/proc/<process>/status`, in KiB.
pub fn figure(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a running process");
    read_figure(&status, name).expect("a figure in KiB")
}

/// A figure of the text of such a file, in KiB.
pub fn read_figure(status: &str, name: &str) -> Option<u64> {
    let mut lines = status.lines();
    let rest = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    rest.trim().trim_end_matches(" kB").parse().ok()
}

/// Unread responses to any number of requests take little memory; when read, all arrive.
async fn unread() -> Result<(), Failed> {
    let judged = json!({"name": "evaluate_context", "arguments": {"profile": "official_docs",
        "intent": "citation_check", "signals": vec![json!({"source": "https://example.org/", "content": "a"}); 100]}});
    for (method, params, requests, most) in [
        ("ping", json!({}), 195_000_usize, 16 << 10),
        ("tools/call", judged, 150, 48 << 10),
    ] {
        let mut child = command(&["stdio"]).spawn()?;
        let process = child.id().ok_or("a process")?;
        let mut input = child.stdin.take().ok_or("a pipe")?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
        let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": LEGACY[3], "capabilities": {}, "clientInfo": {"name": "suite", "version": "1"}}});
        input.write_all(format!("{hello}\n").as_bytes()).await?;
        lines.next_line().await?.ok_or("an answer")?;
        input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .await?;
        let idle = figure(process, "VmRSS");
        let name = method.to_owned();
        let writing = tokio::spawn(async move {
            for id in 0..requests {
                let line = json!({"jsonrpc": "2.0", "id": id, "method": name, "params": params});
                input.write_all(format!("{line}\n").as_bytes()).await?;
            }
            Ok::<_, std::io::Error>(input)
        });
        // Until the pipe is full.
        let (mut last, mut same) = (0, 0);
        while same < 10 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = figure(process, "VmHWM");
            same = if now == last { same + 1 } else { 0 };
            last = now;
        }
        assert!(
            last <= idle + most,
            "{method}: {last} KiB with {requests} unread, {idle} KiB before"
        );
        let mut seen = HashSet::new();
        while seen.len() < requests {
            let line = tokio::time::timeout(PATIENCE, lines.next_line()).await??;
            let answer: Value = serde_json::from_str(&line.ok_or("an answer to each")?)?;
            assert!(answer["result"].is_object(), "{answer}");
            assert!(seen.insert(answer["id"].as_u64()), "{answer} came twice");
        }
        let input = writing.await??;
        let peak = figure(process, "VmHWM");
        assert!(
            peak <= idle + most,
            "{method}: {peak} KiB in the end, {idle} KiB before"
        );
        drop(input);
        assert!(tokio::time::timeout(PATIENCE, child.wait()).await??.success());
        eprintln!("{method}: idle {idle} KiB, peak {peak} KiB");
    }
    Ok(())
}

/// Sixteen of the largest requests at once over HTTP: each is answered or refused for lack of memory.
async fn large_requests() -> Result<(), Failed> {
    /// Placeholder for many small lists, which the test does not hold as values.
    const CRUMBS: &str = "many small lists";

    let params = json!({"name": "evaluate_context", "arguments": crate::judged::large()});
    let escaped = json!({"name": "evaluate_context", "arguments": crate::judged::arguments(
        &vec![json!({"source": "https://example.org/", "content": format!("a{}", "\n\t".repeat(24_999))}); 160])});
    let crumbs = json!({"name": "evaluate_context", "arguments": {"profile": "official_docs",
        "intent": "citation_check", "signals": [{"source": "https://example.org/", "content": "a",
            "metadata": {"a": CRUMBS}}]}});
    let many = format!("[{}0]", "[0],".repeat(4_000_000));
    for (what, params, answered) in [
        ("three-byte script", params, true),
        ("escapes", escaped, true),
        ("crumbs", crumbs, false),
    ] {
        let server = HttpServer::of(granted(&command(&["http", "--addr", "127.0.0.1:0"]))).await;
        server.ask(MODERN, "tools/list", json!({})).await;
        let idle = figure(server.process(), "VmHWM");
        let message = rpc(MODERN, 1, "tools/call", params.clone()).to_string();
        let message = message.replace(&format!("\"{CRUMBS}\""), &many);
        let headers = version_headers(MODERN, "tools/call", &params);
        let asked: Arc<str> = request(server.address, "POST", "/mcp", &headers, &message).into();
        assert!(asked.len() > 14 << 20, "{what}: {} bytes", asked.len());
        let server = Arc::new(server);
        let asking: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let (server, asked) = (Arc::clone(&server), Arc::clone(&asked));
                tokio::spawn(async move { server.raw(asked.as_bytes()).await })
            })
            .collect();
        let mut answers = Vec::new();
        for answer in asking {
            answers.push(answer.await?);
        }
        let peak = figure(server.process(), "VmHWM");
        let (mut judged, mut refused) = (0, 0);
        for answer in answers {
            let said = answer.json();
            if said["result"]["structuredContent"]["results"].is_array() {
                judged += 1;
            } else if answered {
                assert_eq!(answer.status, 503, "{what}: {said:.200}");
                assert_eq!(said["error"]["data"]["code"], "overloaded", "{what}: {said:.200}");
                refused += 1;
            } else {
                assert!(matches!(answer.status, 400 | 503), "{what}: {said:.200}");
                refused += usize::from(answer.status == 400);
            }
        }
        eprintln!(
            "{what}: idle {idle} KiB, +{} KiB, {judged} judged, {refused} refused",
            peak.saturating_sub(idle)
        );
        assert_eq!(judged > 0, answered, "{what}");
        assert!(answered || refused > 0, "{what}: none was looked at");
        assert!(peak <= idle + PEAK, "{what}: {peak} KiB, {idle} KiB before");
        server.ask(MODERN, "tools/list", json!({})).await;
    }
    Ok(())
}

/// The same over stdio, where the next line waits for capacity: all are answered.
async fn large_lines() -> Result<(), Failed> {
    let mut session = Session::open(granted(&command(&["stdio"])), MODERN).await;
    session.ask("tools/list", json!({})).await;
    let idle = figure(session.process(), "VmHWM");
    let calls = vec![("evaluate_context", crate::judged::large()); AT_ONCE / 2];
    let outcomes = session.calls(&calls).await;
    let peak = figure(session.process(), "VmHWM");
    eprintln!("large lines: idle {idle} KiB, +{} KiB", peak.saturating_sub(idle));
    for outcome in &outcomes {
        assert!(outcome.structured["results"].is_array(), "{}", outcome.text);
    }
    assert!(peak <= idle + LINES_PEAK, "{peak} KiB, {idle} KiB before");
    Ok(())
}

/// Bodies that grow much larger when read.
fn corpus(number: usize) -> Reply {
    let coded = |coding: &str, body: Vec<u8>| Reply {
        status: 200,
        headers: vec![
            ("content-type".to_owned(), "text/html".to_owned()),
            ("content-encoding".to_owned(), coding.to_owned()),
        ],
        body,
        delay_ms: 0,
    };
    let html = |body: Vec<u8>| coded("gzip", body);
    let long = || vec![b'x'; BOMB];
    // Little new text, so it compresses well, but enough not to count as a bomb by its ratio.
    let noise = |piece: &str, size: usize| {
        let mut state = 1_u32;
        let mut page = String::with_capacity(size);
        while page.len() < size {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            page.push_str(piece);
            page.push(char::from(b'a' + u8::try_from(state >> 28).unwrap_or_default()));
        }
        page
    };
    match number {
        0 => html(gzip(noise("<p>", (8 << 20) - 64).as_bytes())),
        1 => reply(200, "text/html", &fill("<p>", LARGE)),
        2 => html(gzip(noise("<i></i>", (8 << 20) - 64).as_bytes())),
        3 => coded("br", BROTLI.to_vec()),
        4 => reply(
            200,
            "application/json",
            &format!("{{\"hits\":[{}[]]}}", fill("[],", LARGE)),
        ),
        5 => reply(
            200,
            "application/json",
            &format!("{{\"hits\":[{}{{}}]}}", fill("{\"a\":0},", LARGE)),
        ),
        6 => reply(
            200,
            "application/json",
            &format!("{{\"hits\":[{}{{}}]}}", fill("{\"a\":[0]},", LARGE)),
        ),
        7 => {
            let entry = "<entry><id>a</id><title>b</title></entry>";
            let feed = fill(entry, LARGE);
            reply(
                200,
                "application/atom+xml",
                &format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{feed}</feed>"),
            )
        }
        8 => {
            let items = fill("<item/>", LARGE);
            reply(
                200,
                "application/rss+xml",
                &format!("<rss version=\"2.0\"><channel>{items}</channel></rss>"),
            )
        }
        9 => reply(200, "text/csv", &fill("a,b\n", LARGE)),
        10 => reply(200, "text/markdown", &fill("# 1.0\n", LARGE)),
        11 => html(gzip(&long())),
        12 => coded("gzip, gzip", gzip(&gzip(&long()))),
        13 => coded("deflate", deflate(&long())),
        14 => coded(
            "zstd",
            ruzstd::encoding::compress_to_vec(long().as_slice(), CompressionLevel::Fastest),
        ),
        // Members without any content.
        _ => html(gzip(b"").repeat(LARGE / gzip(b"").len())),
    }
}

/// With the default limits and 256 MiB, sixteen calls at once, one kind of body after another and then all of
/// them.
async fn bodies() -> Result<(), Failed> {
    let bodies: Vec<Reply> = (0..KINDS).map(corpus).collect();
    let upstream = ScriptedUpstream::start(move |request: &SeenRequest| {
        let asked = if request.host == "hn.algolia.com" {
            query(request)
        } else {
            request.host.clone()
        };
        let number = asked
            .split(['.', ' '])
            .next()
            .and_then(|name| name.trim_start_matches('k').parse::<usize>().ok());
        number
            .and_then(|number| bodies.get(number).cloned())
            .unwrap_or_else(|| reply(404, "text/plain", "nothing here"))
    })
    .await?;
    let mut peaks = Vec::new();
    for kind in 0..=KINDS {
        let mut command = command(&["stdio"]);
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        let mut session = Session::open(granted(&command), MODERN).await;
        session.ask("tools/list", json!({})).await;
        let idle = figure(session.process(), "VmHWM");
        let calls: Vec<_> = (0..AT_ONCE)
            .map(|at| {
                let body = if kind == KINDS { at } else { kind };
                if (4..=6).contains(&body) {
                    return ("extract_hackernews", json!({"url": format!("k{body} {at}")}));
                }
                let url = format!("https://k{body}.example.org/changes/{at}");
                ("extract_changelog", json!({"url": url}))
            })
            .collect();
        let outcomes = session.calls(&calls).await;
        let codes: HashSet<&str> = outcomes
            .iter()
            .map(freshcontext_testkit::check::Outcome::code)
            .collect();
        let peak = figure(session.process(), "VmHWM");
        eprintln!(
            "bodies {kind}: idle {idle} KiB, +{} KiB, {codes:?}",
            peak.saturating_sub(idle)
        );
        peaks.push((kind, peak.saturating_sub(idle)));
        session.ask("tools/list", json!({})).await;
    }
    let over: Vec<_> = peaks.iter().filter(|(_, above)| *above > PEAK).collect();
    assert!(over.is_empty(), "above an idle server, in KiB: {over:?}");
    Ok(())
}
