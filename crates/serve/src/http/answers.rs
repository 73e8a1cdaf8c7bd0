//! Responses of the HTTP service itself, in one format.

use axum::response::Response;
use freshcontext_contract::ErrorCode;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

use super::problem::{Problem, Voice, code_of};
use super::reply::reply;

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

/// A request that the service refuses, before it is written in the words of one of the two interfaces.
pub(super) struct Refused {
    pub(super) status: StatusCode,
    /// JSON-RPC error code.
    pub(super) rpc: i32,
    pub(super) message: String,
    /// Code for programs, where JSON-RPC's own code does not say it.
    pub(super) code: Option<ErrorCode>,
    /// Delay before the next attempt, in seconds: in `Retry-After` for HTTP libraries, and in the body for models and people.
    pub(super) retry_after_s: Option<u64>,
}

impl Refused {
    pub(super) fn new(status: StatusCode, rpc: i32, message: impl Into<String>) -> Self {
        Self {
            status,
            rpc,
            message: message.into(),
            code: None,
            retry_after_s: None,
        }
    }

    /// The refusal for a temporarily exhausted resource.
    pub(super) fn overloaded(message: &str, seconds: u64) -> Self {
        Self {
            code: Some(ErrorCode::Overloaded),
            retry_after_s: Some(seconds),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, NOT_NOW, message)
        }
    }

    /// Writes the refusal as a JSON-RPC error, or as problem details.
    pub(super) fn said(self, voice: &Voice) -> Response {
        let mut response = match voice {
            Voice::Rpc => {
                let mut error = json!({"code": self.rpc, "message": self.message});
                if let (Some(code), Some(fields)) = (self.code, error.as_object_mut()) {
                    let data = json!({"code": code.as_str(), "retry_after_s": self.retry_after_s});
                    fields.insert("data".to_owned(), data);
                }
                rpc_error(self.status, error, None)
            }
            Voice::Problem(id) => {
                let code = self.code.unwrap_or_else(|| code_of(self.status));
                let problem = Problem {
                    retry_after_s: self.retry_after_s,
                    ..Problem::new(self.status, code, self.message)
                };
                problem.response(id)
            }
        };
        if let Some(seconds) = self.retry_after_s {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
