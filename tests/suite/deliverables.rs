//! Deliverables, through the engine, the command line and an MCP client, on both databases.

mod killed;
pub mod places;
mod resources;
mod story;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use freshcontext_http::{Config, Pipeline, Upstream};
use freshcontext_server::config::{Settings, StoreMode};
use freshcontext_server::engine::{CallContext, Engine, Owner, Parts, Task, To, ToolOutcome};
use freshcontext_testkit::{Reply, Script, ScriptedUpstream, StepClock, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{self, finish};
use crate::root;
use crate::run::{block_on, call, once};
use crate::upstreams::{json_reply, reply};
use places::Kept;

pub fn trials() -> Vec<Trial> {
    let on_postgres = |name: &'static str, work: fn(&Kept) -> Result<(), Failed>| {
        Trial::test(format!("deliverables::{name}::postgres"), move || {
            Kept::in_postgres()?.map_or(Ok(()), |kept| work(&kept))
        })
    };
    let on_sqlite = |name: &'static str, work: fn(&Kept) -> Result<(), Failed>| {
        Trial::test(format!("deliverables::{name}::sqlite"), move || {
            work(&Kept::in_folder())
        })
    };
    let story = |kept: &Kept| block_on(story::told(kept));
    let two = |kept: &Kept| block_on(killed::two_at_once(kept));
    vec![
        on_sqlite("example_of_the_page", story),
        on_postgres("example_of_the_page", story),
        on_sqlite("killed", |kept| block_on(killed::often(kept, "sqlite"))),
        on_postgres("killed", |kept| block_on(killed::often(kept, "postgres"))),
        on_sqlite("two_at_once", two),
        on_postgres("two_at_once", two),
        Trial::test("deliverables::fresh_sources_see_no_request", || block_on(fresh())),
        Trial::test("deliverables::stale_sources_alone_are_fetched", || {
            block_on(stale_alone())
        }),
        Trial::test("deliverables::week_old_sync_is_judged_now", || {
            block_on(week_old())
        }),
        Trial::test("deliverables::policies", || block_on(policies())),
        Trial::test("deliverables::partial_answers_lose_nothing", || {
            block_on(partial())
        }),
        Trial::test("deliverables::owners_are_apart", || block_on(owners())),
        Trial::test("deliverables::what_is_refused", || block_on(refused())),
        Trial::test("deliverables::resources", || {
            block_on(resources::told_of_changes())
        }),
        Trial::test("deliverables::template", || block_on(template())),
        Trial::test("deliverables::watched", || block_on(watched())),
    ]
}

fn ensure(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(Failed::from(otherwise.to_string()))
    }
}

