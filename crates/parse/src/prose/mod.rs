//! What a text says, in prose, of the standing of the very thing that it describes: a README of its project, a banner or
//! the first lines of its page.
//!
//! Words alone prove little. Only a sentence about "this" thing counts, and every sign has low confidence.

mod sentence;

use freshcontext_contract::chrono::{DateTime, Months, NaiveDate, Utc};
use freshcontext_contract::standing::{Replacement, replacement_in};
use freshcontext_contract::{StandingEvidence, StandingState};

use crate::{date, text};
use sentence::state_of;

/// Characters at the beginning of a text in which it may speak of itself.
const BEGINNING: usize = 400;
/// Maximum length of a sentence that is repeated as the reason, in characters.
const SENTENCE: usize = 200;

/// What "this" is in a text. The same words may say different things of each: a project that is no longer maintained is
/// deprecated, a page about a version that is no longer maintained has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A project, and the text is its README.
    Project,
    /// A page.
    Page,
}

impl Subject {
    /// Who speaks in the text.
    fn speaker(self) -> &'static str {
        match self {
            Self::Project => "owner",
            Self::Page => "publisher",
        }
    }
}

/// Returns the sign in a project's README. A state in which another thing takes its place needs the name of that: one that
/// `is_name` accepts, or a web address.
pub fn of_readme(
    field: &'static str,
    readme: &str,
    now: DateTime<Utc>,
    is_name: impl Fn(&str) -> bool,
) -> Option<StandingEvidence> {
    let beginning = beginning(readme);
    let heading = beginning.lines().find(|line| !line.trim().is_empty())?;
    if says_deprecated(heading) {
        let sign = StandingEvidence::prose(StandingState::Deprecated, field, heading.trim());
        let named = replacement_in(beginning, |name| is_name(name) || is_address(name));
        return Some(sign.replaced_by(named.map(replacement)));
    }
    said(field, beginning, Subject::Project, now, is_name).filter(|sign| {
        let takes_its_place = matches!(sign.state, StandingState::Moved | StandingState::Superseded);
        sign.replaced_by.is_some() || !takes_its_place
    })
}

/// Returns the sign in the first lines of a page.
pub fn of_page(field: &'static str, page: &str, now: DateTime<Utc>) -> Option<StandingEvidence> {
    said(field, beginning(page), Subject::Page, now, |_| false)
}

/// Returns the sign in a whole text, such as a banner: the first sentence that says it of "this" thing.
pub fn said(
    field: &'static str,
    text: &str,
    subject: Subject,
    now: DateTime<Utc>,
    is_name: impl Fn(&str) -> bool,
) -> Option<StandingEvidence> {
    sentences(text).find_map(|sentence| {
        let mut lower = sentence.to_lowercase();
        match day_in(sentence) {
            // What comes into force on a later day does not hold yet.
            Some(day) if day > now.date_naive() => return None,
            // What was announced for a day that is behind holds.
            Some(_) => lower = lower.replacen("will no longer be", "is no longer", 1),
            None => {}
        }
        let state = state_of(&lower, subject)?;
        let shown = text::said(sentence, SENTENCE);
        let named = replacement_in(sentence, |name| is_name(name) || is_address(name));
        let sign = StandingEvidence::prose(state, field, shown.as_str()).by(subject.speaker());
        Some(sign.reason(Some(shown)).replaced_by(named.map(replacement)))
    })
}

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(BEGINNING);
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// The day that a sentence names; of a month its last day.
fn day_in(sentence: &str) -> Option<NaiveDate> {
    let whole = date::find(sentence).and_then(|found| found.day(None));
    whole.or_else(|| {
        let lower = sentence.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        words.windows(2).find_map(|pair| {
            let named = pair.first().filter(|word| !text::is_digits(word, 1..))?;
            let month = date::month_number(named)?;
            let year = text::digits::<i32>(pair.last()?, 4..=4)?;
            let first = NaiveDate::from_ymd_opt(year, month, 1)?;
            first.checked_add_months(Months::new(1))?.pred_opt()
        })
    })
}

fn replacement(name: &str) -> Replacement {
    if is_address(name) {
        Replacement::url(name)
    } else {
        Replacement::id(name)
    }
}

