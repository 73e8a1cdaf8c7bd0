//! The grammar of a sentence that says of "this" thing that it no longer stands as it is shown.

use freshcontext_contract::StandingState;

use super::Subject;
use crate::date;

/// What "this" may be in a README.
const PROJECTS: [&str; 22] = [
    "project",
    "repository",
    "repo",
    "package",
    "library",
    "module",
    "plugin",
    "tool",
    "action",
    "gem",
    "crate",
    "extension",
    "software",
    "sdk",
    "api",
    "page",
    "document",
    "documentation",
    "version",
    "release",
    "site",
    "guide",
];
/// What "this" may be on a page.
const PAGES: [&str; 18] = [
    "document",
    "documentation",
    "docs",
    "page",
    "version",
    "release",
    "guide",
    "article",
    "manual",
    "site",
    "website",
    "content",
    "wiki",
    "specification",
    "tutorial",
    "publication",
    "changelog",
    "draft",
];
/// Words with which a README leads to a sentence about its project. What else stands before "this" makes the project a part
/// of something, or the sentence a case: "the documentation of this project", "for old systems this tool".
const INTRODUCTIONS: [&str; 14] = [
    "unfortunately",
    "sadly",
    "sorry",
    "update",
    "updated",
    "hello",
    "hi",
    "everyone",
    "all",
    "dear",
    "users",
    "today",
    "notification",
    "announcement",
];
/// Words with which the day begins that a sentence names first.
const SINCE: [&str; 6] = ["as", "since", "from", "starting", "effective", "on"];
/// Words before "that" which make a sentence a case.
const CASES: [&str; 8] = [
    "if", "when", "once", "unless", "until", "whether", "should", "not",
];
/// Words that may stand before a sentence about this thing.
const LEADS: [&str; 16] = [
    "note",
    "warning",
    "attention",
    "important",
    "caution",
    "notice",
    "danger",
    "please",
    "that",
    "archived",
    "outdated",
    "obsolete",
    "deprecated",
    "superseded",
    "end-of-life",
    "eol",
];
/// Words between a verb and the state that change nothing.
const ADVERBS: [&str; 8] = [
    "been",
    "now",
    "currently",
    "officially",
    "also",
    "already",
    "considered",
    "permanently",
];
/// What is said, and what it means of a project and of a page, if anything. The first words of what follows the verb.
const SAYINGS: [(&str, Option<StandingState>, Option<StandingState>); 30] = {
    use StandingState::{Archived, Deprecated, Ended, Moved, Superseded};
    [
        ("superseded", Some(Superseded), Some(Superseded)),
        ("replaced by", Some(Superseded), Some(Superseded)),
        ("obsoleted by", Some(Superseded), Some(Superseded)),
        ("moved to", Some(Moved), None),
        ("renamed to", Some(Moved), None),
        ("archived", Some(Archived), Some(Archived)),
        ("an archived", None, Some(Archived)),
        ("kept for historical", None, Some(Archived)),
        ("no longer updated", None, Some(Archived)),
        ("no longer being updated", None, Some(Archived)),
        ("no longer supported", Some(Deprecated), Some(Ended)),
        ("no longer maintained", Some(Deprecated), Some(Ended)),
        ("no longer actively maintained", Some(Deprecated), Some(Ended)),
        ("no longer being maintained", Some(Deprecated), Some(Ended)),
        ("not maintained", Some(Deprecated), None),
        ("not actively maintained", Some(Deprecated), None),
        ("no longer valid", None, Some(Ended)),
        ("no longer current", None, Some(Ended)),
        ("discontinued", Some(Deprecated), None),
        ("ended", Some(Ended), None),
        ("unsupported", None, Some(Ended)),
        ("unmaintained", Some(Deprecated), Some(Ended)),
        ("outdated", None, Some(Ended)),
        ("out of date", None, Some(Ended)),
        ("out-of-date", None, Some(Ended)),
        ("obsolete", Some(Deprecated), Some(Ended)),
        ("end of life", Some(Ended), Some(Ended)),
        ("end-of-life", Some(Ended), Some(Ended)),
        ("eol", Some(Ended), Some(Ended)),
        ("deprecated", Some(Deprecated), Some(Deprecated)),
    ]
};
/// Words after which a state holds only in a case, at a place, or as something else.
const LIMITS: [&str; 22] = [
    "if",
    "when",
    "once",
    "unless",
    "where",
    "for",
    "in",
    "with",
    "under",
    "at",
    "until",
    "as",
    "to",
    "api",
    "via",
    "daily",
    "weekly",
    "nightly",
    "monthly",
    "every",
    "regularly",
    "automatically",
];
/// Words of places that keep a copy for good. What is archived there goes on elsewhere.
const KEEPERS: [&str; 7] = ["zenodo", "figshare", "dryad", "osf", "heritage", "swhid", "doi"];
/// Verbs with which a document says what it is about.
const ABOUT: [&str; 5] = ["is for", "describes", "covers", "refers to", "applies to"];
/// Words for the age of a version that a document is about.
const OLD: [(&str, StandingState); 8] = [
    ("old", StandingState::Superseded),
    ("older", StandingState::Superseded),
    ("outdated", StandingState::Ended),
    ("unsupported", StandingState::Ended),
    ("obsolete", StandingState::Ended),
    ("unmaintained", StandingState::Ended),
    ("end-of-life", StandingState::Ended),
    ("archived", StandingState::Archived),
];

