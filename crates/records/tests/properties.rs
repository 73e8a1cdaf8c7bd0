//! Rules that hold for any answer: made from random answers of each form, records break none of their rules.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta};
use freshcontext_budget::Reason;
use freshcontext_core::evaluate::Known;
use freshcontext_records::check::check;
use freshcontext_records::export::{Format, export, read};
use freshcontext_records::ids::{Ids, sha256_hex};
use freshcontext_records::later::{Found, Part, note};
use freshcontext_records::make::{Answered, Occasion, bundle};
use freshcontext_records::values::{Kind, State};
use freshcontext_records::{Bundle, Native, RecordOptions};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn identify(source: &str, title: Option<&str>, content: Option<&str>) -> String {
    let title = title.unwrap_or_default();
    let whole = sha256_hex(&format!("{source}\n{title}\n{}", content.unwrap_or_default()));
    format!("itm_{}", whole.get(..32).unwrap_or_default())
}

fn made(tool: &str, text: &str, structured: &Value, known: &[Known]) -> Result<Bundle, TestCaseError> {
    let (options, native) = (
        RecordOptions::default(),
        Native {
            missing_id: Some(format!("mis_{}", "a".repeat(32))),
            ..Native::default()
        },
    );
    let occasion = Occasion {
        tool,
        arguments: Some(&Map::new()),
        now: DateTime::from_timestamp_millis(1_795_262_400_000).unwrap_or_default(),
        seed: [5; 32],
        version: "0.0.0",
        options: &options,
        native: &native,
        identify,
    };
    let answered = Answered {
        text,
        structured,
        is_error: structured.get("code").is_some(),
        known,
    };
    bundle(&occasion, answered).map_err(TestCaseError::fail)
}

/// Sound, and the same after each way out and back.
fn sound(bundle: &Bundle) -> Result<(), TestCaseError> {
    prop_assert_eq!(check(bundle), Vec::<String>::new());
    for format in Format::ALL {
        let text = export(
            bundle,
            format,
            "2026-11-21T12:00:01.000Z",
            &mut Ids::new(1, [6; 32]),
        );
        if format != Format::Prov {
            let back = read(&text).map_err(TestCaseError::fail)?;
            prop_assert_eq!(check(&back), Vec::<String>::new());
            prop_assert_eq!(&back.context_item, &bundle.context_item);
            prop_assert_eq!(&back.context_envelope, &bundle.context_envelope);
        }
    }
    Ok(())
}

/// Few sources and contents, so that the same thing comes twice; some hold an address of e-mail.
fn signals() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
    prop::collection::vec((0u8..5, 0u8..6, 0u8..24), 1..20)
}

