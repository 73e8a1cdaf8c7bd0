//! Changelog files: Markdown and its relatives. A date counts only in a version's heading or in the line
//! under it; headings in code blocks do not count.

use freshcontext_contract::DateEvidence;
use freshcontext_parse::date::{self, Order};
use freshcontext_parse::text;

use super::{Release, version};

/// Headings of what has not come out yet.
const UNRELEASED: [&str; 12] = [
    "unreleased",
    "upcoming",
    "master",
    "main",
    "next",
    "head",
    "trunk",
    "development",
    "tbd",
    "in progress",
    "work in progress",
    "upcoming release",
];
/// More headings than the longest history has.
pub const MAX_RELEASES: usize = 2_000;
/// More lines than the longest history has.
pub const MAX_LINES: usize = 100_000;
/// Most words before the version of a heading; and the same with a date among them.
const WORDS_BEFORE: usize = 3;
const WORDS_WITH_DATE: usize = 6;
/// What of a heading is looked at.
const HEADING_BYTES: usize = 1_000;
/// More lines of one release than an answer can show.
const NOTE_LINES: usize = 10_000;

/// What a changelog file holds.
#[derive(Debug, Default)]
pub struct Document {
    /// Its releases, in its order.
    pub releases: Vec<Release>,
    /// Releases whose headings say that they are such, and no numbers of sections.
    pub sure: usize,
    /// Dates that could be read in two ways.
    pub ambiguous: usize,
    /// Whether it has more than [`MAX_LINES`] lines, of which only those were read.
    pub cut: bool,
}

struct Heading<'t> {
    text: &'t str,
    /// First line of what stands under it.
    body: usize,
    /// The line of the heading itself.
    line: usize,
}

