//! Tests of what pages say of their own standing.

use super::super::page;
use super::*;

fn now() -> DateTime<Utc> {
    "2026-10-10T00:00:00Z".parse().unwrap()
}

fn read(head: &str, body: &str) -> Vec<StandingEvidence> {
    let address = Url::parse("https://docs.example.com/v2/notes").unwrap();
    let html = format!(
        "<!doctype html><html><head><title>Release notes</title>{head}</head><body>{body}\
        <main><h1>Release notes</h1><h2>2.4.0 (2026-10-05)</h2><p>Added a thing that people asked for, in a longer line.</p>\
        <h2>2.3.0 (2026-08-05)</h2><p>Fixed a thing that people reported, in a longer line.</p></main></body></html>"
    );
    page::read(&html, &address, now()).standing
}

#[test]
fn a_banner_speaks_for_its_page() {
    let signs = read(
        "",
        r#"<div class="outdated-banner">This document has been superseded by <a href="/v3/notes">the notes of 3.0</a>.</div>"#,
    );
    let [sign] = signs.as_slice() else {
        panic!("{signs:?}")
    };
    assert_eq!(sign.state, StandingState::Superseded);
    let by = sign.replaced_by.as_ref().unwrap();
    assert_eq!(by.url.as_deref(), Some("https://docs.example.com/v3/notes"));
    assert!(sign.reason.as_ref().unwrap().starts_with("This document"));
    for body in [
        // Another role, other words, no banner.
        r#"<div role="alert">Version 1 is no longer supported.</div>"#,
        r#"<div role="status" class="x">This is the documentation for Example 2.</div>"#,
        r#"<div class="warning">This feature is deprecated.</div>"#,
        r#"<link rel="latest-version" href="/v2/notes">"#,
    ] {
        assert_eq!(read("", body), [], "{body}");
    }
}

#[test]
fn a_banner_among_the_entries_is_about_its_entry() {
    let html = r#"<title>Release notes</title><main><h1>Release notes</h1><h2>2.4.0 (2026-10-05)</h2><p>Added a thing.</p>
        <h2>2.3.0 (2026-08-05)</h2><div class="admonition warning">This version is deprecated.</div><p>Fixed a thing.</p></main>"#;
    let address = Url::parse("https://docs.example.com/notes").unwrap();
    let page = page::read(html, &address, now());
    assert_eq!((page.releases.len(), page.standing), (2, Vec::new()));
}

#[test]
fn links_to_a_successor() {
    let signs = read(r#"<link rel="successor-version" href="/v3/notes">"#, "");
    let by = signs[0].replaced_by.as_ref().and_then(|by| by.url.as_deref());
    assert_eq!(
        (signs[0].state, by),
        (
            StandingState::Superseded,
            Some("https://docs.example.com/v3/notes")
        )
    );
    for head in [
        r#"<link rel="canonical" href="/v3/notes">"#,
        r#"<link rel="latest-version" href="/v3/notes">"#,
        r#"<link rel="successor-version" href="/v2/notes">"#,
        r#"<link rel="successor-version">"#,
    ] {
        assert_eq!(read(head, ""), [], "{head}");
    }
}

#[test]
fn a_day_until_which_the_page_holds() {
    let of = |json: &str| {
        read(
            &format!(r#"<script type="application/ld+json">{json}</script>"#),
            "",
        )
    };
    let signs = of(r#"{"@context":"https://schema.org","@type":"JobPosting","validThrough":"2026-09-30"}"#);
    assert_eq!(
        (signs[0].state, signs[0].field.as_ref()),
        (StandingState::Closed, "validThrough")
    );
    assert!(signs[0].since.is_some());
    let signs = of(
        r#"{"@graph":[{"@type":"WebSite"},{"@type":["WebPage"],"url":"https://docs.example.com/v2/notes","expires":"2026-09-30T00:00:00Z"}]}"#,
    );
    assert_eq!(
        (signs[0].state, signs[0].field.as_ref()),
        (StandingState::Closed, "expires")
    );
    for json in [
        r#"{"@type":"JobPosting","validThrough":"2026-12-30"}"#,
        r#"{"@type":"JobPosting","validThrough":"2026-10-09"}"#,
        r#"{"@type":"JobPosting","valid_through":"2026-09-30"}"#,
        r#"{"@type":"JobPosting","validThrough":"soon"}"#,
        r#"{"@type":"Product","offers":{"@type":"Offer","validThrough":"2026-09-30"}}"#,
        r#"{"@type":"Offer","validThrough":"2026-09-30"}"#,
        r#"{"@type":"WebPage","url":"https://docs.example.com/other","expires":"2026-09-30"}"#,
        r#"[{"@type":"JobPosting","validThrough":"2026-09-30"},{"@type":"JobPosting","validThrough":"2026-09-29"}]"#,
        r#"{"@type":"JobPosting","validThrough":"2026-09-30""#,
    ] {
        assert_eq!(of(json), [], "{json}");
    }
}
