//! Context records of every fixture, every strategy and every recheck verdict.

mod kept;

use std::collections::BTreeSet;
use std::path::Path;

use freshcontext_core::provenance::sha256_hex;
use freshcontext_records::accounting::{Fate, table};
use freshcontext_records::check::check;
use freshcontext_records::export::{Format, export, read};
use freshcontext_records::{Bundle, schema};
use freshcontext_testkit::load_cases;
use freshcontext_xtask::recorded::{self, Recorded};
use jsonschema::Validator;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::process::{Session, command, finish};
use crate::run::{Bench, block_on, once};
use crate::{root, verdict};

pub fn trials() -> Vec<Trial> {
    let mut trials = kept::trials();
    trials.extend([
        Trial::test("records::every_call", every_call),
        Trial::test("records::canaries", || block_on(canaries())),
        Trial::test("records::declined_values_are_read", || block_on(declined())),
        Trial::test("records::not_asked_for", || block_on(not_asked_for())),
        Trial::test("records::same_item_same_id", || block_on(same_item_same_id())),
        Trial::test("records::wire", || block_on(wire())),
        Trial::test("records::handoff", || block_on(handoff())),
    ]);
    trials
}

/// The validator of each file of `schemas/agent-context`, as generated.
fn validators() -> Result<Vec<(String, Validator)>, Failed> {
    let mut out = Vec::new();
    for (name, text) in schema::all() {
        let schema: Value = serde_json::from_str(&text)?;
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| format!("{name}: {error}"))?;
        out.push((name.trim_end_matches(".json").to_owned(), validator));
    }
    Ok(out)
}

/// Rules, schemas, hashes, exports, and the table of values, over all calls together.
fn every_call() -> Result<(), Failed> {
    let all = block_on(recorded::all(&root()))?;
    let validators = validators()?;
    let mut complaints = Vec::new();
    let mut seen = BTreeSet::new();
    for recorded in &all {
        let name = &recorded.name;
        let bundle = recorded.bundle()?;
        complaints.extend(check(&bundle).into_iter().map(|what| format!("{name}: {what}")));
        for (kind, validator) in &validators {
            for record in bundle
                .records()
                .iter()
                .filter(|record| record.kind.as_str() == kind)
            {
                let wrong = validator.iter_errors(&record.value);
                complaints.extend(wrong.map(|error| format!("{name}: {kind}: {error}")));
            }
            if kind == "bundle" {
                complaints.extend(
                    validator
                        .iter_errors(&recorded.records)
                        .map(|error| format!("{name}: {error}")),
                );
            }
        }
        hashes(recorded, &bundle, &mut complaints);
        for format in Format::ALL {
            let (at, mut ids) = recorded::export_ids()?;
            let text = export(&bundle, format, &at, &mut ids);
            if format == Format::Prov {
                continue;
            }
            match read(&text) {
                Ok(back) => {
                    note_values(&serde_json::to_value(&back)?, &mut seen);
                    if back.context_event.len() != bundle.context_event.len() + 1 {
                        complaints.push(format!("{name}: {} does not come back whole", format.as_str()));
                    }
                    complaints.extend(
                        check(&back)
                            .into_iter()
                            .map(|what| format!("{name}: exported: {what}")),
                    );
                }
                Err(problem) => complaints.push(format!("{name}: {}: {problem}", format.as_str())),
            }
        }
    }
    block_on(redacted_values(&mut seen))?;
    for row in table() {
        let found = seen.contains(&(row.list, row.value.to_owned()));
        let expected = matches!(row.fate, Fate::Produced(_));
        if found != expected {
            complaints.push(format!(
                "{} {} is {} by the table; found: {found}",
                row.list,
                row.value,
                row.fate.word()
            ));
        }
    }
    verdict(complaints)
}