impl Subject {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Project => &PROJECTS,
            Self::Page => &PAGES,
        }
    }
}

/// The state that a sentence in small letters says of this thing. A page has to begin the sentence: further on, "this page"
/// is where something else stands. A README may say first since when, or that it is a pity.
pub(super) fn state_of(sentence: &str, subject: Subject) -> Option<StandingState> {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .skip_while(|word| LEADS.contains(word))
        .collect();
    if subject == Subject::Page
        && let Some(said) = of_document(&words.join(" "))
    {
        return said;
    }
    let start = words.iter().position(|word| *word == "this")?;
    let before = words.get(..start)?;
    let may_lead = subject == Subject::Project && leads(before);
    if !before.is_empty() && !may_lead {
        return None;
    }
    let rest = words.get(start + 1..)?;
    // "this page", "this old page", "this version of the documentation", "this npm package".
    let is_name = |word: &&str| subject.names().contains(word);
    let thing = rest.iter().take(3).rposition(is_name)?;
    let verb = rest.iter().position(|word| {
        matches!(
            *word,
            "is" | "has" | "was" | "describes" | "covers" | "refers" | "applies"
        )
    })?;
    let between = rest.get(thing + 1..verb)?;
    let is_of = between.first() == Some(&"of") && between.len() <= 6;
    if !between.is_empty() && !is_of {
        return None;
    }
    let said = rest.get(verb..)?.join(" ");
    if let Some(about) = ABOUT.iter().find_map(|about| said.strip_prefix(about)) {
        return of_version(about.trim_start());
    }
    let (verb, said) = said.split_once(' ')?;
    of_state(verb, said, subject)
}

/// Whether words lead to a sentence about a project: `we are sorry to announce that`, `as of May 2024`, `unfortunately`.
fn leads(before: &[&str]) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let names_day = || before.iter().any(|word| is_number(word));
    match before {
        [.., "that"] => !before.iter().any(|word| CASES.contains(word)),
        [first, ..] if SINCE.contains(first) => names_day() && before.len() <= 5,
        _ => before
            .iter()
            .all(|word| INTRODUCTIONS.contains(word) || LEADS.contains(word) || is_number(word)),
    }
}

/// What a sentence says of its page in other words than "this page is ...". `None` where it is none of these sentences.
#[expect(
    clippy::option_option,
    reason = "a sentence of these forms that says nothing is not looked at again"
)]
fn of_document(sentence: &str) -> Option<Option<StandingState>> {
    let mut readers = ["you are", "you're", "you’re"].iter();
    if let Some(rest) = readers.find_map(|you| sentence.strip_prefix(you)) {
        return Some(of_reader(rest.trim_start()));
    }
    // "This is documentation for 1.2, which is no longer maintained", "This is an archived page".
    let rest = sentence.strip_prefix("this is ")?;
    let mut articles = ["the ", "an ", "a "].iter();
    let rest = articles
        .find_map(|article| rest.strip_prefix(article))
        .unwrap_or(rest);
    if let Some(about) = rest.strip_prefix("documentation for ") {
        return Some(of_version(about));
    }
    let mut words = rest.split(' ');
    let old = words.next().and_then(age);
    let names_page = words.next().is_some_and(|thing| PAGES.contains(&thing));
    Some(old.filter(|_| names_page))
}

/// The state of a version of such an age.
fn age(word: &str) -> Option<StandingState> {
    OLD.iter().find(|(old, _)| *old == word).map(|(_, state)| *state)
}

/// What a verb and the words behind it say of their subject.
fn of_state(verb: &str, said: &str, subject: Subject) -> Option<StandingState> {
    let words: Vec<&str> = said.split(' ').collect();
    // "has deprecated" is something that it does, "has been deprecated" what was done to it.
    let passive = verb != "has" || words.first() == Some(&"been") || words.get(1) == Some(&"been");
    let plain: Vec<&str> = words
        .into_iter()
        .skip_while(|word| ADVERBS.contains(word))
        .collect();
    let plain = plain.join(" ");
    let reached = plain.strip_prefix("reached ").map(|rest| {
        ["its ", "the ", "end of its "]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
            .unwrap_or(rest)
    });
    if let Some(end) = reached {
        let ends = [
            "end of life",
            "end-of-life",
            "eol",
            "end of support",
            "end of its life",
            "life",
        ];
        return ends
            .iter()
            .any(|phrase| end.starts_with(phrase))
            .then_some(StandingState::Ended);
    }
    let (rest, state) = SAYINGS.iter().find_map(|(saying, of_project, of_page)| {
        let rest = plain.strip_prefix(saying)?;
        let state = match subject {
            Subject::Project => of_project,
            Subject::Page => of_page,
        };
        (rest.is_empty() || rest.starts_with(' ')).then_some((rest, (*state)?))
    })?;
    let next: Vec<&str> = rest.split_whitespace().take(3).collect();
    // What has moved or ended needs nobody who moved or ended it.
    let is_done = passive || plain.starts_with("moved") || plain.starts_with("ended");
    let is_copied = state == StandingState::Archived
        && rest
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| KEEPERS.contains(&word));
    (is_done && !is_copied && !is_limited(&next)).then_some(state)
}

