//! The command line: output streams, and exit codes 0, 1 and 2.

#[cfg(target_os = "linux")]
mod doors;
mod failed;
#[cfg(target_os = "linux")]
mod full_output;
mod install;
#[cfg(unix)]
mod readme;
mod shell;
mod stamp;
#[cfg(target_os = "linux")]
mod terminal;
mod usage;

use freshcontext_testkit::ScriptedUpstream;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{command, finish};
use crate::run::block_on;
use crate::upstreams::ordinary;
use crate::verdict;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("cli::tools_and_sources", || block_on(lists())),
        Trial::test("cli::call", || block_on(call())),
        Trial::test("cli::files", || block_on(files())),
        Trial::test("cli::specification", || block_on(specification())),
        Trial::test("cli::failures_are_logged", || block_on(failures_are_logged())),
        Trial::test("cli::broken_pages_are_not_logged", || block_on(broken_pages())),
    ];
    trials.extend(install::trials());
    trials.extend(shell::trials());
    trials.extend(stamp::trials());
    trials.extend(usage::trials());
    #[cfg(target_os = "linux")]
    trials.extend(doors::trials());
    trials.extend(failed::trials());
    #[cfg(target_os = "linux")]
    trials.extend(full_output::trials());
    #[cfg(unix)]
    trials.extend(readme::trials());
    #[cfg(target_os = "linux")]
    trials.extend(terminal::trials());
    trials
}

/// `tools` and `sources` list everything, for people and for programs.
async fn lists() -> Result<(), Failed> {
    let listed = finish(command(&["tools", "--json"]), "").await;
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout)?;
    let people = finish(command(&["tools"]), "").await;
    let mut complaints = Vec::new();
    for tool in &listed {
        let name = tool["name"].as_str().unwrap_or_default();
        if !tool["example"].is_object() || tool["inputSchema"]["type"] != "object" {
            complaints.push(format!("{name} has no example or no schema in `tools --json`"));
        }
        if !people.stdout.contains(name) {
            complaints.push(format!("`tools` does not name {name}"));
        }
    }
    let listed: Vec<&str> = listed.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let sources = finish(command(&["sources", "--json"]), "").await;
    assert_eq!(sources.code, Some(0), "{}", sources.stderr);
    let sources: Vec<Value> = serde_json::from_str(&sources.stdout)?;
    assert_eq!(sources.len(), freshcontext_sources::adapters().len());
    for source in &sources {
        if !listed.contains(&source["tool"].as_str().unwrap_or_default()) {
            complaints.push(format!(
                "`sources` names {}, which `tools` does not",
                source["tool"]
            ));
        }
    }
    let off = finish(command(&["tools", "--set", "disable_sources=hackernews"]), "").await;
    if off.stdout.contains("extract_hackernews") || !off.stdout.contains("extract_arxiv") {
        complaints.push("disable_sources does not take a tool off the list".to_owned());
    }
    for (arguments, code) in [
        (["--version"], 0),
        (["--help"], 0),
        (["nonsense"], 2),
        (["settings"], 0),
    ] {
        let done = finish(command(&arguments), "").await;
        if done.code != Some(code) {
            complaints.push(format!(
                "{arguments:?} ends with {:?}: {}",
                done.code, done.stderr
            ));
        }
    }
    verdict(complaints)
}

/// `call`: the answer on stdout, the failure on stderr, exit codes 0, 1 and 2.
async fn call() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let run = |arguments: &'static [&'static str]| {
        let mut command = command(arguments);
        command.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        finish(command, "")
    };
    let found = run(&["call", "extract_hackernews", "url=rust async"]).await;
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(
        found.stdout.starts_with("[FRESHCONTEXT]") && found.stdout.contains("About rust async"),
        "{}",
        found.stdout
    );
    assert_eq!(found.stderr, "");

    let found = run(&[
        "call",
        "extract_hackernews",
        r#"{"url": "rust", "max_length": 400}"#,
        "--json",
    ])
    .await;
    let structured: Value = serde_json::from_str(&found.stdout)?;
    assert_eq!(structured["items"][0]["title"], "About rust");

    let failed = run(&["call", "extract_github", "url=https://github.com/example/none"]).await;
    assert_eq!(
        (failed.code, failed.stdout.as_str()),
        (Some(1), ""),
        "{}",
        failed.stderr
    );
    assert!(failed.stderr.contains("not_found"), "{}", failed.stderr);

    for wrong in [
        &["call", "extract_hackernwes", "url=rust"][..],
        &["call", "extract_hackernews", "limit=many"],
        &["call", "extract_hackernews", "no_such=1"],
        &["call"],
    ] {
        let done = run(wrong).await;
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(2), ""),
            "{wrong:?}: {}",
            done.stderr
        );
        assert!(!done.stderr.is_empty(), "{wrong:?}");
    }
    Ok(())
}

