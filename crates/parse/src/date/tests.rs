use super::*;
use proptest::prelude::*;

fn day_of(text: &str) -> Option<String> {
    find(text)
        .and_then(|found| found.day(None))
        .map(|day| day.to_string())
}

#[test]
fn days_and_months_in_addresses() {
    for (path, date) in [
        ("/2024/05/06/title", "2024-05-06"),
        ("/read/2025/12/28/1551/x", "2025-12-28"),
        ("/elections/2020/8/19/2137/x", "2020-08-19"),
        ("/news/20200806/crab", "2020-08-06"),
        ("/2024-05-06/title", "2024-05-06"),
        ("/local/2024-05/06/c_1125", "2024-05-06"),
        ("/2024/may/6/title", "2024-05-06"),
        ("/blog/2024/05/title", "2024-05"),
        ("/2021/03/", "2021-03"),
        ("/blog/2024/5/", "2024-05"),
        ("/2024/may/title", "2024-05"),
        ("/news/2024-05", "2024-05"),
    ] {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let found = in_address(&url).map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some(date), "{path}");
    }
    for path in [
        "/",
        "/13/45/2/a",
        "/issues/2019-4/article/x",
        "/local/2024-02/30/c_1125",
        "/2025/02/30/x",
        "/article/12345678",
        "/2021/13/title",
        "/2024/title",
        "/docs/v2024.05/",
        "/8080/05/title",
        "/2024-05-99",
        "/a/1234/12",
        // A day in the words of a title is what the page is about.
        "/2024-05-06-title",
        "/news/2024-05-the-title",
        "/blog/remembering-september-11-2001",
        "/news/results-for-the-quarter-ended-2026-09-30",
        "/what-happened-on-2020/05/06th",
        "/2026-06-31/x",
        // The address of another page.
        "/web/20240506/https://example.com/2019/05/06/x",
        "/copy/https:/example.com/2019/05/06/x",
        "/copy/https%3A%2F%2Fexample.com/2019/05/06/x",
    ] {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        assert_eq!(in_address(&url), None, "{path}");
    }
    let month = PathDate::Month(NaiveDate::from_ymd_opt(2024, 2, 1).unwrap());
    assert_eq!(month.first().to_string(), "2024-02-01");
    assert_eq!(month.last().to_string(), "2024-02-29");
}

#[test]
fn a_day_alone_is_no_instant() {
    for text in [
        "2026-01-31T10:00:00Z",
        "2026-01-31 10:00Z",
        "2026-01-31 10:00 UTC",
        "Sat, 31 Jan 2026 10:00:00 GMT",
    ] {
        let at = instant(text).map(|at| at.to_rfc3339());
        assert_eq!(at.as_deref(), Some("2026-01-31T10:00:00+00:00"), "{text}");
    }
    // Up to 14 hours may lie between it and UTC.
    for text in [
        "2026-01-31T10:00:00",
        "2026-01-31 10:00",
        "2026-01-31T10:00:00.5",
        "Sat, 31 Jan 2026 10:00:00",
    ] {
        let day = "2026-01-31".parse().unwrap();
        assert_eq!(machine(text), Some(DateValue::Day(day)), "{text}");
        assert_eq!(instant(text), None, "{text}");
    }
    for text in ["2026-01-31", "tomorrow", ""] {
        assert_eq!(instant(text), None, "{text}");
    }
}

#[test]
fn dates_in_headings() {
    for (text, day) in [
        ("[1.2.3] - 2024-05-06", "2024-05-06"),
        ("3.11.0 / 2018-03-05", "2018-03-05"),
        ("15.3.1 (2020-03-16)", "2020-03-16"),
        ("Rails 5.2.1 (August 07, 2018) ##", "2018-08-07"),
        ("1.11.1 - December 20, 2017", "2017-12-20"),
        ("27 Nov 2018", "2018-11-27"),
        ("Friday, December 23rd, 2016", "2016-12-23"),
        ("4.33.0 [05-15-2020]", "2020-05-15"),
        ("1.0 (31.12.2019)", "2019-12-31"),
        ("0.0.5から0.0.6の変更点: 2010-08-28", "2010-08-28"),
        ("2024年5月6日", "2024-05-06"),
        ("Dienstag, 29. Januar 2019", "2019-01-29"),
        ("23 de diciembre de 2016", "2016-12-23"),
        ("1er mars 2020", "2020-03-01"),
        ("1.0 2024/05/06", "2024-05-06"),
        ("1.0 (2024 May 6)", "2024-05-06"),
        ("2024 6 May 2025", "2025-05-06"),
        ("released 05-05-2020", "2020-05-05"),
    ] {
        assert_eq!(day_of(text).as_deref(), Some(day), "{text}");
    }
    for text in [
        "1.2.3",
        "May 2020",
        "2020",
        "05-06-2020",
        "2020-13-45",
        "v2024.1",
        "May the 4th",
        "10 May 6",
        "in 2024 May was",
        "99-99-2020",
        "1969-01-01",
    ] {
        assert_eq!(day_of(text), None, "{text}");
    }
}

