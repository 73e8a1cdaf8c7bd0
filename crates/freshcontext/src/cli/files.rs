//! `freshcontext validate` and `inspect`: checks of files, without network access.

use std::ffi::OsStr;
use std::path::Path;

use freshcontext_contract::{Clock as _, Limits};
use freshcontext_detect::inspect as inspect_text;
use freshcontext_spec::validate::{Level, Report, validate as validate_text};
use serde_json::{Value, json};

use super::args::RequiredLevel;
use super::{FAILED, WRONG, unreadable};
use crate::output::{self, Style};
use freshcontext_config::SystemClock;
use freshcontext_files::read::{self as input, Bound};

pub(super) fn validate(response: &OsStr, required: RequiredLevel, as_json: bool, limits: &Limits) -> u8 {
    let text = match itself(response) {
        Some(text) => text.to_owned(),
        None => match read_text(Path::new(response), limits) {
            Ok(text) => text,
            Err(code) => return code,
        },
    };
    let report = validate_text(&text, Some(SystemClock.now()));
    let required = match required {
        RequiredLevel::Aware => Level::Aware,
        RequiredLevel::Compatible => Level::Compatible,
        RequiredLevel::Scored => Level::Scored,
    };
    if as_json {
        output::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        show_report(&report);
    }
    // A level is what is kept of the specification; a check that failed is a MUST that is broken, whatever the level.
    if report.level < required || report.failed().next().is_some() {
        FAILED
    } else {
        0
    }
}

/// Returns the response if the argument is the response itself rather than a file name.
fn itself(response: &OsStr) -> Option<&str> {
    let text = response.to_str()?;
    let begins = ["{", "\"", "[FRESHCONTEXT]"]
        .iter()
        .any(|begin| text.trim_start().starts_with(begin));
    (begins && !Path::new(response).is_file()).then_some(text)
}

fn show_report(report: &Report) {
    let stars = match report.level.stars() {
        0 => "no star".to_owned(),
        stars => "*".repeat(usize::from(stars)),
    };
    let style = match report.level {
        Level::Fail => Style::Bad,
        Level::Aware => Style::Middling,
        Level::Compatible | Level::Scored => Style::Good,
    };
    output::line(&format!(
        "{}  {stars}  (FreshContext {})",
        output::paint(style, report.level.as_str()),
        report.specification
    ));
    for check in report.failed() {
        let (name, message) = (output::one_line(&check.name), output::one_line(&check.message));
        output::line(&format!(
            "{} {name}: {message}",
            output::paint(Style::Bad, "failed")
        ));
    }
    let mut said = None;
    for lack in &report.lacks {
        let (what, problem) = (output::one_line(&lack.what), output::one_line(&lack.problem));
        output::line(&format!(
            "{} for {}: {what}: {problem}",
            output::paint(Style::Middling, "lacks"),
            lack.level
        ));
        if said != Some(lack.says) {
            output::line(&output::paint(
                Style::Dim,
                &format!("  specification: {}", lack.says),
            ));
        }
        said = Some(lack.says);
    }
    for note in &report.notes {
        output::line(&format!(
            "{} {}",
            output::paint(Style::Dim, "note"),
            output::one_line(note)
        ));
    }
    let passed = report.checks.iter().filter(|check| check.passed).count();
    output::line(&format!("{passed} of {} checks passed", report.checks.len()));
}

pub(super) fn inspect(file: &Path, limits: &Limits) -> u8 {
    let text = match read_text(file, limits) {
        Ok(text) => text,
        Err(code) => return code,
    };
    let found = inspect_text(&text);
    let (style, word) = if found.failed {
        (Style::Bad, "failed retrieval")
    } else {
        (Style::Good, "content")
    };
    let kind = found.kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
    output::line(&format!(
        "{}{kind}, confidence {:.2}",
        output::paint(style, word),
        found.confidence
    ));
    output::line(&output::one_line(&found.reason));
    for evidence in &found.evidence {
        output::line(&format!(
            "  {}: {}",
            evidence.aspect,
            output::one_line(&evidence.seen)
        ));
    }
    0
}

/// Reads line by line, so the file may have any size.
pub(super) fn inspect_lines(file: &Path, limits: &Limits) -> u8 {
    let lines = match input::lines(file, Bound::input(limits)) {
        Ok(lines) => lines,
        Err(refused) => return unreadable(&refused),
    };
    for (at, line) in lines.enumerate() {
        let line = match line {
            Ok(line) => line,
            Err(refused) => {
                output::error(&format!("line {}: {refused}", at + 1), None);
                return WRONG;
            }
        };
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        if output::is_lost() {
            return 0;
        }
        let entry: Value = serde_json::from_str(&line).unwrap_or_default();
        let id = match entry.get("id") {
            Some(Value::String(id)) => id.clone(),
            Some(id @ Value::Number(_)) => id.to_string(),
            _ => (at + 1).to_string(),
        };
        let Some(text) = entry.get("text").and_then(Value::as_str) else {
            output::error(
                &format!("line {} is not JSON with a \"text\"", at + 1),
                Some("each line looks like {\"id\": \"a\", \"text\": \"...\"}"),
            );
            return WRONG;
        };
        let found = inspect_text(text);
        let line =
            json!({ "id": id, "failed": found.failed, "kind": found.kind, "confidence": found.confidence });
        output::line(&line.to_string());
    }
    0
}

fn read_text(file: &Path, limits: &Limits) -> Result<String, u8> {
    match input::read(file, Bound::input(limits)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(refused) => Err(unreadable(&refused)),
    }
}
