//! Statuses, media types, methods, the door, and the description.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::command;
use crate::run::block_on;
use crate::verdict;
use crate::wire::HttpServer;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("rest::statuses", || block_on(statuses())),
        Trial::test("rest::door", || block_on(door())),
        Trial::test("rest::without_the_network", || block_on(without_the_network())),
        Trial::test("rest::late_evaluation", || block_on(late_evaluation())),
        Trial::test("rest::described", || block_on(described())),
    ]
}

/// Every refusal has its status, its code, and an id.
async fn statuses() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_DISABLE_SOURCES", "arxiv")]).await;
    let mut complaints = Vec::new();
    let evaluate = "/v1/evaluate";
    for (what, method, path, headers, body, status, code, says) in [
        (
            "nothing there",
            "GET",
            "/v1/nothing",
            vec![],
            "",
            404,
            "not_found",
            "openapi.json",
        ),
        (
            "no tool",
            "POST",
            "/v1/tools/nonsense",
            vec![],
            "{}",
            404,
            "not_found",
            "GET /v1/tools",
        ),
        (
            "a toolset that is off",
            "POST",
            "/v1/recheck",
            vec![],
            "{}",
            404,
            "not_found",
            "FRESHCONTEXT_TOOLSETS",
        ),
        (
            "another one",
            "POST",
            "/v1/references",
            vec![],
            "{}",
            404,
            "not_found",
            "`references`",
        ),
        (
            "a tool of a toolset",
            "POST",
            "/v1/tools/deliverable_list",
            vec![],
            "{}",
            404,
            "not_found",
            "`time`",
        ),
        (
            "a source that is off",
            "POST",
            "/v1/tools/extract_arxiv",
            vec![],
            "{}",
            404,
            "not_found",
            "FRESHCONTEXT_DISABLE_SOURCES",
        ),
        (
            "a wrong method",
            "GET",
            evaluate,
            vec![],
            "",
            405,
            "invalid_input",
            "POST",
        ),
        (
            "another wrong method",
            "DELETE",
            "/v1/health",
            vec![],
            "",
            405,
            "invalid_input",
            "GET, HEAD",
        ),
        (
            "no method",
            "PUT",
            "/v1/tools/extract_github",
            vec![],
            "{}",
            405,
            "invalid_input",
            "POST",
        ),
        (
            "no JSON",
            "POST",
            evaluate,
            vec![],
            "{oops",
            400,
            "invalid_input",
            "is not JSON",
        ),
        (
            "no object",
            "POST",
            evaluate,
            vec![],
            "[]",
            400,
            "invalid_input",
            "JSON object",
        ),
        (
            "something behind it",
            "POST",
            evaluate,
            vec![],
            "{} {}",
            400,
            "invalid_input",
            "is not JSON",
        ),
        (
            "no body",
            "POST",
            "/v1/tools/extract_github",
            vec![],
            "",
            400,
            "invalid_input",
            "is not JSON",
        ),
        (
            "no arguments",
            "POST",
            "/v1/tools/extract_github",
            vec![],
            "{}",
            400,
            "invalid_input",
            "url",
        ),
        (
            "a wrong argument",
            "POST",
            evaluate,
            vec![],
            r#"{"signals": 3}"#,
            400,
            "invalid_input",
            "signals",
        ),
        (
            "a number beyond what is read",
            "POST",
            evaluate,
            vec![],
            r#"{"signals": [{"source": "a", "content": "x", "semantic_score": 1e400}]}"#,
            400,
            "invalid_input",
            "holds a number beyond what can be read",
        ),
        (
            "half of a character",
            "POST",
            "/v1/inspect",
            vec![],
            r#"{"text": "\ud800"}"#,
            400,
            "invalid_input",
            "holds half of a character",
        ),
        (
            "a packed body",
            "POST",
            evaluate,
            vec![("Content-Encoding", "gzip")],
            "{}",
            415,
            "invalid_input",
            "Content-Encoding: gzip",
        ),
        (
            "another charset",
            "POST",
            "/v1/inspect",
            vec![("Content-Type", "application/json; charset=utf-16")],
            "{}",
            415,
            "invalid_input",
            "charset=utf-16",
        ),
        (
            "an encoded name, read",
            "GET",
            "/v1/tools/evaluate%5Fcontext",
            vec![],
            "",
            405,
            "invalid_input",
            "POST",
        ),
        (
            "an encoded name, called",
            "POST",
            "/v1/tools/evaluate%5Fcontext",
            vec![],
            r#"{"signals": 3}"#,
            400,
            "invalid_input",
            "signals",
        ),
        (
            "a budget that is too small",
            "POST",
            evaluate,
            vec![],
            r#"{"signals": [{"source": "https://example.com/a", "content": "Ships of the harbour come and go with the tide, day after day, and the pilots wait at the quay for each of them in turn, as they did a hundred years ago.", "published_at": "2026-11-20"}], "budget": {"max_tokens": 64, "overflow_strategy": "reject"}}"#,
            422,
            "too_large",
            "budget",
        ),
        (
            "a form",
            "POST",
            evaluate,
            vec![("Content-Type", "application/x-www-form-urlencoded")],
            "a=b",
            415,
            "invalid_input",
            "application/json",
        ),
        (
            "a picture",
            "POST",
            evaluate,
            vec![("Accept", "image/png")],
            "{}",
            406,
            "invalid_input",
            "text/plain",
        ),
        (
            "text of a structure",
            "GET",
            "/v1/decay",
            vec![("Accept", "text/plain")],
            "",
            406,
            "invalid_input",
            "application/json",
        ),
        (
            "an address that must not be reached",
            "POST",
            "/v1/tools/extract_changelog",
            vec![],
            r#"{"url": "http://169.254.169.254/"}"#,
            403,
            "blocked_address",
            "",
        ),
        (
            "facts with a verdict",
            "POST",
            "/v1/stamp",
            vec![],
            r#"{"content": "a", "adapter": "b", "decision": "use_first"}"#,
            400,
            "invalid_input",
            "--key-file",
        ),
        (
            "facts without a text",
            "POST",
            "/v1/stamp",
            vec![],
            r#"{"adapter": "b"}"#,
            400,
            "invalid_input",
            "content",
        ),
        (
            "a stamp with a key",
            "POST",
            "/v1/verify",
            vec![],
            r#"{"scheme": "FRESHCONTEXT_HA_PRI_V3", "content": "a", "adapter": "b"}"#,
            400,
            "invalid_input",
            "--key-file",
        ),
        (
            "a key among the facts",
            "POST",
            "/v1/stamp",
            vec![],
            r#"{"content": "a", "adapter": "b", "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3gI5": 1}"#,
            400,
            "invalid_input",
            "[masked:github_token]",
        ),
        (
            "a key in a stamp",
            "POST",
            "/v1/verify",
            vec![],
            r#"{"content": "a", "adapter": "b", "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cE3gI5": 1}"#,
            400,
            "invalid_input",
            "[masked:github_token]",
        ),
        (
            "nothing to inspect",
            "POST",
            "/v1/inspect",
            vec![],
            r#"{"words": "a"}"#,
            400,
            "invalid_input",
            "text",
        ),
    ] {
        let answer = server.send(method, path, &headers, body).await;
        let problem = answer.json();
        let is_problem = answer.header("content-type") == "application/problem+json"
            && problem["status"] == status
            && problem["code"] == code
            && problem["request_id"] == answer.header("x-request-id")
            && ["type", "title", "detail"]
                .iter()
                .all(|name| problem[name].is_string());
        if answer.status != status || !is_problem || !answer.body.contains(says) {
            complaints.push(format!("{what}: {} {}", answer.status, answer.body));
        }
        if status == 405 && answer.header("allow").is_empty() {
            complaints.push(format!("{what}: no Allow"));
        }
    }
    let head = server.send("HEAD", "/v1/health", &[], "").await;
    if head.status != 200 || !head.body.is_empty() {
        complaints.push(format!("HEAD: {head:?}"));
    }
    let named = server
        .send("GET", "/v1/health", &[("X-Request-Id", "job-7:a")], "")
        .await;
    let forged = server
        .send("GET", "/v1/health", &[("X-Request-Id", "a b")], "")
        .await;
    if named.header("x-request-id") != "job-7:a" || forged.header("x-request-id").contains(' ') {
        complaints.push("the ids of requests".to_owned());
    }
    verdict(complaints)
}

