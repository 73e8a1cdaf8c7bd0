//! Secrets of every form in every field of every surface: none is in records, kept records, exports, logs, pages or
//! errors. What is masked in a text is tested in `crates/redact/tests/redaction.rs`.

#[path = "../../crates/redact/tests/redaction/forms.rs"]
mod forms;

use std::collections::BTreeSet;

use forms::Form;
use freshcontext_records::check::check;
use freshcontext_records::export::{Format, export, read};
use freshcontext_testkit::{Reply, ScriptedUpstream};
use freshcontext_xtask::recorded;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::places::Kept;
use crate::process::{MODERN, Session, command, finish, scratch};
use crate::run::block_on;
use crate::upstreams::json_reply;
use crate::verdict;

const NOW: &str = "2026-11-21T12:00:00Z";
const MARK: &str = "[masked:";
/// Forms that a call carries at once.
const TOGETHER: usize = 9;

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("redaction::tools", || block_on(tools())),
        Trial::test("redaction::shell", || block_on(shell())),
        Trial::test("redaction::brought", || block_on(brought())),
        Trial::test("redaction::names", || block_on(names())),
    ]
}

/// Several forms as one text each.
fn batches(forms: &[Form]) -> Vec<Form> {
    let of = |forms: &[Form], part: fn(&Form) -> &str| forms.iter().map(part).collect::<Vec<_>>().join("\n");
    forms
        .chunks(TOGETHER)
        .map(|forms| Form {
            name: of(forms, |form| &form.name).replace('\n', ", "),
            text: of(forms, |form| &form.text),
            secrets: forms.iter().flat_map(|form| form.secrets.clone()).collect(),
        })
        .collect()
}

/// Which secrets of a form a text holds.
fn seen(form: &Form, place: &str, text: &str, complaints: &mut BTreeSet<String>) {
    for secret in &form.secrets {
        if let Some((before, after)) = text.split_once(secret.as_str()) {
            let before: String = before
                .chars()
                .rev()
                .take(80)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            let after: String = after.chars().take(40).collect();
            complaints.insert(format!("{secret} is in {place}: {before}>>>{secret}<<<{after}"));
        }
    }
}

/// Search results of Hacker News with a form in each text.
fn stories(forms: &[Form]) -> Reply {
    let hits: Vec<Value> = forms
        .iter()
        .enumerate()
        .map(|(at, form)| {
            json!({"objectID": (at + 1).to_string(), "title": format!("About {}", form.text),
                "url": format!("https://example.com/{at}?q={}", form.text), "author": form.text, "points": 10,
                "num_comments": 3, "created_at": "2026-11-20T10:00:00Z", "created_at_i": 1_795_168_800_u64,
                "story_text": form.text, "_tags": ["story"]})
        })
        .collect();
    json_reply(
        &json!({"hits": hits, "nbHits": hits.len(), "page": 0, "nbPages": 1, "hitsPerPage": 20}).to_string(),
    )
}

/// What a caller may say about its context, with a form in every field.
fn context(form: &Form) -> Value {
    let text = &form.text;
    json!({
        "actor_refs": [{"id": text, "role": text}], "runtime_refs": [{"log": text, text.clone(): 1}, text],
        "policy_refs": [text], "evidence_refs": [[text]], "telemetry_refs": [{"a": {"b": text}}],
        "external_mappings": {"a2a": {"task_id": text}, "mcp": {"server_id": text},
            "json_schema": {"properties": {"a": {"default": text}}}},
    })
}

/// Arguments of a judgement, with a form in every field.
fn judged(form: &Form) -> Value {
    let text = &form.text;
    json!({
        "profile": "official_docs", "intent": "citation_check", "query": text,
        "signals": [
            {"id": text, "source": format!("https://docs.example.org/?a={text}"), "source_type": text, "title": text,
                "content": format!("First. {text} Last."), "published_at": "2026-11-19",
                "retrieved_at": "2026-11-21T11:00:00Z", "date_confidence": "high", "semantic_score": 0.9,
                "metadata": {"policy": {"decision": "allow", "ref": text}, "retention_hint": text}},
            {"id": "2", "source": text, "source_type": "docs", "title": "Two", "content": text,
                "published_at": null, "retrieved_at": "2026-11-21T11:00:00Z", "semantic_score": 0.1},
        ],
        "budget": {"max_tokens": 200, "target": text},
    })
}

