//! Documents in the forms in which people hold them, through the tool and the command line. Each form in `tests/held` is a
//! fixture of our own to the documented shape of its project; the links are in `crates/core/src/evaluate/names.rs`.

use freshcontext_core::provenance::canonical_sha256;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{MODERN, Session, command, finish};
use crate::run::block_on;
use crate::{root, verdict};

/// Time of the evaluation.
const NOW: &str = "2026-06-09T12:00:00Z";

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("held::shapes", || block_on(shapes())),
        Trial::test("held::together", || block_on(together())),
        Trial::test("held::answers", || block_on(answers())),
        Trial::test("held::command_line", || block_on(command_line())),
    ]
}

fn fixtures() -> Result<Vec<Value>, Failed> {
    let text = std::fs::read_to_string(root().join("tests/held/shapes.json"))?;
    Ok(serde_json::from_str(&text)?)
}

/// What differs between a result and what is expected of its form. `notes` are those of a call of this document alone.
fn complaints(fixture: &Value, result: &Value, notes: Option<&str>) -> Vec<String> {
    let (shape, expected) = (&fixture["shape"], &fixture["expect"]);
    let origin = &result["provenance_readiness"];
    let hash = expected["content"].as_str().map(canonical_sha256);
    let mut pairs = vec![
        ("id", result["id"].clone(), expected["id"].clone()),
        ("source", result["source"].clone(), expected["source"].clone()),
        ("title", result["title"].clone(), expected["title"].clone()),
        (
            "published_at",
            origin["published_at"].clone(),
            expected["published_at"].clone(),
        ),
        ("content", origin["canonical_content_sha256"].clone(), json!(hash)),
    ];
    if !expected["retrieved_at"].is_null() {
        pairs.push((
            "retrieved_at",
            origin["retrieved_at"].clone(),
            expected["retrieved_at"].clone(),
        ));
    }
    let mut out: Vec<String> = pairs
        .into_iter()
        .filter(|(_, found, wanted)| found != wanted)
        .map(|(name, found, wanted)| format!("{shape}: {name} is {found}, not {wanted}"))
        .collect();
    let why = result["why"].to_string();
    // In a larger call the scores of the others decide about the scale.
    match expected["relevance"].as_str().filter(|_| notes.is_some()) {
        Some(score) if !why.contains(&format!("({score})")) => out.push(format!("{shape}: {why}")),
        None if notes.is_some() && result["relevance"] != "not_judged" => out.push(format!("{shape}: {why}")),
        _ => {}
    }
    if let Some(notes) = notes {
        let named: Vec<&str> = notes.split('`').skip(1).step_by(2).collect();
        let wanted = expected["unread"].as_array();
        let wanted: Vec<&str> = wanted.into_iter().flatten().filter_map(Value::as_str).collect();
        if named.len() != wanted.len() || !wanted.iter().all(|name| named.contains(name)) {
            out.push(format!("{shape}: not read are {named:?}, not {wanted:?}"));
        }
    }
    out
}

/// Every form alone: its facts, its id, and what of it was not read.
async fn shapes() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let mut out = Vec::new();
    let fixtures = fixtures()?;
    if fixtures.len() < 28 {
        out.push(format!("only {} forms", fixtures.len()));
    }
    for fixture in &fixtures {
        let arguments = json!({"now": NOW, "signals": [fixture["document"]]});
        let outcome = session.call("evaluate_context", arguments).await;
        let notes = outcome.structured["notes"].as_array();
        let notes: String = notes.into_iter().flatten().filter_map(Value::as_str).collect();
        if !outcome.text.contains(&notes)
            && outcome.structured["notes"]
                .as_array()
                .is_none_or(|all| all.len() == 1)
        {
            out.push(format!("{}: the text lacks {notes}", fixture["shape"]));
        }
        out.extend(complaints(
            fixture,
            &outcome.structured["results"][0],
            Some(&notes),
        ));
    }
    verdict(out)
}

/// All forms in one call: each result leads back to its document by `input_index`, and by `id` where it has one.
async fn together() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let fixtures = fixtures()?;
    let documents: Vec<&Value> = fixtures.iter().map(|fixture| &fixture["document"]).collect();
    let outcome = session
        .call("evaluate_context", json!({"now": NOW, "signals": documents}))
        .await;
    let mut out = Vec::new();
    let results = outcome.structured["results"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if results.len() != fixtures.len() {
        out.push(format!(
            "{} results of {}: {}",
            results.len(),
            fixtures.len(),
            outcome.text
        ));
    }
    for result in &results {
        let place = result["input_index"]
            .as_u64()
            .and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| fixtures.get(place)) {
            Some(fixture) => out.extend(complaints(fixture, result, None)),
            None => out.push(format!("no document for {result}")),
        }
    }
    verdict(out)
}

