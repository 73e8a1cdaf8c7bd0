//! What is scored: dates, ranges, status, failures.

use chrono::{NaiveDate, TimeDelta};
use freshcontext_contract::{
    DateEvidence, ErrorCode, Item, SourceError, SourceResult, StandingEvidence, StandingState, Status,
};
use serde_json::{Value, json};

use super::super::fixture::*;
use super::super::*;
use super::{assert_parity, fits_the_schemas};
use crate::date::Confidence;
use freshcontext_spec::validate::{Level, validate};

#[test]
fn the_newest_item_in_order_dates_the_answer() {
    let mut pinned = item(1, "2026-03-05");
    pinned.out_of_order = true;
    let mut signal = item(3, "");
    signal.date = DateEvidence::signal("visible date", NaiveDate::from_ymd_opt(2026, 3, 3).unwrap());
    let answer = scored(vec![pinned.clone(), item(2, "2026-03-01"), signal, item(4, "")]).render(4000);
    assert_eq!(answer.content_date.as_deref(), Some("2026-03-03"));
    assert_eq!(
        answer.structured["freshcontext"]["freshness_confidence"],
        "medium"
    );
    assert_eq!(answer.structured["notes"], json!(["1 of 4 items has no date"]));
    assert_eq!(
        answer.structured["content_age"],
        "newest of 2, 2 days; oldest 4 days (2026-03-01); 1 item out of order (pinned, sponsored, unreleased) not counted"
    );
    assert_parity(&answer);

    let only_pinned = scored(vec![pinned]);
    assert_eq!(only_pinned.date().instant, None);
    assert_eq!(only_pinned.score(), None);
    assert!(only_pinned.notes()[0].contains("out of order"));

    let mut own = result(vec![item(1, "2026-03-05")]);
    own.own_date = Some(DateEvidence::signal("the board's day", "2026-03-02"));
    let own = score_with(own, &args()).unwrap();
    assert_eq!(own.date().shown.as_deref(), Some("2026-03-02"));
    assert_eq!(own.date().confidence, Confidence::Medium);
}

#[test]
fn g02_undated_answers_are_low_and_unscored() {
    let mut year = item(1, "");
    year.date = DateEvidence::YearOnly(2024);
    let mut words = item(2, "");
    words.date = DateEvidence::field("created", "yesterday");
    let mut epoch = item(3, "");
    epoch.date = DateEvidence::field("created", 0_i64);
    let mut millis = item(4, "");
    millis.date = DateEvidence::field("created", 1_767_225_600_000_i64);
    let answer = scored(vec![year, words, epoch, millis]).render(4000);
    assert!(answer.text.contains("\nPublished: unknown\nRetrieved: "));
    assert!(
        answer
            .text
            .contains("\nConfidence: low\nAge: unknown\nScore: unknown\n---\n")
    );
    assert_eq!(answer.structured["freshcontext"]["content_date"], Value::Null);
    assert_eq!(answer.structured["freshcontext"]["freshness_score"], Value::Null);
    assert_eq!(answer.structured["items"][0]["fields"]["year"], 2024);
    assert_eq!(
        answer.structured["items"][1]["fields"]["date_as_given"],
        "yesterday"
    );
    let notes = answer.structured["notes"].to_string();
    assert!(
        notes.contains("4 of 4 items have no date") && notes.contains("3 dates could not be used"),
        "{notes}"
    );
    assert_parity(&answer);
}

#[test]
fn g03_a_future_date_is_no_date() {
    let soon = scored(vec![item(1, "2026-03-05T12:04:00Z")]);
    assert_eq!(
        (soon.score(), soon.date().confidence),
        (Some(100), Confidence::High)
    );
    for late in ["2026-03-05T12:06:00Z", "2026-03-07", "2036-01-01"] {
        let late = scored(vec![item(1, late)]);
        assert_eq!((late.score(), late.date().confidence), (None, Confidence::Low));
        assert!(late.notes().iter().any(|note| note.contains("future")));
    }
}

#[test]
fn since_and_until_are_inclusive_and_what_is_dropped_is_counted() {
    let items = || {
        vec![
            item(1, "2026-03-01"),
            item(2, "2026-03-02"),
            item(3, "2026-03-02T23:59:59Z"),
            item(4, "2026-03-03"),
            item(5, ""),
        ]
    };
    let mut asked = args();
    asked.since = Some(at("2026-03-02T00:00:00Z"));
    asked.until = Some(at("2026-03-02T23:59:59.999Z"));
    let same_day = score_with(result(items()), &asked).unwrap();
    let ids: Vec<_> = same_day
        .items()
        .iter()
        .map(|item| item.id.clone().unwrap())
        .collect();
    assert_eq!(ids, ["2", "3"]);
    let counts: Vec<_> = same_day.skipped.iter().map(|skipped| skipped.count).collect();
    assert_eq!(counts, [2, 1]);
    assert!(
        same_day
            .render(4000)
            .text
            .contains("Left out: 2 published outside the dates asked for; 1 undated")
    );
    // A day that the range only touches is in range.
    asked.since = Some(at("2026-03-02T18:00:00Z"));
    asked.until = None;
    assert_eq!(score_with(result(items()), &asked).unwrap().items().len(), 3);
    // Nothing left is an honest absence, not an error.
    asked.since = Some(at("2026-03-04T00:00:00Z"));
    let none = score_with(result(items()), &asked).unwrap();
    assert_eq!(none.status(), Status::Empty);
    assert!(none.render(4000).text.contains("\nNo results. Try"));
    // Without a range undated items stay.
    assert_eq!(score_with(result(items()), &args()).unwrap().items().len(), 5);
}

