//! A recheck as text and as data.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use freshcontext_contract::{Evidence, named, named_list};
use serde_json::{Map, Value, json};

use super::Recheck;
use super::finding::{Finding, Found, SectionFinding};
use super::verdict::{ItemVerdict, Verdict};
use crate::date::{iso_millis, short_moment};
use crate::sanitize::{clean_error, clean_line, clean_map};

/// Items of one source that the text names; the structured result has all.
const LINES: usize = 40;
/// Longest new value that the text repeats, in characters.
const SHOWN_VALUE: usize = 80;

pub(super) fn structure(recheck: &Recheck) -> Map<String, Value> {
    let Recheck {
        subject,
        found,
        checked_at,
    } = recheck;
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("verdict", json!(found.verdict()));
    if let Some(id) = &subject.answer_id {
        put("answer_id", id.as_str().into());
    }
    put("tool", subject.tool.as_str().into());
    if let Some(answered) = &subject.answered {
        for (name, value) in [
            ("answered_at", &answered.at),
            ("answered_at_ahead", &answered.ahead),
        ] {
            if let Some(value) = value {
                put(name, value.as_str().into());
            }
        }
    }
    put("checked_at", iso_millis(*checked_at).into());
    if let Some(limit) = limit_of(recheck) {
        put("compared", limit.into());
    }
    if !subject.unanswered.is_empty() {
        put("not_rechecked", json!(subject.unanswered));
    }
    match found {
        Found::Answer(finding) => put_finding(&mut out, finding),
        Found::Sections(sections) => {
            let sections = sections.iter().map(section_value).collect();
            put("sections", Value::Array(sections));
            put("requests", found.requests().into());
            put("bytes", found.bytes().into());
        }
    }
    clean_map(&mut out);
    out
}

/// What a verdict does not cover, where there is one.
fn limit_of(recheck: &Recheck) -> Option<&'static str> {
    let is_told = recheck.found.findings().all(|finding| finding.error.is_none());
    recheck.subject.against.limit().filter(|_| is_told)
}

fn section_value(section: &SectionFinding) -> Value {
    let mut out = Map::new();
    out.insert("tool".to_owned(), section.tool.as_str().into());
    out.insert("label".to_owned(), section.label.as_str().into());
    out.insert("verdict".to_owned(), json!(section.finding.comparison.verdict));
    put_finding(&mut out, &section.finding);
    Value::Object(out)
}

fn put_finding(out: &mut Map<String, Value>, finding: &Finding) {
    let comparison = &finding.comparison;
    let mut put = |name: &str, value: Value| out.insert(name.to_owned(), value);
    put("items", json!(comparison.items));
    if comparison.added_count > 0 {
        put("added", json!(comparison.added));
        put("added_count", comparison.added_count.into());
    }
    if !comparison.changed.is_empty() {
        put("changed", json!(comparison.changed));
        if !comparison.now.is_empty() {
            put("now", json!(comparison.now));
        }
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
}

pub(super) fn text(recheck: &Recheck) -> String {
    let Recheck {
        subject,
        found,
        checked_at,
    } = recheck;
    let mut out = format!("Verdict: {}\nTool: {}", found.verdict().as_str(), subject.tool);
    // Writing to a String cannot fail.
    if let Some(id) = &subject.answer_id {
        let _ = write!(out, "\nAnswer-Id: {}", clean_line(id));
    }
    if let Some(answered) = &subject.answered {
        let _ = write!(out, "\nAnswered: {}", answered.words());
    }
    let _ = write!(out, "\nChecked: {}", short_moment(&iso_millis(*checked_at)));
    let plural = if found.requests() == 1 { "" } else { "s" };
    let _ = write!(
        out,
        "\nAsked: {} request{plural}, {} bytes",
        found.requests(),
        found.bytes()
    );
    if let Some(limit) = limit_of(recheck) {
        let _ = write!(out, "\nCompared: {limit}");
    }
    if !subject.unanswered.is_empty() {
        let names = named_list(&subject.unanswered, ", ");
        let _ = write!(
            out,
            "\nNot rechecked, because the earlier answer had nothing of them: {names}"
        );
    }
    match found {
        Found::Answer(finding) => write_finding(&mut out, finding),
        Found::Sections(sections) => {
            for section in sections {
                let verdict = section.finding.comparison.verdict.as_str();
                let label = clean_line(&section.label);
                let _ = write!(out, "\n\n## {label} ({}): {verdict}", section.tool);
                write_finding(&mut out, &section.finding);
            }
        }
    }
    out
}

fn write_finding(out: &mut String, finding: &Finding) {
    let comparison = &finding.comparison;
    for proof in &finding.evidence {
        let said = match proof {
            Evidence::NotModified { url, validator } => {
                format!("304 for {} at {}", named(bare(validator)), named(url))
            }
            Evidence::SameBytes { url } => format!("the same bytes at {}", named(url)),
            Evidence::SameMark { what, value } => format!("the same {what}: {}", named(value)),
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
            changes(&comparison.changed, &comparison.now)
        );
    }
    if comparison.added_count > 0 {
        let names = named_list(&comparison.added, ", ");
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
}

/// Parts that changed, each with what it is now where that is known and short.
fn changes(names: &[String], now: &BTreeMap<String, String>) -> String {
    let told = names.iter().map(|name| match now.get(name) {
        Some(value) if value.chars().count() <= SHOWN_VALUE => {
            format!("{}: now {}", named(name), named(value))
        }
        _ => named(name),
    });
    told.collect::<Vec<_>>().join(", ")
}

/// A validator without the quotation marks that it has on the wire.
fn bare(validator: &str) -> &str {
    validator.trim_start_matches("W/").trim_matches('"')
}

fn line(item: &ItemVerdict) -> String {
    let why = match (item.verdict, item.detail) {
        (Verdict::Changed, _) if item.standing_then != item.standing_now => {
            let state =
                |standing: &Option<String>| standing.clone().unwrap_or_else(|| "no notice".to_owned());
            let (then, now) = (state(&item.standing_then), state(&item.standing_now));
            format!(
                ": standing {then} then, {now} now; {}",
                changes(&item.changed, &item.now)
            )
        }
        (Verdict::Changed, _) => {
            let date = item
                .published_now
                .iter()
                .map(|date| ("published_at".to_owned(), date.clone()));
            let now = item.now.clone().into_iter().chain(date).collect();
            format!(": {}", changes(&item.changed, &now))
        }
        (_, Some(detail)) => format!(": {detail}"),
        _ => String::new(),
    };
    clean_line(&format!("{} {}{why}", named(&item.id), item.verdict.as_str())).into_owned()
}
