//! Cross-origin requests of browsers (the CORS protocol of the Fetch standard), for the origins that may call.
//!
//! Written here and not taken from tower-http: its layer answers every OPTIONS by itself, so that either Host, Origin
//! and rate would not be judged before it, or a refusal behind it would reach no page.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

/// What MCP clients send. A GET gets 405, which they understand; a preflight that fails they do not.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
/// Headers of MCP's transport, allowed where a browser names none.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
);
/// What a page may read of an answer, beside what every page may.
const RESPONSE_HEADERS: HeaderValue =
    HeaderValue::from_static("mcp-session-id, mcp-protocol-version, www-authenticate, retry-after");
/// How long a browser may remember a preflight, in seconds: the most that any of them takes.
const REMEMBERED_S: HeaderValue = HeaderValue::from_static("7200");
/// What the answer to a preflight depends on.
const PREFLIGHT_VARIES: HeaderValue = HeaderValue::from_static("origin, access-control-request-headers");
/// What any other answer depends on.
const VARIES: HeaderValue = HeaderValue::from_static("origin");

/// Whether a browser asks what it may send. It shows no token then.
pub(super) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight of an origin that may call. It may send whatever headers it names: none of them is
/// trusted more for not coming from a page, and no cookies are taken.
pub(super) fn preflight(asked: &HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let named = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        named.cloned().unwrap_or(REQUEST_HEADERS),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED_S);
    headers.insert(header::VARY, PREFLIGHT_VARIES);
    response
}

/// Lets pages of an origin read an answer.
pub(super) fn open(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    headers.entry(header::VARY).or_insert(VARIES);
}
