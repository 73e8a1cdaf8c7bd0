//! `freshcontext doctor --online` against unchanged upstreams, and against every kind of drift.

use std::path::Path;
use std::sync::Arc;

use freshcontext_testkit::{Case, Kind, Reply, SECRET, Script, ScriptedUpstream, SeenRequest, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value};

use crate::process::{Finished, command, finish};
use crate::root;
use crate::run::block_on;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("doctor::setup", || block_on(setup())),
        Trial::test("doctor::online_as_known", || block_on(as_known())),
        Trial::test("doctor::online_drift", || block_on(drift())),
        Trial::test("doctor::online_unreachable", || block_on(unreachable())),
    ]
}

/// What is set up in half, or cannot be reached, is red and named; what is right is not.
async fn setup() -> Result<(), Failed> {
    let file = crate::process::scratch().join("no-folder");
    std::fs::write(&file, "a file")?;
    let file = file.to_string_lossy().into_owned();
    let time: &[&str] = &["--toolset", "time"];
    for (environment, words, finding, code) in [
        (&[][..], &[][..], None, 0),
        (&[][..], time, None, 0),
        (
            &[("FRESHCONTEXT_DATABASE_URL", "postgres://127.0.0.1:1/none")][..],
            time,
            Some(("store", "BAD")),
            1,
        ),
        (
            &[("FRESHCONTEXT_DATA_DIR", file.as_str())][..],
            time,
            Some(("store", "BAD")),
            1,
        ),
        (
            &[("REDDIT_CLIENT_SECRET", SECRET)][..],
            &[][..],
            Some(("REDDIT_CLIENT_SECRET is set without REDDIT_CLIENT_ID", "BAD")),
            1,
        ),
        (
            &[("REDDIT_CLIENT_ID", SECRET)][..],
            &[][..],
            Some(("REDDIT_CLIENT_ID is set without REDDIT_CLIENT_SECRET", "BAD")),
            1,
        ),
        (
            &[("REDDIT_CLIENT_ID", SECRET), ("REDDIT_CLIENT_SECRET", SECRET)][..],
            &[][..],
            None,
            0,
        ),
        (
            &[("HTTPS_PROXY", "http://127.0.0.1:3128")][..],
            &[][..],
            Some(("HTTPS_PROXY is set and is not used", "note")),
            0,
        ),
        (
            &[][..],
            &["--set", "proxy=true"][..],
            Some(("requests go out directly", "BAD")),
            1,
        ),
    ] {
        let mut all = vec!["doctor"];
        all.extend(words);
        let mut command = command(&all);
        command.envs(environment.iter().copied());
        let done = finish(command, "").await;
        let said = &done.stdout;
        assert_eq!(
            done.code,
            Some(code),
            "{environment:?} {words:?}: {said} {}",
            done.stderr
        );
        assert!(!said.contains(SECRET), "{said}");
        match finding {
            None => assert!(!said.contains("BAD"), "{said}"),
            Some((text, verdict)) => assert!(
                said.lines()
                    .any(|line| line.contains(text) && line.starts_with(verdict)),
                "{environment:?}: {said}"
            ),
        }
    }
    Ok(())
}

/// The cases of the sources' own examples, which the doctor requests.
fn examples() -> Result<Vec<Case>, String> {
    let mut cases = load_cases(&root().join("fixtures"))?;
    let wanted: Vec<(&str, Map<String, Value>)> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| {
            let facts = adapter.descriptor();
            (
                facts.tool,
                serde_json::from_str(facts.example).unwrap_or_default(),
            )
        })
        .collect();
    cases.retain(|case| {
        case.kind == Kind::Ok && wanted.contains(&(case.tool.as_str(), case.arguments.clone()))
    });
    Ok(cases)
}

type Change = fn(&SeenRequest, Reply) -> Reply;

/// Runs the doctor against the examples with changed responses.
async fn ask(only: &[&str], set: &[&str], change: Change) -> Result<(Finished, Value), Failed> {
    let scripts: Vec<Script> = examples()?
        .iter()
        .map(|case| Script::of(case, Path::new("")))
        .collect::<Result<_, _>>()?;
    let scripts = Arc::new(scripts);
    let upstream = ScriptedUpstream::start(move |seen| {
        let known = scripts.iter().map(|script| script.answer(seen));
        let answer = known
            .into_iter()
            .find(|reply| reply.body != b"no such exchange in this case")
            .unwrap_or_else(|| Reply {
                status: 404,
                ..Reply::default()
            });
        change(seen, answer)
    })
    .await?;
    let off: Vec<&str> = freshcontext_sources::adapters()
        .iter()
        .map(|adapter| adapter.descriptor().id)
        .filter(|id| !only.is_empty() && !only.contains(id))
        .collect();
    let off = format!("disable_sources={}", off.join(","));
    let mut words = vec!["doctor", "--online", "--json", "--set", off.as_str()];
    words.extend(set);
    let mut command = command(&words);
    command
        .env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()))
        .env("GITHUB_TOKEN", SECRET);
    let done = finish(command, "").await;
    assert!(
        !done.stdout.contains(SECRET) && !done.stderr.contains(SECRET),
        "a secret shows"
    );
    let told = serde_json::from_str(&done.stdout).map_err(|error| format!("{error}: {}", done.stdout))?;
    Ok((done, told))
}

fn source<'t>(told: &'t Value, id: &str) -> &'t Value {
    let all = told["sources"].as_array().expect("sources");
    all.iter()
        .find(|source| source["source"] == id)
        .expect("the source")
}

fn kinds(told: &Value, id: &str) -> Vec<String> {
    let drift = source(told, id)["drift"].as_array().expect("a list");
    let kinds = drift.iter().filter_map(|drift| drift["kind"].as_str());
    kinds.map(str::to_owned).collect()
}