#[test]
fn the_limit_holds_and_is_disclosed() {
    let mut asked = args();
    asked.limit = 2;
    let scored = score_with(result((1..=5).map(|id| item(id, "2026-03-01")).collect()), &asked).unwrap();
    assert_eq!(scored.items().len(), 2);
    assert_eq!(
        (scored.skipped[0].count, scored.skipped[0].reason.as_ref()),
        (3, "beyond the limit of 2")
    );
}

#[test]
fn an_empty_answer_says_what_was_searched() {
    let mut nothing = result(vec![]);
    nothing.summary = Some("Stories with all of: gardens, moon".to_owned());
    nothing.own_date = Some(DateEvidence::field("day", "2026-03-05"));
    let answer = score_with(nothing, &args()).unwrap().render(4000);
    assert_eq!(
        (answer.status, answer.score, answer.content_date.clone()),
        (Status::Empty, None, None)
    );
    assert!(
        answer
            .text
            .contains("No results. Try broader or other words.\nAbout: Stories with all of: gardens, moon\n")
    );
    assert_eq!(answer.structured["status"], "empty");
    assert_eq!(answer.structured["freshcontext"]["freshness_confidence"], "low");
    fits_the_schemas(&answer.structured);
}

#[test]
fn a_part_that_is_there_no_more_says_so_in_both_forms() {
    let mut some = result(vec![item(1, "2026-03-05")]);
    let unpublished = StandingEvidence::field(StandingState::Removed, "time.unpublished", "2023-06-15");
    let error = SourceError::not_found("it was unpublished").standing(unpublished.since(Some("2023-06-15")));
    some.fail("gone", error);
    let answer = score_with(some, &args()).unwrap().render(4000);
    assert_eq!(answer.structured["failures"][0]["standing"]["state"], "removed");
    let line = "\nFailed: gone (not_found): it was unpublished Standing: removed since 2023-06-15.\n";
    assert!(answer.text.contains(line), "{}", answer.text);
    fits_the_schemas(&answer.structured);
}

#[test]
fn a_partial_answer_is_never_high_and_lists_what_failed() {
    let mut some = result(vec![item(1, "2026-03-05")]);
    some.fail("ZZZZ", SourceError::not_found("no such ticker\n[FRESHCONTEXT]"));
    let answer = score_with(some, &args()).unwrap().render(4000);
    assert_eq!(answer.status, Status::Partial);
    assert_eq!(
        answer.structured["freshcontext"]["freshness_confidence"],
        "medium"
    );
    assert_eq!(
        answer.structured["failures"],
        json!([{"what": "ZZZZ", "code": "not_found", "message": "no such ticker (FRESHCONTEXT)"}])
    );
    assert!(
        answer
            .text
            .contains("\nFailed: ZZZZ (not_found): no such ticker (FRESHCONTEXT)\n")
    );
    fits_the_schemas(&answer.structured);

    let mut none = result(vec![]);
    none.fail("ZZZZ", SourceError::not_found("no such ticker"));
    none.fail("YYYY", SourceError::new(ErrorCode::Timeout, "no answer in time"));
    let error = score_with(none, &args()).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    assert!(error.message.contains("all 2 parts failed") && error.message.contains("YYYY timeout"));
}

#[test]
fn genuine_titles_about_failures_pass() {
    for title in [
        "Error handling in Rust",
        "Timeout policies",
        "[429] a story",
        "502 Bad Gateway explained",
    ] {
        let mut about = item(1, "2026-03-05");
        about.title = title.to_owned();
        let answer = score_with(result(vec![about]), &args()).unwrap().render(4000);
        assert_eq!(answer.status, Status::Success, "{title}");
        assert_parity(&answer);
    }
}

#[test]
fn an_item_without_any_text_is_a_failure() {
    let mut blank = Item::new(" ", DateEvidence::None);
    blank.summary = "\u{200b}\n".to_owned();
    // An item that says nothing keeps a placeholder title; it is the guard's to score the rest.
    let scored = score_with(result(vec![blank]), &args());
    assert!(scored.is_err() || scored.unwrap().items()[0].title == "(untitled)");
}

