//! Version numbers, as people write them.

use std::cmp::Ordering;

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
const TAG_CHANNELS: [&str; 5] = ["dev", "pre", "next", "experimental", "insiders"];

/// A version that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    numbers: Vec<u64>,
    suffix: String,
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let longest = self.numbers.len().max(other.numbers.len());
        let at = |version: &Self, place: usize| version.numbers.get(place).copied().unwrap_or(0);
        (0..longest)
            .map(|place| at(self, place).cmp(&at(other, place)))
            .find(|order| *order != Ordering::Equal)
            .unwrap_or_else(|| match (self.suffix.is_empty(), other.suffix.is_empty()) {
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => parts(&self.suffix).cmp(parts(&other.suffix)),
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
/// after it. Where two stand as "from this to that", the second.
pub fn find(text: &str) -> Option<Span> {
    let spans = find_all(text);
    let first = *spans.first()?;
    let Some(second) = spans.get(1).copied() else {
        return Some(first);
    };
    let between = text.get(first.end..second.start).unwrap_or_default().trim();
    let joined = matches!(
        between,
        "to" | "->" | "→" | "=>" | ".." | "..." | "から" | "~" | "～" | "bis" | "à"
    );
    Some(if joined { second } else { first })
}

fn find_all(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let before = at
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .copied()
            .unwrap_or(b' ');
        let begins = bytes.get(at).is_some_and(u8::is_ascii_digit)
            && !before.is_ascii_digit()
            && before != b'.'
            && (!before.is_ascii_alphabetic() || v_before(bytes, at));
        if !begins {
            at += 1;
            continue;
        }
        let end = number_end(bytes, at);
        if let Some(end) = end {
            let start = if matches!(before, b'v' | b'V') { at - 1 } else { at };
            spans.push(Span { start, end });
            at = end;
        } else {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        if spans.len() >= 4 {
            break;
        }
    }
    spans
}

/// `v1.2`, but not `dev1.2`.
fn v_before(bytes: &[u8], at: usize) -> bool {
    let v = at.checked_sub(1).and_then(|before| bytes.get(before));
    let outer = at.checked_sub(2).and_then(|before| bytes.get(before));
    matches!(v, Some(b'v' | b'V')) && outer.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// The end of `1.2.3-rc.1+5` that begins here; `None` without a dot.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = start;
    let mut dots = 0;
    while digit(at) {
        while digit(at) {
            at += 1;
        }
        if bytes.get(at) == Some(&b'.') && digit(at + 1) {
            dots += 1;
            at += 1;
        }
    }
    if dots == 0 || at - start > 40 {
        return None;
    }
    // A suffix: `-rc.1`, `rc1`, `a4`, `+build`; letters must come first, so that `1.2 - 2020` has none.
    let mut suffix = at;
    if matches!(bytes.get(suffix), Some(b'-' | b'+')) {
        suffix += 1;
    }
    if bytes.get(suffix).is_some_and(u8::is_ascii_alphabetic) {
        let begin = suffix;
        while bytes
            .get(suffix)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'))
            && suffix - begin < 40
        {
            suffix += 1;
        }
        while suffix > begin
            && bytes
                .get(suffix - 1)
                .is_some_and(|b| matches!(b, b'.' | b'-' | b'+'))
        {
            suffix -= 1;
        }
        at = suffix;
    }
    Some(at)
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
        .split('.')
        .map(|part| part.parse().ok())
        .collect::<Option<Vec<u64>>>()?;
    let suffix = text
        .get(digits..)?
        .split('+')
        .next()
        .unwrap_or_default()
        .to_owned();
    Some(Version { numbers, suffix })
}

/// Whether a tag or version says itself that it is not meant for everybody.
pub fn is_prerelease(tag: &str) -> bool {
    let lower = tag.to_ascii_lowercase();
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
    let is_name = version.is_some() || words().count() <= NAME_WORDS;
    let channel = |word: &str| CHANNELS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    is_name && words().any(channel) || version.is_some_and(is_prerelease)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Option<&str> {
        find(text)
            .map(|span| &text.as_bytes()[span.start..span.end])
            .map(|b| std::str::from_utf8(b).unwrap())
    }

    #[test]
    fn versions_in_headings() {
        for (text, version) in [
            ("[1.2.3] - 2024-05-06", Some("1.2.3")),
            ("v2.0.0-rc.1 (2020-01-01)", Some("v2.0.0-rc.1")),
            ("Rails 5.2.1.1 (November 27, 2018) ##", Some("5.2.1.1")),
            ("3.11.0 / 2018-03-05", Some("3.11.0")),
            ("0.0.5から0.0.6の変更点: 2010-08-28", Some("0.0.6")),
            ("Changes from 1.0 to 1.1", Some("1.1")),
            ("1.40a4", Some("1.40a4")),
            ("2020-03-16", None),
            ("Added", None),
            ("dev1.2", None),
            ("v12", None),
            ("1.2 - 2020-01-01", Some("1.2")),
        ] {
            assert_eq!(found(text), version, "{text}");
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(parse("1.10.0").unwrap() > parse("v1.9.9").unwrap());
        assert!(parse("2.0.0").unwrap() > parse("2.0.0-rc.1").unwrap());
        assert_eq!(
            parse("1.0").unwrap().cmp(&parse("1.0.0").unwrap()),
            Ordering::Equal
        );
    }

    #[test]
    fn channels_are_known_by_tag_and_by_name() {
        for tag in [
            "v2.0.0-rc.1",
            "1.40a4",
            "2.0rc1",
            "nightly",
            "5.0.0-canary.12",
            "1.0-beta",
            "3.0.dev1",
            "v1.0.0-alpha",
        ] {
            assert!(is_prerelease(tag), "{tag}");
        }
        for tag in [
            "v1.43",
            "1.0.0",
            "v2024.1",
            "release-1.2",
            "1.2.3-1",
            "v1.0.0+abc",
            "abc",
            "jenkins-2.4",
            "1.0b",
        ] {
            assert!(!is_prerelease(tag), "{tag}");
        }
        assert!(names_prerelease("Nightly v1.95.78 (Chromium 152.0.7977.42)"));
        assert!(
            !names_prerelease("Release v1.92.1 (Chromium 152.0.7977.42)")
                && !names_prerelease("The next generation")
                && !names_prerelease("Enabling the next iteration of the borrow checker on nightly")
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,60}") {
            if let Some(span) = find(&text) {
                prop_assert!(text.get(span.start..span.end).is_some());
            }
            let _ = (parse(&text), is_prerelease(&text), names_prerelease(&text));
        }
    }
}