/// What each host says, which can be changed between two steps.
#[derive(Clone, Default)]
struct Says(Arc<Mutex<Vec<(&'static str, Reply)>>>);

impl Says {
    fn set(&self, host: &'static str, reply: Reply) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != host);
        all.push((host, reply));
    }
}

/// A server with deliverables in memory, a clock that steps, and sources that say what they are told to.
struct Scene {
    engine: Arc<Engine>,
    clock: Arc<StepClock>,
    upstream: ScriptedUpstream,
    says: Says,
}

impl Scene {
    async fn start() -> Result<Self, Failed> {
        Self::with(None).await
    }

    /// As a script says where there is one.
    async fn with(script: Option<Script>) -> Result<Self, Failed> {
        let says = Says::default();
        let answers = says.clone();
        let upstream = ScriptedUpstream::start(move |request| {
            if let Some(script) = &script {
                return script.answer(request);
            }
            let all = answers.0.lock().unwrap_or_else(PoisonError::into_inner);
            let found = all.iter().find(|(host, _)| *host == request.host);
            let mut said =
                found.map_or_else(|| reply(404, "text/plain", "nobody"), |(_, reply)| reply.clone());
            let tag = |name: &str, headers: &[(String, String)]| {
                headers
                    .iter()
                    .find(|(known, _)| known == name)
                    .map(|(_, value)| value.clone())
            };
            let asked = request.header("if-none-match").map(str::to_owned);
            if asked.is_some() && asked == tag("etag", &said.headers) {
                said.status = 304;
                said.body.clear();
            }
            said
        })
        .await?;
        let clock = Arc::new(StepClock::new(
            "2026-11-23T09:00:00Z".parse().map_err(|_| "a moment")?,
        ));
        let mut config = Config::new(clock.clone());
        config.limits = once();
        config.upstreams =
            Upstream::parse_list(&format!("*={}", upstream.base())).map_err(|error| error.to_string())?;
        let settings = Settings {
            limits: once(),
            toolsets: vec!["default".to_owned(), "time".to_owned()],
            store: StoreMode::Memory,
            ..Settings::default()
        };
        let parts = Parts {
            adapters: freshcontext_sources::adapters(),
            composites: freshcontext_sources::composites().iter().collect(),
            transport: Arc::new(Pipeline::new(config).map_err(|error| error.to_string())?),
            clock: clock.clone(),
        };
        let engine = Engine::new(&settings, parts).map_err(|error| error.to_string())?;
        Ok(Self {
            engine: Arc::new(engine),
            clock,
            upstream,
            says,
        })
    }

    async fn add(&self, sources: &[Value], policy: &str) -> Result<(), Failed> {
        let definition = json!({
            "sources": sources, "profile": "local_custom", "intent": "developer_adoption", "max_tokens": 4000,
            "on_unchecked": policy,
        });
        let definition = serde_json::from_value(definition)?;
        let name = "brief".to_owned();
        self.doing(Task::Add { name, definition }).await?;
        Ok(())
    }

    async fn doing(&self, task: Task) -> Result<ToolOutcome, Failed> {
        let done = self.engine.deliverable(task, &Owner::default()).await;
        done.map_err(|error| Failed::from(format!("{}: {}", error.code, error.message)))
    }

    async fn sync(&self) -> Result<Value, Failed> {
        let done = self
            .doing(Task::Sync {
                name: "brief".to_owned(),
            })
            .await?;
        Ok(done.structured.unwrap_or_default())
    }

    async fn check(&self) -> Result<Value, Failed> {
        let done = self
            .doing(Task::Check {
                name: "brief".to_owned(),
            })
            .await?;
        Ok(done.structured.unwrap_or_default())
    }

    /// Makes a version and gives all of it, with its text.
    async fn generate(&self) -> Result<(Value, String), Failed> {
        let name = "brief".to_owned();
        let made = self.doing(Task::Generate { name: name.clone() }).await?;
        let shown = self.doing(Task::Show { name, version: None }).await?;
        Ok((shown.structured.unwrap_or_default(), made.text))
    }

    async fn diff(&self, from: i64, to: To) -> Result<Value, Failed> {
        let name = "brief".to_owned();
        let done = self.doing(Task::Diff { name, from, to }).await?;
        Ok(done.structured.unwrap_or_default())
    }

    fn asked(&self) -> usize {
        self.upstream.requests().len()
    }

    fn asked_of(&self, host: &str) -> usize {
        let requests = self.upstream.requests();
        requests.iter().filter(|request| request.host == host).count()
    }

    fn later(&self, by: TimeDelta) {
        self.clock.step(by);
    }
}

const HN: &str = "hn.algolia.com";
const ARXIV: &str = "export.arxiv.org";

fn stories(list: &[(u64, &str)], etag: Option<&str>) -> Reply {
    let hits: Vec<Value> = list
        .iter()
        .map(|(id, title)| {
            json!({"objectID": id.to_string(), "title": title, "url": format!("https://example.com/{id}"),
                "author": "someone", "points": 10, "num_comments": 3, "created_at": "2026-11-20T10:00:00Z",
                "created_at_i": 1_795_168_800_u64 + id, "_tags": ["story"]})
        })
        .collect();
    let mut out = json_reply(
        &json!({"hits": hits, "nbHits": 50, "page": 0, "nbPages": 3, "hitsPerPage": 20, "exhaustiveNbHits": true})
            .to_string(),
    );
    out.headers
        .extend(etag.map(|etag| ("etag".to_owned(), etag.to_owned())));
    out
}

fn papers(title: &str, etag: &str) -> Reply {
    let feed = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query</title><updated>2026-11-20T10:00:00Z</updated>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage><opensearch:totalResults>1</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
  <entry><id>http://arxiv.org/abs/2611.00001v1</id><title>{title}</title><updated>2026-11-20T10:00:00Z</updated>
    <published>2026-11-20T10:00:00Z</published><summary>About checking before acting.</summary>
    <author><name>Example Person</name></author></entry>
</feed>"#
    );
    let mut out = reply(200, "application/atom+xml", &feed);
    out.headers.push(("etag".to_owned(), etag.to_owned()));
    out
}

fn hn() -> Value {
    json!({"tool": "extract_hackernews", "arguments": {"url": "rust"}})
}

fn arxiv() -> Value {
    json!({"tool": "extract_arxiv", "arguments": {"url": "freshness"}})
}

fn limited() -> Reply {
    let mut out = reply(429, "text/plain", "slow down");
    out.headers.push(("retry-after".to_owned(), "120".to_owned()));
    out
}

/// Whoever was asked a moment ago is not asked again, by check, sync or generate.
async fn fresh() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(HN, stories(&[(1, "First")], None));
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[hn(), arxiv()], "refuse").await?;
    scene.sync().await?;
    let asked = scene.asked();
    ensure(asked >= 2, format!("{asked} requests for the first sync"))?;
    scene.later(TimeDelta::seconds(30));
    let checked = scene.check().await?;
    ensure(checked["sources"][0]["verdict"] == "current", &checked)?;
    scene.sync().await?;
    let (made, _) = scene.generate().await?;
    ensure(made["items"].as_array().map(Vec::len) == Some(2), &made)?;
    ensure(
        scene.asked() == asked,
        format!("{} requests", scene.asked() - asked),
    )?;
    scene.later(TimeDelta::seconds(31));
    scene.check().await?;
    ensure(scene.asked() > asked, "after a minute they are asked again")
}

