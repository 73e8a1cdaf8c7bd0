//! Context records that are kept: read again by their owner, and written on when their sources say something else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;
use freshcontext_config::StoreMode;
use freshcontext_engine::records::RecordsRequest;
use freshcontext_engine::{CallContext, Engine, Owner, Written};
use freshcontext_follow::Task;
use freshcontext_records::Bundle;
use freshcontext_records::check::check;
use freshcontext_records::export::read;
use freshcontext_records::objects::{Event, Item};
use freshcontext_records::values::{EventClass, State};
use freshcontext_testkit::{Case, Reply, ScriptedUpstream};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::ensure;
use crate::places::{Kept, on_both};
use crate::process::{Finished, MODERN, finish};
use crate::run::block_on;
use crate::time::setup::{FIRST, Folder, Says, Timed, engine, object, repository, stories};
use crate::upstreams::reply;
use crate::wire::{HttpServer, rpc, version_headers};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("records::kept::sync", || block_on(synced(&Kept::in_folder()))),
        Trial::test("records::kept::gone", || block_on(gone())),
        Trial::test("records::kept::gone_by_sync", || block_on(gone_by_sync())),
        Trial::test("records::kept::wherever_the_item_is", || block_on(elsewhere())),
        Trial::test("records::kept::what_is_not", || block_on(not_kept())),
        Trial::test("records::kept::http_owners", || block_on(http_owners())),
    ];
    trials.extend(on_both("records::kept::recheck", async |kept| {
        rechecked(&kept).await
    }));
    trials
}

/// Sources that say what they are told to, asked by processes of the shell.
struct Shell<'k> {
    kept: &'k Kept,
    says: Arc<Mutex<Reply>>,
    upstream: ScriptedUpstream,
}

impl<'k> Shell<'k> {
    async fn start(kept: &'k Kept, first: Reply) -> Result<Self, Failed> {
        let says = Arc::new(Mutex::new(first));
        let answers = Arc::clone(&says);
        let script = move |_: &_| answers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let upstream = ScriptedUpstream::start(script).await?;
        Ok(Self { kept, says, upstream })
    }

    fn says(&self, next: Reply) {
        *self.says.lock().unwrap_or_else(PoisonError::into_inner) = next;
    }

    async fn run(&self, arguments: &[&str], now: &str) -> Finished {
        finish(self.kept.command(arguments, now, &self.upstream.base()), "").await
    }

    async fn done(&self, arguments: &[&str], now: &str) -> Result<String, Failed> {
        let done = self.run(arguments, now).await;
        ensure(done.code == Some(0), format!("{arguments:?}: {}", done.stderr))?;
        Ok(done.stdout)
    }

    /// A call with records: what was answered, and the id that they are kept under.
    async fn call(&self, now: &str) -> Result<(Value, String), Failed> {
        let folder = Folder::new();
        std::fs::create_dir_all(&folder.0)?;
        let file = folder.0.join("records.json").display().to_string();
        let words = [
            "call",
            "extract_hackernews",
            "url=rust",
            "--toolset",
            "time",
            "--json",
        ];
        let answer = self
            .done(&[&words[..], &["--records", &file]].concat(), now)
            .await?;
        let given = std::fs::read_to_string(&file)?;
        let id = read(&given)?.context_envelope.context_id;
        let shown = self.done(&["records", "show", &id], now).await?;
        ensure(
            serde_json::from_str::<Value>(&shown)? == serde_json::from_str::<Value>(&given)?,
            "what is kept is what was given out",
        )?;
        Ok((serde_json::from_str(&answer)?, id))
    }

    /// The bundle that is kept, by way of an export.
    async fn exported(&self, id: &str, format: &str, now: &str) -> Result<(Bundle, String), Failed> {
        let text = self
            .done(&["records", "export", "--kept", id, "--format", format], now)
            .await?;
        let bundle = read(&text)?;
        let broken = check(&bundle);
        ensure(broken.is_empty(), broken.join("\n"))?;
        Ok((bundle, text))
    }
}

/// The states of items, by title.
fn states(bundle: &Bundle) -> BTreeMap<&str, State> {
    let items = bundle.context_item.iter();
    items.map(|item| (item.title.as_str(), item.lifecycle)).collect()
}

fn events(bundle: &Bundle, class: EventClass) -> Vec<&Event> {
    let events = bundle.context_event.iter();
    events.filter(|event| event.event_class == class).collect()
}

fn item<'b>(bundle: &'b Bundle, title: &str) -> Result<&'b Item, Failed> {
    let found = bundle.context_item.iter().find(|item| item.title == title);
    found.ok_or_else(|| Failed::from(format!("no item {title}")))
}