fn content(number: u8) -> String {
    match number {
        0 => "write to somebody@mail.example.org".to_owned(),
        1 => "x".repeat(6_000),
        number => format!("content {number}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_candidate_has_one_fate(signals in signals(), budgeted in any::<bool>()) {
        let fate = |number: u8| Reason::ALL.get(usize::from(number)).copied();
        let (mut results, mut known, mut omitted, mut blocks) = (vec![], vec![], vec![], vec![]);
        let mut text = String::new();
        for (place, (source, number, reason)) in signals.iter().enumerate() {
            let (index, source) = (place + 1, format!("https://example.org/{source}"));
            results.push(json!({"index": index, "title": "t", "source": source, "decision": "use_first", "rank_score": 0.5}));
            known.push(Known {
                content: Some(content(*number)),
                item_id: identify(&source, None, Some(&content(*number))),
                ineligible: fate(*reason).map(|reason| (reason, "because".to_owned())),
                ..Known::default()
            });
            if let Some(reason) = fate(*reason) {
                omitted.push(json!({"index": index, "reason": reason.as_str(), "detail": "because"}));
            } else {
                let block = format!("[{source}] {}\n", content(*number));
                text.push_str(&block);
                blocks.push(json!({"index": index, "text": block, "tokens": 3}));
            }
        }
        let mut structured = json!({"profile": "p", "intent": "i", "legend": {}, "results": results});
        if budgeted {
            let tokens = 3 * blocks.len();
            structured["selection"] = json!({"selected": [], "omitted": omitted});
            structured["budget"] = json!({"limits": {"max_tokens": 500, "reserved_tokens": 100}, "actual_tokens": tokens,
                "actual_bytes": text.len(), "actual_items": blocks.len(), "overflow_strategy": "truncate_tail",
                "tokenizer": "o200k_base", "token_counts": "exact", "truncation_records": []});
            structured["assembly"] = json!({"text": text, "blocks": blocks});
        }
        let bundle = made("evaluate_context", &text, &structured, &known)?;
        sound(&bundle)?;
        let selection = &bundle.context_selection[0];
        prop_assert_eq!(
            selection.candidate_item_refs.len(),
            selection.selected_item_refs.len() + selection.omitted_item_refs.len()
        );
    }

    #[test]
    fn any_answer_of_a_source_has_sound_records(
        items in prop::collection::vec((0u8..4, 0u8..6, any::<bool>()), 0..12),
        failed in any::<bool>(),
        text in ".{0,200}",
    ) {
        let items: Vec<Value> = items
            .iter()
            .map(|(source, number, dated)| {
                let date = dated.then_some("2026-11-20T00:00:00.000Z");
                json!({"id": source.to_string(), "title": "t", "url": format!("https://example.org/{source}"),
                    "source_type": "x", "published_at": date, "date_confidence": "high", "summary": content(*number)})
            })
            .collect();
        let envelope = json!({"source_url": "https://example.org/", "adapter": "x", "retrieved_at": "2026-11-21T12:00:00.000Z"});
        let answer = json!({"freshcontext": envelope, "status": "success", "items": items, "truncated": 2,
            "failures": [{"what": "a part", "code": "timeout", "message": "m"}]});
        let error = json!({"code": "timeout", "message": "m", "adapter": "x", "retry_after_s": 3});
        sound(&made("extract_x", &text, if failed { &error } else { &answer }, &[])?)?;
        let section = |key: &str, value: &Value| json!({"tool": "extract_x", "label": "X", "adapter": "x", key: value});
        let stale = json!({"score": 3, "content_date": "2020-01-01", "threshold": 50, "message": "Stale"});
        let composite = json!({"generated_at": "2026-11-21T12:00:00.000Z", "query": "q",
            "sections": [section("result", &answer), section("error", &error), section("stale", &stale), section("result", &answer)]});
        let bundle = made("extract_landscape", &text, &composite, &[])?;
        sound(&bundle)?;
        prop_assert_eq!(bundle.context_surface.len(), 4);
    }

    #[test]
    fn what_changed_is_expired_whichever_section_it_is_in(verdicts in prop::collection::vec(0usize..4, 0..10), sections in any::<bool>()) {
        const WORDS: [&str; 4] = ["current", "changed", "gone", "could_not_check"];
        let items: Vec<Value> = verdicts
            .iter()
            .enumerate()
            .map(|(at, verdict)| json!({"id": at.to_string(), "verdict": WORDS[*verdict]}))
            .collect();
        let mut structured = json!({"verdict": "changed", "tool": "extract_x", "answer_id": "a1", "checked_at": "2026-11-21T12:00:00.000Z"});
        if sections {
            structured["sections"] = json!([{"tool": "extract_y", "items": items}]);
        } else {
            structured["items"] = json!(items);
        }
        let bundle = made("recheck", "Verdict: changed", &structured, &[])?;
        sound(&bundle)?;
        prop_assert_eq!(bundle.context_item.len(), verdicts.len());
        for (item, verdict) in bundle.context_item.iter().zip(&verdicts) {
            let expired = matches!(WORDS[*verdict], "changed" | "gone");
            prop_assert_eq!(item.lifecycle == State::Expired, expired);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is found out later expires the items that it was found of, each once, with an event that follows from its
    /// surface's; of what left its source later nothing was found.
    #[test]
    fn what_is_found_later_is_written_once(
        items in prop::collection::vec((0u8..4, 0u8..3), 1..12),
        whole in any::<bool>(),
    ) {
        // As what was compared, later than that, and by a clock that was ahead.
        const RETRIEVED: [&str; 3] = [
            "2026-11-21T12:00:00.000Z", "2026-11-21T12:00:00.001Z", "2026-12-25T12:00:00.000Z",
        ];
        const WORDS: [&str; 3] = ["as it was", "updated", "removed"];
        let structured = json!({
            "freshcontext": {"source_url": "https://example.org/", "adapter": "x", "retrieved_at": "2026-11-21T12:00:00.000Z"},
            "status": "success",
            "items": items.iter().enumerate().map(|(at, (_, later))| json!({
                "id": at.to_string(), "title": format!("Title {at}"), "url": "https://example.org/list", "source_type": "x",
                "date_confidence": "high", "summary": "",
                "retrieved_at": RETRIEVED.get(usize::from(*later)),
            })).collect::<Vec<_>>(),
        });
        let mut bundle = made("extract_x", "text", &structured, &[])?;
        prop_assert_eq!(bundle.context_item.len(), items.len());
        let of = |word: &str| -> BTreeSet<String> {
            let with = bundle.context_item.iter().zip(&items);
            with.filter(|(_, (kind, _))| WORDS.get(usize::from(*kind)) == Some(&word))
                .map(|(item, _)| item.item_id.clone())
                .collect()
        };
        let (updated, removed) = (of("updated"), of("removed"));
        let parts = if whole { vec![Part::of_tool("extract_x")] } else { Vec::new() };
        let found = Found {
            by: "recheck",
            at: DateTime::from_timestamp_millis(1_795_348_800_000).unwrap_or_default(),
            seed: [9; 32],
            then: "2026-11-21T12:00:00Z".parse().unwrap_or_default(),
            skew: TimeDelta::minutes(5),
            updated: &updated,
            removed: &removed,
            parts: &parts,
        };
        let expected: Vec<bool> = items.iter().map(|(kind, later)| matches!(*kind, 1 | 2) && *later != 1).collect();
        let news = whole || expected.contains(&true);
        let before = bundle.clone();
        prop_assert_eq!(note(&mut bundle, &found), news);
        sound(&bundle)?;
        for (item, expired) in bundle.context_item.iter().zip(&expected) {
            prop_assert_eq!(item.lifecycle == State::Expired, *expired);
            let events = bundle.context_event.iter().skip(before.context_event.len());
            let about = events.filter(|event| event.subject_refs.contains(&item.item_id)).count();
            prop_assert_eq!(about, usize::from(*expired));
        }
        if !news {
            prop_assert_eq!(&before, &bundle);
        }
        let once = bundle.clone();
        prop_assert!(!note(&mut bundle, &found));
        prop_assert_eq!(once, bundle);
    }
}

/// Each rule finds what breaks it.
#[test]
fn what_breaks_a_rule_is_found() {
    let envelope = json!({"source_url": "https://example.org/", "adapter": "x", "retrieved_at": "2026-11-21T12:00:00.000Z"});
    let answer = json!({"freshcontext": envelope, "status": "success", "items": [
        {"title": "t", "url": "https://example.org/1", "source_type": "x", "date_confidence": "high", "summary": "s"}]});
    let right = serde_json::to_value(made("extract_x", "text", &answer, &[]).unwrap()).unwrap();
    let broken = |place: &str, value: Value| {
        let mut wrong = right.clone();
        *wrong.pointer_mut(place).unwrap() = value;
        let bundle = read(&wrong.to_string()).unwrap();
        check(&bundle)
    };
    for (place, value) in [
        (
            "/context_item/0/source_refs/0",
            json!(format!("src_{}", "0".repeat(32))),
        ),
        ("/context_item/0/item_id", json!("itm_1")),
        (
            "/context_item/0/title",
            json!("mail to a.person@mail.example.org"),
        ),
        ("/context_item/0/lifecycle", json!("expired")),
        ("/context_item/0/created_at", json!("yesterday")),
        ("/context_event/1/sequence", json!(9)),
        (
            "/context_event/2/cause_ref",
            right["context_event"][4]["event_id"].clone(),
        ),
        ("/context_event/4/lifecycle", json!("draft")),
        ("/context_assembly/0/ordered_blocks/0/span/start", json!(1)),
    ] {
        assert!(!broken(place, value).is_empty(), "{place}");
    }
    for kind in Kind::ALL {
        assert!(
            freshcontext_records::schema::all()
                .iter()
                .any(|(name, _)| *name == format!("{}.json", kind.as_str()))
        );
    }
}
