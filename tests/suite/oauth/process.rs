//! The whole process with an issuer on loopback: settings, owners of stored data, the log, `doctor`.

use chrono::Utc;
use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::AUDIENCE;
use super::issuer::{ED, Issuer, KEYS, METADATA, header};
use crate::process::{MODERN, command, finish, outcome};
use crate::run::block_on;
use crate::upstreams::{ordinary, reply};
use crate::wire::{Answer, HttpServer, rpc, version_headers};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("oauth::process::owners", || block_on(owners())),
        Trial::test("oauth::process::log", || block_on(log())),
        Trial::test("oauth::process::off", || block_on(off())),
        Trial::test("oauth::process::settings", || block_on(settings())),
        Trial::test("oauth::process::doctor", || block_on(doctor())),
        Trial::test("oauth::process::upstream", || block_on(upstream())),
    ]
}

/// A token by the real time: the process has no other clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the process under test reads the system's clock"
)]
fn token(issuer: &Issuer, subject: &str) -> String {
    let mut claims = issuer.claims(AUDIENCE, Utc::now().timestamp());
    claims.insert("sub".to_owned(), subject.into());
    issuer.token(&Value::Object(header("EdDSA", ED)), &Value::Object(claims), "ed")
}

async fn call(server: &HttpServer, token: &str, tool: &str, arguments: Value) -> Answer {
    let authorization = format!("Bearer {token}");
    let params = json!({"name": tool, "arguments": arguments});
    let mut headers = version_headers(MODERN, "tools/call", &params);
    headers.push(("Authorization", &authorization));
    server
        .post(&headers, &rpc(MODERN, 1, "tools/call", params.clone()))
        .await
}

/// What is stored belongs to the subject: another token of it reads it, another subject does not.
async fn owners() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_OAUTH_ISSUER", &issuer.name()),
        ("FRESHCONTEXT_HTTP_OAUTH_AUDIENCE", AUDIENCE),
        ("FRESHCONTEXT_HTTP_TOKENS", "alice=of-alice"),
        ("FRESHCONTEXT_TOOLSETS", "time"),
        ("FRESHCONTEXT_STORE", "memory"),
        // A replay and its upstreams leave the issuer alone.
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
    ])
    .await;
    let first = token(&issuer, "user-1");
    let answer = call(&server, &first, "extract_hackernews", json!({"url": "rust"})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let found = outcome(&answer.json());
    let id = found.structured["answer_id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(!id.is_empty(), "{}", found.structured);
    let other_token = token(&issuer, "user-1");
    for (who, token, is_theirs) in [
        ("the same", first, true),
        ("the same again", other_token, true),
        ("another subject", token(&issuer, "user-2"), false),
        ("a named token", "of-alice".to_owned(), false),
    ] {
        let answer = call(&server, &token, "recheck", json!({"answer_id": id})).await;
        assert_eq!(answer.status, 200, "{who}: {}", answer.body);
        let found = outcome(&answer.json());
        assert_eq!(!found.is_error, is_theirs, "{who}: {}", found.text);
    }
    let answer = call(&server, "of-bob", "extract_hackernews", json!({"url": "rust"})).await;
    assert_eq!(answer.status, 401);
    Ok(())
}

/// Refusals are in the log, once a minute for each reason, without the token and without the subject.
async fn log() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_HTTP_OAUTH_ISSUER", &issuer.name()),
        (
            "FRESHCONTEXT_HTTP_OAUTH_AUDIENCE",
            "https://other.example.com/mcp",
        ),
        ("FRESHCONTEXT_LOG", "debug"),
    ])
    .await;
    let token = token(&issuer, "user-1");
    for _ in 0..3 {
        let answer = call(&server, &token, "extract_hackernews", json!({"url": "rust"})).await;
        assert_eq!(answer.status, 401);
    }
    let said = || server.log.text();
    crate::wire::until("the line", async || said().contains("another audience")).await;
    assert_eq!(said().matches("another audience").count(), 1, "{}", said());
    assert!(said().contains("http.oauth"), "{}", said());
    for part in token.split('.') {
        assert!(!said().contains(part), "a part of the token is in the log");
    }
    assert!(!said().contains("user-1"), "{}", said());
    Ok(())
}

/// Without an issuer nothing changes: no metadata, and the old challenge.
async fn off() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_HTTP_TOKEN", "of-a-caller")]).await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        assert_eq!(server.send("GET", path, &[], "").await.status, 404);
    }
    let refused = server.send("POST", "/mcp", &[], "{}").await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.header("www-authenticate"),
        "Bearer realm=\"freshcontext\""
    );
    Ok(())
}