/// The hashes of the delivered text and of its blocks match the text that the caller received.
fn hashes(recorded: &Recorded, bundle: &Bundle, complaints: &mut Vec<String>) {
    let name = &recorded.name;
    for injection in &bundle.context_injection {
        let held = freshcontext_redact::holds_secret(&recorded.text);
        let right = (!held).then(|| format!("sha256:{}", sha256_hex(&recorded.text)));
        if injection.hash != right {
            complaints.push(format!(
                "{name}: hash {:?} where {right:?} is right",
                injection.hash
            ));
        }
    }
    for block in bundle
        .context_assembly
        .iter()
        .flat_map(|assembly| &assembly.ordered_blocks)
    {
        let range = usize::try_from(block.span.start).unwrap_or(usize::MAX)
            ..usize::try_from(block.span.end).unwrap_or(usize::MAX);
        let part = recorded.text.get(range).unwrap_or("no such stretch");
        if block
            .sha256
            .as_ref()
            .is_some_and(|hash| *hash != sha256_hex(part))
        {
            complaints.push(format!("{name}: block {} has another hash", block.order));
        }
    }
    if bundle.context_assembly.len() != 1 || bundle.context_injection.len() != 1 {
        complaints.push(format!("{name}: is not delivered once"));
    }
}

/// Returns every value of the specification's lists that occurs in a bundle, by list.
fn note_values(value: &Value, seen: &mut BTreeSet<(&'static str, String)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| note_values(value, seen)),
        Value::Object(fields) => {
            for (name, value) in fields {
                let list = match name.as_str() {
                    "scope" => "scope",
                    "lifecycle" => "lifecycle",
                    "content_mode" => "content_mode",
                    "selector_type" => "selector",
                    "event_class" => "event",
                    "overflow_strategy" => "overflow_strategy",
                    "reason" => "omission_reason",
                    "redaction_state" => "redaction_state",
                    "method" => "method",
                    "injection_point" => "injection_point",
                    "severity" => "severity",
                    "external_mappings" => {
                        for mapping in value.as_object().into_iter().flatten() {
                            seen.insert(("mapping", mapping.0.clone()));
                        }
                        continue;
                    }
                    other => {
                        if freshcontext_records::values::Kind::named(other).is_some() {
                            seen.insert(("object", other.to_owned()));
                        }
                        note_values(value, seen);
                        continue;
                    }
                };
                if let Some(text) = value.as_str() {
                    seen.insert((list, text.to_owned()));
                }
            }
        }
        _ => {}
    }
}

/// Secrets of several forms, none of them ever issued.
fn secrets() -> [String; 4] {
    [
        format!("ghp_{}", "Zq7".repeat(12)),
        format!("AKIA{}", "Q".repeat(16)),
        "canary.person@mail.example.org".to_owned(),
        format!("password=Canary{}", "x1".repeat(6)),
    ]
}

/// An evaluation with canaries in every text that a caller can supply.
async fn with_canaries(redact: &[&str]) -> Result<Recorded, Failed> {
    let bench = Bench::idle().await?;
    let [token, key, mail, password] = secrets();
    let signal = |source: String, content: String| {
        json!({
            "id": format!("n-{token}"), "source": source, "source_type": "official_docs", "title": format!("Note for {mail}"),
            "content": content, "published_at": "2026-11-19", "retrieved_at": "2026-11-21T11:00:00Z",
            "date_confidence": "high", "semantic_score": 0.9,
            "metadata": {"policy": {"decision": "allow", "ref": format!("policy {key}")}, "retention_hint": mail},
        })
    };
    let arguments = json!({
        "profile": "multi_agent_handoff", "intent": "developer_adoption", "query": format!("steps {token}"),
        "signals": [
            signal(format!("https://docs.example.org/?token={token}"), format!("Use {key} and {password} for it. ")),
            signal("https://plain.example.org/".to_owned(), "Nothing secret here.".to_owned()),
            signal(format!("note of {mail}"), format!("Write to {mail}. {}", "One more sentence. ".repeat(80))),
        ],
        "budget": {"max_tokens": 300, "overflow_strategy": "summarize_oldest", "target": format!("for {mail}")},
        "now": "2026-11-21T12:00:00Z",
        "context": {
            "actor_refs": [{"id": mail, "role": "user"}], "runtime_refs": [{"session": token, mail.clone(): 1}],
            "policy_refs": [key], "evidence_refs": [password], "telemetry_refs": [{"log": mail}],
            "external_mappings": {"a2a": {"task_id": token}}, "redact": redact,
        },
    });
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let mut asked = freshcontext_engine::records::RecordsRequest {
        records: Some(json!("full")),
        ..freshcontext_engine::records::RecordsRequest::default()
    };
    asked.native.request_id = Some(json!(mail));
    asked.native.client = Some((format!("client {token}"), "1".to_owned()));
    let tool = freshcontext_engine::EVALUATE;
    Ok(recorded::call(&bench.engine, "canaries", tool, arguments, asked).await?)
}

