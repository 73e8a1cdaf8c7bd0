//! `freshcontext evaluate`: evaluation of documents in a file, without network access.

use std::path::Path;

use chrono::{DateTime, Utc};
use freshcontext_config::{ConfigError, Settings};
use freshcontext_contract::limits::SIGNALS_VALUES;
use freshcontext_contract::quoted_within;
use freshcontext_core::decay::DecayTable;
use freshcontext_core::evaluate::{ARGUMENTS, Batch, Decision, Evaluation, Options, batch};
use freshcontext_core::values::hold_more_values_than;
use freshcontext_files::read::{self as input, Bound};
use freshcontext_files::write::{self as atomic_file, NewFile};
use freshcontext_mcp::timeline;
use freshcontext_spec::signed::{Keyring, SignedVerdicts};
use serde_json::{Map, Value};

use super::{FAILED, WRONG, refused, unreadable};
use crate::app::keyring;
use crate::output::{self, Style};

/// What the command line says of the evaluation; takes precedence over the file.
pub(super) struct Wishes {
    pub query: Option<String>,
    pub profile: Option<String>,
    pub intent: Option<String>,
    pub max_tokens: Option<u64>,
    pub strategy: Option<String>,
}

/// Requested output.
pub(super) struct Form<'f> {
    pub json: bool,
    pub html: Option<&'f Path>,
    pub records: Option<&'f Path>,
}

impl Wishes {
    fn put_into(self, arguments: &mut Map<String, Value>) {
        let words = [
            ("query", self.query),
            ("profile", self.profile),
            ("intent", self.intent),
        ];
        for (name, words) in words {
            if let Some(words) = words {
                arguments.insert(name.to_owned(), words.into());
            }
        }
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
    wishes: Wishes,
    form: &Form<'_>,
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
    let mut arguments = match arguments_in(&bytes) {
        Ok(arguments) => arguments,
        Err(error) => {
            output::error(
                &format!("neither JSON nor JSON Lines: {error}"),
                Some("the file holds a list of documents, one document a line, or {\"query\", \"signals\"}"),
            );
            return Ok(WRONG);
        }
    };
    wishes.put_into(&mut arguments);
    let mut arguments = Value::Object(arguments);
    let decay =
        DecayTable::with_overrides(settings.decay.iter().map(|(class, rate)| (class.as_str(), *rate)))
            .map_err(|error| ConfigError(error.to_string()))?;
    let options = Options {
        decay,
        limits: settings.limits.clone(),
        ..Options::default()
    };
    let now = settings.clock().now();
    let batch = match batch(&arguments, now, &options) {
        Ok(batch) => batch,
        Err(error) => return Ok(refused(&error)),
    };
    if let Some(page) = form.html {
        let structured = batch.evaluation.structured().unwrap_or_default();
        let page_text = timeline::of_evaluation(&arguments, &structured);
        if let Err(problem) = atomic_file::write(page, page_text.as_bytes(), NewFile::Shared) {
            output::error(&problem, None);
            return Ok(FAILED);
        }
        output::note(&format!("page: {}", page.display()));
    }
    if let Some(kept) = form.records {
        match super::records::of_evaluation(&mut arguments, now, &options) {
            Ok(records) => {
                if !super::records::keep(records, kept) {
                    return Ok(FAILED);
                }
            }
            Err(error) => return Ok(refused(&error)),
        }
    }
    if form.json {
        let text = match keyring(settings)? {
            None => serde_json::to_string_pretty(&batch.evaluation),
            Some(keys) => serde_json::to_string_pretty(&signed(&batch.evaluation, &keys, now)),
        };
        output::line(&text.unwrap_or_default());
    } else if batch.evaluation.assembly.is_some() {
        let code = show_assembly(&batch.evaluation);
        show_notes(&batch.evaluation);
        return Ok(code);
    } else {
        show(&batch);
        show_notes(&batch.evaluation);
    }
    // Under a budget, what was selected counts: undated documents go in, although none is usable as it stands.
    let found = match &batch.evaluation.selection {
        Some(selection) => selection.note.is_none(),
        None => batch.rows.iter().any(|row| is_usable(row.decision)),
    };
    Ok(if found { 0 } else { FAILED })
}

/// The evaluation with the signatures of its verdicts, as MCP and REST give it.
fn signed(evaluation: &Evaluation, keys: &Keyring, now: DateTime<Utc>) -> Value {
    let mut structured = evaluation.structured().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    SignedVerdicts::put_into(&mut structured, version, keys, now);
    structured
}

/// The arguments in a file: themselves, a list of documents, one document, an answer that holds a list, or JSON Lines. A line
/// that is no JSON stays a place in the list, so that the others keep theirs.
fn arguments_in(bytes: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    let signals = |signals: Value| Map::from_iter([("signals".to_owned(), signals)]);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let error = match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => {
            // Answers of retrievers have such names, too: Dify's `{"query", "records": [...]}`.
            let holds_list = fields.values().any(Value::is_array);
            let is_call = fields.contains_key("signals")
                || (!holds_list && fields.keys().all(|name| ARGUMENTS.contains(&name.as_str())));
            return Ok(if is_call {
                fields
            } else {
                signals(Value::Object(fields))
            });
        }
        Ok(other) => return Ok(signals(other)),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(bytes);
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let read: Vec<(usize, Option<Value>)> = lines
        .map(|(at, line)| (at, serde_json::from_str(line).ok()))
        .collect();
    // A document that is broken somewhere is no JSON Lines.
    if read.first().is_none_or(|(_, value)| value.is_none()) {
        return Err(error);
    }
    for (at, _) in read.iter().filter(|(_, value)| value.is_none()) {
        output::note(&format!("line {} is not JSON", at + 1));
    }
    Ok(signals(
        read.into_iter()
            .map(|(_, value)| value.unwrap_or_default())
            .collect(),
    ))
}

fn show_notes(evaluation: &Evaluation) {
    for note in &evaluation.notes {
        output::note(&output::one_line(note));
    }
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
    let excluded = batch
        .rows
        .iter()
        .zip(&batch.evaluation.verdicts)
        .filter(|(row, _)| row.decision == Decision::Exclude);
    for (row, verdict) in excluded {
        if let Some(why) = verdict.why.first() {
            output::line(&format!("  #{} excluded: {}", row.index, output::one_line(why)));
        }
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
