//! Answers of the HTTP service itself, of one form.

use axum::body::Body;
use axum::response::Response;
use freshcontext_contract::ErrorCode;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

/// An answer that is no tool's: JSON-RPC's error object, with the id where it is known.
pub(super) fn rpc_error(status: StatusCode, error: Value, id: Option<Value>) -> Response {
    let mut body = Map::new();
    body.insert("jsonrpc".to_owned(), "2.0".into());
    body.insert("error".to_owned(), error);
    if let Some(id) = id {
        body.insert("id".to_owned(), id);
    }
    reply(status, "application/json", Value::Object(body).to_string())
}

/// JSON-RPC's code for "not now": of its range for servers, and outside the part that MCP reserves.
pub(super) const NOT_NOW: i32 = -32_000;

/// Status 503: something is used up for a while. The wait is told twice: to HTTP libraries in the header, to whoever
/// reads the body there.
pub(super) fn overloaded(message: &str, seconds: u64) -> Response {
    let error = json!({
        "code": NOT_NOW,
        "message": message,
        "data": {"code": ErrorCode::Overloaded.as_str(), "retry_after_s": seconds},
    });
    let mut response = rpc_error(StatusCode::SERVICE_UNAVAILABLE, error, None);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Plain text.
pub(super) fn text(status: StatusCode, body: &'static str) -> Response {
    reply(status, "text/plain; charset=utf-8", body.to_owned())
}

/// An answer that nobody may keep.
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
