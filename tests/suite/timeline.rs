//! The timeline: as a resource for hosts that show pages, and as a file at the shell.

mod pages;

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{LEGACY, MODERN, Session, command, finish, scratch};
use crate::run::block_on;
use crate::upstreams::ordinary;
use crate::verdict;

const URI: &str = "ui://freshcontext/timeline";
const EXTENSION: &str = "io.modelcontextprotocol/ui";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("timeline::resource", || block_on(resource())),
        Trial::test("timeline::same_tools_for_all", || block_on(same_tools())),
        Trial::test("timeline::file", || block_on(file())),
        Trial::test("timeline::values", || block_on(pages::values())),
        Trial::test("timeline::records", || block_on(pages::records())),
        Trial::test("timeline::deliverable", || block_on(pages::deliverable())),
    ]
}

/// The page is listed and read in every revision, needs no origin, and beside it only the skill and the sources are there.
async fn resource() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for version in [LEGACY[0], LEGACY[3], MODERN] {
        let mut session = Session::open(command(&["stdio"]), version).await;
        let listed = session.ask("resources/list", json!({})).await;
        let resources = listed["result"]["resources"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let uris: Vec<&Value> = resources.iter().map(|one| &one["uri"]).collect();
        if uris != [URI, "skill://freshcontext/SKILL.md", "freshcontext://sources"] {
            complaints.push(format!("{version}: {listed}"));
        }
        let read = session.ask("resources/read", json!({"uri": URI})).await;
        let content = &read["result"]["contents"][0];
        if content["mimeType"] != "text/html;profile=mcp-app" || content["uri"] != URI {
            complaints.push(format!("{version}: {}", content["mimeType"]));
        }
        let origins = content["_meta"]["ui"]["csp"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        if origins.len() != 4 || origins.values().any(|list| list != &json!([])) {
            complaints.push(format!("{version}: origins {origins:?}"));
        }
        let page = content["text"].as_str().unwrap_or_default();
        if !page.starts_with("<!doctype html>") || !page.contains("default-src 'none'") {
            complaints.push(format!("{version}: the page has no policy"));
        }
        let templates = session.ask("resources/templates/list", json!({})).await;
        if templates["result"]["resourceTemplates"] != json!([]) {
            complaints.push(format!("{version}: {templates}"));
        }
        let code = if version == MODERN { -32_602 } else { -32_002 };
        for uri in [
            "ui://freshcontext/",
            "file:///etc/passwd",
            "ui://freshcontext/timeline/../x",
        ] {
            let refused = session.ask("resources/read", json!({"uri": uri})).await;
            if refused["error"]["code"] != code {
                complaints.push(format!("{version} {uri}: {refused}"));
            }
        }
        for method in ["resources/list", "resources/templates/list"] {
            let refused = session.ask(method, json!({"cursor": "forged"})).await;
            if refused["error"]["code"] != -32_602 {
                complaints.push(format!("{version} {method} with a cursor: {refused}"));
            }
        }
    }
    verdict(complaints)
}

/// A client that says that it shows pages and one that does not read the same bytes, and each tool that answers with
/// content names the page.
async fn same_tools() -> Result<(), Failed> {
    let asked = async |capabilities: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        finish(command(&["stdio"]), &format!("{line}\n")).await
    };
    let without = asked(json!({})).await;
    let with = asked(json!({"extensions": {EXTENSION: {"mimeTypes": ["text/html;profile=mcp-app"]}}})).await;
    assert_eq!(without.stdout, with.stdout);
    let listed: Value = serde_json::from_str(&without.stdout)?;
    let tools = listed["result"]["tools"].as_array().cloned().unwrap_or_default();
    assert!(!tools.is_empty(), "{listed}");
    for tool in &tools {
        assert_eq!(tool["_meta"]["ui"]["resourceUri"], URI, "{}", tool["name"]);
    }
    Ok(())
}

/// `--html` writes one page beside the usual answer, of a failure, too.
async fn file() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let page = scratch().join("timeline.html");
    let told = |words: &'static [&'static str]| {
        let mut command = command(words);
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        command.arg("--html").arg(&page);
        finish(command, "")
    };
    let mut complaints = Vec::new();
    for (words, code, holds) in [
        (&["call", "extract_hackernews", "url=rust"][..], 0, "\"items\":["),
        (
            &["call", "extract_hackernews", "url=ftp://example.com/"],
            2,
            "\"is_error\":true",
        ),
    ] {
        let _ = std::fs::remove_file(&page);
        let done = told(words).await;
        let written = std::fs::read_to_string(&page).unwrap_or_default();
        if done.code != Some(code) || !written.contains(holds) || !done.stderr.contains("timeline.html") {
            complaints.push(format!("{words:?}: {done:?}, {} bytes", written.len()));
        }
        if (code == 0) != done.stdout.starts_with("[FRESHCONTEXT]") {
            complaints.push(format!("{words:?}: the answer is not on stdout: {}", done.stdout));
        }
    }
    let nowhere = finish(
        command(&[
            "call",
            "evaluate_context",
            "@/nowhere",
            "--html",
            "/nowhere/x.html",
        ]),
        "",
    )
    .await;
    if nowhere.code != Some(2) {
        complaints.push(format!("arguments that are not there: {nowhere:?}"));
    }
    verdict(complaints)
}
