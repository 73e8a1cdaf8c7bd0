//! What is stored, for whom, and what happens if storing fails.

use freshcontext_config::{Settings, StoreMode};
use freshcontext_engine::{CallContext, Engine, Owner, RECHECK};
use freshcontext_testkit::check::Outcome;
use libtest_mimic::Failed;
use serde_json::{Value, json};

use super::setup::{FIRST, Folder, Says, ask, engine, ensure, object, recheck, stories};
use crate::run::call;
use crate::verdict;

/// A later process: the same folder, another engine, another cache.
pub(super) async fn restart_between() -> Result<(), Failed> {
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
    // The new value is told, of the item that changed alone.
    ensure(
        found.structured["items"][2]["now"] == json!({"title": "First, retracted"}),
        &found.text,
    )?;
    ensure(
        found.structured["items"][1].get("now").is_none() && found.text.contains("First, retracted"),
        &found.text,
    )?;
    // Stored data contains none of the content.
    let kept = std::fs::read(folder.0.join("freshcontext.sqlite3"))?;
    let kept = String::from_utf8_lossy(&kept);
    ensure(!kept.contains("Second"), "a title is kept")?;
    ensure(
        kept.contains("rust async"),
        "the arguments are kept, as the docs say",
    )
}

pub(super) async fn owners_are_apart() -> Result<(), Failed> {
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

pub(super) async fn damaged_store() -> Result<(), Failed> {
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

pub(super) async fn store_off() -> Result<(), Failed> {
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

pub(super) async fn cached() -> Result<(), Failed> {
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

/// Returns the tools as clients list them.
fn list_of(engine: &Engine) -> Vec<Value> {
    let shown = engine.tools().iter().map(|tool| {
        json!({"name": tool.name, "title": tool.title, "description": tool.description,
            "input_schema": tool.input_schema, "output_schema": *tool.output_schema})
    });
    shown.collect()
}

/// Without the toolset nothing is stored and nothing is shown.
pub(super) async fn off_by_default() -> Result<(), Failed> {
    let folder = Folder::new();
    let says = Says::new(stories(&FIRST));
    let upstream = says.upstream().await?;
    let plain = engine(&upstream.base(), &folder, None, |settings| {
        settings.toolsets = Settings::default().toolsets;
    })?;
    let answer = ask(&plain, "extract_hackernews", json!({"url": "rust async"})).await?;
    plain.close().await;
    let mut wrong = Vec::new();
    // With the toolset there are more tools, and fields for the ids; nothing else differs.
    let with = engine(&upstream.base(), &folder, None, |_| {})?;
    let mut listed = list_of(&with);
    listed.retain(|tool| plain.tool(tool["name"].as_str().unwrap_or_default()).is_some());
    for tool in &mut listed {
        if let Some(properties) = tool["output_schema"]["properties"].as_object_mut() {
            properties.retain(|name, _| name != "answer_id" && name != "answer_hash");
        }
    }
    if listed != list_of(&plain) || with.tool(RECHECK).is_none() {
        wrong.push("the toolset changes more of the list of tools than it says".to_owned());
    }
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
