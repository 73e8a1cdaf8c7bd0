//! One item of an answer, clean, bounded, dated and scored.

use chrono::{DateTime, Utc};
use freshcontext_contract::{DateEvidence, DateValue, Item};
use freshcontext_origins::View;
use serde_json::{Map, Value};

use super::MAX_CONTENT_CHARS;
use crate::address;
use crate::date::{Resolved, parse_instant, relative, short_moment};
use crate::decay;
use crate::origins::{Facts, of_item};
use crate::sanitize::{Counts, Form, clean_counted, clean_line, cut, cut_marked};
use crate::standing::{Standing, resolve};

const TITLE_CHARS: usize = 300;
const ID_CHARS: usize = 200;
const KEY_CHARS: usize = 60;
const FIELD_CHARS: usize = 1_000;
const FIELD_ENTRIES: usize = 60;
const FIELD_DEPTH: usize = 6;
/// Longest moment in ISO 8601, in bytes: nanoseconds and a numeric zone.
const LONGEST_DATE: usize = 35;

/// An item as it is shown. Built by [`score`](super::score) only.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredItem {
    /// Stable id within the source.
    pub id: Option<String>,
    /// One line.
    pub title: String,
    /// Absolute http(s) address of its page.
    pub url: Option<String>,
    /// When it was published, and how far that can be relied on.
    pub date: Resolved,
    /// How old it was at its retrieval, in words.
    pub age: Option<String>,
    /// Its own score, 0..=100; none where it is void.
    pub score: Option<u8>,
    /// Its text.
    pub summary: String,
    /// SHA-256 of the whole text in hexadecimal, of which `summary` may be the beginning.
    pub text_hash: Option<String>,
    /// The source's own facts.
    pub fields: Map<String, Value>,
    /// Whether it still stands, where its source says that it does not, or with a reservation.
    pub standing: Option<Box<Standing>>,
    /// How far its date can be relied on, in words, where the answer does not say it of all dates.
    pub(super) certainty: Option<&'static str>,
    /// Whether the list says once which fact its dates come from, and how far they can be relied on.
    pub(super) is_told: bool,
    /// When it was retrieved: what the ages of its facts count to.
    pub(super) retrieved_at: DateTime<Utc>,
}

impl ScoredItem {
    /// Cleans and bounds an item whose date is already scored.
    pub(super) fn new(
        item: Item,
        date: Resolved,
        lambda: f64,
        retrieved_at: DateTime<Utc>,
        counts: &mut Counts,
    ) -> Self {
        let mut fields = item.fields;
        *counts += bound_map(&mut fields, 0);
        note_evidence(&item.date, &date, &mut fields);
        let title = line(&item.title, TITLE_CHARS, counts);
        let standing = resolve(&item.standing, retrieved_at).map(Box::new);
        let is_void = standing.as_ref().is_some_and(|standing| standing.is_void());
        let url = item.url.as_deref().and_then(address::canonical);
        // No fact twice.
        fields.retain(|_, value| {
            value
                .as_str()
                .is_none_or(|text| text != title && Some(text) != url.as_deref())
        });
        Self {
            id: item
                .id
                .map(|id| line(&id, ID_CHARS, counts))
                .filter(|id| !id.is_empty()),
            title: if title.is_empty() {
                "(untitled)".to_owned()
            } else {
                title
            },
            url,
            age: date.age(retrieved_at),
            certainty: date.certainty(),
            is_told: false,
            score: date
                .instant
                .filter(|_| !is_void)
                .map(|published| decay::score(lambda, published, retrieved_at)),
            date,
            standing,
            summary: text(&item.summary, counts),
            text_hash: item.text_hash,
            fields,
            retrieved_at,
        }
    }
}

