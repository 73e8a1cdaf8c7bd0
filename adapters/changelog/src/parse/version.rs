//! Version numbers, as people write them: one grammar for tags, headings and registries.

mod spans;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use freshcontext_parse::date;

use spans::find_all;

/// Words that mark a release as not meant for everybody.
const CHANNELS: [&str; 8] = [
    "nightly",
    "beta",
    "alpha",
    "rc",
    "canary",
    "snapshot",
    "preview",
    "prerelease",
];
/// The same, but only inside a version or tag: in a name they may mean something else.
const TAG_CHANNELS: [&str; 10] = [
    "dev",
    "pre",
    "next",
    "experimental",
    "insider",
    "insiders",
    "eap",
    "ea",
    "techpreview",
    "unstable",
];
/// The same, but only behind a version: before one they name the thing, `test-utils 1.2`.
const SUFFIX_CHANNELS: [&str; 3] = ["test", "wip", "draft"];
/// The same, with a number glued to them: `2.10.0.pr1`, `3.0-tp2`. Apart from it, `(PR 12)` is a pull request.
const GLUED_CHANNELS: [&str; 2] = ["pr", "tp"];
/// Channels of two words.
const NAMED_CHANNELS: [&str; 3] = ["release candidate", "early access", "early adopter"];
/// Words behind a version, with a number or without: `2.0.0.M1`, `2.0.0 milestone 1`, `1.0.CR2`.
const NUMBERED_CHANNELS: [&str; 4] = ["m", "cr", "milestone", "ea"];
/// Words behind a version that say nothing of a channel: the release itself, or one after it.
const QUALIFIERS: [&str; 11] = [
    "final", "ga", "release", "stable", "lts", "post", "patch", "sp", "sr", "hotfix", "fix",
];
/// Of these, those that come after the version itself.
const LATER: [&str; 6] = ["post", "patch", "sp", "sr", "hotfix", "fix"];
/// Tags that move along with the builds of a branch: what bears one is built again and again, and is no version.
const ROLLING: [&str; 21] = [
    "latest",
    "current",
    "continuous",
    "edge",
    "rolling",
    "tip",
    "daily",
    "weekly",
    "unstable",
    "devel",
    "develop",
    "development",
    "trunk",
    "main",
    "master",
    "head",
    "ci",
    "bleeding",
    "autobuild",
    "testing",
    "test",
];
/// Most words of a rolling tag: `continuous-build-linux`.
const ROLLING_WORDS: usize = 3;
/// What makes a number an amount, where it stands right behind it.
const UNITS: [&str; 45] = [
    "million",
    "billion",
    "trillion",
    "thousand",
    "mio",
    "mrd",
    "bn",
    "m",
    "percent",
    "per",
    "x",
    "k",
    "times",
    "points",
    "stars",
    "km",
    "miles",
    "mm",
    "cm",
    "inch",
    "inches",
    "kg",
    "kb",
    "mb",
    "gb",
    "tb",
    "ghz",
    "mhz",
    "ms",
    "sec",
    "seconds",
    "minutes",
    "hours",
    "days",
    "weeks",
    "months",
    "years",
    "degrees",
    "magnitude",
    "dollars",
    "euros",
    "usd",
    "eur",
    "fold",
    // A time of day with a dot: `21.18 Uhr`.
    "uhr",
];
/// What makes a number behind it a time of day: `kl. 21.18`, `klo 21.18`, `ore 21.18`.
const CLOCKS: [&str; 5] = ["kl", "kl.", "klo", "klockan", "ore"];

/// How many numbers make a line of releases, which come out one after the other.
const LINE: usize = 2;

/// A version that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    numbers: Vec<u64>,
    suffix: String,
}

impl Version {
    /// Its numbers, where it is nothing but numbers as those of a section are.
    pub fn section(self) -> Option<Vec<u64>> {
        self.suffix.is_empty().then_some(self.numbers)
    }