/// Settings that would accept too much, or nothing, are refused at the start, and by name.
async fn settings() -> Result<(), Failed> {
    let issuer = ("FRESHCONTEXT_HTTP_OAUTH_ISSUER", "https://login.example.com");
    let audience = ("FRESHCONTEXT_HTTP_OAUTH_AUDIENCE", AUDIENCE);
    for (environment, named) in [
        (vec![issuer], "http.oauth.audience"),
        (vec![audience], "http.oauth.issuer"),
        (
            vec![("FRESHCONTEXT_HTTP_OAUTH_SCOPES", "read")],
            "http.oauth.issuer",
        ),
        (
            vec![issuer, ("FRESHCONTEXT_HTTP_OAUTH_AUDIENCE", "api-1")],
            "http.oauth.resource",
        ),
        (
            vec![
                ("FRESHCONTEXT_HTTP_OAUTH_ISSUER", "http://login.example.com"),
                audience,
            ],
            "https address",
        ),
        (
            vec![issuer, audience, ("FRESHCONTEXT_HTTP_OAUTH_SCOPES", "a\"b")],
            "FRESHCONTEXT_HTTP_OAUTH_SCOPES",
        ),
        (
            vec![issuer, audience, ("FRESHCONTEXT_HTTP_OAUTH_ISUER", "x")],
            "unknown name `FRESHCONTEXT_HTTP_OAUTH_ISUER`; did you mean `FRESHCONTEXT_HTTP_OAUTH_ISSUER`?",
        ),
    ] {
        let mut command = command(&["http", "--addr", "127.0.0.1:0"]);
        command.envs(environment.iter().copied());
        let done = finish(command, "").await;
        assert_eq!(done.code, Some(2), "{environment:?}: {}", done.stderr);
        assert!(done.stderr.contains(named), "{environment:?}: {}", done.stderr);
    }
    // An address that others can reach needs no other token beside an issuer.
    let mut open = command(&["http", "--addr", "0.0.0.0:0"]);
    open.envs([issuer, audience]);
    let server = HttpServer::of(open).await;
    let answer = crate::wire::request(server.address, "POST", "/mcp", &[("Host", "localhost")], "{}");
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", server.address.port())).await?;
    tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes()).await?;
    assert_eq!(Answer::read(&mut stream).await.status, 401);
    Ok(())
}

/// `doctor` asks the issuer, and says what is wrong with it.
async fn doctor() -> Result<(), Failed> {
    let good = Issuer::start().await?;
    let without_keys = Issuer::start().await?;
    without_keys.set(KEYS, &json!({"keys": [{"kty": "oct", "k": "AAAA"}]}));
    let another = Issuer::start().await?;
    another.set(
        METADATA,
        &json!({"issuer": "https://evil.example", "jwks_uri": "https://evil.example/jwks"}),
    );
    let down = Issuer::start().await?;
    down.answer(METADATA, reply(500, "text/plain", ""));
    let gone = Issuer::start().await?.name();
    let local = "http://localhost:8787/mcp";
    for (issuer, audience, finding, code) in [
        (good.name(), local, "3 usable keys (ES256, EdDSA, RS256)", 0),
        (without_keys.name(), local, "no usable key", 1),
        (another.name(), local, "another issuer", 1),
        (down.name(), local, "cannot be read", 1),
        (gone, local, "cannot be read", 1),
        (good.name(), AUDIENCE, "http.allowed_hosts", 1),
        (good.name(), "", "http.oauth.audience", 1),
    ] {
        let mut command = command(&["doctor"]);
        command.env("FRESHCONTEXT_HTTP_OAUTH_ISSUER", &issuer);
        command.env("FRESHCONTEXT_HTTP_OAUTH_AUDIENCE", audience);
        let done = finish(command, "").await;
        assert!(
            done.stdout.contains(finding),
            "{finding}: {}{}",
            done.stdout,
            done.stderr
        );
        assert_eq!(done.code, Some(code), "{finding}: {}", done.stdout);
    }
    Ok(())
}

/// An upstream that names the issuer's host leads its requests, too, as to any mirror of the operator.
async fn upstream() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let name = "https://login.example.com";
    issuer.set(
        METADATA,
        &json!({"issuer": name, "jwks_uri": format!("{name}{KEYS}")}),
    );
    let mut command = command(&["doctor"]);
    command.env("FRESHCONTEXT_HTTP_OAUTH_ISSUER", name);
    command.env("FRESHCONTEXT_HTTP_OAUTH_AUDIENCE", "http://localhost:8787/mcp");
    command.env(
        "FRESHCONTEXT_UPSTREAM",
        format!("login.example.com={}", issuer.name()),
    );
    let done = finish(command, "").await;
    assert!(
        done.stdout.contains("3 usable keys"),
        "{}{}",
        done.stdout,
        done.stderr
    );
    Ok(())
}
