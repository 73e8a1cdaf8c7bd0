//! Masking of secrets and e-mail addresses, and removal of what the caller marks, before anything is hashed, exported,
//! logged or drawn. The one place where that is decided.
//!
//! A secret is known by its form (`rules`: the rules of gitleaks, kept as data, and a few of our own), by the name
//! beside it (`pairs` in a text, `fields` in JSON), or as an address (`mail`). A text is searched as it is written and
//! as its reader will have it (`view`). A password in prose stays.

mod fields;
mod mail;
mod marks;
mod names;
mod pairs;
mod rules;
mod view;

use std::borrow::Cow;

pub use fields::{Touched, joined, masked_value, sweep};
pub use names::is_secret_name;
use rules::Rules;
use view::View;

/// What stands where a marked field was.
pub const REMOVED: &str = "[removed]";
/// What marks bear that stand for fields which are a secret only together.
const JOINED: &str = "joined_secret";
/// Times that a text is searched: a mark can be what makes a second secret beside it stand out. A text that still holds
/// one then is removed whole.
const PASSES: usize = 4;

/// A stretch of a text that is a secret, and what found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: usize,
    end: usize,
    name: &'static str,
}

/// The secrets and e-mail addresses of a text, in order, none within another.
fn find(rules: &'static Rules, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    look(rules, text, &mut found);
    for view in View::all(text) {
        let mut read = Vec::new();
        look(rules, &view.text, &mut read);
        found.extend(read.into_iter().map(|span| {
            let (start, end) = view.written(span.start, span.end);
            Span { start, end, ..span }
        }));
    }
    if found.is_empty() {
        return found;
    }
    for span in &mut found {
        // Patterns are over bytes.
        while span.start > 0 && !text.is_char_boundary(span.start) {
            span.start -= 1;
        }
        while span.end < text.len() && !text.is_char_boundary(span.end) {
            span.end += 1;
        }
    }
    let marks = marks::all(text);
    let mut parts: Vec<Span> = found
        .iter()
        .flat_map(|span| {
            let outside = marks::outside(text, &marks, span.start, span.end);
            outside
                .into_iter()
                .map(|(start, end)| Span { start, end, ..*span })
        })
        .collect();
    // Of stretches that begin together the first rule names them.
    parts.sort_by_key(|span| span.start);
    let mut out: Vec<Span> = Vec::new();
    for part in parts.into_iter().filter(|part| part.start < part.end) {
        match out.last_mut() {
            Some(last) if part.start < last.end => last.end = last.end.max(part.end),
            _ => out.push(part),
        }
    }
    out
}

fn look(rules: &'static Rules, text: &str, out: &mut Vec<Span>) {
    let words = rules.words_in(text);
    rules.find(text, &words, out);
    if words.names {
        pairs::find(text, out);
    }
    let known = out.len();
    mail::find(text, out);
    // The host behind a password is no address.
    let (secrets, mails) = out.split_at(known);
    let mails: Vec<Span> = mails
        .iter()
        .filter(|mail| {
            !secrets
                .iter()
                .any(|it| it.start < mail.end && mail.start < it.end)
        })
        .copied()
        .collect();
    out.truncate(known);
    out.extend(mails);
}

/// The text with a mark in place of each secret and e-mail address, and the names of what found any. Twice changes
/// nothing: a mark holds nothing that is found.
pub fn masked(text: &str) -> (Cow<'_, str>, Vec<&'static str>) {
    let Some(rules) = Rules::all() else {
        // Without rules nothing may pass. A test sees to it that they can be read.
        return (Cow::Borrowed(REMOVED), vec!["no_patterns"]);
    };
    let mut names = Vec::new();
    let mut out = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let found = find(rules, &out);
        if found.is_empty() {
            return (out, names);
        }
        let mut clean = String::with_capacity(out.len());
        let mut done = 0;
        for span in found {
            clean.push_str(out.get(done..span.start).unwrap_or_default());
            clean.push_str(&marks::mark(span.name));
            done = span.end;
            if !names.contains(&span.name) {
                names.push(span.name);
            }
        }
        clean.push_str(out.get(done..).unwrap_or_default());
        out = Cow::Owned(clean);
    }
    if find(rules, &out).is_empty() {
        return (out, names);
    }
    (Cow::Owned(REMOVED.to_owned()), names)
}

/// Whether a secret or an e-mail address is in a text.
pub fn holds_secret(text: &str) -> bool {
    Rules::all().is_none_or(|rules| !find(rules, text).is_empty())
}

/// Names of fields that hold the records together, beside those that end in `_id`, `_ref`, `_refs` and `_at`.
const STRUCTURE: [&str; 24] = [
    "scope",
    "lifecycle",
    "content_mode",
    "redaction_state",
    "redaction_method",
    "redacted_by",
    "field",
    "method",
    "reason",
    "severity",
    "status",
    "overflow_strategy",
    "injection_point",
    "event_class",
    "selector_type",
    "trust_level",
    "visibility",
    "schema_version",
    "tokenizer",
    "token_counts",
    "date_confidence",
    "digest",
    "hash",
    "sha256",
];

/// Whether a field of this name cannot be marked.
pub fn is_structure(name: &str) -> bool {
    STRUCTURE.contains(&name)
        || ["_id", "_ref", "_refs", "_at"]
            .iter()
            .any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests;