const MONDAY: &str = "2026-11-23T09:00:00Z";
const LATER: &str = "2026-11-23T14:00:00Z";
const TUESDAY: &str = "2026-11-24T09:00:00Z";

/// One story has another title: it is expired in the records of the first answer, and the export says so.
async fn rechecked(kept: &Kept) -> Result<(), Failed> {
    let shell = Shell::start(kept, stories(&FIRST)).await?;
    let (answer, id) = shell.call(MONDAY).await?;
    let listed: Value = serde_json::from_str(&shell.done(&["records", "list", "--json"], MONDAY).await?)?;
    ensure(
        listed[0]["context_id"] == id.as_str()
            && listed[0]["tool"] == "extract_hackernews"
            && listed[0]["changes"] == 0,
        &listed,
    )?;
    let foreign = shell
        .run(&["records", "show", &id, "--token", "ben"], MONDAY)
        .await;
    let unknown = shell.run(&["records", "show", "ctx_0"], MONDAY).await;
    for refused in [&foreign, &unknown] {
        ensure(
            refused.code == Some(1) && refused.stderr.contains("no context records of the id"),
            &refused.stderr,
        )?;
    }
    let from_file = shell
        .run(&["records", "check", "-", "--token", "ben"], MONDAY)
        .await;
    ensure(
        from_file.code == Some(2) && from_file.stderr.contains("belong to no token"),
        &from_file.stderr,
    )?;
    let expired = shell.run(&["records", "show", &id], "2027-01-23T09:00:00Z").await;
    ensure(expired.code == Some(1), "after limits.answers_days they are gone")?;

    let answer_id = answer["answer_id"].as_str().ok_or("an id")?;
    shell.done(&["recheck", answer_id], LATER).await?;
    let (bundle, _) = shell.exported(&id, "jsonl", LATER).await?;
    ensure(
        events(&bundle, EventClass::SurfaceUpdated).is_empty(),
        "nothing changed",
    )?;

    shell.says(stories(&[
        (4, "Fourth"),
        (3, "Third"),
        (2, "Second, altered"),
        (1, "First"),
    ]));
    shell.done(&["recheck", answer_id], TUESDAY).await?;
    let (bundle, lines) = shell.exported(&id, "jsonl", TUESDAY).await?;
    let expected = BTreeMap::from([
        ("First", State::Injected),
        ("Second", State::Expired),
        ("Third", State::Injected),
    ]);
    ensure(states(&bundle) == expected, format!("{:?}", states(&bundle)))?;
    let (surfaces, items) = (
        events(&bundle, EventClass::SurfaceUpdated),
        events(&bundle, EventClass::ItemUpdated),
    );
    ensure(surfaces.len() == 1 && items.len() == 1, &lines)?;
    ensure(
        items[0].subject_refs == [item(&bundle, "Second")?.item_id.clone()]
            && items[0].cause_ref.as_ref() == Some(&surfaces[0].event_id)
            && items[0].created_at == "2026-11-24T09:00:00.000Z"
            && items[0].metadata["found_by"] == "recheck",
        &lines,
    )?;
    ensure(
        lines.lines().any(|line| line.contains("context.item.updated")),
        "a line of its own",
    )?;
    let (_, batch) = shell.exported(&id, "cloudevents", TUESDAY).await?;
    let batch: Vec<Value> = serde_json::from_str(&batch)?;
    let of = |kind: &str| batch.iter().find(|event| event["type"] == kind);
    let updated = of("context.item.updated").ok_or("an event of the item")?;
    ensure(
        updated["subject"] == items[0].subject_refs[0].as_str()
            && updated["time"] == "2026-11-24T09:00:00.000Z"
            && of("context.surface.updated").is_some(),
        updated,
    )?;
    // Found once more, it is no news.
    shell.done(&["recheck", answer_id], TUESDAY).await?;
    let (again, _) = shell.exported(&id, "json", TUESDAY).await?;
    ensure(
        again.context_event.len() == bundle.context_event.len(),
        "said once",
    )?;
    // What was answered since is as it is.
    let (_, fresh) = shell.call(TUESDAY).await?;
    shell.done(&["recheck", answer_id], TUESDAY).await?;
    let (fresh, _) = shell.exported(&fresh, "json", TUESDAY).await?;
    ensure(
        fresh.context_item.len() == 4
            && fresh
                .context_item
                .iter()
                .all(|item| item.lifecycle == State::Injected),
        format!("{:?}", states(&fresh)),
    )
}

