//! Reading dates: right, or nothing. Sources are read strictly ([`parse_instant`]); callers may write further forms, each of
//! which has one meaning only ([`read_date`]).

mod forms;

use std::borrow::Cow;

use chrono::{
    DateTime, Datelike, FixedOffset, Months, NaiveDate, NaiveTime, TimeDelta, Timelike, Utc, Weekday,
};

pub use forms::{date_of_number, read_date};

/// A date that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed {
    /// The instant; a day, a month and a year count from their first day, 00:00 UTC.
    pub instant: DateTime<Utc>,
    /// How much of it was given.
    pub precision: Precision,
    /// Whether a time of day came without an offset. The instant reads it as UTC; it may be up to 14 hours off.
    pub zoneless: bool,
}

/// What was given of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// A year.
    Year,
    /// A month of a year.
    Month,
    /// A calendar day.
    Day,
    /// A day and a time.
    Instant,
}

impl Parsed {
    /// An instant.
    pub const fn instant(instant: DateTime<Utc>) -> Self {
        Self {
            instant,
            precision: Precision::Instant,
            zoneless: false,
        }
    }

    /// A calendar day.
    pub fn day(day: NaiveDate) -> Self {
        Self::since(day, Precision::Day)
    }

    fn since(first: NaiveDate, precision: Precision) -> Self {
        Self {
            instant: first.and_time(NaiveTime::MIN).and_utc(),
            precision,
            zoneless: false,
        }
    }

    /// What is certain of it: of a time without a zone the day.
    #[must_use]
    pub fn known(self) -> Self {
        if self.zoneless {
            Self::day(self.instant.date_naive())
        } else {
            self
        }
    }

    /// The last millisecond that it may mean.
    pub fn last(&self) -> DateTime<Utc> {
        let next = match self.precision {
            Precision::Instant => return self.instant,
            Precision::Day => self.instant.checked_add_signed(TimeDelta::days(1)),
            Precision::Month => self.instant.checked_add_months(Months::new(1)),
            Precision::Year => self.instant.checked_add_months(Months::new(12)),
        };
        next.map_or(self.instant, |next| next - TimeDelta::milliseconds(1))
    }
}

/// Longest text that can be a date, in bytes.
const LONGEST: usize = 64;

/// Reads RFC 3339, an ISO 8601 date (midnight UTC), ISO date and time (without an offset: UTC; a
/// space may stand for the `T`; offsets as `+02:00`, `+0200` or `+02`), an ISO week date with its
/// day, or RFC 2822. Everything else is `None`: relative words, a year or month alone, slashes,
/// numbers, two-digit years outside RFC 2822, years before 1000 or after 9998.
pub fn parse_instant(text: &str) -> Option<Parsed> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || !text.is_ascii() {
        return None;
    }
    iso(text).or_else(|| rfc2822(text)).filter(is_plausible)
}

/// Whether the year has four digits, and is not the one that stands for no end.
fn is_plausible(parsed: &Parsed) -> bool {
    (1000..9999).contains(&parsed.instant.year())
}

/// A cursor over ASCII text.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// Exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let (head, rest) = self.0.split_at_checked(count)?;
        let number = head.iter().try_fold(0u32, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'))
        })?;
        self.0 = rest;
        Some(number)
    }

    /// One of these bytes.
    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !bytes.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }

    fn done(&self) -> bool {
        self.0.is_empty()
    }
}

fn iso(text: &str) -> Option<Parsed> {
    let mut reader = Reader(text.as_bytes());
    let year = i32::try_from(reader.digits(4)?).ok()?;
    let dashed = reader.one_of(b"-").is_some();
    let day = if dashed && reader.one_of(b"Ww").is_some() {
        let week = reader.digits(2)?;
        reader.one_of(b"-")?;
        let weekday = Weekday::try_from(u8::try_from(reader.digits(1)?.checked_sub(1)?).ok()?).ok()?;
        NaiveDate::from_isoywd_opt(year, week, weekday)?
    } else {
        let month = reader.digits(2)?;
        if dashed {
            reader.one_of(b"-")?;
        }
        NaiveDate::from_ymd_opt(year, month, reader.digits(2)?)?
    };
    if reader.done() {
        // Eight digits alone could as well be a number; the form with dashes cannot.
        return dashed.then(|| Parsed::day(day));
    }
    let separator = reader.one_of(if dashed { b"Tt " } else { b"Tt" })?;
    let time = time(&mut reader, dashed)?;
    let zoneless = reader.0.trim_ascii().is_empty();
    let offset = offset(&mut reader, separator == b' ')?;
    let local = day.and_time(time.clock).checked_add_signed(time.carry)?;
    let instant = local.checked_sub_offset(offset)?.and_utc();
    if time.leap && (instant.num_seconds_from_midnight() != 0 || instant.nanosecond() >= 1_000_000_000) {
        return None; // A leap second happens only before midnight UTC.
    }
    Some(Parsed {
        zoneless,
        ..Parsed::instant(instant)
    })
}

