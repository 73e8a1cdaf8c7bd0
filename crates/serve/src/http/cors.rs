//! CORS (Fetch standard) for the allowed origins.
//!
//! Implemented here because tower-http's layer answers every OPTIONS request itself. In front of the other checks, it
//! would skip Host, Origin and rate; behind them, a refusal would not reach a page.

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

/// Methods of MCP clients. GET returns 405, which clients understand, unlike a failed preflight.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
/// Headers of MCP's transport, allowed if the browser names no headers.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
);
/// Response headers that a page may read in addition to the default ones.
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after, x-request-id",
);
/// Cache lifetime of a preflight in browsers, in seconds: the maximum that any browser accepts.
const REMEMBERED_S: HeaderValue = HeaderValue::from_static("7200");
/// `Vary` of a preflight response.
const PREFLIGHT_VARIES: HeaderValue = HeaderValue::from_static("origin, access-control-request-headers");
/// `Vary` of all other responses.
const VARIES: HeaderValue = HeaderValue::from_static("origin");

/// Returns whether the request is a CORS preflight. Preflights carry no token.
pub(super) fn is_preflight(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Builds the response to a preflight from an allowed origin. All requested headers are allowed: the absence of a
/// header gives no request more trust, and the server accepts no cookies.
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

/// Allows pages of an origin to read the response.
pub(super) fn open(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    headers.entry(header::VARY).or_insert(VARIES);
}
