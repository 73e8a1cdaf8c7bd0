//! One cleaner for every string that leaves this server.
//!
//! Two passes, each linear and each leaving clean text alone (no allocation):
//! 1. `hidden`: characters that a reader cannot see (controls, terminal escapes, bidi overrides,
//!    zero-width and tag characters, fillers) go; runs of marks, blanks and line breaks are bounded.
//!    Joiners, direction marks and variation selectors stay where a script or an emoji needs them.
//! 2. `delimiter`: anything that a reader could take for one of our envelope delimiters loses its
//!    bracket, however it is spelled.
//!
//! Cleaning twice changes nothing more.

mod alike;
mod cut;
mod delimiter;
mod hidden;
mod tables;

use std::borrow::Cow;
use std::ops::AddAssign;

use freshcontext_contract::limits::ERROR_CHARS;
use freshcontext_contract::quote::closed;
use freshcontext_redact::masked;
use serde_json::{Map, Value};

pub use cut::{cut, cut_marked};

/// What an envelope's delimiters are named.
const NAME: &[u8] = b"FRESHCONTEXT";

/// What was taken out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Hidden characters removed (a terminal escape sequence counts once).
    pub hidden: usize,
    /// Envelope delimiters made harmless.
    pub delimiters: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.hidden += other.hidden;
        self.delimiters += other.delimiters;
    }
}

/// Whether line breaks may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Several lines: LF and tab stay, every other line break becomes LF.
    Text,
    /// One line: every run of white space becomes one space; none at the ends.
    Line,
}

/// Cleans content of several lines.
pub fn clean(text: &str) -> Cow<'_, str> {
    clean_counted(text, Form::Text).0
}

/// Cleans and puts on one line.
pub fn clean_line(text: &str) -> Cow<'_, str> {
    clean_counted(text, Form::Line).0
}

/// Cleans, and says how much was taken out.
pub fn clean_counted(text: &str, form: Form) -> (Cow<'_, str>, Counts) {
    let (visible, hidden) = hidden::strip(text, form);
    match delimiter::neutralise(&visible) {
        None => (
            visible,
            Counts {
                hidden,
                delimiters: 0,
            },
        ),
        Some((harmless, delimiters)) => (Cow::Owned(harmless), Counts { hidden, delimiters }),
    }
}

/// A text put together from clean parts, without the delimiters that formed where parts meet;
/// `None` where there are none.
pub fn disarm(text: &str) -> Option<String> {
    delimiter::neutralise(text).map(|(harmless, _)| harmless)
}

/// Cleans every text in a JSON value, keys included (keys as lines).
pub fn clean_value(value: &mut Value) -> Counts {
    let mut counts = Counts::default();
    match value {
        Value::String(text) => {
            let (cleaned, found) = clean_counted(text, Form::Text);
            counts += found;
            if let Cow::Owned(cleaned) = cleaned {
                *text = cleaned;
            }
        }
        Value::Array(values) => {
            for value in values {
                counts += clean_value(value);
            }
        }
        Value::Object(fields) => counts += clean_map(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    counts
}

/// As [`clean_value`], for an object.
pub fn clean_map(fields: &mut Map<String, Value>) -> Counts {
    let mut counts = Counts::default();
    for value in fields.values_mut() {
        counts += clean_value(value);
    }
    let dirty = fields.keys().any(|key| clean_line(key) != **key);
    if dirty {
        *fields = std::mem::take(fields)
            .into_iter()
            .map(|(key, value)| {
                let (cleaned, found) = clean_counted(&key, Form::Line);
                counts += found;
                (cleaned.into_owned(), value)
            })
            .collect();
    }
    counts
}

/// An error text fit to show: one clean line of at most 300 characters, without secrets, and the mark that closes a
/// quotation which that cuts. An error may repeat an argument.
pub fn clean_error(text: &str) -> String {
    // Enough to fill the line whatever is taken out, without cleaning a whole error page.
    let head = text
        .char_indices()
        .nth(ERROR_CHARS * 8)
        .map_or(text, |(at, _)| text.get(..at).unwrap_or(text));
    closed(cut_marked(&masked(&clean_line(head)).0, ERROR_CHARS).into_owned())
}

#[cfg(test)]
mod tests;
