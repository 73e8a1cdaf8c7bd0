//! Edits a client's configuration: adds, replaces or removes this server's entry. Only the entry's text
//! changes; comments, order, spacing and line endings elsewhere stay. Runs in linear time.

mod json;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::clients::{Form, Rules};

/// Name of the entry.
pub(super) const NAME: &str = "freshcontext";

/// Command that a client starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Start {
    /// The program.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// Environment variables with their values, which may be secret.
    pub(super) env: BTreeMap<String, String>,
    /// Environment variables whose values the client has elsewhere.
    pub(super) names: BTreeSet<String>,
}

impl Start {
    /// Returns whether an entry starts this. Further variables in the entry may be the user's own.
    fn is_in(&self, entry: &Self) -> bool {
        self.command == entry.command
            && self.arguments == entry.arguments
            && self
                .env
                .iter()
                .all(|(name, value)| entry.env.get(name) == Some(value))
            && self.names.is_subset(&entry.names)
    }
}

/// An existing entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its command; `None` if it cannot be read.
    pub(super) start: Option<Start>,
    /// Description of its hand-written content, if it has any.
    pub(super) by_hand: Option<String>,
}

/// A replacement of a range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Splice {
    place: Range<usize>,
    new: String,
}

impl Splice {
    fn insert(at: usize, new: impl Into<String>) -> Self {
        Self {
            place: at..at,
            new: new.into(),
        }
    }

    fn remove(place: Range<usize>) -> Self {
        Self {
            place,
            new: String::new(),
        }
    }
}

/// Adds or updates the entry. Other content of the entry (keys in `env`, for example) stays. Errors say why
/// the text cannot be edited, and never quote it.
pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let new = match rules.form {
        Form::Json | Form::JsonWithComments => json::with(text, rules, start)?,
        Form::Toml => toml::with(text, rules, start)?,
        Form::Yaml => yaml::with(text, rules, start)?,
    };
    // An unreadable result would disable the client's other servers too.
    let read = entry(&new, rules)?.and_then(|entry| entry.start);
    if read.is_some_and(|read| start.is_in(&read)) {
        Ok(new)
    } else {
        Err("the entry cannot be put in with certainty".to_owned())
    }
}

/// Finds the entry; `None` if there is none.
pub(super) fn entry(text: &str, rules: &Rules) -> Result<Option<Entry>, String> {
    match rules.form {
        Form::Json | Form::JsonWithComments => json::entry(text, rules),
        Form::Toml => toml::entry(text, rules),
        Form::Yaml => yaml::entry(text, rules),
    }
}

/// Removes the entry; `None` if there is none. The section and all comments stay.
pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<String>, String> {
    let splices = match rules.form {
        Form::Json | Form::JsonWithComments => json::without(text, rules)?,
        Form::Toml => toml::without(text, rules)?,
        Form::Yaml => yaml::without(text, rules)?,
    };
    let Some(splices) = splices else {
        return Ok(None);
    };
    let new = applied(text, splices);
    match entry(&new, rules)? {
        None => Ok(Some(new)),
        Some(_) => Err("the entry cannot be taken out with certainty".to_owned()),
    }
}

/// Returns the text to edit, or an empty document for an empty file.
fn base(text: &str, form: Form) -> &str {
    match form {
        Form::Json | Form::JsonWithComments if text.trim().is_empty() => "{}\n",
        _ => text,
    }
}

/// Applies replacements. Those at the same position keep their order.
fn applied(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.place.start);
    let mut new = String::with_capacity(text.len() + 512);
    let mut from = 0;
    for splice in splices {
        new.push_str(text.get(from..splice.place.start).unwrap_or_default());
        new.push_str(&splice.new);
        from = from.max(splice.place.end);
    }
    new.push_str(text.get(from..).unwrap_or_default());
    new
}

fn another_kind() -> String {
    format!("its entry `{NAME}` starts no command; take it out first")
}

fn starts_stdio(start: Option<&Start>) -> bool {
    start.is_some_and(|start| start.arguments.last().is_some_and(|last| last == "stdio"))
}

/// Description of an entry that has `install`'s fields in a different notation.
const ANOTHER_FORM: &str = "it does not start `stdio` in the way that `install` writes";

/// Returns the line ending of a text.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the part of the line before a position.
fn line_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// Returns the leading spaces and tabs of a text.
fn blank_start(text: &str) -> &str {
    let rest = text.trim_start_matches([' ', '\t']);
    text.strip_suffix(rest).unwrap_or_default()
}

/// Extends a range to whole lines if they contain nothing else; otherwise to the spaces before it.
fn with_its_lines(text: &str, place: Range<usize>) -> Range<usize> {
    let before = line_before(text, place.start);
    let after = text.get(place.end..).unwrap_or_default();
    let blanks = blank_start(after).len();
    let rest = after.get(blanks..).unwrap_or_default();
    let end = ["\r\n", "\n"].iter().find(|end| rest.starts_with(**end));
    let alone = before.trim_matches([' ', '\t']).is_empty();
    match end {
        Some(end) if alone => place.start - before.len()..place.end + blanks + end.len(),
        None if alone && rest.is_empty() => place.start - before.len()..text.len(),
        _ => {
            let kept = before.trim_end_matches([' ', '\t']).len();
            place.start - (before.len() - kept)..place.end
        }
    }
}