/// Reads a changelog file.
pub fn read(source: &str) -> Document {
    // A list that doubles as it grows would take twice its room, and a file may be nothing but lines.
    let count = source.lines().count();
    let mut lines = Vec::with_capacity(count.min(MAX_LINES));
    lines.extend(source.lines().take(MAX_LINES));
    let mut versions: Vec<(Heading<'_>, Title)> = headings(&lines)
        .filter_map(|heading| {
            let title = title(heading.text)?;
            Some((heading, title))
        })
        .take(MAX_RELEASES)
        .collect();
    drop_strangers(&mut versions);
    let spots: Vec<(usize, usize)> = versions
        .iter()
        .map(|(heading, _)| (heading.line, heading.body))
        .collect();
    let dated: Vec<Option<&str>> = versions
        .iter()
        .map(|(heading, _)| date_text(heading, &lines))
        .collect();
    let order = date::order(dated.iter().flatten().copied());
    let mut document = Document {
        cut: count > MAX_LINES,
        ..Document::default()
    };
    for (at, (heading, title)) in versions.into_iter().enumerate() {
        let end = spots.get(at + 1).map_or(lines.len(), |(line, _)| *line);
        let body = lines.get(heading.body..end.max(heading.body)).unwrap_or_default();
        let written = dated.get(at).copied().flatten();
        document.sure += usize::from(!title.unreleased && (title.release || written.is_some()));
        document
            .releases
            .push(release(&title, written, order, body, &mut document.ambiguous));
    }
    document
}

fn release(
    title: &Title,
    written: Option<&str>,
    order: Option<Order>,
    body: &[&str],
    ambiguous: &mut usize,
) -> Release {
    let found = written.and_then(date::find);
    let day = found.and_then(|found| found.day(order));
    if found.is_some() && day.is_none() {
        *ambiguous += 1;
    }
    let date = match day {
        Some(day) if !title.unreleased => DateEvidence::signal("date in the version's heading", day),
        _ => DateEvidence::None,
    };
    Release {
        title: title.text.clone(),
        date,
        notes: notes(body),
        prerelease: version::is_prerelease(&title.text),
        yanked: title.yanked,
        unreleased: title.unreleased,
        sections: sections(body),
        ..Release::default()
    }
}

/// A heading that names a version or what is to come.
#[derive(Debug, PartialEq)]
struct Title {
    text: String,
    /// What stands before the version, for telling strangers.
    prefix: String,
    dated: bool,
    /// Whether it says that it is a release, not the number of a section.
    release: bool,
    yanked: bool,
    unreleased: bool,
}

fn title(heading: &str) -> Option<Title> {
    let plain = without_links(heading);
    let lower = plain.to_lowercase();
    let yanked = lower.contains("[yanked]") || lower.contains("(yanked)");
    let words = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let coming = [
        "unreleased",
        "upcoming",
        "not yet released",
        "not released",
        "tbd",
    ]
    .iter()
    .any(|word| lower.contains(word))
        || UNRELEASED.contains(&words);
    let Some(span) = version::find(&plain) else {
        return UNRELEASED.contains(&words).then(|| Title {
            text: "Unreleased".to_owned(),
            prefix: String::new(),
            release: true,
            dated: false,
            yanked: false,
            unreleased: true,
        });
    };
    // A sentence that happens to hold a version is no version heading.
    let before = plain.get(..span.start)?;
    let after = plain.get(span.end..)?;
    let dated_before = date::find(before).is_some();
    let dated = dated_before || date::find(after).is_some();
    let words = before.split_whitespace().count();
    let most = if dated_before {
        WORDS_WITH_DATE
    } else {
        WORDS_BEFORE
    };
    if words > most || (!dated && after.split_whitespace().count() > 6) {
        return None;
    }
    // Of a date before the version its last number is the end.
    let named = before
        .rfind(|c: char| c.is_ascii_digit())
        .filter(|_| dated_before);
    let prefix: String = named
        .and_then(|last| before.get(last..))
        .unwrap_or(before)
        .chars()
        .skip(usize::from(named.is_some()))
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    Some(Title {
        text: plain.get(span.start..span.end)?.to_owned(),
        prefix: if matches!(prefix.as_str(), "v" | "version" | "release" | "ver") {
            String::new()
        } else {
            prefix
        },
        release: version::is_release(&plain, dated),
        dated,
        yanked,
        unreleased: coming && !dated,
    })
}

/// Drops headings such as "Node 10.0" inside the notes of a release: where most versions stand
/// alone, one with a name before it and no date is about something else.
fn drop_strangers(versions: &mut Vec<(Heading<'_>, Title)>) {
    let alone = versions
        .iter()
        .filter(|(_, title)| title.prefix.is_empty())
        .count();
    if alone * 2 > versions.len() {
        versions.retain(|(_, title)| title.prefix.is_empty() || title.dated);
    }
}

/// `[15.3.1](https://...)` to `15.3.1`, so that no address is read as a version. Other brackets stay.
fn without_links(heading: &str) -> String {
    let mut out = String::with_capacity(heading.len());
    let mut rest = heading;
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

/// The text that may hold the date: the heading after its version, else before it, else a short line under it.
fn date_text<'t>(heading: &Heading<'t>, lines: &[&'t str]) -> Option<&'t str> {
    if let Some(tail) = after_version(heading.text)
        && date::find(tail).is_some()
    {
        return Some(tail);
    }
    let before = version::find(heading.text).and_then(|span| heading.text.get(..span.start));
    if let Some(before) = before.filter(|before| date::find(before).is_some()) {
        return Some(before);
    }
    let under = lines
        .iter()
        .skip(heading.body)
        .take(3)
        .find(|line| !line.trim().is_empty())?;
    let letters = under.chars().filter(|c| c.is_alphabetic()).count();
    let lower = under.to_lowercase();
    let says = lower.contains("released") || lower.contains("release date") || lower.contains("date:");
    let short = under.chars().count() <= 60 && (letters <= 12 || says);
    let item = under.trim_start().starts_with(['-', '*', '+', '#']);
    (short && (says || !item))
        .then_some(*under)
        .filter(|line| date::find(line).is_some())
}

fn after_version(heading: &str) -> Option<&str> {
    // Past the link target, where there is one: it may hold two versions.
    let tail = heading
        .rfind("](")
        .and_then(|at| heading.get(at..)?.split_once(')'))
        .map_or(heading, |(_, tail)| tail);
    let end = version::find(tail).map_or(0, |span| span.end);
    tail.get(end..)
}

fn headings<'t, 'l>(lines: &'l [&'t str]) -> impl Iterator<Item = Heading<'t>> + use<'t, 'l> {
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
        let stands_alone = at
            .checked_sub(1)
            .and_then(|before| lines.get(before))
            .is_none_or(|before| before.trim().is_empty() || is_rule(before));
        if is_rule(next) && stands_alone {
            Some(under(trimmed, 2))
        } else {
            (stands_alone && bare_version(trimmed)).then(|| under(trimmed, 1))
        }
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
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let Some(first) = line.chars().next() else {
        return false;
    };
    "=-~^*+\"".contains(first) && line.len() >= 3 && line.chars().all(|c| c == first)
}

/// `1.2.3 (2019-05-05)` or `**1.2.3**` on a line of its own.
fn bare_version(line: &str) -> bool {
    let plain = line.trim_matches(['*', '_', '[']);
    if line.starts_with(['-', '+', '>', '|', '<']) || (line.starts_with('*') && !line.starts_with("**")) {
        return false;
    }
    let Some(span) = version::find(plain) else {
        return false;
    };
    let starts = span.start == 0
        || matches!(
            plain
                .get(..span.start)
                .map(|p| p.trim().to_lowercase())
                .as_deref(),
            Some("version" | "release" | "ver.")
        );
    let tail = plain.get(span.end..).unwrap_or_default();
    let bold = line.starts_with("**") && line.trim_end_matches(':').ends_with("**");
    starts
        && plain.chars().count() <= 60
        && (date::find(tail).is_some() || (bold && tail.trim_matches([':', '*', ' ']).is_empty()))
}

/// The notes without link definitions, comments and rules.
fn notes(body: &[&str]) -> String {
    let body = body.get(..body.len().min(NOTE_LINES)).unwrap_or_default();
    let visible = text::without_comments(&body.join("\n"));
    let kept: Vec<&str> = visible
        .lines()
        .filter(|line| {
            let trimmed = line.trim();
            let definition = trimmed.starts_with('[')
                && trimmed
                    .split_once("]:")
                    .is_some_and(|(_, target)| target.trim_start().starts_with("http"));
            !definition && !is_rule(trimmed)
        })
        .collect();
    text::paragraphs(&kept.join("\n"))
}

/// Names of the headings in a release's notes.
fn sections(body: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for heading in headings(body) {
        let name = text::clip(&without_links(heading.text), 40);
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() >= 10 {
            break;
        }
    }
    names
}
