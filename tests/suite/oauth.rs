//! Access tokens of an OAuth 2.1 issuer: what is refused, what is accepted, and how often the issuer is asked.

mod issuer;
mod process;
mod refused;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use freshcontext_config::{HttpSettings, OAuthSettings};
use freshcontext_contract::{BoxFuture, Clock as _, Limits};
use freshcontext_fetch::{Config, Pipeline, Timer};
use freshcontext_mcp::McpServer;
use freshcontext_oauth::{IssuerDocuments, Options, ResourceServer};
use freshcontext_serve::http::{Interfaces, Rest, serve_until};
use freshcontext_testkit::{ScriptedUpstream, StepClock};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::process::{LEGACY, MODERN};
use crate::run::{self, block_on};
use crate::upstreams::{ordinary, reply};
use crate::verdict;
use crate::wire::{Answer, request, rpc, version_headers};
use issuer::{EC, ED, Issuer, KEYS, METADATA, RSA, Signers, header};

/// The members of a header, or of claims.
type Fields = Map<String, Value>;

/// The audience, which clients also write.
const AUDIENCE: &str = "https://mcp.example.com/mcp";
/// The scope that every token must have.
const SCOPE: &str = "freshcontext:read";
/// The challenge without an error.
const CHALLENGE: &str =
    "Bearer resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("oauth::accepted", || block_on(accepted())),
        Trial::test("oauth::named_tokens_beside_it", || block_on(named_tokens())),
        Trial::test("oauth::keys_at_most_once_a_minute", || block_on(once_a_minute())),
        Trial::test("oauth::many_callers_ask_once", || block_on(many_callers())),
        Trial::test("oauth::keys_change", || block_on(keys_change())),
        Trial::test("oauth::issuer_out_of_reach", || block_on(out_of_reach())),
        Trial::test("oauth::keys_end_after_a_day", || block_on(keys_end())),
        Trial::test("oauth::documents_that_are_none", || block_on(bad_documents())),
        Trial::test("oauth::discovery", || block_on(discovery())),
        Trial::test("oauth::metadata", || block_on(metadata())),
        Trial::test("oauth::pages_may_read_the_challenge", || block_on(pages())),
        Trial::test("oauth::rate_of_a_caller", || block_on(rate())),
    ];
    trials.extend(refused::trials());
    trials.extend(process::trials());
    trials
}

/// A monotonic clock that only tests advance. Its sleeps take real time.
#[derive(Clone)]
struct StepTimer {
    start: Instant,
    passed: Arc<Mutex<Duration>>,
}

