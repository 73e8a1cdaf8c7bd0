//! The toolset `time`: an answer has an id, and `recheck` says whether it is still so. Tried through the tool, with
//! upstreams that change, delete, reorder, push out, refuse and break.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_contract::{AnyAdapter, Clock};
use freshcontext_http::{Config, Pipeline, Upstream};
use freshcontext_server::config::{Settings, StoreMode};
use freshcontext_server::engine::{CallContext, Engine, Owner, Parts, RECHECK};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Kind, Reply, SECRET, Script, ScriptedUpstream, StepClock, load_cases};
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::cases::of_a_composite;
use crate::run::{CONTACT, block_on, call, once};
use crate::upstreams::{json_reply, reply};
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = SCENES
        .iter()
        .map(|scene| {
            Trial::test(format!("time::list::{}", scene.name), move || {
                block_on(list(scene))
            })
        })
        .collect();
    trials.extend([
        Trial::test("time::not_modified", || block_on(not_modified())),
        Trial::test("time::named_thing_gone", || block_on(named_thing_gone())),
        Trial::test("time::restart_between", || block_on(restart_between())),
        Trial::test("time::owners_are_apart", || block_on(owners_are_apart())),
        Trial::test("time::damaged_store", || block_on(damaged_store())),
        Trial::test("time::store_off", || block_on(store_off())),
        Trial::test("time::cached_answer_keeps_its_id", || block_on(cached())),
        Trial::test("time::off_by_default", || block_on(off_by_default())),
        Trial::test("time::without_an_id", || block_on(without_an_id())),
        Trial::test("time::wrong_arguments", || block_on(wrong_arguments())),
        Trial::test("time::id_in_a_signal", || block_on(id_in_a_signal())),
        Trial::test("time::requests_counted", || block_on(requests_counted())),
    ]);
    trials
}

/// A folder of this test's own.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("freshcontext-time-{}-{next}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server with the toolset, without the published paces: what is counted here is asked at once.
fn engine(
    base: &str,
    folder: &Folder,
    case: Option<&Case>,
    change: impl FnOnce(&mut Settings),
) -> Result<Arc<Engine>, String> {
    let now = match case {
        Some(case) => case.now,
        None => "2026-11-21T12:00:00Z".parse().map_err(|_| "a moment")?,
    };
    let clock: Arc<dyn Clock> = Arc::new(StepClock::new(now));
    let adapters = freshcontext_sources::adapters();
    let mut config = Config::new(Arc::clone(&clock));
    config.limits = once();
    config.upstreams = Upstream::parse_list(&format!("*={base}")).map_err(|error| error.to_string())?;
    config.contact = Some(CONTACT.to_owned());
    if let Some(case) = case {
        config.secrets = case
            .env
            .iter()
            .map(|name| (name.clone(), SECRET.to_owned()))
            .collect();
        config.enabled_routes = case.routes.iter().cloned().collect();
    }
    let mut settings = Settings {
        limits: once(),
        toolsets: vec!["default".to_owned(), "time".to_owned()],
        data_dir: Some(folder.0.clone()),
        ..Settings::default()
    };
    change(&mut settings);
    let parts = Parts {
        adapters,
        composites: Vec::new(),
        transport: Arc::new(Pipeline::new(config).map_err(|error| error.to_string())?),
        clock,
    };
    Ok(Arc::new(
        Engine::new(&settings, parts).map_err(|error| error.to_string())?,
    ))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

async fn ask(engine: &Arc<Engine>, tool: &str, arguments: Value) -> Result<Outcome, String> {
    call(engine, tool, object(arguments), CallContext::default()).await
}

async fn recheck(engine: &Arc<Engine>, answer: &Outcome) -> Result<Outcome, String> {
    let id = answer.structured["answer_id"]
        .as_str()
        .ok_or_else(|| format!("no id: {}", answer.text))?;
    ask(engine, RECHECK, json!({"answer_id": id})).await
}

fn ensure(holds: bool, otherwise: impl std::fmt::Display) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(Failed::from(otherwise.to_string()))
    }
}

