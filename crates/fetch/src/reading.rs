//! Validation of answers: status, the source's own rules and markers, block pages, and the outer form of the body.
//! Adapters parse the content.

use chrono::{DateTime, Utc};
use freshcontext_contract::{
    Descriptor, ErrorCode, Headers, Media, Request, SourceError, StatusRule, When, block_pages, hosts,
};

use crate::exchange::Answer;
use crate::waits::{asked_wait, body_wait, exhausted, position};

/// The answers that the caller can use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) expect: Media,
    pub(crate) accept_status: &'static [u16],
}

impl Expected {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            expect: request.expect,
            accept_status: request.accept_status,
        }
    }
}

/// Checks an answer. `Ok` means that it may be passed to the adapter (and cached).
pub(crate) fn validate(
    answer: &Answer,
    expected: Expected,
    descriptor: &Descriptor,
    host: &str,
    now: DateTime<Utc>,
    longest_wait_s: u64,
) -> Result<(), SourceError> {
    let verdict = if expected.accept_status.contains(&answer.status) {
        // The adapter interprets the answer; only the host's back-off is checked here.
        asks_to_slow_down(answer, descriptor, host)
    } else {
        by_status(answer, descriptor, host)
            .and_then(|()| by_marker(answer, descriptor))
            .and_then(|()| by_shape(answer, expected.expect, host))
    };
    verdict.map_err(|mut failure| {
        failure.http_status = Some(answer.status);
        failure.retrieved_at = Some(answer.retrieved_at);
        if failure.code == ErrorCode::RateLimited || answer.status == 503 {
            let of_headers = || asked_wait(&answer.headers, now, longest_wait_s);
            failure.retry_after = failure.retry_after.or_else(of_headers);
            failure.wait_stated = failure.retry_after.is_some();
        }
        if failure.code == ErrorCode::RateLimited && failure.retry_after.is_none() {
            failure.retry_after = hosts::refusals(host).and_then(|known| known.wait);
        }
        failure
    })
}

/// Checks whether an answer with an accepted status is still a refusal, by the common headers or by the source's own
/// wording.
fn asks_to_slow_down(answer: &Answer, descriptor: &Descriptor, host: &str) -> Result<(), SourceError> {
    if !matches!(answer.status, 403 | 429) {
        return Ok(());
    }
    if slow_down(&answer.headers) {
        return Err(by_common_table(answer, host));
    }
    match by_marker(answer, descriptor) {
        Err(failure) if failure.code == ErrorCode::RateLimited => Err(failure),
        _ => Ok(()),
    }
}

fn slow_down(headers: &Headers) -> bool {
    exhausted(headers) || headers.get("retry-after").is_some()
}

fn by_status(answer: &Answer, descriptor: &Descriptor, host: &str) -> Result<(), SourceError> {
    let applies = |rule: &&StatusRule| rule.status == answer.status && holds(rule.when, answer);
    let of_host = hosts::refusals(host).map_or(&[][..], |known| known.rules);
    let rule = descriptor.status_rules.iter().chain(of_host).find(applies);
    if let Some(rule) = rule {
        let mut failure = SourceError::new(rule.code, rule.message);
        failure.detail = rule.detail.map(Into::into);
        failure.retry_after = rule.wait.and_then(|wait| body_wait(&answer.body, wait));
        return Err(failure);
    }
    if (200..300).contains(&answer.status) {
        return Ok(());
    }
    by_marker(answer, descriptor)?;
    if answer.status != 429
        && let Some(block_page) = block_page(answer)
        && block_page.code == ErrorCode::Challenge
    {
        return Err(block_page);
    }
    Err(by_common_table(answer, host))
}

