//! Forms of dates that callers write, beyond those of [`parse_instant`](super::parse_instant). None is read of which two
//! readings exist: `03/04/2026` is March or April.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime, Utc, Weekday};

use super::{Parsed, Precision, is_plausible, parse_instant};

/// Longest text that can be a date, in bytes: JavaScript's form, with the name of its zone.
const LONGEST: usize = 100;
/// Seconds since 1970 of a number that counts as such: from 1973 to 5138.
const SECONDS: std::ops::Range<f64> = 1e8..1e11;
/// The same in milliseconds.
const MILLIS: std::ops::Range<f64> = 1e11..1e14;

/// The first year of a date in digits alone: earlier ones are numbers of something else.
const FIRST_YEAR_OF_DIGITS: i32 = 1_900;

/// Reads a date as callers write it: as [`parse_instant`], and
///
/// - RFC 9557 (`2026-11-20T10:00:00+01:00[Europe/Paris]`), RFC 850, asctime, and JavaScript's `Date.toString`;
/// - `November 20, 2026` and `20 November 2026`, also short, with a weekday or a time; `20-Nov-2026`;
/// - `2026/11/20`, `2026.11.20`, `2026-1-5`, `2026:11:20` (Exif), `20261120`, `20261120100000`, `2026-324`, `2026-11-20Z`;
/// - `2026-11`, `November 2026` and `2026`, of which the first day counts;
/// - `/Date(1795168800000)/` and `D:20261120100000Z` (PDF);
/// - seconds or milliseconds since 1970.
///
/// `None` for everything else. A time without a zone is UTC.
pub fn read_date(text: &str) -> Option<Parsed> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    let further = || {
        bracketed(text)
            .or_else(|| digits_alone(text))
            .or_else(|| dot_net(text))
            .or_else(|| pdf(text))
            .or_else(|| zoned_day(text))
            .or_else(|| year_first(text))
            .or_else(|| with_month_name(text))
    };
    parse_instant(text).or_else(further).filter(is_plausible)
}

/// Reads a number as a date: seconds or milliseconds since 1970 from 1973 on, `20261120`, `20261120100000`, or a year.
pub fn date_of_number(number: f64) -> Option<Parsed> {
    /// Beyond, no digits are a calendar date.
    const MOST: f64 = 1e14;
    if number.fract() == 0.0
        && (1e3..MOST).contains(&number)
        && let Some(date) = calendar(&format!("{number:.0}"))
    {
        return Some(date).filter(is_plausible);
    }
    epoch(number).filter(is_plausible)
}

fn epoch(number: f64) -> Option<Parsed> {
    let millis = if SECONDS.contains(&number) {
        number * 1e3
    } else if MILLIS.contains(&number) {
        number
    } else {
        return None;
    };
    #[expect(clippy::cast_possible_truncation, reason = "below 1e14")]
    DateTime::from_timestamp_millis(millis as i64).map(Parsed::instant)
}

/// `2026`, `20261120` and `20261120100000`.
fn calendar(digits: &str) -> Option<Parsed> {
    match digits.len() {
        4 => year(digits.parse().ok()?),
        8 => parse_instant(&format!("{digits}T0000Z"))
            .filter(|at| at.instant.year() >= FIRST_YEAR_OF_DIGITS)
            .map(|at| Parsed::day(at.instant.date_naive())),
        14 => {
            let (day, time) = digits.split_at_checked(8)?;
            // Milliseconds of so many digits are of the year 2286 and later.
            parse_instant(&format!("{day}T{time}Z"))
                .filter(|at| (FIRST_YEAR_OF_DIGITS..2_286).contains(&at.instant.year()))
        }
        _ => None,
    }
}

fn year(year: i32) -> Option<Parsed> {
    Some(Parsed::since(
        NaiveDate::from_ymd_opt(year, 1, 1)?,
        Precision::Year,
    ))
}

fn digits_alone(text: &str) -> Option<Parsed> {
    let mut dots = 0;
    let plain = text.bytes().all(|byte| {
        dots += usize::from(byte == b'.');
        byte.is_ascii_digit() || (byte == b'.' && dots == 1)
    });
    if !plain || text.starts_with('.') || text.ends_with('.') {
        return None;
    }
    calendar(text).or_else(|| epoch(text.parse().ok()?))
}

