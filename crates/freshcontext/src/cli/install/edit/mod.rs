//! A client's configuration with our entry and without it. The text is changed where the entry stands and nowhere else:
//! comments, order, spacing and line ends of all that is beside it stay, and so does its time linear.

mod json;
#[cfg(test)]
mod tests;
mod toml;

use std::ops::Range;

use super::clients::{Form, Rules};

/// What our entry is called.
pub(super) const NAME: &str = "freshcontext";

/// What a client starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Start {
    /// The program.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// Our entry as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What it starts; `None` where that cannot be read.
    pub(super) start: Option<Start>,
    /// What it holds that `install` does not write, which a person must have written.
    pub(super) by_hand: Option<String>,
}

/// A piece of a text, and what comes in its place.
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

/// The text with our entry. What else an entry of ours holds (keys in `env`, say) stays in it. An error says why the text
/// cannot be edited, and repeats nothing of it.
pub(super) fn with(text: &str, rules: &Rules, start: &Start) -> Result<String, String> {
    let splices = match rules.form {
        Form::Json | Form::JsonWithComments => json::with(text, rules, start)?,
        Form::Toml => toml::with(text, rules, start)?,
    };
    let new = applied(base(text, rules.form), splices);
    // What cannot be read back would take the client's other servers with it.
    let read = entry(&new, rules)?.and_then(|entry| entry.start);
    if read.as_ref() == Some(start) {
        Ok(new)
    } else {
        Err("the entry cannot be put in with certainty".to_owned())
    }
}

/// Our entry in a text; `None` where there is none.
pub(super) fn entry(text: &str, rules: &Rules) -> Result<Option<Entry>, String> {
    match rules.form {
        Form::Json | Form::JsonWithComments => json::entry(text, rules),
        Form::Toml => toml::entry(text, rules),
    }
}

/// The text without our entry; `None` where it has none. The section stays, and so does every comment.
pub(super) fn without(text: &str, rules: &Rules) -> Result<Option<String>, String> {
    let splices = match rules.form {
        Form::Json | Form::JsonWithComments => json::without(text, rules)?,
        Form::Toml => toml::without(text, rules)?,
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

/// What is edited where nothing is there yet.
fn base(text: &str, form: Form) -> &str {
    match form {
        Form::Json | Form::JsonWithComments if text.trim().is_empty() => "{}\n",
        _ => text,
    }
}

/// A text with its pieces replaced. Those at the same place come in their order.
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

/// Said of an entry that has what `install` writes, and has it in another way.
const ANOTHER_FORM: &str = "it does not start `stdio` in the way that `install` writes";

/// The line end of a text.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The line that a place is in, up to that place.
fn line_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// White space at the beginning of a text, without line ends.
fn blank_start(text: &str) -> &str {
    let rest = text.trim_start_matches([' ', '\t']);
    text.strip_suffix(rest).unwrap_or_default()
}

/// A piece of a text with the rest of its lines, where there is nothing else in them; else the piece with the blanks
/// before it.
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
