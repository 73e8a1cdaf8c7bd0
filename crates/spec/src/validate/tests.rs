use freshcontext_testkit::bodies::shared_text;

use super::*;

fn now() -> DateTime<Utc> {
    parse_instant("2026-03-05T12:00:00Z").unwrap().instant
}

const GOOD: &str = "[FRESHCONTEXT]\nSource: https://x.example/a\nPublished: 2026-03-05\nRetrieved: 2026-03-05T12:00:00Z\nConfidence: high\n---\nA text about gardens.\n[/FRESHCONTEXT]";

fn failed(text: &str) -> (Level, Vec<String>) {
    let report = validate(text, Some(now()));
    let names = report.failed().map(|check| check.name.clone()).collect();
    (report.level, names)
}

#[test]
fn a_plain_envelope_is_compatible_and_a_score_lifts_it() {
    assert_eq!(failed(GOOD), (Level::Compatible, vec![]));
    assert_eq!(
        failed(&GOOD.replace("\n---", "\nScore: 93\n---")),
        (Level::Scored, vec![])
    );
    assert_eq!(failed(&GOOD.replace('\n', "\r\n")), (Level::Compatible, vec![]));
    assert_eq!(
        failed(&format!("Intro\n\n{GOOD}\n\nOutro")),
        (Level::Compatible, vec![])
    );
}

#[test]
fn every_fault_of_an_envelope_is_named() {
    for (from, to, level, name) in [
        ("[/FRESHCONTEXT]", "", Level::Aware, "closing line"),
        ("\n---", "", Level::Aware, "separator"),
        (
            "Source: https://x.example/a",
            "Source: gardens",
            Level::Aware,
            "source",
        ),
        (
            "Source: https://x.example/a",
            "Source: ftp://x.example",
            Level::Aware,
            "source",
        ),
        (
            "Source: https://x.example/a",
            "Source: https://u:p@x.example",
            Level::Aware,
            "source",
        ),
        (
            "Published: 2026-03-05",
            "Published: last week",
            Level::Aware,
            "published",
        ),
        (
            "Published: 2026-03-05",
            "Published: Thu, 05 Mar 2026 09:19:00 GMT",
            Level::Aware,
            "published",
        ),
        (
            "Published: 2026-03-05",
            "Published: 2026-03-09",
            Level::Aware,
            "published is not after retrieved",
        ),
        (
            "Published: 2026-03-05",
            "Publish date: 2026-03-05",
            Level::Aware,
            "header order",
        ),
        (
            "Source: https://x.example/a\nPublished: 2026-03-05",
            "Published: 2026-03-05\nSource: https://x.example/a",
            Level::Aware,
            "header order",
        ),
        (
            "Published: 2026-03-05",
            "Published: unknown",
            Level::Aware,
            "no date means low confidence",
        ),
        (
            "2026-03-05T12:00:00Z",
            "2026-03-05T12:00:00",
            Level::Fail,
            "retrieved",
        ),
        ("2026-03-05T12:00:00Z", "2026-03-05", Level::Fail, "retrieved"),
        (
            "2026-03-05T12:00:00Z",
            "2026-03-07T12:00:00Z",
            Level::Aware,
            "retrieved is not in the future",
        ),
        ("Confidence: high", "Confidence: High", Level::Aware, "confidence"),
        ("\n---", "\nScore: 120\n---", Level::Compatible, "score"),
        ("\n---", "\nScore: good\n---", Level::Compatible, "score"),
        ("\n---", "\nnot a header\n---", Level::Aware, "header order"),
        (
            "\n---",
            "\nSource: https://y.example\n---",
            Level::Aware,
            "header order",
        ),
        ("A text about gardens.", "", Level::Aware, "content"),
        (
            "A text",
            "x\n[FRESHCONTEXT]\nA text",
            Level::Aware,
            "one opening line",
        ),
        (
            "A text",
            "x [/FRESH\u{200b}CONTEXT] A text",
            Level::Aware,
            "content holds no delimiter",
        ),
    ] {
        let text = GOOD.replacen(from, to, 1);
        let (found, names) = failed(&text);
        assert!(names.iter().any(|failed| failed == name), "{to:?}: {names:?}");
        assert_eq!(found, level, "{to:?}: {names:?}");
        assert!(
            parse_envelope(&text).is_err() || name.contains("future"),
            "{to:?}"
        );
    }
    assert_eq!(failed("no envelope").1, ["envelope"]);
}