impl StepTimer {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            passed: Arc::default(),
        }
    }

    fn step(&self, by: Duration) {
        *self.passed.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Timer for StepTimer {
    fn now(&self) -> Instant {
        self.start + *self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// An HTTP service that accepts the tokens of an issuer, in this process, with clocks that stand.
struct Door {
    address: std::net::SocketAddr,
    clock: Arc<StepClock>,
    timer: StepTimer,
    /// What the sources' requests come to.
    upstream: ScriptedUpstream,
    task: JoinHandle<()>,
}

impl Drop for Door {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Door {
    async fn open(issuer: &Issuer) -> Result<Self, Failed> {
        Self::with(&issuer.name(), HttpSettings::default(), Limits::DEFAULT).await
    }

    async fn with(issuer: &str, mut settings: HttpSettings, limits: Limits) -> Result<Self, Failed> {
        let clock = Arc::new(StepClock::new("2026-11-29T12:00:00Z".parse()?));
        let timer = StepTimer::new();
        let upstream = ScriptedUpstream::start(ordinary).await?;
        let engine = run::engine(&upstream.base(), clock.clone(), run::once(), |_| {})?;
        let mut config = Config::new(clock.clone());
        config.timer = Arc::new(timer.clone());
        let pipeline = Arc::new(Pipeline::new(config)?);
        settings.oauth = OAuthSettings {
            issuer: Some(issuer.to_owned()),
            audience: vec![AUDIENCE.to_owned()],
            ..OAuthSettings::default()
        };
        let options = Options {
            issuer: issuer.to_owned(),
            audiences: settings.oauth.audience.clone(),
            resource: AUDIENCE.to_owned(),
            scopes: vec![SCOPE.to_owned()],
        };
        let documents = Arc::new(IssuerDocuments(pipeline));
        let server = ResourceServer::new(options, documents, clock.clone(), Arc::new(timer.clone()))?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mcp = McpServer::new(Arc::clone(&engine));
        let interfaces = Interfaces {
            rest: Some(Arc::new(Rest::new(engine, mcp.clone(), |_| Vec::new()))),
            oauth: Some(Arc::new(server)),
            ..Interfaces::only(mcp)
        };
        let task = tokio::spawn(async move {
            let never = std::future::pending::<()>;
            serve_until(interfaces, listener, &settings, &limits, never(), never()).await;
        });
        Ok(Self {
            address,
            clock,
            timer,
            upstream,
            task,
        })
    }

    /// The moment, in seconds since 1970.
    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    fn later(&self, seconds: u32) {
        self.timer.step(Duration::from_secs(seconds.into()));
        self.clock.step(TimeDelta::seconds(seconds.into()));
    }

    /// A good token of Ed25519 for this subject.
    fn token_of(&self, issuer: &Issuer, subject: &str) -> String {
        let mut claims = issuer.claims(AUDIENCE, self.now());
        claims.insert("sub".to_owned(), subject.into());
        issuer.token(&Value::Object(header("EdDSA", ED)), &Value::Object(claims), "ed")
    }

    fn token(&self, issuer: &Issuer) -> String {
        self.token_of(issuer, "user-1")
    }

    /// Sends bytes on a new connection.
    async fn raw(&self, bytes: &[u8]) -> Result<Answer, Failed> {
        let mut stream = TcpStream::connect(self.address).await?;
        let _ = stream.write_all(bytes).await;
        Ok(Answer::read(&mut stream).await)
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer, Failed> {
        self.raw(request(self.address, method, path, headers, body).as_bytes())
            .await
    }

    /// Calls a tool that asks a source, with this token.
    async fn call(&self, token: &str) -> Result<Answer, Failed> {
        self.call_in(MODERN, token).await
    }

    async fn call_in(&self, version: &str, token: &str) -> Result<Answer, Failed> {
        let authorization = format!("Bearer {token}");
        let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"}});
        let mut headers = version_headers(version, "tools/call", &params);
        headers.push(("Authorization", &authorization));
        let message = rpc(version, 1, "tools/call", params.clone()).to_string();
        self.send("POST", "/mcp", &headers, &message).await
    }
}

/// Tokens of each algorithm, in the forms that issuers write, over MCP of both eras and REST.
async fn accepted() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    let now = door.now();
    let mut complaints = Vec::new();
    let change = |name: &str, value: Value| {
        let mut claims = issuer.claims(AUDIENCE, now);
        claims.insert(name.to_owned(), value);
        claims
    };
    let typed = |typ: Value| {
        let mut header = header("EdDSA", ED);
        header.insert("typ".to_owned(), typ);
        header
    };
    let plain = || issuer.claims(AUDIENCE, now);
    let without = |name: &str, mut fields: Map<String, Value>| {
        fields.shift_remove(name);
        fields
    };
    let cases: [(&str, Fields, Fields, &str); 16] = [
        ("EdDSA", header("EdDSA", ED), plain(), "ed"),
        ("ES256", header("ES256", EC), plain(), "ec"),
        ("RS256", header("RS256", RSA), plain(), "rsa"),
        (
            "no key id, and one key fits",
            without("kid", header("ES256", EC)),
            plain(),
            "ec",
        ),
        ("no type", without("typ", typed(Value::Null)), plain(), "ed"),
        ("type JWT", typed("JWT".into()), plain(), "ed"),
        (
            "type application/at+jwt",
            typed("application/AT+JWT".into()),
            plain(),
            "ed",
        ),
        (
            "several audiences",
            header("EdDSA", ED),
            change("aud", json!(["x", AUDIENCE])),
            "ed",
        ),
        (
            "a list of scopes",
            header("EdDSA", ED),
            change("scope", json!(["a", SCOPE])),
            "ed",
        ),
        (
            "scopes under another name",
            header("EdDSA", ED),
            without("scope", change("scp", json!(format!("a {SCOPE}")))),
            "ed",
        ),
        (
            "a fraction of a second",
            header("EdDSA", ED),
            change("exp", json!(now as f64 + 0.5)),
            "ed",
        ),
        (
            "expired within the leeway",
            header("EdDSA", ED),
            change("exp", json!(now - 29)),
            "ed",
        ),
        (
            "valid within the leeway",
            header("EdDSA", ED),
            change("nbf", json!(now + 29)),
            "ed",
        ),
        (
            "no beginning",
            header("EdDSA", ED),
            without("nbf", without("iat", plain())),
            "ed",
        ),
        (
            "a client alone",
            header("EdDSA", ED),
            without("sub", plain()),
            "ed",
        ),
        (
            "an address of keys in the header, which is not asked",
            {
                let mut header = header("EdDSA", ED);
                header.insert("jku".to_owned(), format!("{}/other", issuer.name()).into());
                header
            },
            plain(),
            "ed",
        ),
    ];
    for (what, header, claims, sign) in cases {
        let token = issuer.token(&Value::Object(header), &Value::Object(claims), sign);
        for version in [LEGACY[3], MODERN] {
            let answer = door.call_in(version, &token).await?;
            if answer.status != 200 || !answer.body.contains("About rust") {
                complaints.push(format!("{what}, {version}: {} {}", answer.status, answer.body));
            }
        }
        let authorization = format!("bearer {token}");
        let answer = door
            .send("GET", "/v1/tools", &[("Authorization", &authorization)], "")
            .await?;
        if answer.status != 200 {
            complaints.push(format!("{what}, REST: {} {}", answer.status, answer.body));
        }
    }
    assert_eq!(issuer.asked(KEYS), 1, "one key document serves them all");
    assert_eq!(issuer.asked("/other"), 0);
    verdict(complaints)
}

/// Named tokens go on beside access tokens, also while the issuer is out of reach.
async fn named_tokens() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    issuer.answer(METADATA, reply(503, "text/plain", "later"));
    let settings = HttpSettings {
        tokens: [("alice".to_owned(), freshcontext_config::Secret::new("of-alice"))].into(),
        ..HttpSettings::default()
    };
    let door = Door::with(&issuer.name(), settings, Limits::DEFAULT).await?;
    // The operator's page alone offers a browser the password, beside the issuer.
    for (path, authorization, offers) in [
        ("/", "Other x", true),
        ("/", "Basic eDp5", true),
        ("/v1/tools", "Basic eDp5", false),
    ] {
        let headers = [("Authorization", authorization)];
        let answer = door.send("GET", path, &headers, "").await?;
        assert_eq!(answer.status, 401, "{path} {authorization}");
        assert_eq!(
            answer.header("www-authenticate").split(' ').next(),
            Some("Bearer")
        );
        assert_eq!(format!("{answer:?}").contains("Basic realm"), offers, "{path}");
    }
    assert_eq!(door.call("of-alice").await?.status, 200);
    assert_eq!(issuer.server.requests().len(), 0, "a named token asks no issuer");
    assert_eq!(door.call("of-bob").await?.status, 401);
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 503);
    assert_eq!(door.call("of-alice").await?.status, 200);
    Ok(())
}

/// Whatever callers send, the keys are requested once a minute.
async fn once_a_minute() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    for minute in 0..4 {
        for number in 0..40 {
            let header = Value::Object(header("EdDSA", &format!("unknown-{minute}-{number}")));
            let claims = Value::Object(issuer.claims(AUDIENCE, door.now()));
            let answer = door.call(&issuer.token(&header, &claims, "ed")).await?;
            assert_eq!(answer.status, 401, "{}", answer.body);
            if number == 20 {
                door.later(59);
            }
        }
        assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
        assert_eq!(issuer.asked(KEYS), minute + 1, "after {minute} minutes");
        assert_eq!(issuer.asked(METADATA), minute + 1, "after {minute} minutes");
        door.later(1);
    }
    let upstream = door.upstream.requests().len();
    assert!(
        upstream <= 4,
        "{upstream} requests for four calls with a good token"
    );
    Ok(())
}

/// Callers that come at once wait for one request; one that leaves does not end it.
async fn many_callers() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let mut slow = crate::upstreams::json_reply(&issuer.signers.jwks().to_string());
    slow.delay_ms = 300;
    issuer.answer(KEYS, slow);
    let door = Door::open(&issuer).await?;
    let token = door.token(&issuer);
    let leaver = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    let mut stream = TcpStream::connect(door.address).await?;
    stream.write_all(leaver.as_bytes()).await?;
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(stream);
    let calls = (0..20).map(|_| door.call(&token));
    for answer in futures_util::future::join_all(calls).await {
        let answer = answer?;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    assert_eq!(issuer.asked(KEYS), 1);
    Ok(())
}

/// A new key is found, and a key that the issuer removed ends with the next look.
async fn keys_change() -> Result<(), Failed> {
    let mut issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    let old = door.token(&issuer);
    assert_eq!(door.call(&old).await?.status, 200);
    issuer.signers = Signers::new();
    issuer.set(KEYS, &json!({"keys": [issuer.signers.ed_jwk("ed-new")]}));
    let claims = Value::Object(issuer.claims(AUDIENCE, door.now()));
    let new = issuer.token(&Value::Object(header("EdDSA", "ed-new")), &claims, "ed");
    assert_eq!(
        door.call(&new).await?.status,
        401,
        "the keys were read a moment ago"
    );
    assert_eq!(door.call(&old).await?.status, 200);
    door.later(60);
    assert_eq!(door.call(&new).await?.status, 200);
    let refused = door.call(&old).await?;
    assert_eq!(refused.status, 401, "its key was removed");
    assert_eq!(issuer.asked(KEYS), 2);

    // Without an unknown key id, too, the keys are read again after a while.
    issuer.set(KEYS, &json!({"keys": [issuer.signers.ed_jwk("ed-newest")]}));
    door.later(600);
    let claims = Value::Object(issuer.claims(AUDIENCE, door.now()));
    let new = issuer.token(&Value::Object(header("EdDSA", "ed-new")), &claims, "ed");
    assert_eq!(door.call(&new).await?.status, 200, "nobody waits for the look");
    crate::wire::until("the look", async || issuer.asked(KEYS) == 3).await;
    crate::wire::until("its outcome", async || {
        door.call(&new).await.is_ok_and(|answer| answer.status == 401)
    })
    .await;
    Ok(())
}

/// While no key is known, a token gets 503; known keys serve while the issuer is out of reach.
async fn out_of_reach() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let down = || reply(503, "text/plain", "down");
    issuer.answer(METADATA, down());
    let door = Door::open(&issuer).await?;
    for _ in 0..5 {
        let answer = door.call(&door.token(&issuer)).await?;
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert_eq!(answer.header("retry-after"), "60");
        assert_eq!(answer.header("www-authenticate"), "");
        assert_eq!(answer.json()["error"]["data"]["code"], "unreachable");
    }
    assert_eq!(issuer.asked(METADATA), 1);
    assert_eq!(door.upstream.requests().len(), 0);
    // What can be refused without a key is refused as ever.
    let nothing = door.send("POST", "/mcp", &[], "{}").await?;
    assert_eq!((nothing.status, nothing.header("retry-after")), (401, ""));
    let authorization = format!("Bearer {}", door.token(&issuer));
    let rest = door
        .send("GET", "/v1/tools", &[("Authorization", &authorization)], "")
        .await?;
    assert_eq!(
        (rest.status, rest.json()["code"].as_str()),
        (503, Some("unreachable"))
    );

    door.later(45);
    let answer = door.call(&door.token(&issuer)).await?;
    assert_eq!((answer.status, answer.header("retry-after")), (503, "15"));
    issuer.set(METADATA, &issuer.metadata());
    door.later(15);
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
    issuer.answer(METADATA, down());
    issuer.answer(KEYS, down());
    for _ in 0..20 {
        door.later(3_600);
        assert_eq!(
            door.call(&door.token(&issuer)).await?.status,
            200,
            "the keys are kept"
        );
    }
    Ok(())
}

