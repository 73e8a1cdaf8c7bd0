//! The headings of a changelog in Markdown or plain text.

use freshcontext_parse::{date, text};

use super::BARE_CHARS;
use super::dated::{self, letters};
use super::title::{BARE_WORDS, RANGE_WORDS, announces, only_of, says_coming, without_date};
use crate::parse::version;

/// What of a heading is looked at.
const HEADING_BYTES: usize = 1_000;

/// Longest entry of a list that begins with its version and date, in characters.
const BULLET_CHARS: usize = 300;

pub(super) struct Heading<'t> {
    pub text: &'t str,
    /// First line of what stands under it.
    pub body: usize,
    /// The line of the heading itself.
    pub line: usize,
    /// How deep it is, from 1; of other headings than Markdown's, as Markdown would count.
    pub level: usize,
}

/// The level of a line that is a heading by its version and date alone.
const BARE_LEVEL: usize = 7;

impl Heading<'_> {
    /// Whether it is a line that nothing marks as a heading.
    pub(super) const fn is_line(&self) -> bool {
        self.level >= BARE_LEVEL
    }
}
/// Longest line that begins with a date or a name, in characters, and most words behind its version.
const LONG_CHARS: usize = 120;
const WORDS_AFTER: usize = 4;
/// Lines from the start of a file to the first below its title.
const TITLE_LINES: usize = 4;
/// Most words of a date at the start of a text: `Fri, 20 November 2026`.
const DATE_WORDS: usize = 4;

/// Which lines are headings beside those that are marked as such or hold a version and its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// None.
    Dated,
    /// The entries of a list that begin with a version and its date.
    Entries,
    /// Lines of nothing but a version, or of a version and its only note.
    Plain,
}

/// The headings of a file.
pub(super) fn headings<'t, 'l>(
    lines: &'l [&'t str],
    which: Lines,
) -> impl Iterator<Item = Heading<'t>> + use<'t, 'l> {
    let mut fence: Option<&str> = None;
    lines.iter().enumerate().filter_map(move |(at, line)| {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) if !is_rule(line) => {
                fence = Some(mark);
                return None;
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                return None;
            }
            (Some(_), _) => return None,
            _ => {}
        }
        // Four blanks or a tab make a code block.
        if line.starts_with("    ") || line.starts_with('\t') {
            return None;
        }
        let under = |text: &'t str, lines, level| Heading {
            text: text
                .get(..text.floor_char_boundary(HEADING_BYTES))
                .unwrap_or_default(),
            line: at,
            body: at + lines,
            level,
        };
        if let Some(text) = marked(trimmed) {
            let mark = trimmed.chars().next();
            let level = trimmed.chars().take_while(|c| Some(*c) == mark).count();
            return Some(under(text, 1, level));
        }
        if trimmed.is_empty() || is_rule(trimmed) {
            return None;
        }
        let next = lines.get(at + 1).map_or("", |next| next.trim());
        if let Some(entry) = bullet(line).filter(|_| which == Lines::Entries) {
            // What stands behind the date belongs to the notes.
            let has_notes = entry.chars().count() > BARE_CHARS / 2;
            let is_version = bare_version(entry, BULLET_CHARS);
            return is_version.then(|| under(entry, usize::from(!has_notes), BARE_LEVEL));
        }
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).copied();
        let stands_alone = before.is_none_or(|before| before.trim().is_empty() || is_rule(before))
            || is_below_title(lines, at);
        // Many write the version right below another line, or underline it with two signs: no other line is like that.
        let is_underlined = is_rule(next) && (stands_alone || is_version_line(trimmed))
            || matches!(next, "--" | "==") && is_version_line(trimmed);
        if is_underlined {
            let level = match next.chars().next() {
                Some('=') => 1,
                Some('-') => 2,
                _ => 3,
            };
            return Some(under(trimmed, 2, level));
        }
        let before = before.unwrap_or_default();
        // Many set no blank line between the notes of a version and the next one. A line of prose has prose before it.
        let behind_notes = || {
            !line.starts_with(' ')
                && (before.starts_with([' ', '\t']) || marked(before).is_some() || bullet(before).is_some())
        };
        // Below the end of a sentence or a comment, with notes below it, and nothing but its date beside it.
        let between = || {
            let ended = before.trim_end().ends_with(['.', ':', '!', '?', '>']);
            let opens = next.is_empty() || ["- ", "* ", "+ "].iter().any(|mark| next.starts_with(mark));
            !line.starts_with(' ') && ended && opens && is_version_line(trimmed)
        };
        let is_apart = || stands_alone || behind_notes();
        // What stands behind the date belongs to the notes.
        if !line.starts_with(' ') && dated_entry(line) && (is_apart() || dated_entry(before)) {
            let has_notes = line.chars().count() > BARE_CHARS / 2;
            return Some(under(trimmed, usize::from(!has_notes), BARE_LEVEL));
        }
        if which == Lines::Plain && !line.starts_with(' ') && (is_apart() || one_note(before)) {
            if plain_version(trimmed) {
                return Some(under(trimmed, 1, BARE_LEVEL));
            }
            if let Some(end) = note_at(trimmed) {
                let version = trimmed.get(..end).unwrap_or_default();
                return Some(under(version, 0, BARE_LEVEL));
            }
        }
        let is_bare = is_apart() && bare_version(trimmed, BARE_CHARS);
        (is_bare || stands_alone && (named_version(trimmed) || announced(trimmed)) || between())
            .then(|| under(trimmed, 1, BARE_LEVEL))
    })
}

