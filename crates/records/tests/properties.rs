//! Rules that hold for any answer: made from random answers of each form, records break none of their rules.

mod answers;

use std::collections::BTreeSet;

use answers::{answer, composite, evaluation, failure, item, recheck};
use chrono::{DateTime, TimeDelta};
use freshcontext_budget::Reason;
use freshcontext_core::evaluate::{Known, item_identity};
use freshcontext_core::recheck::Verdict;
use freshcontext_records::check::check;
use freshcontext_records::export::{Format, export, read};
use freshcontext_records::ids::Ids;
use freshcontext_records::later::{Found, Part, note};
use freshcontext_records::make::{Answered, Occasion, bundle};
use freshcontext_records::values::{Kind, State};
use freshcontext_records::{Bundle, Native, RecordOptions};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn made(tool: &str, text: &str, answered: Answered<'_>) -> Result<Bundle, TestCaseError> {
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
    };
    bundle(&occasion, text, answered).map_err(TestCaseError::fail)
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
        let (mut sources, mut known, mut omitted, mut blocks) = (vec![], vec![], vec![], vec![]);
        for (place, (source, number, reason)) in signals.iter().enumerate() {
            let source = format!("https://example.org/{source}");
            known.push(Known {
                content: Some(content(*number)),
                item_id: item_identity(&source, None, Some(&content(*number))),
                ineligible: fate(*reason).map(|reason| (reason, "because".to_owned())),
                ..Known::default()
            });
            match fate(*reason) {
                Some(reason) => omitted.push((place + 1, reason)),
                None => blocks.push((place + 1, format!("[{source}] {}\n", content(*number)))),
            }
            sources.push(source);
        }
        let budgeted = budgeted.then_some((omitted, blocks));
        let judged = evaluation(&sources, known, budgeted);
        let bundle = made("evaluate_context", &judged.text(), Answered::Evaluation(&judged))?;
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
        most in 100usize..20_000,
        text in ".{0,200}",
    ) {
        let items = || {
            let items = items.iter();
            let items = items.map(|(source, number, dated)| item(*source, *dated, &content(*number)));
            items.collect::<Vec<_>>()
        };
        let error = failure();
        match answer(items(), true) {
            Ok(scored) if !failed => {
                let answer = scored.fitted(most);
                sound(&made("extract_x", &text, Answered::Source(&answer))?)?;
            }
            _ => sound(&made("extract_x", &text, Answered::Failure(&error))?)?,
        }
        for threshold in [None, Some(100.0)] {
            let composite = composite([answer(items(), true), answer(items(), false)], most, threshold);
            let bundle = made("extract_landscape", &text, Answered::Composite(&composite))?;
            sound(&bundle)?;
            prop_assert_eq!(bundle.context_surface.len(), 4);
        }
        sound(&made("deliverable_list", &text, Answered::Deliverable)?)?;
    }

    #[test]
    fn what_changed_is_expired_whichever_section_it_is_in(verdicts in prop::collection::vec(0usize..4, 0..10), sections in any::<bool>()) {
        const ALL: [Verdict; 4] = [Verdict::Current, Verdict::Changed, Verdict::Gone, Verdict::CouldNotCheck];
        let verdicts: Vec<Verdict> = verdicts.iter().map(|at| ALL[*at]).collect();
        let recheck = recheck(&verdicts, sections);
        let bundle = made("recheck", "Verdict: changed", Answered::Recheck(&recheck))?;
        sound(&bundle)?;
        prop_assert_eq!(bundle.context_item.len(), verdicts.len());
        for (item, verdict) in bundle.context_item.iter().zip(&verdicts) {
            let expired = matches!(verdict, Verdict::Changed | Verdict::Gone);
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
        let shown = items.iter().enumerate().map(|(at, _)| {
            let mut item = item(0, true, "");
            item.id = Some(at.to_string());
            item.title = format!("Title {at}");
            item
        });
        let answer = answer(shown.collect(), false).unwrap().fitted(20_000);
        let mut bundle = made("extract_x", "text", Answered::Source(&answer))?;
        for (item, (_, later)) in bundle.context_item.iter_mut().zip(&items) {
            item.freshness.retrieved_at = RETRIEVED.get(usize::from(*later)).map(|at| (*at).to_owned());
        }
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
    let answer = answer(vec![item(1, true, "s")], false).unwrap().fitted(4_000);
    let right = serde_json::to_value(made("extract_x", "text", Answered::Source(&answer)).unwrap()).unwrap();
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
