//! Problem details (RFC 9457) with the server's own error codes, and the id of the request that they belong to.

use axum::response::Response;
use freshcontext_contract::ErrorCode;
use freshcontext_core::answer::Failure;
use freshcontext_redact::{masked, masked_value};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::reply::reply;

/// Path of the description of the REST interface.
pub(super) const OPENAPI_PATH: &str = "/openapi.json";
/// Media type of problem details.
const PROBLEM_JSON: &str = "application/problem+json";
/// Header of the request's id, in both directions.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of an id that a caller chose, in bytes.
const REQUEST_ID_BYTES: usize = 128;

/// Returns whether a path belongs to this interface.
fn is_rest(path: &str) -> bool {
    path == OPENAPI_PATH || path == "/v1" || path.starts_with("/v1/")
}

/// Id of a request: the caller's, or a random one.
#[derive(Debug, Clone)]
pub(super) struct RequestId(HeaderValue);

impl RequestId {
    /// Takes the caller's id if it is short and plain, so that it can stand in a log.
    fn of(headers: &HeaderMap) -> Self {
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        let given = headers
            .get(&REQUEST_ID)
            .filter(|id| !id.is_empty() && id.len() <= REQUEST_ID_BYTES && id.as_bytes().iter().all(plain));
        Self(given.cloned().unwrap_or_else(random))
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Puts the id into a response.
    pub(super) fn mark(&self, response: &mut Response) {
        response.headers_mut().insert(REQUEST_ID, self.0.clone());
    }
}

fn random() -> HeaderValue {
    let mut bytes = [0; 16];
    let _ = getrandom::fill(&mut bytes);
    let text = format!("{:032x}", u128::from_be_bytes(bytes));
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("-"))
}

/// The interface that a request belongs to, which decides the form of its errors.
#[derive(Debug, Clone)]
pub(super) enum Voice {
    /// MCP: JSON-RPC errors.
    Rpc,
    /// REST: problem details.
    Problem(RequestId),
}

impl Voice {
    pub(super) fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        if is_rest(uri.path()) {
            Self::Problem(RequestId::of(headers))
        } else {
            Self::Rpc
        }
    }
}

/// Problem details as they are sent (RFC 9457).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemDetails<'a> {
    /// `urn:freshcontext:` and the code.
    #[serde(rename = "type")]
    kind: String,
    /// The kind of problem in a few words.
    title: &'static str,
    /// The status of the response.
    #[schemars(with = "i64", range(min = 400, max = 599))]
    status: u16,
    /// What happened, in one sentence.
    detail: String,
    /// The error code; docs/rest.md lists them with their statuses.
    #[schemars(extend("enum" = ErrorCode::ALL.map(ErrorCode::as_str)))]
    code: &'static str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The argument at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Delay before the next attempt in seconds, as in `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    retry_after_s: Option<u64>,
    /// The id in `X-Request-Id`.
    request_id: &'a str,
    /// Structured result of a failed call, as MCP has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    result: Option<Value>,
}

/// One problem.
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: ErrorCode,
    /// What happened, in one sentence.
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// The argument at fault.
    pub(super) field: Option<String>,
    pub(super) retry_after_s: Option<u64>,
    /// Structured result of a failed call, as MCP has it.
    pub(super) result: Option<Value>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            hint: None,
            field: None,
            retry_after_s: None,
            result: None,
        }
    }

    /// An argument or a body that is not valid.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidInput, message)
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The problem of a failed call, with its structured result.
    pub(super) fn of_call(failure: &Failure, result: Value) -> Self {
        Self {
            hint: failure.hint.clone(),
            field: failure.field.clone(),
            retry_after_s: failure.retry_after_s,
            result: Some(result),
            ..Self::new(status_of_call(failure), failure.code, failure.message.clone())
        }
    }

    pub(super) fn response(self, id: &RequestId) -> Response {
        let details = ProblemDetails {
            kind: format!("urn:freshcontext:{}", self.code),
            title: title(self.code),
            status: self.status.as_u16(),
            detail: without_keys(&self.message),
            code: self.code.as_str(),
            hint: self.hint.as_deref().map(without_keys),
            field: self.field.as_deref().map(without_keys),
            retry_after_s: self.retry_after_s,
            request_id: id.as_str(),
            result: self.result.map(masked_value),
        };
        let body = serde_json::to_string(&details).unwrap_or_default();
        let mut response = reply(self.status, PROBLEM_JSON, body);
        if let Some(seconds) = self.retry_after_s {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        id.mark(&mut response);
        response
    }
}

/// Status of a call that asked for too much before any source was asked: a budget that nothing fits into, more than one
/// call may fetch. What a source sent too much of is its own failure, 502.
pub(in crate::http) const TOO_MUCH_ASKED: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;

/// Returns the status of this failed call.
pub(in crate::http) fn status_of_call(failure: &Failure) -> StatusCode {
    let of_caller = failure.attempts == 0 && failure.http_status.is_none();
    match failure.code {
        ErrorCode::TooLarge if of_caller => TOO_MUCH_ASKED,
        code => status_of(code),
    }
}

/// What a caller sent may be repeated in a problem, and callers send keys by mistake: problems end in logs.
fn without_keys(text: &str) -> String {
    masked(text).0.into_owned()
}

/// Returns the status of a call that failed with this code.
pub(in crate::http) const fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::BlockedAddress => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::AccessDenied
        | ErrorCode::Challenge
        | ErrorCode::Unreachable
        | ErrorCode::Malformed
        | ErrorCode::TooLarge
        | ErrorCode::UpstreamError => StatusCode::BAD_GATEWAY,
        // Another attempt does not help until the operator sets something, so it is no 503.
        ErrorCode::Misconfigured => StatusCode::NOT_IMPLEMENTED,
        ErrorCode::CircuitOpen | ErrorCode::Overloaded | ErrorCode::Cancelled => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns the code of a refusal that has only a status.
pub(super) fn code_of(status: StatusCode) -> ErrorCode {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ErrorCode::AccessDenied,
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::TooLarge,
        StatusCode::REQUEST_TIMEOUT => ErrorCode::Timeout,
        status if status.is_server_error() => ErrorCode::Internal,
        _ => ErrorCode::InvalidInput,
    }
}

/// The kind of problem in a few words, the same for each occurrence (RFC 9457, section 3.1.3).
const fn title(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InvalidInput => "The request is not valid",
        ErrorCode::BlockedAddress => "The server must not reach this address",
        ErrorCode::NotFound => "There is no such thing",
        ErrorCode::RateLimited => "Too many requests",
        ErrorCode::AccessDenied => "Access was refused",
        ErrorCode::Challenge => "The source asked for a captcha",
        ErrorCode::Timeout => "Timed out",
        ErrorCode::Unreachable => "The source could not be reached",
        ErrorCode::Malformed => "The source answered in another shape",
        ErrorCode::TooLarge => "Too large",
        ErrorCode::UpstreamError => "The source failed",
        ErrorCode::Misconfigured => "The operator has to set something",
        ErrorCode::CircuitOpen => "The source failed repeatedly and is left alone",
        ErrorCode::Overloaded => "The server has no free place",
        ErrorCode::Cancelled => "The call was cancelled",
        ErrorCode::Internal => "A defect in this server",
    }
}
