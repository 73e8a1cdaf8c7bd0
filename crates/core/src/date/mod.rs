//! Date evidence to an instant and a confidence.
//!
//! A date is never invented: text that cannot be read with certainty gives no date, and the reason is
//! kept for the reader.

mod age;
mod kept;
mod words;

use std::fmt;

use chrono::{DateTime, Datelike, SecondsFormat, TimeDelta, Timelike, Utc};
use freshcontext_contract::limits::{EARLIEST_DAY_START_H, FUTURE_TOLERANCE_S};
use freshcontext_contract::{DateEvidence, DateValue, quoted};
use serde::{Deserialize, Serialize};

pub(crate) use age::age;
pub use age::relative;
pub use freshcontext_contract::moment::{
    Parsed, Precision, date_of_number, parse_instant, read_date, short_moment,
};
pub use kept::{KeptMoment, unknown_time};
pub use words::duration_words;

/// How far a date can be relied on. Ordered: `Low < Medium < High`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// No reliable date.
    Low,
    /// Inferred from a page signal.
    Medium,
    /// A structured field that means publication.
    High,
}

impl Confidence {
    /// `high`, `medium` or `low`, as envelopes write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    /// Reads `high`, `medium` or `low`, exactly as written in an envelope.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "high" => Some(Self::High),
            "medium" => Some(Self::Medium),
            "low" => Some(Self::Low),
            _ => None,
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A judged date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The instant; a day counts from 00:00 UTC.
    pub instant: Option<DateTime<Utc>>,
    /// How it is written: `YYYY-MM-DD` for a day, else `YYYY-MM-DDTHH:MM:SS.sssZ`.
    pub shown: Option<String>,
    /// Low if and only if there is no date.
    pub confidence: Confidence,
    /// Why there is no date although the source gave one, with the source's text.
    pub note: Option<String>,
}

impl Resolved {
    /// No date, and nothing to say about it.
    pub const fn unknown() -> Self {
        Self {
            instant: None,
            shown: None,
            confidence: Confidence::Low,
            note: None,
        }
    }

    fn refused(note: String) -> Self {
        Self {
            note: Some(note),
            ..Self::unknown()
        }
    }

    /// How far it can be relied on, in words that are not taken for those of a score; `None` without a date.
    pub fn certainty(&self) -> Option<&'static str> {
        self.instant.map(|_| match self.confidence {
            Confidence::High => "date certain",
            Confidence::Medium => "date inferred",
            Confidence::Low => "date uncertain",
        })
    }

    /// Whether only the day is known.
    pub fn day_only(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.len() == 10)
    }
}

