//! Dates in headings, in machine-readable page metadata and in addresses. Nothing is guessed: an ambiguous date gives
//! no date.

use std::fmt;

use chrono::{
    DateTime, Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, Utc,
};
use freshcontext_contract::DateValue;
use freshcontext_contract::limits::{EARLIEST_DAY_START_H, FUTURE_TOLERANCE_S};
use url::Url;

use crate::link::segments;
use crate::text::digits;

/// Months as their languages write them in dates: English, German, French, Spanish, Italian,
/// Portuguese, Dutch, Polish, Russian, Turkish and Swedish. No name means two months: `listopada` is November in Polish and October
/// in Croatian, and none here.
const MONTHS: [&[&str]; 12] = [
    &[
        "january",
        "januar",
        "jänner",
        "janvier",
        "enero",
        "gennaio",
        "janeiro",
        "januari",
        "stycznia",
        "января",
        "ocak",
    ],
    &[
        "february",
        "februar",
        "février",
        "febrero",
        "febbraio",
        "fevereiro",
        "februari",
        "lutego",
        "февраля",
        "şubat",
    ],
    &[
        "march",
        "märz",
        "mars",
        "marzo",
        "março",
        "maart",
        "marca",
        "марта",
        "mart",
    ],
    &["april", "avril", "abril", "aprile", "kwietnia", "апреля", "nisan"],
    &[
        "may", "mai", "mayo", "maggio", "maio", "mei", "maja", "мая", "mayıs", "maj",
    ],
    &[
        "june", "juni", "juin", "junio", "giugno", "junho", "czerwca", "июня", "haziran",
    ],
    &[
        "july", "juli", "juillet", "julio", "luglio", "julho", "lipca", "июля", "temmuz",
    ],
    &[
        "august",
        "août",
        "agosto",
        "augustus",
        "sierpnia",
        "августа",
        "ağustos",
        "augusti",
    ],
    &[
        "september",
        "septembre",
        "septiembre",
        "settembre",
        "setembro",
        "sept",
        "września",
        "сентября",
        "eylül",
    ],
    &[
        "october",
        "oktober",
        "octobre",
        "octubre",
        "ottobre",
        "outubro",
        "października",
        "октября",
        "ekim",
    ],
    &["november", "novembre", "noviembre", "novembro", "ноября", "kasım"],
    &[
        "december",
        "dezember",
        "décembre",
        "diciembre",
        "dicembre",
        "dezembro",
        "grudnia",
        "декабря",
        "aralık",
        "desember",
    ],
];

/// Which number comes first in dates such as `05-06-2020`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The month.
    MonthFirst,
    /// The day.
    DayFirst,
}

/// A date found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A calendar day.
    Day(NaiveDate),
    /// Two numbers that may both be the month, and the year.
    Ambiguous(u32, u32, i32),
}

impl Found {
    /// The day, given the order that the rest of the document shows.
    pub fn day(self, order: Option<Order>) -> Option<NaiveDate> {
        match (self, order) {
            (Self::Day(day), _) => Some(day),
            (Self::Ambiguous(a, b, year), Some(Order::MonthFirst)) => date(year, a, b),
            (Self::Ambiguous(a, b, year), Some(Order::DayFirst)) => date(year, b, a),
            (Self::Ambiguous(a, b, year), None) if a == b => date(year, a, b),
            (Self::Ambiguous(..), None) => None,
        }
    }
}

/// The day and month order of a document with these dates; `None` if they are ambiguous or contradict each other.
pub fn order<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Order> {
    let mut seen = None;
    for text in texts {
        let shown = numeric(text).and_then(|(a, b, _)| match (a > 12, b > 12) {
            (true, false) => Some(Order::DayFirst),
            (false, true) => Some(Order::MonthFirst),
            _ => None,
        });
        match (seen, shown) {
            (None, Some(order)) => seen = Some(order),
            (Some(first), Some(order)) if first != order => return None,
            _ => {}
        }
    }
    seen
}

fn date(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    // Software has no history before that, and a year of four digits is meant.
    (1970..=2100)
        .contains(&year)
        .then(|| NaiveDate::from_ymd_opt(year, month, day))
        .flatten()
}

/// The first whole date in a text.
pub fn find(text: &str) -> Option<Found> {
    if !has_year(text) {
        return None;
    }
    if let Some(day) = year_first(text).or_else(|| with_month_name(text)) {
        return Some(Found::Day(day));
    }
    let (a, b, year) = numeric(text)?;
    match (a > 12, b > 12) {
        (true, true) => None,
        (true, false) => date(year, b, a).map(Found::Day),
        (false, true) => date(year, a, b).map(Found::Day),
        (false, false) => Some(Found::Ambiguous(a, b, year)),
    }
}