/// A source that says 304 is asked that one question; the one that changed is fetched, and only its items change.
async fn stale_alone() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene
        .says
        .set(HN, stories(&[(1, "First"), (2, "Second")], Some("\"one\"")));
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[hn(), arxiv()], "refuse").await?;
    scene.generate().await?;
    scene.later(TimeDelta::hours(5));
    scene.says.set(
        HN,
        stories(&[(3, "Third"), (1, "First, altered")], Some("\"two\"")),
    );
    let before = (scene.asked_of(HN), scene.asked_of(ARXIV));
    let checked = scene.check().await?;
    ensure(
        (
            &checked["sources"][0]["verdict"],
            &checked["sources"][1]["verdict"],
        ) == (&json!("stale"), &json!("current")),
        &checked,
    )?;
    ensure(
        scene.asked_of(ARXIV) - before.1 == 1 && scene.asked_of(HN) - before.0 == 1,
        "one question each",
    )?;
    let (made, _) = scene.generate().await?;
    ensure(
        scene.asked_of(ARXIV) - before.1 == 1,
        "what was just found current is not asked",
    )?;
    ensure(made["version"] == 2, &made["version"])?;
    let found = scene.diff(1, To::Version(2)).await?;
    let diff = &found["diff"];
    ensure(diff["added"][0]["item"]["title"] == "Third", diff)?;
    ensure(
        diff["removed"][0]["title"] == "Second" && diff["removed"][0]["detail"] == "outside_window",
        diff,
    )?;
    ensure(
        diff["changed"][0]["fields"] == json!([{"field": "title", "then": "First", "now": "First, altered"}]),
        diff,
    )?;
    // The next check rests on the validators of the second answer.
    scene.later(TimeDelta::hours(5));
    let checked = scene.check().await?;
    ensure(checked["requests"] == 2, &checked)?;
    ensure(checked["sources"][0]["verdict"] == "current", &checked)?;
    scene.says.set(HN, stories(&[(3, "Third")], Some("\"three\"")));
    scene.later(TimeDelta::hours(5));
    let checked = scene.check().await?;
    ensure(checked["sources"][0]["verdict"] == "stale", &checked)
}

