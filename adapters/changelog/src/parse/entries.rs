//! Entries of a page of news that have no versions: each has a heading, and its day stands in the heading, in a heading above
//! several entries, or in a line of its own right above or below.

#[cfg(test)]
mod tests;

use freshcontext_contract::DateEvidence;
use freshcontext_contract::chrono::NaiveDate;
use freshcontext_parse::{date, text};

use super::{MAX_RELEASES, Release, markdown};

/// Most words of a heading that is hardly more than a date.
const DATE_WORDS: usize = 6;
/// Longest title of an entry, in characters.
const TITLE_CHARS: usize = 200;
/// Longest notes of an entry, in bytes.
const NOTES_BYTES: usize = 20_000;
/// Fewest entries of a list.
const FEWEST: usize = 2;

/// Names of the parts of a release.
const SECTIONS: [&str; 13] = [
    "added",
    "bug fixes",
    "bugfixes",
    "changed",
    "changes",
    "deprecated",
    "features",
    "fixed",
    "fixes",
    "improvements",
    "new",
    "removed",
    "security",
];

/// Where the days of the entries stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Above,
    Below,
    Within,
    /// In a line of its own, where the entries have no headings.
    Alone,
}

/// A line of the outline: its text, and whether it is a heading.
struct Line<'o> {
    text: &'o str,
    is_heading: bool,
}

/// The entries of a page's outline, in its order; none where fewer than two have a day. Lines beside headings date entries only
/// where the page is `named` a list of news: elsewhere, a date under a heading is anything's.
pub fn read(outline: &str, named: bool) -> Vec<Release> {
    let headed = headed(outline, named);
    if !headed.is_empty() || !named {
        return headed;
    }
    let lines = lines(outline);
    let headings = lines.iter().filter(|line| line.is_heading).count();
    if headings >= FEWEST {
        return Vec::new();
    }
    Some(entries(&lines, Place::Alone))
        .filter(|alone| alone.len() >= FEWEST)
        .unwrap_or_default()
}

/// The entries that have headings. In a file, lines of dates alone are those of commits as often.
pub fn headed(outline: &str, named: bool) -> Vec<Release> {
    let grouped = grouped(outline);
    let are_sections = || grouped.iter().all(|entry| is_section(&entry.title));
    if !named || grouped.len() >= FEWEST && !are_sections() {
        return grouped;
    }
    let lines = lines(outline);
    let counts =
        [Place::Above, Place::Below, Place::Within].map(|place| (captioned(&lines, place).count(), place));
    let most = counts.iter().map(|(count, _)| *count).max().unwrap_or_default();
    let mut best = counts
        .iter()
        .filter(|(count, _)| *count == most)
        .map(|(_, place)| *place);
    // Where each line of a date stands between two headings, nothing shows to which it belongs.
    match (best.next(), best.next()) {
        (Some(place), None) if most >= FEWEST => entries(&lines, place),
        _ => Vec::new(),
    }
}

/// The lines of an outline that hold something.
fn lines(outline: &str) -> Vec<Line<'_>> {
    outline
        .lines()
        .map(|line| match line.strip_prefix("## ") {
            Some(heading) => Line {
                text: heading.trim(),
                is_heading: true,
            },
            None => Line {
                text: line.trim(),
                is_heading: false,
            },
        })
        .filter(|line| !line.text.is_empty())
        .take(markdown::MAX_LINES)
        .collect()
}

/// Whether a heading names a part of a release (<https://keepachangelog.com/en/1.1.0/>), and no entry.
fn is_section(title: &str) -> bool {
    let title = title.trim_end_matches(':').to_lowercase();
    SECTIONS.contains(&title.as_str())
}

/// The headings of entries with their days: where the heading stands, and the day.
fn captioned<'l>(lines: &'l [Line<'_>], place: Place) -> impl Iterator<Item = (usize, NaiveDate)> + 'l {
    let beside = |at: Option<usize>| {
        let line = lines.get(at?).filter(|line| !line.is_heading)?;
        markdown::day_of_line(line.text)
    };
    lines.iter().enumerate().filter_map(move |(at, line)| {
        let day = match place {
            Place::Alone => beside(Some(at)),
            _ if !line.is_heading => None,
            Place::Above => beside(at.checked_sub(1)),
            Place::Below => beside(at.checked_add(1)),
            Place::Within => markdown::day_in(line.text),
        };
        day.map(|day| (at, day))
    })
}

fn entries(lines: &[Line<'_>], place: Place) -> Vec<Release> {
    let starts: Vec<(usize, NaiveDate)> = captioned(lines, place).take(MAX_RELEASES + 1).collect();
    let said = match place {
        Place::Above => "date above the entry's heading",
        Place::Below => "date below the entry's heading",
        Place::Within => "date in the entry's heading",
        Place::Alone => "date line above the entry",
    };
    let ends = starts.iter().skip(1).map(|(at, _)| match place {
        Place::Above => at.saturating_sub(1),
        Place::Below | Place::Within | Place::Alone => *at,
    });
    let ends = ends.chain([lines.len()]);
    let entries = starts.iter().zip(ends).take(MAX_RELEASES);
    entries
        .map(|((at, day), end)| {
            let from = at + if place == Place::Below { 2 } else { 1 };
            let mut notes = String::new();
            for line in lines.get(from..end).unwrap_or_default() {
                if notes.len() > NOTES_BYTES {
                    break;
                }
                // Items of a list follow each other; anything else is a paragraph.
                if !line.text.starts_with("- ") && !notes.is_empty() {
                    notes.push('\n');
                }
                notes.push_str(line.text);
                notes.push('\n');
            }
            let heading = lines.get(*at).map_or("", |line| line.text);
            entry(heading, said, *day, &notes)
        })
        .collect()
}

fn entry(title: &str, said: &'static str, day: NaiveDate, notes: &str) -> Release {
    Release {
        title: text::clip(title, TITLE_CHARS),
        date: DateEvidence::signal(said, day),
        notes: text::paragraphs(notes),
        ..Release::default()
    }
}

/// Entries under headings that are dates, as on a blog's front page.
fn grouped(outline: &str) -> Vec<Release> {
    let mut releases: Vec<(String, NaiveDate, String)> = Vec::new();
    let mut day = None;
    let mut headings = 0;
    for line in outline.lines() {
        let Some(heading) = line
            .strip_prefix("## ")
            .map(str::trim)
            .filter(|heading| !heading.is_empty())
        else {
            if let Some((_, _, notes)) = releases.last_mut().filter(|_| day.is_some())
                && notes.len() < NOTES_BYTES
            {
                notes.push_str(line);
                notes.push('\n');
            }
            continue;
        };
        let found = date::find(heading).and_then(|found| found.day(None));
        if let Some(found) = found.filter(|_| heading.split_whitespace().count() <= DATE_WORDS) {
            day = Some(found);
            headings += 1;
        } else if let Some(day) = day {
            if releases.len() >= MAX_RELEASES {
                break;
            }
            releases.push((heading.to_owned(), day, String::new()));
        }
    }
    if headings < FEWEST {
        return Vec::new();
    }
    let entry = |(title, day, notes): (String, NaiveDate, String)| {
        entry(&title, "date heading above the entry", day, &notes)
    };
    releases.into_iter().map(entry).collect()
}
