//! The live state of the sources: the REST operation, the resource, the operator's page and the command line show the same.

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{Finished, LEGACY, MODERN, command, finish};
use crate::run::block_on;
use crate::upstreams::{ordinary, reply};
use crate::verdict;
use crate::wire::HttpServer;

/// Texts that must stand nowhere in a report.
const CANARIES: [&str; 5] = [
    "token-of-alice-0123456789",
    "key-of-github-0123456789",
    "canary-host",
    "canary-words",
    "token-of-bob-0123456789",
];
const PAGE: &str = "<html><head><title>Just a moment...</title></head><body><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script>Enable JavaScript and cookies to continue</body></html>";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("http::live_state", || block_on(state())),
        Trial::test("http::operator_page", || block_on(page())),
        Trial::test("http::live_state_without_a_service", || block_on(without())),
    ]
}

fn upstream(request: &SeenRequest) -> Reply {
    match request.host.as_str() {
        "export.arxiv.org" => reply(403, "text/html", PAGE),
        "api.gdeltproject.org" => {
            let mut refused = reply(429, "text/plain", "slow down");
            refused.headers.push(("retry-after".to_owned(), "600".to_owned()));
            refused
        }
        _ => ordinary(request),
    }
}

async fn start(upstream: &ScriptedUpstream, more: &[(&str, &str)]) -> HttpServer {
    let base = format!("*={}", upstream.base());
    let mut environment = vec![
        ("FRESHCONTEXT_UPSTREAM", base.as_str()),
        ("FRESHCONTEXT_LOG", "info"),
    ];
    environment.extend_from_slice(more);
    HttpServer::start(&environment).await
}

/// Calls tools with a token. The words and the host of a call are a caller's own.
async fn call(server: &HttpServer, token: &str, tool: &str, arguments: Value) -> Result<(), Failed> {
    let authorization = format!("Bearer {token}");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let headers = [
        ("Authorization", authorization.as_str()),
        ("MCP-Protocol-Version", LEGACY[3]),
    ];
    let answer = server.post(&headers, &message).await;
    if answer.status == 200 {
        Ok(())
    } else {
        Err(format!("{tool}: {answer:?}").into())
    }
}

fn source<'r>(report: &'r Value, id: &str) -> &'r Value {
    let sources = report["sources"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    sources
        .iter()
        .find(|source| source["id"] == id)
        .map_or(&Value::Null, |source| &source["live"])
}

/// After an answer, a refusal with a time, a block page and a call for a page of a caller's own, every door reports them, and
/// nothing of who asked what.
async fn state() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(upstream).await?;
    let server = start(
        &upstream,
        &[
            (
                "FRESHCONTEXT_HTTP_TOKENS",
                "alice=token-of-alice-0123456789,bob=token-of-bob-0123456789",
            ),
            ("GITHUB_TOKEN", "key-of-github-0123456789"),
        ],
    )
    .await;
    let alice = CANARIES[0];
    call(
        &server,
        alice,
        "extract_hackernews",
        json!({"url": "canary-words"}),
    )
    .await?;
    call(&server, alice, "extract_gdelt", json!({"url": "canary-words"})).await?;
    call(&server, alice, "extract_arxiv", json!({"url": "canary-words"})).await?;
    call(
        &server,
        alice,
        "extract_changelog",
        json!({"url": "https://canary-host.example.com/changes"}),
    )
    .await?;
    let bob = ("Authorization", "Bearer token-of-bob-0123456789");
    let rest = server.send("GET", "/v1/sources", &[bob], "").await;
    let report = rest.json();
    let mut complaints = Vec::new();
    let mut expect = |what: &str, is: bool| {
        if !is {
            complaints.push(what.to_owned());
        }
    };
    let hackernews = source(&report, "hackernews");
    expect(
        "an answer",
        hackernews["state"] == "answering" && hackernews["route"] == "algolia",
    );
    expect(
        "when",
        hackernews["last_success"]
            .as_str()
            .is_some_and(|at| at.len() == "2026-11-21T20:15:00Z".len()),
    );
    let gdelt = source(&report, "gdelt");
    expect("suspended", gdelt["state"] == "suspended");
    expect("why", gdelt["hosts"][0]["suspended"]["why"] == "asked");
    expect(
        "pace",
        gdelt["hosts"][0]["pace"] == json!({"requests": 1, "per_s": 6}),
    );
    expect(
        "what failed",
        gdelt["last_failure"]["code"] == "rate_limited" && gdelt["last_failure"]["http_status"] == 429,
    );
    let arxiv = source(&report, "arxiv");
    expect(
        "a block page",
        arxiv["block_page"].is_string() && arxiv["state"] != "answering",
    );
    expect(
        "a key is missing",
        source(&report, "finance")["missing_keys"][0]["env"] == "FINNHUB_API_KEY",
    );
    expect(
        "a key is there",
        !source(&report, "github")["missing_keys"]
            .to_string()
            .contains("GITHUB_TOKEN"),
    );
    expect("not asked", source(&report, "yc")["state"] == "untried");
    expect("alone", report["sharing"] == json!({"state": "off"}));
    let read = server
        .post(
            &[
                bob,
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "resources/read"),
                ("Mcp-Name", "freshcontext://sources"),
            ],
            &serde_json::from_str(
                &crate::wire::rpc(
                    MODERN,
                    1,
                    "resources/read",
                    json!({"uri": "freshcontext://sources"}),
                )
                .to_string(),
            )?,
        )
        .await;
    let resource = read.json()["result"]["contents"][0]["text"].clone();
    let resource: Value = serde_json::from_str(resource.as_str().unwrap_or("null"))?;
    expect(
        "the resource is the same",
        source(&resource, "arxiv") == arxiv && resource["sharing"] == report["sharing"],
    );
    let page = server.send("GET", "/", &[bob], "").await;
    expect(
        "the page says it",
        page.body.contains("left alone until") && page.body.contains("the host asked for it"),
    );
    expect(
        "the page names a block page",
        page.body.contains("a block page or captcha came"),
    );
    let shown = at_shell(&server, &["sources", "--live"], bob.1).await;
    expect(
        "the command line shows it",
        shown.code == Some(0)
            && shown.stdout.contains("the host asked for it")
            && shown.stdout.contains("FINNHUB_API_KEY is not set"),
    );
    let printed = at_shell(&server, &["sources", "--live", "--json"], bob.1).await;
    let printed: Value = serde_json::from_str(&printed.stdout)?;
    expect("and the same as JSON", source(&printed, "arxiv") == arxiv);
    let refused = at_shell(&server, &["sources", "--live"], "Bearer wrong").await;
    expect(
        "a refused token is no empty state",
        refused.code == Some(1) && refused.stdout.is_empty() && refused.stderr.contains("refused the token"),
    );
    for (what, text) in [
        ("REST", rest.body.as_str()),
        ("the resource", &read.body),
        ("the page", &page.body),
        ("the command line", &shown.stdout),
    ] {
        for canary in CANARIES.iter().filter(|canary| text.contains(*canary)) {
            complaints.push(format!("{canary} in {what}"));
        }
    }
    verdict(complaints)
}

