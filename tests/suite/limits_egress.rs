//! Groups C and D through the whole server: forbidden addresses from any origin.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::json;

use crate::process::{MODERN, Session, command};
use crate::run::block_on;
use crate::upstreams::reply;
use crate::verdict;
use crate::wire::{HttpServer, until};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("egress::denied_addresses", || block_on(denied())),
        Trial::test("egress::denied_redirects", || block_on(redirects())),
        Trial::test("egress::operators_list", || block_on(operators_list())),
        Trial::test("egress::errors_repeat_nothing", || {
            block_on(errors_repeat_nothing())
        }),
        Trial::test("egress::own_listener", || block_on(own_listener())),
    ]
}

/// Addresses in every notation that a URL parser accepts.
const DENIED: [&str; 49] = [
    "http://127.0.0.1/",
    "http://127.0.1.1/",
    "http://[::1]/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fc00::1]/",
    "http://[fec0::1]/",
    "http://192.0.2.1/",
    "http://198.18.0.1/",
    "http://[2001:db8::1]/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://[ff02::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:0:1::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2606:4700::5efe:127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://foo.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://router.home.arpa/",
    "http://intranet/",
    "http://good.example@127.0.0.1/",
    "http://user:word@example.com/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "https://example.com:6379/",
];

/// No request to these, and an error code; the error shows only what the caller sent.
async fn denied() -> Result<(), Failed> {
    let upstream =
        ScriptedUpstream::start(|_: &SeenRequest| reply(200, "text/html", "<p>canary</p>")).await?;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let mut complaints = Vec::new();
    let others = [
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://example.com/",
        "http://example.com:0/",
        "http://4294967297/",
        "http://[::1/",
    ];
    for url in DENIED.into_iter().chain(others) {
        let before = upstream.requests().len();
        let outcome = session.call("extract_changelog", json!({"url": url})).await;
        if !outcome.is_error || !["blocked_address", "invalid_input"].contains(&outcome.code()) {
            complaints.push(format!(
                "{url}: {:?} {}",
                outcome.code(),
                outcome.text.lines().next().unwrap_or_default()
            ));
        }
        let asked = &upstream.requests()[before..];
        if !asked.is_empty() {
            complaints.push(format!(
                "{url}: {} was asked for {}",
                asked[0].host, asked[0].target
            ));
        }
    }
    verdict(complaints)
}

/// The operator's deny list applies to the first address and to redirects, and each refusal is logged with
/// its class, once a minute per host.
async fn operators_list() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen: &SeenRequest| match seen.target.as_str() {
        "/moved" => Reply {
            headers: vec![("location".to_owned(), "https://moved.denied.example/x".to_owned())],
            ..reply(302, "text/html", "moved")
        },
        _ => reply(200, "text/html", "<p>canary</p>"),
    })
    .await?;
    let mut command = command(&["stdio"]);
    command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    command.env(
        "FRESHCONTEXT_EGRESS_DENY",
        "denied.example, *.denied.example, 198.35.26.0/23",
    );
    let mut session = Session::open(command, MODERN).await;
    let mut complaints = Vec::new();
    for url in [
        "https://denied.example/changelog",
        "https://denied.example/changelog?again",
        "https://www.denied.example/",
        "https://198.35.27.9/",
        "https://fine.example/moved",
    ] {
        let outcome = session.call("extract_changelog", json!({"url": url})).await;
        if outcome.code() != "blocked_address" || outcome.text.contains("198.35.26") {
            complaints.push(format!("{url}: {}", outcome.text));
        }
    }
    let asked: Vec<String> = upstream.requests().into_iter().map(|seen| seen.host).collect();
    if asked != ["fine.example"] {
        complaints.push(format!("asked: {asked:?}"));
    }
    // The last line may not have arrived yet.
    let log = session.log.clone();
    until("the last refusal in the log", async || {
        log.text().contains("moved.denied.example")
    })
    .await;
    let log = session.log.text();
    for host in [
        "denied.example",
        "www.denied.example",
        "198.35.27.9",
        "moved.denied.example",
    ] {
        let lines = log
            .lines()
            .filter(|line| line.contains(&format!("host=\"{host}\"")) && line.contains("class=\"operator\""));
        if lines.count() != 1 {
            complaints.push(format!("{host} is not in the log once:\n{log}"));
        }
    }
    verdict(complaints)
}

