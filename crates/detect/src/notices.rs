//! A project's terms for those who contribute: the sentence on its code of conduct, and that on the licence of
//! contributions. They stand at the end of thousands of READMEs in the same words, and these words (agree, terms, abide,
//! note that, must) are those of pages that refuse.
//!
//! Only a whole sentence that names both the thing and whom it binds is one: `By logging in you agree to our code of
//! conduct` stays what it is.

use std::borrow::Cow;

/// Longest text that is searched, in bytes: of a longer one, the weights see the beginning only.
const SEARCHED: usize = 8 << 10;

/// Longest such sentence, in bytes.
const SENTENCE: usize = 600;

/// Words of which one names whom a code of conduct or a licence binds, in lower case.
const BOUND: [&str; 12] = [
    "contribut",
    "covenant",
    "participating in this",
    "participating in the",
    "this project",
    "this package",
    "this repository",
    "this community",
    "pull request",
    "codebase",
    "issue tracker",
    "your patch",
];

/// Words of pages that refuse. A sentence with one is no project's notice.
const REFUSING: [&str; 14] = [
    "log in",
    "login",
    "logging in",
    "sign in",
    "signing in",
    "sign up",
    "account",
    "cookie",
    "denied",
    "blocked",
    "violat",
    "suspended",
    "banned",
    "continue browsing",
];

/// The text without such sentences, and whether it had one.
pub(crate) fn without(text: &str) -> (bool, Cow<'_, str>) {
    if text.len() > SEARCHED || text.starts_with(['{', '<']) || !may_hold_one(text) {
        return (false, Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut has_one = false;
    for paragraph in text.split_inclusive("\n\n") {
        let mut rest = paragraph;
        while !rest.is_empty() {
            let (sentence, behind) = rest.split_at_checked(end_of_sentence(rest)).unwrap_or((rest, ""));
            // "By participating in this project you agree to abide by its terms" goes on with the one before it.
            if is_notice(sentence) || (has_one && is_agreed(sentence)) {
                has_one = true;
            } else {
                out.push_str(sentence);
            }
            rest = behind;
        }
    }
    if !has_one {
        return (false, Cow::Borrowed(text));
    }
    (true, Cow::Owned(out.trim().to_owned()))
}

/// A look at the bytes first: most texts hold neither.
fn may_hold_one(text: &str) -> bool {
    text.contains("onduct")
        || (text.contains("icen")
            && ["ontribut", "ull request", "our patch"]
                .iter()
                .any(|word| text.contains(word)))
}

/// Where the first sentence ends: behind a stop, a colon or a question mark before a blank, or at the mark of the next
/// entry of a list.
fn end_of_sentence(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['.', '!', '?', '\n'])) {
        let end = at + found + 1;
        let next = bytes.get(end).copied();
        let ends = match bytes.get(at + found) {
            Some(b'\n') => next.is_some_and(|byte| matches!(byte, b'-' | b'*' | b'+' | b'#' | b'\n')),
            _ => next.is_none_or(|byte| byte.is_ascii_whitespace()),
        };
        if ends {
            return end;
        }
        at = end;
    }
    text.len()
}

fn is_notice(sentence: &str) -> bool {
    if sentence.len() > SENTENCE {
        return false;
    }
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let lower = words.join(" ").to_lowercase();
    let has = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    // A heading, or a name alone, is none.
    let says = words.len() >= 6;
    let on_conduct = has(&["code of conduct"]) && has(&BOUND);
    let on_licence = has(&["licen"]) && has(&["contribut", "pull request", "your patch"]);
    says && (on_conduct || on_licence) && !has(&REFUSING)
}

/// The sentence behind one on a code of conduct.
fn is_agreed(sentence: &str) -> bool {
    let lower = sentence
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase();
    let has = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    sentence.len() <= SENTENCE
        && has(&["abide by", "agree to", "expected to"])
        && has(&[
            "contribut",
            "participat",
            "interacting",
            "this project",
            "this package",
        ])
        && !has(&REFUSING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_of_projects_are_left_out() {
        for (text, rest) in [
            (
                "Please note that this project is released with a [Contributor Code of\nConduct](https://example.org/conduct). By participating\nin this project you agree to abide by its terms.",
                "",
            ),
            (
                "Ask on the forum.\n\n## Code of conduct\n\nThe gulls package has a Contributor Code of Conduct (https://example.org/c). By contributing to this project, you agree to abide by its terms.",
                "Ask on the forum.\n\n## Code of conduct",
            ),
            (
                "By contributing, you agree that your contributions will be licensed under its MIT License. Open an issue first.",
                "Open an issue first.",
            ),
            (
                "* Cite it with `citation()`\n* Please note that this package is released with a Contributor Code of Conduct. By contributing you agree to abide by its terms.\n\n---",
                "* Cite it with `citation()`\n\n---",
            ),
        ] {
            let (has_one, found) = without(text);
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!((has_one, plain(&found)), (true, plain(rest)), "{text}");
        }
    }

    #[test]
    fn what_refuses_stays() {
        for text in [
            "Please log in. By signing in you agree to our Code of Conduct for contributors.",
            "Your account was suspended for a violation of this community's code of conduct.",
            "Access denied: your licence does not cover this content.",
            "Code of conduct",
            "",
        ] {
            assert_eq!(without(text), (false, Cow::Borrowed(text)), "{text}");
        }
    }
}
