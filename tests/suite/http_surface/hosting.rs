//! Hosting the HTTP service: probes, cross-origin pages, clients that discover a login server, named tokens,
//! and replicas.

use std::time::Duration;

use freshcontext_testkit::{ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::process::{MODERN, PATIENCE, command, finish, signal};
use crate::run::block_on;
use crate::upstreams::{json_reply, ordinary};
use crate::verdict;
use crate::wire::{Answer, HttpServer, request, rpc, until, version_headers};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("http::probes", || block_on(probes())),
        Trial::test("http::pages_of_other_origins", || block_on(pages())),
        Trial::test("http::no_login_server", || block_on(no_login())),
        Trial::test("http::named_tokens", || block_on(named_tokens())),
        Trial::test("http::tokens_that_are_refused", || block_on(refused_tokens())),
        Trial::test("http::replicas_share_cursors", || block_on(replicas())),
    ];
    if cfg!(unix) {
        trials.push(Trial::test("http::not_ready_while_draining", || {
            block_on(draining())
        }));
    }
    trials
}

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

/// A supervisor connects by an address without an accepted host name, and needs no token; `healthcheck` does
/// the same.
async fn probes() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_HTTP_TOKEN", "right-token")]).await;
    let mut complaints = Vec::new();
    for (path, said) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        for host in ["10.1.2.3:8787", "freshcontext.svc.cluster.local", "evil.test"] {
            let answer = server.send("GET", path, &[("Host", host)], "").await;
            if (answer.status, answer.body.as_str()) != (200, said) {
                complaints.push(format!("{path} as {host}: {} {}", answer.status, answer.body));
            }
        }
        let foreign = server
            .send("GET", path, &[("Origin", "https://evil.test")], "")
            .await;
        if foreign.status != 403 {
            complaints.push(format!("{path} answers a page of anybody: {}", foreign.status));
        }
    }
    for (header, setting) in [
        (
            ("Host", "evil.test"),
            "http.allowed_hosts (FRESHCONTEXT_HTTP_ALLOWED_HOSTS)",
        ),
        (
            ("Origin", "https://evil.test"),
            "http.allowed_origins (FRESHCONTEXT_HTTP_ALLOWED_ORIGINS)",
        ),
    ] {
        let refused = server.send("POST", "/mcp", &[header], &ping()).await;
        let message = refused.json()["error"]["message"].to_string();
        if refused.status != 403 || !message.contains(setting) {
            complaints.push(format!("{header:?}: {} {message}", refused.status));
        }
    }
    let address = server.address.to_string();
    let asked = finish(command(&["healthcheck", "--addr", &address]), "").await;
    if asked.code != Some(0) || !asked.stdout.starts_with("ready: ") {
        complaints.push(format!("healthcheck of a running service: {asked:?}"));
    }
    let mut by_setting = command(&["healthcheck"]);
    by_setting.env("FRESHCONTEXT_HTTP_ADDR", &address);
    let asked = finish(by_setting, "").await;
    if asked.code != Some(0) {
        complaints.push(format!("healthcheck by the setting: {asked:?}"));
    }
    drop(server);
    let asked = finish(command(&["healthcheck", "--addr", &address]), "").await;
    if asked.code != Some(1) || asked.stderr.is_empty() {
        complaints.push(format!("healthcheck of nothing: {asked:?}"));
    }
    let asked = finish(command(&["healthcheck", "--addr", "127.0.0.1:0"]), "").await;
    if asked.code != Some(2) {
        complaints.push(format!("healthcheck of no port: {asked:?}"));
    }
    verdict(complaints)
}

/// After SIGTERM a pending probe gets an answer; later connections are refused.
async fn draining() -> Result<(), Failed> {
    let mut server = HttpServer::start(&[]).await;
    let mut probe = server.connect().await;
    let asked = request(server.address, "GET", "/readyz", &[], "");
    let (begin, rest) = asked.split_at(10);
    probe.write_all(begin.as_bytes()).await?;
    // Refused only for connections that have sent nothing.
    tokio::time::sleep(Duration::from_millis(300)).await;
    signal(server.process(), "TERM");
    until("the closed door", async || {
        TcpStream::connect(server.address).await.is_err()
    })
    .await;
    probe.write_all(rest.as_bytes()).await?;
    let answer = Answer::read(&mut probe).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (503, "draining\n"),
        "{answer:?}"
    );
    let asked = finish(
        command(&["healthcheck", "--addr", &server.address.to_string()]),
        "",
    )
    .await;
    assert_eq!(asked.code, Some(1), "{asked:?}");
    let status = tokio::time::timeout(PATIENCE, server.child.wait()).await??;
    assert_eq!(status.code(), Some(0));
    Ok(())
}