/// What a source says can be changed between two calls.
#[derive(Clone)]
struct Says(Arc<Mutex<Reply>>);

impl Says {
    fn new(first: Reply) -> Self {
        Self(Arc::new(Mutex::new(first)))
    }

    fn now(&self, next: Reply) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    async fn upstream(&self) -> Result<ScriptedUpstream, String> {
        let says = self.clone();
        let script = move |_: &_| says.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ScriptedUpstream::start(script)
            .await
            .map_err(|error| error.to_string())
    }
}

/// A page of stories: id and title, newest first.
fn stories(list: &[(u64, &str)]) -> Reply {
    let hits: Vec<Value> = list
        .iter()
        .map(|(id, title)| {
            json!({"objectID": id.to_string(), "title": title, "url": format!("https://example.com/{id}"),
                "author": "someone", "points": 10, "num_comments": 3, "created_at": "2026-11-20T10:00:00Z",
                "created_at_i": 1_795_168_800_u64 + id, "_tags": ["story"]})
        })
        .collect();
    json_reply(
        &json!({"hits": hits, "nbHits": 50, "page": 0, "nbPages": 3, "hitsPerPage": 20, "exhaustiveNbHits": true})
            .to_string(),
    )
}

const FIRST: [(u64, &str); 3] = [(3, "Third"), (2, "Second"), (1, "First")];

/// What a list of stories says later, and what must be said of the earlier answer and of its three items.
struct Scene {
    name: &'static str,
    then: fn() -> Reply,
    verdict: &'static str,
    items: [(&'static str, &'static str); 3],
    code: Option<&'static str>,
}

const CURRENT: (&str, &str) = ("current", "");
const NOT_READ: (&str, &str) = ("could_not_check", "not_read");
const OUTSIDE: (&str, &str) = ("could_not_check", "outside_window");

const SCENES: [Scene; 10] = [
    Scene {
        name: "unchanged",
        then: || stories(&FIRST),
        verdict: "current",
        items: [CURRENT; 3],
        code: None,
    },
    Scene {
        name: "reordered",
        then: || stories(&[(1, "First"), (3, "Third"), (2, "Second")]),
        verdict: "current",
        items: [CURRENT; 3],
        code: None,
    },
    Scene {
        name: "changed",
        then: || stories(&[(3, "Third"), (2, "Second, corrected"), (1, "First")]),
        verdict: "changed",
        items: [CURRENT, ("changed", ""), CURRENT],
        code: None,
    },
    Scene {
        name: "deleted",
        then: || stories(&[(3, "Third"), (1, "First")]),
        verdict: "could_not_check",
        items: [CURRENT, OUTSIDE, CURRENT],
        code: None,
    },
    Scene {
        name: "pushed_out",
        then: || stories(&[(5, "Fifth"), (4, "Fourth"), (3, "Third")]),
        verdict: "changed",
        items: [CURRENT, OUTSIDE, OUTSIDE],
        code: None,
    },
    Scene {
        name: "slow_down",
        then: || Reply {
            headers: vec![("retry-after".to_owned(), "77".to_owned())],
            ..reply(429, "text/plain", "slow down")
        },
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("rate_limited"),
    },
    Scene {
        name: "block_page",
        then: || reply(403, "text/html", BLOCK_PAGE),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("challenge"),
    },
    Scene {
        name: "block_page_as_200",
        then: || reply(200, "text/html", BLOCK_PAGE),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("challenge"),
    },
    Scene {
        name: "down",
        then: || reply(503, "text/plain", "maintenance"),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("upstream_error"),
    },
    Scene {
        name: "list_not_found",
        then: || reply(404, "application/json", "{}"),
        verdict: "could_not_check",
        items: [NOT_READ; 3],
        code: Some("not_found"),
    },
];

const BLOCK_PAGE: &str = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your \
    browser before accessing the site.</h1><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\">\
    </script></body></html>";