/// RFC 9557: an instant with its offset, and in brackets what else is known of it. Without an offset the zone's rules
/// would decide.
fn bracketed(text: &str) -> Option<Parsed> {
    let (instant, suffix) = text.split_once('[')?;
    let groups = suffix.strip_suffix(']')?;
    let (_, time) = instant.split_once(['T', 't'])?;
    (time.contains(['Z', 'z', '+', '-']) && groups.is_ascii() && !groups.contains(' '))
        .then(|| parse_instant(instant))?
}

/// `/Date(1795168800000)/`, also with an offset, which only says where it was written, and with its slashes escaped.
fn dot_net(text: &str) -> Option<Parsed> {
    let bare = text.trim_matches(['/', '\\']);
    let inner = bare.strip_prefix("Date(")?.strip_suffix(')')?;
    let end = inner
        .rfind(['+', '-'])
        .filter(|at| *at > 0)
        .unwrap_or(inner.len());
    let millis = inner.get(..end)?.parse::<i64>().ok()?;
    DateTime::from_timestamp_millis(millis).map(Parsed::instant)
}

/// ISO 32000, 7.9.4: `D:20261120100000+01'00'`.
fn pdf(text: &str) -> Option<Parsed> {
    let rest = text.strip_prefix("D:")?.replace('\'', "");
    if rest.len() == 8 {
        return calendar(&rest);
    }
    let (day, time) = rest.split_at_checked(8)?;
    parse_instant(&format!("{day}T{time}"))
}

/// `2026-11-20Z` and `2026-11-20+01:00`, XML Schema's `date`, and `2026-11` or `2026-324`.
fn zoned_day(text: &str) -> Option<Parsed> {
    let digits = |text: &str, count: usize| {
        (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u32>().ok())
            .flatten()
    };
    let (first, rest) = text.split_once('-')?;
    let year = i32::try_from(digits(first, 4)?).ok()?;
    if let Some(month) = digits(rest, 2) {
        return Some(Parsed::since(
            NaiveDate::from_ymd_opt(year, month, 1)?,
            Precision::Month,
        ));
    }
    if let Some(ordinal) = digits(rest, 3) {
        return NaiveDate::from_yo_opt(year, ordinal).map(Parsed::day);
    }
    let (day, zone) = text.split_at_checked(10)?;
    offset(zone)?;
    parse_instant(day).filter(|day| day.precision == Precision::Day)
}

/// `2026/11/20`, `2026.11.20`, `2026-1-5`, `2026:11:20`, `2026年11月20日`, and a time behind it.
fn year_first(text: &str) -> Option<Parsed> {
    let (year, rest) = number(text)?;
    let separator = rest.chars().next().filter(|c| "/.-:年".contains(*c))?;
    let (month, rest) = number(rest.strip_prefix(separator)?)?;
    let (day, rest) = if separator == '年' {
        let (day, rest) = number(rest.strip_prefix('月')?)?;
        (day, rest.strip_prefix('日')?)
    } else {
        number(rest.strip_prefix(separator)?)?
    };
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    let day = NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    if rest.is_empty() {
        return Some(Parsed::day(day));
    }
    let mut words = Words::default();
    for word in rest
        .strip_prefix(['T', ' '])
        .filter(|rest| !rest.is_empty())?
        .split_whitespace()
    {
        words.take_time(word)?;
    }
    words.at(day)
}

/// The digits that a text begins with, and the rest.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at_checked(end))?
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Mon),
    ("tuesday", Weekday::Tue),
    ("wednesday", Weekday::Wed),
    ("thursday", Weekday::Thu),
    ("friday", Weekday::Fri),
    ("saturday", Weekday::Sat),
    ("sunday", Weekday::Sun),
];

/// Whether a word is a name or the beginning of it, of three or four letters.
fn names(word: &str, name: &str) -> bool {
    word == name || ((3..=4).contains(&word.len()) && name.starts_with(word))
}