/// A browser sends a preflight without the token; the page then reads responses, including refusals.
async fn pages() -> Result<(), Failed> {
    let page = "https://app.example.com";
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_TOKEN", "right-token"),
        ("FRESHCONTEXT_HTTP_ALLOWED_ORIGINS", page),
    ])
    .await;
    let asks = [
        ("Access-Control-Request-Method", "POST"),
        (
            "Access-Control-Request-Headers",
            "authorization,content-type,mcp-protocol-version",
        ),
    ];
    let from = |origin: &'static str| [("Origin", origin), asks[0], asks[1]];
    let mut complaints = Vec::new();
    let open = |answer: &Answer| {
        answer.header("access-control-allow-origin") == page
            && answer
                .header("access-control-expose-headers")
                .contains("mcp-session-id")
            && answer.header("vary").contains("origin")
    };
    let preflight = server.send("OPTIONS", "/mcp", &from(page), "").await;
    if preflight.status != 204
        || !open(&preflight)
        || !preflight.header("access-control-allow-methods").contains("POST")
        || preflight.header("access-control-allow-headers") != asks[1].1
        || preflight.header("access-control-max-age").is_empty()
        || !preflight.header("access-control-allow-credentials").is_empty()
    {
        complaints.push(format!("preflight: {preflight:?}"));
    }
    let token = ("Authorization", "Bearer right-token");
    for (headers, status) in [
        (vec![("Origin", page), token], 200),
        // The page can also read why it is refused.
        (vec![("Origin", page)], 401),
    ] {
        let answer = server.send("POST", "/mcp", &headers, &ping()).await;
        if answer.status != status || !open(&answer) {
            complaints.push(format!("{headers:?}: {answer:?}"));
        }
    }
    for origin in [
        "https://evil.test",
        "http://app.example.com",
        "https://app.example.com:8443",
        "https://app.example.com.evil.test",
        "null",
    ] {
        let headers = [("Origin", origin), asks[0], asks[1], token];
        for (method, body) in [("OPTIONS", String::new()), ("POST", ping())] {
            let answer = server.send(method, "/mcp", &headers, &body).await;
            if answer.status != 403 || !answer.header("access-control-allow-origin").is_empty() {
                complaints.push(format!("{method} of {origin}: {answer:?}"));
            }
        }
    }
    let rebound = [("Origin", page), asks[0], ("Host", "evil.test")];
    let answer = server.send("OPTIONS", "/mcp", &rebound, "").await;
    if answer.status != 403 || !answer.header("access-control-allow-origin").is_empty() {
        complaints.push(format!("a preflight of another Host: {answer:?}"));
    }
    let plain = server.send("POST", "/mcp", &[token], &ping()).await;
    if !plain.header("access-control-allow-origin").is_empty() {
        complaints.push(format!("no page asked: {plain:?}"));
    }
    verdict(complaints)
}

/// Login discovery finds no login server, so the client sends its configured token.
async fn no_login() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_HTTP_TOKEN", "right-token")]).await;
    let mut complaints = Vec::new();
    for (method, path) in [
        ("GET", "/.well-known/oauth-protected-resource"),
        ("GET", "/.well-known/oauth-protected-resource/mcp"),
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/oauth-authorization-server/mcp"),
        ("GET", "/.well-known/openid-configuration"),
        ("GET", "/mcp/.well-known/openid-configuration"),
        ("POST", "/register"),
        ("GET", "/authorize"),
        ("POST", "/token"),
    ] {
        let answer = server.send(method, path, &[], "").await;
        if answer.status != 404 || !answer.header("www-authenticate").is_empty() {
            complaints.push(format!("{method} {path}: {}", answer.status));
        }
        let foreign = server.send(method, path, &[("Host", "evil.test")], "").await;
        if foreign.status != 403 {
            complaints.push(format!("{method} {path} of another Host: {}", foreign.status));
        }
    }
    for path in ["/", "/metrics", "/mcp"] {
        let answer = server.send("POST", path, &[], &ping()).await;
        if answer.status != 401 {
            complaints.push(format!("{path} without a token: {}", answer.status));
        }
    }
    verdict(complaints)
}

