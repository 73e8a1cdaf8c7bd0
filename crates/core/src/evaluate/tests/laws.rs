//! Laws that hold for any input.

use chrono::TimeDelta;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Any JSON, somewhat likely to look like arguments.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let names = [
        "profile",
        "intent",
        "signals",
        "now",
        "source",
        "title",
        "content",
        "id",
        "source_type",
        "published_at",
        "content_date",
        "retrieved_at",
        "semantic_score",
        "date_confidence",
        "freshness_confidence",
        "status",
        "metadata",
        "url",
        "summary",
        "x",
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map(select(names.to_vec()), inner, 0..6).prop_map(
                |map| Value::Object(
                    map.into_iter()
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect()
                )
            ),
        ]
    })
}

fn sound(arguments: &Value) -> Result<(), TestCaseError> {
    let text = arguments.to_string();
    prop_assert_eq!(
        evaluate_text(&text, clock(), &Options::default()).map_err(|error| error.message),
        evaluate(arguments, clock(), &Options::default()).map_err(|error| error.message)
    );
    match evaluated(arguments) {
        Ok(evaluation) => {
            let signals = arguments["signals"].as_array().map_or(1, Vec::len);
            prop_assert!(evaluation.verdicts.len() >= signals);
            for verdict in &evaluation.verdicts {
                prop_assert!((0.0..=1.0).contains(&verdict.rank_score));
                prop_assert!(
                    verdict
                        .utility_score
                        .is_none_or(|score| (0.0..=100.0).contains(&score))
                );
                prop_assert_eq!(
                    verdict.utility_score.is_none(),
                    verdict.relevance == Some("not_judged")
                );
                prop_assert!(verdict.freshness_score.is_none_or(|score| score <= 100));
                prop_assert!(verdict.why.len() <= 5);
                let known = verdict.provenance_readiness.published_at.is_some();
                prop_assert!(known || verdict.freshness_score.is_none());
            }
        }
        Err(error) => {
            prop_assert_eq!(error.code.as_str(), "invalid_input");
            prop_assert!(error.field.is_some());
        }
    }
    Ok(())
}

fn signal_strategy() -> impl Strategy<Value = Value> {
    (
        0..40_u32,
        select(vec!["hackernews", "arxiv", "jobs", "custom", "summary", ""]),
        proptest::option::of(0..9_000_i64),
        select(vec!["success", "partial", "failed", "unknown"]),
        select(vec!["high", "low", "unknown"]),
    )
        .prop_map(|(score, kind, hours, status, date)| {
            let published = hours.map(|hours| (clock() - TimeDelta::hours(hours)).to_rfc3339());
            signal(json!({
                "semantic_score": f64::from(score) / 40.0, "source_type": kind, "published_at": published, "status": status,
                "date_confidence": date,
            }))
        })
}

proptest! {
    #[test]
    fn any_json_gives_verdicts_or_a_named_error(arguments in json_value()) {
        sound(&arguments)?;
    }

    #[test]
    fn any_field_may_hold_anything(
        value in json_value(),
        name in select(vec!["source", "title", "content", "id", "source_type", "published_at", "content_date",
            "retrieved_at", "semantic_score", "date_confidence", "freshness_confidence", "status", "metadata"]),
    ) {
        let mut given = signal(json!({}));
        given[name] = value;
        sound(&call(&[given]))?;
    }

    #[test]
    fn any_text_may_be_judged(content in any::<String>(), title in any::<String>(), source in any::<String>()) {
        sound(&call(&[signal(json!({"content": content, "title": title, "source": source, "source_type": title}))]))?;
    }

    #[test]
    fn twice_is_the_same_to_the_byte(signals in proptest::collection::vec(signal_strategy(), 1..8)) {
        let arguments = call(&signals);
        let (first, second) = (evaluated(&arguments).unwrap(), evaluated(&arguments).unwrap());
        prop_assert_eq!(first.text, second.text);
        prop_assert_eq!(first.structured.to_string(), second.structured.to_string());
    }

    #[test]
    fn the_order_is_by_rank_and_ties_stay(signals in proptest::collection::vec(signal_strategy(), 1..12)) {
        let verdicts = evaluated(&call(&signals)).unwrap().verdicts;
        for pair in verdicts.windows(2) {
            let (upper, lower) = (&pair[0], &pair[1]);
            prop_assert!(upper.rank_score >= lower.rank_score);
            prop_assert!(upper.rank_score > lower.rank_score || upper.position < lower.position);
        }
    }

    #[test]
    fn age_never_raises_a_score(
        kind in select(vec!["hackernews", "arxiv", "jobs", "gdelt", "custom"]), hours in 0..200_000_i64, more in 0..5_000_i64,
    ) {
        let at = |hours| {
            let published = (clock() - TimeDelta::hours(hours)).to_rfc3339();
            one(json!({"source_type": kind, "published_at": published}))
        };
        let (younger, older) = (at(hours), at(hours + more));
        prop_assert!(older.freshness_score <= younger.freshness_score);
        prop_assert!(older.rank_score <= younger.rank_score);
        prop_assert!(older.utility_score.unwrap() <= younger.utility_score.unwrap());
    }
}

