//! What a source says about when something was published.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// The evidence for one date. Adapters report evidence; the core crate alone turns it into a
/// confidence: [`Field`](Self::Field) is high, [`PageSignal`](Self::PageSignal) is medium, and the
/// rest is low with no date at all.
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

    /// A date inferred from a signal.
    pub fn signal(what: &'static str, value: impl Into<DateValue>) -> Self {
        Self::PageSignal {
            what: Cow::Borrowed(what),
            value: value.into(),
        }
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
