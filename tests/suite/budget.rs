//! Budgets, through the whole server.

use std::collections::BTreeSet;
use std::path::Path;

use freshcontext_budget::{Call, Candidate, refetch};
use freshcontext_testkit::case::load_cases;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::cases::of_a_composite;
use crate::process::{Session, command, finish};
use crate::run::{Bench, block_on, once};
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("budget::calls", || block_on(calls())),
        Trial::test("budget::gaps", || block_on(gaps())),
        Trial::test("budget::command_line", || block_on(command_line())),
    ]
}

/// Returns the call for a candidate made of an item.
fn call_for(item: &Value) -> Option<Call> {
    let text = |name: &str| item[name].as_str().map(str::to_owned);
    refetch(&Candidate {
        source: text("url")?.into(),
        source_type: text("source_type")?.into(),
        title: text("title").map(Into::into),
        ..Candidate::default()
    })
}

/// Every call that would fetch an item again is accepted by its tool: the first item of each source.
async fn calls() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    let mut seen = BTreeSet::new();
    for case in load_cases(&root().join("fixtures"))? {
        if case.expect.status.as_deref() != Some("success") || of_a_composite(&case) {
            continue;
        }
        let bench = Bench::start(&case, Path::new(""), once(), |_| {}).await?;
        let outcome = bench.call(&case.tool, case.arguments.clone()).await?;
        let Some(call) = outcome.structured["items"]
            .as_array()
            .into_iter()
            .flatten()
            .find_map(call_for)
        else {
            continue;
        };
        if !seen.insert(case.tool.clone()) {
            continue;
        }
        let arguments = call.arguments.as_object().cloned().unwrap_or_default();
        let again = Bench::start(&case, Path::new(""), once(), |_| {}).await?;
        let outcome = again.call(&call.tool, arguments).await?;
        if outcome.code() == "invalid_input" {
            complaints.push(format!("{}: {call:?} is refused: {}", case.tool, outcome.text));
        }
    }
    if seen.len() < 12 {
        complaints.push(format!("only {seen:?} have an item that can be fetched again"));
    }
    verdict(complaints)
}

/// A gap is filled by its call made with its id; a failed call leaves it open, and so does an id of no gap.
async fn gaps() -> Result<(), Failed> {
    let case = load_cases(&root().join("fixtures"))?
        .into_iter()
        .find(|case| case.tool == "extract_hackernews" && case.name.ends_with("thread"))
        .ok_or("the case of a thread")?;
    let bench = Bench::start(&case, Path::new(""), once(), |_| {}).await?;
    let mut session = Session::with_upstream(&bench.upstream.base()).await;
    let signal = json!({"source": "https://news.ycombinator.com/item?id=8863", "source_type": "hackernews",
        "content": "What the thread said long ago.", "published_at": "2026-01-01", "semantic_score": 0.9,
        "retrieved_at": "2026-01-01T00:00:00Z"});
    let arguments = json!({"profile": "social_pulse", "intent": "citation_check", "signals": [signal],
        "now": "2026-11-21T12:00:00Z", "budget": {"max_tokens": 1000, "require": "fresh"}});
    let judged = session.call("evaluate_context", arguments).await.structured;
    assert_eq!(
        judged["selection"]["omitted"][0]["reason"], "stale_source",
        "{judged}"
    );
    let gap = &judged["missing_context"][0];
    let call = &gap["candidate_sources"][0]["call"];
    let mut made = async |arguments: &Value, id: &Value| {
        let meta = json!({"freshcontext/missing_id": id});
        let params = json!({"name": call["tool"], "arguments": arguments, "_meta": meta});
        session.ask("tools/call", params).await["result"].clone()
    };
    let settled = |result: &Value| result["_meta"]["io.github.freshcontext/missing"].clone();
    let failed = made(&json!({"url": ""}), &gap["missing_id"]).await;
    assert_eq!(settled(&failed)["status"], "open", "{failed}");
    let nobodys = json!(format!("mis_{}", "0".repeat(32)));
    let answered = made(&call["arguments"], &nobodys).await;
    assert_eq!(settled(&answered)["status"], "open", "{answered}");
    let filled = made(&call["arguments"], &gap["missing_id"]).await;
    assert_eq!(settled(&filled)["status"], "resolved", "{filled}");
    assert_eq!(settled(&filled)["missing_id"], gap["missing_id"]);
    assert_eq!(
        settled(&filled)["resolution_refs"][0]["source"],
        "https://news.ycombinator.com/item?id=8863"
    );
    Ok(())
}

