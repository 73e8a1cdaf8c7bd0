//! Shared setup of the deliverable tests: an in-process server and scripted sources.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_config::{Settings, StoreMode};
use freshcontext_engine::{Deliverable, Engine, Owner, Parts};
use freshcontext_fetch::{Config, Pipeline, Upstream};
use freshcontext_follow::{Follow, Task, TimeToolset, To};
use freshcontext_testkit::{Reply, Script, ScriptedUpstream, SeenRequest, StepClock};
use libtest_mimic::Failed;
use serde_json::{Value, json};

pub(super) use crate::ensure;
use crate::run::once;
use crate::upstreams::{json_reply, reply};

/// The response of each host, changeable between two steps.
#[derive(Clone, Default)]
pub(super) struct Says(Arc<Mutex<Vec<(&'static str, Reply)>>>);

impl Says {
    pub(super) fn set(&self, host: &'static str, reply: Reply) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != host);
        all.push((host, reply));
    }

    fn answer(&self, request: &SeenRequest) -> Reply {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().find(|(host, _)| *host == request.host);
        found.map_or_else(
            || reply(404, "text/plain", "nobody"),
            |(_, said)| conditional(request, said.clone()),
        )
    }
}

/// Answers 304 to a matching validator.
pub(super) fn conditional(request: &SeenRequest, mut said: Reply) -> Reply {
    let tag = said.headers.iter().find(|(name, _)| name == "etag");
    let tag = tag.map(|(_, value)| value.as_str());
    if tag.is_some() && request.header("if-none-match") == tag {
        said.status = 304;
        said.body.clear();
    }
    said
}

/// A server with deliverables in memory, a step clock, and scripted sources.
pub(crate) struct Scene {
    pub(super) follow: Follow,
    pub(super) clock: Arc<StepClock>,
    pub(super) upstream: ScriptedUpstream,
    pub(super) says: Says,
}

impl Scene {
    pub(super) async fn start() -> Result<Self, Failed> {
        let says = Says::default();
        let answers = says.clone();
        let mut scene = Self::of(FIRST_DAY.parse()?, |_| (), move |request| answers.answer(request)).await?;
        scene.says = says;
        Ok(scene)
    }

    /// Starts with a script.
    pub(super) async fn with(script: Script) -> Result<Self, Failed> {
        Self::of(FIRST_DAY.parse()?, |_| (), move |request| script.answer(request)).await
    }

    /// Starts at a time, with an operator's settings and a script.
    pub(super) async fn of(
        now: DateTime<Utc>,
        set: impl FnOnce(&mut Config),
        answer: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static,
    ) -> Result<Self, Failed> {
        let upstream = ScriptedUpstream::start(answer).await?;
        let clock = Arc::new(StepClock::new(now));
        let mut config = Config::new(clock.clone());
        config.limits = once();
        config.upstreams =
            Upstream::parse_list(&format!("*={}", upstream.base())).map_err(|error| error.to_string())?;
        set(&mut config);
        let settings = Settings {
            limits: once(),
            toolsets: vec!["default".to_owned(), "time".to_owned()],
            store: StoreMode::Memory,
            ..Settings::default()
        };
        let toolset = TimeToolset::new(settings.store());
        let parts = Parts {
            adapters: freshcontext_sources::adapters(),
            composites: freshcontext_sources::composites().iter().collect(),
            transport: Arc::new(Pipeline::new(config).map_err(|error| error.to_string())?),
            clock: clock.clone(),
            toolsets: vec![Arc::new(toolset.clone())],
        };
        let engine = Engine::new(&settings, parts).map_err(|error| error.to_string())?;
        Ok(Self {
            follow: Follow::new(Arc::new(engine), toolset),
            clock,
            upstream,
            says: Says::default(),
        })
    }

    pub(super) async fn add(&self, sources: &[Value], policy: &str) -> Result<(), Failed> {
        self.add_with_room(sources, policy, 4_000).await
    }

    /// Adds a deliverable with room for that many tokens.
    pub(super) async fn add_with_room(
        &self,
        sources: &[Value],
        policy: &str,
        max_tokens: u64,
    ) -> Result<(), Failed> {
        let definition = json!({
            "sources": sources, "profile": "local_custom", "intent": "developer_adoption", "max_tokens": max_tokens,
            "on_unchecked": policy,
        });
        let definition = serde_json::from_value(definition)?;
        let name = "brief".to_owned();
        self.doing(Task::Add {
            name,
            definition,
            notify: None,
        })
        .await?;
        Ok(())
    }

    pub(super) async fn doing(&self, task: Task) -> Result<Box<dyn Deliverable>, Failed> {
        let done = self.follow.deliverable(task, &Owner::default()).await;
        done.map_err(|error| Failed::from(format!("{}: {}", error.code, error.message)))
    }

    pub(super) async fn sync(&self) -> Result<Value, Failed> {
        let done = self
            .doing(Task::Sync {
                name: "brief".to_owned(),
            })
            .await?;
        Ok(done.structured())
    }

    pub(super) async fn check(&self) -> Result<Value, Failed> {
        let done = self
            .doing(Task::Check {
                name: "brief".to_owned(),
            })
            .await?;
        Ok(done.structured())
    }

    /// Generates a version and returns it completely, with its text.
    pub(crate) async fn generate(&self) -> Result<(Value, String), Failed> {
        let name = "brief".to_owned();
        let made = self
            .doing(Task::Generate {
                name: name.clone(),
                allow_empty: true,
            })
            .await?;
        let shown = self.doing(Task::Show { name, version: None }).await?;
        Ok((shown.structured(), made.text()))
    }

    pub(super) async fn diff(&self, from: i64, to: To) -> Result<Value, Failed> {
        let name = "brief".to_owned();
        let done = self.doing(Task::Diff { name, from, to }).await?;
        Ok(done.structured())
    }

    pub(super) fn asked(&self) -> usize {
        self.upstream.requests().len()
    }

    pub(super) fn asked_of(&self, host: &str) -> usize {
        let requests = self.upstream.requests();
        requests.iter().filter(|request| request.host == host).count()
    }

    pub(super) fn later(&self, by: TimeDelta) {
        self.clock.step(by);
    }
}

/// Start time of the tests.
const FIRST_DAY: &str = "2026-11-23T09:00:00Z";
pub(super) const HN: &str = "hn.algolia.com";
pub(super) const ARXIV: &str = "export.arxiv.org";

pub(super) fn stories(list: &[(u64, &str)], etag: Option<&str>) -> Reply {
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

pub(super) fn papers(title: &str, etag: &str) -> Reply {
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

pub(super) fn hn() -> Value {
    json!({"tool": "extract_hackernews", "arguments": {"url": "rust"}})
}

pub(super) fn arxiv() -> Value {
    json!({"tool": "extract_arxiv", "arguments": {"url": "freshness"}})
}

pub(super) fn limited() -> Reply {
    let mut out = reply(429, "text/plain", "slow down");
    out.headers.push(("retry-after".to_owned(), "120".to_owned()));
    out
}
