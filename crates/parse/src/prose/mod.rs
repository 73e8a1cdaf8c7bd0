//! What a text says, in prose, of the standing of the very thing that it describes: a README of its project, a banner or
//! the first lines of its page.
//!
//! Words alone prove little. Only a sentence about "this" thing counts, and every sign has low confidence.

mod sentence;

use freshcontext_contract::chrono::{DateTime, Months, NaiveDate, Utc};
use freshcontext_contract::standing::{Replacement, replacement_in};
use freshcontext_contract::{StandingEvidence, StandingState};

use crate::linked::Linked;
use crate::{date, text};
use sentence::state_of;

/// Characters at the beginning of a text in which it may speak of itself, as it is read: without badges and markup.
const BEGINNING: usize = 400;
/// Bytes of a README or a page that hold its beginning, whatever markup stands in it.
const README_BYTES: usize = 16 << 10;
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

/// Returns the sign in a project's README, which is Markdown. A state in which another thing takes its place needs the name
/// or the web address of that, one that `takes_place` accepts.
pub fn of_readme(
    field: &'static str,
    readme: &str,
    now: DateTime<Utc>,
    takes_place: impl Fn(&str) -> bool,
) -> Option<StandingEvidence> {
    let start = readme
        .get(..readme.floor_char_boundary(README_BYTES))
        .unwrap_or_default();
    let readme = Linked::of_markdown(start);
    let heading = readme.words(readme.marked().lines().find(|line| !line.trim().is_empty())?);
    if says_deprecated(&heading) {
        let sign = StandingEvidence::prose(StandingState::Deprecated, field, heading.trim());
        let beginning: Vec<&str> = beginning(&readme).collect();
        let named = named_in(&readme, &beginning.join("\n"), &takes_place);
        return Some(sign.replaced_by(named));
    }
    let signs = beginning(&readme)
        .filter_map(|sentence| sign_in(field, &readme, sentence, Subject::Project, now, &takes_place));
    weightiest(signs.filter(|sign| {
        let is_replaced = matches!(sign.state, StandingState::Moved | StandingState::Superseded);
        sign.replaced_by.is_some() || !is_replaced
    }))
}

/// Returns the sign in the first lines of a page.
pub fn of_page(field: &'static str, page: &str, now: DateTime<Utc>) -> Option<StandingEvidence> {
    let start = page
        .get(..page.floor_char_boundary(README_BYTES))
        .unwrap_or_default();
    let page = Linked::plain(start);
    weightiest(
        beginning(&page)
            .filter_map(|sentence| sign_in(field, &page, sentence, Subject::Page, now, &is_address)),
    )
}

/// Returns the sign in the banner of a page: what any of its sentences says of "this" page.
pub fn of_banner(field: &'static str, banner: &str, now: DateTime<Utc>) -> Option<StandingEvidence> {
    let banner = Linked::plain(banner);
    weightiest(
        sentences(banner.marked())
            .filter_map(|sentence| sign_in(field, &banner, sentence, Subject::Page, now, &is_address)),
    )
}

/// Of several signs the one of the weightiest state, and of these the first.
fn weightiest(signs: impl Iterator<Item = StandingEvidence>) -> Option<StandingEvidence> {
    signs.min_by_key(|sign| sign.state)
}

/// The sign in one sentence.
fn sign_in(
    field: &'static str,
    text: &Linked,
    marked: &str,
    subject: Subject,
    now: DateTime<Utc>,
    takes_place: &impl Fn(&str) -> bool,
) -> Option<StandingEvidence> {
    let sentence = text.words(marked);
    let mut lower = sentence.to_lowercase();
    match day_in(&sentence) {
        // What comes into force on a later day does not hold yet.
        Some(day) if day > now.date_naive() => return None,
        // What was announced for a day that is behind holds.
        Some(_) => lower = lower.replacen("will no longer be", "is no longer", 1),
        None => {}
    }
    let state = state_of(&lower, subject)?;
    let shown = text::said(&sentence, SENTENCE);
    let sign = StandingEvidence::prose(state, field, shown.as_str()).by(subject.speaker());
    Some(
        sign.reason(Some(shown))
            .replaced_by(named_in(text, marked, takes_place)),
    )
}

/// What a part of a text names as taking a thing's place: by the address of a link before its words, which may be a name at
/// another host.
fn named_in(text: &Linked, marked: &str, takes_place: &impl Fn(&str) -> bool) -> Option<Replacement> {
    let addressed = text.addressed(marked);
    let words = text.words(marked);
    let named = replacement_in(&addressed, takes_place).or_else(|| replacement_in(&words, takes_place))?;
    Some(if is_address(named) {
        Replacement::url(named)
    } else {
        Replacement::id(named)
    })
}

/// Whether a name is a web address.
pub fn is_address(name: &str) -> bool {
    name.starts_with("https://") || name.starts_with("http://")
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

/// The sentences that begin within the [`BEGINNING`] of a text. Each is read to its end: what is cut off may deny it.
fn beginning(text: &Linked) -> impl Iterator<Item = &str> {
    let mut read = 0;
    sentences(text.marked()).take_while(move |sentence| {
        let begins = read < BEGINNING;
        read += text.words(sentence).chars().count();
        begins
    })
}

/// The sentences of a text. A question says nothing: "This page is outdated? Tell us." Neither does a quotation, nor a task that is
/// still open: `- [ ] This project is deprecated`.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '!', '?', ';'])
        .flat_map(|line| line.split(". "))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty() && !sentence.ends_with('?'))
        .filter(|sentence| !sentence.starts_with(['"', '\u{201c}', '\u{201e}', '\u{ab}']))
        .filter(|sentence| {
            !sentence
                .trim_start_matches(['-', '*', '+', ' '])
                .starts_with("[ ]")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-10-10T00:00:00Z".parse().unwrap()
    }

    fn readme(text: &str) -> Option<(StandingState, Option<String>)> {
        let takes_place = |name: &str| is_address(name) || name.split('/').count() == 2;
        let sign = of_readme("README", text, now(), takes_place)?;
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
            (
                "[![ci](https://example.com/ci.svg)](https://example.com/ci)\n\n**Moved (2026-01-02)**: This project is \
                 deprecated. This project has been renamed\nto our new home at [new/tool](https://gitlab.com/new/tool).",
                (Moved, named("https://gitlab.com/new/tool")),
            ),
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
            "\"This project is deprecated\" is what our bot posts.",
            "# Checklist\n\n- [ ] This project is deprecated.\n- [x] Tests pass.",
            "\u{201c}This project is deprecated\u{201d}, says its own linter.",
            "This repository is archived daily to tape.",
            "This software is archived via GitHub's integration.",
            "This repository is archived by Software Heritage.",
            "This release has been archived ([doi](https://doi.org/10.5555/1)): DOI 10.5555/1.",
            "This repository is deprecated from 2027-01-01.",
            "As of October 2026, this project will no longer be maintained.",
            "Is this project deprecated?",
            "The documentation of this project has moved to https://example.com/docs.",
            "For old systems this library has been superseded by new/tool.",
            "```\nThis repository has moved to https://example.com/x.\n```\n\nA sample of a notice.",
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
