//! `GET /`: the live state of the sources as one page, for the operator's browser.

use std::sync::Arc;

use axum::response::Response;
use freshcontext_engine::Engine;
use freshcontext_mcp::operator;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::reply::reply;

/// Path of the page.
pub(super) const PAGE_PATH: &str = "/";

/// Builds the page. Nothing in it depends on the caller.
pub(super) fn page(engine: &Arc<Engine>) -> Response {
    let page = operator::page(&engine.live());
    let mut response = reply(StatusCode::OK, "text/html; charset=utf-8", page.html);
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&page.policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let fixed: [(HeaderName, &str); 3] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