/// Whether nothing stands above a line but the file's title: letters, without a mark at their end.
fn is_below_title(lines: &[&str], at: usize) -> bool {
    let above = lines.get(..at).unwrap_or_default();
    // Lines far below the start are not under the title alone, and are not counted again and again.
    let mut held = above
        .iter()
        .take(TITLE_LINES + 1)
        .filter(|line| !line.trim().is_empty());
    let title = held
        .next()
        .filter(|_| above.len() <= TITLE_LINES && held.next().is_none());
    title.is_some_and(|title| {
        let words = title.split_whitespace().count() <= WORDS_AFTER;
        words
            && title
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | ':'))
    })
}

/// `1.4.1, 2014/04/26 -- Mend the start`: a version and right behind it its date, whatever stands behind that.
fn dated_entry(line: &str) -> bool {
    let Some((start, span)) = version::find_range(line).filter(|(start, _)| *start == 0) else {
        return false;
    };
    let tail = line.get(span.end..).unwrap_or_default();
    let tail = tail.trim_start_matches([' ', '\t', ',', ':', '-', '–', '—', '(', '[', '/', '|']);
    let words: Vec<&str> = tail.split_whitespace().take(DATE_WORDS).collect();
    let begins = words.first().is_some_and(|first| {
        let letters = first.trim_end_matches([',', '.']).to_lowercase();
        let is_word = date::month_number(&letters).is_some() || dated::is_weekday(&letters);
        first.starts_with(|c: char| c.is_ascii_digit()) || is_word
    });
    start == span.start
        && begins
        && line.chars().count() <= BULLET_CHARS
        && (1..=words.len())
            .any(|count| date::find(&words.get(..count).unwrap_or_default().join(" ")).is_some())
}

/// `1.2.3`, `1.2:`, `Version 1.2`, `Example 1.2.3:` on a line of its own.
fn plain_version(line: &str) -> bool {
    let Some((start, span)) = version::find_range(line).filter(|_| line.chars().count() <= BARE_CHARS) else {
        return false;
    };
    let before = line.get(..start).unwrap_or_default();
    let tail = line
        .get(span.end..)
        .unwrap_or_default()
        .trim_end_matches([':', ' ']);
    let is_name =
        before.split_whitespace().count() <= 1 && !before.contains(['(', '<', '|', '$', '/', '=', '"']);
    tail.is_empty() && (is_name || only_of(before, &BARE_WORDS))
}

/// `0.8.6 - Update the editor`: where the version of such a line ends. With two parts the number is a section's as often.
fn note_at(line: &str) -> Option<usize> {
    let (start, span) = version::find_range(line)?;
    let number = line.get(span.start..span.end)?;
    let tail = line.get(span.end..)?;
    let is_note = [" - ", " -- ", " – ", " — "]
        .iter()
        .any(|mark| tail.starts_with(mark));
    (start == 0 && is_note && number.matches('.').count() > 1 && line.chars().count() <= BULLET_CHARS)
        .then_some(span.end)
}

fn one_note(line: &str) -> bool {
    note_at(line).is_some()
}

/// Whether a line is a version, maybe behind words such as "Version", with or without its date, and nothing else.
fn is_version_line(line: &str) -> bool {
    let Some((start, span)) = version::find_range(line) else {
        return false;
    };
    let before = line.get(..start).unwrap_or_default();
    let tail = line.get(span.end..).unwrap_or_default();
    let (mut first, mut rest) = (without_date(before), without_date(tail));
    first.all(|word| BARE_WORDS.contains(&word.as_str())) && rest.next().is_none()
}

