//! A failed call, for the person or model who must act on it.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::{ErrorCode, SourceError};
use freshcontext_redact::masked;
use serde_json::{Map, Value};

use super::as_of::NOT_SUPPORTED;
use crate::date::iso_millis;
use crate::sanitize::{clean_error, clean_line, cut_marked};
use crate::standing::{Standing, resolve};

/// Longest detail and field name that an error repeats, in characters.
const DETAIL_CHARS: usize = 100;

/// A failed call, cleaned and masked. Never an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub code: ErrorCode,
    /// The same in one sentence.
    pub message: String,
    /// The tool.
    pub tool: String,
    /// The adapter's id.
    pub adapter: String,
    /// Status of the upstream answer.
    pub http_status: Option<u16>,
    /// When to try again, in seconds, rounded up.
    pub retry_after_s: Option<u64>,
    /// Upstream attempts.
    pub attempts: u32,
    /// When the last upstream answer came in, else when the failure was written.
    pub retrieved_at: DateTime<Utc>,
    /// A word for programs about what went wrong.
    pub detail: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// The argument at fault.
    pub field: Option<String>,
    /// In which state the thing is that there is nothing of, where its source says so.
    pub standing: Option<Box<Standing>>,
}

impl Failure {
    /// `now` stands in where no answer came in.
    pub fn new(error: &SourceError, adapter: &str, tool: &str, now: DateTime<Utc>) -> Self {
        let short = |text: &str| cut_marked(&masked(&clean_line(text)).0, DETAIL_CHARS).into_owned();
        Self {
            code: error.code,
            message: clean_error(&error.message),
            tool: tool.to_owned(),
            adapter: adapter.to_owned(),
            http_status: error.http_status,
            // Rounded up: waiting a fraction of a second too short fails again.
            retry_after_s: error
                .retry_after
                .map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0)),
            attempts: error.attempts,
            retrieved_at: error.retrieved_at.unwrap_or(now),
            detail: error.detail.as_deref().map(short),
            hint: error
                .hint
                .as_deref()
                .map(clean_error)
                .filter(|hint| !hint.is_empty()),
            field: error.field.as_deref().map(short),
            standing: resolve(&error.standing, error.retrieved_at.unwrap_or(now)).map(Box::new),
        }
    }

    /// One line: the reason, its code, and what to do.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {} ({})", self.tool, self.message, self.code);
        if let Some(seconds) = self.retry_after_s {
            // Writing to a String cannot fail.
            let _ = write!(text, " Retry after {seconds} s.");
        }
        if let Some(hint) = &self.hint {
            let _ = write!(text, " Hint: {hint}");
        }
        if let Some(standing) = &self.standing {
            let _ = write!(text, " Standing: {}.", standing.line());
        }
        text
    }

    /// The same as a flat object.
    pub fn structured(&self) -> Map<String, Value> {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| {
            out.insert(key.to_owned(), value);
        };
        put("message", self.message.as_str().into());
        put("code", self.code.as_str().into());
        put("source", self.tool.as_str().into());
        put("adapter", self.adapter.as_str().into());
        if let Some(status) = self.http_status {
            put("http_status", status.into());
        }
        if let Some(seconds) = self.retry_after_s {
            put("retry_after_s", seconds.into());
        }
        put("attempts", self.attempts.into());
        put("retrieved_at", iso_millis(self.retrieved_at).into());
        put("detail", self.detail.as_deref().into());
        if let Some(hint) = &self.hint {
            put("hint", hint.as_str().into());
        }
        if let Some(field) = &self.field {
            put("field", field.as_str().into());
        }
        if self.detail.as_deref() == Some(NOT_SUPPORTED) {
            put("as_of", NOT_SUPPORTED.into());
        }
        if let Some(standing) = &self.standing {
            put("standing", standing.structured());
        }
        out
    }
}