fn is_address(name: &str) -> bool {
    name.starts_with("https://") || name.starts_with("http://")
}

/// A first line that marks the whole: `DEPRECATED`, `[DEPRECATED] a tool`, `# Deprecated`, `a tool (deprecated)`.
fn says_deprecated(heading: &str) -> bool {
    let bare = heading.trim_matches(|c: char| !c.is_alphanumeric() && !"[]()".contains(c));
    let lower = bare.to_lowercase();
    let marked = ["[deprecated]", "(deprecated)"];
    lower == "deprecated"
        || marked
            .iter()
            .any(|mark| lower.starts_with(mark) || lower.ends_with(mark))
        || bare.starts_with("DEPRECATED")
}

/// The sentences of a text. A question says nothing: "This page is outdated? Tell us."
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '!', '?', ';'])
        .flat_map(|line| line.split(". "))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty() && !sentence.ends_with('?'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-10-10T00:00:00Z".parse().unwrap()
    }

    fn readme(text: &str) -> Option<(StandingState, Option<String>)> {
        let is_name = |name: &str| name.split('/').count() == 2;
        let sign = of_readme("README", text, now(), is_name)?;
        let by = sign.replaced_by.and_then(|by| by.id.or(by.url));
        Some((sign.state, by))
    }

    #[test]
    fn a_readme_speaks_of_its_project() {
        use StandingState::{Archived, Deprecated, Ended, Moved, Superseded};
        let named = |name: &str| Some(name.to_owned());
        for (text, expected) in [
            (
                "# tool\n\nThis project is no longer maintained.",
                (Deprecated, None),
            ),
            (
                "# tool\n\n**This repository has moved to https://codeberg.org/a/tool.**",
                (Moved, named("https://codeberg.org/a/tool")),
            ),
            (
                "# tool\n\n> **Warning**: As of May 2024, this library was superseded by new/tool.",
                (Superseded, named("new/tool")),
            ),
            (
                "> This npm package is deprecated. Please use new/tool instead.",
                (Deprecated, None),
            ),
            (
                "# DEPRECATED\n\nPlease use new/tool instead.",
                (Deprecated, named("new/tool")),
            ),
            ("tool (deprecated)\n", (Deprecated, None)),
            ("This version has reached its end of life.", (Ended, None)),
            ("Please note that this SDK is now obsolete.", (Deprecated, None)),
            (
                "As of March 2026, this project will no longer be actively maintained.",
                (Deprecated, None),
            ),
            (
                "This repository has been archived by its owner.",
                (Archived, None),
            ),
        ] {
            assert_eq!(readme(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn words_of_something_else_are_no_sign() {
        for text in [
            "# deprecated-decorator\n\nMarks functions as deprecated.",
            "This library is not deprecated.",
            "This project is no longer deprecated.",
            "This project has moved to a new release cycle.",
            "The old API is deprecated; use the new one.",
            "This tool finds uses of functions that were deprecated.",
            "A checker of deprecated packages.",
            "This module replaces the one that is no longer maintained.",
            "Fork it if this project is no longer maintained.",
            "This package will be deprecated.",
            "This repository is deprecated from 2027-01-01.",
            "As of October 2026, this project will no longer be maintained.",
            "Is this project deprecated?",
        ] {
            assert_eq!(readme(text), None, "{text}");
        }
        let late = format!("{} This project is deprecated.", "Words. ".repeat(80));
        assert_eq!(readme(&late), None);
    }

    #[test]
    fn the_same_words_are_another_state_of_a_page() {
        let sign = of_page("text", "This version is no longer maintained.", now()).unwrap();
        assert_eq!(
            (sign.state, sign.by.as_deref()),
            (StandingState::Ended, Some("publisher"))
        );
        let sign = of_page(
            "text",
            "This document was superseded by https://example.com/v3.",
            now(),
        );
        let by = sign.and_then(|sign| sign.replaced_by);
        assert_eq!(
            by.and_then(|by| by.url).as_deref(),
            Some("https://example.com/v3")
        );
        assert_eq!(of_page("text", "This page will be archived.", now()), None);
    }
}