impl ScoredItem {
    /// What tells its origin, as an item of this source.
    pub(crate) fn origin_view(&self, adapter: &'static str) -> View<'_> {
        of_item(
            adapter,
            &Facts {
                title: &self.title,
                url: self.url.as_deref(),
                text: &self.summary,
                date: &self.date,
                fields: &self.fields,
            },
        )
    }
}

/// What the source said instead of a date, or against it, stays visible as a fact.
fn note_evidence(evidence: &DateEvidence, date: &Resolved, fields: &mut Map<String, Value>) {
    if let DateEvidence::Disputed { by, .. } = evidence {
        let by = line(by, FIELD_CHARS, &mut Counts::default());
        fields.insert("date_contradicted_by".to_owned(), by.into());
    }
    if date.instant.is_some() {
        return;
    }
    match evidence {
        DateEvidence::YearOnly(year) if !fields.contains_key("year") => {
            fields.insert("year".to_owned(), (*year).into());
        }
        DateEvidence::Field {
            value: DateValue::Text(given),
            ..
        }
        | DateEvidence::PageSignal {
            value: DateValue::Text(given),
            ..
        } if !given.trim().is_empty() => {
            let given = line(given, KEY_CHARS, &mut Counts::default());
            fields.insert("date_as_given".to_owned(), given.into());
        }
        _ => {}
    }
}

/// A clean line of at most so many characters.
pub(super) fn line(given: &str, chars: usize, counts: &mut Counts) -> String {
    let (cleaned, found) = clean_counted(head(given, chars), Form::Line);
    *counts += found;
    cut_marked(&cleaned, chars).into_owned()
}

/// Clean text without blank lines around it, never longer than an answer can be.
fn text(given: &str, counts: &mut Counts) -> String {
    let (cleaned, found) = clean_counted(head(given, MAX_CONTENT_CHARS), Form::Text);
    *counts += found;
    cut(cleaned.trim(), MAX_CONTENT_CHARS).trim_end().to_owned()
}

/// A generous start of a text, so that a flood is not cleaned only to be cut away.
fn head(given: &str, chars: usize) -> &str {
    let most = chars.saturating_mul(32);
    if given.len() <= most {
        given
    } else {
        given.get(..given.floor_char_boundary(most)).unwrap_or_default()
    }
}

/// Cleans and bounds the facts of an item or of an answer.
pub(super) fn bound_map(fields: &mut Map<String, Value>, depth: usize) -> Counts {
    let mut counts = Counts::default();
    let bounded = std::mem::take(fields)
        .into_iter()
        .take(FIELD_ENTRIES)
        .filter_map(|(key, mut value)| {
            let key = line(&key, KEY_CHARS, &mut counts);
            counts += bound(&mut value, depth + 1);
            (!key.is_empty()).then_some((key, value))
        });
    *fields = bounded.collect();
    counts
}

fn bound(value: &mut Value, depth: usize) -> Counts {
    let mut counts = Counts::default();
    match value {
        Value::String(given) => {
            let (cleaned, found) = clean_counted(head(given, FIELD_CHARS), Form::Text);
            counts += found;
            *given = cut_marked(cleaned.trim(), FIELD_CHARS).into_owned();
        }
        Value::Array(values) if depth < FIELD_DEPTH => {
            values.truncate(FIELD_ENTRIES);
            for value in values {
                counts += bound(value, depth + 1);
            }
        }
        Value::Object(fields) if depth < FIELD_DEPTH => counts += bound_map(fields, depth),
        Value::Array(_) | Value::Object(_) => *value = Value::Null,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    counts
}

/// A fact on one line, as text shows it: a date with its age at that moment, in words.
pub(super) fn show(value: &Value, at: DateTime<Utc>) -> String {
    match value {
        Value::String(text) if is_date(text) => match parse_instant(text) {
            Some(date) => format!("{} ({})", short_moment(text), relative(&date, at)),
            None => clean_line(text).into_owned(),
        },
        Value::String(text) if dated(text).is_some() => {
            let line = clean_line(text);
            let age = dated(&line)
                .and_then(parse_instant)
                .map(|date| relative(&date, at));
            match (age, line.strip_suffix(')')) {
                (Some(age), Some(start)) => format!("{start}, {age})"),
                _ => line.into_owned(),
            }
        }
        Value::String(text) => clean_line(text).into_owned(),
        Value::Array(values) => {
            let shown: Vec<String> = values.iter().map(|value| show(value, at)).collect();
            shown.join(", ")
        }
        Value::Object(fields) => {
            let pairs: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{key} {}", show(value, at)))
                .collect();
            format!("({})", pairs.join(", "))
        }
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => plain(number),
    }
}

/// A number in plain decimal notation, which people read, and not `3.4e-7`; beyond that, as JSON writes it.
fn plain(number: &serde_json::Number) -> String {
    let written = number.to_string();
    if !written.contains('e') {
        return written;
    }
    match number.as_f64() {
        Some(value) if PLAIN.contains(&value.abs()) => value.to_string(),
        _ => written,
    }
}

/// Numbers of at most 25 characters.
const PLAIN: std::ops::Range<f64> = 1e-20..1e21;

/// The date in brackets that a fact ends in: `1.1.0 (2026-11-11)`.
fn dated(text: &str) -> Option<&str> {
    let (_, date) = text.strip_suffix(')')?.rsplit_once('(')?;
    is_date(date).then_some(date)
}

/// Whether a fact is nothing but a date: a day, or a day and a time.
fn is_date(text: &str) -> bool {
    let day = text.get(..10).unwrap_or_default();
    let digits = |place: std::ops::Range<usize>| {
        day.get(place)
            .is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    digits(0..4)
        && digits(5..7)
        && digits(8..10)
        && (text.len() == 10 || (text.get(10..11) == Some("T") && text.len() <= LONGEST_DATE))
}
