//! The headings of a changelog in Markdown or plain text.

use freshcontext_parse::{date, text};

use super::{BARE_CHARS, BARE_WORDS, RANGE_WORDS, letters, only_of, says_coming};
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
}

/// The headings of a file; with `bullets` also the entries of a list that begin with a version and its date.
pub(super) fn headings<'t, 'l>(
    lines: &'l [&'t str],
    bullets: bool,
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
        let under = |text: &'t str, lines| Heading {
            text: text
                .get(..text.floor_char_boundary(HEADING_BYTES))
                .unwrap_or_default(),
            line: at,
            body: at + lines,
        };
        if let Some(text) = marked(trimmed) {
            return Some(under(text, 1));
        }
        if trimmed.is_empty() || is_rule(trimmed) {
            return None;
        }
        let next = lines.get(at + 1).map_or("", |next| next.trim());
        if let Some(entry) = bullet(line).filter(|_| bullets) {
            // What stands behind the date belongs to the notes.
            let has_notes = entry.chars().count() > BARE_CHARS / 2;
            let is_version = bare_version(entry, BULLET_CHARS);
            return is_version.then(|| under(entry, usize::from(!has_notes)));
        }
        let before = at.checked_sub(1).and_then(|before| lines.get(before)).copied();
        let stands_alone = before.is_none_or(|before| before.trim().is_empty() || is_rule(before));
        if is_rule(next) && stands_alone {
            return Some(under(trimmed, 2));
        }
        // Many set no blank line between the notes of a version and the next one. A line of prose has prose before it.
        let behind_notes = || {
            let before = before.unwrap_or_default();
            !line.starts_with(' ')
                && (before.starts_with([' ', '\t']) || marked(before).is_some() || bullet(before).is_some())
        };
        ((stands_alone || behind_notes()) && bare_version(trimmed, BARE_CHARS)).then(|| under(trimmed, 1))
    })
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
    if plain.chars().count() > most {
        return false;
    }
    let Some((start, span)) = version::find_range(plain) else {
        return false;
    };
    let before = plain.get(..start).unwrap_or_default();
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
