//! Signs to a state, and its words.

use chrono::{DateTime, Utc};
use freshcontext_contract::StandingEvidence as Sign;
use freshcontext_contract::StandingState::{
    self, Concern, Corrected, Deprecated, Retracted, Superseded, Withdrawn,
};
use freshcontext_contract::standing::Replacement;
use proptest::prelude::*;

use super::*;

fn now() -> DateTime<Utc> {
    "2026-11-02T00:00:00Z".parse().unwrap()
}

#[test]
fn the_weightiest_state_counts_and_the_others_are_told() {
    let signs = [
        Sign::field(Corrected, "updated-by[0].type", "erratum").since(Some("2020-05-30")),
        Sign::field(Concern, "updated-by[1].type", "expression_of_concern").since(Some("2020-06-03")),
        Sign::field(Retracted, "updated-by[2].type", "retraction")
            .since(Some("2020-06-05"))
            .by("retraction-watch")
            .notice(Some("https://doi.org/10.5555/notice")),
        Sign::field(Retracted, "updated-by[3].type", "retraction").since(Some("2020-06-13")),
    ];
    let standing = resolve(&signs, now()).unwrap();
    assert_eq!(
        standing.line(),
        "retracted since 2020-06-05 (Retraction Watch); notice https://doi.org/10.5555/notice · also: concern 2020-06-03, corrected 2020-05-30"
    );
    assert_eq!(
        (standing.severity, standing.confidence),
        (Severity::Void, Confidence::High)
    );
    assert_eq!(standing.evidence.len(), 2);
    let json = standing.structured();
    assert_eq!(json["state"], "retracted");
    assert_eq!(json["by"]["who"], "retraction-watch");
    assert_eq!(json["also"][0]["state"], "concern");
    assert_eq!(
        standing.sentence(),
        "Retracted 2020-06-05, says Retraction Watch: its publisher says not to rely on it."
    );
}

#[test]
fn a_day_that_has_not_come_says_nothing_and_an_unreadable_one_gives_no_date() {
    let ahead = [Sign::field(Deprecated, "Deprecation", "@1798761600").since(Some(1_798_761_600))];
    assert_eq!(resolve(&ahead, now()), None);
    // A retraction is one once it is published, although the issue that prints it is dated ahead; it holds since no day to come.
    let notice = [Sign::field(Retracted, "updated-by[0].type", "retraction").since(Some("2026-12-01"))];
    let retracted = resolve(&notice, now()).unwrap();
    assert_eq!((retracted.state, retracted.since), (Retracted, None));
    // Of two notices, the one whose day has come gives it.
    let begun = Sign::field(Retracted, "updated-by[1].type", "retraction").since(Some("2020-06-05"));
    let [first] = notice;
    let both = resolve(&[first, begun], now()).unwrap();
    assert_eq!(both.since.as_deref(), Some("2020-06-05"));
    // A withdrawal that is a date alone is one from that day on; with a notice it is one already.
    let withdrawal = Sign::field(Withdrawn, "withdrawn", "2030-01-01").since(Some("2030-01-01"));
    assert_eq!(resolve(std::slice::from_ref(&withdrawal), now()), None);
    let noticed = resolve(&[withdrawal.notice(Some("10.5555/n"))], now()).unwrap();
    assert_eq!((noticed.state, noticed.since), (Withdrawn, None));
    let unread = [Sign::field(Deprecated, "deprecated", "true").since(Some("some day"))];
    assert_eq!(resolve(&unread, now()).unwrap().since, None);
    assert_eq!(resolve(&[], now()), None);
}

#[test]
fn one_sign_gives_the_day_and_whose_word_it_is_and_the_surest_the_confidence() {
    let signs = [
        Sign::mark(Retracted, "title", "RETRACTED:").by("publisher"),
        Sign::field(Retracted, "updated-by[0].type", "retraction")
            .since(Some("2020-06-05"))
            .by("retraction-watch"),
    ];
    let standing = resolve(&signs, now()).unwrap();
    assert_eq!(standing.line(), "retracted since 2020-06-05 (Retraction Watch)");
    assert_eq!(
        (standing.confidence, standing.evidence.len()),
        (Confidence::High, 2)
    );
    let undated = resolve(&signs[..1], now()).unwrap();
    assert_eq!(
        (undated.line().as_str(), undated.confidence),
        ("retracted (publisher)", Confidence::Medium)
    );
}

#[test]
fn words_of_a_replacement() {
    let sign = Sign::field(Superseded, "updated-by[0].type", "new_version")
        .replaced_by(Some(Replacement::id("10.5555/ex.v2")));
    let standing = resolve(&[sign], now()).unwrap();
    assert_eq!(standing.brief(), "superseded by 10.5555/ex.v2");
    assert_eq!(standing.action(), "Use 10.5555/ex.v2 instead.");
}

#[test]
fn an_overview_counts_and_names() {
    let of = |state| resolve(&[Sign::field(state, "f", "v")], now()).unwrap();
    let (retracted, superseded) = (of(Retracted), of(Superseded));
    let items = [(2, &retracted), (5, &superseded), (7, &superseded)];
    let line = overview(None, items.into_iter(), 9).unwrap();
    assert_eq!(line, "1 of 9 is retracted: [2]; 2 of 9 are superseded: [5], [7]");
    let counts = counts(items.iter().map(|(_, standing)| *standing));
    assert_eq!(Value::Object(counts), json!({"void": 1, "replaced": 2}));
    assert_eq!(overview(None, std::iter::empty(), 9), None);
    let alone = overview(None, [(1, &retracted)].into_iter(), 1);
    assert_eq!(alone.as_deref(), Some("[1] is retracted"));
}

fn any_state() -> impl Strategy<Value = StandingState> {
    prop::sample::select(StandingState::ALL.to_vec())
}

proptest! {
    #[test]
    fn text_and_structure_say_the_same(states in prop::collection::vec((any_state(), "\\PC{0,20}"), 0..6)) {
        let signs: Vec<Sign> = states
            .iter()
            .map(|(state, reason)| Sign::field(*state, "f", "v").reason(Some(reason.as_str())))
            .collect();
        let standing = resolve(&signs, now());
        prop_assert_eq!(standing.as_ref().map(|standing| standing.state), states.iter().map(|(state, _)| *state).min());
        if let Some(standing) = standing {
            let line = standing.line();
            prop_assert!(line.starts_with(standing.state.as_str()) && !line.contains('\n'));
            for also in &standing.also {
                prop_assert!(line.contains(also.state.as_str()));
                prop_assert!(also.state > standing.state);
            }
            prop_assert_eq!(&standing.structured()["state"], standing.state.as_str());
        }
    }
}
