//! A failure that several waiting callers can share. Becomes a `SourceError` at the edge.

use std::borrow::Cow;
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, Retry, SourceError};

#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) retry: Retry,
    pub(crate) message: String,
    pub(crate) hint: Option<Cow<'static, str>>,
    pub(crate) detail: Option<Cow<'static, str>>,
    pub(crate) http_status: Option<u16>,
    pub(crate) retry_after: Option<Duration>,
    /// Whether the host itself said how long to wait, in a header.
    pub(crate) stated: bool,
    pub(crate) attempts: u32,
    pub(crate) retrieved_at: Option<DateTime<Utc>>,
    /// For the log only.
    pub(crate) context: Vec<(&'static str, String)>,
}

impl Failure {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            retry: code.default_retry(),
            message: message.into(),
            hint: None,
            detail: None,
            http_status: None,
            retry_after: None,
            stated: false,
            attempts: 0,
            retrieved_at: None,
            context: Vec::new(),
        }
    }

    /// No connection: `detail` is `dns`, `connect` or `tls`.
    pub(crate) fn unreachable(detail: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unreachable, message).detail(detail)
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Malformed, message)
    }

    pub(crate) fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn permanent(mut self) -> Self {
        self.retry = Retry::Permanent;
        self
    }

    pub(crate) fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.context.push((key, value.into()));
        self
    }

    /// Whether this failure speaks against the host (and so counts for its breaker).
    pub(crate) fn is_host_fault(&self) -> bool {
        match self.code {
            ErrorCode::Unreachable | ErrorCode::Timeout => true,
            ErrorCode::UpstreamError => self.http_status.is_none_or(|status| status >= 500),
            _ => false,
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self {
            code: error.code,
            retry: error.retry,
            message: error.message,
            hint: error.hint,
            detail: error.detail,
            http_status: error.http_status,
            retry_after: error.retry_after,
            stated: false,
            attempts: error.attempts,
            retrieved_at: error.retrieved_at,
            context: Vec::new(),
        }
    }
}

impl From<Failure> for SourceError {
    fn from(failure: Failure) -> Self {
        let mut error = Self::new(failure.code, failure.message);
        error.retry = failure.retry;
        error.hint = failure.hint;
        error.detail = failure.detail;
        error.http_status = failure.http_status;
        error.retry_after = failure.retry_after;
        error.attempts = failure.attempts;
        error.retrieved_at = failure.retrieved_at;
        error.context = failure
            .context
            .into_iter()
            .map(|(key, value)| (Cow::Borrowed(key), value))
            .collect();
        error
    }
}