/// Keys that were not confirmed for a day serve no longer.
async fn keys_end() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
    issuer.answer(METADATA, reply(503, "text/plain", "down"));
    door.later(86_399);
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 200);
    crate::wire::until("a look", async || issuer.asked(METADATA) == 2).await;
    door.later(61);
    assert_eq!(door.call(&door.token(&issuer)).await?.status, 503);
    Ok(())
}

/// Documents that are no metadata or no keys, are too large, or lead elsewhere: no token is accepted.
async fn bad_documents() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let (good, keys) = (issuer.metadata(), issuer.signers.jwks());
    let with = |name: &str, value: Value| {
        let mut document = good.clone();
        document[name] = value;
        document.to_string()
    };
    let json = |text: &str| crate::upstreams::json_reply(text);
    let moved = freshcontext_testkit::Reply {
        headers: vec![("location".to_owned(), format!("{}{KEYS}", issuer.name()))],
        ..reply(302, "text/plain", "")
    };
    let other = issuer.name().replace("127.0.0.1", "127.0.0.2");
    for (what, path, answer) in [
        ("a page", METADATA, reply(200, "text/html", "<!doctype html>")),
        (
            "another issuer",
            METADATA,
            json(&with("issuer", "https://evil.example".into())),
        ),
        (
            "a slash more",
            METADATA,
            json(&with("issuer", format!("{}/", issuer.name()).into())),
        ),
        ("no keys", METADATA, json(&with("jwks_uri", Value::Null))),
        (
            "keys without TLS elsewhere",
            METADATA,
            json(&with("jwks_uri", format!("{other}{KEYS}").into())),
        ),
        (
            "keys at a private address",
            METADATA,
            json(&with("jwks_uri", "https://10.0.0.1/jwks".into())),
        ),
        (
            "keys at this machine",
            METADATA,
            json(&with("jwks_uri", "https://127.0.0.1/jwks".into())),
        ),
        (
            "keys of the cloud",
            METADATA,
            json(&with("jwks_uri", "https://169.254.169.254/jwks".into())),
        ),
        (
            "keys in a file",
            METADATA,
            json(&with("jwks_uri", "file:///etc/passwd".into())),
        ),
        ("moved", KEYS, moved),
        ("an error", KEYS, reply(500, "text/plain", "")),
        ("no list", KEYS, json("{\"keys\": {}}")),
        ("cut", KEYS, json(keys.to_string().get(..60).unwrap_or_default())),
        (
            "too large",
            KEYS,
            json(&format!("{}{keys}", " ".repeat(300 << 10))),
        ),
    ] {
        issuer.answer(METADATA, json(&good.to_string()));
        issuer.answer(KEYS, json(&keys.to_string()));
        issuer.answer(path, answer);
        let door = Door::open(&issuer).await?;
        let answer = door.call(&door.token(&issuer)).await?;
        assert_eq!(answer.status, 503, "{what}: {}", answer.body);
    }
    issuer.answer(METADATA, json(&good.to_string()));
    issuer.answer(KEYS, json("{\"keys\": []}"));
    let door = Door::open(&issuer).await?;
    assert_eq!(
        door.call(&door.token(&issuer)).await?.status,
        503,
        "an empty set is a failed request, so no key is known"
    );
    Ok(())
}

