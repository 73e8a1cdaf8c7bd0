//! Groups C and D through the whole server: addresses that must not be asked, whoever names them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::json;

use crate::process::Session;
use crate::run::block_on;
use crate::upstreams::reply;
use crate::verdict;
use crate::wire::HttpServer;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("egress::denied_addresses", || block_on(denied())),
        Trial::test("egress::denied_redirects", || block_on(redirects())),
        Trial::test("egress::own_listener", || block_on(own_listener())),
    ]
}

/// Addresses in every notation that a URL parser takes.
const DENIED: [&str; 46] = [
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

/// No request for these, and a code that says why; nothing of them is shown beyond what the caller said.
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

/// C23: every hop is judged again, however good the first was.
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

/// C27: the server does not ask itself.
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