/// The same door as MCP has: Host, Origin, token, sizes, rate.
async fn door() -> Result<(), Failed> {
    let mut command = command(&[
        "http",
        "--addr",
        "127.0.0.1:0",
        "--set",
        "http.limit_loopback=true",
    ]);
    command
        .args([
            "--set",
            "limits.http_body_bytes=70000",
            "--set",
            "limits.inbound_rate_burst=12",
            "--set",
            "limits.inbound_rate_per_minute=60",
        ])
        .env("FRESHCONTEXT_HTTP_TOKEN", "correct-horse");
    let server = HttpServer::of(command).await;
    let token = ("Authorization", "Bearer correct-horse");
    let mut complaints = Vec::new();
    let long = format!("{{\"text\": \"{}\"}}", "x".repeat(70_000));
    for (what, headers, body, status, code) in [
        ("no token", vec![], "{}", 401, "access_denied"),
        (
            "a wrong token",
            vec![("Authorization", "Bearer x")],
            "{}",
            401,
            "access_denied",
        ),
        (
            "a foreign Host",
            vec![token, ("Host", "evil.example")],
            "{}",
            403,
            "access_denied",
        ),
        (
            "a foreign Origin",
            vec![token, ("Origin", "https://evil.example")],
            "{}",
            403,
            "access_denied",
        ),
        ("a long body", vec![token], long.as_str(), 413, "too_large"),
    ] {
        let answer = server.send("POST", "/v1/inspect", &headers, body).await;
        let problem = answer.json();
        if answer.status != status
            || problem["code"] != code
            || problem["status"] != status
            || answer.header("content-type") != "application/problem+json"
        {
            complaints.push(format!("{what}: {} {}", answer.status, answer.body));
        }
        if status == 401 && !answer.header("www-authenticate").starts_with("Bearer") {
            complaints.push(format!("{what}: no challenge"));
        }
    }
    let described = server.send("GET", "/openapi.json", &[], "").await;
    if described.status != 401 {
        complaints.push(format!("the description without a token: {}", described.status));
    }
    let mut last = described;
    for _ in 0..20 {
        last = server.send("GET", "/v1/health", &[token], "").await;
        if last.status != 200 {
            break;
        }
    }
    let wait = last.json()["retry_after_s"].as_u64().unwrap_or_default();
    if last.status != 429
        || last.json()["code"] != "rate_limited"
        || last.header("retry-after") != wait.to_string()
    {
        complaints.push(format!("too many: {last:?}"));
    }
    verdict(complaints)
}

