//! `freshcontext stamp` and `verify`: Ha-Pri signatures over facts in a file. No network, no settings.

use std::path::Path;

use freshcontext_contract::Limits;
use freshcontext_spec::ha_pri::Verification;
use freshcontext_spec::stamp::{Stamp, StampError, covers};

use super::{FAILED, WRONG};
use crate::output::{self, Style};
use freshcontext_files::read::{self as input, Bound};

/// Invalid input, with advice.
struct Problem {
    what: String,
    hint: &'static str,
}

impl From<StampError> for Problem {
    fn from(error: StampError) -> Self {
        Self {
            what: error.what,
            hint: error.hint.unwrap_or("give --key-file FILE"),
        }
    }
}

fn read(file: &Path, limits: &Limits) -> Result<Stamp, Problem> {
    let bytes = input::read(file, Bound::input(limits)).map_err(|refused| Problem {
        what: refused.to_string(),
        hint: "give a file, or - for stdin",
    })?;
    Ok(Stamp::from_json(&bytes)?)
}

/// Reads the key: a file's bytes without the final line ending that editors add.
fn key_of(file: Option<&Path>, limits: &Limits) -> Result<Option<Vec<u8>>, Problem> {
    let Some(file) = file else { return Ok(None) };
    let problem = |what| Problem {
        what,
        hint: "the key is all that stands in the file",
    };
    let mut key = input::read_piped(file, Bound::config(limits))
        .map_err(|refused| problem(format!("`--key-file`: {refused}")))?;
    while key.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        key.pop();
    }
    if key.is_empty() {
        return Err(problem(format!("the key file {} is empty", file.display())));
    }
    Ok(Some(key))
}

/// Runs `freshcontext stamp`.
pub(super) fn stamp(file: &Path, key_file: Option<&Path>, limits: &Limits) -> u8 {
    match stamped(file, key_file, limits) {
        Ok(stamp) => {
            output::line(&serde_json::to_string_pretty(&stamp).unwrap_or_default());
            0
        }
        Err(problem) => wrong(&problem),
    }
}

fn stamped(file: &Path, key_file: Option<&Path>, limits: &Limits) -> Result<Stamp, Problem> {
    let key = key_of(key_file, limits)?;
    let stamp = read(file, limits)?;
    Ok(stamp.stamped(key.as_deref(), env!("CARGO_PKG_VERSION"))?)
}

/// Runs `freshcontext verify`: 0 if the signature is valid, 1 if it is invalid or missing.
pub(super) fn verify(file: &Path, key_file: Option<&Path>, as_json: bool, limits: &Limits) -> u8 {
    let (verification, said) = match verified(file, key_file, limits) {
        Ok(checked) => checked,
        Err(problem) => return wrong(&problem),
    };
    let shown = Shown {
        verification,
        said,
        reason: None,
        covers: covers(key_file.is_some()),
    };
    show(&shown, as_json)
}

/// The result of a check.
pub(super) struct Shown<'a> {
    /// The result.
    pub(super) verification: Verification,
    /// What it means.
    pub(super) said: &'a str,
    /// The same more finely, for programs.
    pub(super) reason: Option<&'a str>,
    /// What a valid signature covers.
    pub(super) covers: &'a str,
}

/// Prints the result of a check.
pub(super) fn show(shown: &Shown<'_>, as_json: bool) -> u8 {
    let name = shown.verification.as_str();
    let is_valid = shown.verification == Verification::Valid;
    let style = match shown.verification {
        Verification::Valid => Style::Good,
        Verification::Invalid => Style::Bad,
        Verification::Unknown => Style::Middling,
    };
    if as_json {
        let mut report = serde_json::json!({"verification": name, "detail": shown.said});
        if let Some(report) = report.as_object_mut() {
            if let Some(reason) = shown.reason {
                report.insert("reason".to_owned(), reason.into());
            }
            if is_valid {
                report.insert("covers".to_owned(), shown.covers.into());
            }
        }
        output::line(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        output::line(&format!("{}: {}", output::paint(style, name), shown.said));
        if is_valid {
            output::line(&format!("covered: {}", shown.covers));
        }
    }
    if is_valid { 0 } else { FAILED }
}

fn verified(
    file: &Path,
    key_file: Option<&Path>,
    limits: &Limits,
) -> Result<(Verification, &'static str), Problem> {
    let key = key_of(key_file, limits)?;
    Ok(read(file, limits)?.verified(key.as_deref())?)
}

fn wrong(problem: &Problem) -> u8 {
    output::error(&problem.what, Some(problem.hint));
    WRONG
}
