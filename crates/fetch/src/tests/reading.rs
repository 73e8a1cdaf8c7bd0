//! Rows B10 and B13 to B15 without network: classification of answers by status, marker and form.

use bytes::Bytes;
use chrono::DateTime;
use freshcontext_contract::{
    CacheValidity, Descriptor, ErrorCode, Headers, Marker, Media, StatusRule, When, hosts,
};

use crate::exchange::Answer;
use crate::reading::{Expected, contains, validate};
use crate::testing::descriptor;

const NOW: i64 = 1_794_000_000;

fn answer(status: u16, media: &str, body: &str) -> Answer {
    Answer {
        status,
        headers: Headers(vec![("content-type".to_owned(), media.to_owned())]),
        body: Bytes::copy_from_slice(body.as_bytes()),
        retrieved_at: DateTime::from_timestamp(NOW, 0).unwrap(),
        arrived: std::time::Instant::now(),
        validity: CacheValidity::default(),
        key_refused: None,
        held: crate::holding::Held::default(),
    }
}

fn verdict(answer: &Answer, expect: Media, descriptor: &Descriptor) -> Result<(), (ErrorCode, bool)> {
    let expected = Expected {
        expect,
        accept_status: &[],
    };
    validate(
        answer,
        expected,
        descriptor,
        "api.test.org",
        answer.retrieved_at,
        3_600,
    )
    .map_err(|failure| {
        assert_eq!(failure.http_status, Some(answer.status));
        (
            failure.code,
            failure.retry == freshcontext_contract::Retry::Temporary,
        )
    })
}

fn shape(media: &str, body: &str, expect: Media) -> Result<(), ErrorCode> {
    verdict(&answer(200, media, body), expect, &descriptor("plain")).map_err(|(code, _)| code)
}

#[test]
fn b10_the_common_table() {
    use ErrorCode::{AccessDenied, NotFound, RateLimited, UpstreamError};
    for (status, code, temporary) in [
        (400, UpstreamError, false),
        (401, AccessDenied, false),
        (403, AccessDenied, false),
        (404, NotFound, false),
        (406, UpstreamError, false),
        (410, NotFound, false),
        (418, UpstreamError, false),
        (429, RateLimited, true),
        (451, AccessDenied, false),
        (500, UpstreamError, true),
        (501, UpstreamError, false),
        (502, UpstreamError, true),
        (503, UpstreamError, true),
        (504, UpstreamError, true),
    ] {
        let answer = answer(status, "application/json", "{}");
        assert_eq!(
            verdict(&answer, Media::Json, &descriptor("plain")),
            Err((code, temporary)),
            "{status}"
        );
    }
}

#[test]
fn b13_a_sources_own_rules_come_first() {
    const RULES: &[StatusRule] = &[
        StatusRule::body(
            403,
            "Request Rate Threshold Exceeded",
            ErrorCode::RateLimited,
            "too many requests",
        ),
        StatusRule::new(406, ErrorCode::RateLimited).saying("slow down"),
        StatusRule::new(404, ErrorCode::AccessDenied)
            .when(When::HeaderIs("x-reason", "gone"))
            .saying("private"),
    ];
    let mut own = descriptor("own");
    own.status_rules = RULES;
    let throttled = answer(403, "text/html", "<h1>request rate THRESHOLD exceeded</h1>");
    assert_eq!(
        verdict(&throttled, Media::Json, &own),
        Err((ErrorCode::RateLimited, true))
    );
    let denied = answer(403, "text/html", "<h1>no</h1>");
    assert_eq!(
        verdict(&denied, Media::Json, &own),
        Err((ErrorCode::AccessDenied, false))
    );
    assert_eq!(
        verdict(&answer(406, "", ""), Media::Xml, &own),
        Err((ErrorCode::RateLimited, true))
    );
    let mut private = answer(404, "", "");
    assert_eq!(
        verdict(&private, Media::Json, &own),
        Err((ErrorCode::NotFound, false))
    );
    private.headers.0.push(("x-reason".into(), "Gone".into()));
    assert_eq!(
        verdict(&private, Media::Json, &own),
        Err((ErrorCode::AccessDenied, false))
    );
}

#[test]
fn a_403_that_speaks_of_limits_is_a_limit() {
    let mut limited = answer(403, "application/json", "{}");
    limited
        .headers
        .0
        .push(("x-ratelimit-remaining".into(), "0".into()));
    limited
        .headers
        .0
        .push(("x-ratelimit-reset".into(), (NOW + 60).to_string()));
    let expected = Expected {
        expect: Media::Json,
        accept_status: &[],
    };
    let failure = validate(
        &limited,
        expected,
        &descriptor("plain"),
        "h.org",
        limited.retrieved_at,
        3_600,
    )
    .unwrap_err();
    assert_eq!(failure.code, ErrorCode::RateLimited);
    assert_eq!(failure.retry_after, Some(std::time::Duration::from_mins(1)));
}

