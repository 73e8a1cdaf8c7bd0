//! Records of every fixture, of evaluations under every strategy, and of a changed answer: input for the
//! tests and for the readers in `tests/records`.

use freshcontext_budget::{Call, missing_id};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use freshcontext::app::App;
use freshcontext_config::{Settings, StoreMode};
use freshcontext_engine::records::RecordsRequest;
use freshcontext_engine::{CallContext, EVALUATE, Engine, Owner, RECHECK};
use freshcontext_fetch::{Exchange, Observe};
use freshcontext_follow::Follow;
use freshcontext_records::Bundle;
use freshcontext_records::export::{Format, export};
use freshcontext_records::ids::Ids;
use freshcontext_testkit::{Case, Reply, SECRET, Script, ScriptedUpstream, StepClock, load_cases};
use serde_json::{Map, Value, json};

/// Time of the evaluations and exports.
const NOW: &str = "2026-11-21T12:00:00Z";

/// A recorded call.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Name of the call.
    pub name: String,
    /// Text of the result.
    pub text: String,
    /// Structured result without its records.
    pub structured: Value,
    /// The records.
    pub records: Value,
}

impl Recorded {
    /// Parses the records.
    pub fn bundle(&self) -> Result<Bundle, String> {
        serde_json::from_value(self.records.clone()).map_err(|error| format!("{}: {error}", self.name))
    }
}

/// Request for records that every call here makes.
fn asked() -> RecordsRequest {
    let mut asked = RecordsRequest {
        records: Some(json!("full")),
        context: Some(json!({
            "scope": "tool_invocation",
            "actor_refs": [{"id": "planner", "role": "agent"}],
            "runtime_refs": [{"session": "s-1"}],
            "policy_refs": ["policy/retention-1"],
            "evidence_refs": ["ticket/7"],
        })),
        ..RecordsRequest::default()
    };
    asked.native.traceparent = Some(format!("00-{}-{}-01", "4b".repeat(16), "0a".repeat(8)));
    asked.native.request_id = Some(json!(7));
    asked
}

/// Observer that ignores every exchange.
struct NoObserver;