/// What was synced a week ago is judged at now, and the version says when it was synced.
async fn week_old() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(ARXIV, papers("One", "\"a\""));
    scene.add(&[arxiv()], "use_last").await?;
    let (first, _) = scene.generate().await?;
    scene.later(TimeDelta::days(7));
    let (second, text) = scene.generate().await?;
    let score = |version: &Value| {
        version["items"][0]["judged"]["freshness_score"]
            .as_u64()
            .unwrap_or_default()
    };
    ensure(
        second["generated_at"] == "2026-11-30T09:00:00.000Z",
        &second["generated_at"],
    )?;
    ensure(score(&second) < score(&first), "a week older, a lower score")?;
    let snapshot = &second["source_snapshots"][0];
    ensure(
        snapshot["synced_at"] == "2026-11-23T09:00:00.000Z"
            && snapshot["checked_at"] == "2026-11-30T09:00:00.000Z",
        snapshot,
    )?;
    ensure(snapshot["state"] == "current", snapshot)?;
    ensure(
        text.contains("synced 2026-11-23T09:00:00.000Z (7 days ago), confirmed 2026-11-30T09:00:00.000Z"),
        &text,
    )?;
    // And where nobody can confirm it.
    scene.says.set(ARXIV, limited());
    scene.later(TimeDelta::days(7));
    let (third, text) = scene.generate().await?;
    ensure(
        third["source_snapshots"][0]["state"] == "last_used",
        &third["source_snapshots"],
    )?;
    ensure(
        text.contains(
            "could not be checked; 1 item as of 2026-11-23T09:00:00.000Z (14 days ago), judged at now",
        ),
        &text,
    )?;
    ensure(score(&third) < score(&second), "two weeks older")
}

/// The three policies, and that what could not be read shows no removal.
async fn policies() -> Result<(), Failed> {
    for policy in ["refuse", "use_last", "leave_out"] {
        let scene = Scene::start().await?;
        scene.says.set(HN, stories(&[(1, "First")], None));
        scene.says.set(ARXIV, papers("One", "\"a\""));
        scene.add(&[hn(), arxiv()], policy).await?;
        scene.generate().await?;
        scene.later(TimeDelta::days(1));
        scene.says.set(HN, limited());
        let task = Task::Generate {
            name: "brief".to_owned(),
        };
        let made = scene.engine.deliverable(task, &Owner::default()).await;
        if policy == "refuse" {
            let error = made.err().ok_or("it is refused")?;
            ensure(
                error.code.as_str() == "rate_limited" && error.message.contains("extract_hackernews"),
                &error.message,
            )?;
            ensure(error.retry_after.is_some(), "when to try again")?;
            ensure(
                scene
                    .doing(Task::Show {
                        name: "brief".to_owned(),
                        version: Some(2),
                    })
                    .await
                    .is_err(),
                "no version was made",
            )?;
            continue;
        }
        let made = made.map_err(|error| error.message)?;
        ensure(made.text.contains("rate_limited"), &made.text)?;
        let found = scene.diff(1, To::Version(2)).await?;
        let empty = |name: &str| found["diff"][name].as_array().is_some_and(Vec::is_empty);
        ensure(empty("removed") && empty("added") && empty("changed"), &found)?;
        ensure(empty("could_not_check") == (policy == "use_last"), &found)?;
        ensure(found["not_known"].as_array().map(Vec::len) == Some(1), &found)?;
        let now = scene.diff(1, To::Now).await?;
        ensure(now["diff"]["removed"] == json!([]), &now)?;
    }
    Ok(())
}