/// The same by a deliverable that follows the resource: what a sync finds, and that new items alone change the surface.
async fn synced(kept: &Kept) -> Result<(), Failed> {
    let shell = Shell::start(kept, stories(&FIRST)).await?;
    let source = "extract_hackernews url=rust";
    shell
        .done(&["deliverable", "add", "brief", "--source", source], MONDAY)
        .await?;
    shell.done(&["deliverable", "sync", "brief"], MONDAY).await?;
    let (_, id) = shell.call(MONDAY).await?;
    shell.says(stories(&[
        (4, "Fourth"),
        (3, "Third"),
        (2, "Second"),
        (1, "First"),
    ]));
    shell.done(&["deliverable", "sync", "brief"], LATER).await?;
    let (bundle, _) = shell.exported(&id, "jsonl", LATER).await?;
    let updated = events(&bundle, EventClass::SurfaceUpdated);
    ensure(
        updated.len() == 1 && updated[0].metadata["found_by"] == "deliverable",
        format!("{updated:?}"),
    )?;
    ensure(
        states(&bundle).values().all(|state| *state == State::Injected),
        "no item changed",
    )?;
    shell.says(stories(&[
        (4, "Fourth"),
        (3, "Third"),
        (2, "Second, altered"),
        (1, "First"),
    ]));
    shell.done(&["deliverable", "generate", "brief"], TUESDAY).await?;
    let (bundle, lines) = shell.exported(&id, "jsonl", TUESDAY).await?;
    ensure(
        states(&bundle)["Second"] == State::Expired && states(&bundle)["Third"] == State::Injected,
        &lines,
    )?;
    let updated = events(&bundle, EventClass::ItemUpdated);
    ensure(
        updated.len() == 1 && updated[0].subject_refs == [item(&bundle, "Second")?.item_id.clone()],
        &lines,
    )
}

fn full(owner: &str) -> CallContext {
    CallContext {
        owner: Owner::named(owner),
        records: Some(Arc::new(RecordsRequest {
            records: Some(json!("full")),
            ..RecordsRequest::default()
        })),
        ..CallContext::default()
    }
}

async fn asked(engine: &Arc<Engine>, tool: &str, arguments: Value, owner: &str) -> Result<Written, Failed> {
    let done = engine.call(tool, object(arguments), full(owner)).await;
    let answer = done.map_err(|_| Failed::from("no such tool"))?;
    Ok(answer.written())
}

fn id_of(outcome: &Written) -> Result<String, Failed> {
    let id = outcome.structured["records"]["context_envelope"]["context_id"].as_str();
    Ok(id.ok_or("no records")?.to_owned())
}

async fn bundle_of(engine: &Timed, id: &str, owner: &str) -> Result<Bundle, Failed> {
    let text = engine.follow()?.kept_records(id, &Owner::named(owner)).await;
    let bundle = read(&text.map_err(|error| error.message)?)?;
    let broken = check(&bundle);
    ensure(broken.is_empty(), broken.join("\n"))?;
    Ok(bundle)
}

fn status(outcome: &Written) -> Value {
    let status = outcome.meta.get("io.github.freshcontext/records");
    status.cloned().unwrap_or_default()
}

