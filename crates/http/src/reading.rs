//! Reads an answer as far as telling whether it is one: status, the source's own rules and markers,
//! walls, and the outer shape of the body. What is in the body is the adapter's business.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Descriptor, ErrorCode, Headers, Media, When, walls};

use crate::exchange::Answer;
use crate::failure::Failure;
use crate::waits::{asked_wait, exhausted};

/// What the caller can make use of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) expect: Media,
    pub(crate) accept_status: &'static [u16],
}

/// Judges an answer. `Ok` means that it may be handed to the adapter (and cached).
pub(crate) fn judge(
    answer: &Answer,
    wanted: Wanted,
    descriptor: &Descriptor,
    host: &str,
    now: DateTime<Utc>,
    longest_wait_s: u64,
) -> Result<(), Failure> {
    let verdict = if wanted.accept_status.contains(&answer.status) {
        Ok(())
    } else {
        by_status(answer, descriptor, host)
            .and_then(|()| by_marker(answer, descriptor))
            .and_then(|()| by_shape(answer, wanted.expect, host))
    };
    verdict.map_err(|mut failure| {
        failure.http_status = Some(answer.status);
        failure.retrieved_at = Some(answer.retrieved_at);
        if failure.code == ErrorCode::RateLimited || answer.status == 503 {
            failure.retry_after = asked_wait(&answer.headers, now, longest_wait_s);
        }
        failure
    })
}

fn by_status(answer: &Answer, descriptor: &Descriptor, host: &str) -> Result<(), Failure> {
    let rule = descriptor
        .status_rules
        .iter()
        .find(|rule| rule.status == answer.status && holds(rule.when, answer));
    if let Some(rule) = rule {
        return Err(Failure::new(rule.code, rule.message));
    }
    if (200..300).contains(&answer.status) {
        return Ok(());
    }
    by_marker(answer, descriptor)?;
    if answer.status != 429
        && let Some(wall) = wall(answer)
        && wall.code == ErrorCode::Challenge
    {
        return Err(wall);
    }
    Err(by_common_table(answer, host))
}

fn by_common_table(answer: &Answer, host: &str) -> Failure {
    let status = answer.status;
    let slow_down = exhausted(&answer.headers) || answer.headers.get("retry-after").is_some();
    match status {
        429 => Failure::new(
            ErrorCode::RateLimited,
            format!("{host} asked us to slow down (429)"),
        ),
        403 if slow_down => Failure::new(
            ErrorCode::RateLimited,
            format!("{host} asked us to slow down (403)"),
        ),
        401 | 403 | 407 | 451 => Failure::new(
            ErrorCode::AccessDenied,
            format!("{host} refused access ({status})"),
        ),
        404 | 410 => Failure::new(
            ErrorCode::NotFound,
            format!("{host} has nothing at this address ({status})"),
        ),
        // Said of the moment, not of the request: another attempt may do.
        408 | 425 => Failure::new(
            ErrorCode::UpstreamError,
            format!("{host} was too slow for itself ({status})"),
        ),
        501 | 505 => Failure::new(
            ErrorCode::UpstreamError,
            format!("{host} cannot do this ({status})"),
        )
        .permanent(),
        500..=599 => Failure::new(ErrorCode::UpstreamError, format!("{host} failed ({status})")),
        300..=399 => Failure::new(
            ErrorCode::UpstreamError,
            format!("{host} answered with an unusable redirect ({status})"),
        )
        .permanent(),
        _ => Failure::new(
            ErrorCode::UpstreamError,
            format!("{host} rejected the request ({status})"),
        )
        .permanent(),
    }
}

fn holds(when: When, answer: &Answer) -> bool {
    match when {
        When::Always => true,
        When::BodyContains(text) => contains(&answer.body, text),
        When::HeaderPresent(name) => answer.headers.get(name).is_some(),
        When::HeaderIs(name, value) => answer
            .headers
            .get(name)
            .is_some_and(|found| found.trim().eq_ignore_ascii_case(value)),
    }
}

fn by_marker(answer: &Answer, descriptor: &Descriptor) -> Result<(), Failure> {
    match descriptor
        .markers
        .iter()
        .find(|marker| contains(&answer.body, marker.contains))
    {
        Some(marker) => Err(Failure::new(marker.code, marker.message).detail("marker")),
        None => Ok(()),
    }
}