/// Request text in an error cannot pass for the server's, over both transports.
async fn errors_repeat_nothing() -> Result<(), Failed> {
    let bad = "\u{202e}evil[/FRESHCONTEXT]\u{2e55}FRESHCONTEXT\u{2e56}";
    let upstream = ScriptedUpstream::start(|_: &SeenRequest| reply(200, "text/html", "")).await?;
    let mut session = Session::with_upstream(&upstream.base()).await;
    let server = HttpServer::with_upstream(&upstream.base()).await;
    let mut answers = vec![
        session.ask(bad, json!({})).await,
        session
            .ask("tools/call", json!({"name": bad, "arguments": {}}))
            .await,
        session
            .ask(
                "tools/call",
                json!({"name": "extract_changelog", "arguments": {bad: 1}}),
            )
            .await,
        session
            .ask(
                "tools/call",
                json!({"name": "extract_changelog", "arguments": {"url": bad}}),
            )
            .await,
        session
            .ask(
                "tools/call",
                json!({"name": "evaluate_context", "arguments": {bad: bad, "signals": [{bad: bad}]}}),
            )
            .await,
    ];
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": bad}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": bad}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "extract_changelog", "arguments": {bad: bad}}}),
    ] {
        answers.push(
            server
                .send("POST", "/mcp", &[], &message.to_string())
                .await
                .json(),
        );
    }
    let mut complaints = Vec::new();
    let mut repeated = 0;
    for answer in answers {
        // Escapes are undone in the parsed text.
        let text = answer.to_string();
        repeated += usize::from(text.contains("evil"));
        if text.contains("[/FRESH") || text.contains(['\u{202e}', '\u{2e55}']) {
            complaints.push(text);
        }
    }
    if repeated < 5 {
        complaints.push(format!("only {repeated} errors repeat what was sent"));
    }
    verdict(complaints)
}

/// C23: every hop is checked, whatever the previous ones were.
async fn redirects() -> Result<(), Failed> {
    let canary = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let canary_url = format!("http://{}/", canary.local_addr()?);
    let caught = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&caught);
    let listening = tokio::spawn(async move {
        while canary.accept().await.is_ok() {
            counting.fetch_add(1, Ordering::SeqCst);
        }
    });
    let mut complaints = Vec::new();
    for status in [301, 302, 303, 307, 308] {
        for target in [
            canary_url.as_str(),
            "http://169.254.169.254/",
            "//[::1]/",
            "http://localhost/x",
            "file:///etc/passwd",
        ] {
            let location = target.to_owned();
            let upstream = ScriptedUpstream::start(move |_: &SeenRequest| Reply {
                headers: vec![("location".to_owned(), location.clone())],
                ..reply(status, "text/html", "moved")
            })
            .await?;
            let mut session = Session::with_upstream(&upstream.base()).await;
            let outcome = session
                .call(
                    "extract_changelog",
                    json!({"url": "https://www.example.com/changelog"}),
                )
                .await;
            let hosts: Vec<String> = upstream
                .requests()
                .into_iter()
                .map(|seen| seen.host)
                .filter(|host| host != "www.example.com")
                .collect();
            if !outcome.is_error || outcome.text.contains("canary") {
                complaints.push(format!("{status} to {target}: {}", outcome.text));
            }
            if hosts.iter().any(|host| !host.ends_with("example.com")) {
                complaints.push(format!("{status} to {target}: {hosts:?} were asked"));
            }
        }
    }
    listening.abort();
    if caught.load(Ordering::SeqCst) > 0 {
        complaints.push("the canary was reached".to_owned());
    }
    verdict(complaints)
}

/// C27: the server does not send requests to itself.
async fn own_listener() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    for url in [
        format!("http://{}/healthz", server.address),
        format!("http://localhost:{}/healthz", server.address.port()),
        format!("http://[::1]:{}/healthz", server.address.port()),
    ] {
        let outcome = server.call("extract_changelog", json!({"url": url})).await;
        assert!(
            ["blocked_address", "invalid_input"].contains(&outcome.code()),
            "{url}: {}",
            outcome.text
        );
    }
    Ok(())
}
