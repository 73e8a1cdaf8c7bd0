//! `freshcontext records`: context records from files, and into them. No network.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use freshcontext_contract::{Clock as _, SourceError};
use freshcontext_core::evaluate::{Options, judge};
use freshcontext_records::check::check;
use freshcontext_records::export::{Format, export, read};
use freshcontext_records::ids::Ids;
use freshcontext_records::{Bundle, Native};
use serde_json::{Value, json};

use super::args::Records;
use super::judge::unreadable;
use super::{FAILED, WRONG, read_input};
use crate::clock::SystemClock;
use crate::engine::ToolOutcome;
use crate::output;
use crate::records::{FIELD, of_judgement as note};
use crate::timeline;

pub(super) fn run(task: &Records) -> u8 {
    match task {
        Records::Export { file, format } => {
            let Some(format) = Format::ALL.into_iter().find(|form| form.as_str() == format) else {
                return WRONG;
            };
            with_bundle(file, |bundle| {
                let broken = check(bundle);
                if !broken.is_empty() {
                    for what in &broken {
                        output::error(what, None);
                    }
                    return FAILED;
                }
                written(bundle, format)
            })
        }
        Records::Page { file } => with_bundle(file, |bundle| {
            output::line(&timeline::of_records(bundle));
            0
        }),
        Records::Check { file, json } => with_bundle(file, |bundle| said(bundle, *json)),
    }
}

fn with_bundle(file: &Path, work: impl FnOnce(&Bundle) -> u8) -> u8 {
    let bytes = match read_input(file) {
        Ok(bytes) => bytes,
        Err(problem) => return unreadable(&problem),
    };
    match read(&String::from_utf8_lossy(&bytes)) {
        Ok(bundle) => work(&bundle),
        Err(problem) => {
            output::error(
                &format!("no records can be read: {problem}"),
                Some("the file holds a bundle, an answer with `records`, JSON Lines or CloudEvents"),
            );
            FAILED
        }
    }
}

fn written(bundle: &Bundle, format: Format) -> u8 {
    let now = SystemClock.now();
    let mut seed = [0; 32];
    if let Err(error) = getrandom::fill(&mut seed) {
        output::error(&format!("no randomness for ids: {error}"), None);
        return FAILED;
    }
    let mut ids = Ids::new(u64::try_from(now.timestamp_millis()).unwrap_or_default(), seed);
    let at = now.to_rfc3339_opts(SecondsFormat::Millis, true);
    output::line(&export(bundle, format, &at, &mut ids));
    0
}

fn said(bundle: &Bundle, json: bool) -> u8 {
    let broken = check(bundle);
    let records = bundle.records();
    if json {
        let report = json!({"records": records.len(), "broken": broken});
        output::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        for what in &broken {
            output::line(&output::one_line(what));
        }
        output::line(&format!(
            "{} records, {} rules broken",
            records.len(),
            broken.len()
        ));
    }
    if broken.is_empty() { 0 } else { FAILED }
}

/// Takes the records out of an outcome and writes them into a file. Whether that went well.
pub(super) fn keep(outcome: &mut ToolOutcome, file: &Path) -> bool {
    let records = outcome
        .structured
        .as_mut()
        .and_then(Value::as_object_mut)
        .and_then(|fields| fields.remove(FIELD));
    let Some(records) = records else {
        output::error("no records were made of this call", None);
        return false;
    };
    let text = serde_json::to_string_pretty(&records).unwrap_or_default();
    let done = std::fs::write(file, text + "\n");
    if let Err(error) = &done {
        output::error(&format!("cannot write {}: {error}", file.display()), None);
    }
    done.is_ok()
}

/// The judgement of these arguments with its records.
pub(super) fn of_judgement(
    arguments: &mut Value,
    now: DateTime<Utc>,
    options: &Options,
) -> Result<ToolOutcome, SourceError> {
    if let Some(fields) = arguments.as_object_mut() {
        fields.insert("records".to_owned(), "full".into());
    }
    let judgement = judge(arguments, now, options)?;
    let mut outcome = ToolOutcome {
        text: judgement.text(),
        structured: Some(judgement.structured()?),
        is_error: false,
        meta: None,
    };
    if let Some(recorded) = &judgement.recorded {
        note(&mut outcome, recorded, &Native::default(), now);
    }
    Ok(outcome)
}