fn by_shape(answer: &Answer, expect: Media, host: &str) -> Result<(), Failure> {
    let body = significant(&answer.body);
    let due = match expect {
        Media::Any => return Ok(()),
        Media::Html => return wall(answer).map_or(Ok(()), Err),
        Media::Json => "JSON",
        Media::Xml => "XML",
        Media::Csv => "CSV",
        Media::Text => "plain text",
    };
    if body.is_empty() {
        return match expect {
            Media::Text => Ok(()),
            _ => Err(
                Failure::malformed(format!("{host} sent an empty body where {due} was due"))
                    .detail("empty body"),
            ),
        };
    }
    let html = is_html(body, &answer.headers);
    let fits = match expect {
        Media::Json => body.first() != Some(&b'<') && !html,
        Media::Xml => body.first() == Some(&b'<') && !html,
        _ => !html,
    };
    if fits {
        return Ok(());
    }
    Err(wall(answer).unwrap_or_else(|| {
        let what = if html { "an HTML page" } else { "something else" };
        Failure::malformed(format!("{host} sent {what} where {due} was due"))
    }))
}

fn wall(answer: &Answer) -> Option<Failure> {
    let media_type = media_type(&answer.headers);
    let wall = walls::recognise(answer.status, &media_type, &answer.headers, &answer.body)?;
    Some(
        Failure::new(wall.code, wall.reason)
            .detail("wall")
            .with("vendor", wall.vendor),
    )
}

fn media_type(headers: &Headers) -> String {
    headers
        .get("content-type")
        .and_then(|value| value.split(';').next())
        .map(|value| value.trim().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The body without a byte order mark and leading blanks.
fn significant(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(body)
        .trim_ascii_start()
}

/// Whether a body is an HTML document: by how it begins, or by its label if it begins with a tag
/// that no feed begins with.
fn is_html(body: &[u8], headers: &Headers) -> bool {
    let mut rest = body;
    // Comments may come before the doctype.
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let Some(end) = memchr::memmem::find(comment, b"-->") else {
            break;
        };
        rest = comment.get(end + 3..).unwrap_or_default().trim_ascii_start();
    }
    let begins = |tag: &str| {
        rest.get(..tag.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()))
            && rest
                .get(tag.len())
                .is_none_or(|next| !next.is_ascii_alphanumeric())
    };
    if [
        "<!doctype html",
        "<html",
        "<head",
        "<body",
        "<title",
        "<script",
        "<meta",
    ]
    .iter()
    .any(|tag| begins(tag))
    {
        return true;
    }
    // XHTML: an XML declaration or a doctype, then `<html`.
    if begins("<?xml") || begins("<!doctype") {
        let head = rest.get(..rest.len().min(1024)).unwrap_or_default();
        return contains(head, "<html");
    }
    rest.first() == Some(&b'<') && media_type(headers) == "text/html"
}

/// Whether a body contains a text, ASCII case ignored.
pub(crate) fn contains(body: &[u8], text: &str) -> bool {
    let text = text.as_bytes();
    let Some(first) = text.first() else { return false };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    memchr::memchr2_iter(lower, upper, body).any(|at| {
        body.get(at..at + text.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(text))
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use freshcontext_contract::{Marker, StatusRule};

    use super::*;
    use crate::testing::descriptor;

    const NOW: i64 = 1_794_000_000;

    fn answer(status: u16, media: &str, body: &str) -> Answer {
        Answer {
            status,
            headers: Headers(vec![("content-type".to_owned(), media.to_owned())]),
            body: Bytes::copy_from_slice(body.as_bytes()),
            retrieved_at: DateTime::from_timestamp(NOW, 0).unwrap(),
        }
    }

    fn verdict(answer: &Answer, expect: Media, descriptor: &Descriptor) -> Result<(), (ErrorCode, bool)> {
        let wanted = Wanted {
            expect,
            accept_status: &[],
        };
        judge(
            answer,
            wanted,
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
        let mut own = descriptor("own");
        own.status_rules = &[
            StatusRule {
                status: 403,
                when: When::BodyContains("Request Rate Threshold Exceeded"),
                code: ErrorCode::RateLimited,
                message: "too many requests",
            },
            StatusRule {
                status: 406,
                when: When::Always,
                code: ErrorCode::RateLimited,
                message: "slow down",
            },
            StatusRule {
                status: 404,
                when: When::HeaderIs("x-reason", "gone"),
                code: ErrorCode::AccessDenied,
                message: "private",
            },
        ];
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
        let wanted = Wanted {
            expect: Media::Json,
            accept_status: &[],
        };
        let failure = judge(
            &limited,
            wanted,
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
        let wanted = Wanted {
            expect: Media::Json,
            accept_status: &[404, 204],
        };
        for status in [404, 204] {
            let answer = answer(status, "text/html", "");
            assert!(
                judge(
                    &answer,
                    wanted,
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
        let xhtml = "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\"><html xmlns=\"x\"></html>";
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
}