/// Every tool call over stdio, with the log at its most talkative and a store.
async fn tools() -> Result<(), Failed> {
    let forms = forms::all();
    let answers = forms.clone();
    let upstream = ScriptedUpstream::start(move |_: &_| stories(&answers)).await?;
    let kept = Kept::in_folder();
    let mut command = kept.command(&["stdio"], NOW, &upstream.base());
    command
        .env("FRESHCONTEXT_LOG", "trace")
        .env("FRESHCONTEXT_TOOLSETS", "default,time");
    let mut session = Session::open(command, MODERN).await;
    let mut complaints = BTreeSet::new();
    let mut masked = 0;
    for form in &batches(&forms) {
        let meta = json!({"freshcontext/records": "full", "freshcontext/context": context(form),
            "traceparent": form.text, "tracestate": form.text});
        let calls = [
            ("extract_hackernews", json!({"url": form.text})),
            (
                "extract_github",
                json!({"url": form.text, form.text.clone(): form.text}),
            ),
            ("evaluate_context", judged(form)),
        ];
        for (tool, arguments) in calls {
            let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
            let answer = session.ask("tools/call", params).await;
            let result = &answer["result"];
            let records = &result["structuredContent"]["records"];
            if result["isError"] == true || answer["error"].is_object() {
                let mut error = answer.clone();
                if let Some(fields) = error
                    .pointer_mut("/result/structuredContent")
                    .and_then(Value::as_object_mut)
                {
                    fields.remove("records");
                }
                seen(
                    form,
                    &format!("the error of {tool}"),
                    &error.to_string(),
                    &mut complaints,
                );
            }
            if records.is_null() {
                continue;
            }
            let text = records.to_string();
            masked += text.matches(MARK).count();
            seen(form, &format!("the records of {tool}"), &text, &mut complaints);
            let bundle = read(&text)?;
            complaints.extend(
                check(&bundle)
                    .into_iter()
                    .map(|what| format!("{}: {tool}: {what}", form.name)),
            );
            for format in Format::ALL {
                let (at, mut ids) = recorded::export_ids()?;
                let written = export(&bundle, format, &at, &mut ids);
                seen(
                    form,
                    &format!("{} of {tool}", format.as_str()),
                    &written,
                    &mut complaints,
                );
            }
            let id = records["context_envelope"]["context_id"]
                .as_str()
                .unwrap_or_default();
            let uri = format!("freshcontext://records/{id}");
            let back = session.ask("resources/read", json!({"uri": uri})).await;
            if back["result"]["contents"][0]["text"]
                .as_str()
                .is_none_or(|text| !text.contains(id))
            {
                complaints.insert(format!("{}: {tool}: the records are not kept: {back}", form.name));
            }
            seen(
                form,
                &format!("the kept records of {tool}"),
                &back.to_string(),
                &mut complaints,
            );
        }
        // A name that nobody has: the error repeats it.
        let unknown = session
            .ask("tools/call", json!({"name": form.text, "arguments": {}}))
            .await;
        seen(
            form,
            "the error of an unknown tool",
            &unknown.to_string(),
            &mut complaints,
        );
        let unknown = session
            .ask(
                "resources/read",
                json!({"uri": format!("freshcontext://records/{}", form.text)}),
            )
            .await;
        seen(
            form,
            "the error of an unknown resource",
            &unknown.to_string(),
            &mut complaints,
        );
    }
    session.hang_up();
    let ended = session.end().await;
    if ended.log.lines().count() < 100 {
        complaints.insert(format!("the log has {} lines", ended.log.lines().count()));
    }
    for form in &forms {
        seen(form, "the log", &ended.log, &mut complaints);
    }
    if masked < forms.len() * 10 {
        complaints.insert(format!("only {masked} marks"));
    }
    verdict(complaints.into_iter().collect())
}

/// The command line: the page of an answer, and errors that repeat an argument.
async fn shell() -> Result<(), Failed> {
    let forms = forms::all();
    let answers = forms.clone();
    let upstream = ScriptedUpstream::start(move |_: &_| stories(&answers)).await?;
    let page = scratch().join("redaction.html");
    let mut complaints = BTreeSet::new();
    let mut asked = vec![("rust".to_owned(), "\"items\":[")];
    asked.extend(batches(&forms).into_iter().map(|form| (form.text, MARK)));
    for (url, holds) in asked {
        let _ = std::fs::remove_file(&page);
        let mut call = command(&["call", "extract_hackernews", &format!("url={url}")]);
        call.env("FRESHCONTEXT_UPSTREAM", format!("*={}", upstream.base()));
        call.arg("--html").arg(&page);
        let done = finish(call, "").await;
        let written = std::fs::read_to_string(&page)?;
        if !written.contains(holds) {
            complaints.insert(format!(
                "{holds} is not in the page: {:?} {}",
                done.code, done.stderr
            ));
        }
        for form in &forms {
            seen(form, "the page", &written, &mut complaints);
            seen(form, "stderr", &done.stderr, &mut complaints);
        }
    }
    // Each of these fails, and says with what.
    for form in forms.iter().step_by(9) {
        let text = form.text.as_str();
        for words in [
            vec!["call", text],
            vec!["call", "extract_github", text],
            vec!["records", "check", text],
            vec!["evaluate", text],
        ] {
            let done = finish(command(&words), "").await;
            if done.code == Some(0) {
                complaints.insert(format!("{words:?} does well"));
            }
            seen(
                form,
                &format!("stderr of {:.20}", words.join(" ")),
                &done.stderr,
                &mut complaints,
            );
            seen(
                form,
                &format!("stdout of {:.20}", words.join(" ")),
                &done.stdout,
                &mut complaints,
            );
        }
    }
    verdict(complaints.into_iter().collect())
}

