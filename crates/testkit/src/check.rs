//! The suite's checks as plain functions of a case and its outcome. Each returns all complaints, so that one
//! run shows everything.

use chrono::{DateTime, TimeDelta};
use freshcontext_contract::limits::{EARLIEST_DAY_START_H, FUTURE_TOLERANCE_S};
use serde_json::Value;

use crate::case::{Case, Expect, ExpectItem};
use crate::damage::{POISON, hidden};

/// Outcome of a call over any transport.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The text for the model.
    pub text: String,
    /// The structured content.
    pub structured: Value,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Outcome {
    /// The error code, for a failed call.
    pub fn code(&self) -> &str {
        self.structured
            .get("code")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The content of the envelope; empty if there is no envelope.
    pub fn content(&self) -> &str {
        self.text
            .split_once("\n---\n")
            .and_then(|(_, content)| content.strip_suffix("\n[/FRESHCONTEXT]"))
            .unwrap_or_default()
    }

    /// The items of the answer.
    pub fn items(&self) -> &[Value] {
        self.structured
            .get("items")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    fn fact(&self, name: &str) -> &Value {
        self.structured
            .get("freshcontext")
            .and_then(|facts| facts.get(name))
            .unwrap_or(&Value::Null)
    }
}

/// Formats a value for a comparison in which `none` stands for null or absence.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn differ(out: &mut Vec<String>, what: &str, expected: Option<&str>, found: &Value) {
    if let Some(expected) = expected
        && shown(found) != expected
    {
        out.push(format!("{what} is {:?}, expected {expected:?}", shown(found)));
    }
}

/// Checks the outcome against the case's expectations.
pub fn expectations(case: &Case, outcome: &Outcome) -> Vec<String> {
    let expect = &case.expect;
    let mut out = Vec::new();
    if let Some(code) = &expect.error {
        if !outcome.is_error || outcome.code() != code {
            let first = outcome.text.lines().take(6).collect::<Vec<_>>().join(" | ");
            return vec![format!(
                "expected error {code}, got is_error={} {first}",
                outcome.is_error
            )];
        }
        let fact = |name: &str| outcome.structured.get(name).unwrap_or(&Value::Null);
        let wait = expect.retry_after_s.map(|seconds| seconds.to_string());
        differ(&mut out, "retry_after_s", wait.as_deref(), fact("retry_after_s"));
        for (name, part) in [
            ("hint", &expect.hint_contains),
            ("message", &expect.message_contains),
        ] {
            if let Some(part) = part
                && !shown(fact(name)).contains(part.as_str())
            {
                out.push(format!(
                    "{name} is {:?}, expected it to contain {part:?}",
                    shown(fact(name))
                ));
            }
        }
        return out;
    }
    if outcome.is_error {
        return vec![format!(
            "expected {:?}, got the error {}",
            expect.status, outcome.text
        )];
    }
    let structured = |name: &str| outcome.structured.get(name).unwrap_or(&Value::Null);
    differ(&mut out, "status", expect.status.as_deref(), structured("status"));
    differ(
        &mut out,
        "source_url",
        expect.source_url.as_deref(),
        outcome.fact("source_url"),
    );
    differ(
        &mut out,
        "content_date",
        expect.content_date.as_deref(),
        outcome.fact("content_date"),
    );
    differ(
        &mut out,
        "confidence",
        expect.confidence.as_deref(),
        outcome.fact("freshness_confidence"),
    );
    let score = expect.score.as_ref().map(shown);
    differ(
        &mut out,
        "score",
        score.as_deref(),
        outcome.fact("freshness_score"),
    );
    differ(&mut out, "route", expect.route.as_deref(), structured("route"));
    if let Some(count) = expect.items {
        let cut = structured("truncated")
            .as_u64()
            .and_then(|cut| usize::try_from(cut).ok())
            .unwrap_or(0);
        let found = outcome.items().len() + cut;
        if found != count {
            out.push(format!("{found} items, expected {count}"));
        }
    }
    out.extend(wording(expect, outcome));
    let notes = structured("notes");
    for part in &expect.notes_contain {
        let mut each = notes.as_array().into_iter().flatten().filter_map(Value::as_str);
        if !each.any(|note| note.contains(part.as_str())) {
            out.push(format!("no note contains {part:?}: {notes}"));
        }
    }
    for item in &expect.item {
        match outcome.items().get(item.index) {
            Some(found) => item_expectations(item, found, &mut out),
            None => out.push(format!("there is no item {}", item.index)),
        }
    }
    let failures = structured("failures").as_array().cloned().unwrap_or_default();
    for failure in &expect.failure {
        let same = |found: &Value| {
            found
                .get("what")
                .is_some_and(|what| what == failure.what.as_str())
        };
        match failures.iter().find(|found| same(found)) {
            Some(found) => differ(
                &mut out,
                &format!("failure of {}", failure.what),
                Some(&failure.error),
                found.get("code").unwrap_or(&Value::Null),
            ),
            None => out.push(format!("no failure of {:?} in {failures:?}", failure.what)),
        }
    }
    if !failures.is_empty() && failures.len() != expect.failure.len() {
        out.push(format!(
            "{} failures, expected {}: {failures:?}",
            failures.len(),
            expect.failure.len()
        ));
    }
    out
}

/// Checks which texts the result contains and lacks.
pub fn wording(expect: &Expect, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    for part in &expect.text_contains {
        if !outcome.text.contains(part.as_str()) {
            out.push(format!("the text lacks {part:?}:\n{}", outcome.text));
        }
    }
    for part in &expect.text_lacks {
        if outcome.text.contains(part.as_str()) {
            out.push(format!("the text contains {part:?}"));
        }
    }
    out
}

fn item_expectations(expect: &ExpectItem, found: &Value, out: &mut Vec<String>) {
    let fact = |name: &str| found.get(name).unwrap_or(&Value::Null);
    let at = |name: &str| format!("item {} {name}", expect.index);
    differ(out, &at("title"), expect.title.as_deref(), fact("title"));
    differ(out, &at("url"), expect.url.as_deref(), fact("url"));
    differ(
        out,
        &at("published_at"),
        expect.published_at.as_deref(),
        fact("published_at"),
    );
    differ(
        out,
        &at("confidence"),
        expect.confidence.as_deref(),
        fact("date_confidence"),
    );
    for (name, part) in [
        ("title", &expect.title_contains),
        ("summary", &expect.summary_contains),
    ] {
        if let Some(part) = part
            && !shown(fact(name)).contains(part.as_str())
        {
            out.push(format!(
                "{} is {:?}, expected it to contain {part:?}",
                at(name),
                shown(fact(name))
            ));
        }
    }
    for (name, value) in &expect.fields {
        let found = fact("fields").get(name).unwrap_or(&Value::Null);
        if !same_value(found, value) {
            out.push(format!("{} is {found}, expected {value}", at(name)));
        }
    }
    for name in &expect.absent_fields {
        if fact("fields").get(name).is_some() {
            out.push(format!(
                "{} is {}, expected it to be absent",
                at(name),
                shown(fact("fields"))
            ));
        }
    }
}

/// Compares values; numbers by value (TOML's 1.0 is JSON's 1).
fn same_value(found: &Value, expected: &Value) -> bool {
    match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        _ => found == expected,
    }
}

