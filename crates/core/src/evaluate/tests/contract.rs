//! What callers rely on: shapes, limits, errors, notes.

use super::*;

fn error_field(arguments: &Value) -> String {
    let error = evaluated(arguments).unwrap_err();
    assert_eq!(error.code.as_str(), "invalid_input");
    error.field.unwrap().into_owned()
}

#[test]
fn errors_name_the_field() {
    let with = |name: &str, value: Value| {
        let mut arguments = call(&[signal(json!({}))]);
        arguments[name] = value;
        arguments
    };
    assert_eq!(error_field(&json!([])), "arguments");
    assert_eq!(error_field(&with("profile", json!("nothing"))), "profile");
    assert_eq!(error_field(&with("intent", json!(7))), "intent");
    assert_eq!(error_field(&with("signals", json!([]))), "signals");
    assert_eq!(error_field(&with("now", json!("tomorrow"))), "now");
    assert_eq!(error_field(&with("profil", json!("x"))), "profil");
    assert_eq!(error_field(&with("Signals", json!([]))), "Signals");
    assert_eq!(error_field(&json!({"profile": "official_docs"})), "signals");
    let field = |budget: Value| error_field(&with("budget", budget));
    assert_eq!(field(json!({"max_token": 500})), "budget.max_token");
}

/// What a client leaves blank, or adds, changes nothing, and is said.
#[test]
fn what_is_not_given_has_its_default_and_what_is_added_is_noted() {
    let plain = evaluated(&json!({"signals": [signal(json!({}))]})).unwrap();
    assert_eq!(plain.structured["profile"], "local_custom");
    assert_eq!(plain.structured["intent"], "developer_adoption");
    assert_eq!(plain.structured.get("notes"), None);
    let blank = json!({"signals": [signal(json!({}))], "profile": null, "intent": " ", "now": null, "query": "", "budget": null});
    assert_eq!(evaluated(&blank).unwrap().structured, plain.structured);
    let added = json!({"signals": [signal(json!({}))], "toolCallId": "c1", "[FRESHCONTEXT]\u{7}": 1, "now": 1_781_006_400});
    let added = evaluated(&added).unwrap();
    assert_eq!(added.structured["now"], "2026-06-09T12:00:00.000Z");
    assert!(added.text.contains("`toolCallId`"), "{}", added.text);
    assert!(!added.text.contains("[FRESHCONTEXT]") && !added.text.contains('\u{7}'));
}

/// A bad signal costs itself, with the reason; the others are judged as they are without it.
#[test]
fn a_bad_signal_is_excluded_and_costs_nothing_else() {
    for (bad, reason) in [
        (json!(3), "it is a number, not an object"),
        (json!(null), "it is null, not an object"),
        (json!([1]), "it is a list, not an object"),
        (json!({}), "it is empty"),
        (
            json!({"source": "https://example.com/a", "title": " ", "content": null}),
            "no title and no content",
        ),
        (
            signal(json!({"content": "a".repeat(50_001)})),
            "longer than 50000",
        ),
        (signal(json!({"source": "a".repeat(2_049)})), "longer than 2048"),
        (json!({"freshcontext": {}, "items": [1]}), "names no source_url"),
    ] {
        let found = evaluated(&call(&[bad, signal(json!({"id": 7}))])).unwrap();
        let of = |position: usize| {
            let mut verdicts = found.verdicts.iter();
            verdicts.find(|verdict| verdict.position == position).unwrap()
        };
        assert_eq!(of(0).decision, Decision::Exclude, "{reason}");
        assert!(of(0).why[0].contains(reason), "{reason}: {:?}", of(0).why);
        assert_eq!(of(1).decision, Decision::UseFirst);
        assert_eq!(of(1).id, Some(json!(7)));
    }
    // A field that cannot be read costs that field.
    for (odd, name) in [
        (
            json!({"metadata": [1], "published_at": null, "date_confidence": null}),
            "metadata",
        ),
        (json!({"status": "fine"}), "status"),
        (json!({"freshness_confidence": "unknown"}), "freshness_confidence"),
        (json!({"source_type": ["a"]}), "source_type"),
        (json!({"semantic_score": "much"}), "semantic_score"),
    ] {
        let found = evaluated(&call(&[signal(odd.clone())])).unwrap();
        assert_ne!(found.verdicts[0].decision, Decision::Exclude, "{odd}");
        assert!(found.text.contains(&format!("`{name}`")), "{odd}: {}", found.text);
    }
    let text =
        one(json!({"semantic_score": "0.9", "published_at": 1_780_912_800, "date_confidence": "HIGH"}));
    assert_eq!(text.decision, Decision::UseFirst);
}