/// Whether a text has four digits in a row, without which it names no whole date.
fn has_year(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run == 4
    })
}

/// Runs of digits with what stands before each.
fn numbers(text: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at(start);
        let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        let (number, after) = tail.split_at(end);
        out.push((before, number));
        rest = after;
        if out.len() > 60 {
            break;
        }
    }
    out
}

/// `2024-05-06`, `2024/05/06`, `2024.05.06`, `2024年5月6日`, also with a time behind it.
fn year_first(text: &str) -> Option<NaiveDate> {
    let numbers = numbers(text);
    numbers.windows(3).find_map(|window| {
        let [(before, year), (first, month), (second, day)] = window else {
            return None;
        };
        let joined = matches!(
            (*first, *second),
            ("-", "-")
                | ("/", "/")
                | (".", ".")
                | ("年", "月")
                | (" 年 ", " 月 ")
                | ("년", "월")
                | ("년 ", "월 ")
                | ("‑", "‑")
                | ("–", "–")
        );
        // A fourth part makes it a version.
        let clean = *before != ".";
        (joined && clean && year.len() == 4 && month.len() <= 2 && day.len() <= 2)
            .then(|| date(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
            .flatten()
    })
}

/// `05-15-2020`, `5/6/2020`, `15.05.2020`: two numbers and a year.
fn numeric(text: &str) -> Option<(u32, u32, i32)> {
    let numbers = numbers(text);
    numbers.windows(3).find_map(|window| {
        let [(before, a), (first, b), (second, year)] = window else {
            return None;
        };
        let joined = matches!((*first, *second), ("-", "-") | ("/", "/") | (".", "."));
        if !joined || year.len() != 4 || a.len() > 2 || b.len() > 2 || *before == "." {
            return None;
        }
        let (a, b, year) = (a.parse().ok()?, b.parse().ok()?, year.parse().ok()?);
        let plausible = (1..=31).contains(&a) && (1..=31).contains(&b) && (1970..=2100).contains(&year);
        plausible.then_some((a, b, year))
    })
}

/// `November 27, 2018`, `27 November 2018`, `Nov 27th 2018`, `27. Nov. 2018`, `Nov 27 10:11:12 2018`.
fn with_month_name(text: &str) -> Option<NaiveDate> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| {
            !word.is_empty() && !word.eq_ignore_ascii_case("of") && !word.eq_ignore_ascii_case("de")
        })
        .take(200)
        .map(str::to_lowercase)
        .collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let word_at = |place: Option<usize>| place.and_then(|place| words.get(place));
        let before = word_at(at.checked_sub(1)).and_then(|word| day_number(word));
        let after = word_at(at.checked_add(1)).and_then(|word| day_number(word));
        // A number beside it is found sooner than its name among those of all languages.
        before.or(after)?;
        let month = month(word)?;
        let year_after = |places: usize| {
            words
                .get(at + places)
                .filter(|word| word.len() == 4)
                .and_then(|word| word.parse::<i32>().ok())
        };
        // The C library's form has the time, and `date` a zone, between the day and the year.
        let part = |places: usize| {
            words
                .get(at + places)
                .filter(|word| digits::<u32>(word, 2..=2).is_some())
        };
        let has_time = (2..=4).all(|places| part(places).is_some());
        let zone = words
            .get(at + 5)
            .filter(|zone| zone.bytes().all(|byte| byte.is_ascii_alphabetic()));
        let year = year_after(2)
            .or_else(|| year_after(5).filter(|_| has_time))
            .or_else(|| year_after(6).filter(|_| has_time && zone.is_some()));
        match (after, year, before, year_after(1)) {
            (Some(day), Some(year), _, _) | (_, _, Some(day), Some(year)) => date(year, month, day),
            // `2026 Nov 19`
            (Some(day), None, None, None) => {
                let year = word_at(at.checked_sub(1)).filter(|word| word.len() == 4);
                date(year?.parse().ok()?, month, day)
            }
            _ => None,
        }
    })
}

fn month(word: &str) -> Option<u32> {
    // Short forms are read in English only: three letters fit too much elsewhere.
    let short = |names: &[&str]| {
        (3..=4).contains(&word.len()) && names.first().is_some_and(|english| english.starts_with(word))
    };
    let position = MONTHS
        .iter()
        .position(|names| names.contains(&word) || short(names))?;
    u32::try_from(position + 1).ok()
}

/// A month as a part of an address writes it: by its number, or by its name in lower case.
pub fn month_number(part: &str) -> Option<u32> {
    let digits = (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        return part.parse().ok().filter(|month| (1..=12).contains(month));
    }
    month(part)
}