async fn redacted_values(seen: &mut BTreeSet<(&'static str, String)>) -> Result<(), Failed> {
    let recorded = with_canaries(&[]).await?;
    let mut records = recorded.records;
    // Names chosen by the caller are not the server's.
    records["context_envelope"]["external_mappings"] = Value::Null;
    note_values(&records, seen);
    Ok(())
}

/// No secret, and no hash of a text with one, is in the records or in any export.
async fn canaries() -> Result<(), Failed> {
    let mut complaints = Vec::new();
    for marked in [&[][..], &["content", "title"][..]] {
        let recorded = with_canaries(marked).await?;
        let bundle = recorded.bundle()?;
        complaints.extend(check(&bundle));
        let mut forms = vec![recorded.records.to_string()];
        for format in Format::ALL {
            let (at, mut ids) = recorded::export_ids()?;
            forms.push(export(&bundle, format, &at, &mut ids));
        }
        let whole = sha256_hex(&recorded.text);
        let contents: Vec<String> = recorded.structured["results"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|result| !result["source"].as_str().unwrap_or_default().contains("plain"))
            .filter_map(|result| result["provenance_readiness"]["canonical_content_sha256"].as_str())
            .map(str::to_owned)
            .collect();
        if contents.len() != 2 {
            complaints.push(format!("{} contents hold a secret", contents.len()));
        }
        for form in &forms {
            for secret in secrets().iter().chain(&contents).chain([&whole]) {
                if form.contains(secret.as_str()) {
                    complaints.push(format!("{secret} is in {:.60}", form.replace('\n', " ")));
                }
            }
        }
        if !marked.is_empty() && forms.iter().any(|form| form.contains("Nothing secret")) {
            complaints.push("a marked field is still there".to_owned());
        }
        let redactions = &bundle.context_envelope.redactions;
        if redactions.len() < 10 {
            complaints.push(format!("only {} redactions are named", redactions.len()));
        }
    }
    verdict(complaints)
}

/// Records of other programs may contain what this server's never do.
async fn declined() -> Result<(), Failed> {
    let bench = recorded::judgements(&root()).await?;
    let of = bench
        .iter()
        .find(|recorded| recorded.name == "judged_summarize_oldest")
        .ok_or("the judgement with summaries")?;
    let mut complaints = Vec::new();
    for row in table() {
        let mut records = of.records.clone();
        let place = match row.list {
            "scope" => "/context_envelope/scope",
            "lifecycle" => "/context_selection/0/lifecycle",
            "content_mode" => "/context_item/0/content_mode",
            "selector" => "/context_compaction/0/coverage/selector/selector_type",
            "overflow_strategy" => "/context_budget/0/overflow_strategy",
            "omission_reason" => "/context_selection/0/omitted_item_refs/0/reason",
            "redaction_state" => "/context_assembly/0/redaction_state",
            "method" => "/context_compaction/0/method",
            "injection_point" => "/context_injection/0/injection_point",
            "severity" => "/missing_context/0/severity",
            "mapping" => {
                records["context_envelope"]["external_mappings"][row.value] = json!({});
                "/context_envelope/context_id"
            }
            _ => continue,
        };
        let Some(field) = records.pointer_mut(place) else {
            return Err(Failed::from(format!("{place} is not there")));
        };
        if row.list != "mapping" {
            *field = row.value.into();
        }
        match read(&records.to_string()) {
            Ok(bundle) => {
                complaints.extend(check(&bundle).into_iter().map(|what| format!("{row:?}: {what}")));
            }
            Err(problem) => complaints.push(format!("{row:?}: {problem}")),
        }
        let mut wrong = records;
        if row.list != "mapping" {
            if let Some(field) = wrong.pointer_mut(place) {
                *field = json!("no such value");
            }
            if read(&wrong.to_string()).is_ok() {
                complaints.push(format!("{}: any value is read", row.list));
            }
        }
    }
    verdict(complaints)
}

/// Without a request for records, an answer contains none; an invalid request is rejected by name before any
/// source is contacted.
async fn not_asked_for() -> Result<(), Failed> {
    let bench = Bench::idle().await?;
    let judged = |more: Value| {
        let mut arguments = json!({
            "profile": "official_docs", "intent": "citation_check", "now": "2026-11-21T12:00:00Z",
            "signals": recorded::candidates(),
        });
        if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
            arguments.extend(more);
        }
        arguments.as_object().cloned().unwrap_or_default()
    };
    let tool = freshcontext_engine::EVALUATE;
    let plain = bench.call(tool, judged(json!({}))).await?;
    let none = bench
        .call(
            tool,
            judged(json!({"records": "none", "context": {"scope": "turn"}})),
        )
        .await?;
    assert_eq!(plain.structured.to_string(), none.structured.to_string());
    let mut full = bench.call(tool, judged(json!({"records": "full"}))).await?;
    let records = full
        .structured
        .as_object_mut()
        .and_then(|fields| fields.remove("records"));
    assert!(records.is_some());
    assert_eq!(plain.structured.to_string(), full.structured.to_string());
    assert_eq!(plain.text, full.text);
    for wrong in [
        json!({"records": "all"}),
        json!({"records": "full", "context": {"scope": "galaxy"}}),
    ] {
        let refused = bench.call(tool, judged(wrong)).await?;
        assert_eq!(refused.code(), "invalid_input", "{}", refused.text);
    }
    let context = freshcontext_engine::CallContext {
        records: Some(std::sync::Arc::new(
            freshcontext_engine::records::RecordsRequest {
                records: Some(json!("all")),
                ..freshcontext_engine::records::RecordsRequest::default()
            },
        )),
        ..freshcontext_engine::CallContext::default()
    };
    let arguments = json!({"url": "rust"}).as_object().cloned().unwrap_or_default();
    let refused = crate::run::call(&bench.engine, "extract_hackernews", arguments, context).await?;
    assert_eq!(refused.code(), "invalid_input", "{}", refused.text);
    assert!(refused.text.contains("freshcontext/records"), "{}", refused.text);
    assert!(bench.upstream.requests().is_empty());
    Ok(())
}