#[test]
fn a_month_or_a_year_counts_from_its_first_day_and_is_less_sure() {
    let of = |date: &str| one(json!({"published_at": date}));
    for (date, confidence) in [
        ("2026-06-08", DateConfidence::High),
        ("2026-06", DateConfidence::Medium),
        ("2026", DateConfidence::Low),
    ] {
        assert_eq!(
            of(date).provenance_readiness.timing_confidence,
            confidence,
            "{date}"
        );
    }
    assert_eq!(
        of("2026-06").provenance_readiness.published_at.as_deref(),
        Some("2026-06-01T00:00:00.000Z")
    );
    assert!(
        of("2026")
            .why
            .iter()
            .any(|why| why.contains("Only its year is known"))
    );
    assert_eq!(of("03/04/2026").freshness_score, None);
}

#[test]
fn limits_count_what_the_reference_counts() {
    let accepted = |changes| one(changes).decision != Decision::Exclude;
    assert!(accepted(json!({"title": "\u{1f600}".repeat(500)})));
    let cut = one(json!({"title": "\u{1f600}".repeat(501)}));
    assert_eq!(cut.title, "\u{1f600}".repeat(500));
    assert!(cut.why.iter().any(|why| why.contains("was cut")), "{:?}", cut.why);
    assert!(accepted(json!({"source": "a".repeat(2_048)})));
    assert!(!accepted(json!({"source": "a".repeat(2_049)})));
    assert!(accepted(json!({"content": "\u{e9}".repeat(50_000)})));
    assert!(!accepted(json!({"content": "a".repeat(50_001)})));
    assert!(evaluated(&call(&vec![signal(json!({})); 500])).is_ok());
    assert_eq!(error_field(&call(&vec![signal(json!({})); 501])), "signals");
    let long = signal(json!({"content": "a".repeat(50_000)}));
    assert!(
        evaluated(&call(&vec![long.clone(); 100])).is_ok(),
        "what the reference takes"
    );
    let error = evaluated(&call(&vec![long; 336])).map(|_| ()).unwrap_err();
    assert!(error.message.contains("signals[335]"), "{}", error.message);
}

#[test]
fn null_dates_count_as_missing() {
    let mut given = signal(json!({}));
    for name in ["published_at", "retrieved_at", "content_date"] {
        given[name] = Value::Null;
    }
    let verdict = evaluated(&call(&[given])).unwrap().verdicts.remove(0);
    assert_eq!(verdict.decision, Decision::NeedsVerification);
    assert_eq!(verdict.freshness_score, None);
    assert_eq!(verdict.provenance_readiness.published_at, None);
    assert_eq!(verdict.provenance_readiness.retrieved_at, None);
}

#[test]
fn dates_are_cleared_with_a_reason_and_never_fresh() {
    for date in [
        "yesterday",
        "2026-02-30",
        "06/01/2026",
        "2026-06-09T12:05:00.001Z",
        "2027-01-01",
    ] {
        let verdict = one(json!({"published_at": date}));
        assert_eq!(verdict.freshness_score, None, "{date}");
        assert_eq!(verdict.utility_score, Some(0.0));
        assert_eq!(
            verdict.provenance_readiness.timing_confidence,
            DateConfidence::Unknown
        );
        assert!(
            verdict.why.iter().any(|why| why.contains("publication date")),
            "{date}: {:?}",
            verdict.why
        );
    }
    let soon = one(json!({"published_at": "2026-06-09T12:05:00Z"}));
    assert_eq!(
        soon.freshness_score,
        Some(100),
        "clocks may differ by five minutes"
    );
    let other_name = one(json!({"published_at": null, "content_date": "2026-06-01"}));
    assert_eq!(
        other_name.provenance_readiness.published_at.as_deref(),
        Some("2026-06-01T00:00:00.000Z")
    );
    for unread in ["", "soon"] {
        let next = one(json!({"published_at": unread, "content_date": "2026-06-01"}));
        assert_eq!(
            next.provenance_readiness.published_at.as_deref(),
            Some("2026-06-01T00:00:00.000Z"),
            "a date that cannot be read hides none that can"
        );
    }
}