/// The words of a date with the name of a month in it, in any order in which they have one meaning.
#[derive(Debug, Default)]
struct Words {
    weekday: Option<Weekday>,
    day: Option<u32>,
    month: Option<u32>,
    year: Option<i32>,
    /// Of two digits.
    short_year: Option<i32>,
    time: Option<NaiveTime>,
    afternoon: Option<bool>,
    zone: Option<FixedOffset>,
}

fn with_month_name(text: &str) -> Option<Parsed> {
    // JavaScript names the zone once more.
    let text = match text.split_once(" (") {
        Some((date, name)) if name.ends_with(')') => date,
        _ => text,
    };
    let mut words = Words::default();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        if word.contains('-')
            && word.contains(|c: char| c.is_ascii_alphabetic())
            && words.zone_of(word).is_none()
        {
            // 20-Nov-2026, and 20-Nov-26 in RFC 850.
            let mut parts = word.split('-');
            let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
            if parts.next().is_some() {
                return None;
            }
            words.take(day)?;
            words.take(month)?;
            match year.len() {
                2 => fill(&mut words.short_year, year.parse().ok()?)?,
                _ => words.take(year)?,
            }
        } else {
            words.take(word)?;
        }
    }
    words.read()
}

/// Sets what is not set yet; a second one makes it no date.
fn fill<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.is_none().then(|| *place = Some(value))
}

impl Words {
    fn take(&mut self, word: &str) -> Option<()> {
        let lower = word.trim_end_matches('.').to_ascii_lowercase();
        if matches!(lower.as_str(), "at" | "of" | "the") {
            return Some(());
        }
        if let Some(at) = MONTHS.iter().position(|name| names(&lower, name)) {
            return fill(&mut self.month, u32::try_from(at + 1).ok()?);
        }
        if let Some((_, day)) = WEEKDAYS.iter().find(|(name, _)| names(&lower, name)) {
            return fill(&mut self.weekday, *day);
        }
        let (digits, ending) = number(&lower).unwrap_or(("", &lower));
        match (digits.len(), ending) {
            (4, "") => fill(&mut self.year, digits.parse().ok()?),
            (1 | 2, "" | "st" | "nd" | "rd" | "th") => fill(&mut self.day, digits.parse().ok()?),
            _ => self.take_time(word),
        }
    }

    /// A time of day, `AM`, or a zone.
    fn take_time(&mut self, word: &str) -> Option<()> {
        let lower = word
            .to_ascii_lowercase()
            .replace('.', if word.contains(':') { "." } else { "" });
        if let Some(half) = ["am", "pm"].iter().position(|half| *half == lower) {
            return fill(&mut self.afternoon, half == 1);
        }
        if let Some(zone) = self.zone_of(word) {
            return fill(&mut self.zone, zone);
        }
        let mut clock = lower.as_str();
        for (half, afternoon) in [("am", false), ("pm", true)] {
            if let Some(bare) = clock.strip_suffix(half) {
                fill(&mut self.afternoon, afternoon)?;
                clock = bare;
            }
        }
        let end = clock.find(['z', '+', '-']).unwrap_or(clock.len());
        let (bare, zone) = clock.split_at_checked(end)?;
        if !zone.is_empty() {
            fill(&mut self.zone, offset(zone)?)?;
        }
        let padded = if bare.find(':') == Some(1) {
            format!("0{bare}")
        } else {
            bare.to_owned()
        };
        let time = parse_instant(&format!("2000-01-01T{padded}Z"))?;
        // 24:00 and a leap second are of the next day.
        (time.instant.day() == 1).then_some(())?;
        fill(&mut self.time, time.instant.time())
    }

    /// A zone that stands behind a time.
    fn zone_of(&self, word: &str) -> Option<FixedOffset> {
        self.time.and_then(|_| offset(word))
    }

    fn read(self) -> Option<Parsed> {
        let month = self.month?;
        let Some(number) = self.day else {
            let alone = self.time.is_none() && self.weekday.is_none() && self.zone.is_none();
            let first = NaiveDate::from_ymd_opt(self.year.filter(|_| alone)?, month, 1)?;
            return Some(Parsed::since(first, Precision::Month));
        };
        let of = |year: i32| {
            let day = NaiveDate::from_ymd_opt(year, month, number)?;
            self.weekday
                .is_none_or(|named| named == day.weekday())
                .then_some(day)
        };
        let day = match (self.year, self.short_year) {
            (Some(year), None) => of(year)?,
            // A weekday falls on a date of one of the two centuries only.
            (None, Some(short)) if self.weekday.is_some() => of(2000 + short).or_else(|| of(1900 + short))?,
            _ => return None,
        };
        self.at(day)
    }