fn by_common_table(answer: &Answer, host: &str) -> SourceError {
    let status = answer.status;
    match status {
        429 => SourceError::new(
            ErrorCode::RateLimited,
            format!("{host} asked us to slow down (429)"),
        ),
        403 if slow_down(&answer.headers) => SourceError::new(
            ErrorCode::RateLimited,
            format!("{host} asked us to slow down (403)"),
        ),
        401 | 403 | 407 | 451 => SourceError::new(
            ErrorCode::AccessDenied,
            format!("{host} refused access ({status})"),
        ),
        404 | 410 => SourceError::new(
            ErrorCode::NotFound,
            format!("{host} has nothing at this address ({status})"),
        ),
        // Describes the moment, not the request: another attempt may succeed.
        408 | 425 => SourceError::new(
            ErrorCode::UpstreamError,
            format!("{host} was too slow for itself ({status})"),
        ),
        501 | 505 => SourceError::new(
            ErrorCode::UpstreamError,
            format!("{host} cannot do this ({status})"),
        )
        .permanent(),
        500..=599 => SourceError::new(ErrorCode::UpstreamError, format!("{host} failed ({status})")),
        // RFC 9110, section 15.4.5: a 304 answers a conditional request, and those never come here.
        304 => SourceError::new(
            ErrorCode::UpstreamError,
            format!("{host} answered \"not modified\" (304) to a request without a validator, which confirms nothing"),
        )
        .permanent(),
        300..=399 => SourceError::new(
            ErrorCode::UpstreamError,
            format!("{host} answered with an unusable redirect ({status})"),
        )
        .permanent(),
        _ => SourceError::new(
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
        // What is known for a challenge says more than that.
        When::NoErrorInJson => {
            !is_json_error(&answer.body)
                && block_page(answer).is_none_or(|block_page| block_page.code != ErrorCode::Challenge)
        }
        When::HeaderPresent(name) => answer.headers.get(name).is_some(),
        When::HeaderIs(name, value) => answer
            .headers
            .get(name)
            .is_some_and(|found| found.trim().eq_ignore_ascii_case(value)),
    }
}

/// Members in which interfaces name an error.
const ERROR_MEMBERS: [&str; 4] = ["error", "errors", "message", "detail"];

/// Whether a body is an error in the form of an interface: `{"error":"Not found"}`, `"version not found: 9.9.9"`, or the status
/// alone with `{}`.
fn is_json_error(body: &[u8]) -> bool {
    match serde_json::from_slice(body) {
        Ok(serde_json::Value::Object(members)) => {
            members.is_empty() || ERROR_MEMBERS.iter().any(|member| members.contains_key(*member))
        }
        Ok(serde_json::Value::String(_)) => true,
        _ => false,
    }
}

fn by_marker(answer: &Answer, descriptor: &Descriptor) -> Result<(), SourceError> {
    match descriptor
        .markers
        .iter()
        .find(|marker| contains(&answer.body, marker.contains))
    {
        Some(marker) => Err(SourceError::new(marker.code, marker.message).detail("marker")),
        None => Ok(()),
    }
}

fn by_shape(answer: &Answer, expect: Media, host: &str) -> Result<(), SourceError> {
    let body = significant(&answer.body);
    // A challenge may come as headers alone, which a browser acts on: AWS WAF answers 202 without a body.
    if body.is_empty()
        && let Some(block_page) = block_page(answer)
    {
        return Err(block_page);
    }
    let due = match expect {
        Media::Any => return Ok(()),
        Media::Html => return block_page(answer).map_or(Ok(()), Err),
        Media::Json => "JSON",
        Media::Xml => "XML",
        Media::Csv => "CSV",
        Media::Text => "plain text",
    };
    if body.is_empty() {
        return match expect {
            Media::Text => Ok(()),
            _ => Err(
                SourceError::malformed(format!("{host} sent an empty body where {due} was due"))
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
    Err(block_page(answer).unwrap_or_else(|| {
        let what = if html { "an HTML page" } else { "something else" };
        SourceError::malformed(format!("{host} sent {what} where {due} was due"))
    }))
}

fn block_page(answer: &Answer) -> Option<SourceError> {
    let media_type = media_type(&answer.headers);
    let block_page = block_pages::recognise(answer.status, &media_type, &answer.headers, &answer.body)?;
    Some(block_page.into())
}

fn media_type(headers: &Headers) -> String {
    headers
        .get("content-type")
        .and_then(|value| value.split(';').next())
        .map(|value| value.trim().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Returns the body without a byte order mark and leading blanks.
fn significant(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(body)
        .trim_ascii_start()
}

/// Returns whether a body is an HTML document: by its beginning, or by its content type if its first tag cannot begin
/// a feed.
fn is_html(body: &[u8], headers: &Headers) -> bool {
    let mut rest = body;
    // Comments may precede the doctype.
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

/// Returns whether a body contains a text, ignoring ASCII case.
pub(crate) fn contains(body: &[u8], text: &str) -> bool {
    position(body, text).is_some()
}
