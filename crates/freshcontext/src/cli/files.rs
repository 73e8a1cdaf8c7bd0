//! `freshcontext validate`, `evaluate` and `inspect`: evaluation of files, without network access.

use std::ffi::OsStr;
use std::path::Path;

use freshcontext_contract::limits::SIGNALS_VALUES;
use freshcontext_contract::{Clock as _, Limits, quoted_within};
use freshcontext_core::decay::DecayTable;
use freshcontext_core::evaluate::{Batch, Decision, Evaluation, Options, batch};
use freshcontext_core::values::hold_more_values_than;
use freshcontext_detect::inspect as inspect_text;
use freshcontext_spec::validate::{Level, Report, validate as validate_text};
use serde_json::{Map, Value, json};

use super::args::RequiredLevel;
use super::{FAILED, WRONG, refused, unreadable};
use crate::output::{self, Style};
use freshcontext_config::SystemClock;
use freshcontext_config::{ConfigError, Settings};
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
    if report.level < required { FAILED } else { 0 }
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

/// Budget from the command line.
pub(super) struct Room {
    pub max_tokens: Option<u64>,
    pub strategy: Option<String>,
}

impl Room {
    /// Sets the budget in the arguments, where it overrides an existing one.
    fn put_into(self, arguments: &mut Value) {
        let Some(arguments) = arguments.as_object_mut() else {
            return;
        };
        let set = [
            ("max_tokens", self.max_tokens.map(Value::from)),
            ("overflow_strategy", self.strategy.map(Value::from)),
        ];
        for (name, value) in set.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            let budget = arguments
                .entry("budget")
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(budget) = budget.as_object_mut() {
                budget.insert(name.to_owned(), value);
            }
        }
    }
}

pub(super) fn evaluate(
    file: &Path,
    as_json: bool,
    room: Room,
    kept: Option<&Path>,
    settings: &Settings,
) -> Result<u8, ConfigError> {
    let bytes = match input::read(file, Bound::input(&settings.limits)) {
        Ok(bytes) => bytes,
        Err(refused) => return Ok(unreadable(&refused)),
    };
    if hold_more_values_than(&[&bytes], SIGNALS_VALUES) {
        output::error(
            &format!("the file holds more than {SIGNALS_VALUES} values"),
            Some("judge fewer signals at a time"),
        );
        return Ok(WRONG);
    }
    let mut arguments: Value = match serde_json::from_slice(&bytes) {
        Ok(arguments) => arguments,
        Err(error) => {
            output::error(
                &format!("not JSON: {error}"),
                Some(
                    "the file holds the arguments of evaluate_context: {\"profile\", \"intent\", \"signals\"}",
                ),
            );
            return Ok(WRONG);
        }
    };
    room.put_into(&mut arguments);
    let decay =
        DecayTable::with_overrides(settings.decay.iter().map(|(class, rate)| (class.as_str(), *rate)))
            .map_err(|error| ConfigError(error.to_string()))?;
    let options = Options {
        decay,
        limits: settings.limits.clone(),
    };
    let now = settings.clock().now();
    let batch = match batch(&arguments, now, &options) {
        Ok(batch) => batch,
        Err(error) => return Ok(refused(&error)),
    };
    if let Some(kept) = kept {
        match super::records::of_evaluation(&mut arguments, now, &options) {
            Ok(records) => {
                if !super::records::keep(records, kept) {
                    return Ok(FAILED);
                }
            }
            Err(error) => return Ok(refused(&error)),
        }
    }
    if as_json {
        output::line(&serde_json::to_string_pretty(&batch.evaluation).unwrap_or_default());
    } else if batch.evaluation.assembly.is_some() {
        return Ok(show_assembly(&batch.evaluation));
    } else {
        show(&batch);
    }
    let usable = batch.rows.iter().any(|row| is_usable(row.decision));
    Ok(if usable { 0 } else { FAILED })
}

/// Prints the selection on stdout, ready to paste, and the rest on stderr. Fails if nothing was selected.
fn show_assembly(evaluation: &Evaluation) -> u8 {
    let text = evaluation.text();
    let nothing = (evaluation.assembly.as_ref()).is_some_and(|assembly| assembly.text.is_empty());
    if nothing {
        output::note(&output::one_line(&text));
    } else {
        output::line(text.trim_end());
    }
    if let Some(used) = &evaluation.budget {
        output::note(&format!(
            "{} of {} results, {} tokens ({}), {} bytes",
            used.actual_items,
            evaluation.verdicts.len(),
            used.actual_tokens,
            used.tokenizer,
            used.actual_bytes,
        ));
    }
    for omitted in evaluation
        .selection
        .iter()
        .flat_map(|selection| &selection.omitted)
    {
        let (reason, detail) = (omitted.reason.as_str(), output::one_line(&omitted.detail));
        output::note(&format!("out: {} {reason}: {detail}", omitted.index));
    }
    for gap in evaluation.missing_context.iter().flatten() {
        let severity = serde_json::to_value(gap.severity).unwrap_or_default();
        let question = output::one_line(&gap.question);
        output::note(&format!(
            "missing ({}): {question}",
            severity.as_str().unwrap_or_default()
        ));
    }
    if nothing { FAILED } else { 0 }
}

fn is_usable(decision: Decision) -> bool {
    matches!(
        decision,
        Decision::UseFirst | Decision::CiteAsPrimary | Decision::CiteAsSupporting | Decision::UseAsBackground
    )
}

fn show(batch: &Batch) {
    let compared = batch.expected() > 0;
    let mut header: Vec<String> = ["#", "DECISION", "FRESH", "RANK", "TITLE"]
        .map(str::to_owned)
        .to_vec();
    if compared {
        header.insert(2, "EXPECTED".to_owned());
    }
    let mut rows = vec![header];
    for row in &batch.rows {
        let fresh = row
            .freshness_score
            .map_or_else(|| "-".to_owned(), |score| score.to_string());
        let title = quoted_within(&output::one_line(&row.title), 60);
        let mut cells = vec![
            row.index.to_string(),
            row.decision.as_str().to_owned(),
            fresh,
            format!("{:.2}", row.rank_score),
            title,
        ];
        if compared {
            let expected = match (row.expected, row.agrees()) {
                (Some(_), Some(true)) => "as expected".to_owned(),
                (Some(expected), _) => format!("not {}", expected.as_str()),
                (None, _) => "-".to_owned(),
            };
            cells.insert(2, expected);
        }
        rows.push(cells);
    }
    for (at, line) in output::table(&rows).into_iter().enumerate() {
        let style = match at.checked_sub(1).and_then(|at| batch.rows.get(at)) {
            None => Style::Bold,
            Some(row) if row.agrees() == Some(false) || row.decision == Decision::Exclude => Style::Bad,
            Some(row) if is_usable(row.decision) => Style::Good,
            Some(_) => Style::Middling,
        };
        output::line(&output::paint(style, &line));
    }
    let usable = batch.rows.iter().filter(|row| is_usable(row.decision)).count();
    output::line(&format!("{usable} of {} usable", batch.rows.len()));
    if compared {
        output::line(&format!(
            "{} of {} expected decisions met",
            batch.agreed(),
            batch.expected()
        ));
        for row in batch.disagreements() {
            if let Some(note) = &row.note {
                output::line(&format!("  #{} reviewer: {}", row.index, output::one_line(note)));
            }
        }
    }
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