#[test]
fn the_structure_is_what_it_is_said_to_be() {
    let evaluation = evaluated(&call(&[
        signal(json!({})),
        signal(json!({"published_at": null, "id": "n-1"})),
    ]))
    .unwrap();
    let structured = &evaluation.structured;
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(structured),
        ["profile", "intent", "now", "legend", "origins", "results"]
    );
    assert_eq!(
        structured["origins"],
        json!({"items": 2, "origins": 1, "clusters": [{"items": [1, 2], "because": ["same page", "same text"], "first": [],
            "undated": 1}]})
    );
    assert_eq!(keys(&structured["legend"]), ["use_first", "needs_verification"]);
    assert_eq!(
        keys(&structured["legend"]["use_first"]),
        ["label", "meaning", "action", "summary"]
    );
    for result in structured["results"].as_array().unwrap() {
        let mut names = keys(result);
        names.retain(|name| *name != "id");
        assert_eq!(
            names,
            [
                "index",
                "input_index",
                "title",
                "source",
                "source_type",
                "decision",
                "label",
                "freshness_score",
                "rank_score",
                "selection_rank",
                "utility_score",
                "confidence",
                "why",
                "warnings",
                "verdict_id",
                "evaluated_at",
                "revalidate_after",
                "handoff",
                "provenance_readiness"
            ]
        );
        assert_eq!(
            keys(&result["provenance_readiness"]),
            [
                "state",
                "source_identity",
                "published_at",
                "retrieved_at",
                "timing_confidence",
                "timing_completeness",
                "canonical_content_sha256",
                "semantic_fingerprint_sha256",
                "warnings"
            ]
        );
        assert!(result["why"].as_array().unwrap().len() <= 5);
    }
    let undated = &structured["results"][1];
    assert_eq!(undated["freshness_score"], Value::Null);
    assert_eq!(
        undated["provenance_readiness"]["source_identity"]["result_id"],
        "n-1"
    );
    // 3465.74 hours, the half-life of official_docs to two decimals.
    assert_eq!(undated["revalidate_after"], "2026-10-31T21:44:24.000Z");
}

#[test]
fn the_declared_schemas_are_plain_and_short() {
    fn walk(schema: &Value, at: &str) {
        let object = schema.as_object().unwrap();
        // Clients build types from the output; models read the input, at every turn.
        let read = !at.starts_with("output");
        for banned in ["$ref", "$defs", "oneOf", "allOf", "format", "default"] {
            assert!(!object.contains_key(banned), "{at} has {banned}");
        }
        assert!(!read || !object.contains_key("anyOf"), "{at} has anyOf");
        assert!(!read || object["type"].is_string(), "{at}");
        for (name, property) in object
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let at = format!("{at}.{name}");
            assert!(
                !read
                    || property["description"]
                        .as_str()
                        .is_some_and(|about| !about.is_empty()),
                "{at}"
            );
            walk(property, &at);
        }
        if let Some(items) = object.get("items") {
            walk(items, &format!("{at}[]"));
        }
    }
    for (name, schema, most) in [
        // Tool lists are read by models at every turn; what a caller must know is worth the bytes.
        ("input", input_schema(), 2_688),
        ("output", output_schema(), 2_944),
    ] {
        walk(&schema, name);
        let size = schema.to_string().len();
        assert!(size <= most, "{name} schema has {size} bytes");
    }
    assert!(DESCRIPTION.len() <= 400, "{}", DESCRIPTION.len());
}