/// A board that fails takes none of its adverts with it.
async fn partial() -> Result<(), Failed> {
    let cases = load_cases(&root().join("fixtures"))?;
    let case = cases
        .iter()
        .find(|case| case.name == "jobs/ok")
        .ok_or("the fixture")?;
    for policy in ["use_last", "leave_out"] {
        let script = Script::of(case, Path::new(""))?;
        let scene = Scene::with(Some(script.clone())).await?;
        let jobs = json!({"tool": "search_jobs", "arguments": case.arguments});
        scene.add(&[jobs], policy).await?;
        let (first, _) = scene.generate().await?;
        ensure(
            first["source_snapshots"][0]["state"] == "current",
            &first["source_snapshots"],
        )?;
        scene.later(TimeDelta::hours(5));
        script.alter(|exchange, answer| {
            if exchange.url.host_str() == Some("remotive.com") {
                *answer = reply(503, "text/plain", "broken");
            }
        });
        let (second, text) = scene.generate().await?;
        ensure(
            second["source_snapshots"][0]["state"] == "partial",
            &second["source_snapshots"],
        )?;
        ensure(
            text.contains("Remotive") && text.contains("upstream_error"),
            &text,
        )?;
        let items = |version: &Value| version["items"].as_array().map_or(0, Vec::len);
        let lost = items(&first) - items(&second);
        ensure(
            (lost > 0) == (policy == "leave_out"),
            format!("{policy}: {lost} lost"),
        )?;
        let found = scene.diff(1, To::Version(2)).await?;
        ensure(found["diff"]["removed"] == json!([]), &found["diff"])?;
        ensure(
            found["diff"]["could_not_check"].as_array().map(Vec::len) == Some(lost),
            &found["diff"],
        )?;
    }
    Ok(())
}

/// Nobody sees what is another's.
async fn owners() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    scene.says.set(HN, stories(&[(1, "First")], None));
    scene.add(&[hn()], "refuse").await?;
    scene.generate().await?;
    let context = || CallContext {
        owner: Owner::named("token:ben"),
        ..CallContext::default()
    };
    let arguments = |value: Value| value.as_object().cloned().unwrap_or_default();
    let list = call(&scene.engine, "deliverable_list", arguments(json!({})), context()).await?;
    ensure(list.structured["deliverables"] == json!([]), &list.structured)?;
    let checked = scene.check().await?;
    ensure(checked["requests"] == 0, "asked a moment ago")?;
    for (tool, given) in [
        ("deliverable_generate", json!({"name": "brief"})),
        ("deliverable_diff", json!({"name": "brief", "from": 1})),
    ] {
        let done = call(&scene.engine, tool, arguments(given), context()).await?;
        ensure(done.code() == "not_found", &done.text)?;
    }
    // On the command line, by the name of a token.
    let kept = Kept::in_folder();
    let (base, now) = (scene.upstream.base(), "2026-11-23T09:00:00Z");
    let run = |arguments: &[&str]| finish(kept.command(arguments, now, &base), "");
    let source = "extract_hackernews url=rust";
    run(&[
        "deliverable",
        "--token",
        "ben",
        "add",
        "brief",
        "--source",
        source,
    ])
    .await;
    let asked = scene.asked();
    let bens = run(&["deliverable", "check", "brief", "--token", "ben"]).await;
    ensure(bens.stdout.contains("never_synced"), &bens.stdout)?;
    ensure(scene.asked() == asked, "of what was never synced nobody is asked")?;
    let own = run(&["deliverable", "list"]).await;
    ensure(own.stdout.trim() == "There is none.", &own.stdout)
}

/// What cannot be a deliverable, by name, before any request.
async fn refused() -> Result<(), Failed> {
    let scene = Scene::start().await?;
    for (source, says) in [
        (json!({"tool": "no_such", "arguments": {}}), "is no tool"),
        (
            json!({"tool": "extract_idea_landscape", "arguments": {"idea": "x"}}),
            "more than one source",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "a", "cursor": "b"}}),
            "cursor",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "a", "limit": "many"}}),
            "limit",
        ),
    ] {
        let error = scene.add(std::slice::from_ref(&source), "refuse").await;
        let error = error.err().and_then(|failed| failed.message().map(str::to_owned));
        ensure(
            error
                .as_deref()
                .is_some_and(|error| error.contains(says) && error.contains("invalid_input")),
            format!("{source}: {error:?}"),
        )?;
    }
    ensure(scene.add(&[], "refuse").await.is_err(), "no source")?;
    scene.add(&[hn()], "refuse").await?;
    ensure(scene.add(&[hn()], "refuse").await.is_err(), "the same name")?;
    ensure(scene.asked() == 0, "nobody was asked")
}

