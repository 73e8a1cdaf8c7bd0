//! The one error type of sources, written for the person (or model) who must act on it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::quote::code;
use crate::standing::StandingEvidence;

/// What went wrong, as a closed set that callers can branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The arguments are wrong; the message names the field and shows a right value.
    InvalidInput,
    /// The address is one that this server must not reach.
    BlockedAddress,
    /// The source says that the thing does not exist.
    NotFound,
    /// The source asked us to slow down.
    RateLimited,
    /// The source refused (401, 403, 451, login wall).
    AccessDenied,
    /// A captcha, proof-of-work or interstitial stood in for the content.
    Challenge,
    /// Time ran out.
    Timeout,
    /// No connection: detail `dns`, `connect` or `tls`.
    Unreachable,
    /// The answer does not have the documented shape.
    Malformed,
    /// The answer exceeds a size limit.
    TooLarge,
    /// The source failed on its side (5xx and the like).
    UpstreamError,
    /// The operator has to set something, such as a key.
    Misconfigured,
    /// The source failed repeatedly and is being left alone for a while.
    CircuitOpen,
    /// This server has no free place.
    Overloaded,
    /// The caller cancelled.
    Cancelled,
    /// A defect in this server.
    Internal,
}

impl ErrorCode {
    /// All codes, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::InvalidInput,
        Self::BlockedAddress,
        Self::NotFound,
        Self::RateLimited,
        Self::AccessDenied,
        Self::Challenge,
        Self::Timeout,
        Self::Unreachable,
        Self::Malformed,
        Self::TooLarge,
        Self::UpstreamError,
        Self::Misconfigured,
        Self::CircuitOpen,
        Self::Overloaded,
        Self::Cancelled,
        Self::Internal,
    ];

    /// The code as it appears in results, for example `rate_limited`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::BlockedAddress => "blocked_address",
            Self::NotFound => "not_found",
            Self::RateLimited => "rate_limited",
            Self::AccessDenied => "access_denied",
            Self::Challenge => "challenge",
            Self::Timeout => "timeout",
            Self::Unreachable => "unreachable",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::UpstreamError => "upstream_error",
            Self::Misconfigured => "misconfigured",
            Self::CircuitOpen => "circuit_open",
            Self::Overloaded => "overloaded",
            Self::Cancelled => "cancelled",
            Self::Internal => "internal",
        }
    }

    /// Whether another attempt of the same request may help.
    pub const fn default_retry(self) -> Retry {
        match self {
            Self::RateLimited
            | Self::Timeout
            | Self::Unreachable
            | Self::UpstreamError
            | Self::Overloaded => Retry::Temporary,
            _ => Retry::Permanent,
        }
    }

    /// Whether this code, found in an answer, means that the answer is not content: a block page, a limit, a broken or
    /// unrelated document. "No such thing" and "the query is wrong" are answers.
    pub const fn is_against_the_answer(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::AccessDenied
                | Self::Challenge
                | Self::Timeout
                | Self::Malformed
                | Self::UpstreamError
                | Self::Misconfigured
        )
    }

    /// Whether another route of the same source may be tried after it: this one is down, or its key is
    /// bad. A "slow down", a refusal and an answer are the source's word and hold for all its routes.
    pub const fn another_route_may_help(self) -> bool {
        matches!(
            self,
            Self::Misconfigured | Self::Timeout | Self::Unreachable | Self::UpstreamError | Self::CircuitOpen
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether trying again can help. Set to [`GaveUp`](Self::GaveUp) by the layer that retried, so
/// that nothing above it retries again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retry {
    /// The same request will fail again.
    Permanent,
    /// The same request may succeed later.
    Temporary,
    /// It was temporary, and the allowed attempts are spent.
    GaveUp,
}

/// A retrieval that did not succeed. Never becomes an envelope. Several who wait for one answer share it.
#[derive(Debug, Clone)]
pub struct SourceError {
    /// What went wrong.
    pub code: ErrorCode,
    /// Whether trying again can help.
    pub retry: Retry,
    /// One line: what happened, to what. No secrets, paths, stacks or body dumps.
    pub message: String,
    /// One line: what to do about it.
    pub hint: Option<Cow<'static, str>>,
    /// A short machine-readable refinement of the code, such as `dns` or an address class.
    pub detail: Option<Cow<'static, str>>,
    /// The argument at fault, for [`ErrorCode::InvalidInput`].
    pub field: Option<Cow<'static, str>>,
    /// The upstream status, where one was received.
    pub http_status: Option<u16>,
    /// How long to wait, where the source or our pacing says.
    pub retry_after: Option<Duration>,
    /// Whether it was the host that said so, in a header.
    pub wait_stated: bool,
    /// Upstream attempts made; 0 means that no request left this machine.
    pub attempts: u32,
    /// When the failing answer came in.
    pub retrieved_at: Option<DateTime<Utc>>,
    /// Whether it came in place of an answer. It then says nothing against the answers there are. [`Cx`](crate::cx::Cx) sets it.
    pub without_answer: bool,
    /// Signs that the thing asked for does not stand any more: why there is nothing to show.
    pub standing: Vec<StandingEvidence>,
    /// Facts for the log, never shown to callers.
    pub context: Vec<(Cow<'static, str>, String)>,
    /// The underlying error, for the log only.
    pub cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl SourceError {
    /// An error with the code's usual retry class.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            retry: code.default_retry(),
            message: message.into(),
            hint: None,
            detail: None,
            field: None,
            http_status: None,
            retry_after: None,
            wait_stated: false,
            attempts: 0,
            retrieved_at: None,
            without_answer: false,
            standing: Vec::new(),
            context: Vec::new(),
            cause: None,
        }
    }

    /// A wrong argument: names the field, says what is wrong and shows a right value.
    pub fn invalid_input(
        field: impl Into<Cow<'static, str>>,
        problem: impl fmt::Display,
        example: impl fmt::Display,
    ) -> Self {
        let field = field.into();
        let problem = problem.to_string();
        let end = if problem.ends_with('?') { "" } else { "." };
        let mut error = Self::new(
            ErrorCode::InvalidInput,
            format!("{} {problem}{end} Example: {example}", code(&field)),
        );
        error.field = Some(field);
        error
    }

    /// The answer lacks the documented shape.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Malformed, message)
    }

    /// No connection: `detail` is `dns`, `connect` or `tls`.
    pub fn unreachable(detail: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unreachable, message).detail(detail)
    }

    /// The source says that the thing does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, message)
    }

    /// A cursor that no earlier answer of this tool gave out, or that belongs to another call.
    pub fn foreign_cursor() -> Self {
        Self::invalid_input(
            "cursor",
            "is not one that this tool gave out for these arguments",
            "the cursor of the previous answer",
        )
    }

    /// The source asks to slow down.
    pub fn rate_limited(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::RateLimited, message)
    }

    /// The source refuses.
    pub fn access_denied(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::AccessDenied, message)
    }

    /// The source asks for a proof that a person is asking.
    pub fn challenge(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Challenge, message)
    }

    /// The source fails, or answers with an error of its own.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::UpstreamError, message)
    }

    /// The operator's settings do not allow it: a key that is wrong or missing, a route that is off.
    pub fn misconfigured(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Misconfigured, message)
    }

    /// A defect of this server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    /// The same in other words.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Adds what the reader can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the machine-readable refinement.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Marks the error as final, whatever is usual for its code.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        self.retry = Retry::Permanent;
        self
    }

    /// Adds the upstream status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.http_status = Some(status);
        self
    }

    /// Adds how long to wait.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Adds a sign that the thing asked for does not stand any more.
    #[must_use]
    pub fn standing(mut self, sign: StandingEvidence) -> Self {
        self.standing.push(sign);
        self
    }

    /// Adds a fact for the log.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl fmt::Display) -> Self {
        self.context.push((Cow::Borrowed(key), value.to_string()));
        self
    }

    /// Adds the underlying error, for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.cause = Some(Arc::from(cause.into()));
        self
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for SourceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
