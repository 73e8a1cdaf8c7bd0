//! The engine over a scripted source: calls, deadlines, cancellation, sections.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test"
)]

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use freshcontext_config::Settings;
use freshcontext_contract::BoxFuture;
use freshcontext_echo::{AT_IT, STUCK, engine_with, settings, until};
use freshcontext_engine::{CallContext, Engine, Progress, UnknownTool, Written};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// With little time for a call, and less for its wait.
fn hasty() -> Settings {
    let mut settings = settings();
    settings.limits.call_deadline_ms = 300;
    settings.limits.composite_deadline_ms = 300;
    settings.limits.queue_wait_ms = 100;
    settings
}

fn arguments(value: Value) -> Map<String, Value> {
    let Value::Object(arguments) = value else {
        panic!("{value}")
    };
    arguments
}

async fn call(engine: &Arc<Engine>, tool: &str, value: Value) -> Written {
    engine
        .call(tool, arguments(value), CallContext::default())
        .await
        .unwrap()
        .written()
}

fn code(outcome: &Written) -> &str {
    outcome.structured["code"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn tools_are_sorted_and_an_unknown_one_is_not_an_outcome() {
    let (engine, _) = engine_with(&settings());
    let names: Vec<&str> = engine.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "evaluate_context",
            "extract_both",
            "extract_echo",
            "extract_other"
        ]
    );
    let unknown = engine
        .call("extract_none", Map::new(), CallContext::default())
        .await;
    assert!(matches!(unknown, Err(UnknownTool)));
}

#[tokio::test]
async fn an_answer_has_both_forms() {
    let (engine, _) = engine_with(&settings());
    let outcome = call(&engine, "extract_echo", json!({"url": "rust"})).await;
    assert!(!outcome.is_error, "{}", outcome.text);
    assert!(outcome.text.starts_with("[FRESHCONTEXT]"), "{}", outcome.text);
    let structured = outcome.structured;
    assert_eq!(structured["items"][0]["title"], "Result for rust");
    assert_eq!(structured["freshcontext"]["freshness_confidence"], "high");
}