/// `evaluate`, `validate` and `inspect` on files, without any network or settings.
async fn files() -> Result<(), Failed> {
    let signals = json!({"profile": "official_docs", "intent": "citation_check", "signals": [
        {"source": "https://docs.example.org/a", "title": "A page", "content": "The release notes of the library, in some detail.",
         "published_at": "2025-06-01T10:00:00Z"}]});
    let judged = finish(command(&["evaluate", "-", "--json"]), &signals.to_string()).await;
    assert!(matches!(judged.code, Some(0 | 1)), "{}", judged.stderr);
    let judged: Value = serde_json::from_str(&judged.stdout)?;
    assert!(judged.is_object());
    let done = finish(command(&["evaluate", "-"]), "{\"profile\": \"official_docs\"}").await;
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(
        done.stderr.contains("signals") || done.stderr.contains("intent"),
        "{}",
        done.stderr
    );
    let done = finish(command(&["evaluate", "-"]), "not JSON").await;
    assert_eq!(done.code, Some(2), "{done:?}");

    let upstream = ScriptedUpstream::start(ordinary).await?;
    let mut asking = command(&["call", "extract_hackernews", "url=rust"]);
    asking.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
    let answer = finish(asking, "").await.stdout;
    let valid = finish(command(&["validate", "-"]), &answer).await;
    assert_eq!(valid.code, Some(0), "{}", valid.stdout);
    let spoilt = finish(command(&["validate", "-"]), "just some words").await;
    assert_eq!(spoilt.code, Some(1), "{}", spoilt.stdout);
    let report = finish(command(&["validate", "-", "--json"]), &answer).await;
    assert!(
        serde_json::from_str::<Value>(&report.stdout)?["level"].is_string(),
        "{}",
        report.stdout
    );
    // Each takes dozens of times its length as a tree.
    let crumbs = format!("{{\"signals\":[{}0]}}", "0,".repeat(25_001));
    let many = finish(command(&["evaluate", "-"]), &crumbs).await;
    assert_eq!(many.code, Some(2), "{many:?}");
    assert!(many.stderr.contains("more than 25000 values"), "{}", many.stderr);
    let none = finish(command(&["validate", "none/at/all"]), "").await;
    assert_eq!(none.code, Some(2), "{none:?}");

    let wall = "Just a moment... Checking your browser before accessing the site. Ray ID: 8f00aa";
    let seen = finish(command(&["inspect", "-"]), wall).await;
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stdout.starts_with("failed retrieval"), "{}", seen.stdout);
    let lines = format!(
        "{}\n{}\n",
        json!({"id": "a\"1", "text": wall}),
        json!({"id": "b", "text": "A long walk through the forest."})
    );
    let seen = finish(command(&["inspect", "--jsonl", "-"]), &lines).await;
    let verdicts: Vec<Value> = seen
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(verdicts.len(), 2, "{}", seen.stdout);
    let said = |line: usize| ["id", "failed", "kind"].map(|name| &verdicts[line][name]);
    assert_eq!(said(0), [&json!("a\"1"), &json!(true), &json!("challenge")]);
    assert_eq!(said(1), [&json!("b"), &json!(false), &Value::Null]);
    for verdict in &verdicts {
        assert!(
            verdict["confidence"]
                .as_f64()
                .is_some_and(|sure| (0.0..=1.0).contains(&sure))
        );
        assert_eq!(
            verdict.as_object().map(serde_json::Map::len),
            Some(4),
            "{verdict}"
        );
    }
    Ok(())
}

