//! Judged at the moment of asking: dates, retrievals and relevance as they stand at `now`, and results of our own
//! tools as they came.

use super::*;

#[test]
fn what_was_fetched_and_published_long_ago_is_not_fresh() {
    // A job of 2020, fetched in 2020, offered today.
    let verdict = one(
        json!({"source_type": "jobs", "published_at": "2020-06-01", "retrieved_at": "2020-06-01T09:00:00Z"}),
    );
    assert_eq!(verdict.freshness_score, Some(0));
    assert_eq!(verdict.decision, Decision::NeedsRefresh);
    assert!(!verdict.handoff.safe_for_agent_handoff);
    assert_eq!(
        verdict.revalidate_after.as_deref(),
        Some("2026-06-09T12:00:00.000Z")
    );
    assert!(
        verdict
            .why
            .contains(&"Fetched 6 years ago; this kind halves in 5 days.".to_owned()),
        "{:?}",
        verdict.why
    );
}

#[test]
fn dates_after_now_are_dropped_whatever_the_retrieval_says() {
    let both = one(json!({"published_at": "2030-01-01", "retrieved_at": "2030-01-02"}));
    assert_eq!(both.decision, Decision::NeedsVerification);
    assert_eq!(both.provenance_readiness.published_at, None);
    assert_eq!(both.provenance_readiness.retrieved_at, None);
    // A day that has begun somewhere is no future one; at noon UTC it is the 10th in Kiritimati already.
    let tomorrow = one(json!({"published_at": "2026-06-10"}));
    assert_eq!(tomorrow.freshness_score, Some(100));
    assert_eq!(one(json!({"published_at": "2026-06-11"})).freshness_score, None);
}

#[test]
fn a_date_after_its_own_retrieval_is_kept_and_doubtful() {
    let verdict =
        one(json!({"published_at": "2026-06-08T10:00:00Z", "retrieved_at": "2026-06-08T09:00:00Z"}));
    assert_eq!(
        verdict.provenance_readiness.published_at.as_deref(),
        Some("2026-06-08T10:00:00.000Z")
    );
    assert_eq!(
        verdict.provenance_readiness.timing_confidence,
        DateConfidence::Low
    );
    assert_eq!(
        (verdict.decision, verdict.confidence),
        (Decision::UseAsBackground, Confidence::Medium)
    );
}

#[test]
fn old_copies_are_fetched_again_before_use_and_nothing_else_changes() {
    let stale = one(json!({"status": "stale"}));
    assert_eq!(stale.decision, Decision::NeedsRefresh);
    assert!(!stale.handoff.safe_for_agent_handoff);
    // Hacker News halves in 13.9 hours.
    let post = |hours: i64| {
        let fetched = iso_millis(clock() - TimeDelta::hours(hours));
        one(json!({"source_type": "hackernews", "published_at": "2026-06-09T11:30:00Z", "retrieved_at": fetched,
            "date_confidence": "unknown"}))
        .decision
    };
    assert_eq!(
        post(14),
        Decision::NeedsVerification,
        "what must be verified stays so"
    );
    let fetched = |hours: i64| {
        let at = clock() - TimeDelta::hours(hours);
        let published = iso_millis(at - TimeDelta::minutes(30));
        one(json!({"source_type": "arxiv", "published_at": published, "retrieved_at": iso_millis(at)}))
            .decision
    };
    // arXiv halves in 13,863 hours.
    assert_eq!(fetched(13_800), Decision::UseAsBackground);
    assert_eq!(fetched(13_900), Decision::NeedsRefresh);
    assert_eq!(
        one(json!({"status": "stale", "semantic_score": 0.1})).decision,
        Decision::WatchOnly
    );
}

#[test]
fn an_estimated_date_never_leads() {
    let low = one(json!({"date_confidence": "low"}));
    assert_eq!(
        (low.decision, low.confidence),
        (Decision::UseAsBackground, Confidence::Medium)
    );
}