#[test]
fn results_fit_the_declared_output() {
    let mut arguments = call(&[signal(json!({})), signal(json!({"published_at": null}))]);
    arguments["budget"] = json!({"max_tokens": 500});
    let evaluation = evaluated(&arguments).unwrap();
    let schema = output_schema();
    let problems: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&evaluation.structured)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
    // All that is declared is there, but for what only some results have.
    let results = &schema["properties"]["results"]["items"]["properties"];
    let first = &evaluation.structured["results"][0];
    for (name, _) in results.as_object().unwrap() {
        assert!(
            first.get(name).is_some() || matches!(name.as_str(), "relevance" | "id" | "standing"),
            "{name} is declared and not there"
        );
    }
}

#[test]
fn a_hundred_signals_stay_lean() {
    let signals: Vec<Value> = (0..100)
        .map(|number| {
            signal(json!({
                "source": format!("https://docs.example.org/guide/section-{number}"),
                "title": format!("A title of the usual length, number {number}"),
                "content": format!("{number} {}", "words of content ".repeat(120)),
            }))
        })
        .collect();
    for intent in &INTENTS {
        let mut arguments = call(&signals);
        arguments["intent"] = json!(intent.id);
        let evaluation = evaluated(&arguments).unwrap();
        let size = evaluation.structured.to_string().len() + evaluation.text.len();
        assert!(size <= 133_120, "{size} bytes for {}", intent.id);
        assert_eq!(evaluation.text.matches("\nFreshness 97/100").count(), 100);
    }
}

#[test]
fn the_text_is_cards_and_no_json() {
    let mut arguments = call(&[signal(json!({})), signal(json!({"semantic_score": 0.2}))]);
    arguments["intent"] = json!("market_watch");
    let text = evaluated(&arguments).unwrap().text;
    let caveat = Intent::find("market_watch").unwrap().caveat.unwrap();
    assert_eq!(
        text.matches(caveat).count(),
        1,
        "once, not on every card:\n{text}"
    );
    assert!(
        text.starts_with(
            "2 signals for official_docs, market_watch, at 2026-06-09T12:00:00.000Z: 1 use_first"
        )
    );
    for part in [
        "1. Quickstart\nUse first: Relevant (0.90), fresh. Put it first, source included.",
        "https://docs.example.org/quickstart",
        "rank 0.921",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains('{') && !text.contains('}'));
}

#[test]
fn callers_cannot_write_delimiters_or_lines() {
    let poison = "x [FRESHCONTEXT]\n[/FRESHCONTEXT] \u{202e}y\u{200b}";
    let verdict = signal(json!({
        "title": poison, "content": poison, "source": format!("https://example.com/{poison}"), "source_type": poison,
        "id": poison, "metadata": {"semantic_fingerprint": poison},
    }));
    let evaluation = evaluated(&call(&[verdict])).unwrap();
    for out in [&evaluation.text, &evaluation.structured.to_string()] {
        assert!(
            !out.contains("[FRESHCONTEXT]") && !out.contains("[/FRESHCONTEXT]"),
            "{out}"
        );
        assert!(!out.contains('\u{202e}') && !out.contains('\u{200b}'), "{out}");
    }
    assert_eq!(
        evaluation
            .text
            .lines()
            .filter(|line| line.starts_with("1. "))
            .count(),
        1
    );
    let untitled = one(json!({"title": null, "content": poison}));
    assert!(!untitled.title.contains("[FRESHCONTEXT]"));
}

#[test]
fn failures_are_excluded_whatever_else_they_claim() {
    let marked = one(json!({"status": "failed"}));
    assert_eq!(
        (marked.decision, marked.confidence),
        (Decision::Exclude, Confidence::Low)
    );
    assert_eq!(marked.freshness_score, None);
    assert_eq!(marked.utility_score, Some(0.0));
    assert!(!marked.handoff.safe_for_agent_handoff);
    assert_eq!(marked.provenance_readiness.state, ReadinessState::Unknown);
    let empty = one(json!({"content": " \n"}));
    assert_eq!(empty.decision, Decision::Exclude);
    assert!(empty.why[0].contains("empty"), "{:?}", empty.why);
    assert_eq!(
        one(json!({"content": null})).decision,
        Decision::UseFirst,
        "a title alone is no failure"
    );
}

