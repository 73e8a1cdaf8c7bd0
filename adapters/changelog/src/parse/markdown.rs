//! Changelog files: Markdown and its relatives. A date counts only in a version's heading or in the line
//! under it; headings in code blocks do not count.

mod dated;
mod directives;
mod heading;
pub mod rows;
mod sift;
#[cfg(test)]
mod tests;
mod title;

use freshcontext_contract::DateEvidence;
use freshcontext_contract::chrono::NaiveDate;
use freshcontext_parse::date::{self, Order};
use freshcontext_parse::text;

use super::{MAX_RELEASES, Release, debian, marks, version};
use dated::{Dated, Meaning, dated};
use heading::{Heading, Lines, headings, is_coming_under, is_rule};
use sift::{drop_sections, drop_strangers, higher_above, is_manual};
use title::{Title, title, without_links};

/// More lines than the longest history has.
pub const MAX_LINES: usize = 100_000;
/// Longest line that is such a heading, in characters.
const BARE_CHARS: usize = 60;
/// Most letters of a line that is nothing but a date.
const DATE_LETTERS: usize = 12;
/// Words that may stand beside the date on such a line, in English, French, German, Spanish, Portuguese, Italian and Dutch.
const PUBLISHING: [&str; 22] = [
    "posted",
    "published",
    "released",
    "date",
    "on",
    "publié",
    "publiée",
    "le",
    "veröffentlicht",
    "erschienen",
    "am",
    "vom",
    "publicado",
    "publicada",
    "lanzado",
    "el",
    "em",
    "pubblicato",
    "il",
    "gepubliceerd",
    "uitgebracht",
    "op",
];
/// What parts a line such as `20 November 2026 · 3 min read`, and its longest form, in characters.
const PARTS: [&str; 4] = ["·", "•", "|", " by "];
const PARTED_CHARS: usize = 90;
/// Longest line with a link that is looked at for a date, in bytes.
const LINK_BYTES: usize = 600;
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

/// Reads a changelog file: as [`read`], and where that finds none, lines of nothing but a version, which in another
/// document are anything.
pub fn read_file(source: &str) -> Document {
    match directives::rewritten(source) {
        Some(source) => read_as(&source, true),
        None => read_as(source, true),
    }
}

/// Reads the headings of a document.
pub fn read(source: &str) -> Document {
    read_as(source, false)
}

