//! The date that a heading or the line under it names, and what the words around it make of that date.

#[cfg(test)]
mod tests;
mod words;

use freshcontext_contract::chrono::{Datelike as _, NaiveDate};
use freshcontext_parse::date::{self, Found};
use freshcontext_parse::text::digits;

use words::{COMING, FILLERS, OTHER};

/// Most words between them, and most words of a text that are looked at.
const MOST_FILLERS: usize = 4;
const WORDS: usize = 80;
/// Most words of a date.
const DATE_WORDS: usize = 7;

/// The mark around what is struck out: `~~1.0.5 - 2026-03-05~~ [YANKED]`.
pub(super) const STRUCK: &str = "~~";

/// What the words around a date make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The day of the release.
    Release,
    /// A plan.
    Coming,
    /// The day of another event, such as the end of support.
    Other,
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dated {
    /// The date, without the words around it.
    pub text: String,
    pub meaning: Meaning,
}

/// The first date that no word makes another thing's; else the first date. The text holds no version.
pub(super) fn dated(text: &str) -> Option<Dated> {
    // Most texts have none, and a look at the whole is quick.
    find(text)?;
    let words = words_of(text);
    let mut first: Option<Dated> = None;
    let mut at = 0;
    while at < words.len() {
        let Some((end, text)) = date_at(&words, at) else {
            at += 1;
            continue;
        };
        let found = Dated {
            meaning: meaning(&words, at, end),
            text,
        };
        if found.meaning == Meaning::Release {
            return Some(found);
        }
        first = first.or(Some(found));
        at = end;
    }
    first
}

/// The first date in a heading: also `(20261120)`, which only brackets make one.
pub(super) fn find(text: &str) -> Option<Found> {
    let compact = || {
        text.split(['(', '['])
            .skip(1)
            .filter_map(|part| part.split([')', ']']).next())
            .find_map(compact_day)
    };
    date::find(text).or_else(|| compact().map(Found::Day))
}

/// Whether a text is nothing but words of a plan: `planned`, `expected release date`.
pub(super) fn is_plan(text: &str) -> bool {
    let words = letters(&text.to_lowercase());
    is_phrase(&words.split(' ').collect::<Vec<_>>(), &COMING)
}

/// `20261120`.
fn compact_day(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let part = |from: usize, to: usize| digits::<u32>(text.get(from..to)?, 2..=4);
    if text.len() != 8 {
        return None;
    }
    let year = i32::try_from(part(0, 4)?).ok()?;
    let day = NaiveDate::from_ymd_opt(year, part(4, 6)?, part(6, 8)?)?;
    (1970..=2100).contains(&day.year()).then_some(day)
}

/// The words of a text and its marks, each for itself. What stands in quotes is a name.
fn words_of(text: &str) -> Vec<String> {
    // What is struck out is no estimate.
    let text = text.replace(STRUCK, " ");
    let mut out = String::with_capacity(text.len() + 16);
    let mut quoted = false;
    let (mut before, mut rest) = (' ', text.chars().peekable());
    while let Some(c) = rest.next() {
        let next = rest.peek().copied().unwrap_or(' ');
        match c {
            '“' => quoted = true,
            '”' => quoted = false,
            '"' => quoted = !quoted && rest.clone().any(|c| c == '"'),
            _ if quoted => {}
            ':' if !(before.is_ascii_digit() && next.is_ascii_digit()) => out.push(' '),
            '~' | '≈' if next.is_ascii_digit() || next == ' ' => out.push_str(" estimated "),
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '|' | '*' | '_' | '`' => {
                out.extend([' ', c, ' ']);
            }
            c => out.push(c),
        }
        before = c;
    }
    let mut words: Vec<String> = Vec::new();
    let mut after_weekday = false;
    for word in out.split_whitespace().take(WORDS) {
        // `Friday, 20 November 2026`
        let is_weekday = is_weekday(&word.to_lowercase());
        if !(is_weekday || after_weekday && word == ",") {
            words.push(word.to_owned());
        }
        after_weekday = is_weekday;
    }
    words
}

fn is_mark(word: &str) -> bool {
    !word.contains(char::is_alphanumeric)
}