    /// That day, at the time that was read.
    fn at(self, day: NaiveDate) -> Option<Parsed> {
        use chrono::Timelike as _;

        let Some(time) = self.time else {
            return (self.afternoon.is_none() && self.zone.is_none()).then(|| Parsed::day(day));
        };
        let time = match self.afternoon {
            None => time,
            Some(_) if !(1..=12).contains(&time.hour()) => return None,
            Some(afternoon) => time.with_hour(time.hour() % 12 + if afternoon { 12 } else { 0 })?,
        };
        let zone = self.zone.map_or_else(|| FixedOffset::east_opt(0), Some)?;
        let utc: DateTime<Utc> = day.and_time(time).checked_sub_offset(zone)?.and_utc();
        Some(Parsed {
            zoneless: self.zone.is_none(),
            ..Parsed::instant(utc)
        })
    }
}

/// `Z`, `UTC`, `GMT`, `+01:00`, `+0100`, `GMT+0100`. Other names of zones mean several.
fn offset(zone: &str) -> Option<FixedOffset> {
    let upper = zone.to_ascii_uppercase();
    let bare = ["UTC", "GMT", "UT", "Z"]
        .iter()
        .find_map(|name| upper.strip_prefix(name))
        .unwrap_or(&upper);
    if bare.is_empty() {
        return FixedOffset::east_opt(0).filter(|_| !zone.is_empty());
    }
    let sign = if bare.starts_with('-') { -1 } else { 1 };
    let digits = bare.strip_prefix(['+', '-'])?.replace(':', "");
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then(|| FixedOffset::east_opt(sign * (hours * 3_600 + minutes * 60)))?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> Option<String> {
        let parsed = read_date(text)?;
        let form = match parsed.precision {
            Precision::Year => "%Y",
            Precision::Month => "%Y-%m",
            Precision::Day => "%Y-%m-%d",
            Precision::Instant => "%Y-%m-%dT%H:%M:%SZ",
        };
        Some(parsed.instant.format(form).to_string())
    }

    #[test]
    fn every_form_of_one_meaning_is_read() {
        for (text, wanted) in [
            ("2026-11-20T10:00:00+01:00[Europe/Paris]", "2026-11-20T09:00:00Z"),
            (
                "2026-11-20T10:00:00Z[Europe/Paris][u-ca=gregory]",
                "2026-11-20T10:00:00Z",
            ),
            ("Friday, 20-Nov-26 10:00:00 GMT", "2026-11-20T10:00:00Z"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Fri Nov 20 10:00:00 2026", "2026-11-20T10:00:00Z"),
            ("Sun Nov  1 10:00:00 2026", "2026-11-01T10:00:00Z"),
            ("Fri Nov 20 10:00:00 UTC 2026", "2026-11-20T10:00:00Z"),
            (
                "Fri Nov 20 2026 10:00:00 GMT+0100 (Central European Standard Time)",
                "2026-11-20T09:00:00Z",
            ),
            ("November 20, 2026", "2026-11-20"),
            ("Nov. 20th, 2026", "2026-11-20"),
            ("Friday, November 20, 2026", "2026-11-20"),
            ("20 November 2026", "2026-11-20"),
            ("20. November 2026", "2026-11-20"),
            ("20 Nov 2026", "2026-11-20"),
            ("20-Nov-2026", "2026-11-20"),
            ("Fri, 20 Nov 2026", "2026-11-20"),
            ("November 20, 2026 at 3:05 PM", "2026-11-20T15:05:00Z"),
            ("Nov 20, 2026, 12:05 a.m.", "2026-11-20T00:05:00Z"),
            ("June 1 2026 10:00", "2026-06-01T10:00:00Z"),
            ("2026/11/20", "2026-11-20"),
            ("2026/11/20 10:00:00", "2026-11-20T10:00:00Z"),
            ("2026/11/20 10:00:00 +0100", "2026-11-20T09:00:00Z"),
            ("2026.11.20", "2026-11-20"),
            ("2026-1-5", "2026-01-05"),
            ("2026:11:20 10:00:00", "2026-11-20T10:00:00Z"),
            ("2026年11月20日", "2026-11-20"),
            ("20261120", "2026-11-20"),
            ("20261120100000", "2026-11-20T10:00:00Z"),
            ("2026-324", "2026-11-20"),
            ("2026-11-20Z", "2026-11-20"),
            ("2026-11-20+01:00", "2026-11-20"),
            ("/Date(1795168800000)/", "2026-11-20T10:00:00Z"),
            ("\\/Date(1795168800000+0100)\\/", "2026-11-20T10:00:00Z"),
            ("D:20261120100000+01'00'", "2026-11-20T09:00:00Z"),
            ("2026", "2026"),
            ("2026-11", "2026-11"),
            ("Nov 2026", "2026-11"),
            ("1795168800", "2026-11-20T10:00:00Z"),
            ("1795168800.25", "2026-11-20T10:00:00Z"),
            ("1795168800000", "2026-11-20T10:00:00Z"),
            ("Fri, 20 Nov 2026 10:00:00 GMT", "2026-11-20T10:00:00Z"),
            (" 2026-11-20 ", "2026-11-20"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(wanted), "{text}");
        }
        for (number, wanted) in [
            (1_795_168_800.0, "2026-11-20T10:00:00+00:00"),
            (1_795_168_800_000.0, "2026-11-20T10:00:00+00:00"),
            (20_261_120.0, "2026-11-20T00:00:00+00:00"),
            (2026.0, "2026-01-01T00:00:00+00:00"),
        ] {
            let read = date_of_number(number).map(|read| read.instant.to_rfc3339());
            assert_eq!(read.as_deref(), Some(wanted), "{number}");
        }
    }

    #[test]
    fn what_may_mean_two_dates_or_none_is_not_read() {
        for text in [
            "",
            "03/04/2026",
            "13/04/2026",
            "20.11.2026",
            "26-11-20",
            "20/11/26",
            "20-Nov-26",
            "Monday, 20-Nov-26 10:00:00 GMT",
            "Mon, 20 Nov 2026",
            "November 31, 2026",
            "2026-02-30",
            "2026/13/01",
            "20261340",
            "November 20",
            "Friday",
            "yesterday",
            "3 days ago",
            "12",
            "0",
            "-1795168800",
            "99999999",
            "v2026.11",
            "2026.11",
            "2026-11-20T10:00:00[Europe/Paris]",
            "Fri Nov 20 10:00:00 CET 2026",
            "November 20, 2026 at 13:05 PM",
            "20 November 2026 and more",
            "20 20 November 2026",
            "0001-01-01",
            "9999-12-31",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
        for number in [0.0, 5.0, -1.0, 1e7, 1e20, f64::NAN, f64::INFINITY, 0.87] {
            assert_eq!(date_of_number(number), None, "{number}");
        }
    }

    #[test]
    fn the_end_of_what_was_given() {
        for (text, wanted) in [
            ("2026", "2026-12-31T23:59:59.999+00:00"),
            ("2024-02", "2024-02-29T23:59:59.999+00:00"),
            ("2026-11-20", "2026-11-20T23:59:59.999+00:00"),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00+00:00"),
        ] {
            assert_eq!(read_date(text).unwrap().last().to_rfc3339(), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_and_number_is_survived(text in "\\PC{0,60}", number: f64) {
            let _ = (read_date(&text), date_of_number(number));
        }

        #[test]
        fn a_day_is_the_same_in_every_form(days in 0..36_000_i64) {
            let day = NaiveDate::from_ymd_opt(1990, 1, 1).unwrap() + chrono::TimeDelta::days(days);
            for form in ["%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%B %d, %Y", "%d %b %Y", "%A, %e %B %Y", "%Y-%j", "%d-%b-%Y"] {
                let text = day.format(form).to_string();
                prop_assert_eq!(read_date(&text), Some(Parsed::day(day)), "{}", text);
            }
        }
    }
}
