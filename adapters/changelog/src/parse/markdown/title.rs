//! What a heading says of its version.

use freshcontext_contract::StandingEvidence;
use freshcontext_parse::date;

use super::dated::{self, STRUCK, letters};
use crate::parse::{marks, version};

/// Words, alone or beside a version, that say that a release has not come out yet.
const COMING: [&str; 18] = [
    "unreleased",
    "unreleased changes",
    "not released",
    "not yet released",
    "not released yet",
    "to be released",
    "to be announced",
    "to be determined",
    "release pending",
    "upcoming",
    "upcoming release",
    "coming soon",
    "in development",
    "under development",
    "in progress",
    "work in progress",
    "tbd",
    "tba",
];
/// What stands in place of the numbers of a day that is not known yet: `2026-XX-XX`, `YYYY-MM-DD`.
const UNKNOWN_DAY: [&str; 6] = ["xx", "xxx", "xxxx", "yyyy", "20xx", "202x"];
/// Names of branches, which as a heading hold what has not come out yet.
const UNRELEASED: [&str; 12] = [
    "master",
    "main",
    "next",
    "head",
    "trunk",
    "development",
    "next release",
    "next version",
    "upcoming version",
    "upcoming changes",
    "future release",
    "unreleased version",
];
/// Words that may stand beside `unreleased` where no version does: `master (unreleased)`, `Next / Unreleased`.
const BESIDE_UNRELEASED: [&str; 12] = [
    "unreleased",
    "master",
    "main",
    "next",
    "head",
    "trunk",
    "dev",
    "develop",
    "development",
    "upcoming",
    "version",
    "changes",
];
/// Most words before the version of a heading.
const WORDS_BEFORE: usize = 3;
/// The same with a date among them, or where they are [`BARE_WORDS`]: `Noteworthy changes in the version 1.2`.
const WORDS_WITH_NAME: usize = 6;
/// Of [`BARE_WORDS`], those that announce what is new; and most other words beside them.
const NEWS: [&str; 6] = ["change", "changes", "news", "new", "what's", "overview"];
const NAME_WORDS: usize = 2;
/// Words that may stand before a range of versions. Others make it a change of something: `Bump tools from 1.0 to 1.1`.
pub(super) const RANGE_WORDS: [&str; 16] = [
    "change",
    "changes",
    "changed",
    "differences",
    "news",
    "new",
    "between",
    "from",
    "since",
    "the",
    "in",
    "version",
    "versions",
    "v",
    "release",
    "releases",
];
/// Words that may stand before the version of a line that is a heading by its date alone.
pub(super) const BARE_WORDS: [&str; 26] = [
    "overview",
    "of",
    "change",
    "changes",
    "changed",
    "noteworthy",
    "notable",
    "major",
    "user-visible",
    "news",
    "new",
    "what's",
    "between",
    "from",
    "for",
    "the",
    "in",
    "version",
    "versions",
    "ver.",
    "release",
    "released",
    "v",
    "v.",
    "with",
    "introduced",
];

/// A heading that names a version or what is to come.
#[derive(Debug, PartialEq)]
pub(super) struct Title {
    pub text: String,
    /// What stands before the version, for telling strangers.
    pub prefix: String,
    pub dated: bool,
    /// Whether it says that it is a release, not the number of a section.
    pub release: bool,
    /// Whether it announces what is new in the version.
    pub announced: bool,
    /// The sign that it was pulled.
    pub pulled: Option<StandingEvidence>,
    pub unreleased: bool,
}

pub(super) fn title(heading: &str) -> Option<Title> {
    let plain = without_links(heading);
    let lower = plain.to_lowercase();
    // A mark that the version control system expands, with the version and the day of the file: `$Id: NEWS,v 1.5 ... $`.
    if plain.starts_with('$') && plain.ends_with('$') {
        return None;
    }
    let words = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let alone = UNRELEASED.contains(&words) || COMING.contains(&words) || is_unreleased(words);
    let Some((start, span)) = version::find_range(&plain) else {
        return alone.then(|| Title {
            text: "Unreleased".to_owned(),
            prefix: String::new(),
            release: true,
            dated: false,
            announced: false,
            pulled: None,
            unreleased: true,
        });
    };
    // A sentence that happens to hold a version is no version heading.
    let before = plain.get(..start)?;
    let is_range = start < span.start && (only_of(before, &RANGE_WORDS) || announces(before));
    let before = if is_range {
        before
    } else {
        plain.get(..span.start)?
    };
    let after = plain.get(span.end..)?;
    let dated_before = dated::find(before).is_some();
    let dated = dated_before || dated::find(after).is_some();
    let is_named = only_of(before, &BARE_WORDS);
    let is_announced = announces(before) && (dated || after.split_whitespace().count() <= 1);
    let most = if dated_before || is_named || is_announced {
        WORDS_WITH_NAME
    } else {
        WORDS_BEFORE
    };
    let words = before.split_whitespace().count();
    if words > most || (!dated && after.split_whitespace().count() > 6) {
        return None;
    }
    // The list of a whole branch: `0.1 Changelog`.
    let number = plain.get(span.start..span.end)?;
    let is_list = after.trim().eq_ignore_ascii_case("changelog");
    if is_list && before.is_empty() && number.matches('.').count() == 1 {
        return None;
    }
    Some(Title {
        text: number.to_owned(),
        prefix: if is_range { String::new() } else { name_in(before) },
        release: is_range || is_announced || version::is_release(&plain, dated),
        dated,
        announced: is_announced,
        pulled: marks::pulled("heading", &plain),
        unreleased: is_coming(&lower, dated) || dated && dated::is_plan(before),
    })
}

