//! Finds and masks the secrets of a text.

use std::borrow::Cow;

use crate::marks::REMOVED;
use crate::rules::Rules;
use crate::span::Span;
use crate::view::View;
use crate::{mail, marks, pairs};

/// Times that a text is searched: a mark can be what makes a second secret beside it stand out. A text that still holds
/// one then is removed whole.
const PASSES: usize = 4;

/// The secrets and e-mail addresses of a text, in order, none within another.
pub(crate) fn find(rules: &'static Rules, text: &str) -> Vec<Span> {
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