/// `validate` on an inline response, what it lacks, and the facts of `version` and `decay`.
async fn specification() -> Result<(), Failed> {
    let aware = r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z"}}"#;
    let quoted = serde_json::to_string(aware)?;
    for response in [aware, quoted.as_str()] {
        let told = finish(command(&["validate", response, "--json"]), "").await;
        assert_eq!(told.code, Some(0), "to be aware is no failure: {}", told.stdout);
        let report: Value = serde_json::from_str(&told.stdout)?;
        assert_eq!(
            (&report["level"], &report["specification"]),
            (&json!("aware"), &json!("1.2"))
        );
        assert_eq!(
            report["lacks"][0]["what"], "freshcontext.freshness_confidence",
            "{report}"
        );
        assert_eq!(report["lacks"][0]["level"], "compatible", "{report}");
        let people = finish(command(&["validate", response]), "").await;
        assert!(
            people.stdout.starts_with("aware  *")
                && people
                    .stdout
                    .contains("lacks for compatible: freshcontext.freshness_confidence: missing")
                && people
                    .stdout
                    .contains("are considered **FreshContext-aware** but not fully compatible"),
            "{}",
            people.stdout
        );
        let strict = finish(command(&["validate", response, "--level", "compatible"]), "").await;
        assert_eq!(strict.code, Some(1), "{}", strict.stdout);
    }
    let odd = json!({"freshcontext": {"source_url": "https://x.example/a", "content_date": "2020-01-01",
        "retrieved_at": "2026-03-05T12:00:00Z", "freshness_confidence": "high", "freshness_score": 97,
        "adapter": "x", "decay_rate": 0.001}});
    let told = finish(command(&["validate", &odd.to_string()]), "").await;
    assert!(
        told.stdout
            .contains("failed score agrees with date and rate: 97, but"),
        "{}",
        told.stdout
    );

    for words in [
        &["--version", "--json"][..],
        &["--json", "-V"],
        &["version", "--json"],
    ] {
        let told = finish(command(words), "").await;
        assert_eq!(told.code, Some(0), "{words:?}: {}", told.stderr);
        let told: Value = serde_json::from_str(&told.stdout)?;
        assert_eq!(
            told["specification"],
            json!({"name": "FreshContext Specification", "version": "1.2"})
        );
        assert!(told["version"].is_string(), "{told}");
    }
    let plain = finish(command(&["--version"]), "").await;
    assert_eq!(
        plain.stdout,
        format!("freshcontext {}\n", env!("CARGO_PKG_VERSION"))
    );
    let both = finish(command(&["version"]), "").await;
    assert!(
        both.stdout.contains("FreshContext Specification 1.2"),
        "{}",
        both.stdout
    );
    assert_eq!(finish(command(&["--json"]), "").await.code, Some(2));

    let people = finish(command(&["decay"]), "").await.stdout;
    for part in [
        "Fast discussion",
        "0.00005",
        "~1.6 years",
        "~14 hours",
        "arxiv, google_scholar",
    ] {
        assert!(people.contains(part), "{part}: {people}");
    }
    let told = finish(command(&["decay", "--json", "--set", "decay=hackernews=0.1"]), "").await;
    let told: Value = serde_json::from_str(&told.stdout).map_err(|error| format!("{error}: {told:?}"))?;
    assert_eq!(told["classes"].as_array().map(Vec::len), Some(9));
    assert_eq!(told["classes"][0]["decay_rate"], 0.05);
    let own = told["in_force"].as_array().into_iter().flatten();
    let own: Vec<&Value> = own.filter(|row| row["source"] == "hackernews").collect();
    assert_eq!((own.len(), &own[0]["decay_rate"]), (1, &json!(0.1)));
    Ok(())
}

/// At the default level, a failing source is logged once a minute, however the failure was detected; a result
/// is not logged.
async fn failures_are_logged() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(|seen| {
        let (status, body) = match seen.host.as_str() {
            "hn.algolia.com" => (429, "slow down"),
            "export.arxiv.org" => (200, "<feed><nothing/></feed>"),
            _ => (404, "{}"),
        };
        freshcontext_testkit::Reply {
            status,
            headers: vec![
                ("content-type".to_owned(), "text/plain".to_owned()),
                ("retry-after".to_owned(), "3000".to_owned()),
            ],
            body: body.as_bytes().to_vec(),
            delay_ms: 0,
        }
    })
    .await?;
    let mut session = crate::process::Session::with_upstream(&upstream.base()).await;
    for (tool, arguments) in [
        ("extract_hackernews", json!({"url": "rust"})),
        ("extract_hackernews", json!({"url": "zig"})),
        ("extract_hackernews", json!({"url": ""})),
        ("extract_hackernews", json!({"url": "go"})),
        ("extract_arxiv", json!({"url": "testing"})),
        ("extract_arxiv", json!({"url": "proofs"})),
        (
            "extract_github",
            json!({"url": "https://github.com/example/none"}),
        ),
    ] {
        let answer = session
            .ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    let log = session.log.text();
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("retrieval failed"))
        .collect();
    let of = |source: &str| lines.iter().filter(|line| line.contains(source)).count();
    assert_eq!(
        (of("source=\"hackernews\""), of("source=\"arxiv\"")),
        (1, 1),
        "{log}"
    );
    assert_eq!(lines.len(), 2, "{log}");
    assert!(
        lines[0].contains("WARN") && lines[0].contains("rate_limited"),
        "{log}"
    );
    Ok(())
}

/// Markup errors of a page are not logged, at the default level or below.
async fn broken_pages() -> Result<(), Failed> {
    let page = "<!doctype html><table><p>astray</table></p></b><title>Example</title><h1>Changes</h1>\
                <h2>2.0.0 - 2026-01-02</h2><p>New<table><li>things that people use every day</li></body></html>"
        .repeat(20);
    let upstream = ScriptedUpstream::start(move |_| freshcontext_testkit::Reply {
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        body: page.clone().into_bytes(),
        delay_ms: 0,
    })
    .await?;
    for level in [None, Some("debug")] {
        let mut call = command(&["call", "extract_changelog", "https://example.org/changelog"]);
        call.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        if let Some(level) = level {
            call.env("FRESHCONTEXT_LOG", level);
        }
        let told = finish(call, "").await;
        assert_eq!(told.code, Some(0), "{told:?}");
        for word in ["html5ever", "foster", "astray", "unexpected"] {
            assert!(
                !told.stderr.to_lowercase().contains(word),
                "{level:?}: {}",
                told.stderr
            );
        }
    }
    Ok(())
}
