use std::collections::HashSet;

use proptest::prelude::*;

use super::search::WINDOW;
use super::*;
use crate::error::ErrorCode;
use crate::wire::Headers;

fn headers(pairs: &[(&str, &str)]) -> Headers {
    Headers(
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    )
}

fn html(status: u16, body: &str) -> Option<BlockPage> {
    recognise(status, "text/html", &Headers::default(), body.as_bytes())
}

#[test]
fn the_table_is_well_formed() {
    let mut seen = HashSet::new();
    for mark in FINGERPRINTS.into_iter().flatten() {
        assert_eq!(
            mark.needle,
            mark.needle.to_ascii_lowercase(),
            "needles are lower case"
        );
        assert!(
            mark.needle.len() >= WINDOW,
            "{:?} is too short to be a mark",
            mark.needle
        );
        assert!(!mark.vendor.is_empty());
        assert!(seen.insert(mark.needle), "{:?} is listed twice", mark.needle);
    }
    assert!(seen.len() > 250);
}

#[test]
fn stock_pages_are_recognised_whatever_the_status() {
    let challenge = "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>";
    for status in [200, 403, 503] {
        let block_page = html(status, challenge).unwrap();
        assert_eq!(
            (block_page.vendor, block_page.code),
            ("Cloudflare", ErrorCode::Challenge)
        );
        assert!(block_page.reason.contains("Cloudflare"));
    }
    let rejected = "<html><title>Request Rejected</title><body>The requested URL was rejected. Please consult with your administrator.</body></html>";
    assert_eq!(html(200, rejected).unwrap().code, ErrorCode::AccessDenied);
    assert_eq!(
        html(200, "<title>x</title>This domain is parked").unwrap().code,
        ErrorCode::NotFound
    );
}

#[test]
fn a_mark_at_the_very_end_of_a_large_shell_counts() {
    let mut shell = "<script>var a = 1;</script>".repeat(60_000);
    shell.push_str("<p>You've been blocked by network security.</p>");
    assert!(shell.len() > 1_500_000);
    assert_eq!(html(200, &shell).unwrap().vendor, "Reddit");
}

#[test]
fn an_article_about_a_wall_is_none() {
    let prose =
        "<p>The committee met in spring and heard nine witnesses about the harbour and its fences.</p>"
            .repeat(30);
    let article = format!(
        "<title>Outage</title><h1>Outage</h1>{prose}<p>Visitors saw \"Sorry, you have been blocked\".</p>"
    );
    assert_eq!(html(200, &article), None);
    assert_eq!(
        html(
            200,
            "<title>Home</title><p>A page with a form.</p><div class=\"g-recaptcha\"></div>"
                .repeat(6)
                .as_str()
        ),
        None
    );
}

#[test]
fn a_hint_needs_a_refusal_or_an_empty_page() {
    let shell = "<html><body><script>window['__CF$cv$params']={r:'1'}</script></body></html>";
    assert_eq!(html(200, shell).unwrap().vendor, "Cloudflare");
    let form = format!(
        "<div class=\"h-captcha\"></div>{}",
        "<p>Vehicle make, model and year of the first registration</p>".repeat(5)
    );
    assert_eq!(html(200, &form), None);
    assert_eq!(html(403, &form).unwrap().vendor, "hCaptcha");
}

#[test]
fn vendors_that_say_so_in_headers_are_believed() {
    let block_page = recognise(
        200,
        "application/json",
        &headers(&[("cf-mitigated", "challenge")]),
        b"{}",
    )
    .unwrap();
    assert_eq!(
        (block_page.vendor, block_page.code),
        ("Cloudflare", ErrorCode::Challenge)
    );
    let limited = recognise(
        429,
        "text/html",
        &headers(&[("server", "AkamaiGHost")]),
        b"<p>no</p>",
    )
    .unwrap();
    assert_eq!((limited.vendor, limited.code), ("Akamai", ErrorCode::RateLimited));
    assert_eq!(
        recognise(
            200,
            "text/html",
            &headers(&[("server", "AkamaiGHost")]),
            b"<p>Welcome to the site</p>"
        ),
        None
    );
    assert_eq!(
        recognise(
            404,
            "text/html",
            &headers(&[("server", "AkamaiGHost")]),
            b"<p>gone</p>"
        ),
        None
    );
}

#[test]
fn json_block_pages_are_recognised_and_json_data_is_not() {
    let body = br#"{"url":"https://geo.captcha-delivery.com/captcha/?cid=1"}"#;
    assert_eq!(
        recognise(403, "application/json", &Headers::default(), body)
            .unwrap()
            .vendor,
        "DataDome"
    );
    let data = format!(
        "{{\"posts\":[{}]}}",
        "{\"title\":\"sorry, you have been blocked\",\"text\":\"what does it mean?\"},".repeat(400)
    );
    assert_eq!(
        recognise(200, "application/json", &Headers::default(), data.as_bytes()),
        None
    );
}

proptest! {
    #[test]
    fn any_answer_is_survived(status in 100_u16..600, body in prop::collection::vec(any::<u8>(), 0..300)) {
        let first = recognise(status, "text/html", &Headers::default(), &body);
        prop_assert_eq!(first, recognise(status, "text/html", &Headers::default(), &body));
    }

    #[test]
    fn any_markup_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "<", ">", "<script>", "</script>", "<a ", "</a>", "</", "<title>", "x", " ", "_cf_chl_opt", "é", "<!--",
    ]), 0..50)) {
        let _ = html(200, &parts.concat());
    }
}