/// A repository that is no more: its item is removed.
async fn gone() -> Result<(), Failed> {
    let folder = Folder::new();
    let (engine, case, script, _upstream) = repository(&folder).await?;
    let answer = asked(&engine, &case.tool, Value::Object(case.arguments.clone()), "anna").await?;
    let id = id_of(&answer)?;
    ensure(status(&answer)["status"] == "kept", status(&answer))?;
    script.answer_all(&reply(404, "application/json", r#"{"message": "Not Found"}"#));
    let answer_id = answer.structured["answer_id"].clone();
    asked(&engine, "recheck", json!({"answer_id": answer_id}), "anna").await?;
    let bundle = bundle_of(&engine, &id, "anna").await?;
    engine.close().await;
    let removed = events(&bundle, EventClass::ItemRemoved);
    ensure(
        !removed.is_empty() && removed.len() == bundle.context_item.len(),
        format!("{:?}", states(&bundle)),
    )?;
    ensure(
        states(&bundle).values().all(|state| *state == State::Expired),
        format!("{:?}", states(&bundle)),
    )
}

/// The same by a deliverable: another process, five hours later.
async fn gone_by_sync() -> Result<(), Failed> {
    let folder = Folder::new();
    let (first, case, script, upstream) = repository(&folder).await?;
    let owner = Owner::named("anna");
    let definition = json!({"sources": [{"tool": case.tool, "arguments": case.arguments}], "profile": "local_custom",
        "intent": "developer_adoption", "max_tokens": 4000, "on_unchecked": "use_last"});
    let name = || "brief".to_owned();
    let add = Task::Add {
        name: name(),
        definition: serde_json::from_value(definition)?,
        notify: None,
    };
    for task in [add, Task::Sync { name: name() }] {
        let done = first.follow()?.deliverable(task, &owner).await;
        done.map_err(|error| error.message.clone())?;
    }
    let answer = asked(&first, &case.tool, Value::Object(case.arguments.clone()), "anna").await?;
    first.close().await;
    script.answer_all(&reply(404, "application/json", r#"{"message": "Not Found"}"#));
    let later = Case {
        now: case.now + TimeDelta::hours(5),
        ..case.clone()
    };
    let second = engine(&upstream.base(), &folder, Some(&later), |_| {})?;
    let done = second
        .follow()?
        .deliverable(Task::Sync { name: name() }, &owner)
        .await;
    done.map_err(|error| error.message.clone())?;
    let bundle = bundle_of(&second, &id_of(&answer)?, "anna").await?;
    second.close().await;
    let removed = events(&bundle, EventClass::ItemRemoved);
    ensure(
        !removed.is_empty() && removed.len() == bundle.context_item.len(),
        format!("{:?}", states(&bundle)),
    )?;
    ensure(
        removed
            .iter()
            .all(|event| event.metadata["found_by"] == "deliverable"),
        format!("{removed:?}"),
    )
}

/// A judgement of the answer holds the same item, and so is told of it; another owner's records are not.
async fn elsewhere() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let engine = engine(&upstream.base(), &folder, None, |_| {})?;
    let search = json!({"url": "rust async"});
    let annas = asked(&engine, "extract_hackernews", search.clone(), "anna").await?;
    let bens = asked(&engine, "extract_hackernews", search, "ben").await?;
    let mut answer = annas.structured.clone();
    let answer_id = answer["answer_id"].clone();
    answer.as_object_mut().ok_or("fields")?.remove("records");
    let judge = json!({"profile": "local_custom", "intent": "developer_adoption", "signals": [answer],
        "budget": {"max_items": 2, "allow_unverified": true}});
    let judged = asked(&engine, "evaluate_context", judge, "anna").await?;
    ensure(status(&judged)["status"] == "kept", &judged.text)?;
    says.now(stories(&[
        (3, "Third"),
        (2, "Second, altered"),
        (1, "First, altered"),
    ]));
    asked(&engine, "recheck", json!({"answer_id": answer_id}), "anna").await?;
    for (outcome, owner, expired) in [(&annas, "anna", 2), (&judged, "anna", 2), (&bens, "ben", 0)] {
        let bundle = bundle_of(&engine, &id_of(outcome)?, owner).await?;
        ensure(bundle.context_item.len() == 3, format!("{:?}", states(&bundle)))?;
        let of = |title: &str| states(&bundle).get(title) == Some(&State::Expired);
        ensure(
            usize::from(of("First")) + usize::from(of("Second")) == expired && !of("Third"),
            format!("{owner}: {:?}", states(&bundle)),
        )?;
        ensure(
            events(&bundle, EventClass::ItemUpdated).len() == expired
                && events(&bundle, EventClass::SurfaceUpdated).len() == usize::from(expired > 0),
            format!("{:?}", bundle.context_event),
        )?;
    }
    engine.close().await;
    Ok(())
}

/// Without the wish or the toolset nothing is kept; without room it is said.
async fn not_kept() -> Result<(), Failed> {
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let search = json!({"url": "rust async"});
    for (what, expected) in [
        ("no toolset", Value::Null),
        ("store off", json!("not_kept")),
        ("too large", json!("not_kept")),
        ("no number", json!("not_kept")),
    ] {
        let folder = Folder::new();
        let engine = engine(&upstream.base(), &folder, None, |settings| match what {
            "no toolset" => settings.toolsets = vec!["default".to_owned()],
            "store off" => settings.store = StoreMode::Off,
            "no number" => settings.limits.records_kept = 0,
            _ => settings.limits.records_bytes = 1_000,
        })?;
        let answer = asked(&engine, "extract_hackernews", search.clone(), "anna").await?;
        let id = id_of(&answer)?;
        ensure(
            status(&answer)["status"] == expected,
            format!("{what}: {}", status(&answer)),
        )?;
        if let Ok(follow) = engine.follow() {
            let found = follow.kept_records(&id, &Owner::named("anna")).await;
            ensure(found.is_err(), format!("{what}: {found:?}"))?;
        }
        engine.close().await;
        let file = folder.0.join("freshcontext.sqlite3");
        // The marks of the answer are kept all the same.
        let marked = ["too large", "no number"].contains(&what);
        ensure(file.exists() == marked, what)?;
    }
    let folder = Folder::new();
    let engine = engine(&upstream.base(), &folder, None, |settings| {
        settings.limits.records_kept = 2;
    })?;
    let plain = CallContext {
        owner: Owner::named("anna"),
        ..CallContext::default()
    };
    let answer = engine
        .call("extract_hackernews", object(search.clone()), plain)
        .await;
    let answer = answer.map_err(|_| "no such tool")?.written();
    ensure(status(&answer).is_null(), "nobody asked for records")?;
    let owner = Owner::named("anna");
    let listed = engine
        .follow()?
        .list_kept_records(&owner)
        .await
        .map_err(|error| error.message)?;
    ensure(listed.is_empty(), format!("{listed:?}"))?;
    for _ in 0..3 {
        asked(&engine, "extract_hackernews", search.clone(), "anna").await?;
    }
    let listed = engine
        .follow()?
        .list_kept_records(&owner)
        .await
        .map_err(|error| error.message)?;
    ensure(listed.len() == 2, format!("{listed:?}"))?;
    engine.close().await;
    Ok(())
}

/// Two callers over HTTP, each with a token of a name: each reads the own records, and the other's are not found.
async fn http_owners() -> Result<(), Failed> {
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let folder = Folder::new();
    std::fs::create_dir_all(&folder.0)?;
    let folder_name = folder.0.display().to_string();
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_HTTP_TOKENS", "alice=one-of-alice,bob=one-of-bob"),
        ("FRESHCONTEXT_TOOLSETS", "default,time"),
        ("FRESHCONTEXT_DATA_DIR", &folder_name),
    ])
    .await;
    let ask = async |token: &str, method: &str, params: Value| {
        let bearer = format!("Bearer one-of-{token}");
        let mut headers = version_headers(MODERN, method, &params);
        headers.push(("Authorization", &bearer));
        server
            .post(&headers, &rpc(MODERN, 1, method, params.clone()))
            .await
            .json()
    };
    let mut ids = Vec::new();
    for token in ["alice", "bob"] {
        let params = json!({"name": "extract_hackernews", "arguments": {"url": "rust"},
            "_meta": {"freshcontext/records": "full", "freshcontext/context": {"scope": "review"}}});
        let answer = ask(token, "tools/call", params).await;
        let bundle = read(&answer.to_string())?;
        ensure(check(&bundle).is_empty(), "sound")?;
        ensure(bundle.context_envelope.scope.as_str() == "review", &answer)?;
        let status = &answer["result"]["_meta"]["io.github.freshcontext/records"]["status"];
        ensure(status == "kept", &answer["result"]["_meta"])?;
        ids.push((token, bundle.context_envelope.context_id));
    }
    for (reader, other) in [(0, 1), (1, 0)] {
        let (token, own) = &ids[reader];
        let (_, foreign) = &ids[other];
        let uri = |id: &str| json!({"uri": format!("freshcontext://records/{id}")});
        let read_own = ask(token, "resources/read", uri(own)).await;
        let text = read_own["result"]["contents"][0]["text"].as_str();
        let text = text.ok_or_else(|| read_own.to_string())?;
        ensure(read(text)?.context_envelope.context_id == *own, &read_own)?;
        let refused = ask(token, "resources/read", uri(foreign)).await;
        let unknown = ask(token, "resources/read", uri("ctx_0")).await;
        ensure(
            refused["error"]["code"].is_i64() && refused["error"]["code"] == unknown["error"]["code"],
            &refused,
        )?;
        ensure(
            !refused.to_string().contains("context_item"),
            "nothing of it is shown",
        )?;
        // At the shell, by the name of a token; this machine's own has none.
        for (arguments, found) in [
            (vec!["records", "list", "--token", token], true),
            (vec!["records", "list"], false),
        ] {
            let mut command = crate::process::command(&arguments);
            command.env("FRESHCONTEXT_DATA_DIR", &folder_name);
            let listed = finish(command, "").await;
            ensure(
                listed.stdout.contains(own.as_str()) == found && !listed.stdout.contains(foreign.as_str()),
                format!("{arguments:?}: {}{}", listed.stdout, listed.stderr),
            )?;
        }
    }
    Ok(())
}