/// Answers of search interfaces and stores as they come: the documents in their lists.
async fn answers() -> Result<(), Failed> {
    let page = |number: usize| {
        json!({"title": format!("Page {number}"), "url": format!("https://example.com/{number}"),
            "content": format!("What page {number} says about the parser.")})
    };
    let pages = json!([page(0), page(1), page(2)]);
    let hits: Vec<Value> = (0..3)
        .map(|number| json!({"_id": number.to_string(), "_source": page(number)}))
        .collect();
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let mut out = Vec::new();
    for (what, answer) in [
        (
            "Tavily",
            json!({"query": "parser", "results": pages, "response_time": 1.2}),
        ),
        (
            "Elasticsearch",
            json!({"took": 3, "hits": {"total": {"value": 3}, "hits": hits}}),
        ),
        (
            "Qdrant",
            json!({"result": {"points": [{"id": 0, "payload": page(0)}, {"id": 1, "payload": page(1)},
            {"id": 2, "payload": page(2)}]}, "status": "ok"}),
        ),
        (
            "Brave",
            json!({"type": "search", "web": {"type": "search", "results": pages}}),
        ),
        ("Firecrawl", json!({"success": true, "data": {"web": pages}})),
        ("Weaviate", json!({"data": {"Get": {"Page": pages}}})),
        (
            "JSON Feed",
            json!({"version": "https://jsonfeed.org/version/1.1", "items": pages}),
        ),
        ("MCP", json!({"contents": pages})),
        (
            "Anthropic",
            json!({"type": "web_search_tool_result", "tool_use_id": "t1", "content": pages}),
        ),
    ] {
        for signals in [answer.clone(), json!([answer])] {
            let outcome = session
                .call("evaluate_context", json!({"now": NOW, "signals": signals}))
                .await;
            let results = outcome.structured["results"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let mut sources: Vec<&str> = results
                .iter()
                .filter_map(|result| result["source"].as_str())
                .collect();
            sources.sort_unstable();
            if sources
                != [
                    "https://example.com/0",
                    "https://example.com/1",
                    "https://example.com/2",
                ]
            {
                out.push(format!("{what}: {sources:?}: {}", outcome.text));
            }
        }
    }
    verdict(out)
}

/// `evaluate FILE` takes a bare list and JSON Lines, and options in place of arguments.
async fn command_line() -> Result<(), Failed> {
    let documents: Vec<Value> = (0..3)
        .map(|number| {
            json!({"id": format!("d{number}"), "text": format!("What part {number} says about the parser."),
                "metadata": {"source": format!("https://example.com/{number}"), "date": "2026-06-01"}})
        })
        .collect();
    let list = Value::from(documents.clone()).to_string();
    let mut lines: Vec<String> = documents.iter().map(Value::to_string).collect();
    lines.push(String::new());
    let lines = lines.join("\n");
    let call = json!({"signals": documents}).to_string();
    let mut seen = Vec::new();
    for (what, input) in [("list", &list), ("lines", &lines), ("call", &call)] {
        let wishes = [
            "evaluate",
            "-",
            "--json",
            "--query",
            "parser",
            "--profile",
            "official_docs",
            "--intent",
            "citation_check",
        ];
        let done = finish(command(&wishes), input).await;
        assert!(matches!(done.code, Some(0 | 1)), "{what}: {}", done.stderr);
        let found: Value = serde_json::from_str(&done.stdout)?;
        assert_eq!(found["profile"], "official_docs", "{what}");
        assert_eq!(found["intent"], "citation_check", "{what}");
        assert_eq!(found["results"][0]["relevance"], "query", "{what}");
        let ids: Vec<Value> = found["results"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|result| result["id"].clone())
            .collect();
        seen.push(ids);
    }
    let expected = [json!("d0"), json!("d1"), json!("d2")];
    assert!(seen.iter().all(|ids| *ids == expected), "{seen:?}");
    let page = std::env::temp_dir().join(format!("freshcontext-held-{}.html", std::process::id()));
    let done = finish(
        command(&["evaluate", "-", "--html", &page.display().to_string()]),
        &list,
    )
    .await;
    assert!(matches!(done.code, Some(0 | 1)), "{}", done.stderr);
    let written = std::fs::read_to_string(&page)?;
    std::fs::remove_file(&page)?;
    assert!(written.contains("https://example.com/1"));
    // A line that is no JSON costs itself, and is named.
    let broken = format!("{lines}{{\"id\": \"d3\", \n{lines}");
    let done = finish(command(&["evaluate", "-"]), &broken).await;
    assert!(done.stderr.contains("line 4 is not JSON"), "{}", done.stderr);
    assert!(done.stdout.contains(" of 7 usable"), "{}", done.stdout);
    Ok(())
}