fn read_as(source: &str, is_file: bool) -> Document {
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
    let titled = |which| -> Vec<(Heading<'_>, Title)> {
        headings(&lines, which)
            .filter_map(|heading| {
                let title = title(heading.text)?;
                Some((heading, title))
            })
            .take(MAX_RELEASES)
            .collect()
    };
    let mut versions = titled(Lines::Dated);
    // Entries of a list are headings only where the first stands above all others: notes list versions of other things.
    let has_lists = lines
        .iter()
        .any(|line| line.trim_start().starts_with(['-', '*', '+']));
    let listed = if has_lists {
        titled(Lines::Entries)
    } else {
        Vec::new()
    };
    let line =
        |heading: Option<&(Heading<'_>, Title)>| heading.map_or(usize::MAX, |(heading, _)| heading.line);
    let is_heading = |(_, title): &&(Heading<'_>, Title)| title.dated || title.release;
    if line(listed.iter().find(|(_, title)| title.dated)) < line(versions.iter().find(is_heading)) {
        versions = listed;
    } else {
        drop(listed);
    }
    // Marked headings say where the versions are; without any, lines may.
    if is_file && versions.iter().all(|(heading, _)| heading.is_line()) {
        let plain = titled(Lines::Plain);
        if plain.len() > versions.len().max(1) {
            versions = plain;
        }
    }
    drop_sections(&mut versions);
    drop_strangers(&mut versions);
    if is_manual(&versions) {
        versions.clear();
    }
    let spots: Vec<(usize, usize)> = versions
        .iter()
        .map(|(heading, _)| (heading.line, heading.body))
        .collect();
    let dates: Vec<Option<Dated>> = versions
        .iter()
        .map(|(heading, _)| date_of(heading, &lines))
        .collect();
    let above = spots
        .first()
        .and_then(|(line, _)| higher_above(&lines, *line, &versions));
    let order = date::order(dates.iter().flatten().map(|dated| dated.text.as_str()));
    let mut document = Document {
        cut: count > MAX_LINES,
        above,
        releases: Vec::with_capacity(versions.len()),
        ..Document::default()
    };
    for (at, (heading, mut title)) in versions.into_iter().enumerate() {
        let end = spots.get(at + 1).map_or(lines.len(), |(line, _)| *line);
        let body = lines.get(heading.body..end.max(heading.body)).unwrap_or_default();
        let named = dates.get(at).and_then(Option::as_ref);
        let is_coming = match named {
            Some(dated) => dated.meaning == Meaning::Coming,
            None => is_coming_under(&heading, &lines),
        };
        title.unreleased |= is_coming;
        let released = named.filter(|dated| dated.meaning == Meaning::Release);
        let written = released.map(|dated| dated.text.as_str());
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

/// The date that a heading names after its version, else before it; else that of a short line under it. One of another
/// event than the release gives way to a release's.
fn date_of(heading: &Heading<'_>, lines: &[&str]) -> Option<Dated> {
    let before = version::find(heading.text).and_then(|span| heading.text.get(..span.start));
    let named = after_version(heading.text)
        .and_then(dated)
        .or_else(|| before.and_then(dated))
        .or_else(|| dated(&in_link(heading.text)?));
    match named {
        Some(found) if found.meaning == Meaning::Release => Some(found),
        named => {
            let under = date_under(heading, lines, named.is_some());
            under
                .filter(|under| named.is_none() || under.meaning == Meaning::Release)
                .or(named)
        }
    }
}

/// The date of a short line under a heading, which says what it is where `labelled`.
fn date_under(heading: &Heading<'_>, lines: &[&str], labelled: bool) -> Option<Dated> {
    let under = lines
        .iter()
        .skip(heading.body)
        .take(3)
        .find(|line| !line.trim().is_empty())?;
    let is_item = under.trim_start().starts_with(['-', '+', '#']) || under.trim_start().starts_with("* ");
    let plain = plain(under);
    let lower = plain.to_lowercase();
    let words = ["released", "release date", "date:", "published"];
    if plain.chars().count() <= BARE_CHARS && words.iter().any(|words| lower.contains(words)) {
        return dated(&plain);
    }
    (!is_item && !labelled).then(|| short_date(&plain)).flatten()
}

fn plain(line: &str) -> String {
    without_links(&line.replace(['*', '_', '`'], ""))
}

/// The date of a line, or of the one part of it, that is hardly more than a date.
fn short_date(plain: &str) -> Option<Dated> {
    let is_own = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !dated::is_weekday(&word) && !PUBLISHING.contains(&word.as_str())
    };
    let of_part = |part: &str| {
        let own = part.split_whitespace().filter(is_own);
        let letters = own.flat_map(str::chars).filter(|c| c.is_alphabetic()).count();
        (letters <= DATE_LETTERS).then(|| dated(part)).flatten()
    };
    let chars = plain.chars().count();
    if chars <= BARE_CHARS
        && let Some(found) = of_part(plain)
    {
        return Some(found);
    }
    let mut parts = vec![plain];
    for mark in PARTS {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).collect();
    }
    let mut found = parts.into_iter().filter_map(of_part);
    let first = found.next().filter(|_| chars <= PARTED_CHARS)?;
    found.next().is_none().then_some(first)
}

/// The day of a line that is hardly more than the date of a publication.
pub fn day_of_line(line: &str) -> Option<NaiveDate> {
    // Most lines are longer or have no figure, and links are longer than what they show.
    let may_be = line.len() <= LINK_BYTES && line.bytes().any(|byte| byte.is_ascii_digit());
    // What begins with a sign is an item, a comment or code.
    let begins = |c: char| c.is_alphanumeric() || matches!(c, '(' | '[' | '*' | '_');
    if !may_be || !line.starts_with(begins) || line.starts_with("* ") {
        return None;
    }
    let found = short_date(&plain(line)).filter(|found| found.meaning == Meaning::Release)?;
    date::find(&found.text)?.day(None)
}

/// The lines of a file with `## ` before each heading, as pages have them.
pub fn outline(source: &str) -> String {
    let lines: Vec<&str> = source.lines().take(MAX_LINES).collect();
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    let mut next = 0;
    for heading in headings(&lines, Lines::Dated).filter(|heading| !heading.is_line()) {
        for line in lines.get(next..heading.line).unwrap_or_default() {
            out.push_str(line);
            out.push('\n');
        }
        out.push_str("## ");
        out.push_str(heading.text);
        out.push('\n');
        next = heading.body;
    }
    for line in lines.get(next..).unwrap_or_default() {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The day that a heading without a version names as that of a publication.
pub fn day_in(heading: &str) -> Option<NaiveDate> {
    let found = dated(heading).filter(|found| found.meaning == Meaning::Release)?;
    date::find(&found.text)?.day(None)
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

/// What stands behind the version in the text of a link: of `[1.2.0 - 2026-11-20](...)` as well as of `[1.2.0](...)`.
fn in_link(heading: &str) -> Option<String> {
    let (_, start) = heading.split_once('[')?;
    let (text, _) = start.split_once("](")?;
    let span = version::find(text)?;
    text.get(span.end..).map(str::to_owned)
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
    for heading in headings(body, Lines::Dated) {
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