/// The date that begins with this word: its end, and the date alone.
fn date_at(words: &[String], at: usize) -> Option<(usize, String)> {
    let first = words.get(at)?;
    if is_mark(first) {
        return None;
    }
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    if before.is_some_and(|before| matches!(before.as_str(), "(" | "["))
        && let Some(day) = compact_day(first)
    {
        return Some((at + 1, day.to_string()));
    }
    let text = |from: usize, to: usize| words.get(from..to).map(|words| words.join(" "));
    (at + 1..=(at + DATE_WORDS).min(words.len())).find_map(|end| {
        let found = text(at, end)?;
        date::find(&found)?;
        // The shortest run of words with a date begins with it.
        let later = text(at + 1, end).and_then(|rest| date::find(&rest));
        later.is_none().then_some((end, found))
    })
}

/// What the words around the date between these two places make of it.
fn meaning(words: &[String], start: usize, end: usize) -> Meaning {
    let clause = |words: &[String]| letters(&words.join(" ").to_lowercase());
    let before = words.get(..start).unwrap_or_default();
    let after = words.get(end..).unwrap_or_default();
    let last_mark = before
        .iter()
        .rposition(|word| is_mark(word))
        .map_or(0, |at| at + 1);
    let own_before = clause(before.get(last_mark..).unwrap_or_default());
    if let Some(meaning) = at_end_of(&own_before) {
        return meaning;
    }
    if words
        .get(end.saturating_sub(1))
        .is_some_and(|word| word.ends_with('?'))
    {
        return Meaning::Coming;
    }
    // The clause right before a date that has no words of its own: `EOL - 2026-11-20`.
    let marks = before.iter().rev().take_while(|word| is_mark(word));
    let closed = marks.clone().any(|mark| matches!(mark.as_str(), ")" | "]"));
    let earlier = before.get(..before.len() - marks.count()).unwrap_or_default();
    let begin = earlier
        .iter()
        .rposition(|word| is_mark(word))
        .map_or(0, |at| at + 1);
    let beside = clause(earlier.get(begin..).unwrap_or_default());
    let split = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let is = |text: &str, list: &[&str]| {
        let words = split(text);
        is_phrase(&words.iter().map(String::as_str).collect::<Vec<_>>(), list)
    };
    if own_before.is_empty() && !closed && is(&beside, &OTHER) {
        return Meaning::Other;
    }
    let own_after = after.split(|word| is_mark(word)).next().map(clause);
    if own_after.is_some_and(|after| is(&after, &OTHER)) {
        return Meaning::Other;
    }
    let mut clauses = before
        .split(|word| is_mark(word))
        .chain(after.split(|word| is_mark(word)));
    if clauses.any(|words| is(&clause(words), &COMING)) {
        return Meaning::Coming;
    }
    Meaning::Release
}

/// What the last words of a clause say of the date behind it, fillers apart.
fn at_end_of(clause: &str) -> Option<Meaning> {
    let mut rest = clause;
    for _ in 0..=MOST_FILLERS {
        let ends = |phrase: &str| {
            rest.strip_suffix(phrase)
                .is_some_and(|before| before.is_empty() || before.ends_with(' '))
        };
        if COMING.iter().any(|phrase| ends(phrase)) {
            return Some(Meaning::Coming);
        }
        if OTHER.iter().any(|phrase| ends(phrase)) {
            return Some(Meaning::Other);
        }
        let (before, last) = rest.rsplit_once(' ').unwrap_or(("", rest));
        if !FILLERS.contains(&last) {
            return None;
        }
        rest = before;
    }
    None
}

/// Whether a word in lower case is an English day of the week.
pub(super) fn is_weekday(word: &str) -> bool {
    let starts = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    starts.iter().any(|day| word.starts_with(day)) && (word.len() == 3 || word.ends_with("day"))
}

/// Whether words, numbers and fillers apart, are one of these phrases.
fn is_phrase(words: &[&str], list: &[&str]) -> bool {
    let words = || {
        words
            .iter()
            .copied()
            .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
    };
    let all: Vec<&str> = words().collect();
    let plain: Vec<&str> = words().filter(|word| !FILLERS.contains(word)).collect();
    list.contains(&all.join(" ").as_str()) || list.contains(&plain.join(" ").as_str())
}

/// The words of a text, with single blanks between them.
pub(super) fn letters(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