    /// Whether it comes after another one of its own line: `1.12.3` after `1.12.2`, and no line of maintenance.
    pub fn follows_in_line(&self, other: &Self) -> bool {
        let line = |version: &Self| version.numbers.get(..LINE).map(<[u64]>::to_vec);
        let both = self.numbers.len() > LINE && other.numbers.len() > LINE;
        both && line(self) == line(other) && self > other
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let longest = self.numbers.len().max(other.numbers.len());
        let at = |version: &Self, place: usize| version.numbers.get(place).copied().unwrap_or(0);
        (0..longest)
            .map(|place| at(self, place).cmp(&at(other, place)))
            .find(|order| *order != Ordering::Equal)
            .unwrap_or_else(|| {
                let rank = |suffix: &str| match suffix {
                    "" => 1,
                    // `1.1.1m` mends `1.1.1`.
                    letter if letter.len() == 1 => 2,
                    _ if LATER.iter().any(|word| suffix.starts_with(word)) => 2,
                    _ => 0,
                };
                rank(&self.suffix)
                    .cmp(&rank(&other.suffix))
                    .then_with(|| parts(&self.suffix).cmp(parts(&other.suffix)))
            })
    }
}

/// A suffix in its parts, numbers as numbers: `rc.10` comes after `rc.9`.
fn parts(suffix: &str) -> impl Iterator<Item = (Option<u64>, &str)> {
    suffix
        .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .flat_map(|part| {
            let digits = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
            let (word, rest) = part.split_at_checked(digits).unwrap_or((part, ""));
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (number, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            [(None, word), (number.parse().ok(), ""), (None, tail)]
        })
        .filter(|(number, word)| number.is_some() || !word.is_empty())
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where in a text a version stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte, a leading `v` included.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The first version in a text: digits, at least one dot, digits; optionally a `v` before and a suffix
/// after it. Where two stand as "from this to that", the second. An amount is none, nor is a date beside a version.
/// A `v` and a number of two digits or more at the start of a text are one without a dot, too: `v257`.
pub fn find(text: &str) -> Option<Span> {
    find_range(text).map(|(_, span)| span)
}

/// As [`find`], with the first byte of the range that the version ends: of `1.0` in "1.0 to 1.1". Without a range it is
/// the version's own.
pub fn find_range(text: &str) -> Option<(usize, Span)> {
    let mut spans = find_all(text);
    spans.retain(|span| !is_amount(text, *span));
    let is_date = |span: &Span| text.get(span.start..span.end).and_then(date::find).is_some();
    if !spans.iter().all(is_date) {
        spans.retain(|span| !is_date(span));
    }
    let Some(first) = spans.first().copied() else {
        return bare_number(text).map(|span| (span.start, span));
    };
    let Some(second) = spans.get(1).copied() else {
        return Some((first.start, first));
    };
    let between = text.get(first.end..second.start).unwrap_or_default().trim();
    // `4.1.* to 4.2.0`
    let between = between.trim_start_matches(".*").trim_start_matches(".x");
    let between = between.trim_end_matches(['v', 'V']).trim().to_lowercase();
    let between = between
        .strip_suffix("version")
        .map_or(between.as_str(), str::trim);
    // `Changes between Example 1.0 and Example 1.1`
    let name = text.get(..first.start).unwrap_or_default().split_whitespace();
    let name = name.last().unwrap_or_default().to_lowercase();
    let named = between.strip_suffix(name.as_str()).map(str::trim);
    let between = named.filter(|rest| !rest.is_empty()).unwrap_or(between);
    let joined = match between {
        "to" | "->" | "→" | "=>" | ".." | "..." | "から" | "~" | "～" | "bis" | "à" | "through" | "thru"
        | "up to" => true,
        "and" => says_between(text.get(..first.start).unwrap_or_default()),
        _ => false,
    };
    Some((first.start, if joined { second } else { first }))
}

/// Whether the words before two versions set the ends of a range: "changes between 1.0 and 1.1".
fn says_between(before: &str) -> bool {
    let mut words = before.split_whitespace().rev().take(2);
    words.any(|word| word.eq_ignore_ascii_case("between"))
}

/// `v257` at the start of a text, with nothing, a blank or a mark behind it. One digit is a name as often: `v8`.
fn bare_number(text: &str) -> Option<Span> {
    let number = text.strip_prefix('v')?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let next = number.get(digits..)?;
    let ends = next.is_empty() || next.starts_with([' ', ':', ',', '(', '[', ']']);
    // A date, a channel or nothing follows a version. A word makes it the subject of a sentence.
    let sentence = next.trim_start().starts_with(char::is_alphabetic) && date::find(next).is_none();
    ((2..=4).contains(&digits) && ends && !sentence).then_some(Span {
        start: 0,
        end: 1 + digits,
    })
}

/// Whether a number is an amount: `$4.8 billion`, `3.5 %`, `1.5x`, `4.7 out of 5`.
fn is_amount(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    let number = text.get(span.start..span.end).unwrap_or_default();
    if before.ends_with(['$', '€', '£', '¥', '₹', '~', '≈', '+', '−']) || before.ends_with("US$ ") {
        return true;
    }
    let last = before.split_whitespace().next_back().unwrap_or_default();
    // A version with three parts, a `v` or the word is none.
    if last.eq_ignore_ascii_case("version") || last.eq_ignore_ascii_case("release") {
        return false;
    }
    if number.starts_with(['v', 'V']) || number.matches('.').count() > 1 {
        return false;
    }
    if CLOCKS.contains(&last.to_lowercase().as_str()) {
        return true;
    }
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let after = text.get(span.end..).unwrap_or_default();
    let trimmed = after.trim_start_matches([' ', '\u{a0}', '-']);
    let next: String = trimmed
        .chars()
        .take_while(|c| c.is_alphabetic())
        .collect::<String>()
        .to_lowercase();
    let whole = trimmed
        .get(next.len()..)
        .is_none_or(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    let follows = after.len() > trimmed.len() && whole && UNITS.contains(&next.as_str());
    let of_ten = trimmed.starts_with("out of ") || trimmed.starts_with("/10") || trimmed.starts_with("/5");
    of_ten
        || trimmed.starts_with(['%', '€', '£', '$', '°', '‰'])
        || UNITS.contains(&unit.to_ascii_lowercase().as_str())
        || follows
}

/// Whether what a heading says makes its version a release and no number of a section: three parts, a `v`, a word such
/// as "version" before it, brackets around it, or nothing beside it and its date.
pub fn is_release(heading: &str, dated: bool) -> bool {
    let Some(span) = find(heading) else { return false };
    let number = heading.get(span.start..span.end).unwrap_or_default();
    let before = heading.get(..span.start).unwrap_or_default().to_lowercase();
    let named = before
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "version" | "release" | "ver" | "v" | "releases"));
    let is_title = titles_a_section(heading);
    let is_long = number.matches('.').count() > 1 && !(before.is_empty() && is_title);
    dated || named || before.ends_with('[') || number.starts_with(['v', 'V']) || is_long
}

/// Whether a heading is a number and a title, as of a section: `2.3.4 Arrays`, `2.3.4. Arrays`.
pub fn titles_a_section(heading: &str) -> bool {
    let Some(span) = find(heading) else { return false };
    let after = heading.get(span.end..).unwrap_or_default();
    let after = after.strip_prefix(['.', ')']).unwrap_or(after).trim_start();
    after.starts_with(char::is_alphabetic) && !after.to_lowercase().starts_with("release")
}

/// The version that a text holds.
pub fn parse(text: &str) -> Option<Version> {
    let span = find(text)?;
    let text = text.get(span.start..span.end)?.trim_start_matches(['v', 'V']);
    let digits: usize = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let numbers = text
        .get(..digits)?
        .trim_end_matches('.')
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<Vec<u64>>>()?;
    let suffix = text
        .get(digits..)?
        .split('+')
        .next()
        .unwrap_or_default()
        .trim_matches(|c: char| !c.is_ascii_alphanumeric())
        .to_ascii_lowercase();
    // The release itself, by another name.
    let plain = ["final", "ga", "release", "stable", "lts"].contains(&suffix.as_str());
    let suffix = if plain { String::new() } else { suffix };
    Some(Version { numbers, suffix })
}

/// Whether a tag without a version moves along with the builds of a branch: `latest`, `continuous`, `edge-linux`,
/// `autobuild-2026-11-26-12-59`. The day of a build is no version.
fn is_rolling(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.contains(|c: char| c.is_ascii_alphabetic()))
        .collect();
    words.len() <= ROLLING_WORDS
        && words.iter().any(|word| ROLLING.contains(word))
        && !words.contains(&"stable")
        && (find(lower).is_none() || date::find(lower).is_some())
}