/// An evaluation keeps to the time of a call, and its place is free for the next one.
async fn late_evaluation() -> Result<(), Failed> {
    let server = HttpServer::start(&[("FRESHCONTEXT_LIMIT_CALL_DEADLINE_MS", "1")]).await;
    let mut complaints = Vec::new();
    let words: Vec<String> = (0..3_500).map(|word| format!(" word{word}")).collect();
    let words = words.concat();
    let signals: Vec<Value> = (0..300)
        .map(|at| json!({"source": format!("https://example.com/{at}"), "content": format!("{at}{words}")}))
        .collect();
    let given = json!({"signals": signals, "query": "word1", "budget": {"max_tokens": 100_000}}).to_string();
    // More of them than are judged at once.
    for at in 0..4 {
        let late = server.send("POST", "/v1/evaluate", &[], &given).await;
        if late.status != 504 || late.json()["code"] != "timeout" {
            complaints.push(format!("{at}: {} {:.300}", late.status, late.body));
        }
    }
    let small = json!({"signals": [{"source": "https://example.com/", "content": "a b"}]}).to_string();
    let small = server.send("POST", "/v1/evaluate", &[], &small).await;
    if small.status != 200 {
        complaints.push(format!("a small one: {small:?}"));
    }
    verdict(complaints)
}

