//! Responses of the HTTP service itself, in one format.

use axum::body::Body;
use axum::response::Response;
use freshcontext_contract::ErrorCode;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

/// Builds an error response outside of a tool: JSON-RPC's error object, with the id, null if it is not known.
pub(super) fn rpc_error(status: StatusCode, error: Value, id: Option<Value>) -> Response {
    let mut body = Map::new();
    body.insert("jsonrpc".to_owned(), "2.0".into());
    body.insert("error".to_owned(), error);
    body.insert("id".to_owned(), id.unwrap_or_default());
    reply(status, "application/json", Value::Object(body).to_string())
}

/// JSON-RPC error code for "busy": in the server range, outside the part that MCP reserves.
pub(super) const NOT_NOW: i32 = -32_000;

/// Builds a response with status 503 for a temporarily exhausted resource. The delay is in `Retry-After` for HTTP
/// libraries, and in the body for models and people.
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