/// Whether a tag names no version, not even by a bare number: `binaries`, `assets`, `staging`.
pub fn has_no_number(tag: &str) -> bool {
    !tag.contains(|c: char| c.is_ascii_digit())
}

/// Whether the suffix of a version is a milestone or the like: `M1`, `CR2`.
fn is_numbered_channel(lower: &str) -> bool {
    parse(lower).is_some_and(|version| {
        let word = version.suffix.trim_end_matches(|c: char| c.is_ascii_digit());
        let plain = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let named = NUMBERED_CHANNELS.contains(&plain) || GLUED_CHANNELS.contains(&word);
        named && word.len() < version.suffix.len()
    })
}

/// Whether a word behind the version is a channel only there: `1.2.0-test1`, `1.2.0-wip`.
fn is_suffix_channel(lower: &str) -> bool {
    let suffix = parse(lower).map(|version| version.suffix).unwrap_or_default();
    let mut words = suffix.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| SUFFIX_CHANNELS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// Whether a tag or version says itself that it is not meant for everybody.
pub fn is_prerelease(tag: &str) -> bool {
    // Of a package's tag, `next@15.0.0`, the name says nothing of the version.
    let (_, version) = tag
        .rsplit_once('@')
        .filter(|(name, version)| !name.is_empty() && !has_no_number(version))
        .unwrap_or(("", tag));
    let lower = version.to_ascii_lowercase();
    if is_rolling(&lower)
        || is_numbered_channel(&lower)
        || is_suffix_channel(&lower)
        || NAMED_CHANNELS.iter().any(|name| lower.contains(name))
    {
        return true;
    }
    lower.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if CHANNELS.contains(&letters) || TAG_CHANNELS.contains(&letters) {
            return true;
        }
        // `40a4`, `0rc1`, `3b2`: a number, a channel, a number.
        let glued = letters.trim_start_matches(|c: char| c.is_ascii_digit());
        glued.len() < letters.len()
            && (CHANNELS.contains(&glued)
                || TAG_CHANNELS.contains(&glued)
                || (matches!(glued, "a" | "b" | "c") && letters.len() < word.len()))
    })
}

/// A title without a version and of more words than this is a sentence, which may well speak of a channel.
const NAME_WORDS: usize = 5;

/// Whether the name that people gave a release says so.
pub fn names_prerelease(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words = || {
        let words = lower.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.starts_with(char::is_alphabetic))
    };
    let version = find(name).and_then(|span| name.get(span.start..span.end));
    let is_short = words().count() <= NAME_WORDS;
    let is_name = version.is_some() || is_short;
    // `Release Candidate 2.0.0`
    if is_short && lower.contains("release candidate") {
        return true;
    }
    let channel = |word: &str| CHANNELS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    is_name && words().any(channel) || version.is_some_and(is_prerelease)
}
