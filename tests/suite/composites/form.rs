//! Form of every composite answer.

use freshcontext_contract::chrono::DateTime;
use freshcontext_contract::moment::short_moment;
use freshcontext_engine::Engine;
use freshcontext_spec::validate::{Level, parse_envelopes, validate};
use freshcontext_testkit::check::Outcome;
use serde_json::Value;

use super::{Table, sections};

/// Checks the form of a composite answer, whichever sections failed.
pub(super) fn form(table: &Table, engine: &Engine, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    let mut want = |right: bool, what: String| {
        if !right {
            out.push(what);
        }
    };
    let schema = engine
        .tool(table.composite.tool)
        .map(|tool| tool.output_schema.clone());
    let schema = schema.unwrap_or_default();
    let mut undeclared = Vec::new();
    if !outcome.is_error {
        let answer = &outcome.structured;
        crate::surface::answers::undeclared(table.composite.tool, &schema, answer, &mut undeclared);
    }
    want(undeclared.is_empty(), format!("{undeclared:?}"));
    match jsonschema::validator_for(&schema) {
        Ok(validator) => {
            let problems: Vec<String> = validator
                .iter_errors(&outcome.structured)
                .map(|e| e.to_string())
                .collect();
            want(problems.is_empty(), format!("output schema: {problems:?}"));
        }
        Err(error) => want(false, format!("the output schema is not one: {error}")),
    }
    let found = sections(outcome);
    let shown: Vec<&str> = outcome
        .text
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    let mut headings = Vec::new();
    for (part, section) in table.plan.sections.iter().zip(found) {
        headings.push(format!("## {} ({})", part.label, part.tool));
        want(
            section["tool"] == part.tool && section["label"] == part.label.as_str(),
            format!("{} is not at its place: {section}", part.tool),
        );
    }
    want(
        found.len() == table.plan.sections.len() && shown == headings,
        format!("headings {shown:?}, expected {headings:?}"),
    );
    let lines: Vec<&str> = outcome.text.lines().take(3).collect();
    let moment = outcome.structured["generated_at"].as_str().unwrap_or_default();
    want(
        lines.get(1) == Some(&format!("Generated: {}", short_moment(moment)).as_str())
            && DateTime::parse_from_rfc3339(moment).is_ok(),
        format!("the second line is not when it was made: {lines:?}"),
    );
    let coverage = lines.get(2).copied().unwrap_or_default();
    out.extend(counted(outcome, coverage));
    out.extend(envelopes(table, outcome));
    out
}

