//! A day as an advert writes it.

use freshcontext_contract::chrono::{Datelike as _, NaiveDate};

/// Months by the beginnings of their names, in English, German, French, Italian, Spanish, Portuguese, Dutch and the Nordic
/// languages.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "genn"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "mrz", "maa"],
    &["apr", "avr", "abr"],
    &["may", "mai", "maj", "mei", "mayo", "magg"],
    &["jun", "juin", "giug"],
    &["jul", "juil", "lugl"],
    &["aug", "aoû", "aou", "ago"],
    &["sep", "sett", "setem"],
    &["oct", "okt", "ott", "outub"],
    &["nov"],
    &["dec", "dez", "déc", "dic", "des"],
];

/// A closing day as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Day(NaiveDate),
    /// A month and a day of it.
    WithoutYear(u32, u32),
}

/// The end of a line, on the word before it.
pub(super) const LINE_END: char = '\u{1f}';

/// The next words of a text.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let near: String = text.chars().take(160).collect();
    let near = near.replace('\n', "\u{1f} ");
    let mut words: Vec<String> = Vec::new();
    for word in near.split_whitespace() {
        // `21 st December`: the ending is raised in a page.
        let ordinal = matches!(word, "st" | "nd" | "rd" | "th");
        match words
            .last_mut()
            .filter(|last| ordinal && last.bytes().all(|byte| byte.is_ascii_digit()))
        {
            Some(day) => day.push_str(word),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// A word without the marks around it.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a year may follow this word: the phrase does not end with it. `December.` ends a sentence, `Dec.` does not.
fn goes_on(word: &str) -> bool {
    let month_name =
        |word: &str| bare(word).chars().all(char::is_alphabetic) && bare(word).chars().count() <= 4;
    match word.chars().next_back() {
        Some('.') => {
            month_name(word)
                && !matches!(
                    bare(word),
                    "may" | "june" | "july" | "juni" | "juli" | "mai" | "juin" | "mayo"
                )
        }
        Some(c) => !matches!(c, ')' | ']' | '!' | '?' | ';' | ':' | LINE_END),
        None => true,
    }
}

/// The date that words begin with, and how many of them it takes.
pub(super) fn date_at(words: &[String]) -> Option<(Written, usize)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let bare_at = |at: usize| word(at).map(bare);
    let first = bare_at(0)?;
    if let Some(day) = numeric(first) {
        return Some((Written::Day(day), 1));
    }
    // `15. 10. 2026`
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(month), Some(year)) = (bare_at(1), bare_at(2))
        && words.get(..2)?.iter().all(|word| word.ends_with('.'))
        && [first, month, year].into_iter().all(all_digits)
    {
        let day = ymd(year_of(year)?, month.parse().ok()?, first.parse().ok()?)?;
        return Some((Written::Day(day), 3));
    }
    if let Some((day, month)) = day_and_month(word(0)?) {
        return without_year(month, day, 1);
    }
    // `1st of December 2026`, `December 1, 2026`.
    let of = |at: usize| usize::from(matches!(bare_at(at), Some("of" | "de")));
    let skip = of(1);
    let second = bare_at(1 + skip)?;
    let (month, day, month_first) = match (day_of(first), month_of(second)) {
        (Some(day), Some(month)) => (month, day, false),
        _ => (month_of(first)?, day_of(second)?, true),
    };
    let last = word(1 + skip)?;
    // A full stop behind the day ends the sentence where the day comes last.
    let same_phrase = goes_on(last) && !(month_first && last.ends_with('.'));
    let again = of(2 + skip);
    let next = word(2 + skip + again).filter(|next| same_phrase && !next.starts_with(['(', '[']));
    match next {
        Some(next)
            if bare(next).starts_with(|c: char| c.is_ascii_digit()) && again == 0 && !four_digits(next) =>
        {
            // `1 December 26`, or an hour: a time leaves the day as it is.
            if next.contains(':') {
                without_year(month, day, 2 + skip)
            } else {
                None
            }
        }
        Some(next) if four_digits(next) => {
            let day = ymd(four(bare(next))?, month, day)?;
            Some((Written::Day(day), 3 + skip + again))
        }
        _ => without_year(month, day, 2 + skip),
    }
}

fn four_digits(word: &str) -> bool {
    let word = bare(word);
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day that is in the calendar of a leap year.
fn without_year(month: u32, day: u32, taken: usize) -> Option<(Written, usize)> {
    ymd(2_028, month, day).map(|_| (Written::WithoutYear(month, day), taken))
}

/// `15.12.`: with its second dot, a day and a month.
fn day_and_month(word: &str) -> Option<(u32, u32)> {
    let (day, month) = word
        .trim_end_matches([',', '!', ')', LINE_END])
        .strip_suffix('.')?
        .split_once('.')?;
    let short = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    (short(day) && short(month)).then_some(())?;
    Some((day.parse().ok()?, month.parse().ok()?))
}

/// `2026-12-31`, `31.12.2026`, `31.12.26`, and with slashes or dashes what can be read in one way only.
fn numeric(word: &str) -> Option<NaiveDate> {
    // Of a moment, the day.
    let is_moment = word
        .get(..4)
        .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let word = word.split('t').next().filter(|_| is_moment).unwrap_or(word);
    let mark = ['-', '.', '/'].into_iter().find(|mark| word.contains(*mark))?;
    let parts: Vec<&str> = word.split(mark).filter(|part| !part.is_empty()).collect();
    let [a, b, c] = parts.as_slice() else {
        // `31-dec-2026` has three parts, too.
        return None;
    };
    if let (Some(day), Some(month)) = (day_of(a), month_of(b)) {
        return ymd(year_of(c)?, month, day);
    }
    // `december-30-2026`
    if let (Some(month), Some(day)) = (month_of(a), day_of(b)) {
        return ymd(four(c)?, month, day);
    }
    if [a, b, c]
        .into_iter()
        .any(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    if a.len() == 4 {
        return ymd(a.parse().ok()?, b.parse().ok()?, c.parse().ok()?);
    }
    let (first, second): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
    let year = year_of(c)?;
    // Between dots the day comes first.
    if mark == '.' || first > 12 || first == second {
        ymd(year, second, first)
    } else if second > 12 {
        ymd(year, first, second)
    } else {
        None
    }
}

pub(super) fn ymd(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).filter(|day| (2000..2100).contains(&day.year()))
}

fn year_of(text: &str) -> Option<i32> {
    match text.len() {
        2 => text.parse::<i32>().ok().map(|year| 2000 + year),
        _ => four(text),
    }
}

fn four(text: &str) -> Option<i32> {
    (text.len() == 4).then(|| text.parse().ok()).flatten()
}

fn day_of(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let ending = text.get(digits.len()..)?;
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er") && (1..=2).contains(&digits.len());
    fits.then(|| digits.parse().ok())
        .flatten()
        .filter(|day| (1..=31).contains(day))
}

fn month_of(text: &str) -> Option<u32> {
    if !text.chars().all(char::is_alphabetic) || text.chars().count() > 10 {
        return None;
    }
    let named = |starts: &&[&str]| starts.iter().any(|start| text.starts_with(start));
    let at = MONTHS.iter().position(named)?;
    u32::try_from(at + 1).ok()
}