/// A template, style and recipients go from the command line into the version.
async fn template() -> Result<(), Failed> {
    let kept = Kept::in_folder();
    let upstream = ScriptedUpstream::start(|_| stories(&[(1, "First {{name}}")], None)).await?;
    let (base, now) = (upstream.base(), "2026-11-20T12:00:00Z");
    let add = [
        "deliverable",
        "add",
        "brief",
        "--source",
        "extract_hackernews url=rust",
        "--template",
        "-",
        "--style",
        "short",
        "--recipients",
        "the team,the board",
    ];
    let text =
        "# {{name}} {{version}}, {{style}}, for {{recipients}}\n{{blocks}}\n{{missing}}\nEnd of {{ name }}";
    let added = finish(kept.command(&add, now, &base), text).await;
    ensure(added.code == Some(0), &added.stderr)?;
    let made = finish(
        kept.command(&["deliverable", "generate", "brief"], now, &base),
        "",
    )
    .await;
    ensure(
        made.stdout
            .starts_with("# brief 1, short, for the team, the board\n[FRESHCONTEXT]")
            && made.stdout.contains("Title: First {{name}}")
            && made.stdout.trim_end().ends_with("End of brief"),
        &made.stdout,
    )?;
    let wrong = finish(
        kept.command(
            &[
                "deliverable",
                "add",
                "other",
                "--source",
                "extract_hackernews url=rust",
                "--template",
                "-",
            ],
            now,
            &base,
        ),
        "{{items}}",
    )
    .await;
    ensure(
        wrong.code == Some(2) && wrong.stderr.contains("{{items}}"),
        &wrong.stderr,
    )?;
    let json = ["deliverable", "generate", "brief", "--json"];
    let made = finish(kept.command(&json, now, &base), "").await;
    let made: Value = serde_json::from_str(&made.stdout)?;
    ensure(
        made["style"] == "short"
            && made["recipients"] == json!(["the team", "the board"])
            && made["version"] == 2,
        &made,
    )
}

/// The watcher prints a line for a change, keeps both feeds, and ends when it is told to.
async fn watched() -> Result<(), Failed> {
    use tokio::io::{AsyncBufReadExt as _, BufReader};
    let kept = Kept::in_folder();
    let says = Arc::new(Mutex::new(stories(&[(1, "First")], None)));
    let answers = Arc::clone(&says);
    let upstream =
        ScriptedUpstream::start(move |_| answers.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .await?;
    let (base, now) = (upstream.base(), "2026-11-23T09:00:00Z");
    let source = "extract_hackernews url=rust";
    finish(
        kept.command(&["deliverable", "add", "brief", "--source", source], now, &base),
        "",
    )
    .await;
    finish(kept.command(&["deliverable", "sync", "brief"], now, &base), "").await;
    let feeds = process::scratch().join(format!("feeds-{}", std::process::id()));
    std::fs::create_dir_all(&feeds)?;
    let (atom, json_feed) = (feeds.join("changes.atom"), feeds.join("changes.json"));
    let (atom_name, json_name) = (atom.display().to_string(), json_feed.display().to_string());
    let arguments = [
        "deliverable",
        "watch",
        "brief",
        "--every",
        "1",
        "--atom",
        &atom_name,
        "--json-feed",
        &json_name,
    ];
    let mut child = kept.command(&arguments, now, &base).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("a pipe")?).lines();
    *says.lock().unwrap_or_else(PoisonError::into_inner) = stories(&[(2, "Second"), (1, "First")], None);
    let line = tokio::time::timeout(process::PATIENCE, lines.next_line()).await??;
    let event: Value = serde_json::from_str(&line.ok_or("a line")?)?;
    ensure(
        event["kind"] == "added" && event["title"] == "Second" && event["deliverable"] == "brief",
        &event,
    )?;
    // The feeds are written after the line.
    let until = std::time::Instant::now() + process::PATIENCE;
    while !std::fs::read_to_string(&json_feed)?.contains("Second") && std::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let feed: Value = serde_json::from_str(&std::fs::read_to_string(&json_feed)?)?;
    ensure(feed["items"][0]["title"] == "added: Second", &feed)?;
    ensure(
        std::fs::read_to_string(&atom)?.contains("added: Second"),
        "the Atom feed has it too",
    )?;
    process::signal(child.id().ok_or("it runs")?, "TERM");
    let status = tokio::time::timeout(process::PATIENCE, child.wait()).await??;
    std::fs::remove_dir_all(&feeds)?;
    ensure(status.code() == Some(0), status)
}