/// Each named token is counted separately at any address, and its name is logged; the tokens are not.
async fn named_tokens() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_HTTP_TOKEN", "one-for-everybody"),
        ("FRESHCONTEXT_HTTP_TOKENS", "alice=one-of-alice=, bob=one-of-bob"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_PER_MINUTE", "6"),
        ("FRESHCONTEXT_LIMIT_INBOUND_RATE_BURST", "3"),
        ("FRESHCONTEXT_LOG", "info"),
    ])
    .await;
    let with = |token: &'static str| ("Authorization", token);
    let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
    let mut headers = version_headers(MODERN, "tools/call", &params);
    headers.push(with("Bearer one-of-alice="));
    let message = rpc(MODERN, 1, "tools/call", params.clone());
    for _ in 0..3 {
        assert_eq!(server.post(&headers, &message).await.status, 200);
    }
    let refused = server.post(&headers, &message).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let error = &refused.json()["error"];
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|said| said.contains("`alice`"))
            && error["data"]["retry_after_s"].is_u64(),
        "{error}"
    );
    // The other named token and the unnamed one have not been counted; this machine's address has no rate
    // limit.
    for token in ["Bearer one-of-bob", "Bearer one-for-everybody"] {
        let answer = server.send("POST", "/mcp", &[with(token)], &ping()).await;
        assert_eq!(answer.status, 200, "{token}");
    }
    for token in [
        "Bearer alice",
        "Bearer one-of-alice",
        "Bearer alice=one-of-alice=",
    ] {
        let answer = server.send("POST", "/mcp", &[with(token)], &ping()).await;
        assert_eq!(answer.status, 401, "{token}");
    }
    let log = server.log.text();
    let calls: Vec<&str> = log.lines().filter(|line| line.contains("started")).collect();
    assert_eq!(calls.len(), 3, "{log}");
    assert!(
        calls.iter().all(|line| line.contains(r#"caller="alice""#)),
        "{log}"
    );
    assert!(!log.contains("one-of-") && !log.contains("one-for-"), "{log}");

    let mut listing = command(&["settings", "--json"]);
    listing.env("FRESHCONTEXT_HTTP_TOKENS", "alice=one-of-alice,bob=one-of-bob");
    let listed = finish(listing, "").await;
    assert!(!listed.stdout.contains("one-of-"), "{}", listed.stdout);
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout)?;
    let tokens = listed.iter().find(|setting| setting["key"] == "http.tokens");
    assert_eq!(
        tokens.map(|setting| &setting["value"]),
        Some(&json!("alice=(set),bob=(set)"))
    );
    Ok(())
}

/// On a public address each token is long; no token has two names; the error shows no token.
async fn refused_tokens() -> Result<(), Failed> {
    let long = "0123456789abcdef";
    let other = "fedcba9876543210";
    let mut complaints = Vec::new();
    for (addr, token, tokens, key) in [
        ("192.0.2.1:8787", "", "", "http.tokens"),
        ("192.0.2.1:8787", long, "bob=short", "`bob` in `http.tokens`"),
        ("192.0.2.1:8787", "short", &*format!("bob={long}"), "http.token"),
        ("127.0.0.1:0", long, &*format!("bob={long}"), "`bob`"),
        ("127.0.0.1:0", "", &*format!("alice={other},bob={other}"), "`bob`"),
        ("127.0.0.1:0", "", "bob=", "`bob`"),
        ("127.0.0.1:0", "", "b b=x", "letters"),
        ("127.0.0.1:0", "", "bob", "name=value"),
    ] {
        let mut starting = command(&["http", "--addr", addr]);
        starting
            .env("FRESHCONTEXT_HTTP_TOKEN", token)
            .env("FRESHCONTEXT_HTTP_TOKENS", tokens);
        let done = finish(starting, "").await;
        let shown = [long, other].iter().any(|secret| done.stderr.contains(secret));
        if done.code != Some(2) || !done.stderr.contains(key) || shown {
            complaints.push(format!("{addr} {token} {tokens}: {done:?}"));
        }
    }
    let mut starting = command(&["stdio"]);
    starting.env("FRESHCONTEXT_CURSOR_SECRET", "short");
    let done = finish(starting, "").await;
    if done.code != Some(2) || !done.stderr.contains("FRESHCONTEXT_CURSOR_SECRET") {
        complaints.push(format!("a short cursor_secret: {done:?}"));
    }
    verdict(complaints)
}