#[test]
fn ambiguous_dates_are_decided_by_the_rest_of_the_document() {
    assert_eq!(
        order(["05-06-2020", "05-15-2020"].into_iter()),
        Some(Order::MonthFirst)
    );
    assert_eq!(
        order(["05-06-2020", "15-05-2020"].into_iter()),
        Some(Order::DayFirst)
    );
    assert_eq!(
        order(["05-06-2020", "15-05-2020", "05-15-2020"].into_iter()),
        None
    );
    assert_eq!(order(["05-06-2020"].into_iter()), None);
    let found = find("05-06-2020").unwrap();
    assert_eq!(
        found.day(Some(Order::MonthFirst)).unwrap().to_string(),
        "2020-05-06"
    );
    assert_eq!(
        found.day(Some(Order::DayFirst)).unwrap().to_string(),
        "2020-06-05"
    );
}

#[test]
fn a_zone_that_may_be_several_leaves_the_day() {
    let day = DateValue::Day(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
    for text in [
        "Fri, 20 Nov 2026 23:11:12 CET",
        "Fri, 20 Nov 2026 23:11:12 BST",
        "20 Nov 2026 23:11 IST",
        "2026-11-20 23:11:12 CEST",
        "2026-11-20 23:11 (Europe/Berlin)",
        "Freitag, 20 Nov 2026 23:11:12",
        "Fri Nov 20 23:11:12 CET 2026",
        "Fri Nov 20 23:11:12 2026",
    ] {
        assert_eq!(machine(text), Some(day.clone()), "{text}");
    }
    let at = |text: &str| DateValue::Instant(text.parse().unwrap());
    for (text, instant) in [
        ("Fri, 20 Nov 2026 23:11:12 EST", at("2026-11-21T04:11:12Z")),
        ("2026-11-20T23:11:12 +0100", at("2026-11-20T22:11:12Z")),
        ("2026-11-20T23:11:12.5 +01:00", at("2026-11-20T22:11:12.5Z")),
        ("2026-11-20 23:11:12 +0100", at("2026-11-20T22:11:12Z")),
    ] {
        assert_eq!(machine(text), Some(instant), "{text}");
    }
    for text in ["Fri, 20 Nov 2026 00:00:00 GMT", "Fri, 20 Nov 2026 00:00:00 EST"] {
        assert_eq!(day_without_zone(text), None, "{text}");
    }
    for text in ["Friday", "20 Nov CET", "CET", "Fri, 20 Nov 2026 25:00:00 CET"] {
        assert_eq!(machine(text), None, "{text}");
    }
}

#[test]
fn machine_dates() {
    for (text, iso) in [
        ("2020-01-23T11:53:11Z", "2020-01-23T11:53:11+00:00"),
        ("2018-11-16T03:00+00:00", "2018-11-16T03:00:00+00:00"),
        ("2020-01-23T11:53:11+0100", "2020-01-23T10:53:11+00:00"),
        ("Sat, 13 Dec 2025 22:58:29 +0000", "2025-12-13T22:58:29+00:00"),
    ] {
        assert_eq!(
            machine(text)
                .map(|value| match value {
                    DateValue::Instant(at) => at.to_rfc3339(),
                    other => format!("{other:?}"),
                })
                .as_deref(),
            Some(iso),
            "{text}"
        );
    }
    assert!(matches!(machine("2020-01-23"), Some(DateValue::Day(_))));
    for text in ["", "2020", "January 2020", "now"] {
        assert_eq!(machine(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}") {
        let _ = (find(&text), machine(&text), order([text.as_str()].into_iter()));
    }
}
