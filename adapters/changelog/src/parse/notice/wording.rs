//! Whether a sentence says that the page it stands on, or its subject, is over.

use freshcontext_contract::StandingState;
use freshcontext_parse::date;

/// What "this" may be on a page.
const THINGS: [&str; 18] = [
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
/// Words that may stand before a sentence about this page.
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
/// What is said, and the state that it means. The first words of what follows the verb.
const SAYINGS: [(&str, StandingState); 23] = [
    ("superseded", StandingState::Superseded),
    ("replaced by", StandingState::Superseded),
    ("obsoleted by", StandingState::Superseded),
    ("archived", StandingState::Archived),
    ("an archived", StandingState::Archived),
    ("kept for historical", StandingState::Archived),
    ("no longer updated", StandingState::Archived),
    ("no longer being updated", StandingState::Archived),
    ("no longer supported", StandingState::Ended),
    ("no longer maintained", StandingState::Ended),
    ("no longer actively maintained", StandingState::Ended),
    ("no longer being maintained", StandingState::Ended),
    ("no longer valid", StandingState::Ended),
    ("no longer current", StandingState::Ended),
    ("unsupported", StandingState::Ended),
    ("unmaintained", StandingState::Ended),
    ("outdated", StandingState::Ended),
    ("out of date", StandingState::Ended),
    ("out-of-date", StandingState::Ended),
    ("obsolete", StandingState::Ended),
    ("end of life", StandingState::Ended),
    ("end-of-life", StandingState::Ended),
    ("deprecated", StandingState::Deprecated),
];
/// Words after which a state holds only in a case, at a place, or as something else.
const LIMITS: [&str; 14] = [
    "if", "when", "once", "unless", "where", "for", "in", "with", "under", "at", "until", "as", "to", "api",
];
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

/// The state that a sentence in small letters says of this page. It has to begin with it: further on, "this page" is
/// where something else stands.
pub(super) fn state_of(sentence: &str) -> Option<StandingState> {
    let words: Vec<&str> = sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .skip_while(|word| LEADS.contains(word))
        .collect();
    let joined = words.join(" ");
    if let Some(rest) = ["you are", "you're", "you’re"]
        .iter()
        .find_map(|you| joined.strip_prefix(you))
    {
        return of_reader(rest.trim_start());
    }
    // "This is documentation for 1.2, which is no longer maintained", "This is an archived page".
    if let Some(rest) = joined.strip_prefix("this is ") {
        let rest = ["the ", "an ", "a "]
            .iter()
            .find_map(|article| rest.strip_prefix(article))
            .unwrap_or(rest);
        if let Some(about) = rest.strip_prefix("documentation for ") {
            return of_version(about);
        }
        let (adjective, thing) = rest.split_once(' ')?;
        let thing = thing.split(' ').next()?;
        let state = OLD.iter().find(|(old, _)| *old == adjective)?.1;
        return THINGS.contains(&thing).then_some(state);
    }
    let rest: Vec<&str> = joined.strip_prefix("this ")?.split(' ').collect();
    // "this page", "this old page", "this version of the documentation", "this documentation page".
    let thing = rest.iter().take(3).rposition(|word| THINGS.contains(word))?;
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
    of_state(verb, said)
}

/// What a verb and the words behind it say of their subject.
fn of_state(verb: &str, said: &str) -> Option<StandingState> {
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
    let (rest, state) = SAYINGS.iter().find_map(|(saying, state)| {
        let rest = plain.strip_prefix(saying)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some((rest, *state))
    })?;
    let next: Vec<&str> = rest.split_whitespace().take(3).collect();
    (passive && !is_limited(&next)).then_some(state)
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
            .then(|| of_state(verb, said))
            .flatten()
    });
    said.or_else(|| {
        // "an unsupported version of Example", "an old, insecure release".
        let words: Vec<&str> = about.split(' ').take(5).collect();
        let thing = words
            .iter()
            .position(|word| matches!(*word, "version" | "release"))?;
        let before = words.get(..thing)?;
        before
            .iter()
            .find_map(|word| OLD.iter().find(|(old, _)| old == word).map(|(_, state)| *state))
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
    let (version, thing) = said.split_once(" version of this ")?;
    if !thing
        .split(' ')
        .next()
        .is_some_and(|thing| THINGS.contains(&thing))
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
    OLD.iter()
        .find(|(old, _)| *old == version)
        .map(|(_, state)| *state)
}