async fn at_shell(server: &HttpServer, words: &[&str], authorization: &str) -> Finished {
    let mut command = command(words);
    command
        .env("FRESHCONTEXT_HTTP_ADDR", server.address.to_string())
        .env(
            "FRESHCONTEXT_HTTP_TOKEN",
            authorization.trim_start_matches("Bearer "),
        );
    finish(command, "").await
}

/// The page is behind the token, which a browser sends as a password. No other path takes one.
async fn page() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(upstream).await?;
    let server = start(&upstream, &[("FRESHCONTEXT_HTTP_TOKEN", "right-token")]).await;
    // `operator:right-token` and `operator:wrong-token`.
    let (right, wrong) = (
        "Basic b3BlcmF0b3I6cmlnaHQtdG9rZW4=",
        "Basic b3BlcmF0b3I6d3JvbmctdG9rZW4=",
    );
    let mut complaints = Vec::new();
    for (method, path, authorization, status) in [
        ("GET", "/", "", 401),
        ("GET", "/", right, 200),
        ("HEAD", "/", right, 200),
        ("GET", "/", "Bearer right-token", 200),
        ("GET", "/", wrong, 401),
        ("GET", "/", "Basic !", 401),
        ("POST", "/", right, 405),
        ("GET", "/v1/sources", right, 401),
        ("POST", "/mcp", right, 401),
        ("GET", "/metrics", right, 401),
    ] {
        let answer = server
            .send(method, path, &[("Authorization", authorization)], "")
            .await;
        if answer.status != status {
            complaints.push(format!("{method} {path} {authorization}: {}", answer.status));
        }
        if answer.status == 401 && path == "/" && !format!("{answer:?}").contains("Basic realm") {
            complaints.push(format!("a browser does not ask: {answer:?}"));
        }
    }
    let page = server.send("GET", "/", &[("Authorization", right)], "").await;
    let policy = page.header("content-security-policy");
    if !policy.starts_with("default-src 'none'; style-src 'sha256-")
        || page.header("cache-control") != "no-store"
    {
        complaints.push(format!("{policy} {}", page.header("cache-control")));
    }
    let foreign = server
        .send("GET", "/", &[("Authorization", right), ("Host", "evil.test")], "")
        .await;
    if foreign.status != 403 {
        complaints.push(format!("another Host: {}", foreign.status));
    }
    let open = start(&upstream, &[]).await;
    let answer = open.send("GET", "/", &[], "").await;
    if answer.status != 200 || !answer.body.contains("not asked since the start") {
        complaints.push(format!("without tokens: {answer:?}"));
    }
    verdict(complaints)
}

/// Without a service, the command says so and shows what is known without one.
async fn without() -> Result<(), Failed> {
    let mut command = command(&["sources", "--live"]);
    // Nobody listens on the port of tcpmux.
    command.env("FRESHCONTEXT_HTTP_ADDR", "127.0.0.1:1");
    let shown = finish(command, "").await;
    if shown.code == Some(0)
        && shown.stderr.contains("no service answers at http://127.0.0.1:1")
        && shown.stdout.contains("not asked since the start")
    {
        Ok(())
    } else {
        Err(format!("{} {}", shown.stdout, shown.stderr).into())
    }
}