/// Metadata is found at each of the places of the two standards.
async fn discovery() -> Result<(), Failed> {
    for (path, place) in [
        ("", "/.well-known/oauth-authorization-server"),
        ("", "/.well-known/openid-configuration"),
        (
            "/realms/one",
            "/.well-known/oauth-authorization-server/realms/one",
        ),
        ("/realms/one", "/.well-known/openid-configuration/realms/one"),
        ("/realms/one", "/realms/one/.well-known/openid-configuration"),
        ("/", "/.well-known/openid-configuration"),
    ] {
        let issuer = Issuer::start().await?;
        let name = format!("{}{path}", issuer.name());
        issuer.answer(METADATA, reply(404, "text/plain", "none"));
        let mut metadata = issuer.metadata();
        metadata["issuer"] = name.clone().into();
        issuer.set(place, &metadata);
        let door = Door::with(&name, HttpSettings::default(), Limits::DEFAULT).await?;
        let mut claims = issuer.claims(AUDIENCE, door.now());
        claims.insert("iss".to_owned(), name.into());
        let token = issuer.token(&Value::Object(header("EdDSA", ED)), &Value::Object(claims), "ed");
        let answer = door.call(&token).await?;
        assert_eq!(answer.status, 200, "{place}: {}", answer.body);
    }
    Ok(())
}

