//! A finding as text and as data.

use std::fmt::Write as _;

use chrono::{DateTime, SecondsFormat, Utc};
use freshcontext_contract::Evidence;
use freshcontext_core::sanitize::{clean_error, clean_line, clean_value};
use serde_json::{Value, json};

use super::compare::{ItemVerdict, Verdict};
use super::recheck::{Finding, Subject};
use crate::engine::ToolOutcome;

/// Items that the text names; the structured result has all.
const LINES: usize = 40;

pub(super) fn outcome(subject: &Subject, finding: &Finding, now: DateTime<Utc>) -> ToolOutcome {
    let mut structured = structure(subject, finding, now);
    clean_value(&mut structured);
    ToolOutcome {
        text: text(subject, finding, now),
        structured: Some(structured),
        is_error: false,
        meta: None,
    }
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn structure(subject: &Subject, finding: &Finding, now: DateTime<Utc>) -> Value {
    let comparison = &finding.comparison;
    let mut out = json!({"verdict": comparison.verdict});
    let mut put = |name: &str, value: Value| {
        if let Some(out) = out.as_object_mut() {
            out.insert(name.to_owned(), value);
        }
    };
    if let Some(id) = &subject.answer_id {
        put("answer_id", id.as_str().into());
    }
    put("tool", subject.tool.as_str().into());
    if let Some(at) = subject.answered_at {
        put("answered_at", moment(at).into());
    }
    put("checked_at", moment(now).into());
    put("items", json!(comparison.items));
    if comparison.added_count > 0 {
        put("added", json!(comparison.added));
        put("added_count", comparison.added_count.into());
    }
    if !comparison.changed.is_empty() {
        put("changed", json!(comparison.changed));
    }
    if !finding.evidence.is_empty() {
        put("evidence", json!(finding.evidence));
    }
    if let Some(hash) = &finding.hash_now {
        put("answer_hash_now", hash.as_str().into());
    }
    put("requests", finding.requests.into());
    put("bytes", finding.bytes.into());
    if let Some(error) = &finding.error {
        put("code", error.code.as_str().into());
        put("message", clean_error(&error.message).into());
        if let Some(wait) = error.retry_after {
            put("retry_after_s", wait.as_secs().max(1).into());
        }
        if let Some(hint) = &error.hint {
            put("hint", clean_error(hint).into());
        }
    }
    out
}

fn text(subject: &Subject, finding: &Finding, now: DateTime<Utc>) -> String {
    let comparison = &finding.comparison;
    let mut out = format!("Verdict: {}\nTool: {}", comparison.verdict.as_str(), subject.tool);
    // Writing to a String cannot fail.
    if let Some(id) = &subject.answer_id {
        let _ = write!(out, "\nAnswer-Id: {}", clean_line(id));
    }
    if let Some(at) = subject.answered_at {
        let _ = write!(out, "\nAnswered: {}", moment(at));
    }
    let _ = write!(out, "\nChecked: {}", moment(now));
    let plural = if finding.requests == 1 { "" } else { "s" };
    let _ = write!(
        out,
        "\nAsked: {} request{plural}, {} bytes",
        finding.requests, finding.bytes
    );
    for proof in &finding.evidence {
        let said = match proof {
            Evidence::NotModified { url, validator } => format!("304 for {validator} at {url}"),
            Evidence::SameBytes { url } => format!("the same bytes at {url}"),
            Evidence::SameMark { what, value } => format!("the same {what}: {value}"),
        };
        let _ = write!(out, "\nEvidence: {}", clean_line(&said));
    }
    if let Some(error) = &finding.error {
        let _ = write!(out, "\nReason: {}: {}", error.code, clean_error(&error.message));
        if let Some(wait) = error.retry_after {
            let _ = write!(out, "\nRetry-After: {} s", wait.as_secs().max(1));
        }
    }
    if !comparison.changed.is_empty() {
        let _ = write!(
            out,
            "\nChanged as a whole: {}",
            clean_line(&comparison.changed.join(", "))
        );
    }
    if comparison.added_count > 0 {
        let names = clean_line(&comparison.added.join(", ")).into_owned();
        let _ = write!(out, "\nNew: {} ({names})", comparison.added_count);
    }
    for item in comparison.items.iter().take(LINES) {
        let _ = write!(out, "\n- {}", line(item));
    }
    if comparison.items.len() > LINES {
        let _ = write!(
            out,
            "\n({} more in the structured result)",
            comparison.items.len() - LINES
        );
    }
    out
}

fn line(item: &ItemVerdict) -> String {
    let why = match (item.verdict, item.detail) {
        (Verdict::Changed, _) => format!(": {}", item.changed.join(", ")),
        (_, Some(detail)) => format!(": {detail}"),
        _ => String::new(),
    };
    clean_line(&format!("{} {}{why}", item.id, item.verdict.as_str())).into_owned()
}
