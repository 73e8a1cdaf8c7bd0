//! What does not stand is not used as if it did.

use super::*;

fn with(standing: &Value) -> Verdict {
    one(json!({"standing": standing, "semantic_score": 0.95}))
}

fn cited(standing: &Value) -> Verdict {
    let signal = signal(json!({"standing": standing, "semantic_score": 0.95}));
    let arguments = json!({"profile": "academic_research", "intent": "citation_check", "signals": [signal]});
    evaluated(&arguments).unwrap().verdicts.remove(0)
}

#[test]
fn each_severity_has_its_decision() {
    use Decision as D;
    for (state, confidence, first, cite, safe) in [
        ("retracted", "high", D::Exclude, D::Exclude, false),
        (
            "removed",
            "medium",
            D::NeedsVerification,
            D::NeedsVerification,
            false,
        ),
        (
            "withdrawn",
            "low",
            D::NeedsVerification,
            D::NeedsVerification,
            false,
        ),
        (
            "superseded",
            "high",
            D::NeedsVerification,
            D::CiteAsSupporting,
            false,
        ),
        ("moved", "high", D::NeedsVerification, D::CiteAsSupporting, false),
        ("cancelled", "high", D::UseAsBackground, D::CiteAsSupporting, true),
        ("ended", "high", D::UseAsBackground, D::CiteAsSupporting, true),
        ("closed", "high", D::UseAsBackground, D::CiteAsSupporting, true),
        (
            "yanked",
            "high",
            D::NeedsVerification,
            D::NeedsVerification,
            false,
        ),
        (
            "concern",
            "high",
            D::NeedsVerification,
            D::NeedsVerification,
            false,
        ),
        (
            "deprecated",
            "high",
            D::UseAsBackground,
            D::CiteAsSupporting,
            true,
        ),
        ("archived", "high", D::UseAsBackground, D::CiteAsSupporting, true),
        ("acquired", "high", D::UseFirst, D::CiteAsPrimary, true),
        ("prerelease", "high", D::UseFirst, D::CiteAsPrimary, true),
    ] {
        let standing = json!({"state": state, "since": "2026-06-01", "by": {"who": "publisher"}, "confidence": confidence});
        let (used, cited) = (with(&standing), cited(&standing));
        assert_eq!((used.decision, cited.decision), (first, cite), "{state}");
        assert_eq!(used.handoff.safe_for_agent_handoff, safe, "{state}");
        assert!(
            used.why[0]
                .to_lowercase()
                .starts_with(&format!("{state} 2026-06-01, says publisher")),
            "{:?}",
            used.why
        );
        assert_eq!(used.standing.as_ref().unwrap()["state"], state);
        let void = ["retracted", "removed", "withdrawn"].contains(&state);
        assert_eq!(used.freshness_score.is_none(), void, "{state}");
    }
}

#[test]
fn a_closed_advert_is_no_job() {
    let advert = signal(json!({"standing": "expired", "source_type": "jobs"}));
    let arguments = json!({"profile": "jobs_opportunities", "intent": "job_search", "signals": [advert]});
    let verdict = evaluated(&arguments).unwrap().verdicts.remove(0);
    assert_eq!(verdict.decision, Decision::Exclude);
    let mut within = arguments.clone();
    within["budget"] = json!({"max_tokens": 500});
    let out = evaluated(&within).unwrap();
    let omitted = &out.structured["selection"]["omitted"][0];
    assert_eq!(omitted["reason"], "does_not_stand", "{omitted}");
}