/// An item of an answer has the same id when that answer is evaluated.
async fn same_item_same_id() -> Result<(), Failed> {
    let bench = Bench::idle().await?;
    let mut complaints = Vec::new();
    let mut compared = 0;
    for fetched in recorded::fixtures(&root()).await? {
        if fetched.structured["items"].as_array().is_none_or(Vec::is_empty)
            || fetched.structured["code"].is_string()
        {
            continue;
        }
        let arguments = json!({"profile": "local_custom", "intent": "developer_adoption", "now": "2026-11-21T12:00:00Z",
            "signals": [fetched.structured], "records": "full", "budget": {"max_items": 100, "allow_unverified": true}});
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let tool = freshcontext_engine::EVALUATE;
        let asked = freshcontext_engine::records::RecordsRequest::default();
        let judged = recorded::call(&bench.engine, &fetched.name, tool, arguments, asked).await?;
        let ids = |bundle: Bundle| -> BTreeSet<String> {
            bundle.context_item.into_iter().map(|item| item.item_id).collect()
        };
        let (then, now) = (ids(fetched.bundle()?), ids(judged.bundle()?));
        compared += then.len();
        if then != now {
            complaints.push(format!("{}: {then:?} are judged as {now:?}", fetched.name));
        }
    }
    if compared < 100 {
        complaints.push(format!("only {compared} items were compared"));
    }
    verdict(complaints)
}