/// `example 2.2 (2022-03-27)`, `example-2.2 (27 March 2022) -- "Spring"`: the name of one word, and a date in brackets.
fn named_version(line: &str) -> bool {
    let Some(span) = version::find(line).filter(|_| line.chars().count() <= LONG_CHARS) else {
        return false;
    };
    let before = line.get(..span.start).unwrap_or_default();
    let tail = line.get(span.end..).unwrap_or_default().trim_start();
    let is_name = before.split_whitespace().count() == 1 && before.starts_with(char::is_alphabetic);
    let inner = tail.strip_prefix('(').and_then(|tail| tail.split_once(')'));
    inner.is_some_and(|(inner, rest)| {
        let rest = rest.trim_start();
        let ends = rest.is_empty() || rest.starts_with(['-', '–', '—', ':', '"']);
        is_name && ends && date::find(inner).is_some() && without_date(inner).next().is_none()
    })
}

/// `What's new in version 1.2`, on a line of its own.
fn announced(line: &str) -> bool {
    let Some(span) = version::find(line).filter(|_| line.chars().count() <= BARE_CHARS) else {
        return false;
    };
    let before = line.get(..span.start).unwrap_or_default();
    let tail = line.get(span.end..).unwrap_or_default();
    only_of(before, &BARE_WORDS) && announces(before) && tail.trim_matches([':', ' ']).is_empty()
}

/// `## text`, `== text`, `!! text`.
fn marked(line: &str) -> Option<&str> {
    for mark in ['#', '=', '!'] {
        let text = line.trim_start_matches(mark);
        let count = line.len() - text.len();
        // Many write no blank behind the marks; a single `#` may then begin another thing's name or number.
        let glued =
            mark == '#' && (count > 1 || is_version_first(text)) && text.starts_with(char::is_alphanumeric);
        let spaced = text.starts_with([' ', '\t']) || (mark == '#' && text.starts_with('[')) || glued;
        if (1..=6).contains(&count) && spaced {
            return Some(text.trim().trim_end_matches(mark).trim_end()).filter(|text| !text.is_empty());
        }
    }
    None
}

fn is_version_first(text: &str) -> bool {
    version::find(text).is_some_and(|span| span.start == 0)
}

/// A line of nothing but one sign, as under a heading.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let Some(first) = line.chars().next() else {
        return false;
    };
    "=-~^*+\"".contains(first) && line.len() >= 3 && line.chars().all(|c| c == first)
}

/// The text of a list's entry at the start of a line.
fn bullet(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "]
        .into_iter()
        .find_map(|mark| line.strip_prefix(mark))
        .map(str::trim)
}

/// `1.2.3 (2019-05-05)`, `1.2.3 (May 2019)`, `1.2.3 (unreleased)` or `**1.2.3**` on a line of its own.
fn bare_version(line: &str, most: usize) -> bool {
    let plain = line.trim_matches(['*', '_', '[']);
    if line.starts_with(['-', '+', '>', '|', '<']) || (line.starts_with('*') && !line.starts_with("**")) {
        return false;
    }
    let chars = plain.chars().count();
    if chars > most.max(LONG_CHARS) {
        return false;
    }
    let Some((start, span)) = version::find_range(plain) else {
        return false;
    };
    let before = plain.get(..start).unwrap_or_default();
    // `2026-11-20, Version 1.2 (Stable)`, `20 November 2026 example 1.2`
    if dated::find(before).is_some() {
        let names = without_date(before).filter(|word| !BARE_WORDS.contains(&word.as_str()));
        let after = plain.get(span.end..).unwrap_or_default().split_whitespace();
        return names.count() <= 1 && after.count() <= WORDS_AFTER;
    }
    if chars > most {
        return false;
    }
    let starts = only_of(before, &BARE_WORDS);
    // `CHANGES FROM 3.3 TO 3.4` is about nothing else, with or without a date.
    let is_range = start < span.start && !before.is_empty() && only_of(before, &RANGE_WORDS);
    let tail = plain.get(span.end..).unwrap_or_default();
    let bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    let is_dated = || date::find(tail).is_some() || is_month(tail) || says_coming(&tail.to_lowercase());
    let is_bare = || tail.trim_matches([':', '*', ' ']).is_empty();
    starts && (is_dated() || (bold || is_range) && is_bare())
}

/// Whether a text is a month with its year, and nothing else: `(Feb 2023)`.
fn is_month(text: &str) -> bool {
    let words = letters(text).to_lowercase();
    words.split_once(' ').is_some_and(|(month, year)| {
        month.starts_with(char::is_alphabetic)
            && date::month_number(month).is_some()
            && text::is_digits(year, 4..=4)
    })
}

/// Whether the line under a heading says that its version has not come out yet.
pub(super) fn is_coming_under(heading: &Heading<'_>, lines: &[&str]) -> bool {
    let mut under = lines.iter().skip(heading.body).take(3);
    under
        .find(|line| !line.trim().is_empty())
        .filter(|line| line.chars().count() <= BARE_CHARS && !line.trim_start().starts_with(['-', '+', '#']))
        .is_some_and(|line| !line.trim_start().starts_with("* ") && says_coming(&line.to_lowercase()))
}