#[test]
fn relevance_that_nobody_gave_is_not_zero() {
    let without = one(json!({"semantic_score": null}));
    assert_eq!(without.decision, Decision::UseAsBackground);
    assert_eq!(
        (without.relevance, without.utility_score),
        (Some("not_judged"), None)
    );
    assert!((without.rank_score - 0.97).abs() < 1e-12);
    assert!(
        without.why[0].contains("pass semantic_score, or a query"),
        "{:?}",
        without.why
    );

    let mut arguments = call(&[
        signal(json!({"semantic_score": null})),
        signal(
            json!({"semantic_score": null, "title": "Gardens", "content": "Roses want sun.", "source": "roses/1.md"}),
        ),
        signal(json!({"source": "https://docs.example.org/given", "content": "Given by the caller."})),
    ]);
    arguments["query"] = json!("How do I run the setup command?");
    let verdicts = evaluated(&arguments).unwrap().verdicts;
    let of = |position: usize| {
        verdicts
            .iter()
            .find(|verdict| verdict.position == position)
            .unwrap()
    };
    assert_eq!(of(0).relevance, Some("query"));
    assert_eq!(
        of(0).decision,
        Decision::UseAsBackground,
        "words lead to background at most"
    );
    assert!(of(0).rank_score > of(1).rank_score);
    assert_eq!(of(1).decision, Decision::WatchOnly);
    assert_eq!((of(2).relevance, of(2).decision), (None, Decision::UseFirst));
    arguments["query"] = json!(["a"]);
    assert_eq!(evaluated(&arguments).unwrap_err().field.as_deref(), Some("query"));
}

#[test]
fn other_names_are_taken_and_noted() {
    let verdict = evaluated(&call(&[json!({
        "url": "https://example.org/a", "text": "What it says.", "date": "2026-06-08", "score": 0.9, "source_type": "github",
        "title": "A",
    })]))
    .unwrap()
    .verdicts
    .remove(0);
    assert_eq!(verdict.source, "https://example.org/a");
    assert_eq!(
        verdict.provenance_readiness.published_at.as_deref(),
        Some("2026-06-08T00:00:00.000Z")
    );
    for note in [
        "given as `url`",
        "given as `text`",
        "given as `date`",
        "given as `score`",
    ] {
        assert!(
            verdict.why.iter().any(|why| why.contains(note)),
            "{note}: {:?}",
            verdict.why
        );
    }
    // The points of a post are no relevance.
    let points = one(json!({"semantic_score": null, "source_type": "hackernews", "score": 250}));
    assert_eq!(points.relevance, Some("not_judged"));
    assert!(
        points.why.iter().any(|why| why.contains("passed over")),
        "{:?}",
        points.why
    );
    let scaled = one(json!({"semantic_score": null, "score": 17.5}));
    assert_eq!(scaled.relevance, Some("order"));
    // Ours win.
    let both = one(json!({"text": "Another text.", "score": 0.1}));
    assert_eq!(both.why, ["Relevant (0.90), fresh."]);
}

#[test]
fn json_text_is_read_where_an_object_or_a_list_is_due() {
    let expected = evaluated(&call(&[signal(json!({"metadata": {"result_id": "r-1"}}))])).unwrap();
    let with_text = signal(json!({"metadata": "{\"result_id\": \"r-1\"}"}));
    let list = json!([with_text]).to_string();
    for signals in [json!([with_text]), json!([with_text.to_string()]), json!(list)] {
        let arguments =
            json!({"profile": "official_docs", "intent": "developer_adoption", "signals": signals});
        let found = evaluated(&arguments).unwrap();
        assert_eq!(found.structured, expected.structured);
        let text = evaluate_text(&arguments.to_string(), clock(), &Options::default()).unwrap();
        assert_eq!(text.verdicts, expected.verdicts);
    }
    let broken = json!({"profile": "official_docs", "intent": "developer_adoption", "signals": "[{"});
    assert_eq!(evaluated(&broken).unwrap_err().field.as_deref(), Some("signals"));
}

/// A result as our tools give it.
fn result() -> Value {
    json!({
        "freshcontext": {"source_url": "https://news.example.org/?q=rust", "content_date": "2026-06-09T08:00:00.000Z",
            "retrieved_at": "2026-06-09T11:00:00.000Z", "freshness_confidence": "high", "freshness_score": 86,
            "adapter": "hackernews", "decay_rate": 0.05},
        "content": "two items", "staleness": "fresh", "status": "success", "truncated": 0, "notes": [],
        "items": [
            {"id": "1", "title": "One", "url": "https://example.org/1", "published_at": "2026-06-09T08:00:00.000Z",
             "date_confidence": "high", "freshness_score": 86, "summary": "First.", "fields": {"points": 3}},
            {"id": "2", "title": "Two", "url": null, "published_at": null, "date_confidence": "low", "freshness_score": null,
             "summary": "", "fields": {}},
        ],
    })
}

