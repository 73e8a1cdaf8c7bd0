//! What the first words of a text say of the standing of the very thing that it describes: a README of its repository, an
//! advert of its position, a banner of its page.
//!
//! Words alone prove little, so only a sentence about "this" thing counts, at the beginning, and every sign has low
//! confidence.

use freshcontext_contract::standing::{Replacement, replacement_in};
use freshcontext_contract::{StandingEvidence, StandingState};

/// Characters of a text that are looked at.
const BEGINNING: usize = 400;
/// Longest sentence that is repeated as the reason, in characters.
const SENTENCE: usize = 200;

/// What "this" may be.
const THINGS: [&str; 22] = [
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
/// Words after which a state is denied.
const DENIALS: [&str; 5] = ["not", "isn't", "hasn't", "never", "unless"];

/// What a sentence about a thing says of it, the weightiest first.
const SAYINGS: [(&str, StandingState); 20] = [
    ("superseded by", StandingState::Superseded),
    ("replaced by", StandingState::Superseded),
    ("has moved to", StandingState::Moved),
    ("has been moved to", StandingState::Moved),
    ("was moved to", StandingState::Moved),
    ("moved to", StandingState::Moved),
    ("renamed to", StandingState::Moved),
    ("end of life", StandingState::Ended),
    ("end-of-life", StandingState::Ended),
    ("reached eol", StandingState::Ended),
    ("deprecated", StandingState::Deprecated),
    ("no longer maintained", StandingState::Deprecated),
    ("no longer actively maintained", StandingState::Deprecated),
    ("no longer being maintained", StandingState::Deprecated),
    ("no longer supported", StandingState::Deprecated),
    ("not maintained", StandingState::Deprecated),
    ("not actively maintained", StandingState::Deprecated),
    ("unmaintained", StandingState::Deprecated),
    ("discontinued", StandingState::Deprecated),
    ("been archived", StandingState::Archived),
];

/// The sign in the beginning of a text. A state in which something takes the thing's place needs its name: one that
/// `is_name` accepts, or a web address.
pub fn standing_in(
    field: &'static str,
    text: &str,
    is_name: impl Fn(&str) -> bool,
) -> Option<StandingEvidence> {
    let end = text
        .char_indices()
        .nth(BEGINNING)
        .map_or(text.len(), |(at, _)| at);
    let beginning = text.get(..end).unwrap_or(text);
    let named = |name: &str| is_name(name) || is_address(name);
    if let Some(heading) = beginning.lines().find(|line| !line.trim().is_empty())
        && says_deprecated(heading)
    {
        let sign = StandingEvidence::prose(StandingState::Deprecated, field, heading.trim());
        return Some(sign.replaced_by(replacement_in(beginning, named).map(replacement)));
    }
    sentences(beginning).find_map(|sentence| {
        let state = said_of_this(&sentence.to_lowercase())?;
        let by = replacement_in(sentence, named);
        if by.is_none() && matches!(state, StandingState::Moved | StandingState::Superseded) {
            return None;
        }
        let shown: String = sentence.chars().take(SENTENCE).collect();
        let sign = StandingEvidence::prose(state, field, shown.as_str());
        Some(
            sign.reason(Some(shown))
                .by("owner")
                .replaced_by(by.map(replacement)),
        )
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

/// The sentences of a text, each on one line.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

/// The state that a sentence in small letters says of "this" thing.
fn said_of_this(sentence: &str) -> Option<StandingState> {
    let words: Vec<&str> = sentence
        .split(|c: char| c.is_whitespace() || "*_`>#:".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let this = words.iter().position(|word| *word == "this")?;
    // "this project", "this npm package".
    let thing = (this + 1..this + 4).find(|at| words.get(*at).is_some_and(|word| THINGS.contains(word)))?;
    let after = words.get(thing + 1..)?.join(" ");
    let (at, state) = SAYINGS
        .iter()
        .find_map(|(saying, state)| Some((after.find(saying)?, *state)))?;
    let before = after.get(..at).unwrap_or_default();
    let denied = before.split(' ').any(|word| DENIALS.contains(&word)) || before.ends_with("no longer ");
    // Close to the thing: further on it is of something that the thing has.
    (!denied && before.split_whitespace().count() <= 4).then_some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(StandingState, Option<String>)> {
        let is_name = |name: &str| name.split('/').count() == 2;
        let sign = standing_in("readme", text, is_name)?;
        let by = sign.replaced_by.and_then(|by| by.id.or(by.url));
        Some((sign.state, by))
    }

    #[test]
    fn what_the_first_words_say_of_this_thing() {
        use StandingState::{Archived, Deprecated, Ended, Moved};
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
                "> This npm package is deprecated. Please use new/tool instead.",
                (Deprecated, None),
            ),
            (
                "# DEPRECATED\n\nPlease use new/tool instead.",
                (Deprecated, named("new/tool")),
            ),
            ("tool (deprecated)\n", (Deprecated, None)),
            ("This version has reached its end of life.", (Ended, None)),
            (
                "This repository has been archived by its owner.",
                (Archived, None),
            ),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
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
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        let late = format!("{} This project is deprecated.", "Words. ".repeat(80));
        assert_eq!(read(&late), None);
    }
}
