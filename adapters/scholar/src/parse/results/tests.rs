use super::*;
use proptest::prelude::*;

const PAGE: &str = include_str!("../../../../../fixtures/scholar/ok/01.body.html");
const OLD: &str = include_str!("../../../../../fixtures/scholar/old_layout/01.body.html");
const DATED: &str = include_str!("../../../../../fixtures/scholar/by_date/01.body.html");

fn now() -> DateTime<Utc> {
    "2026-01-05T12:00:00Z".parse().unwrap()
}

fn code(page: &str) -> ErrorCode {
    results(page, false, now()).unwrap_err().code
}

#[test]
fn rows_give_title_year_citations_and_full_text() {
    let page = results(PAGE, false, now()).unwrap();
    assert_eq!(
        (page.items.len(), page.total, page.years),
        (4, Some(1234), Some((1999, 2026)))
    );
    let first = &page.items[0];
    assert_eq!(first.title, "Graph networks & attention: a study");
    assert_eq!(first.url.as_deref(), Some("https://journal.example.com/a?id=1"));
    assert_eq!(first.id.as_deref(), Some("AbCdEf123"));
    assert_eq!(first.date, DateEvidence::YearOnly(2019));
    assert_eq!(first.fields["venue"], "arXiv preprint arXiv:1907.11692");
    assert_eq!(
        (&first.fields["cited_by"], &first.fields["versions"]),
        (&1234.into(), &12.into())
    );
    assert_eq!(
        first.fields["full_text"],
        "https://arxiv.example.org/pdf/1907.11692"
    );
    assert_eq!(first.fields["type"], "pdf");
    assert_eq!(first.fields["authors_cut"], true);
    assert!(first.summary.starts_with("We study graph networks"));
}

#[test]
fn a_citation_has_no_link_and_maybe_no_year() {
    let page = results(PAGE, false, now()).unwrap();
    let citation = &page.items[1];
    assert_eq!(
        (citation.title.as_str(), citation.url.as_deref()),
        ("An unlinked report", None)
    );
    assert_eq!(citation.fields["type"], "citation");
    assert_eq!(citation.fields["year"], 1999);
    assert_eq!(citation.summary, "");
    assert_eq!(page.items[2].date, DateEvidence::None);
    assert!(!page.items[2].fields.contains_key("cited_by"));
    assert_eq!(
        page.items[3].date,
        DateEvidence::YearOnly(2026),
        "this year, in January"
    );
}

#[test]
fn the_layout_of_2016_is_read() {
    let page = results(OLD, false, now()).unwrap();
    assert_eq!(page.items.len(), 1);
    assert_eq!(page.items[0].fields["year"], 2012);
    assert_eq!(page.items[0].title, "Unsupervised learning reviewed");
    assert_eq!(page.items[0].id.as_deref(), Some("777"));
}

#[test]
fn ages_count_only_where_the_list_is_sorted_by_date() {
    let page = results(DATED, true, now()).unwrap();
    let day = "2026-01-02"
        .parse::<freshcontext_contract::chrono::NaiveDate>()
        .unwrap();
    assert!(matches!(&page.items[0].date, DateEvidence::PageSignal { value, .. } if *value == day.into()));
    assert_eq!(page.items[0].summary, "The newest abstract.");
    let page = results(DATED, false, now()).unwrap();
    assert_eq!(page.items[0].date, DateEvidence::YearOnly(2026));
}

#[test]
fn none_a_wall_and_a_changed_page_are_three_things() {
    let none = "<html><body><p>Your search - <b>x</b> - did not match any articles.</p></body></html>";
    assert!(results(none, false, now()).unwrap().items.is_empty());
    let inline = "<html><body><div id=\"gs_ab_md\">About 31 results (0.05 sec)</div><form id=\"gs_captcha_f\"></form></body></html>";
    assert_eq!(code(inline), ErrorCode::Challenge);
    let sorry = "<html><body><form action=\"index\"><div class=\"g-recaptcha\"></div></form></body></html>";
    assert_eq!(code(sorry), ErrorCode::Challenge);
    assert_eq!(
        code("<html><body>Something new</body></html>"),
        ErrorCode::Malformed
    );
    assert_eq!(code(""), ErrorCode::Malformed);
    let hidden = "<html><body><div style=\"display:none\">The system can't perform the operation now. Try again later.</div></body></html>";
    assert_eq!(
        code(hidden),
        ErrorCode::Malformed,
        "that notice is hidden in every page and proves nothing"
    );
}

#[test]
fn redirects_and_statuses_tell_the_wall() {
    let to = |target: &str| Headers(vec![("location".to_owned(), target.to_owned())]);
    let code =
        |status, headers: &Headers, body: &[u8]| refusal(status, headers, body).map(|error| error.code);
    let none = Headers::default();
    assert_eq!(
        code(302, &to("https://www.google.com/sorry/index?continue=x"), b""),
        Some(ErrorCode::Challenge)
    );
    assert_eq!(
        code(302, &to("https://consent.google.com/m?continue=x"), b""),
        Some(ErrorCode::AccessDenied)
    );
    assert_eq!(
        code(302, &to("https://accounts.google.com/ServiceLogin"), b""),
        Some(ErrorCode::AccessDenied)
    );
    assert_eq!(
        code(302, &to("https://scholar.google.de/"), b""),
        Some(ErrorCode::UpstreamError)
    );
    assert_eq!(code(403, &none, b""), Some(ErrorCode::AccessDenied));
    assert_eq!(
        code(
            429,
            &none,
            b"<a href=//support.google.com/websearch/answer/86640>"
        ),
        Some(ErrorCode::Challenge)
    );
    assert_eq!(code(429, &none, b""), Some(ErrorCode::RateLimited));
    assert_eq!(code(503, &none, b""), Some(ErrorCode::UpstreamError));
    assert_eq!(code(200, &none, b""), None);
}

#[test]
fn counts_are_read_in_any_number_format() {
    for (line, want) in [
        ("About 8,390,000 results (<b>0.13</b> sec)", Some(8_390_000)),
        ("Ungefähr 1.234 Ergebnisse (<b>0,05</b> Sek.)", Some(1234)),
        ("7 results", Some(7)),
        ("", None),
    ] {
        let page = format!("<div id=gs_ab_md>{line}</div><div class=gs_r><h3 class=gs_rt>T</h3></div>");
        assert_eq!(results(&page, false, now()).unwrap().total, want, "{line}");
    }
}

proptest! {
    #[test]
    fn any_prefix_gives_a_page_or_an_error_of_ours(cut in 0usize..6_000) {
        let body: String = PAGE.chars().take(cut).collect();
        if let Err(error) = results(&body, true, now()) {
            prop_assert!(matches!(error.code, ErrorCode::Malformed | ErrorCode::Challenge));
        }
    }
}

#[test]
fn the_total_is_the_last_number_of_its_line() {
    for (line, total) in [
        ("About 1,234 results ", Some(1_234)),
        ("Page 2 of about 79.800 results ", Some(79_800)),
        ("Page 12 of about 8\u{a0}390\u{202f}000 results", Some(8_390_000)),
        ("Page 3 of 25 results", Some(25)),
        ("2 results", Some(2)),
        ("Page 2 of 1'000 results", Some(1_000)),
        ("Results 2020 300", Some(300)),
        ("no results", None),
        ("", None),
        ("... 99999999999999999999 results", None),
    ] {
        assert_eq!(last_number(line), total, "{line}");
    }
}