/// The cache still holds the first answer: a recheck passes it by.
async fn list(scene: &'static Scene) -> Result<(), Failed> {
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let folder = Folder::new();
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "rust async", "sort": "newest"});
    let answer = ask(&engine, "extract_hackernews", arguments).await?;
    ensure(!answer.is_error, &answer.text)?;
    says.now((scene.then)());
    let before = upstream.requests().len();
    let found = recheck(&engine, &answer).await?;
    let asked = upstream.requests().len() - before;
    engine.close().await;
    let said = &found.structured;
    let mut wrong = Vec::new();
    if found.is_error || said["verdict"] != scene.verdict {
        wrong.push(format!(
            "verdict {} where {} is right",
            said["verdict"], scene.verdict
        ));
    }
    let items: Vec<(&str, &str)> = said["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| {
            let text = |name: &str| item[name].as_str().unwrap_or_default();
            (text("verdict"), text("detail"))
        })
        .collect();
    if items != scene.items {
        wrong.push(format!("items {items:?}"));
    }
    if said["code"].as_str() != scene.code {
        wrong.push(format!("code {} where {:?} is right", said["code"], scene.code));
    }
    if scene.name == "slow_down" && said["retry_after_s"] != 77 {
        wrong.push(format!("retry_after_s {}", said["retry_after_s"]));
    }
    if asked == 0 || said["requests"] != asked {
        wrong.push(format!("{asked} requests made, {} told", said["requests"]));
    }
    if !wrong.is_empty() {
        wrong.push(found.text);
    }
    verdict(wrong)
}

/// The engine, an answer of a repository, and what its source says next.
async fn repository(folder: &Folder) -> Result<(Arc<Engine>, Case, Script, ScriptedUpstream), String> {
    serving(&case("github/repository")?, folder).await
}

fn case(name: &str) -> Result<Case, String> {
    load_cases(&root().join("fixtures"))?
        .into_iter()
        .find(|case| case.name == name)
        .ok_or_else(|| format!("no case {name}"))
}

/// A server for a case whose upstream gives ETags and honours them, as RFC 9110 says.
async fn serving(
    case: &Case,
    folder: &Folder,
) -> Result<(Arc<Engine>, Case, Script, ScriptedUpstream), String> {
    let script = Script::of(case, Path::new(""))?;
    let answers = script.clone();
    let upstream = ScriptedUpstream::start(move |seen| {
        let mut reply = answers.answer(seen);
        if reply.status == 200 {
            let sum = reply.body.iter().fold(7_u64, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(u64::from(*byte))
            });
            let tag = format!("\"{sum:x}\"");
            if seen.header("if-none-match") == Some(tag.as_str()) {
                reply.status = 304;
                reply.body.clear();
            }
            reply
                .headers
                .retain(|(name, _)| name != "etag" && name != "last-modified");
            reply.headers.push(("etag".to_owned(), tag));
        }
        reply
    })
    .await
    .map_err(|error| error.to_string())?;
    let engine = engine(&upstream.base(), folder, Some(case), |_| {})?;
    Ok((engine, case.clone(), script, upstream))
}

async fn not_modified() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, _, upstream) = repository(&folder).await?;
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    let found = recheck(&engine, &answer).await?;
    let said = &found.structured;
    ensure(said["verdict"] == "current", &found.text)?;
    ensure(said["bytes"] == 0, &found.text)?;
    let evidence = said["evidence"].as_array().map_or(0, Vec::len);
    ensure(
        evidence > 0 && said["evidence"][0]["kind"] == "not_modified",
        &found.text,
    )?;
    let conditional = upstream
        .requests()
        .iter()
        .filter(|seen| seen.header("if-none-match").is_some())
        .count();
    ensure(
        conditional == evidence,
        format!("{conditional} conditional requests"),
    )?;
    ensure(found.text.contains("304 for "), &found.text)
}

