//! What each board answers, read into adverts. Pure.

mod arbeitnow;
mod hackernews;
mod muse;
mod remoteok;
mod remotive;

pub use arbeitnow::arbeitnow;
pub use hackernews::{Thread, hiring_comments, hiring_threads, hiring_tree};
pub use muse::muse;
pub use remoteok::remoteok;
pub use remotive::remotive;

use freshcontext_contract::chrono::{DateTime, NaiveTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, SourceError};
use freshcontext_parse::date;
use freshcontext_parse::json::Lenient;
use serde_json::Value;

use crate::job::Job;

/// What a board answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    /// Its adverts.
    pub jobs: Vec<Job>,
    /// Entries without what an advert needs.
    pub unreadable: usize,
    /// Whether there is a further page.
    pub more: bool,
}

impl Read {
    /// A board's adverts. An answer in which nothing fits is none: an empty board sends no entries at all.
    fn of(adverts: Lenient<Job>, what: &str) -> Result<Self, SourceError> {
        let adverts = adverts.or_none_readable(&format!("{what}: no entry has the documented shape"))?;
        Ok(Self {
            jobs: adverts.items,
            unreadable: adverts.unreadable,
            more: false,
        })
    }
}

/// Date text as a field, with its instant: without an offset it is UTC, and a day begins there.
fn dated(name: &'static str, text: Option<String>) -> (DateEvidence, Option<DateTime<Utc>>) {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return (DateEvidence::None, None);
    };
    // The boards document no zone; their stamps are read as UTC.
    let value = date::in_utc(&text)
        .map(DateValue::Instant)
        .or_else(|| date::machine(&text));
    match value {
        Some(DateValue::Instant(at)) => (DateEvidence::field(name, at), Some(at)),
        // A day counts from its beginning, and against limits in whole days.
        Some(DateValue::Day(day)) => (
            DateEvidence::field(name, DateValue::Day(day)),
            Some(day.and_time(NaiveTime::MIN).and_utc()),
        ),
        _ => (DateEvidence::field(name, text), None),
    }
}

/// Seconds since 1970 as a field; 0 and below are no date.
fn epoch(name: &'static str, seconds: Option<i64>) -> (DateEvidence, Option<DateTime<Utc>>) {
    let at = seconds
        .filter(|seconds| *seconds > 0)
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    (DateEvidence::optional_field(name, at), at)
}

/// An id that is a number in one board and text in the next.
fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Labels, each on one line, without the blank ones.
fn lines(labels: Option<Vec<String>>) -> Vec<String> {
    let labels = labels.unwrap_or_default().into_iter();
    labels.filter_map(|label| line(Some(label))).collect()
}

/// Text on one line, unless there is none.
fn line(text: Option<String>) -> Option<String> {
    text.map(|text| freshcontext_parse::html::to_line(&text))
        .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