#[test]
fn a_whole_result_becomes_a_signal_an_item() {
    for signals in [json!([result()]), result(), json!([result().to_string()])] {
        let arguments = json!({"profile": "social_pulse", "intent": "market_watch", "signals": signals});
        let verdicts = evaluated(&arguments).unwrap().verdicts;
        assert_eq!(verdicts.len(), 2);
        let (first, second) = (&verdicts[0], &verdicts[1]);
        assert_eq!(first.title, "One");
        assert_eq!((first.source_type.as_str(), first.position), ("hackernews", 0));
        assert_eq!(
            first.provenance_readiness.retrieved_at.as_deref(),
            Some("2026-06-09T11:00:00.000Z")
        );
        assert_eq!(first.decision, Decision::UseAsBackground);
        assert_eq!(first.provenance_readiness.state, ReadinessState::Complete);
        assert!(first.handoff.safe_for_agent_handoff);
        assert_eq!(second.source, "https://news.example.org/?q=rust");
        assert_eq!(second.decision, Decision::NeedsVerification);
        assert!(
            second.provenance_readiness.canonical_content_sha256.is_some(),
            "of its title"
        );
    }
}

#[test]
fn results_without_items_composites_and_failures_are_signals_too() {
    let mut prose = result();
    prose["items"] = json!([]);
    let failure = json!({"code": "timeout", "message": "GDELT did not answer in time", "source": "extract_gdelt",
        "adapter": "gdelt", "retrieved_at": "2026-06-09T11:00:00.000Z", "detail": null});
    let composite = json!({"generated_at": "2026-06-09T11:00:00.000Z", "query": "rust", "sections": [
        {"adapter": "hackernews", "tool": "extract_hackernews", "label": "News", "status": "success", "result": result()},
        {"adapter": "gdelt", "tool": "extract_gdelt", "label": "Press", "status": "failed", "error": failure},
        {"adapter": "yc", "tool": "extract_yc", "label": "Companies", "status": "stale",
         "stale": {"score": 3, "content_date": "2025-01-01", "threshold": 50, "message": "too old"}},
    ]});
    let arguments =
        json!({"profile": "social_pulse", "intent": "market_watch", "signals": [prose, composite, failure]});
    let verdicts = evaluated(&arguments).unwrap().verdicts;
    let of = |position| {
        verdicts
            .iter()
            .filter(move |verdict| verdict.position == position)
    };
    assert_eq!(of(0).next().unwrap().decision, Decision::UseAsBackground);
    assert_eq!(of(1).count(), 4, "two items, a failed section and one held back");
    assert_eq!(
        of(1)
            .filter(|verdict| verdict.decision == Decision::Exclude)
            .count(),
        1
    );
    // What was held back is to be fetched again, whatever its message says.
    assert_eq!(
        of(1)
            .filter(|verdict| verdict.decision == Decision::NeedsRefresh)
            .count(),
        1
    );
    assert_eq!(of(2).next().unwrap().decision, Decision::Exclude);
}

#[test]
fn what_answered_with_an_error_is_no_content() {
    for given in [
        json!({"http_status": 404}),
        json!({"http_status": "503"}),
        json!({"metadata": {"http_status": 403}}),
    ] {
        let verdict = one(given.clone());
        assert_eq!(verdict.decision, Decision::Exclude, "{given}");
        assert!(verdict.why[0].contains("HTTP "), "{:?}", verdict.why);
    }
    assert_eq!(one(json!({"http_status": 200})).decision, Decision::UseFirst);
    // Where it ended, and what came, raise a doubt and exclude nothing.
    for given in [
        json!({"final_url": "https://docs.example.org/login?next=/quickstart"}),
        json!({"final_url": "https://docs.example.org/404.html"}),
        json!({"source": "https://docs.example.org/api.json", "content_type": "text/html; charset=utf-8"}),
    ] {
        let verdict = one(given.clone());
        assert_eq!(verdict.decision, Decision::UseAsBackground, "{given}");
        assert_eq!(verdict.confidence, Confidence::Medium, "{given}");
        assert!(
            verdict.why[1].contains("may be a failed retrieval"),
            "{:?}",
            verdict.why
        );
    }
    for given in [
        json!({"final_url": "https://www.docs.example.org/quickstart/"}),
        json!({"source": "https://docs.example.org/login", "final_url": "https://docs.example.org/login"}),
        json!({"source": "https://docs.example.org/api.json", "content_type": "application/json"}),
    ] {
        assert_eq!(one(given.clone()).decision, Decision::UseFirst, "{given}");
    }
}