/// `evaluate --max-tokens` and `history truncate`: output streams and exit codes.
async fn command_line() -> Result<(), Failed> {
    let file = root().join("examples/signals.json");
    let file = file.to_str().ok_or("a path in UTF-8")?;
    let fits = finish(command(&["evaluate", file, "--max-tokens", "500"]), "").await;
    assert_eq!(fits.code, Some(0), "{}", fits.stderr);
    assert!(
        fits.stdout.starts_with("[FRESHCONTEXT]\n") && fits.stdout.ends_with("[/FRESHCONTEXT]\n"),
        "{}",
        fits.stdout
    );
    for said in ["tokens (o200k_base)", "failed_retrieval", "missing ("] {
        assert!(fits.stderr.contains(said), "{said}: {}", fits.stderr);
    }
    let arguments = [
        "evaluate",
        file,
        "--max-tokens",
        "500",
        "--strategy",
        "ask_for_choice",
        "--json",
    ];
    let json = finish(command(&arguments), "").await;
    let answer: Value = serde_json::from_str(&json.stdout)?;
    assert_eq!(answer["budget"]["overflow_strategy"], "ask_for_choice");
    for (wrong, field) in [
        (["--max-tokens", "1", "--strategy", "reject"], "budget.max_tokens"),
        (
            ["--max-tokens", "500", "--strategy", "guess"],
            "budget.overflow_strategy",
        ),
    ] {
        let refused = finish(command(&[&["evaluate", file], &wrong[..]].concat()), "").await;
        assert_eq!(refused.code, Some(2));
        assert!(
            refused.stderr.contains(field) && refused.stderr.contains("Example"),
            "{}",
            refused.stderr
        );
    }

    let history =
        json!([{"role": "user", "content": "old ".repeat(100)}, {"role": "user", "content": "new"}]);
    let cut = finish(
        command(&["history", "truncate", "-", "--max-tokens", "64"]),
        &history.to_string(),
    )
    .await;
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    assert_eq!(
        serde_json::from_str::<Value>(&cut.stdout)?,
        json!([{"role": "user", "content": "new"}])
    );
    assert!(
        cut.stderr.contains("kept 1 of 2 messages") && cut.stderr.contains("dropped messages 0 to 0"),
        "{}",
        cut.stderr
    );
    let both = finish(
        command(&["history", "truncate", "-", "--max-tokens", "64", "--json"]),
        &history.to_string(),
    )
    .await;
    let both: Value = serde_json::from_str(&both.stdout)?;
    assert_eq!(
        (&both["record"]["kind"], &both["record"]["messages_after"]),
        (&json!("truncation"), &json!(1))
    );
    let large = json!([{"role": "user", "content": "word ".repeat(500)}]).to_string();
    let refused = finish(
        command(&["history", "truncate", "-", "--max-tokens", "64"]),
        &large,
    )
    .await;
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("messages[0]"), "{}", refused.stderr);
    let arguments = [
        "history",
        "truncate",
        "-",
        "--max-tokens",
        "64",
        "--oversize",
        "cut",
    ];
    let shortened = finish(command(&arguments), &large).await;
    assert!(
        shortened.code == Some(0) && shortened.stderr.contains("cut message 0"),
        "{}",
        shortened.stderr
    );
    Ok(())
}