#[test]
fn addresses_that_are_no_pages_are_left_out() {
    let mut script = item(1, "2026-03-05");
    script.url = Some("javascript:alert(1)".to_owned());
    let answer = scored(vec![script]).render(4000);
    assert_eq!(answer.structured["items"][0]["url"], Value::Null);
    assert_eq!(
        answer.structured["items"][0]["source"],
        "https://news.example/search?q=gardens"
    );
    assert!(!answer.text.contains("javascript:"));
    let nowhere = SourceResult::new(url::Url::parse("data:text/plain,x").unwrap(), vec![]);
    assert_eq!(
        score_with(nowhere, &args()).unwrap_err().code,
        ErrorCode::Internal
    );
}

#[test]
fn cached_answers_keep_their_moment() {
    let mut seen = seen();
    seen.retrieved_at = Some(now() - TimeDelta::seconds(90));
    seen.cached_age = Some(Duration::from_secs(90));
    let (args, decay) = (args(), DecayTable::default());
    let input = ScoreInput {
        descriptor: &DESCRIPTOR,
        result: result(vec![item(1, "2026-03-05")]),
        args: &args,
        seen: &seen,
        now: now(),
        decay: &decay,
        cursor: Some("abc.def".to_owned()),
    };
    let scored = score(input).unwrap();
    assert_eq!(
        scored.meta(),
        json!({"retrieved": "cached", "age_s": 90, "attempts": 1})
    );
    let answer = scored.render(4000);
    assert!(answer.text.contains("Retrieved: 2026-03-05T11:58:30Z"));
    assert!(answer.text.contains("\nNext-Cursor: abc.def\n---\n"));
    assert_eq!(answer.structured["next_cursor"], "abc.def");
    assert_eq!(validate(&answer.text, Some(now())).level, Level::Scored);
}

/// `crafted`: the wording of a well-known interstitial, without its markup.
const INTERSTITIAL: &str = "Checking if the site connection is secure. Enable JavaScript and cookies to continue. \
    Verify you are human by completing the action below. Ray ID: 7d1f0c2b9a3e4f55";

#[test]
fn a_failure_dressed_as_an_item_becomes_an_error() {
    for date in [DateEvidence::None, DateEvidence::field("updated", "2026-03-05")] {
        let mut block_page = Item::new("Just a moment...", date);
        block_page.summary = INTERSTITIAL.to_owned();
        let error = score_with(result(vec![block_page]), &args()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Challenge);
        assert_eq!((error.attempts, error.retrieved_at), (1, Some(now())));
        let shown = Failure::new(&error, "hackernews", "extract_hackernews", now());
        assert!(!shown.text().contains("[FRESHCONTEXT]"));
    }
}

/// What a package does may sound like what a failure says.
#[test]
fn a_short_answer_of_the_documented_shape_is_shown() {
    for (title, summary) in [
        ("no-results", "A notice that nothing was found."),
        ("sign-in", "Ask users to sign in before they continue."),
    ] {
        let mut package = item(1, "2026-03-05");
        package.title = title.to_owned();
        package.summary = summary.to_owned();
        let alone = format!("{title}\n{summary}");
        assert!(freshcontext_detect::inspect(&alone).failed, "{title}");
        assert_eq!(scored(vec![package]).render(4000).shown, 1, "{title}");
    }
}

#[test]
fn a_dated_title_alone_is_too_little_to_weigh() {
    for title in [
        "About a folder that cannot be written",
        "Why the request could not be processed, and what we learned",
        "The page you are looking for does not exist",
        "502 Bad Gateway",
        "connect ECONNREFUSED 127.0.0.1:6379",
        "Error: read ECONNRESET",
    ] {
        let mut story = item(1, "2026-03-05");
        story.title = title.to_owned();
        story.summary = String::new();
        assert_eq!(scored(vec![story]).render(4000).shown, 1, "{title}");
    }
}

#[test]
fn titles_that_are_no_text_are_a_failure() {
    for count in [1, 2] {
        let unreadable = (0..count).map(|number| {
            let mut story = item(number, "2026-03-05");
            story.title = format!("{number}\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
            story.summary = String::new();
            story
        });
        let error = score_with(result(unreadable.collect()), &args()).unwrap_err();
        assert_eq!(error.detail.as_deref(), Some("malformed"));
    }
}

#[test]
fn issues_may_be_called_by_an_error() {
    let titled = |number, title: &str| {
        let mut issue = item(number, "2026-03-05");
        issue.title = title.to_owned();
        issue.summary = String::new();
        issue
    };
    let answer = scored(vec![
        titled(1, "[Error] npm install fails"),
        titled(2, "[Blocked] on 3.2"),
    ])
    .render(4000);
    assert_eq!(answer.shown, 2);
}

#[test]
fn one_odd_title_among_stories_spoils_nothing() {
    let mut odd = item(2, "2026-03-05");
    odd.title = "503 Service Unavailable".to_owned();
    odd.summary = String::new();
    let answer = scored(vec![item(1, "2026-03-05"), odd, item(3, "2026-03-05")]).render(4000);
    assert_eq!((answer.status, answer.shown), (Status::Success, 3));
}
