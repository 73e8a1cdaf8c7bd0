//! A failed retrieval, told to the person or model who must act on it.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use freshcontext_redact::masked;
use serde_json::{Map, Value};

use crate::date::iso_millis;
use crate::sanitize::{clean_error, clean_line, cut_marked};

/// What an error result shows. Never an envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// One line: the reason, its code, and what to do.
    pub text: String,
    /// The same as a flat object.
    pub structured: Value,
}

/// Writes an error for a result with `isError: true`. `now` stands in where no answer came in.
pub fn failure(error: &SourceError, adapter: &str, tool: &str, now: DateTime<Utc>) -> Failure {
    let message = clean_error(&error.message);
    let hint = error
        .hint
        .as_deref()
        .map(clean_error)
        .filter(|hint| !hint.is_empty());
    let code = error.code.as_str();
    // Rounded up: waiting a fraction of a second too short fails again.
    let retry_after_s = error
        .retry_after
        .map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0));

    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    put("message", message.as_str().into());
    put("code", code.into());
    put("source", tool.into());
    put("adapter", adapter.into());
    if let Some(status) = error.http_status {
        put("http_status", status.into());
    }
    if let Some(seconds) = retry_after_s {
        put("retry_after_s", seconds.into());
    }
    put("attempts", error.attempts.into());
    put(
        "retrieved_at",
        iso_millis(error.retrieved_at.unwrap_or(now)).into(),
    );
    let detail = error
        .detail
        .as_deref()
        .map(|detail| cut_marked(&masked(&clean_line(detail)).0, 100).into_owned());
    put("detail", detail.into());
    if let Some(hint) = &hint {
        put("hint", hint.as_str().into());
    }
    if let Some(field) = &error.field {
        put(
            "field",
            cut_marked(&masked(&clean_line(field)).0, 100).into_owned().into(),
        );
    }

    let mut text = format!("{tool}: {message} ({code})");
    if let Some(seconds) = retry_after_s {
        // Writing to a String cannot fail.
        let _ = write!(text, " Retry after {seconds} s.");
    }
    if let Some(hint) = hint {
        let _ = write!(text, " Hint: {hint}");
    }
    Failure {
        text,
        structured: Value::Object(out),
    }
}