struct Time {
    clock: NaiveTime,
    /// What the clock cannot hold: the end of the day written as 24:00, or a leap second.
    carry: TimeDelta,
    leap: bool,
}

fn time(reader: &mut Reader<'_>, extended: bool) -> Option<Time> {
    let hour = reader.digits(2)?;
    if extended {
        reader.one_of(b":")?;
    }
    let minute = reader.digits(2)?;
    let has_seconds = if extended {
        reader.one_of(b":").is_some()
    } else {
        reader.0.first().is_some_and(u8::is_ascii_digit)
    };
    let mut nanos = 0u32;
    let second = if has_seconds { reader.digits(2)? } else { 0 };
    if has_seconds && reader.one_of(b".,").is_some() {
        let mut scale = 100_000_000u32;
        let mut any = false;
        while let Some(digit) = reader.digits(1) {
            nanos += digit * scale;
            scale /= 10;
            any = true;
        }
        if !any {
            return None;
        }
    }
    let leap = second == 60;
    let midnight = hour == 24 && minute == 0 && second == 0 && nanos == 0;
    let clock = if midnight {
        NaiveTime::MIN
    } else if leap {
        NaiveTime::from_hms_opt(hour, minute, 59)?
    } else {
        NaiveTime::from_hms_nano_opt(hour, minute, second, nanos)?
    };
    let carry = if midnight {
        TimeDelta::days(1)
    } else if leap {
        TimeDelta::seconds(1)
    } else {
        TimeDelta::zero()
    };
    Some(Time { clock, carry, leap })
}

/// `Z`, `±HH:MM`, `±HHMM`, `±HH`, `UTC`, `GMT`, or nothing, which is read as UTC.
fn offset(reader: &mut Reader<'_>, spaced: bool) -> Option<FixedOffset> {
    let utc = FixedOffset::east_opt(0);
    if spaced {
        while reader.one_of(b" ").is_some() {}
    }
    if reader.done() || matches!(reader.0, b"Z" | b"z" | b"UTC" | b"GMT") {
        return utc;
    }
    let sign = if reader.one_of(b"+-")? == b'-' { -1 } else { 1 };
    let hours = reader.digits(2)?;
    let colon = reader.one_of(b":").is_some();
    let minutes = if reader.done() && !colon {
        0
    } else {
        reader.digits(2)?
    };
    if !reader.done() || hours > 23 || minutes > 59 {
        return None;
    }
    FixedOffset::east_opt(sign * i32::try_from(hours * 3600 + minutes * 60).ok()?)
}

/// RFC 2822 with its old zone names. Single-letter zones other than `Z` are refused, since RFC 2822
/// itself says that their use was wrong as often as right; so are three-digit years.
fn rfc2822(text: &str) -> Option<Parsed> {
    let (body, zone) = text.rsplit_once(' ')?;
    let zone = match zone {
        "Z" | "z" | "UTC" | "utc" | "UT" | "GMT" => "+0000",
        letter if letter.len() == 1 => return None,
        other => other,
    };
    if !body
        .split([' ', '-'])
        .any(|part| matches!(part.len(), 2 | 4) && part.bytes().all(|b| b.is_ascii_digit()))
    {
        return None;
    }
    if body
        .split(' ')
        .any(|part| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit()))
    {
        return None;
    }
    let parsed = DateTime::parse_from_rfc2822(&format!("{body} {zone}"))
        .ok()?
        .with_timezone(&Utc);
    // A leap second is kept by chrono as more than a second of nanoseconds.
    let carried = if parsed.nanosecond() >= 1_000_000_000 {
        parsed
            .with_nanosecond(0)?
            .checked_add_signed(TimeDelta::seconds(1))?
    } else {
        parsed
    };
    Some(Parsed::instant(carried))
}

/// A moment as text shows it: without fractions of a second that are zero. Anything else stays as it is.
pub fn short_moment(shown: &str) -> Cow<'_, str> {
    match shown.strip_suffix(".000Z") {
        Some(whole) => Cow::Owned(format!("{whole}Z")),
        None => Cow::Borrowed(shown),
    }
}