/// A repository that is no more says so itself.
async fn named_thing_gone() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, script, _upstream) = repository(&folder).await?;
    let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
    script.answer_all(&reply(404, "application/json", r#"{"message": "Not Found"}"#));
    let found = recheck(&engine, &answer).await?;
    ensure(found.structured["verdict"] == "gone", &found.text)
}

/// Another process, later: the same folder, another engine, another cache.
async fn restart_between() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let first = engine(&upstream.base(), &folder, None, |_| {})?;
    let answer = ask(&first, "extract_hackernews", json!({"url": "rust async"})).await?;
    first.close().await;
    drop(first);
    says.now(stories(&[(3, "Third"), (2, "Second"), (1, "First, retracted")]));
    let second = engine(&upstream.base(), &folder, None, |_| {})?;
    let found = recheck(&second, &answer).await?;
    second.close().await;
    ensure(found.structured["verdict"] == "changed", &found.text)?;
    ensure(
        found.structured["items"][2]["changed"] == json!(["title"]),
        &found.text,
    )?;
    // What is kept holds nothing of what was said.
    let kept = std::fs::read(folder.0.join("freshcontext.sqlite3"))?;
    let kept = String::from_utf8_lossy(&kept);
    ensure(!kept.contains("Second"), "a title is kept")?;
    ensure(
        kept.contains("rust async"),
        "the arguments are kept, as the docs say",
    )
}

async fn owners_are_apart() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let of = |owner: &str| CallContext {
        owner: Owner::named(owner),
        ..CallContext::default()
    };
    let arguments = object(json!({"url": "rust async"}));
    let annas = call(&engine, "extract_hackernews", arguments.clone(), of("anna")).await?;
    let bens = call(&engine, "extract_hackernews", arguments, of("ben")).await?;
    let id = |outcome: &Outcome| outcome.structured["answer_id"].clone();
    ensure(
        id(&annas).is_string() && id(&annas) != id(&bens),
        "ids of their own",
    )?;
    let about = object(json!({"answer_id": id(&annas)}));
    let foreign = call(&engine, RECHECK, about.clone(), of("ben")).await?;
    ensure(foreign.is_error && foreign.code() == "not_found", &foreign.text)?;
    let unknown = call(
        &engine,
        RECHECK,
        object(json!({"answer_id": "aAAAAAAAAAAAA"})),
        of("anna"),
    )
    .await?;
    ensure(unknown.code() == "not_found", &unknown.text)?;
    let own = call(&engine, RECHECK, about, of("anna")).await?;
    engine.close().await;
    ensure(own.structured["verdict"] == "current", &own.text)
}

async fn damaged_store() -> Result<(), Failed> {
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    let file = folder.0.join("freshcontext.sqlite3");
    std::fs::write(&file, b"no database ".repeat(1_000))?;
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    for _ in 0..2 {
        let answer = ask(&engine, "extract_hackernews", json!({"url": "rust async"})).await?;
        ensure(
            !answer.is_error && answer.structured["items"].is_array(),
            &answer.text,
        )?;
        ensure(
            answer.structured.get("answer_id").is_none(),
            "an id that would not be found",
        )?;
    }
    let found = ask(&engine, RECHECK, json!({"answer_id": "aAAAAAAAAAAAA"})).await?;
    engine.close().await;
    ensure(
        found.code() == "misconfigured" && found.text.contains("damaged"),
        &found.text,
    )?;
    ensure(
        std::fs::read(&file)?.starts_with(b"no database "),
        "the file is left as it is",
    )
}

async fn store_off() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |settings| {
        settings.store = StoreMode::Off;
    })?;
    let answer = ask(&engine, "extract_hackernews", json!({"url": "rust async"})).await?;
    ensure(
        answer.structured.get("answer_id").is_none(),
        "nothing is kept, so there is no id",
    )?;
    let found = ask(&engine, RECHECK, json!({"answer_id": "aAAAAAAAAAAAA"})).await?;
    ensure(found.code() == "misconfigured", &found.text)?;
    let hash = &answer.structured["answer_hash"];
    let about = json!({"tool": "extract_hackernews", "arguments": {"url": "rust async"}, "hash": hash});
    let found = ask(&engine, RECHECK, about).await?;
    engine.close().await;
    ensure(found.structured["verdict"] == "current", &found.text)?;
    ensure(
        !folder.0.exists() || !folder.0.join("freshcontext.sqlite3").exists(),
        "no file is made",
    )
}