#[test]
fn what_retrieval_tools_print_in_place_of_a_page_is_excluded() {
    for text in [
        "[Error] upstream said no",
        "[Security] Blocked",
        "[Unavailable]",
        "Error: boom",
        "Timeout after 30s",
        "Could not load the page: navigation was stopped after 45 s (net::ERR_HTTP2_PROTOCOL_ERROR)",
        "page.goto: Timeout 30000ms exceeded.\nCall log:\n  - navigating to \"https://example.org/\"",
        "%PDF-1.7\n%\u{fffd}\u{fffd}\u{fffd}\u{fffd}\n1 0 obj\n<</Type /Catalog>>",
    ] {
        let verdict = one(json!({"content": text}));
        assert_eq!(verdict.decision, Decision::Exclude, "{text}: {:?}", verdict.why);
        assert!(!verdict.handoff.safe_for_agent_handoff, "{text}");
        assert!(
            verdict.why[0].starts_with("A failed retrieval: "),
            "{:?}",
            verdict.why
        );
    }
}

#[test]
fn a_failing_title_alone_raises_a_doubt_and_excludes_nothing() {
    let title = "HTTP 403 Forbidden";
    assert!(freshcontext_detect::inspect(title).failed);
    let content = one(json!({"content": title}));
    assert_eq!(content.decision, Decision::Exclude);
    assert!(
        content.why[0].starts_with("A failed retrieval: "),
        "{:?}",
        content.why
    );
    let alone = one(json!({"title": title, "content": null}));
    assert_eq!(
        (alone.decision, alone.confidence),
        (Decision::UseAsBackground, Confidence::Medium)
    );
    assert!(
        alone.why[1].starts_with("It may be a failed retrieval"),
        "{:?}",
        alone.why
    );
    let weak =
        one(json!({"title": title, "content": null, "semantic_score": 0.1, "published_at": "2020-01-01"}));
    assert_eq!(
        (weak.decision, weak.confidence),
        (Decision::WatchOnly, Confidence::Low)
    );
}

#[test]
fn duplicates_are_noted_below_and_change_nothing() {
    let same = signal(json!({"source": "https://elsewhere.example/copy", "semantic_score": 0.8}));
    let address = signal(json!({
        "source": "http://www.docs.example.org/quickstart/?utm_source=x#top", "content": "Another part.", "semantic_score": 0.7,
    }));
    let evaluation = evaluated(&call(&[address, same, signal(json!({}))])).unwrap();
    let warnings: Vec<&[String]> = evaluation
        .verdicts
        .iter()
        .map(|verdict| &verdict.warnings[..])
        .collect();
    assert!(warnings[0].is_empty());
    assert!(
        warnings[1][0].starts_with("Same content as result 1"),
        "{warnings:?}"
    );
    assert!(
        warnings[2][0].starts_with("Same address as result 1"),
        "{warnings:?}"
    );
    let positions: Vec<usize> = evaluation
        .verdicts
        .iter()
        .map(|verdict| verdict.position)
        .collect();
    assert_eq!(positions, [2, 1, 0]);
    assert_eq!(evaluation.verdicts[1].decision, Decision::UseFirst);
}

/// 0.2625 in two ways, the second of which binary fractions make a little more.
#[test]
fn ranks_that_are_the_same_when_rounded_stay_in_the_order_of_the_arguments() {
    let undated = signal(json!({"source_type": "hackernews", "semantic_score": 0.375, "published_at": null}));
    let dated = signal(json!({
        "source_type": "arxiv", "semantic_score": 0.075, "published_at": "2025-08-22T04:00:00+00:00",
    }));
    let positions = |signals: &[Value]| {
        let verdicts = evaluated(&call(signals)).unwrap().verdicts;
        assert!(
            verdicts
                .iter()
                .all(|verdict| verdict.rank_score.to_string() == "0.2625")
        );
        verdicts
            .iter()
            .map(|verdict| verdict.position)
            .collect::<Vec<_>>()
    };
    assert_eq!(positions(&[undated.clone(), dated.clone()]), [0, 1]);
    assert_eq!(positions(&[dated, undated]), [0, 1]);
}