/// Whether the words behind a state bind it to a case or a place: `no longer supported on Windows 7`. A day does not, nor
/// does a purpose: `archived on 2024-05-01`, `archived for reference`.
fn is_limited(next: &[&str]) -> bool {
    match next {
        ["as", "of", ..]
        | ["in", "favor" | "favour", ..]
        | ["for", "reference" | "historical" | "archival" | "research", ..]
        | ["on", "the", "web"]
        | [] => false,
        ["on", day, ..] => !day.contains(|c: char| c.is_ascii_digit()) && date::month_number(day).is_none(),
        [first, ..] => LIMITS.contains(first),
    }
}

/// What is said of the version that a document is about: its age, or a clause.
fn of_version(about: &str) -> Option<StandingState> {
    let clause = [" that ", " which "]
        .iter()
        .find_map(|joint| about.split_once(joint));
    let said = clause.and_then(|(_, clause)| {
        let (verb, said) = clause.split_once(' ')?;
        matches!(verb, "is" | "has" | "was")
            .then(|| of_state(verb, said, Subject::Page))
            .flatten()
    });
    said.or_else(|| {
        // "an unsupported version of Example", "an old, insecure release".
        let words: Vec<&str> = about.split(' ').take(7).collect();
        let thing = words
            .iter()
            .position(|word| matches!(*word, "version" | "release"))?;
        let before = words.get(..thing)?;
        before.iter().find_map(|word| age(word))
    })
}

/// What is said to the reader of this page: `reading an old version of this documentation`.
fn of_reader(said: &str) -> Option<StandingState> {
    let said = said.strip_prefix("currently ").unwrap_or(said);
    let (denied, said) = said
        .strip_prefix("not ")
        .map_or((false, said), |said| (true, said));
    let said = ["reading ", "viewing ", "looking at ", "browsing "]
        .iter()
        .find_map(|verb| said.strip_prefix(verb))?;
    if let Some(about) = said.strip_prefix("the documentation for ").filter(|_| !denied) {
        return of_version(about);
    }
    let mut joints = [" version of this ", " version of the "].iter();
    let (version, thing) = joints.find_map(|joint| said.split_once(joint))?;
    if !thing
        .split(' ')
        .next()
        .is_some_and(|thing| PAGES.contains(&thing))
    {
        return None;
    }
    let version = ["the ", "an "]
        .iter()
        .find_map(|article| version.strip_prefix(article))?;
    if denied {
        return matches!(version, "latest" | "most recent" | "current" | "newest")
            .then_some(StandingState::Superseded);
    }
    age(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_this_page() {
        use StandingState::{Archived, Deprecated, Ended, Superseded};
        for (sentence, state) in [
            (
                "This document is for an insecure version of Example that is no longer supported.",
                Ended,
            ),
            (
                "This document is for an old version of Example that is no longer supported.",
                Ended,
            ),
            (
                "This documentation is for an unsupported version of Example.",
                Ended,
            ),
            (
                "This is documentation for Example 1.2, which is no longer actively maintained.",
                Ended,
            ),
            ("Warning: This page is out of date.", Ended),
            ("This version of Example has reached its end of life.", Ended),
            ("This guide is no longer supported as of 2026-01-01.", Ended),
            ("Note: this version of the documentation is outdated", Ended),
            ("This page has been archived on the web.", Archived),
            ("This page was archived on 2024-05-01.", Archived),
            ("This is an archived page.", Archived),
            (
                "This document has been superseded by https://example.com/v3",
                Superseded,
            ),
            (
                "You are reading an old version of this documentation.",
                Superseded,
            ),
            (
                "You are not reading the most recent version of this documentation.",
                Superseded,
            ),
            ("This version is deprecated.", Deprecated),
        ] {
            assert_eq!(
                state_of(&sentence.trim_end_matches('.').to_lowercase(), Subject::Page),
                Some(state),
                "{sentence}"
            );
        }
        for sentence in [
            "This document is for Example's development version, which can differ from previous releases.",
            "This page documents the deprecated API",
            "This feature is deprecated",
            "In this release, Python 3.7 is no longer supported",
            "This release: Python 3.7 is no longer supported",
            "This release has deprecated the old API",
            "This version no longer supports Windows 7",
            "This version is no longer supported on Windows 7",
            "This version will be deprecated",
            "This page is not outdated",
            "This document describes how to mark an obsolete page",
            "This release is archived at Zenodo",
            "This version is obsolete if you use 3.0",
            "This page lists every version of Example that is no longer supported",
            "Version 1 is no longer supported",
            "This guide covers a stable release",
            "Deprecated",
        ] {
            assert_eq!(
                state_of(&sentence.to_lowercase(), Subject::Page),
                None,
                "{sentence}"
            );
        }
    }
}