/// The coverage line and object match the sections.
fn counted(outcome: &Outcome, line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let found = sections(outcome);
    let coverage = &outcome.structured["coverage"];
    let with = |status: &str| found.iter().filter(|s| s["status"] == status).count();
    let (failed, stale) = (with("failed"), with("stale"));
    let (undated, skipped) = (with("undated"), with("skipped"));
    let answered = found.len() - failed - stale - undated - skipped;
    let told =
        ["sources", "answered", "stale", "undated", "skipped", "failed"].map(|name| coverage[name].as_u64());
    let counts =
        [found.len(), answered, stale, undated, skipped, failed].map(|count| u64::try_from(count).ok());
    if told != counts {
        out.push(format!("coverage says {told:?} of {counts:?}: {coverage}"));
    }
    if !line.starts_with(&format!("Coverage: {answered} of {} sources", found.len())) {
        out.push(format!("{answered} answered, but the line is {line:?}"));
    }
    if outcome.is_error != (failed + skipped == found.len()) {
        out.push(format!("is_error={} with {failed} failures", outcome.is_error));
    }
    let missing = coverage["missing"].as_array().map_or(&[][..], Vec::as_slice);
    let absent: Vec<&Value> = found
        .iter()
        .filter(|s| !["success", "partial", "empty"].contains(&s["status"].as_str().unwrap_or_default()))
        .collect();
    if missing.len() != absent.len() {
        out.push(format!("{missing:?} are missing, of {absent:?}"));
    }
    for (told, section) in missing.iter().zip(absent) {
        let (tool, label) = (&section["tool"], section["label"].as_str().unwrap_or_default());
        let status = section["status"].as_str().unwrap_or_default();
        let code = section["error"]["code"].as_str().unwrap_or(status);
        let word = match (code, section["stale"]["kind"].as_str()) {
            (_, Some("newest_there_is")) => "too old: the newest there is".to_owned(),
            (_, Some("older_state")) => "too old: an older state".to_owned(),
            (_, Some("void")) => "void".to_owned(),
            ("stale", _) => "too old".to_owned(),
            ("undated" | "skipped", _) => code.to_owned(),
            _ => format!("failed: {code}"),
        };
        let row = format!("| {label} | {word} | ");
        if told["tool"] != *tool || told["code"] != code || !outcome.text.contains(&row) {
            out.push(format!(
                "{row} is not told by {told} or the table of\n{}",
                outcome.text
            ));
        }
    }
    let dated: Vec<(Option<u64>, Option<&str>)> = found
        .iter()
        .filter(|s| s["status"] == "success" || s["status"] == "partial")
        .map(|s| &s["result"]["freshcontext"])
        .map(|facts| (facts["freshness_score"].as_u64(), facts["content_date"].as_str()))
        .collect();
    let weakest = &coverage["weakest"];
    let told = (weakest["score"].as_u64(), weakest["content_date"].as_str());
    match dated.into_iter().min() {
        None if !weakest.is_null() => out.push(format!("nothing is dated, yet the weakest is {weakest}")),
        Some(lowest) if weakest.is_null() || told != lowest => {
            out.push(format!("the weakest link is {lowest:?}, not {weakest}"));
        }
        _ => {}
    }
    out
}

/// Every section that answered has its own envelope, and text and structure agree.
fn envelopes(table: &Table, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    let found = sections(outcome);
    let answered: Vec<&Value> = found.iter().filter(|s| s["result"].is_object()).collect();
    if answered.is_empty() {
        if outcome.text.contains("FRESHCONTEXT]") {
            out.push("an envelope without an answer".to_owned());
        }
        return out;
    }
    let read = match parse_envelopes(&outcome.text) {
        Ok(read) => read,
        Err(error) => return vec![format!("{error}:\n{}", outcome.text)],
    };
    if read.len() != answered.len() {
        out.push(format!("{} envelopes for {} answers", read.len(), answered.len()));
    }
    for (envelope, section) in read.iter().zip(answered) {
        let facts = &section["result"]["freshcontext"];
        let same = facts["source_url"] == envelope.source.as_str()
            && facts["content_date"].as_str().map(short_moment).as_deref() == envelope.published.as_deref()
            && facts["freshness_confidence"] == envelope.confidence.as_str();
        if !same {
            out.push(format!("{envelope:?} is not {facts}"));
        }
        for item in section["result"]["items"].as_array().into_iter().flatten() {
            let title = item["title"].as_str().unwrap_or_default();
            if !envelope.content.contains(title) {
                out.push(format!("{title:?} is not in the text of {}", section["adapter"]));
            }
        }
        let scored = !facts["freshness_score"].is_null();
        let report = validate(&section["result"].to_string(), Some(table.case.now));
        let least = if scored { Level::Scored } else { Level::Compatible };
        if report.level < least {
            let failed: Vec<_> = report.failed().collect();
            out.push(format!(
                "{} reaches {:?}: {failed:?}",
                section["adapter"], report.level
            ));
        }
    }
    for whole in [outcome.text.clone(), outcome.structured.to_string()] {
        let report = validate(&whole, Some(table.case.now));
        if report.level < Level::Compatible {
            let failed: Vec<_> = report.failed().collect();
            out.push(format!("the whole reaches {:?}: {failed:?}", report.level));
        }
    }
    out
}
