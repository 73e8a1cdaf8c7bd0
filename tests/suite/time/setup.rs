//! Shared setup of the toolset's tests: a server with it, a changeable upstream, lists of stories.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_config::Settings;
use freshcontext_contract::Clock;
use freshcontext_engine::{CallContext, Engine, Parts, RECHECK};
use freshcontext_fetch::{Config, Pipeline, Upstream};
use freshcontext_follow::{Follow, TimeToolset};
use freshcontext_testkit::check::Outcome;
use freshcontext_testkit::{Case, Kind, Reply, SECRET, Script, ScriptedUpstream, StepClock, load_cases};
use serde_json::{Map, Value, json};

use crate::cases::of_a_composite;
pub(super) use crate::ensure;
use crate::root;
use crate::run::{CONTACT, call, once};
use crate::upstreams::json_reply;

/// A folder of this test's own.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
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

/// An engine, with the toolset `time` if the settings enable it.
pub struct Timed {
    engine: Arc<Engine>,
    follow: Option<Follow>,
}

impl Timed {
    pub fn follow(&self) -> Result<&Follow, String> {
        self.follow
            .as_ref()
            .ok_or_else(|| "the toolset `time` is off".to_owned())
    }
}

impl Deref for Timed {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Arc<Engine> {
        &self.engine
    }
}

/// A server with the toolset, without the published paces: these tests count requests and do not wait.
pub fn engine(
    base: &str,
    folder: &Folder,
    case: Option<&Case>,
    change: impl FnOnce(&mut Settings),
) -> Result<Timed, String> {
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
    }
    let mut settings = Settings {
        limits: once(),
        toolsets: vec!["default".to_owned(), "time".to_owned()],
        data_dir: Some(folder.0.clone()),
        ..Settings::default()
    };
    change(&mut settings);
    let toolset = settings.with_time().then(|| TimeToolset::new(settings.store()));
    let parts = Parts {
        adapters,
        composites: freshcontext_sources::composites().iter().collect(),
        transport: Arc::new(Pipeline::new(config).map_err(|error| error.to_string())?),
        clock,
        toolsets: toolset
            .clone()
            .map(|toolset| Arc::new(toolset) as _)
            .into_iter()
            .collect(),
    };
    let engine = Arc::new(Engine::new(&settings, parts).map_err(|error| error.to_string())?);
    let follow = toolset.map(|toolset| Follow::new(Arc::clone(&engine), toolset));
    Ok(Timed { engine, follow })
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

pub async fn ask(engine: &Arc<Engine>, tool: &str, arguments: Value) -> Result<Outcome, String> {
    call(engine, tool, object(arguments), CallContext::default()).await
}

pub async fn recheck(engine: &Arc<Engine>, answer: &Outcome) -> Result<Outcome, String> {
    let id = answer.structured["answer_id"]
        .as_str()
        .ok_or_else(|| format!("no id: {}", answer.text))?;
    ask(engine, RECHECK, json!({"answer_id": id})).await
}

/// The source's response, changeable between two calls.
#[derive(Clone)]
pub struct Says(Arc<Mutex<Reply>>);

impl Says {
    pub fn new(first: Reply) -> Self {
        Self(Arc::new(Mutex::new(first)))
    }

    pub fn now(&self, next: Reply) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    pub async fn upstream(&self) -> Result<ScriptedUpstream, String> {
        let says = self.clone();
        let script = move |_: &_| says.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ScriptedUpstream::start(script)
            .await
            .map_err(|error| error.to_string())
    }
}

/// A page of stories: id and title, newest first.
pub fn stories(list: &[(u64, &str)]) -> Reply {
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

pub const FIRST: [(u64, &str); 3] = [(3, "Third"), (2, "Second"), (1, "First")];

/// The engine, an answer about a repository, and the source's next response.
pub async fn repository(folder: &Folder) -> Result<(Timed, Case, Script, ScriptedUpstream), String> {
    serving(&case("github/repository")?, folder).await
}

pub fn case(name: &str) -> Result<Case, String> {
    load_cases(&root().join("fixtures"))?
        .into_iter()
        .find(|case| case.name == name)
        .ok_or_else(|| format!("no case {name}"))
}

/// A server for a case whose upstream sends ETags for GETs and honours them (RFC 9110).
pub async fn serving(
    case: &Case,
    folder: &Folder,
) -> Result<(Timed, Case, Script, ScriptedUpstream), String> {
    let script = Script::of(case, Path::new(""))?;
    let answers = script.clone();
    let upstream = ScriptedUpstream::start(move |seen| {
        let mut reply = answers.answer(seen);
        if reply.status == 200 && seen.method == "GET" {
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

/// An ordinary case of every tool with one source: the first by name.
pub fn ordinary_cases() -> Result<HashMap<String, Case>, String> {
    let mut cases: HashMap<String, Case> = HashMap::new();
    for case in load_cases(&root().join("fixtures"))? {
        if case.kind == Kind::Ok && !of_a_composite(&case) {
            let first = cases.get(&case.tool).is_none_or(|known| case.name < known.name);
            if first {
                cases.insert(case.tool.clone(), case);
            }
        }
    }
    Ok(cases)
}