/// Checks honesty in any case: no date in the future, no score without a date, no high confidence for a
/// partial or empty result, no failure in an envelope.
pub fn honesty(case: &Case, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    if outcome.is_error {
        if outcome.text.contains("[FRESHCONTEXT]") {
            out.push("a failure came in an envelope".to_owned());
        }
        for name in ["code", "message", "source", "adapter", "attempts", "retrieved_at"] {
            if outcome.structured.get(name).is_none() {
                out.push(format!(
                    "the structured error lacks {name}: {}",
                    outcome.structured
                ));
            }
        }
        if outcome.code() == "internal" {
            out.push(format!("a defect: {}", outcome.text));
        }
        if outcome.text.lines().count() > 2 {
            out.push(format!(
                "the error takes more than its line and a hint: {}",
                outcome.text
            ));
        }
        return out;
    }
    let latest = case.now + TimeDelta::seconds(FUTURE_TOLERANCE_S);
    let dated = |value: &Value, what: &str, confidence: &Value, score: &Value, out: &mut Vec<String>| {
        if let Some(text) = value.as_str() {
            // A day begins in some time zones long before it does in UTC.
            let (full, latest) = if text.len() == 10 {
                let begins = case.now + TimeDelta::hours(EARLIEST_DAY_START_H);
                (format!("{text}T00:00:00Z"), begins)
            } else {
                (text.to_owned(), latest)
            };
            match DateTime::parse_from_rfc3339(&full) {
                Ok(instant) if instant <= latest => {}
                Ok(_) => out.push(format!("{what} is dated in the future: {text}")),
                Err(_) => out.push(format!("{what} has no ISO date: {text}")),
            }
        } else {
            if !score.is_null() {
                out.push(format!("{what} has a score without a date"));
            }
            if confidence != "low" {
                out.push(format!("{what} has confidence {confidence} without a date"));
            }
        }
    };
    dated(
        outcome.fact("content_date"),
        "the answer",
        outcome.fact("freshness_confidence"),
        outcome.fact("freshness_score"),
        &mut out,
    );
    for (at, item) in outcome.items().iter().enumerate() {
        let fact = |name: &str| item.get(name).unwrap_or(&Value::Null);
        let what = format!("item {at}");
        dated(
            fact("published_at"),
            &what,
            fact("date_confidence"),
            fact("freshness_score"),
            &mut out,
        );
    }
    let status = outcome.structured.get("status").unwrap_or(&Value::Null);
    let confidence = outcome.fact("freshness_confidence");
    if status == "partial" && confidence == "high" {
        out.push("a partial answer has high confidence".to_owned());
    }
    if status == "empty" && (confidence != "low" || !outcome.fact("freshness_score").is_null()) {
        out.push("an empty answer has a confidence or a score".to_owned());
    }
    out
}