/// A bundle that another program wrote: `check` finds each secret, and neither `export` nor `page` writes it.
async fn brought() -> Result<(), Failed> {
    let signals = crate::root().join("examples/signals.json");
    let signals = signals.to_str().ok_or("a path in UTF-8")?;
    let file = scratch().join("brought.json");
    let path = file.to_str().ok_or("a path in UTF-8")?;
    let made = finish(command(&["evaluate", signals, "--records", path]), "").await;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let sound: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let mut complaints = BTreeSet::new();
    let mut forms: Vec<(Form, Value)> = forms::all()
        .into_iter()
        .map(|form| {
            let value = json!([form.text]);
            (form, value)
        })
        .collect();
    for (name, value) in [
        ("password", json!("hunter2")),
        ("Authorization", json!("Basic eDp5")),
        ("db_password", json!(12_345)),
        ("credentials", json!({"a": ["hunter2"]})),
    ] {
        let form = Form {
            name: name.to_owned(),
            text: String::new(),
            secrets: vec!["hunter2".to_owned(), "Basic eDp5".to_owned(), "12345".to_owned()],
        };
        forms.push((form, json!([{name: value}])));
    }
    for (at, (form, value)) in forms.iter().enumerate() {
        let mut bundle = sound.clone();
        bundle["context_envelope"]["policy_refs"] = value.clone();
        let found = check(&read(&bundle.to_string())?);
        if found.is_empty() {
            complaints.insert(format!("{}: nothing is found", form.name));
        }
        seen(form, "what check says", &found.join("\n"), &mut complaints);
        if at % 10 > 0 {
            continue;
        }
        std::fs::write(&file, bundle.to_string())?;
        for words in [vec!["check"], vec!["page"], vec!["export", "--format", "jsonl"]] {
            let mut all = vec!["records", words[0], path];
            all.extend(&words[1..]);
            let done = finish(command(&all), "").await;
            if done.code != Some(1) {
                complaints.insert(format!("{}: {words:?} ends with {:?}", form.name, done.code));
            }
            seen(
                form,
                &format!("{words:?}"),
                &format!("{}{}", done.stdout, done.stderr),
                &mut complaints,
            );
        }
    }
    verdict(complaints.into_iter().collect())
}

/// The names of fields are enough, whatever stands in them; fields of the records stay.
async fn names() -> Result<(), Failed> {
    let mut session = Session::open(command(&["stdio"]), MODERN).await;
    let mut complaints = Vec::new();
    for name in [
        "password",
        "passwd",
        "pwd",
        "secret",
        "token",
        "api_key",
        "apiKey",
        "authorization",
        "Authorization",
        "cookie",
        "private_key",
        "client_secret",
        "credentials",
        "db_password",
        "x-api-key",
        "sessionToken",
        "AWS_SECRET_ACCESS_KEY",
    ] {
        let value = json!({"a": "Plain word", "n": 4_711_081_547_i64, "list": ["Plain word"]});
        let context = json!({"runtime_refs": [{name: "Plain word"}, {name: value}], "evidence_refs": [{"name": name, "value": "Plain word"}],
            "policy_refs": [{"tokenizer": "o200k_base", "token_counts": {"a": 7}, "max_tokens": 8, "password_policy_url": "https://example.com/p"}]});
        let mut arguments = judged(&Form {
            name: String::new(),
            text: "Ordinary".to_owned(),
            secrets: Vec::new(),
        });
        arguments["records"] = json!("full");
        arguments["context"] = context;
        let answer = session
            .ask(
                "tools/call",
                json!({"name": "evaluate_context", "arguments": arguments}),
            )
            .await;
        let records = &answer["result"]["structuredContent"]["records"];
        let envelope = &records["context_envelope"];
        let text = records.to_string();
        if envelope["policy_refs"][0]["tokenizer"] != "o200k_base"
            || envelope["policy_refs"][0]["token_counts"] != json!({"a": 7})
            || envelope["policy_refs"][0]["max_tokens"] != 8
            || envelope["policy_refs"][0]["password_policy_url"] != "https://example.com/p"
        {
            complaints.push(format!("{name}: an ordinary field is masked: {envelope}"));
        }
        if text.contains("Plain word") || text.contains("4711081547") {
            complaints.push(format!("{name}: its value is in {envelope}"));
        }
        if !text.contains("pattern:named_secret") {
            complaints.push(format!("{name}: no redaction is named"));
        }
    }
    session.hang_up();
    verdict(complaints)
}