async fn cached() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let first = ask(&engine, "extract_hackernews", json!({"url": "rust async"})).await?;
    let second = ask(&engine, "extract_hackernews", json!({"url": "rust async"})).await?;
    engine.close().await;
    ensure(upstream.requests().len() == 1, "the second came from the cache")?;
    let id = first.structured["answer_id"].as_str().unwrap_or_default();
    ensure(
        !id.is_empty() && second.structured["answer_id"] == id,
        &second.text,
    )?;
    let header = first.text.split("\n---\n").next().unwrap_or_default();
    ensure(header.contains(&format!("\nAnswer-Id: {id}")), header)
}

/// Without the toolset nothing is kept and nothing is shown.
async fn off_by_default() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let plain = engine(&upstream.base(), &folder, None, |settings| {
        settings.toolsets = Settings::default().toolsets;
    })?;
    let answer = ask(&plain, "extract_hackernews", json!({"url": "rust async"})).await?;
    plain.close().await;
    let mut wrong = Vec::new();
    if plain.tool(RECHECK).is_some() {
        wrong.push("recheck is offered".to_owned());
    }
    let schemas: String = plain
        .tools()
        .iter()
        .map(|tool| tool.output_schema.to_string())
        .collect();
    if schemas.contains("answer_id") || answer.structured.to_string().contains("answer_") {
        wrong.push("an id is shown in data".to_owned());
    }
    if answer.text.contains("Answer-Id") {
        wrong.push(answer.text);
    }
    if folder.0.join("freshcontext.sqlite3").exists() {
        wrong.push("a database was made".to_owned());
    }
    verdict(wrong)
}

async fn without_an_id() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let arguments = json!({"url": "rust async"});
    let answer = ask(&engine, "extract_hackernews", arguments.clone()).await?;
    let by_hash = json!({"tool": "extract_hackernews", "arguments": arguments,
        "hash": answer.structured["answer_hash"]});
    let by_date = |since: &str| json!({"tool": "extract_hackernews", "arguments": arguments, "since": since});
    let verdict_of = async |about: &Value| -> Result<Value, String> {
        Ok(ask(&engine, RECHECK, about.clone()).await?.structured["verdict"].clone())
    };
    ensure(verdict_of(&by_hash).await? == "current", "by hash")?;
    ensure(
        verdict_of(&by_date("2026-11-21")).await? == "current",
        "nothing newer",
    )?;
    ensure(
        verdict_of(&by_date("2026-11-19")).await? == "changed",
        "newer ones",
    )?;
    says.now(stories(&[(3, "Third"), (2, "Second"), (1, "First, retracted")]));
    ensure(verdict_of(&by_hash).await? == "changed", "another hash")?;
    says.now(reply(503, "text/plain", "down"));
    ensure(verdict_of(&by_hash).await? == "could_not_check", "down")?;
    engine.close().await;
    Ok(())
}

async fn wrong_arguments() -> Result<(), Failed> {
    let folder = Folder::new();
    let engine = engine("http://127.0.0.1:9", &folder, None, |_| {})?;
    for (arguments, field) in [
        (json!({}), "answer_id"),
        (json!({"id": "x"}), "id"),
        (json!({"tool": "extract_hackernews"}), "arguments"),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "x"}}),
            "hash",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"url": "x"}, "since": "soon"}),
            "since",
        ),
        (
            json!({"tool": "extract_nothing", "arguments": {}, "hash": "x"}),
            "tool",
        ),
        (
            json!({"tool": "extract_hackernews", "arguments": {"uri": "x"}, "hash": "x"}),
            "uri",
        ),
    ] {
        let found = ask(&engine, RECHECK, arguments.clone()).await?;
        ensure(
            found.code() == "invalid_input",
            format!("{arguments}: {}", found.text),
        )?;
        ensure(
            found.structured["field"] == field,
            format!("{arguments}: {}", found.text),
        )?;
    }
    engine.close().await;
    Ok(())
}