#[tokio::test]
async fn bad_arguments_are_named_and_nothing_is_asked() {
    let (engine, transport) = engine_with(&settings());
    let deep = (0..70).fold(json!("x"), |inner, _| json!([inner]));
    for (value, field) in [
        (json!({}), "url"),
        (json!({"url": "hang", "limit": -1}), "limit"),
        (json!({"url": "hang", "limitt": 1}), "limitt"),
        (json!({"url": "hang", "cursor": "forged"}), "cursor"),
        (json!({"url": deep}), "url"),
    ] {
        let outcome = call(&engine, "extract_echo", value).await;
        assert!(outcome.is_error);
        assert_eq!(code(&outcome), "invalid_input");
        assert_eq!(outcome.structured["field"], field);
    }
    assert_eq!(transport.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_page_leads_to_the_next_one_of_the_same_call_only() {
    let (engine, _) = engine_with(&settings());
    let first = call(&engine, "extract_echo", json!({"url": "rust"})).await;
    let cursor = first.structured["next_cursor"].as_str().unwrap().to_owned();
    let second = call(&engine, "extract_echo", json!({"url": "rust", "cursor": cursor})).await;
    assert!(second.text.contains("state page=2"), "{}", second.text);
    let other = call(&engine, "extract_echo", json!({"url": "go", "cursor": cursor})).await;
    assert_eq!(code(&other), "invalid_input");
}

#[tokio::test]
async fn a_panic_ends_its_own_call_only() {
    let (engine, _) = engine_with(&settings());
    let outcome = call(&engine, "extract_echo", json!({"url": "panic"})).await;
    assert_eq!(code(&outcome), "internal");
    assert!(!outcome.text.contains("a defect\""), "no panic text");
    assert!(
        !call(&engine, "extract_echo", json!({"url": "rust"}))
            .await
            .is_error
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_written_is_a_failure_that_can() {
    let (engine, _) = engine_with(&settings());
    let answer = engine
        .call(
            "extract_echo",
            arguments(json!({"url": "rust"})),
            CallContext::default(),
        )
        .await
        .unwrap();
    let written = engine.written("extract_echo", answer, |answer| {
        assert!(answer.is_error(), "a defect of the writer");
        answer.written()
    });
    let written = written.unwrap();
    assert!(
        written.is_error && written.text.contains("a defect in this server"),
        "{}",
        written.text
    );
    assert_eq!(written.structured["code"], "internal");
}

#[tokio::test]
async fn a_silent_source_times_out_at_the_deadline_and_is_let_go() {
    let (engine, transport) = engine_with(&hasty());
    let started = tokio::time::Instant::now();
    let outcome = call(&engine, "extract_echo", json!({"url": "hang"})).await;
    assert_eq!(code(&outcome), "timeout");
    assert!(started.elapsed() >= Duration::from_millis(300));
    until(|| transport.dropped.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn cancelling_drops_the_work() {
    let (engine, transport) = engine_with(&settings());
    let context = CallContext {
        cancellation: CancellationToken::new(),
        ..CallContext::default()
    };
    let cancellation = context.cancellation.clone();
    let calling = engine.call("extract_echo", arguments(json!({"url": "hang"})), context);
    let cancelling = async {
        until(|| transport.asked.load(Ordering::SeqCst) == 1).await;
        cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(calling, cancelling);
    assert_eq!(code(&outcome.unwrap().written()), "cancelled");
    until(|| transport.dropped.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
#[expect(
    clippy::await_holding_lock,
    reason = "the readers on other threads wait for this very lock; nothing here takes it again"
)]
async fn readers_that_do_not_come_back_cost_their_own_calls_and_then_only_places() {
    let held = STUCK.read().unwrap();
    let mut settings = hasty();
    settings.limits.call_deadline_ms = 1_500;
    settings.limits.reading_threads = 2;
    settings.limits.calls_in_flight = 3;
    let (engine, transport) = engine_with(&settings);
    let stuck = json!({"first": {"url": "stuck"}, "second": {"url": "stuck"}});
    let context = CallContext::default();
    let cancellation = context.cancellation.clone();
    let beside = async {
        until(|| AT_IT.load(Ordering::SeqCst) == 1).await;
        // One of two is left: others are served.
        let fine = call(&engine, "extract_echo", json!({"url": "rust"})).await;
        assert!(!fine.is_error, "{}", fine.text);
        cancellation.cancel();
    };
    let calling = engine.call("extract_echo", arguments(json!({"url": "stuck"})), context);
    let (cancelled, ()) = tokio::join!(calling, beside);
    assert_eq!(code(&cancelled.unwrap().written()), "cancelled");
    let started = tokio::time::Instant::now();
    let late = call(&engine, "extract_other", json!({"url": "stuck"})).await;
    assert_eq!(code(&late), "timeout", "{}", late.text);
    assert!(late.text.contains("could not be read in time"), "{}", late.text);
    assert!(started.elapsed() < Duration::from_secs(4));
    assert_eq!(AT_IT.load(Ordering::SeqCst), 2);
    // No thread is left.
    for tool in ["extract_echo", "extract_other"] {
        let refused = call(&engine, tool, json!({"url": "rust"})).await;
        assert_eq!(code(&refused), "overloaded", "{}", refused.text);
    }
    let sections = call(&engine, "extract_both", stuck).await;
    assert!(sections.is_error, "{}", sections.text);
    assert_eq!(transport.asked.load(Ordering::SeqCst), 0);
    // The judgement of what the caller brought needs no reader.
    let given = json!({"profile": "official_docs", "intent": "citation_check", "signals": [
        {"source": "https://example.com/1", "content": "words"}]});
    let judged = call(&engine, "evaluate_context", given).await;
    assert!(!judged.is_error, "{}", judged.text);
    drop(held);
    until(|| AT_IT.load(Ordering::SeqCst) == 0).await;
    // Its threads come back.
    let mut last = String::new();
    for _ in 0..500 {
        let outcome = call(&engine, "extract_echo", json!({"url": "rust"})).await;
        if !outcome.is_error {
            return;
        }
        last = outcome.text;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{last}");
}

#[tokio::test]
async fn a_full_server_says_so() {
    let mut settings = hasty();
    settings.limits.calls_in_flight = 1;
    settings.limits.calls_queued = 0;
    let (engine, _) = engine_with(&settings);
    let (slow, refused) = tokio::join!(
        call(&engine, "extract_echo", json!({"url": "hang"})),
        call(&engine, "extract_echo", json!({"url": "rust"})),
    );
    assert_eq!(code(&slow), "timeout");
    assert_eq!(code(&refused), "overloaded");
    assert!(refused.structured["retry_after_s"].as_u64().unwrap() > 0);
}

#[derive(Default)]
struct Told(Mutex<Vec<(usize, usize, String)>>);

impl Progress for Told {
    fn report(&self, done: usize, total: usize, message: String) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.0.lock().await.push((done, total, message)) })
    }
}

#[tokio::test]
async fn sections_settle_alone_and_are_reported() {
    let (engine, _) = engine_with(&hasty());
    let told = Arc::new(Told::default());
    let context = CallContext {
        progress: Some(Arc::clone(&told) as Arc<dyn Progress>),
        ..CallContext::default()
    };
    let given = json!({"first": {"url": "hang"}, "second": {"url": "rust"}});
    let outcome = engine
        .call("extract_both", arguments(given), context)
        .await
        .unwrap();
    assert!(!outcome.is_error());
    let structured = outcome.structured();
    assert_eq!(structured["sections"][0]["status"], "failed");
    assert_eq!(structured["sections"][0]["error"]["code"], "timeout");
    assert_eq!(structured["sections"][1]["status"], "success");
    let told = told.0.lock().await;
    assert_eq!(told.len(), 2);
    assert_eq!(
        (told[0].0, told[0].1, told[0].2.as_str()),
        (1, 2, "second answered")
    );
    assert_eq!((told[1].0, told[1].1, told[1].2.as_str()), (2, 2, "first failed"));
}

#[tokio::test]
async fn a_section_at_work_keeps_no_other_waiting() {
    let (engine, _) = engine_with(&settings());
    let given = json!({"first": {"url": "meet"}, "second": {"url": "meet"}});
    let structured = call(&engine, "extract_both", given).await.structured;
    assert_eq!(structured["partial"], false, "{structured}");
}

#[tokio::test]
async fn a_panicking_section_and_a_bad_one_leave_the_rest() {
    let (engine, _) = engine_with(&settings());
    let outcome = call(
        &engine,
        "extract_both",
        json!({"first": {"url": "panic"}, "second": {"url": "rust"}}),
    )
    .await;
    let structured = outcome.structured;
    assert_eq!(structured["sections"][0]["error"]["code"], "internal");
    assert_eq!(structured["sections"][1]["status"], "success");
    let all_failed = call(
        &engine,
        "extract_both",
        json!({"first": {"url": "fail"}, "second": {}}),
    )
    .await;
    assert!(all_failed.is_error);
}

#[tokio::test]
async fn a_source_that_is_off_leaves_its_tool_out_and_its_section_explained() {
    let settings = Settings {
        disable_sources: vec!["reddit".to_owned()],
        ..settings()
    };
    let (engine, _) = engine_with(&settings);
    assert!(engine.tool("extract_other").is_none());
    let outcome = call(
        &engine,
        "extract_both",
        json!({"first": {"url": "a"}, "second": {"url": "b"}}),
    )
    .await;
    assert_eq!(
        outcome.structured["sections"][1]["error"]["code"],
        "misconfigured"
    );
}

#[tokio::test]
async fn evaluation_works_inline_and_beside() {
    let (engine, _) = engine_with(&settings());
    for size in [10, 40_000] {
        let signals: Vec<Value> =
            (0..10).map(|at| json!({"source": format!("https://example.com/{at}"), "content": "word ".repeat(size / 5)})).collect();
        let given = json!({"profile": "official_docs", "intent": "citation_check", "signals": signals});
        let outcome = call(&engine, "evaluate_context", given).await;
        assert!(!outcome.is_error, "{}", outcome.text);
        assert_eq!(outcome.structured["results"].as_array().unwrap().len(), 10);
    }
    let bad = call(&engine, "evaluate_context", json!({"profile": "official_docs"})).await;
    assert_eq!(code(&bad), "invalid_input");
}