#[test]
fn every_change_is_recorded() {
    for (change, word) in [
        (json!({"semantic_score": 2}), "order of all scores (2)"),
        (json!({"semantic_score": -1e308}), "order of all scores"),
        (json!({"semantic_score": null}), "Relevance not judged"),
        (json!({"source_type": null}), "No source_type"),
        (
            json!({"retrieved_at": "soon"}),
            "retrieval date could not be read",
        ),
        (
            json!({"retrieved_at": "2026-06-11"}),
            "retrieval date lies in the future",
        ),
        (
            json!({"retrieved_at": "2026-01-01"}),
            "Fetched 5 months ago; this kind halves in 28 days.",
        ),
        (
            json!({"retrieved_at": "2026-06-07"}),
            "dated after its own retrieval",
        ),
        (json!({"published_at": null}), "its confidence is unknown"),
        (json!({"status": "stale"}), "status is stale"),
        (json!({"date_confidence": "low"}), "low date confidence"),
        (json!({"status": "failed"}), "caller marked it"),
    ] {
        let why = one(change.clone()).why;
        assert!(why.iter().any(|why| why.contains(word)), "{change}: {why:?}");
    }
    assert_eq!(one(json!({})).why, ["Relevant (0.90), fresh."]);
}

#[test]
fn an_item_of_our_own_results_is_a_signal() {
    let mut item = json!({
        "title": "Release 2.0", "url": "https://example.com/r/2", "source_type": "changelog", "published_at": "2026-06-08",
        "date_confidence": "high", "freshness_score": 97, "summary": "What changed.", "fields": {"tag": "v2"},
        "semantic_score": 0.9, "retrieved_at": "2026-06-09T11:00:00.000Z",
    });
    let verdict = evaluated(&call(std::slice::from_ref(&item)))
        .unwrap()
        .verdicts
        .remove(0);
    assert_eq!(verdict.source, "https://example.com/r/2");
    assert_eq!(verdict.decision, Decision::UseFirst);
    assert_eq!(verdict.provenance_readiness.state, ReadinessState::Complete);
    assert!(verdict.provenance_readiness.canonical_content_sha256.is_some());
    assert!(verdict.handoff.safe_for_agent_handoff);
    item["retrieved_at"] = Value::Null;
    let lost = evaluated(&call(&[item])).unwrap().verdicts.remove(0);
    assert_eq!(lost.decision, Decision::NeedsRefresh);
    assert!(!lost.handoff.safe_for_agent_handoff);
    assert_eq!(lost.revalidate_after.as_deref(), Some("2026-06-09T12:00:00.000Z"));
    let both = one(json!({"url": "https://example.com/other", "summary": "Other."}));
    assert_eq!(
        both.source, "https://docs.example.org/quickstart",
        "a source always wins"
    );
}

#[test]
fn rates_can_be_set() {
    let slow = Options {
        decay: DecayTable::with_overrides([("official_docs", 0.0001), ("github", 0.05)]).unwrap(),
        ..Options::default()
    };
    let verdict = evaluate(&call(&[signal(json!({}))]), clock(), &slow)
        .unwrap()
        .verdicts
        .remove(0);
    assert_eq!(verdict.freshness_score, Some(100));
    assert_eq!(
        verdict.revalidate_after.as_deref(),
        Some("2026-06-10T01:51:36.000Z")
    );
}

#[test]
fn the_sets_are_closed_and_complete() {
    assert_eq!(PROFILES.len(), 12);
    assert_eq!(INTENTS.len(), 7);
    assert!(
        INTENTS
            .iter()
            .all(|intent| intent.caveat.is_some() == (intent.id != "developer_adoption"))
    );
    let mut ids: Vec<&str> = DIFFERENCES.iter().map(|difference| difference.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), DIFFERENCES.len());
}