/// Hacker News with one story on each of many pages.
fn many_pages(seen: &SeenRequest) -> freshcontext_testkit::Reply {
    if seen.host != "hn.algolia.com" {
        return ordinary(seen);
    }
    let page: u32 = seen
        .target
        .split(['?', '&'])
        .find_map(|part| part.strip_prefix("page="))
        .and_then(|page| page.parse().ok())
        .unwrap_or(0);
    json_reply(
        &json!({"hits": [{"objectID": format!("4100000{page}"), "title": format!("On page {page}"),
            "url": "https://example.com/story", "author": "someone", "points": 10, "num_comments": 3,
            "created_at": "2025-06-01T10:00:00Z", "created_at_i": 1_748_772_000, "_tags": ["story"]}],
            "nbHits": 5, "page": page, "nbPages": 5, "hitsPerPage": 1, "exhaustiveNbHits": true})
        .to_string(),
    )
}

/// Two processes with the same secret accept each other's cursors; with different secrets, or none, they do
/// not.
async fn replicas() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(many_pages).await?;
    let base = format!("*={}", upstream.base());
    let start = async |extra: &[(&str, &str)]| {
        let mut environment = vec![("FRESHCONTEXT_UPSTREAM", base.as_str())];
        environment.extend_from_slice(extra);
        HttpServer::start(&environment).await
    };
    let secret = ("FRESHCONTEXT_CURSOR_SECRET", "a-secret-of-two-replicas");
    let asked = json!({"url": "rust", "limit": 1});
    let next = async |server: &HttpServer, token: &str, cursor: &Value| {
        let mut arguments = asked.clone();
        if cursor.is_string() {
            arguments["cursor"] = cursor.clone();
        }
        let params = json!({"name": "extract_hackernews", "arguments": arguments});
        let bearer = format!("Bearer {token}");
        let mut headers = version_headers(MODERN, "tools/call", &params);
        headers.push(("Authorization", &bearer));
        let answer = server
            .post(&headers, &rpc(MODERN, 1, "tools/call", params.clone()))
            .await;
        crate::process::outcome(&answer.json())
    };
    let (first, second) = (start(&[secret]).await, start(&[secret]).await);
    let mut cursor = Value::Null;
    let mut titles = Vec::new();
    for server in [&first, &second, &first, &second] {
        let page = next(server, "", &cursor).await;
        assert!(!page.is_error, "{}", page.text);
        titles.push(page.items()[0]["title"].clone());
        cursor = page.structured["next_cursor"].clone();
        assert!(cursor.is_string(), "{}", page.text);
    }
    let mut pages = titles.clone();
    pages.dedup();
    assert_eq!(pages.len(), 4, "each page once: {titles:?}");

    // So does a process of the shell.
    let words = format!("cursor={}", cursor.as_str().unwrap_or_default());
    let mut last = command(&["call", "extract_hackernews", "url=rust", "limit=1", &words]);
    last.env("FRESHCONTEXT_UPSTREAM", &base).env(secret.0, secret.1);
    let last = finish(last, "").await;
    assert!(
        last.code == Some(0) && last.stdout.contains("On page 4"),
        "{last:?}"
    );

    // The tokens serve as the secret if there is no other; without any, each process has its own.
    let token = ("FRESHCONTEXT_HTTP_TOKEN", "a-token-of-two-replicas");
    let other = ("FRESHCONTEXT_CURSOR_SECRET", "quite-another-secret");
    for (what, one, two, shared) in [
        ("the same token", vec![token], vec![token], true),
        ("another secret", vec![secret], vec![other], false),
        ("a secret and a token", vec![secret, token], vec![token], false),
        ("nothing", vec![], vec![], false),
    ] {
        let (one, two) = (start(&one).await, start(&two).await);
        let page = next(&one, token.1, &Value::Null).await;
        let found = next(&two, token.1, &page.structured["next_cursor"]).await;
        assert_eq!(!found.is_error, shared, "{what}: {}", found.text);
        assert!(shared || found.text.contains("cursor"), "{what}: {}", found.text);
    }
    Ok(())
}