fn day_number(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..)?;
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er") && (1..=2).contains(&digits.len());
    fits.then(|| digits.parse().ok())
        .flatten()
        .filter(|day| (1..=31).contains(day))
}

/// A date that a page wrote for machines: ISO 8601 in all its lengths down to the day, RFC 2822, or a
/// date-time without seconds. A time without a zone may be up to 14 hours off, so only its day counts.
pub fn machine(text: &str) -> Option<DateValue> {
    let text = text.trim();
    if let Ok(at) = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text)) {
        return Some(DateValue::Instant(at.with_timezone(&Utc)));
    }
    for format in [
        "%Y-%m-%dT%H:%M%#z",
        "%Y-%m-%dT%H:%M:%S%#z",
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%#z",
        "%Y-%m-%d %H:%M:%S %#z",
        "%Y-%m-%dT%H:%M:%S %#z",
        "%Y-%m-%dT%H:%M:%S%.f %#z",
    ] {
        if let Ok(at) = DateTime::parse_from_str(text, format) {
            return Some(DateValue::Instant(at.with_timezone(&Utc)));
        }
    }
    let utc = ["Z", " UTC", " GMT"]
        .iter()
        .find_map(|zone| text.strip_suffix(zone));
    if let Some(utc) = utc {
        return local(utc).map(|at| DateValue::Instant(at.and_utc()));
    }
    day_without_zone(text).map(DateValue::Day)
}

/// The names of zones that stand for one offset (RFC 2822, 4.3).
const ZONES: [&str; 12] = [
    "ut", "utc", "gmt", "z", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt",
];

/// The day of a text that is a day, or a time without a zone, in ISO 8601 or as RFC 2822 writes it. Other names of zones
/// than RFC 2822 has mean several (`IST` is India's, Ireland's and Israel's), so they count as no zone.
pub fn day_without_zone(text: &str) -> Option<NaiveDate> {
    let text = without_zone_name(text.trim());
    let written = |text: &str, format| NaiveDateTime::parse_from_str(text, format).ok();
    // The name of the weekday says nothing more.
    let rest = text
        .split_once(',')
        .filter(|(weekday, _)| weekday.chars().all(char::is_alphabetic))
        .map_or(text, |(_, rest)| rest.trim_start());
    let by_name = || written(rest, "%d %b %Y %H:%M:%S").or_else(|| written(rest, "%d %b %Y %H:%M"));
    // `Fri Nov 20 19:20:36 CET 2026`, as the C library and Java write it, with a zone or without.
    let by_clock = || match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        [weekday, month, day, time, zone @ .., year] if zone.len() <= 1 => {
            let text = format!("{weekday} {month} {day} {time} {year}");
            written(&text, "%a %b %d %H:%M:%S %Y")
        }
        _ => None,
    };
    NaiveDate::parse_from_str(text, "%Y-%m-%d")
        .ok()
        .or_else(|| local(text).or_else(by_name).or_else(by_clock).map(|at| at.date()))
}

/// A text without the name of a zone at its end, where that may mean several offsets.
fn without_zone_name(text: &str) -> &str {
    let Some((time, zone)) = text.rsplit_once(' ') else {
        return text;
    };
    let zone = zone.trim_matches(['(', ')']);
    let is_name = zone.starts_with(|c: char| c.is_ascii_alphabetic())
        && zone
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'_'));
    let is_known = ZONES.contains(&zone.to_ascii_lowercase().as_str());
    if is_name && !is_known {
        time.trim_end()
    } else {
        text
    }
}

/// A date and a time in ISO 8601, without a zone.
fn local(text: &str) -> Option<NaiveDateTime> {
    let formats = [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
    ];
    let mut read = formats
        .iter()
        .map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    read.find_map(|at| at)
}

/// Like [`machine`], but only for an instant. `None` for a day alone, which has no time and must not get one.
pub fn instant(text: &str) -> Option<DateTime<Utc>> {
    match machine(text)? {
        DateValue::Instant(at) => Some(at),
        _ => None,
    }
}

/// Like [`instant`], of a source that documents its times as UTC: there a time without a zone is one, too.
pub fn in_utc(text: &str) -> Option<DateTime<Utc>> {
    instant(text).or_else(|| Some(local(text.trim())?.and_utc()))
}

/// A calendar day, `2026-01-31` and nothing else.
pub fn day(text: &str) -> Option<NaiveDate> {
    (text.len() == 10)
        .then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())
        .flatten()
}