#[test]
fn accepted_statuses_are_the_adapters_to_read() {
    let expected = Expected {
        expect: Media::Json,
        accept_status: &[404, 204],
    };
    for status in [404, 204] {
        let answer = answer(status, "text/html", "");
        assert!(
            validate(
                &answer,
                expected,
                &descriptor("plain"),
                "h.org",
                answer.retrieved_at,
                1
            )
            .is_ok()
        );
    }
}

#[test]
fn markers_are_known_by_their_text_whatever_the_status() {
    let mut own = descriptor("own");
    own.markers = &[Marker {
        contains: "our systems have detected unusual traffic",
        code: ErrorCode::Challenge,
        message: "the source wants a person",
    }];
    let page = "{\"html\": \"Our systems have detected unusual traffic from your network\"}";
    assert_eq!(
        verdict(&answer(200, "application/json", page), Media::Json, &own),
        Err((ErrorCode::Challenge, false))
    );
    assert_eq!(
        verdict(&answer(429, "text/html", page), Media::Json, &own),
        Err((ErrorCode::Challenge, false))
    );
}

#[test]
fn b14_a_challenge_where_data_is_due() {
    let page = "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={}</script></body></html>";
    for expect in [Media::Json, Media::Xml, Media::Csv, Media::Text, Media::Html] {
        assert_eq!(
            shape("text/html", page, expect),
            Err(ErrorCode::Challenge),
            "{expect:?}"
        );
    }
    assert_eq!(
        verdict(&answer(403, "text/html", page), Media::Json, &descriptor("plain")),
        Err((ErrorCode::Challenge, false))
    );
}

#[test]
fn b15_other_things_where_data_is_due() {
    let html = "<html><body><h1>Service error</h1></body></html>";
    for expect in [Media::Json, Media::Xml, Media::Csv, Media::Text] {
        assert_eq!(
            shape("text/html", html, expect),
            Err(ErrorCode::Malformed),
            "{expect:?}"
        );
    }
    for expect in [Media::Json, Media::Xml, Media::Csv] {
        for empty in ["", " \r\n", "\u{feff}"] {
            assert_eq!(shape("", empty, expect), Err(ErrorCode::Malformed), "{expect:?}");
        }
    }
    assert_eq!(
        shape("application/json", "<?xml version='1.0'?><error/>", Media::Json),
        Err(ErrorCode::Malformed)
    );
    assert_eq!(
        shape("application/xml", "{\"error\": 1}", Media::Xml),
        Err(ErrorCode::Malformed)
    );
    let xhtml =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\"><html xmlns=\"x\"></html>";
    assert_eq!(shape("text/xml", xhtml, Media::Xml), Err(ErrorCode::Malformed));
    assert_eq!(
        shape("text/html", "<!-- x --> <!doctype HTML><p>", Media::Csv),
        Err(ErrorCode::Malformed)
    );
}

#[test]
fn right_shapes_pass_under_wrong_labels() {
    assert_eq!(shape("text/html", "{\"a\": 1}", Media::Json), Ok(()));
    assert_eq!(shape("text/plain", "\u{feff}[]", Media::Json), Ok(()));
    assert_eq!(
        shape(
            "text/html",
            "<?xml version='1.0'?><feed><title>x</title></feed>",
            Media::Xml
        ),
        Ok(())
    );
    assert_eq!(shape("application/octet-stream", "a,b\n1,2", Media::Csv), Ok(()));
    assert_eq!(shape("text/plain", "", Media::Text), Ok(()));
    assert_eq!(shape("text/plain", "# Title\n<img src=x>", Media::Text), Ok(()));
    assert_eq!(
        shape(
            "text/html",
            "<!doctype html><title>Error handling in Rust</title><p>text",
            Media::Html
        ),
        Ok(())
    );
    assert_eq!(shape("text/html", "", Media::Any), Ok(()));
}

#[test]
fn texts_are_found_whatever_their_case() {
    assert!(contains(b"xx Request RATE", "request rate"));
    assert!(!contains(b"request rat", "request rate"));
    assert!(!contains(b"anything", ""));
}

/// Returns the result for a host's answer, for a source without its own rules: code, seconds to wait, message.
fn told(host: &str, status: u16, headers: &[(&str, &str)], body: &str) -> (ErrorCode, Option<u64>, String) {
    let mut answer = answer(status, "application/json", body);
    let more = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    answer.headers.0.extend(more);
    let expected = Expected {
        expect: Media::Json,
        accept_status: &[],
    };
    let own = descriptor("guest");
    let failure = validate(&answer, expected, &own, host, answer.retrieved_at, 3_600).unwrap_err();
    let wait = failure.retry_after.map(|wait| wait.as_secs());
    (failure.code, wait, failure.message)
}