#[test]
fn every_class_halves_at_its_half_life() {
    let table = DecayTable::default();
    for (kind, lambda) in table.entries() {
        let left = remaining(lambda, half_life_hours(lambda));
        assert!((left - 50.0).abs() < 1e-9, "{kind}: {left}");
        // And through the whole evaluation, to the millisecond that a date can say.
        #[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
        let millis = (half_life_hours(lambda) * 3_600_000.0).round() as i64;
        let published = iso_millis(clock() - TimeDelta::milliseconds(millis));
        let verdict = one(json!({"source_type": kind, "published_at": published, "semantic_score": 1.0}));
        let exact = 100.0 * (-lambda * (millis as f64 / 3_600_000.0)).exp();
        assert!((verdict.utility_score.unwrap() - exact).abs() < 1e-9, "{kind}");
        assert_eq!(verdict.freshness_score, Some(50), "{kind}");
    }
}

#[test]
fn a_list_is_no_signal_and_no_call() {
    let signal = json!(["a", "https://example.org/", "blog", "title", "content"]);
    let found = evaluated(&call(std::slice::from_ref(&signal))).unwrap();
    assert_eq!(found.verdicts[0].decision, Decision::Exclude);
    let arguments = json!(["official_docs", "citation_check", null, [signal]]);
    assert!(evaluate_text(&arguments.to_string(), clock(), &Options::default()).is_err());
    assert!(evaluated(&arguments).is_err());
}

/// Each takes dozens of times its length as a tree, so none is made.
#[test]
fn a_text_of_very_many_values_is_refused_before_it_is_read() {
    let text = format!(r#"{{"signals":[{}0]}}"#, "0,".repeat(SIGNALS_VALUES));
    let error = evaluate_text(&text, clock(), &Options::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    assert!(
        error.message.contains("more than 25000 values"),
        "{}",
        error.message
    );
}

/// What a decision rests on, which no copy may raise.
fn sureness(verdict: &Verdict) -> (Confidence, Option<u8>, bool) {
    (
        verdict.confidence,
        verdict.freshness_score,
        verdict.handoff.safe_for_agent_handoff,
    )
}

#[test]
fn copies_are_told_and_make_nothing_surer() {
    let texts = [
        "The bridge over the Ouse will stay closed until March, the ministry said. Engineers found cracks in two of its piers.",
        "A pill taken once a day halved the number of migraine days in a trial of the Leyden Institute with 1,130 adults.",
        "The mill of Nordby will cut 300 of its 820 jobs by the summer, its owner told staff on Tuesday.",
    ];
    let made = |at: usize, text: &str| {
        json!({"id": format!("s{at}"), "source": format!("https://paper{at}.example/{at}"), "source_type": "news",
            "title": text.split('.').next(), "content": text, "published_at": format!("2026-06-0{}T10:00:00Z", 1 + at),
            "date_confidence": "high"})
    };
    let few: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| made(at, text))
        .collect();
    let mut many = few.clone();
    many.extend((3..7).map(|at| made(at, texts[0])));
    for query in [None, Some("bridge cracks")] {
        let judged = |signals: &[Value]| {
            let mut arguments =
                json!({"profile": "social_pulse", "intent": "citation_check", "signals": signals});
            if let Some(query) = query {
                arguments["query"] = query.into();
            }
            evaluate(&arguments, clock(), &Options::default()).unwrap()
        };
        let (one, two) = (judged(&few), judged(&many));
        assert_eq!(one.origins, None);
        let told = two.origins.as_ref().unwrap().found();
        assert_eq!((told.items, told.origins), (7, 3));
        assert!(
            two.text()
                .contains("\nOrigins: 7 items, 3 origins\n- One origin: "),
            "{}",
            two.text()
        );
        for before in &one.verdicts {
            let after = two.verdicts.iter().find(|after| after.id == before.id).unwrap();
            assert!(sureness(after) <= sureness(before), "{query:?} {:?}", after.id);
        }
    }
}