/// A signal may carry the id of the answer that it is from.
async fn id_in_a_signal() -> Result<(), Failed> {
    let folder = Folder::new();
    let engine = engine("http://127.0.0.1:9", &folder, None, |_| {})?;
    let signal = |with: bool| {
        let mut signal = json!({"source": "https://docs.example.org/", "content": "A page about things.",
            "published_at": "2026-11-01", "retrieved_at": "2026-11-20T00:00:00Z"});
        if with {
            signal["answer_id"] = "aAAAAAAAAAAAA".into();
        }
        json!({"profile": "official_docs", "intent": "citation_check", "signals": [signal]})
    };
    let without = ask(&engine, "evaluate_context", signal(false)).await?;
    let with = ask(&engine, "evaluate_context", signal(true)).await?;
    engine.close().await;
    ensure(!with.is_error, &with.text)?;
    ensure(with.text == without.text, "the verdict does not depend on it")
}

/// What a recheck costs beside a full fetch, for an ordinary case of every tool whose upstream honours ETags. The
/// table in docs/time.md is this count.
async fn requests_counted() -> Result<(), Failed> {
    let mut cases: HashMap<String, Case> = HashMap::new();
    for case in load_cases(&root().join("fixtures"))? {
        if case.kind == Kind::Ok && !of_a_composite(&case) {
            let first = cases.get(&case.tool).is_none_or(|known| case.name < known.name);
            if first {
                cases.insert(case.tool.clone(), case);
            }
        }
    }
    let mut table = String::from(
        "| tool | full fetch | bytes | recheck | bytes | asked by |\n| --- | ---: | ---: | ---: | ---: | --- |\n",
    );
    let mut wrong = Vec::new();
    let mut sums = [0_usize; 4];
    for adapter in freshcontext_sources::adapters() {
        let facts = AnyAdapter::descriptor(adapter.as_ref());
        let Some(case) = cases.get(facts.tool) else {
            wrong.push(format!("{} has no ordinary case", facts.tool));
            continue;
        };
        let folder = Folder::new();
        let (engine, case, _, upstream) = serving(case, &folder).await?;
        let answer = ask(&engine, &case.tool, Value::Object(case.arguments.clone())).await?;
        let full = upstream.requests().len();
        engine.close().await;
        // Another process, so that the cache of the first cannot help.
        let later = self::engine(&upstream.base(), &folder, Some(&case), |_| {})?;
        let found = recheck(&later, &answer).await?;
        let asked = upstream.requests().len() - full;
        later.close().await;
        let number = |outcome: &Outcome, name: &str| -> usize {
            let value = outcome.structured[name].as_u64().unwrap_or_default();
            usize::try_from(value).unwrap_or_default()
        };
        let counts = [full, body_bytes(&case)?, asked, number(&found, "bytes")];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
        let by = match found.structured["evidence"][0]["kind"].as_str() {
            Some("not_modified") => "304",
            Some(_) => "its own question",
            None => "everything",
        };
        let [full, bytes, asked, less] = counts;
        // Writing to a String cannot fail.
        let _ = writeln!(
            table,
            "| `{}` | {full} | {bytes} | {asked} | {less} | {by} |",
            facts.tool
        );
        if found.structured["verdict"] != "current" {
            wrong.push(format!("{}: {}", facts.tool, found.text));
        }
        if asked > full {
            wrong.push(format!(
                "{}: {asked} requests for a recheck, {full} for everything",
                facts.tool
            ));
        }
    }
    let [full, bytes, asked, less] = sums;
    let _ = writeln!(table, "| in sum | {full} | {bytes} | {asked} | {less} | |");
    if less * 3 > bytes {
        wrong.push(format!("{less} of {bytes} bytes: more than a third"));
    }
    let page = std::fs::read_to_string(root().join("docs/time.md")).unwrap_or_default();
    if !page.contains(&table) {
        wrong.push(format!("docs/time.md lacks this table:\n{table}"));
    }
    verdict(wrong)
}

/// Bytes of all bodies of a case's answers that were asked for.
fn body_bytes(case: &Case) -> Result<usize, String> {
    let bodies = case.exchanges.iter().filter(|exchange| exchange.status == 200);
    bodies
        .map(|exchange| Ok(case.body(exchange, Path::new(""))?.len() * exchange.times.max(1)))
        .sum()
}
