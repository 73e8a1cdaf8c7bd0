//! What a source says about when something was published.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::limits::DATES_APART_H;

/// The evidence for one date. Adapters report evidence; the core crate alone turns it into a
/// confidence: [`Field`](Self::Field) is high, [`PageSignal`](Self::PageSignal) and
/// [`Disputed`](Self::Disputed) are medium, and the rest is low with no date at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum DateEvidence {
    /// A structured, machine-readable field whose documented meaning is this item's publication.
    Field {
        /// The field's name as the source spells it, for example `created_at_i`.
        name: Cow<'static, str>,
        /// Its value.
        value: DateValue,
    },
    /// Inferred: a visible date, a URL pattern, or a field that only approximates publication
    /// (such as GitHub's `pushed_at`, the last push to any branch).
    PageSignal {
        /// What was seen and how it relates to publication.
        what: Cow<'static, str>,
        /// The date it points to.
        value: DateValue,
    },
    /// A field as above that another field of the same meaning contradicts.
    Disputed {
        /// The field's name as the source spells it.
        name: Cow<'static, str>,
        /// Its value.
        value: DateValue,
        /// The other field and its value, in words for the reader.
        by: String,
    },
    /// Only a year is known. A year is a fact worth showing but not a date.
    YearOnly(i32),
    /// The source gives no date.
    #[default]
    None,
}

impl DateEvidence {
    /// A structured field holding date text exactly as the source wrote it.
    pub fn field(name: &'static str, value: impl Into<DateValue>) -> Self {
        Self::Field {
            name: Cow::Borrowed(name),
            value: value.into(),
        }
    }

    /// As [`field`](Self::field), or [`None`](Self::None) where the source left it out.
    pub fn optional_field(name: &'static str, value: Option<impl Into<DateValue>>) -> Self {
        value.map_or(Self::None, |value| Self::field(name, value))
    }

    /// The same beside another field that says when this item was published: disputed where the two lie more
    /// than [`DATES_APART_H`] apart. What is missing or no date contradicts nothing.
    #[must_use]
    pub fn beside(self, other: &'static str, said: Option<impl Into<DateValue>>) -> Self {
        match (self, said.map(Into::into)) {
            (Self::Field { name, value }, Some(said)) if value.contradicts(&said) => {
                let by = format!("{other} {}", said.words());
                Self::Disputed { name, value, by }
            }
            (same, _) => same,
        }
    }

    /// A date inferred from a signal.
    pub fn signal(what: &'static str, value: impl Into<DateValue>) -> Self {
        Self::PageSignal {
            what: Cow::Borrowed(what),
            value: value.into(),
        }
    }
}

impl DateEvidence {
    /// The text that was seen, whatever its quality; `None` for a year alone.
    pub const fn value(&self) -> Option<&DateValue> {
        match self {
            Self::Field { value, .. } | Self::PageSignal { value, .. } | Self::Disputed { value, .. } => {
                Some(value)
            }
            Self::YearOnly(_) | Self::None => None,
        }
    }

    /// The same as an instant, for putting things in order.
    pub fn instant(&self) -> Option<DateTime<Utc>> {
        self.value()?.instant()
    }
}

/// A date in the form the source gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateValue {
    /// Text to be parsed by the core: RFC 3339, ISO 8601 (without an offset it is read as UTC),
    /// an ISO date, or RFC 2822. Anything else is an invalid date, hence no date.
    Text(String),
    /// Seconds since 1970-01-01T00:00:00Z.
    EpochSeconds(i64),
    /// An instant the adapter computed from documented parts, such as a local time in a known zone.
    Instant(DateTime<Utc>),
    /// A calendar day without a time; it counts from 00:00 UTC.
    Day(NaiveDate),
}

impl DateValue {
    fn contradicts(&self, other: &Self) -> bool {
        let apart = self
            .instant()
            .zip(other.instant())
            .map(|(one, other)| (one - other).abs());
        apart.is_some_and(|apart| apart > TimeDelta::hours(DATES_APART_H))
    }

    /// The instant, where the value plainly is one; a day counts from 00:00 UTC.
    pub fn instant(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::Text(text) => {
                let text = text.trim();
                let day = || Some(text.parse::<NaiveDate>().ok()?.and_time(NaiveTime::MIN));
                let local = || NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok();
                DateTime::parse_from_rfc3339(text)
                    .map(|at| at.to_utc())
                    .ok()
                    .or_else(|| Some(local().or_else(day)?.and_utc()))
            }
            Self::EpochSeconds(seconds) => DateTime::from_timestamp(*seconds, 0),
            Self::Instant(instant) => Some(*instant),
            Self::Day(day) => Some(day.and_time(NaiveTime::MIN).and_utc()),
        }
    }

    /// As it is written for readers.
    fn words(&self) -> String {
        match (self, self.instant()) {
            (Self::Day(day), _) => day.to_string(),
            (Self::Text(text), _) => text.clone(),
            (_, Some(instant)) => instant.to_rfc3339_opts(SecondsFormat::Secs, true),
            (_, None) => String::new(),
        }
    }
}

impl From<String> for DateValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for DateValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for DateValue {
    fn from(seconds: i64) -> Self {
        Self::EpochSeconds(seconds)
    }
}

impl From<DateTime<Utc>> for DateValue {
    fn from(instant: DateTime<Utc>) -> Self {
        Self::Instant(instant)
    }
}

impl From<NaiveDate> for DateValue {
    fn from(day: NaiveDate) -> Self {
        Self::Day(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fields_of_one_meaning_contradict_each_other_beyond_48_hours() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let one = || DateEvidence::field("one", at("2026-11-21T12:00:00Z"));
        for agreeing in [
            "2026-11-20",
            "2026-11-19T12:00:00",
            "2026-11-23T12:00:00Z",
            "soon",
            "",
        ] {
            assert_eq!(one().beside("two", Some(agreeing)), one(), "{agreeing}");
        }
        assert_eq!(one().beside("two", None::<i64>), one());
        let DateEvidence::Disputed { name, by, .. } = one().beside("two", Some(1_795_089_599)) else {
            panic!("not disputed");
        };
        assert_eq!((name.as_ref(), by.as_str()), ("one", "two 2026-11-19T11:59:59Z"));
        let signal = DateEvidence::signal("a sign", at("2026-11-21T12:00:00Z"));
        assert_eq!(signal.clone().beside("two", Some("2003-04-05")), signal);
    }
}