#[test]
fn a_404_counts_only_in_the_form_of_the_interface() {
    let (own, foreign) = (ErrorCode::NotFound, ErrorCode::Malformed);
    for (host, body, code) in [
        ("registry.npmjs.org", r#"{"error":"Not found"}"#, own),
        ("registry.npmjs.org", r#""version not found: 9.9.9""#, own),
        (
            "registry.npmjs.org",
            "<html>Your organisation has blocked access</html>",
            foreign,
        ),
        ("registry.npmjs.org", r#"{"name":"x"}"#, foreign),
        ("pypi.org", r#"{"message": "Not Found"}"#, own),
        ("pypi.org", "", foreign),
        ("crates.io", r#"{"errors":[{"detail":"Not Found"}]}"#, own),
        ("crates.io", "<html>", foreign),
        ("api.github.com", r#"{"message":"Not Found","status":"404"}"#, own),
        ("api.github.com", "not found", foreign),
        ("hacker-news.firebaseio.com", "blocked", foreign),
        // Other hosts say it in their own ways.
        ("data.sec.gov", "<Error><Code>NoSuchKey</Code></Error>", own),
    ] {
        assert_eq!(told(host, 404, &[], body).0, code, "{host} {body}");
    }
    let challenge = "<title>Just a moment...</title>Checking your browser";
    let asked = told("pypi.org", 404, &[("cf-mitigated", "challenge")], challenge);
    assert_eq!(asked.0, ErrorCode::Challenge);
}

#[test]
fn github_refuses_every_source_in_the_same_words() {
    let host = hosts::GITHUB_REFUSALS.hosts[0];
    let left = |left| ("x-ratelimit-remaining", left);
    let reset = (NOW + 90).to_string();
    let far = (NOW + 86_400).to_string();
    let (limited, denied) = (ErrorCode::RateLimited, ErrorCode::AccessDenied);
    for (status, headers, body, code, wait, words) in [
        (
            403,
            vec![left("0"), ("x-ratelimit-reset", &*reset)],
            "{}",
            limited,
            Some(90),
            "allowance",
        ),
        (
            429,
            vec![left("0"), ("x-ratelimit-reset", &*reset)],
            "{}",
            limited,
            Some(90),
            "allowance",
        ),
        (
            403,
            vec![left("0"), ("x-ratelimit-reset", &*far)],
            "{}",
            limited,
            Some(3_600),
            "allowance",
        ),
        (403, vec![left("0")], "{}", limited, Some(60), "allowance"),
        (
            403,
            vec![("retry-after", "30")],
            "{}",
            limited,
            Some(30),
            "secondary",
        ),
        (
            403,
            vec![("retry-after", "99999"), left("57")],
            "{}",
            limited,
            Some(3_600),
            "secondary",
        ),
        (
            403,
            vec![left("57")],
            "{\"message\":\"You have exceeded a Secondary Rate Limit\"}",
            limited,
            Some(60),
            "secondary",
        ),
        (
            429,
            vec![],
            "{\"message\":\"You have triggered an abuse detection mechanism\"}",
            limited,
            Some(60),
            "secondary",
        ),
        (
            403,
            vec![],
            "{\"message\":\"API rate limit exceeded for 203.0.113.7\"}",
            limited,
            Some(60),
            "allowance",
        ),
        (
            429,
            vec![("retry-after", "soon")],
            "{}",
            limited,
            Some(60),
            "secondary",
        ),
        (429, vec![], "{}", limited, Some(60), "secondary"),
        (
            403,
            vec![left("57")],
            "{\"message\":\"Resource not accessible\"}",
            denied,
            None,
            "refused",
        ),
        (403, vec![], "{}", denied, None, "refused"),
        (
            401,
            vec![],
            "{\"message\":\"Bad credentials\"}",
            ErrorCode::Misconfigured,
            None,
            "GITHUB_TOKEN",
        ),
        (
            404,
            vec![],
            "{}",
            ErrorCode::NotFound,
            None,
            "nothing at this address",
        ),
        (451, vec![], "{}", denied, None, "refused"),
    ] {
        let (found, waits, said) = told(host, status, &headers, body);
        assert_eq!((found, waits), (code, wait), "{status} {headers:?} {body}");
        assert!(said.contains(words), "{status} {headers:?} {body}: {said}");
    }
}

#[test]
fn what_github_would_mean_is_not_said_of_others() {
    let spent = [("x-ratelimit-remaining", "0")];
    for host in ["api.test.org", "github.com", "api.github.com.test.org"] {
        let (code, wait, said) = told(host, 403, &spent, "{\"message\":\"API rate limit exceeded\"}");
        assert_eq!((code, wait), (ErrorCode::RateLimited, None), "{host}");
        assert!(!said.contains("GitHub") && said.contains(host), "{said}");
        let (code, _, said) = told(host, 403, &[], "{\"message\":\"secondary rate limit\"}");
        assert_eq!(code, ErrorCode::AccessDenied, "{said}");
        let (code, _, said) = told(host, 401, &[], "{\"message\":\"Bad credentials\"}");
        assert_eq!(code, ErrorCode::AccessDenied, "{said}");
    }
}
