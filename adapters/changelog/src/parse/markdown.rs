//! Changelog files: Markdown and its relatives. A date counts only in a version's heading or in the line
//! under it; headings in code blocks do not count.

mod heading;

use freshcontext_contract::{DateEvidence, StandingEvidence};
use freshcontext_parse::date::{self, Order};
use freshcontext_parse::text;

use super::{Release, debian, marks, version};
use heading::{Heading, headings, is_rule};

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
/// More headings than the longest history has.
pub const MAX_RELEASES: usize = 2_000;
/// More lines than the longest history has.
pub const MAX_LINES: usize = 100_000;
/// Most words before the version of a heading; and the same with a date among them.
const WORDS_BEFORE: usize = 3;
const WORDS_WITH_DATE: usize = 6;
/// The same where all of them are [`BARE_WORDS`]: `Noteworthy changes in the version 1.2`.
const WORDS_WITH_NAME: usize = 6;
/// Words that may stand before a range of versions. Others make it a change of something: `Bump tools from 1.0 to 1.1`.
const RANGE_WORDS: [&str; 16] = [
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
const BARE_WORDS: [&str; 22] = [
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
    "v",
];
/// Longest line that is such a heading, in characters.
const BARE_CHARS: usize = 60;
/// Lines above the first heading, and the longest of them, that may name a version that was not read.
const LINES_ABOVE: usize = 40;
const CHARS_ABOVE: usize = 60;
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
    /// A version in a line above its first heading that is higher than those of all its releases.
    pub above: Option<String>,
    /// Whether it has more than [`MAX_LINES`] lines, of which only those were read.
    pub cut: bool,
}