/// Sources that answer like their fixtures have not drifted.
async fn as_known() -> Result<(), Failed> {
    let (done, told) = ask(&[], &[], |_, reply| reply).await?;
    let all = told["sources"].as_array().expect("sources");
    assert_eq!(all.len(), freshcontext_sources::adapters().len());
    for source in all {
        let drift = source["drift"].as_array().expect("a list");
        assert!(drift.is_empty(), "{source}");
        assert!(
            ["ok", "skipped"].contains(&source["verdict"].as_str().unwrap_or_default()),
            "{source}"
        );
    }
    assert_eq!(source(&told, "hackernews")["verdict"], "ok");
    assert_eq!(told["ok"], true);
    assert_eq!(done.code, Some(0), "{}", done.stdout);
    Ok(())
}

/// Changes every object of a JSON body.
fn altered(reply: Reply, change: fn(&mut Map<String, Value>)) -> Reply {
    fn walk(value: &mut Value, change: fn(&mut Map<String, Value>)) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| walk(value, change)),
            Value::Object(entries) => {
                change(entries);
                entries.values_mut().for_each(|value| walk(value, change));
            }
            _ => {}
        }
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(&reply.body) else {
        return reply;
    };
    walk(&mut value, change);
    Reply {
        body: value.to_string().into_bytes(),
        ..reply
    }
}

/// Each kind of drift is reported by name and path, with exit code 1.
async fn drift() -> Result<(), Failed> {
    let hn = &["hackernews"][..];
    let gone: Change = |_, reply| {
        altered(reply, |entries| {
            entries.remove("created_at_i");
        })
    };
    let (done, told) = ask(hn, &[], gone).await?;
    assert_eq!(done.code, Some(1), "{}", done.stdout);
    assert_eq!(kinds(&told, "hackernews"), ["field_gone"], "{told}");
    assert_eq!(source(&told, "hackernews")["verdict"], "drifted");
    let place = source(&told, "hackernews")["drift"][0]["place"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(place, "hn.algolia.com/api/v1/search hits[].created_at_i");

    let retyped: Change = |_, reply| {
        altered(reply, |entries| {
            if let Some(points) = entries.get_mut("num_comments") {
                *points = Value::String("87".to_owned());
            }
        })
    };
    let (done, told) = ask(hn, &[], retyped).await?;
    assert_eq!(done.code, Some(1));
    assert!(
        kinds(&told, "hackernews").contains(&"type_changed".to_owned()),
        "{told}"
    );
    assert!(done.stdout.contains("was number, is text"), "{}", done.stdout);

    let walled: Change = |_, reply| Reply {
        status: 403,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        body: freshcontext_testkit::damage::CHALLENGE.as_bytes().to_vec(),
        ..reply
    };
    let (done, told) = ask(hn, &[], walled).await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(kinds(&told, "hackernews"), ["block_page"], "{told}");

    let limiting: Change = |_, mut reply| {
        reply
            .headers
            .push(("x-ratelimit-limit".to_owned(), "60".to_owned()));
        reply
    };
    let (done, told) = ask(hn, &[], limiting).await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(kinds(&told, "hackernews"), ["new_limit_header"], "{told}");
    assert!(done.stdout.contains("x-ratelimit-limit: 60"), "{}", done.stdout);

    let late: Change = |_, reply| Reply {
        delay_ms: 400,
        ..reply
    };
    let (done, told) = ask(hn, &["--set", "limits.doctor_slow_ms=200"], late).await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(kinds(&told, "hackernews"), ["slow"], "{told}");

    let another: Change = |_, reply| Reply {
        body: b"{\"results\": []}".to_vec(),
        ..reply
    };
    let (done, told) = ask(hn, &[], another).await?;
    assert_eq!(done.code, Some(1));
    assert!(
        kinds(&told, "hackernews").contains(&"field_gone".to_owned()),
        "{told}"
    );
    Ok(())
}

/// Unavailable and rate-limiting sources are reported and fail.
async fn unreachable() -> Result<(), Failed> {
    let broken: Change = |_, reply| Reply { status: 503, ..reply };
    let (done, told) = ask(&["hackernews"], &["--set", "limits.attempts=1"], broken).await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(source(&told, "hackernews")["verdict"], "unreachable", "{told}");
    let limited: Change = |_, mut reply| {
        reply.status = 429;
        reply.headers.push(("retry-after".to_owned(), "3000".to_owned()));
        reply
    };
    let (done, told) = ask(&["hackernews"], &[], limited).await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(source(&told, "hackernews")["verdict"], "limited", "{told}");
    let undeclared: Change = |seen, reply| {
        if !seen.host.ends_with("sec.gov") {
            return reply;
        }
        Reply {
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: std::fs::read(root().join("fixtures/sec/undeclared/page.html")).unwrap_or_default(),
            ..reply
        }
    };
    let (done, told) = ask(&["sec_filings"], &[], undeclared).await?;
    let sec = source(&told, "sec_filings");
    assert_eq!(sec["verdict"], "skipped", "{told}");
    assert_eq!(sec["detail"], "needs FRESHCONTEXT_CONTACT", "{told}");
    assert_eq!(
        done.code,
        Some(0),
        "what the operator has not set is no drift: {told}"
    );
    let silent: Change = |_, _| Reply::default();
    let (done, told) = ask(
        &["hackernews"],
        &[
            "--set",
            "limits.call_deadline_ms=700",
            "--set",
            "limits.attempts=1",
        ],
        silent,
    )
    .await?;
    assert_eq!(done.code, Some(1));
    assert_eq!(source(&told, "hackernews")["verdict"], "unreachable", "{told}");
    Ok(())
}