/// Checks that source text cannot imitate the server: one opening and one closing line per envelope, only the
/// server's own values in the header, and no hidden character anywhere.
pub fn harmless(outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    let opens = outcome.text.matches("[FRESHCONTEXT]").count();
    let closes = outcome.text.matches("[/FRESHCONTEXT]").count();
    let envelopes = usize::from(!outcome.is_error);
    if (opens, closes) != (envelopes, envelopes) {
        out.push(format!(
            "{opens} openings and {closes} closings:\n{}",
            outcome.text
        ));
    }
    if let Some((header, _)) = outcome.text.split_once("\n---\n")
        && (header.matches("\nConfidence: ").count() != 1 || header.matches("\nRetrieved: ").count() != 1)
    {
        out.push(format!("the header holds foreign lines:\n{header}"));
    }
    if let Some(c) = outcome.text.chars().find(|c| hidden(*c)) {
        out.push(format!("the text holds U+{:04X}", u32::from(c)));
    }
    // Look-alike characters of the poison, which occur nowhere else.
    let alike = |text: &str| {
        text.contains("\u{2e55}/") || text.contains("\u{2308}\u{24bb}\u{24c7}\u{24ba}\u{24c8}\u{24bd}CONTEXT")
    };
    if alike(&outcome.text) {
        out.push("the text holds a look-alike of a delimiter".to_owned());
    }
    strings(&outcome.structured, &mut |text| {
        if alike(text) {
            out.push(format!(
                "a structured string holds a look-alike of a delimiter: {text:?}"
            ));
        }
        if let Some(c) = text.chars().find(|c| hidden(*c)) {
            out.push(format!(
                "a structured string holds U+{:04X}: {text:?}",
                u32::from(c)
            ));
        }
        let flat: String = text
            .chars()
            .filter(|c| c.is_alphanumeric() || "[/_".contains(*c))
            .collect();
        let flat = flat.to_ascii_uppercase();
        // `content` is the inside of the envelope and must be as clean as any other string.
        if flat.contains("[/FRESHCONTEXT") || flat.contains("[FRESHCONTEXT") {
            out.push(format!("a structured string holds a delimiter: {text:?}"));
        }
    });
    out.truncate(5);
    out
}

/// Whether the poison reached the result; a suite in which it never does proves nothing.
pub fn poison_arrived(outcome: &Outcome) -> bool {
    outcome
        .text
        .contains(POISON.split(' ').next().unwrap_or_default())
}

fn strings(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, see)),
        Value::Object(entries) => entries.iter().for_each(|(name, value)| {
            see(name);
            strings(value, see);
        }),
        _ => {}
    }
}