/// What needs no network gives what the command line gives.
async fn without_the_network() -> Result<(), Failed> {
    let server = HttpServer::start(&[]).await;
    let mut complaints = Vec::new();
    let facts = json!({"content": "What was read.", "adapter": "custom", "published_at": "2026-03-05"});
    let stamped = server.send("POST", "/v1/stamp", &[], &facts.to_string()).await;
    let at_shell = crate::process::finish(command(&["stamp", "-"]), &facts.to_string()).await;
    let at_shell: Value = serde_json::from_str(&at_shell.stdout)?;
    if stamped.status != 200 || stamped.json() != at_shell {
        complaints.push(format!("stamp: {} and {at_shell}", stamped.body));
    }
    let mut changed = stamped.json();
    for (change, expected) in [(None, "valid"), (Some("What was never read."), "invalid")] {
        if let Some(text) = change {
            changed["content"] = text.into();
        }
        let verified = server.send("POST", "/v1/verify", &[], &changed.to_string()).await;
        let at_shell =
            crate::process::finish(command(&["verify", "-", "--json"]), &changed.to_string()).await;
        let at_shell: Value = serde_json::from_str(&at_shell.stdout)?;
        if verified.json()["verification"] != expected || verified.json() != at_shell {
            complaints.push(format!("verify: {} and {at_shell}", verified.body));
        }
    }
    let response = json!({"freshcontext": {"source_url": "https://example.com/", "retrieved_at": "2026-11-21T11:00:00Z",
        "freshness_confidence": "high", "adapter": "x", "content_date": "2026-11-20"}, "content": "a"});
    let validated = server
        .send(
            "POST",
            "/v1/validate",
            &[],
            &json!({"response": response}).to_string(),
        )
        .await;
    let at_shell = crate::process::finish(command(&["validate", "-", "--json"]), &response.to_string()).await;
    let at_shell: Value = serde_json::from_str(&at_shell.stdout)?;
    if validated.status != 200 || validated.json() != at_shell {
        complaints.push(format!("validate: {} and {at_shell}", validated.body));
    }
    for (path, words) in [
        ("/v1/decay", vec!["decay", "--json"]),
        ("/v1/tools", vec!["tools", "--json"]),
        ("/v1/sources", vec!["sources", "--json"]),
        ("/v1/keys", vec!["keys"]),
    ] {
        let mut answer = server.send("GET", path, &[], "").await.json();
        let at_shell = crate::process::finish(command(&words), "").await;
        let at_shell: Value = serde_json::from_str(&at_shell.stdout)?;
        // The live state of a process that has asked nothing is no fact of the sources.
        let sources = answer.get_mut("sources").and_then(Value::as_array_mut);
        for facts in sources.into_iter().flatten().filter_map(Value::as_object_mut) {
            facts.remove("live");
        }
        let own = match &at_shell {
            Value::Array(_) => answer[path.trim_start_matches("/v1/")].clone(),
            _ => answer,
        };
        if own != at_shell {
            complaints.push(format!("{path} is not what `{}` prints", words.join(" ")));
        }
    }
    verdict(complaints)
}

/// The description can be read by another library, names each operation once, and what it says of answers holds.
async fn described() -> Result<(), Failed> {
    let server =
        HttpServer::start(&[("FRESHCONTEXT_TOOLSETS", "all"), ("FRESHCONTEXT_STORE", "memory")]).await;
    let mut complaints = Vec::new();
    let described = server.send("GET", "/openapi.json", &[], "").await;
    let specification = oas3::from_json(&described.body)?;
    let mut ids = Vec::new();
    for (path, method, operation) in specification.operations() {
        let Some(id) = &operation.operation_id else {
            complaints.push(format!("{method} {path} has no name"));
            continue;
        };
        ids.push(id.clone());
        if !operation.responses(&specification).contains_key("200") {
            complaints.push(format!("{id} has no result"));
        }
        // What is described is served: another answer than 404.
        let answer = server.send(method.as_str(), &path, &[], "{}").await;
        if [404, 405].contains(&answer.status) {
            complaints.push(format!("{method} {path}: {}", answer.status));
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    if ids.len() != count || count < 40 {
        complaints.push(format!("{count} operations, {} names", ids.len()));
    }
    for (schema, path, body) in [
        ("Stamp", "/v1/stamp", r#"{"content": "a", "adapter": "b"}"#),
        ("Verified", "/v1/verify", r#"{"content": "a", "adapter": "b"}"#),
        ("Report", "/v1/validate", r#"{"response": "[FRESHCONTEXT]"}"#),
        (
            "Inspection",
            "/v1/inspect",
            r#"{"text": "Access denied. You do not have permission."}"#,
        ),
        (
            "evaluate_context_result",
            "/v1/evaluate",
            r#"{"signals": [{"content": "a"}]}"#,
        ),
        ("Problem", "/v1/evaluate", r#"{"signals": 7}"#),
        ("Health", "/v1/health", ""),
    ] {
        let method = if body.is_empty() { "GET" } else { "POST" };
        let answer = server.send(method, path, &[], body).await;
        let mut whole = described.json();
        whole["$ref"] = format!("#/components/schemas/{schema}").into();
        let validator = jsonschema::validator_for(&whole)?;
        let errors = validator
            .iter_errors(&answer.json())
            .map(|error| error.to_string())
            .collect::<Vec<_>>();
        if !errors.is_empty() {
            complaints.push(format!("{path} is not a {schema}: {errors:?} {}", answer.body));
        }
    }
    verdict(complaints)
}