/// The protected resource metadata, at both places, without a token.
async fn metadata() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let answer = door.send("GET", path, &[], "").await?;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(
            answer.json(),
            json!({"resource": AUDIENCE, "authorization_servers": [issuer.name()],
                "bearer_methods_supported": ["header"], "scopes_supported": [SCOPE],
                "resource_name": "FreshContext"})
        );
        let posted = door.send("POST", path, &[], "{}").await?;
        assert_eq!((posted.status, posted.header("allow")), (405, "GET, HEAD"));
    }
    for path in [
        "/.well-known/oauth-protected-resource/other",
        "/.well-known/oauth-protected-resource/",
        "/.well-known/oauth-protected-resourcemcp",
        "/.well-known/oauth-authorization-server",
        "/register",
        "/token",
    ] {
        assert_eq!(door.send("GET", path, &[], "").await?.status, 404, "{path}");
    }
    assert_eq!(issuer.server.requests().len(), 0, "nothing was asked for this");
    Ok(())
}

/// A page of an allowed origin reads the challenge and the metadata; other pages get 403.
async fn pages() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let door = Door::open(&issuer).await?;
    let page = ("Origin", "http://localhost:3000");
    let refused = door.send("POST", "/mcp", &[page], "{}").await?;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.header("access-control-allow-origin"), page.1);
    assert!(
        refused
            .header("access-control-expose-headers")
            .contains("www-authenticate")
    );
    assert_eq!(
        refused.header("www-authenticate"),
        format!("{CHALLENGE}, scope=\"{SCOPE}\"")
    );
    let path = "/.well-known/oauth-protected-resource/mcp";
    let found = door.send("GET", path, &[page], "").await?;
    assert_eq!(
        (found.status, found.header("access-control-allow-origin")),
        (200, page.1)
    );
    let preflight = [
        page,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization"),
    ];
    let allowed = door.send("OPTIONS", "/mcp", &preflight, "").await?;
    assert_eq!(allowed.status, 204);
    assert!(
        allowed
            .header("access-control-allow-headers")
            .contains("authorization")
    );
    let other = door
        .send("GET", path, &[("Origin", "https://evil.example")], "")
        .await?;
    assert_eq!(other.status, 403);
    Ok(())
}

/// Each subject has a rate of its own, whatever token it shows; named tokens have theirs.
async fn rate() -> Result<(), Failed> {
    let issuer = Issuer::start().await?;
    let limits = Limits {
        inbound_rate_per_minute: 1,
        inbound_rate_burst: 3,
        ..Limits::DEFAULT
    };
    let door = Door::with(&issuer.name(), HttpSettings::default(), limits).await?;
    let second = {
        let mut claims = issuer.claims(AUDIENCE, door.now());
        claims.insert("client_id".to_owned(), "client-2".into());
        claims.insert("jti".to_owned(), "2".into());
        issuer.token(&Value::Object(header("ES256", EC)), &Value::Object(claims), "ec")
    };
    for token in [door.token(&issuer), second.clone(), door.token(&issuer)] {
        assert_eq!(door.call(&token).await?.status, 200);
    }
    let refused = door.call(&second).await?;
    assert_eq!(refused.status, 429, "{}", refused.body);
    assert!(
        refused.body.contains("oauth:") && !refused.body.contains("user-1"),
        "{}",
        refused.body
    );
    for subject in ["user-2", "user-3"] {
        assert_eq!(door.call(&door.token_of(&issuer, subject)).await?.status, 200);
    }
    Ok(())
}