/// An instant as this server writes it: UTC, milliseconds, `Z`.
pub fn iso_millis(instant: DateTime<Utc>) -> String {
    // Years of four digits are nearly all there are, and chrono's way of writing takes ten times as long.
    four_digit_years(instant).unwrap_or_else(|| instant.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// The same, if the year has four digits and the second is not a leap second.
fn four_digit_years(instant: DateTime<Utc>) -> Option<String> {
    let time = instant.naive_utc();
    let year = u32::try_from(time.year()).ok().filter(|year| *year <= 9_999)?;
    let millis = Some(instant.timestamp_subsec_millis()).filter(|millis| *millis < 1_000)?;
    let mut out = *b"0000-00-00T00:00:00.000Z";
    // The last digit of each number, and the number.
    for (last, mut number) in [
        (3, year),
        (6, time.month()),
        (9, time.day()),
        (12, time.hour()),
        (15, time.minute()),
        (18, time.second()),
        (22, millis),
    ] {
        for digit in out.iter_mut().take(last + 1).rev() {
            if number == 0 {
                break;
            }
            *digit = b'0' + u8::try_from(number % 10).ok()?;
            number /= 10;
        }
    }
    str::from_utf8(&out).ok().map(str::to_owned)
}

/// Whether an instant lies further in the future of `reference` than clocks may differ (5 minutes).
pub fn is_future(instant: DateTime<Utc>, reference: DateTime<Utc>) -> bool {
    instant - reference > TimeDelta::seconds(FUTURE_TOLERANCE_S)
}

/// Whether a date lies in the future of `reference`: an instant as in [`is_future`], a day, a month or a year
/// where it has not begun anywhere.
pub fn lies_ahead(date: &Parsed, reference: DateTime<Utc>) -> bool {
    match date.precision {
        Precision::Instant => is_future(date.instant, reference),
        Precision::Day | Precision::Month | Precision::Year => {
            date.instant - reference > TimeDelta::hours(EARLIEST_DAY_START_H)
        }
    }
}

/// Turns evidence into a date with its confidence. `retrieved_at` is when the bytes left the source.
///
/// Refused, with a note that says why: text that is no date, a year alone, the placeholders that
/// systems write for "no date" (1970-01-01, 1900-01-01, year 1), numbers that are milliseconds in
/// place of seconds or the reverse, and anything in the future: by more than five minutes, or a day that
/// has not begun anywhere.
pub fn resolve(evidence: &DateEvidence, retrieved_at: DateTime<Utc>) -> Resolved {
    let (what, value, confidence) = match evidence {
        DateEvidence::None => return Resolved::unknown(),
        DateEvidence::YearOnly(year) => {
            return Resolved::refused(format!("only the year {year} is known, which is not a date"));
        }
        DateEvidence::Field { name, value } => (name, value, Confidence::High),
        DateEvidence::PageSignal { what: name, value } | DateEvidence::Disputed { name, value, .. } => {
            (name, value, Confidence::Medium)
        }
    };
    let parsed = match read(value) {
        Ok(parsed) => parsed,
        Err(why) => return Resolved::refused(format!("{what}: {why}")),
    };
    if let Some(why) = implausible(parsed.instant) {
        return Resolved::refused(format!("{what}: {} {why}", shown(&parsed)));
    }
    if lies_ahead(&parsed, retrieved_at) {
        return Resolved::refused(format!(
            "{what}: {} lies in the future of the retrieval ({})",
            shown(&parsed),
            iso_millis(retrieved_at)
        ));
    }
    Resolved {
        shown: Some(shown(&parsed)),
        instant: Some(parsed.instant),
        confidence,
        note: None,
    }
}

/// The newest second that can still be seconds: beyond it (the year 5138) a number is milliseconds.
const LAST_PLAUSIBLE_SECOND: u64 = 99_999_999_999;

/// Seconds below this are taken for none: a number of milliseconds that was divided twice lies in January 1970.
const FIRST_PLAUSIBLE_SECOND: i64 = 31 * 86_400;

/// The date in a value of a source's, or why it is none.
pub(crate) fn read(value: &DateValue) -> Result<Parsed, String> {
    match value {
        // A time without a zone may be up to 14 hours off: only its day is known.
        DateValue::Text(text) => parse_instant(text).map(Parsed::known).ok_or_else(|| {
            let given = crate::sanitize::clean_line(text);
            let given = crate::sanitize::cut(&given, 60);
            if given.is_empty() {
                "is empty".to_owned()
            } else {
                format!("{} is not a date", quoted(given))
            }
        }),
        DateValue::EpochSeconds(seconds) if seconds.unsigned_abs() > LAST_PLAUSIBLE_SECOND => {
            Err(format!("{seconds} is not a number of seconds (milliseconds?)"))
        }
        DateValue::EpochSeconds(seconds) if *seconds <= 0 => {
            Err(format!("{seconds} seconds since 1970 stands for no date"))
        }
        DateValue::EpochSeconds(seconds) if *seconds < FIRST_PLAUSIBLE_SECOND => Err(format!(
            "{seconds} seconds since 1970 stands for no date (thousands of seconds?)"
        )),
        DateValue::EpochSeconds(seconds) => DateTime::from_timestamp(*seconds, 0)
            .map(Parsed::instant)
            .ok_or_else(|| format!("{seconds} is not a number of seconds")),
        DateValue::Instant(instant) => Ok(Parsed::instant(*instant)),
        DateValue::Day(day) => Ok(Parsed::day(*day)),
    }
}

/// Why an instant cannot be a publication date. Systems write zero values where they have no date:
/// Unix 1970-01-01, SQL and spreadsheets around 1900-01-01, .NET 0001-01-01.
pub(crate) fn implausible(instant: DateTime<Utc>) -> Option<&'static str> {
    match (instant.year(), instant.ordinal()) {
        (1970, 1) => Some("stands for no date (1970-01-01 is where clocks begin)"),
        (1899, 364..) | (1900, 1) => Some("stands for no date (a spreadsheet's zero)"),
        (..1000 | 9999.., _) => Some("is not a plausible year"),
        _ => None,
    }
}

/// A date as it is written, with what is known of it and no more.
pub(crate) fn shown(parsed: &Parsed) -> String {
    match parsed.precision {
        Precision::Day => parsed.instant.format("%Y-%m-%d").to_string(),
        Precision::Month => parsed.instant.format("%Y-%m").to_string(),
        Precision::Year => parsed.instant.format("%Y").to_string(),
        Precision::Instant => iso_millis(parsed.instant),
    }
}

#[cfg(test)]
mod tests;