/// A date as text: a day as a day, an instant to the second. `None` beyond years of four digits, which are numbers of
/// another unit.
pub fn shown(value: &DateValue) -> Option<String> {
    let year = value.instant()?.year();
    if !(0..=9_999).contains(&year) {
        return None;
    }
    match value {
        DateValue::Day(day) => Some(day.to_string()),
        DateValue::Instant(at) => Some(at.to_rfc3339_opts(SecondsFormat::Secs, true)),
        _ => None,
    }
}

/// Whether a date lies in the future: an instant by more than clocks differ, a day where it has not begun
/// anywhere.
pub fn lies_ahead(value: &DateValue, now: DateTime<Utc>) -> bool {
    match value {
        DateValue::Instant(at) => *at - now > TimeDelta::seconds(FUTURE_TOLERANCE_S),
        DateValue::Day(day) => {
            day.and_time(NaiveTime::MIN).and_utc() - now > TimeDelta::hours(EARLIEST_DAY_START_H)
        }
        _ => false,
    }
}

/// The date that an address names: what stands there cannot be newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathDate {
    /// `/2024/05/06/title`.
    Day(NaiveDate),
    /// `/2024/05/title`: the month's first day.
    Month(NaiveDate),
}

impl PathDate {
    /// The first day it may mean.
    pub const fn first(self) -> NaiveDate {
        match self {
            Self::Day(day) | Self::Month(day) => day,
        }
    }

    /// The last day it may mean.
    pub fn last(self) -> NaiveDate {
        match self {
            Self::Day(day) => day,
            Self::Month(first) => first
                .checked_add_months(Months::new(1))
                .and_then(|next| next.pred_opt())
                .unwrap_or(first),
        }
    }
}

impl fmt::Display for PathDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Month(first) => write!(f, "{}-{:02}", first.year(), first.month()),
        }
    }
}

/// The day that an address's path names, else the month: `/2024/05/06/title`, `/2024-05-06/title`, `/20240506/title`,
/// `/2024-05/06/title`, `/2024/may/title`, `/news/2024-05/title`. One rule for all sources. Only whole segments count: a day in the words of
/// a title is an event's as often as the page's. Nothing is guessed: where the path holds a date that is none, or may be
/// two, or another address, it names nothing.
pub fn in_address(address: &Url) -> Option<PathDate> {
    let segments = segments(address);
    // The address of a copy (an archive, a translation) holds that of the page, whose date is not its own.
    if segments
        .iter()
        .any(|part| part.ends_with(':') || part.contains("%3A%2F"))
    {
        return None;
    }
    let together = |part: &&str| {
        let (year, rest) = part.split_at_checked(4)?;
        let (month, day) = match rest.strip_prefix('-') {
            Some(rest) => rest.split_once('-')?,
            None => rest.split_at_checked(2)?,
        };
        NaiveDate::from_ymd_opt(path_year(year)?, digits(month, 2..=2)?, digits(day, 2..=2)?)
    };
    if let Some(day) = segments.iter().find_map(together) {
        return Some(PathDate::Day(day));
    }
    let three = segments.windows(3).find_map(|parts| match parts {
        [year, month, day] => Some((path_year(year)?, month_number(month)?, digits::<u32>(day, 1..=2)?)),
        _ => None,
    });
    // `/2024-05/06/title`
    let two = segments.windows(2).find_map(|parts| match parts {
        [first, day] => {
            let (year, month) = first.split_once('-')?;
            Some((
                path_year(year)?,
                digits(month, 2..=2)?,
                digits::<u32>(day, 1..=2)?,
            ))
        }
        _ => None,
    });
    if let Some((year, month, day)) = three.or(two) {
        return NaiveDate::from_ymd_opt(year, month, day).map(PathDate::Day);
    }
    // Behind a month stands nothing or a word; a number would be a day, a wrong one too, or make it something else.
    let month = |year: &str, month: &str, next: &str| {
        let is_number = next.starts_with(|c: char| c.is_ascii_digit());
        let month = month_number(month).filter(|_| !is_number)?;
        NaiveDate::from_ymd_opt(path_year(year)?, month, 1)
    };
    let apart = || {
        let mut after = segments.iter().copied().skip(2);
        segments.windows(2).find_map(|pair| match pair {
            [first, second] => month(first, second, after.next().unwrap_or_default()),
            _ => None,
        })
    };
    let joined = |part: &&str| {
        // `2019-4` is the fourth issue of a year as often as its April.
        part.split_once('-')
            .filter(|(_, rest)| rest.len() > 1)
            .and_then(|(year, rest)| month(year, rest, ""))
    };
    let found = apart().or_else(|| segments.iter().find_map(joined));
    found.map(PathDate::Month)
}

fn path_year(text: &str) -> Option<i32> {
    digits(text, 4..=4).filter(|year| (1990..=2100).contains(year))
}

#[cfg(test)]
mod tests;
