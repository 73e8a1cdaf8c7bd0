//! Responses, before anybody says what they are about.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

/// Builds a plain text response.
pub(super) fn text(status: StatusCode, body: &'static str) -> Response {
    reply(status, "text/plain; charset=utf-8", body.to_owned())
}

/// Builds a response that must not be cached.
pub(super) fn reply(status: StatusCode, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Adds the header that closes the connection, because the rest of the body is not read.
pub(super) fn closing(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