/// Reads a changelog file.
pub fn read(source: &str) -> Document {
    // A list that doubles as it grows would take twice its room, and a file may be nothing but lines.
    let count = source.lines().count();
    let mut lines = Vec::with_capacity(count.min(MAX_LINES));
    lines.extend(source.lines().take(MAX_LINES));
    if let Some(releases) = debian::read(&lines) {
        return Document {
            sure: releases.len(),
            releases,
            cut: count > MAX_LINES,
            ..Document::default()
        };
    }
    let titled = |bullets| -> Vec<(Heading<'_>, Title)> {
        headings(&lines, bullets)
            .filter_map(|heading| {
                let title = title(heading.text)?;
                Some((heading, title))
            })
            .take(MAX_RELEASES)
            .collect()
    };
    let mut versions = titled(false);
    // Entries of a list are headings only where the first stands above all others: notes list versions of other things.
    let listed = titled(true);
    let line =
        |heading: Option<&(Heading<'_>, Title)>| heading.map_or(usize::MAX, |(heading, _)| heading.line);
    let is_heading = |(_, title): &&(Heading<'_>, Title)| title.dated || title.release;
    if line(listed.iter().find(|(_, title)| title.dated)) < line(versions.iter().find(is_heading)) {
        versions = listed;
    } else {
        drop(listed);
    }
    drop_strangers(&mut versions);
    if is_manual(&versions) {
        versions.clear();
    }
    let spots: Vec<(usize, usize)> = versions
        .iter()
        .map(|(heading, _)| (heading.line, heading.body))
        .collect();
    let dated: Vec<Option<&str>> = versions
        .iter()
        .map(|(heading, _)| date_text(heading, &lines))
        .collect();
    let above = spots
        .first()
        .and_then(|(line, _)| higher_above(&lines, *line, &versions));
    let order = date::order(dated.iter().flatten().copied());
    let mut document = Document {
        cut: count > MAX_LINES,
        above,
        releases: Vec::with_capacity(versions.len()),
        ..Document::default()
    };
    for (at, (heading, mut title)) in versions.into_iter().enumerate() {
        let end = spots.get(at + 1).map_or(lines.len(), |(line, _)| *line);
        let body = lines.get(heading.body..end.max(heading.body)).unwrap_or_default();
        let written = dated.get(at).copied().flatten();
        title.unreleased |= written.is_none() && is_coming_under(&heading, &lines);
        document.sure += usize::from(!title.unreleased && (title.release || written.is_some()));
        let release = release(&title, written, order, body, &mut document.ambiguous);
        document.releases.push(release.pulled(title.pulled));
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
    let release = Release {
        title: title.text.clone(),
        date,
        notes: notes(body),
        unreleased: title.unreleased,
        sections: sections(body),
        ..Release::default()
    };
    release.early(marks::early_tag("heading", &title.text))
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
    /// The sign that it was pulled.
    pulled: Option<StandingEvidence>,
    unreleased: bool,
}

fn title(heading: &str) -> Option<Title> {
    let plain = without_links(heading);
    let lower = plain.to_lowercase();
    // A mark that the version control system expands, with the version and the day of the file: `$Id: NEWS,v 1.5 ... $`.
    if plain.starts_with('$') && plain.ends_with('$') {
        return None;
    }
    let words = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let alone = UNRELEASED.contains(&words) || COMING.contains(&words);
    let Some((start, span)) = version::find_range(&plain) else {
        return alone.then(|| Title {
            text: "Unreleased".to_owned(),
            prefix: String::new(),
            release: true,
            dated: false,
            pulled: None,
            unreleased: true,
        });
    };
    // A sentence that happens to hold a version is no version heading.
    let before = plain.get(..start)?;
    let is_range = start < span.start && only_of(before, &RANGE_WORDS);
    let before = if is_range {
        before
    } else {
        plain.get(..span.start)?
    };
    let after = plain.get(span.end..)?;
    let dated_before = date::find(before).is_some();
    let dated = dated_before || date::find(after).is_some();
    let words = before.split_whitespace().count();
    let is_named = only_of(before, &BARE_WORDS);
    let most = if dated_before {
        WORDS_WITH_DATE
    } else if is_named {
        WORDS_WITH_NAME
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
        prefix: if is_range || is_named || matches!(prefix.as_str(), "v" | "version" | "release" | "ver") {
            String::new()
        } else {
            prefix
        },
        release: is_range || version::is_release(&plain, dated),
        dated,
        pulled: marks::pulled("heading", &plain),
        unreleased: is_coming(&lower, dated),
    })
}

/// Whether a text holds no other words than these.
fn only_of(text: &str, words: &[&str]) -> bool {
    let mut all = text.split_whitespace();
    all.all(|word| words.contains(&word.to_lowercase().trim_end_matches([':', ','])))
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
fn says_coming(lower: &str) -> bool {
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

/// The words of a text, with single blanks between them.
fn letters(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the line under a heading says that its version has not come out yet.
fn is_coming_under(heading: &Heading<'_>, lines: &[&str]) -> bool {
    let mut under = lines.iter().skip(heading.body).take(3);
    under
        .find(|line| !line.trim().is_empty())
        .filter(|line| line.chars().count() <= BARE_CHARS && !line.trim_start().starts_with(['-', '+', '#']))
        .is_some_and(|line| !line.trim_start().starts_with("* ") && says_coming(&line.to_lowercase()))
}

/// Whether the headings are the sections of a manual: numbers with titles and without dates, each of which follows from
/// the one before it, `4.9`, `4.9.1`, `4.9.2`, `4.10`.
fn is_manual(versions: &[(Heading<'_>, Title)]) -> bool {
    let numbers: Option<Vec<Vec<u64>>> = versions
        .iter()
        .map(|(heading, title)| {
            let plain = !title.dated && !title.unreleased && version::titles_a_section(heading.text);
            plain.then(|| version::parse(&title.text)?.section()).flatten()
        })
        .collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() >= 3) else {
        return false;
    };
    let mut deeper = false;
    let follows = numbers.windows(2).all(|pair| {
        let [one, next] = pair else { return false };
        let is_child = next
            .split_last()
            .is_some_and(|(last, above)| *last <= 1 && above == one);
        deeper |= is_child;
        // A chapter has no dot, so its heading is not among these.
        let is_chapter =
            matches!((one.first(), next.as_slice()), (Some(one), [next, 0 | 1]) if *next == one + 1);
        let is_next = next.split_last().is_some_and(|(last, above)| {
            one.get(..above.len()) == Some(above)
                && one.get(above.len()).is_some_and(|before| *last == before + 1)
        });
        is_child || is_chapter || is_next
    });
    follows && deeper
}

/// A version in a short line above the first heading that is higher than all that were read: its heading may have a form
/// that is not known here.
fn higher_above(lines: &[&str], first: usize, versions: &[(Heading<'_>, Title)]) -> Option<String> {
    let highest = versions
        .iter()
        .filter_map(|(_, title)| version::parse(&title.text))
        .max()?;
    let above = lines.get(first.saturating_sub(LINES_ABOVE)..first)?;
    above.iter().find_map(|line| {
        // A sentence names the version of another thing, and a line of code is none of the file's own.
        let is_short = line.chars().count() <= CHARS_ABOVE && !line.trim_end().ends_with('.');
        let is_own = !line.starts_with("    ") && !line.contains("://") && !line.contains('$');
        let span = version::find(line).filter(|_| is_short && is_own)?;
        let named = line.get(span.start..span.end)?;
        version::parse(named)
            .is_some_and(|version| version > highest)
            .then(|| named.to_owned())
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
    for heading in headings(body, false) {
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
