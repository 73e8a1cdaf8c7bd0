//! Refusal of a request whose body was not read.

use axum::response::Response;
use freshcontext_metrics::Refusal;
use http::StatusCode;

use super::answers::Refused;
use super::auth::AuthFilter;
use super::body::{Bodies, Unread};
use super::problem::Voice;
use super::reply::closing;

/// Refuses a request whose body was not read.
pub(super) fn unread_body(unread: Unread, bodies: &Bodies, filter: &AuthFilter, voice: &Voice) -> Response {
    let (reason, refused) = match unread {
        Unread::TooLarge => (
            Refusal::BodySize,
            Refused::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                -32_600,
                format!("the body is larger than {} bytes", bodies.most),
            ),
        ),
        Unread::Broken => (
            Refusal::BodyRead,
            Refused::new(StatusCode::BAD_REQUEST, -32_700, "the body could not be read"),
        ),
        Unread::TooSlow => (
            Refusal::BodyRead,
            Refused::new(StatusCode::REQUEST_TIMEOUT, -32_600, "the body took too long"),
        ),
        Unread::NoRoom => {
            let what = "this server holds as much of other requests as it may at once (limits.http_bytes)";
            (Refusal::Busy, Refused::overloaded(what, bodies.retry_after_s()))
        }
    };
    filter.refused(reason);
    closing(refused.said(voice))
}