/// Whether a heading in lower case says in several words, all of them known, that nothing of it has come out.
fn is_unreleased(lower: &str) -> bool {
    let words = letters(lower);
    let mut words = words.split(' ');
    words.clone().any(|word| word == "unreleased") && words.all(|word| BESIDE_UNRELEASED.contains(&word))
}

/// Whether the words before a version announce what is new in it, maybe with the thing's name: `Overview of changes in
/// Example`, `What's New in Example`.
pub(super) fn announces(before: &str) -> bool {
    let (mut bare, mut names, mut news) = (0, 0, false);
    for word in before.split_whitespace() {
        let word = plain_word(word);
        if BARE_WORDS.contains(&word.as_str()) {
            bare += 1;
            news |= NEWS.contains(&word.as_str());
        } else {
            names += 1;
        }
    }
    news && bare >= 2 && names <= NAME_WORDS
}

/// What of the words before a version names a thing: neither a date nor words of [`BARE_WORDS`].
fn name_in(before: &str) -> String {
    let words = without_date(before);
    let names = words.filter(|word| !BARE_WORDS.contains(&word.as_str()) && word != "ver");
    let letters = names.flat_map(|word| word.chars().collect::<Vec<_>>());
    letters.filter(|c| c.is_alphanumeric()).collect()
}

/// The words of a text in lower case, those of a date left out.
pub(super) fn without_date(text: &str) -> impl Iterator<Item = String> {
    let is_dated = dated::find(text).is_some();
    let words = text.split_whitespace().map(plain_word);
    let is_day = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || date::month_number(word).is_some()
            || dated::is_weekday(word)
    };
    words.filter(move |word| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        !(letters.is_empty() || is_dated && is_day(letters))
    })
}

/// A word in lower case, with the usual apostrophe and without the mark behind it.
fn plain_word(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    lower.trim_end_matches([':', ',']).to_owned()
}

/// Whether a text holds no other words than these.
pub(super) fn only_of(text: &str, words: &[&str]) -> bool {
    let mut all = text.split_whitespace();
    all.all(|word| words.contains(&plain_word(word).as_str()))
}

/// Whether a heading in lower case says that its version has not come out yet. Beside a date the words must stand apart,
/// in brackets or behind a mark: `2.0 (2026-11-20): show the work in progress`.
fn is_coming(lower: &str, dated: bool) -> bool {
    if dated {
        return lower
            .split(['(', ')', '[', ']', ',', ';', ':', '–', '—', '*', '_'])
            .flat_map(|part| part.split(" - "))
            .any(says_coming);
    }
    let padded = format!(" {} ", letters(lower));
    lower.contains("??")
        || COMING.iter().any(|words| padded.contains(&format!(" {words} ")))
        || UNKNOWN_DAY
            .iter()
            .any(|word| padded.contains(&format!(" {word} ")))
}

/// Whether a text, numbers, months and marks apart, says nothing but that something has not come out yet.
pub(super) fn says_coming(lower: &str) -> bool {
    if lower.contains("??") {
        return true;
    }
    let words = letters(lower);
    let words: Vec<&str> = words
        .split(' ')
        .filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()) || UNKNOWN_DAY.contains(word))
        .filter(|word| !matches!(*word, "release" | "date" | "status") && date::month_number(word).is_none())
        .collect();
    let plain = words.join(" ");
    COMING.contains(&plain.as_str()) || words.iter().any(|word| UNKNOWN_DAY.contains(word))
}

/// `[15.3.1](https://...)` to `15.3.1`, so that no address is read as a version. Other brackets stay; the marks of what is
/// struck out do not: next to a date, a `~` makes it an estimate.
pub(super) fn without_links(heading: &str) -> String {
    let unstruck = heading.replace(STRUCK, " ");
    let mut out = String::with_capacity(unstruck.len());
    let mut rest = unstruck.as_str();
    while let Some((before, tail)) = rest.split_once("](") {
        out.push_str(before);
        out.push(']');
        rest = tail.split_once(')').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out.split_whitespace()
        .filter(|word| !word.contains("://"))
        .collect::<Vec<_>>()
        .join(" ")
}
