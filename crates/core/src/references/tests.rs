//! Verdicts as a table.

use chrono::{DateTime, Utc};
use freshcontext_contract::standing::{Basis, Replacement};
use freshcontext_contract::{
    ErrorCode, Lookup, Presence, SourceError, StandingEvidence as Sign, StandingState as S,
};

use super::*;

fn now() -> DateTime<Utc> {
    "2026-11-20T00:00:00Z".parse().unwrap()
}

fn found(signs: Vec<Sign>) -> Judged {
    judge(
        Ok(Lookup {
            signs,
            ..Lookup::new(Presence::Found)
        }),
        now(),
    )
}

#[test]
fn every_state_has_its_verdict() {
    for state in S::ALL {
        let verdict = found(vec![Sign::field(state, "f", "v")]).verdict;
        let due = match state {
            S::Removed => Verdict::Gone,
            S::Retracted | S::Withdrawn | S::Yanked | S::Cancelled => Verdict::Withdrawn,
            S::Superseded => Verdict::Superseded,
            S::Moved => Verdict::Moved,
            _ => Verdict::Stands,
        };
        assert_eq!(verdict, due, "{state:?}");
    }
    assert_eq!(found(Vec::new()).verdict, Verdict::Stands);
}

#[test]
fn a_deprecated_thing_is_superseded_where_another_is_named() {
    let sign = Sign::field(S::Deprecated, "deprecated", "use b instead");
    assert_eq!(
        found(vec![sign.clone().replaced_by(Some(Replacement::id("b")))]).verdict,
        Verdict::Superseded
    );
    assert_eq!(found(vec![sign]).verdict, Verdict::Stands);
}

#[test]
fn a_weightier_state_that_takes_nothing_away_hides_none_that_does() {
    let judged = found(vec![
        Sign::mark(S::Ended, "classifiers", "Inactive"),
        Sign::field(S::Yanked, "yanked", "true"),
    ]);
    assert_eq!(
        (judged.verdict, judged.confidence),
        (Verdict::Withdrawn, Confidence::High)
    );
}

#[test]
fn a_failure_is_never_gone_unless_its_source_says_so() {
    for code in ErrorCode::ALL {
        for status in [None, Some(403), Some(404), Some(429), Some(500)] {
            let mut error = SourceError::new(code, "words");
            error.http_status = status;
            error.attempts = 1;
            let judged = judge(Err(error), now());
            assert_eq!(judged.verdict, Verdict::CouldNotCheck, "{code} {status:?}");
            assert_eq!(judged.detail.as_deref(), Some(code.as_str()));
        }
    }
    let dead = SourceError::not_found("dead").standing(Sign::field(S::Removed, "dead", "true"));
    assert_eq!(judge(Err(dead), now()).verdict, Verdict::Gone);
    let unsettled = judge(
        Ok(Lookup {
            signs: vec![Sign::field(S::Removed, "f", "v")],
            ..Lookup::new(Presence::Unsettled("not_covered"))
        }),
        now(),
    );
    assert_eq!(
        (unsettled.verdict, unsettled.standing),
        (Verdict::CouldNotCheck, None)
    );
}

#[test]
fn a_failure_in_the_form_of_a_page_settles_nothing_in_any_language() {
    for words in [
        "Seite nicht gefunden",
        "Page introuvable",
        "\u{30da}\u{30fc}\u{30b8}\u{304c}\u{898b}\u{3064}\u{304b}\u{308a}\u{307e}\u{305b}\u{3093}",
        "This domain is for sale",
    ] {
        let lookup = Lookup::new(Presence::Found).reading(format!("{words}\n\n{words}\n\n{words}."));
        let judged = judge(Ok(lookup), now());
        assert_eq!(judged.verdict, Verdict::CouldNotCheck, "{words}");
        assert!(judged.detail.is_some(), "{words}");
    }
    let about =
        "How pages that are not found came to be. This article explains what a server does when it has \
                 no page of a name. "
            .repeat(8);
    let lookup = Lookup::new(Presence::Found).reading(format!("About errors\n\n{about}"));
    assert_eq!(judge(Ok(lookup), now()).verdict, Verdict::Stands);
}

#[test]
fn what_was_not_asked_is_to_be_asked_again() {
    let late = SourceError::new(ErrorCode::Timeout, "late");
    assert!(is_to_be_asked_again(&judge(Err(late.clone()), now())));
    let pace = SourceError::rate_limited("pace").detail("pace");
    assert!(is_to_be_asked_again(&judge(Err(pace), now())));
    let mut asked = late;
    asked.attempts = 1;
    assert!(!is_to_be_asked_again(&judge(Err(asked), now())));
    assert!(!is_to_be_asked_again(&judge(
        Err(SourceError::rate_limited("no").detail("suspended")),
        now()
    )));
}

#[test]
fn the_registry_of_record_is_surer_than_a_page() {
    for (basis, confidence) in [
        (Basis::Field, Confidence::High),
        (Basis::Mark, Confidence::Medium),
    ] {
        let judged = judge(Ok(Lookup::new(Presence::Gone(basis))), now());
        assert_eq!((judged.verdict, judged.confidence), (Verdict::Gone, confidence));
    }
}

#[test]
fn both_forms_name_every_reference_and_quote_their_sources() {
    let mut judged = found(vec![
        Sign::field(S::Retracted, "updated-by[0].type", "retraction").by("publisher"),
    ]);
    judged.title = Some("Ignore \"all\" before".to_owned());
    let answer = References {
        checked: vec![Checked {
            place: 0,
            given: "10.1000/182".to_owned(),
            kind: Some("doi"),
            id: Some("10.1000/182".to_owned()),
            judged,
            title_differs: true,
            archived_copy: None,
            checked_at: now(),
        }],
        total: 3,
        format: None,
        notes: vec!["one note".to_owned()],
        cursor: Some("abc".to_owned()),
    };
    let text = answer.text();
    assert!(
        text.starts_with("1 reference of 3: 1 withdrawn\n[1] 10.1000/182: withdrawn; retracted (publisher)"),
        "{text}"
    );
    assert!(
        text.contains("\"Ignore 'all' before\"") && text.contains("cursor abc"),
        "{text}"
    );
    let value = answer.structured();
    assert_eq!(value["counts"]["withdrawn"], 1);
    assert_eq!(value["results"][0]["standing"]["state"], "retracted");
    assert_eq!(value["results"][0]["evidence"][0]["value"], "retraction");
}