impl Observe for NoObserver {
    fn exchanged(&self, _exchange: &Exchange<'_>) {}
}

/// Starts a server for a case, with its upstream.
async fn serving(
    root: &Path,
    case: &Case,
    alter: impl FnOnce(&mut Settings),
) -> Result<(App, ScriptedUpstream, Script), String> {
    let script = Script::of(case, &PathBuf::new())?;
    let answers = script.clone();
    let upstream = ScriptedUpstream::start(move |seen| answers.answer(seen))
        .await
        .map_err(|error| error.to_string())?;
    let has_contact = case.env.iter().any(|name| name == "FRESHCONTEXT_CONTACT");
    let mut settings = Settings {
        upstreams: vec![("*".to_owned(), upstream.base())],
        contact: has_contact.then(|| "ops@example.com".to_owned()),
        data_dir: Some(root.join("target/records")),
        ..Settings::default()
    };
    settings.limits.attempts = 1;
    alter(&mut settings);
    let secrets = case.env.iter().map(|name| (name.clone(), SECRET.to_owned()));
    let environment: Vec<(String, String)> = secrets.collect();
    let clock = Arc::new(StepClock::new(case.now));
    let app = App::build_observed(&settings, &environment, Arc::new(NoObserver), Some(clock))
        .map_err(|error| error.to_string())?;
    Ok((app, upstream, script))
}

/// Calls a tool with records.
pub async fn call(
    engine: &Arc<Engine>,
    name: &str,
    tool: &str,
    arguments: Map<String, Value>,
    asked: RecordsRequest,
) -> Result<Recorded, String> {
    let context = CallContext {
        records: Some(Arc::new(asked)),
        ..CallContext::default()
    };
    let called = engine.call(tool, arguments, context).await;
    let mut answer = called.map_err(|_| format!("there is no tool {tool}"))?;
    let records = answer
        .take_records()
        .ok_or_else(|| format!("{name}: has no records: {:?}", answer.meta()))?;
    Ok(Recorded {
        name: name.to_owned(),
        structured: answer.structured(),
        text: answer.into_text(),
        records: serde_json::to_value(records).map_err(|error| format!("{name}: {error}"))?,
    })
}

/// Returns the records of every fixture's call.
pub async fn fixtures(root: &Path) -> Result<Vec<Recorded>, String> {
    let mut out = Vec::new();
    for case in load_cases(&root.join("fixtures"))? {
        let (app, _upstream, _) = serving(root, &case, |_| {}).await?;
        let mut asked = asked();
        // Every call is marked as made to fill a gap.
        let arguments = case.arguments.clone();
        let gap = Call {
            tool: case.tool.clone(),
            arguments: arguments.clone().into(),
        };
        asked.native.missing_id = Some(missing_id("tool_invocation", "What does it say?", "", Some(&gap)));
        out.push(call(&app.engine, &case.name, &case.tool, arguments, asked).await?);
    }
    Ok(out)
}

/// Candidates with every possible outcome.
pub fn candidates() -> Vec<Value> {
    let text = "The migration moves one service at a time. Each step can be undone, and each is measured. ";
    let mut out: Vec<Value> = (0..6)
        .map(|number| {
            json!({
                "source": format!("https://docs.example.org/guide/{number}"), "source_type": "official_docs",
                "title": format!("Guide {number}"), "content": format!("Part {number}. {}", text.repeat(number * 12 + 2)),
                "semantic_score": 0.95 - f64::from(u8::try_from(number).unwrap_or_default()) / 100.0,
                "published_at": "2026-11-19T10:00:00Z", "retrieved_at": "2026-11-21T11:00:00Z",
                "date_confidence": "high",
                "metadata": {"replacement": format!("Guide {number} in short."), "retention_hint": "P30D"},
            })
        })
        .collect();
    let first = out.first().cloned().unwrap_or_default();
    let with = |source: &str, changes: Value| {
        let mut signal = first.clone();
        if let (Some(signal), Value::Object(changes)) = (signal.as_object_mut(), changes) {
            signal.insert("source".to_owned(), source.into());
            signal.extend(changes);
        }
        signal
    };
    out.extend([
        with("https://mirror.example.org/guide/0", json!({})),
        with(
            "https://docs.example.org/down",
            json!({"content": "x", "http_status": 503}),
        ),
        with(
            "https://docs.example.org/image",
            json!({"content_type": "image/png", "content": "pixels of an image"}),
        ),
        with(
            "https://docs.example.org/secret",
            json!({"metadata": {"sensitivity": "secret"}, "content": "the plan of all plans"}),
        ),
        with(
            "https://docs.example.org/denied",
            json!({"metadata": {"permission": "denied"}, "content": "not yours"}),
        ),
        with(
            "https://docs.example.org/policy",
            json!({"metadata": {"policy": {"decision": "deny", "ref": "policy/9"}}, "content": "blocked"}),
        ),
        with(
            "https://docs.example.org/undated",
            json!({"published_at": null, "date_confidence": "unknown", "content": "no date"}),
        ),
        with(
            "https://docs.example.org/low",
            json!({"semantic_score": 0.02, "published_at": "2019-01-01", "content": "of little use"}),
        ),
        json!({"source": "https://news.ycombinator.com/item?id=8863", "source_type": "hackernews",
            "content": "What the thread said long ago.", "published_at": "2026-01-01", "semantic_score": 0.9,
            "retrieved_at": "2026-01-01T00:00:00Z"}),
    ]);
    out
}

/// Returns evaluations without a budget and under each strategy.
pub async fn judgements(root: &Path) -> Result<Vec<Recorded>, String> {
    let cases = load_cases(&root.join("fixtures"))?;
    let case = cases.first().ok_or("there are no fixtures")?;
    let (app, _upstream, _) = serving(root, case, |_| {}).await?;
    let arguments = |budget: Value, scored: bool| {
        let mut signals = candidates();
        if !scored {
            for signal in signals.iter_mut().filter_map(Value::as_object_mut) {
                signal.remove("semantic_score");
            }
        }
        let mut arguments = json!({
            "profile": "multi_agent_handoff", "intent": "developer_adoption", "now": NOW, "signals": signals,
        });
        if let Some(fields) = arguments.as_object_mut() {
            if !budget.is_null() {
                fields.insert("budget".to_owned(), budget);
            }
            if scored {
                fields.insert("query".to_owned(), "migration steps".into());
            }
        }
        arguments.as_object().cloned().unwrap_or_default()
    };
    let mut out = vec![
        call(
            &app.engine,
            "judged",
            EVALUATE,
            arguments(Value::Null, true),
            asked(),
        )
        .await?,
        call(
            &app.engine,
            "judged_without_relevance",
            EVALUATE,
            arguments(json!({"max_tokens": 1200}), false),
            asked(),
        )
        .await?,
        call(
            &app.engine,
            "judged_fresh_only",
            EVALUATE,
            arguments(json!({"max_tokens": 1200, "require": "fresh"}), true),
            asked(),
        )
        .await?,
    ];
    for strategy in freshcontext_records::values::OverflowStrategy::ALL {
        let strategy = strategy.as_str();
        let room = if strategy == "reject" { 20_000 } else { 900 };
        let budget = json!({"max_tokens": room, "reserved_tokens": 100, "target": "gpt-4o", "overflow_strategy": strategy});
        let name = format!("judged_{strategy}");
        out.push(call(&app.engine, &name, EVALUATE, arguments(budget, true), asked()).await?);
    }
    Ok(out)
}

/// Returns rechecked answers: the source's content changed, the source refuses, or it reports the item as
/// removed.
pub async fn rechecks(root: &Path) -> Result<Vec<Recorded>, String> {
    let cases = load_cases(&root.join("fixtures"))?;
    let find = |name: &str| {
        let found = cases.iter().find(|case| case.name.ends_with(name));
        found.ok_or_else(|| format!("no case {name}"))
    };
    let moved = r#"{"message": "Not Found"}"#;
    let mut out = Vec::new();
    for (name, case, later) in [
        ("recheck_current", find("github/repository")?, None),
        (
            "recheck_changed",
            find("hackernews/search")?,
            Some((200, edited(root, find("hackernews/search")?)?)),
        ),
        (
            "recheck_refused",
            find("hackernews/search")?,
            Some((503, "maintenance".to_owned())),
        ),
        (
            "recheck_gone",
            find("github/repository")?,
            Some((404, moved.to_owned())),
        ),
    ] {
        let (app, _upstream, script) = serving(root, case, |settings| {
            settings.toolsets = vec!["default".to_owned(), "time".to_owned()];
            settings.store = StoreMode::Memory;
        })
        .await?;
        let first = call(&app.engine, "first", &case.tool, case.arguments.clone(), asked()).await?;
        let id = first
            .structured
            .get("answer_id")
            .cloned()
            .ok_or("the answer has no id")?;
        if let Some((status, body)) = later {
            script.answer_all(&Reply {
                status,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: body.into_bytes(),
                delay_ms: 0,
            });
        }
        let arguments = Map::from_iter([("answer_id".to_owned(), id)]);
        out.push(call(&app.engine, name, RECHECK, arguments, asked()).await?);
        out.push(
            kept(
                app.follow().map_err(|error| error.to_string())?,
                &format!("{name}_kept"),
                first,
            )
            .await?,
        );
        app.engine.close().await;
    }
    Ok(out)
}

/// Returns an earlier call with its stored records, including the later findings.
async fn kept(follow: &Follow, name: &str, first: Recorded) -> Result<Recorded, String> {
    let id = first.bundle()?.context_envelope.context_id;
    let kept = follow.kept_records(&id, &Owner::default()).await;
    let text = kept.map_err(|error| error.message.clone())?;
    Ok(Recorded {
        name: name.to_owned(),
        records: serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?,
        ..first
    })
}

/// Returns a case's body with its first title edited.
fn edited(root: &Path, case: &Case) -> Result<String, String> {
    let file = root.join("fixtures").join(&case.name).join("01.body.json");
    let body = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let at = body.find("\"title\"").ok_or("the body has no title")?;
    let (before, from) = body.split_at(at);
    let opening = from.match_indices('"').nth(2).ok_or("the title is no text")?.0 + 1;
    let (name, rest) = from.split_at(opening);
    Ok(format!("{before}{name}Corrected: {rest}"))
}

/// Returns all recorded calls.
pub async fn all(root: &Path) -> Result<Vec<Recorded>, String> {
    let mut out = fixtures(root).await?;
    out.extend(judgements(root).await?);
    out.extend(rechecks(root).await?);
    Ok(out)
}

/// Returns ids for exports at the fixed time.
pub fn export_ids() -> Result<(String, Ids), String> {
    let now: DateTime<Utc> = NOW.parse().map_err(|error| format!("{NOW}: {error}"))?;
    let ms = u64::try_from(now.timestamp_millis()).unwrap_or_default();
    Ok((NOW.to_owned(), Ids::new(ms, [3; 32])))
}

/// Writes every bundle in every format to a folder: `NAME.json`, `.jsonl`, `.cloudevents`, `.prov`, and the
/// text of the result as `NAME.txt`. Returns the number of calls.
pub fn write(root: &Path, into: &Path) -> Result<usize, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let all = runtime.block_on(all(root))?;
    std::fs::create_dir_all(into).map_err(|error| error.to_string())?;
    for recorded in &all {
        let bundle = recorded.bundle()?;
        let name = recorded.name.replace(['/', '\\'], "_");
        let put = |end: &str, text: &str| {
            std::fs::write(into.join(format!("{name}.{end}")), text)
                .map_err(|error| format!("{name}: {error}"))
        };
        put("txt", &recorded.text)?;
        for format in Format::ALL {
            let (at, mut ids) = export_ids()?;
            put(format.as_str(), &export(&bundle, format, &at, &mut ids))?;
        }
    }
    Ok(all.len())
}