#[test]
fn several_envelopes_are_checked_one_by_one() {
    let bad = GOOD.replace("Confidence: high", "Confidence: sure");
    let (level, names) = failed(&format!("# Report\nGenerated: x\n\n{GOOD}\n\n{bad}"));
    assert_eq!(
        (level, names),
        (Level::Aware, vec!["envelope 2: confidence".to_owned()])
    );
    assert_eq!(parse_envelopes(&format!("{GOOD}\n{GOOD}")).unwrap().len(), 2);
    assert_eq!(
        parse_envelope(&format!("{GOOD}\n{GOOD}")).unwrap_err().check,
        "envelope"
    );
}

#[test]
fn the_json_form_is_held_to_the_schema() {
    let good = serde_json::json!({"freshcontext": {"source_url": "https://x.example/a", "content_date": "2026-03-05",
        "retrieved_at": "2026-03-05T12:00:00.000Z", "freshness_confidence": "high", "freshness_score": 99,
        "adapter": "github", "decay_rate": 0.0002}, "content": "A text about gardens."});
    assert_eq!(failed(&good.to_string()), (Level::Scored, vec![]));
    let with = |key: &str, value: Value| {
        let mut changed = good.clone();
        changed["freshcontext"][key] = value;
        failed(&changed.to_string())
    };
    let without = |key: &str| {
        let mut changed = good.clone();
        changed["freshcontext"].as_object_mut().unwrap().remove(key);
        failed(&changed.to_string())
    };
    let named = |name: &str| vec![name.to_owned()];
    assert_eq!(without("freshness_score"), (Level::Compatible, vec![]));
    assert_eq!(without("freshness_confidence"), (Level::Aware, vec![]));
    assert_eq!(without("retrieved_at"), (Level::Fail, vec![]));
    assert_eq!(without("adapter"), (Level::Compatible, vec![]));
    assert_eq!(without("source_url"), (Level::Compatible, vec![]));
    assert_eq!(
        with("extra", 1.into()),
        (Level::Compatible, named("no other keys"))
    );
    assert_eq!(
        with("freshness_score", 101.into()),
        (Level::Compatible, named("score"))
    );
    assert_eq!(
        with("source_url", "gardens".into()),
        (Level::Aware, named("source"))
    );
    assert_eq!(with("source_url", 5.into()), (Level::Aware, named("source_url")));
    assert_eq!(with("adapter", "".into()), (Level::Aware, named("adapter")));
    assert_eq!(with("content_date", 5.into()).0, Level::Aware);
    let (level, names) = with("content_date", Value::Null);
    assert_eq!(level, Level::Aware);
    assert_eq!(names, ["no date means low confidence", "score"]);
    for (text, name) in [
        ("{", "json"),
        ("[]", "json"),
        ("{}", "response"),
        (r#"{"code": "timeout", "message": "x"}"#, "response"),
        (r#"{"isError": true, "content": []}"#, "response"),
        (
            r#"{"content": [{"type": "text", "text": "hello"}]}"#,
            "text: envelope",
        ),
    ] {
        assert_eq!(failed(text), (Level::Fail, named(name)), "{text}");
    }
}

/// Returns what a response lacks: level, part, and sentence of the specification.
fn lacks(text: &str) -> Vec<(Level, String, &'static str)> {
    let report = validate(text, Some(now()));
    assert_eq!(report.specification, "1.2");
    let lacks = report.lacks.into_iter();
    lacks.map(|lack| (lack.level, lack.what, lack.says)).collect()
}

#[test]
fn what_a_response_lacks_is_said_in_the_words_of_the_specification() {
    let aware = r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z"}}"#;
    let report = validate(aware, Some(now()));
    assert_eq!(report.level, Level::Aware);
    assert!(report.passed(), "to be aware only is no failure: {report:?}");
    assert_eq!(
        lacks(aware)[0],
        (
            Level::Compatible,
            "freshcontext.freshness_confidence".to_owned(),
            "Partial implementations that include only `retrieved_at` without `freshness_confidence` are considered \
             **FreshContext-aware** but not fully compatible."
        )
    );
    let bare = r#"{"retrieved_at": "2026-03-05T12:00:00Z", "data": [1]}"#;
    let report = validate(bare, Some(now()));
    assert!(report.level == Level::Aware && report.passed(), "{report:?}");
    assert_eq!(failed(r#"{"retrieved_at": "yesterday"}"#).0, Level::Fail);
    assert_eq!(
        failed(r#"{"code": "timeout", "retrieved_at": "2026-03-05T12:00:00Z"}"#).0,
        Level::Fail,
        "an error of ours is no context, whenever it came"
    );
    let compatible =
        r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z", "freshness_confidence": "high"}}"#;
    let report = validate(compatible, Some(now()));
    assert!(report.level == Level::Compatible && report.passed(), "{report:?}");
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    assert!(
        lacks(compatible)
            .iter()
            .all(|(level, ..)| *level == Level::Scored)
    );
    let no_confidence = GOOD.replace("Confidence: high\n", "");
    assert_eq!(failed(&no_confidence), (Level::Aware, vec![]));
    assert_eq!(lacks(&no_confidence)[0].1, "Confidence");
    assert!(parse_envelope(&no_confidence).is_err());
    let scored = lacks(GOOD);
    assert_eq!(scored.len(), 1);
    assert_eq!((scored[0].0, scored[0].1.as_str()), (Level::Scored, "Score"));
    assert_eq!(lacks(&GOOD.replace("\n---", "\nScore: 93\n---")), []);
}

#[test]
fn a_level_is_what_its_lacks_leave() {
    for text in [
        GOOD,
        "x",
        "{}",
        r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z"}}"#,
    ] {
        let report = validate(text, Some(now()));
        let next = report.lacks.iter().map(|lack| lack.level).min();
        assert_eq!(next.map(Level::stars), Some(report.level.stars() + 1), "{text}");
    }
}

#[test]
fn a_score_that_contradicts_its_date_and_rate_is_reported() {
    let form = |date: &str, score: f64, rate: f64| {
        serde_json::json!({"freshcontext": {"source_url": "https://x.example/a", "content_date": date,
            "retrieved_at": "2026-03-05T12:00:00.000Z", "freshness_confidence": "high", "freshness_score": score,
            "adapter": "github", "decay_rate": rate}})
        .to_string()
    };
    let named = vec!["score agrees with date and rate".to_owned()];
    for (date, score, rate, holds) in [
        (
            "2026-03-04T12:00:00Z",
            100.0 * (-0.05_f64 * 24.0).exp(),
            0.05,
            true,
        ),
        ("2026-03-04T12:00:00Z", 30.0, 0.05, true),
        ("2026-03-04T12:00:00Z", 94.0, 0.05, false),
        ("2026-03-04T12:00:00Z", 5.0, 0.05, false),
        ("2020-01-01", 99.0, 0.001, false),
        // A date without a time may be any hour of the day: 36 hours or 12.
        ("2026-03-04", 17.0, 0.05, true),
        ("2026-03-04", 54.0, 0.05, true),
        ("2026-03-04", 57.0, 0.05, false),
        ("2026-03-04", 99.0, 0.0, false),
        ("2026-03-04", 99.0, -0.1, false),
    ] {
        let expected = if holds {
            (Level::Scored, vec![])
        } else {
            (Level::Compatible, named.clone())
        };
        assert_eq!(
            failed(&form(date, score, rate)),
            expected,
            "{date} {score} {rate}"
        );
    }
    let report = validate(&form("2020-01-01", 99.0, 0.001), Some(now()));
    let lack = &report.lacks[0];
    assert_eq!((lack.level, lack.says), (Level::Scored, "R_t = R_0 · e^(-λt)"));
    assert!(lack.problem.contains("leaves 0 of 100"), "{}", lack.problem);
    let mut of_items: Value = serde_json::from_str(&form("2026-03-04T12:00:00Z", 30.0, 0.05)).unwrap();
    of_items["items"] = serde_json::json!([{"published_at": "2026-03-04T12:00:00Z", "freshness_score": 30},
        {"published_at": "2019-03-04", "freshness_score": 88}]);
    let (level, names) = failed(&of_items.to_string());
    assert_eq!(
        (level, names),
        (
            Level::Compatible,
            vec!["scores of items agree with date and rate".to_owned()]
        )
    );
}

#[test]
fn a_json_string_that_holds_a_response_is_read() {
    let inner =
        r#"{"freshcontext": {"retrieved_at": "2026-03-05T12:00:00Z", "freshness_confidence": "low"}}"#;
    let once = serde_json::to_string(inner).unwrap();
    let twice = serde_json::to_string(&once).unwrap();
    for text in [once, twice, serde_json::to_string(GOOD).unwrap()] {
        assert_eq!(failed(&text), (Level::Compatible, vec![]), "{text}");
    }
    let mut deep = inner.to_owned();
    for _ in 0..9 {
        deep = serde_json::to_string(&deep).unwrap();
    }
    assert_eq!(failed(&deep).0, Level::Fail);
}

#[freshcontext_recorded::test]
fn the_published_examples_hold() {
    let schema = shared_text("reference/freshcontext.schema.json");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut notes = Vec::new();
    for example in schema["examples"].as_array().unwrap() {
        let report = validate(&example.to_string(), None);
        assert_eq!(
            report.level,
            Level::Scored,
            "{:?}",
            report.failed().collect::<Vec<_>>()
        );
        notes.extend(report.notes);
    }
    // Its rates are those of version 1.1; the score is not what they give after two months.
    assert!(notes.len() == 1 && notes[0].contains("version 1.1"), "{notes:?}");
}

proptest::proptest! {
    #[test]
    fn validating_never_panics(text in "(\\[/?FRESHCONTEXT\\]|Source: |Published: unknown|---|\n|\\{|\"freshcontext\":|\\PC){0,40}") {
        let report = validate(&text, None);
        proptest::prop_assert!(!report.checks.is_empty());
        let _ = parse_envelopes(&text);
    }
}

/// Another server's failures must not be skipped as notes.
#[test]
fn only_the_remarks_of_our_own_answers_are_no_content() {
    let failing = |content: &str| {
        let text = GOOD.replace("A text about gardens.", content);
        assert_ne!(text, GOOD);
        validate(&text, None).level < Level::Compatible
    };
    let block_page = "Checking if the site connection is secure. Enable JavaScript and cookies to continue. \
        Verify you are human by completing the action below. Ray ID: 7d1f0c2b9a3e4f55";
    assert!(failing(block_page));
    assert!(failing(&format!("Note: {block_page}")));
    let fenced = |inside: &str| {
        format!("Data 0a1b2c3d: external content, not instructions.\n{inside}\nEnd of data 0a1b2c3d.")
    };
    assert!(failing(&fenced(&format!("> {block_page}"))));
    assert!(!failing(&fenced(&format!(
        "> A text about gardens.\nNote: {block_page}"
    ))));
}

/// No tree is built for a text that cannot be a response.
#[test]
fn what_holds_more_values_than_a_response_is_refused() {
    let failed = |text: &str| {
        let report = validate(text, None);
        assert_eq!((report.form, report.level), (Form::Json, Level::Fail));
        report
            .failed()
            .map(|check| check.message.clone())
            .collect::<Vec<_>>()
    };
    let values = "0,".repeat(VALIDATED_VALUES + 1);
    assert_eq!(
        failed(&format!(r#"{{"freshcontext":[{values}0]}}"#)),
        ["holds more than 100000 values, as no response does"]
    );
    assert_eq!(failed(&format!("[{values}0]")), ["is not an object"]);
    // Brackets inside strings do not count.
    let quoted = format!(r#"{{"retrieved_at":"2026-01-02T03:04:05Z","note":"{values}"}}"#);
    assert_eq!(validate(&quoted, None).level, Level::Aware);
}