#[test]
fn words_flags_and_aliases_are_read_and_named() {
    for (changes, state) in [
        (json!({"standing": "retracted"}), "retracted"),
        (json!({"status": "Withdrawn"}), "withdrawn"),
        (json!({"status": "obsoleted"}), "superseded"),
        (json!({"standing": "terminated"}), "cancelled"),
        (json!({"metadata": {"is_retracted": true}}), "retracted"),
        (json!({"is_retracted": true}), "retracted"),
        (json!({"deprecated": "use example-two"}), "deprecated"),
        (
            json!({"fields": {"deprecated": "Please use pug instead."}}),
            "deprecated",
        ),
        (json!({"metadata": {"superseded_by": "RFC 9110"}}), "superseded"),
        (json!({"metadata": {"yanked": "true"}}), "yanked"),
    ] {
        let verdict = one(changes.clone());
        assert_eq!(verdict.standing.as_ref().unwrap()["state"], state, "{changes}");
        assert!(
            verdict.why.iter().any(|why| why.contains("standing was given")),
            "{:?}",
            verdict.why
        );
        assert!(!verdict.warnings.is_empty());
    }
    let named = one(json!({"metadata": {"superseded_by": "RFC 9110"}}));
    assert!(
        named.warnings.contains(&"Use \"RFC 9110\" instead.".to_owned()),
        "{:?}",
        named.warnings
    );
}

#[test]
fn what_says_nothing_changes_nothing() {
    let plain = one(json!({}));
    for changes in [
        json!({"metadata": {"deprecated": false, "yanked": "no", "retracted": ""}}),
        json!({"metadata": {"status": "retracted"}}),
        json!({"status": "success"}),
        json!({"standing": null}),
    ] {
        let same = one(changes.clone());
        assert_eq!(
            (same.decision, &same.standing, same.verdict_id),
            (plain.decision, &None, plain.verdict_id.clone()),
            "{changes}"
        );
    }
    let unknown = one(json!({"standing": "splendid"}));
    assert_eq!((unknown.decision, unknown.standing), (plain.decision, None));
    assert!(
        unknown.why.iter().any(|why| why.contains("passed over")),
        "{:?}",
        unknown.why
    );
    // A day ahead is not yet.
    assert_eq!(
        with(&json!({"state": "ended", "since": "2027-01-01"})).standing,
        None
    );
}

#[test]
fn under_a_budget_it_stays_out_and_its_replacement_is_asked_for() {
    let signals = json!([
        signal(
            json!({"standing": {"state": "retracted", "confidence": "high"}, "source": "https://doi.org/10.5555/a"})
        ),
        signal(
            json!({"standing": {"state": "deprecated", "replaced_by": {"id": "pug"}}, "source": "https://www.npmjs.com/package/jade",
            "title": "jade", "content": "A template engine."})
        ),
    ]);
    let arguments = json!({"budget": {"max_tokens": 1000}, "signals": signals});
    let out = evaluated(&arguments).unwrap();
    let omitted = &out.structured["selection"]["omitted"][0];
    assert_eq!(omitted["reason"], "does_not_stand", "{omitted}");
    assert!(
        omitted["detail"].as_str().unwrap().starts_with("Retracted"),
        "{omitted}"
    );
    assert!(
        out.text.contains("\nStanding: deprecated; replaced by pug\n"),
        "{}",
        out.text
    );
    let gaps = out.structured["missing_context"].to_string();
    assert!(
        gaps.contains("What does pug say? It takes the place of"),
        "{gaps}"
    );
}

/// What decided is not named among what was not read; what stands beside it is.
#[test]
fn what_was_read_of_a_standing_is_not_named_as_unread() {
    let notes = |changes: Value| {
        let evaluated = evaluated(&call(&[signal(changes)])).unwrap();
        evaluated.structured["notes"].to_string()
    };
    for changes in [
        json!({"standing": {"state": "retracted", "since": "2020-06-05", "by": {"who": "the journal", "notice": "https://doi.org/10.5555/b"}}}),
        json!({"standing": {"state": "moved", "replaced_by": {"url": "https://example.org/new"},
            "also": [{"state": "archived", "since": "2019-01-02"}]}}),
        json!({"metadata": {"replaced_by": "https://example.org/new"}}),
        json!({"status": "withdrawn"}),
    ] {
        let said = notes(changes.clone());
        assert!(!said.contains("Not read"), "{changes}: {said}");
    }
    for (changes, named) in [
        (
            json!({"standing": {"state": "retracted", "seen_date": "2020-06-05"}}),
            "standing.seen_date",
        ),
        (
            json!({"standing": {"state": "splendid", "since": "2020-06-05"}}),
            "standing.since",
        ),
    ] {
        let said = notes(changes.clone());
        assert!(said.contains(named), "{changes}: {said}");
    }
}
