use chrono::{NaiveDate, TimeZone};
use proptest::prelude::*;

use super::*;

fn at(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().with_timezone(&Utc)
}

fn read_as(text: &str) -> Option<String> {
    parse_instant(text).map(|parsed| shown(&parsed))
}

#[test]
fn g12_every_accepted_form_gives_the_right_instant() {
    for (text, wanted) in [
        ("2026-03-05", "2026-03-05"),
        ("2024-02-29", "2024-02-29"),
        ("2026-03-05T09:19:00Z", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05t09:19:00z", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05T09:19:00.123456Z", "2026-03-05T09:19:00.123Z"),
        ("2026-03-05T09:19:00,5Z", "2026-03-05T09:19:00.500Z"),
        ("2026-03-05T09:19:00+02:00", "2026-03-05T07:19:00.000Z"),
        ("2026-03-05T09:19:00+0000", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05T09:19:00-05", "2026-03-05T14:19:00.000Z"),
        ("2026-03-05T09:19:00-00:00", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05T23:19:00+14:00", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05 09:19:00", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05 09:19:00 UTC", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05 09:19:00 +0100", "2026-03-05T08:19:00.000Z"),
        ("2026-03-05T09:19", "2026-03-05T09:19:00.000Z"),
        ("2026-03-05T24:00:00Z", "2026-03-06T00:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("2017-01-01T00:59:60+01:00", "2017-01-01T00:00:00.000Z"),
        ("20260305T091900Z", "2026-03-05T09:19:00.000Z"),
        ("2026-W10-4", "2026-03-05"),
        ("2020-W53-5", "2021-01-01"),
        ("Thu, 05 Mar 2026 09:19:00 GMT", "2026-03-05T09:19:00.000Z"),
        ("Thu, 5 Mar 2026 09:19:00 EST", "2026-03-05T14:19:00.000Z"),
        ("Thu, 5 Mar 2026 09:19:00 PDT", "2026-03-05T16:19:00.000Z"),
        ("5 Mar 2026 09:19 +0530", "2026-03-05T03:49:00.000Z"),
        ("Thu, 05 Mar 2026 09:19:00 -0000", "2026-03-05T09:19:00.000Z"),
        ("Thu, 05 Mar 2026 09:19:00 UTC", "2026-03-05T09:19:00.000Z"),
        ("06 Nov 94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        // The hour that a local clock skips or repeats is no question once an offset is given.
        ("2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00.000Z"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00.000Z"),
    ] {
        assert_eq!(read_as(text).as_deref(), Some(wanted), "{text}");
    }
}

#[test]
fn g02_what_is_not_a_date_is_none() {
    for text in [
        "",
        "yesterday",
        "3 days ago",
        "2026",
        "2026-03",
        "2026-W10",
        "20260305",
        "1767225600",
        "1767225600000",
        "03/05/2026",
        "05.03.2026",
        "26-03-05",
        "0000-00-00",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "9999-12-31",
        "9999-12-31T23:59:59Z",
        "2023-02-29",
        "2026-13-01",
        "2026-04-31",
        "2026-03-05T25:00:00Z",
        "2026-03-05T24:01:00Z",
        "2026-03-05T09:60:00Z",
        "2026-03-05T09:19:60Z",
        "2026-03-05T09:19:00.Z",
        "2026-03-05T09:19:00+24:00",
        "2026-03-05T09:19:00 maybe",
        "2026-03-05x",
        "2021-W53-1",
        "2026-W00-1",
        "2026-W10-8",
        "Thu, 05 Mar 2026",
        "Fri, 05 Mar 2026 09:19:00 GMT",
        "Thu, 05 Mar 2026 09:19:00 A",
        "Thu, 05 Mar 126 09:19:00 GMT",
        "５ Mar 2026 09:19:00 GMT",
    ] {
        assert_eq!(read_as(text), None, "{text}");
    }
}

#[test]
fn g02_unusable_evidence_is_low_with_the_reason() {
    let now = at("2026-03-05T12:00:00Z");
    let field = |value: DateValue| DateEvidence::Field {
        name: "created".into(),
        value,
    };
    for (evidence, word) in [
        (field("yesterday".into()), "\"yesterday\" is not a date"),
        (field("  ".into()), "is empty"),
        (field(DateValue::EpochSeconds(0)), "no date"),
        (field(DateValue::EpochSeconds(-5)), "no date"),
        (field(DateValue::EpochSeconds(1_767_225)), "no date"),
        (field(DateValue::EpochSeconds(1_767_225_600_000)), "milliseconds"),
        (field(DateValue::EpochSeconds(i64::MIN)), "milliseconds"),
        (field(DateValue::EpochSeconds(i64::MAX)), "milliseconds"),
        (field("1970-01-01T00:00:00Z".into()), "no date"),
        (field("1970-01-01".into()), "no date"),
        (field("1900-01-01".into()), "no date"),
        (DateEvidence::YearOnly(2025), "year 2025"),
        (field("2026-03-05T12:06:00Z".into()), "future"),
        (field("2026-03-07".into()), "future"),
        (field("2036-01-01".into()), "future"),
    ] {
        let resolved = resolve(&evidence, now);
        assert_eq!((resolved.instant, resolved.shown), (None, None), "{evidence:?}");
        assert_eq!(resolved.confidence, Confidence::Low, "{evidence:?}");
        assert!(
            resolved.note.as_ref().unwrap().contains(word),
            "{evidence:?}: {:?}",
            resolved.note
        );
    }
    assert_eq!(resolve(&DateEvidence::None, now), Resolved::unknown());
}

#[test]
fn g02_a_year_of_old_is_one_and_a_time_without_a_zone_is_a_day() {
    let now = at("2026-03-05T12:00:00Z");
    for (text, day) in [
        ("1970-08-24", "1970-08-24"),
        ("1970-01-02", "1970-01-02"),
        ("1969-12-31", "1969-12-31"),
        ("2026-03-01T14:30:00", "2026-03-01"),
        ("2026-03-01 14:30", "2026-03-01"),
    ] {
        let resolved = resolve(&DateEvidence::field("created", text), now);
        assert_eq!(resolved.shown.as_deref(), Some(day), "{text}");
        assert_eq!(resolved.confidence, Confidence::High, "{text}");
    }
    let seconds = resolve(&DateEvidence::field("created", 20_000_000), now);
    assert_eq!(seconds.shown.as_deref(), Some("1970-08-20T11:33:20.000Z"));
}

#[test]
fn g03_clocks_may_differ_by_five_minutes() {
    let now = at("2026-03-05T12:00:00Z");
    let four = resolve(&DateEvidence::field("t", "2026-03-05T12:04:00Z"), now);
    assert_eq!(four.shown.as_deref(), Some("2026-03-05T12:04:00.000Z"));
    assert_eq!(four.confidence, Confidence::High);
    assert_eq!(
        resolve(&DateEvidence::field("t", "2026-03-05T12:06:00Z"), now).instant,
        None
    );
}

#[test]
fn confidence_follows_the_kind_of_evidence_and_precision_is_kept() {
    let now = at("2026-03-05T12:00:00Z");
    let seconds = resolve(&DateEvidence::field("t", 1_767_225_600_i64), now);
    assert_eq!(seconds.shown.as_deref(), Some("2026-01-01T00:00:00.000Z"));
    assert_eq!(seconds.confidence, Confidence::High);
    let signal = resolve(
        &DateEvidence::signal("visible date", NaiveDate::from_ymd_opt(2026, 1, 2).unwrap()),
        now,
    );
    assert_eq!(signal.shown.as_deref(), Some("2026-01-02"));
    assert_eq!(signal.confidence, Confidence::Medium);
    assert!(signal.day_only() && !seconds.day_only());
}

#[test]
fn a_day_is_future_only_where_it_has_begun_nowhere() {
    let day = |text: &str, now: &str| {
        let day: NaiveDate = text.parse().unwrap();
        for evidence in [DateEvidence::field("d", day), DateEvidence::field("d", text)] {
            let resolved = resolve(&evidence, at(now));
            assert_eq!(resolved.instant.is_some(), resolved.shown.is_some());
            assert!(resolved.shown.as_deref().is_none_or(|shown| shown == text));
            if resolved.instant.is_none() {
                return false;
            }
        }
        true
    };
    // Singapore's day begins at 16:00 UTC of the day before, Kiribati's at 10:00.
    assert!(day("2026-11-22", "2026-11-21T16:00:00Z"));
    assert!(day("2026-11-22", "2026-11-21T10:00:00Z"));
    assert!(!day("2026-11-22", "2026-11-21T09:59:59Z"));
    assert!(!day("2026-11-23", "2026-11-21T23:00:00Z"));
    // A time of that day is another matter.
    let time = DateEvidence::field("d", "2026-11-22T00:00:00Z");
    assert_eq!(resolve(&time, at("2026-11-21T16:00:00Z")).instant, None);
}

proptest! {
    #[test]
    fn reading_never_panics(text in "\\PC{0,80}") {
        let _ = parse_instant(&text);
    }

    #[test]
    fn date_like_noise_never_panics(text in "[0-9TZW:+., -]{0,40}") {
        let _ = parse_instant(&text);
    }

    #[test]
    fn instants_are_written_the_way_of_rfc_3339(millis in -62_200_000_000_000_i64..253_500_000_000_000) {
        let instant = DateTime::from_timestamp_millis(millis).unwrap();
        prop_assert_eq!(iso_millis(instant), instant.to_rfc3339_opts(SecondsFormat::Millis, true));
    }

    #[test]
    fn what_we_write_we_read(millis in 0_i64..4_102_444_800_000) {
        let instant = Utc.timestamp_millis_opt(millis).unwrap();
        prop_assert_eq!(parse_instant(&iso_millis(instant)).unwrap().instant, instant);
        prop_assert_eq!(parse_instant(&instant.to_rfc2822()).unwrap().instant.timestamp(), millis / 1000);
    }

    #[test]
    fn no_date_after_the_retrieval(seconds in any::<i64>()) {
        let now = at("2026-03-05T12:00:00Z");
        let resolved = resolve(&DateEvidence::field("t", seconds), now);
        prop_assert!(resolved.instant.is_none_or(|instant| !is_future(instant, now)));
        prop_assert_eq!(resolved.instant.is_none(), resolved.confidence == Confidence::Low);
    }
}