/// The records describe exactly what a client over stdio received.
async fn wire() -> Result<(), Failed> {
    let case = load_cases(&root().join("fixtures"))?
        .into_iter()
        .find(|case| case.name.ends_with("hackernews/search"))
        .ok_or("the case of a search")?;
    let bench = Bench::start(&case, Path::new(""), once(), |_| {}).await?;
    let mut session = Session::with_upstream(&bench.upstream.base()).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let meta = json!({
        "freshcontext/records": "full",
        "freshcontext/context": {"scope": "review"},
        "traceparent": format!("00-{trace}-00f067aa0ba902b7-01"),
    });
    let signals = json!({"profile": "official_docs", "intent": "citation_check", "signals": recorded::candidates(),
        "budget": {"max_tokens": 800}});
    let calls = [
        (case.tool.as_str(), json!(case.arguments)),
        ("evaluate_context", signals),
    ];
    for (tool, arguments) in calls {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let answer = session.ask("tools/call", params).await;
        let bundle = read(&answer.to_string())?;
        let broken = check(&bundle);
        assert!(broken.is_empty(), "{tool}: {broken:?}");
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        let injection = bundle.context_injection.first().ok_or("no injection")?;
        assert_eq!(
            injection.hash,
            Some(format!("sha256:{}", sha256_hex(text))),
            "{tool}"
        );
        let id = answer["id"].to_string();
        assert_eq!(
            injection.native_id.as_deref(),
            Some(id.trim_matches('"')),
            "{tool}"
        );
        let envelope = &bundle.context_envelope;
        assert_eq!(envelope.scope.as_str(), "review", "{tool}");
        let telemetry = envelope
            .telemetry_refs
            .as_ref()
            .and_then(|it| it.trace_id.as_deref());
        assert_eq!(telemetry, Some(trace), "{tool}");
        assert!(
            injection.target.starts_with("mcp client: "),
            "{}",
            injection.target
        );
    }
    Ok(())
}

/// The hand-off of docs/records.md: one agent evaluates in the shell, another reads only the records.
async fn handoff() -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("freshcontext-records-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let kept = folder.join("handoff.json");
    let kept = kept.to_str().ok_or("a path in UTF-8")?;
    let signals = root().join("examples/signals.json");
    let signals = signals.to_str().ok_or("a path in UTF-8")?;
    let judged = finish(
        command(&["evaluate", signals, "--max-tokens", "1000", "--records", kept]),
        "",
    )
    .await;
    assert_eq!(judged.code, Some(0), "{}", judged.stderr);
    let checked = finish(command(&["records", "check", kept]), "").await;
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    let mut forms = Vec::new();
    for format in Format::ALL {
        let exported = finish(
            command(&["records", "export", kept, "--format", format.as_str()]),
            "",
        )
        .await;
        assert_eq!(exported.code, Some(0), "{}", exported.stderr);
        forms.push(exported.stdout);
    }
    // This is what the second agent knows.
    let lines = forms.get(1).ok_or("no JSON Lines")?;
    let bundle = read(lines)?;
    let injection = bundle.context_injection.first().ok_or("no injection")?;
    assert_eq!(
        injection.hash,
        Some(format!("sha256:{}", sha256_hex(&judged.stdout)))
    );
    let selection = bundle.context_selection.first().ok_or("no selection")?;
    assert_eq!(bundle.context_envelope.item_refs, selection.selected_item_refs);
    let dated = |id: &String| {
        let item = bundle.context_item.iter().find(|item| item.item_id == *id);
        item.is_some_and(|item| {
            item.freshness.retrieved_at.is_some() && !item.freshness.date_confidence.is_empty()
        })
    };
    assert!(!selection.selected_item_refs.is_empty() && selection.selected_item_refs.iter().all(dated));
    assert!(!selection.omitted_item_refs.is_empty());
    assert!(
        selection
            .omitted_item_refs
            .iter()
            .all(|omitted| !omitted.detail.is_empty())
    );
    assert!(!bundle.missing_context.is_empty());
    assert!(bundle.missing_context.iter().all(|gap| gap.question.is_some()));
    let budget = bundle.context_budget.first().ok_or("no budget")?;
    assert!(budget.actual_tokens <= 1000);
    // A broken bundle is reported as such.
    let text = std::fs::read_to_string(kept)?;
    let first = selection.selected_item_refs.first().ok_or("nothing selected")?;
    std::fs::write(
        kept,
        text.replacen(first.as_str(), &format!("itm_{}", "0".repeat(32)), 1),
    )?;
    let broken = finish(command(&["records", "check", kept]), "").await;
    assert_eq!(broken.code, Some(1), "{}", broken.stdout);
    assert!(broken.stdout.contains("dangling reference"), "{}", broken.stdout);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
