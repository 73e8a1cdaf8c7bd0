//! Checking any FreshContext response, ours or another's: the level it reaches and every check.
//!
//! Both forms are read: text with one or more envelopes (a composite has several), and JSON (the
//! structured form, a composite's sections, or an MCP tool result holding either or both).

mod envelope;
mod structured;

use std::fmt;

use chrono::{DateTime, Utc};
use freshcontext_detect::inspect;
use serde::Serialize;
use serde_json::Value;

pub use envelope::{Envelope, EnvelopeError, parse_envelope, parse_envelopes};

use crate::date::{Confidence, Precision, is_future, parse_instant};

/// The form that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Text with envelopes.
    Text,
    /// JSON.
    Json,
}

/// The compatibility levels of the specification, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Not a FreshContext response.
    Fail,
    /// Says when it was retrieved, but not reliably how old it is.
    Aware,
    /// A full envelope or the full JSON form.
    Compatible,
    /// Compatible, with a score from decay (or an honest null where there is no date).
    Scored,
}

impl Level {
    /// Stars of the specification: 0..=3.
    pub const fn stars(self) -> u8 {
        match self {
            Self::Fail => 0,
            Self::Aware => 1,
            Self::Compatible => 2,
            Self::Scored => 3,
        }
    }

    /// The level's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Aware => "aware",
            Self::Compatible => "compatible",
            Self::Scored => "scored",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, with its place where there are several: `envelope 2: source`.
    pub name: String,
    /// Whether it holds.
    pub passed: bool,
    /// What was found.
    pub message: String,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The form that was found.
    pub form: Form,
    /// The lowest level among all that was found.
    pub level: Level,
    /// Every check made, in order.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether every check passed and at least the first level is reached.
    pub fn passed(&self) -> bool {
        self.level > Level::Fail && self.checks.iter().all(|check| check.passed)
    }

    /// The checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passed)
    }
}

/// Checks a response. With `now`, a retrieval in the future fails too.
pub fn validate(text_or_json: &str, now: Option<DateTime<Utc>>) -> Report {
    let text = text_or_json.trim_start_matches('\u{feff}').trim();
    let mut book = Book::new(now);
    let form = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => {
            structured::check(&Value::Object(object), &mut book);
            Form::Json
        }
        // A JSON string may hold the text form.
        Ok(Value::String(inner)) => {
            envelope::check(&inner, &mut book);
            Form::Text
        }
        Ok(_) => {
            book.level(Level::Fail);
            book.check("json", Err("is not an object".to_owned()));
            Form::Json
        }
        Err(error) if text.starts_with('{') => {
            book.level(Level::Fail);
            book.check("json", Err(format!("does not parse: {error}")));
            Form::Json
        }
        Err(_) => {
            envelope::check(text, &mut book);
            Form::Text
        }
    };
    Report {
        form,
        level: book.lowest.unwrap_or(Level::Fail),
        checks: book.checks,
    }
}

/// Where checks are written down.
struct Book {
    now: Option<DateTime<Utc>>,
    checks: Vec<Check>,
    lowest: Option<Level>,
    /// Put before every name: which of several envelopes.
    place: String,
}

impl Book {
    fn new(now: Option<DateTime<Utc>>) -> Self {
        Self {
            now,
            checks: Vec::new(),
            lowest: None,
            place: String::new(),
        }
    }

    /// Writes a check down and tells whether it passed.
    fn check(&mut self, name: &str, outcome: Result<String, String>) -> bool {
        let passed = outcome.is_ok();
        let message = outcome.unwrap_or_else(|problem| problem);
        let message = crate::sanitize::clean_error(&message);
        self.checks.push(Check {
            name: format!("{}{name}", self.place),
            passed,
            message,
        });
        passed
    }

    fn level(&mut self, level: Level) {
        self.lowest = Some(self.lowest.map_or(level, |lowest| lowest.min(level)));
    }
}

/// What the two forms have in common, as read from either.
struct Facts<'a> {
    source: Option<&'a str>,
    /// `None` where the date is said to be unknown.
    published: Option<&'a str>,
    retrieved: Option<&'a str>,
    confidence: Option<&'a str>,
    score: Score,
    content: Option<&'a str>,
}

/// What is said about the score.
#[derive(Clone, Copy, PartialEq)]
enum Score {
    /// Nothing.
    Absent,
    /// That there is none.
    Unknown,
    /// A number.
    Number(f64),
    /// Something else.
    Invalid,
}

/// Checks the facts and gives the level.
fn judge(facts: &Facts<'_>, shape_holds: bool, book: &mut Book) -> Level {
    let mut sound = shape_holds;
    sound &= book.check("source", source(facts.source));
    let published = facts.published.map(iso_date);
    sound &= book.check(
        "published",
        match (facts.published, published) {
            (None, _) => Ok("unknown".to_owned()),
            (Some(given), Some(Some(_))) => Ok(given.to_owned()),
            (Some(given), _) => Err(format!("`{given}` is neither an ISO 8601 date nor unknown")),
        },
    );
    let published = published.flatten();
    let retrieved = facts.retrieved.and_then(iso_instant);
    sound &= book.check(
        "retrieved",
        match (facts.retrieved, retrieved) {
            (Some(given), Some(_)) => Ok(given.to_owned()),
            (Some(given), None) => Err(format!(
                "`{given}` is not an ISO 8601 date and time with a time zone"
            )),
            (None, _) => Err("missing".to_owned()),
        },
    );
    let confidence = facts.confidence.and_then(Confidence::parse);
    sound &= book.check(
        "confidence",
        match (facts.confidence, confidence) {
            (Some(given), Some(_)) => Ok(given.to_owned()),
            (Some(given), None) => Err(format!("`{given}` is not high, medium or low")),
            (None, _) => Err("missing".to_owned()),
        },
    );
    if let (Some(retrieved), Some(now)) = (retrieved, book.now) {
        sound &= book.check("retrieved is not in the future", past(retrieved, now));
    }
    if let (Some(published), Some(retrieved)) = (published, retrieved) {
        sound &= book.check("published is not after retrieved", past(published, retrieved));
    }
    if facts.published.is_none() && confidence.is_some() {
        let honest = confidence == Some(Confidence::Low);
        sound &= book.check(
            "no date means low confidence",
            verdict(honest, "low", "the date is unknown"),
        );
    }
    let scored = score(facts, book);
    if let (Some(content), Some(Confidence::High | Confidence::Medium)) = (facts.content, confidence) {
        let found = inspect(content);
        let failure = format!("the content is a failed retrieval: {}", found.reason);
        sound &= book.check(
            "failure is not shown as context",
            verdict(!found.is_sure_failure(), "content", &failure),
        );
    }
    match (sound, retrieved.is_some()) {
        (true, _) if scored => Level::Scored,
        (true, _) => Level::Compatible,
        (false, true) => Level::Aware,
        (false, false) => Level::Fail,
    }
}

/// Whether the response counts as scored.
fn score(facts: &Facts<'_>, book: &mut Book) -> bool {
    match (facts.score, facts.published) {
        (Score::Absent, _) => false,
        (Score::Unknown, Some(_)) => {
            book.check("score", Ok("unknown although there is a date".to_owned()));
            false
        }
        (Score::Unknown, None) => book.check("score", Ok("unknown, as there is no date".to_owned())),
        (Score::Number(_), None) => book.check("score", Err("a score without a date".to_owned())),
        (Score::Number(score), Some(_)) => {
            let outcome = if (0.0..=100.0).contains(&score) {
                Ok(score.to_string())
            } else {
                Err(format!("{score} is not within 0 and 100"))
            };
            book.check("score", outcome)
        }
        (Score::Invalid, _) => book.check("score", Err("neither a number nor unknown".to_owned())),
    }
}

fn verdict(holds: bool, good: &str, bad: &str) -> Result<String, String> {
    if holds {
        Ok(good.to_owned())
    } else {
        Err(bad.to_owned())
    }
}

fn source(given: Option<&str>) -> Result<String, String> {
    match given {
        Some(address) if crate::answer::is_absolute_http(address) => Ok(address.to_owned()),
        Some(address) => Err(format!("`{address}` is not an absolute http(s) address")),
        None => Err("missing".to_owned()),
    }
}

fn past(instant: DateTime<Utc>, reference: DateTime<Utc>) -> Result<String, String> {
    verdict(
        !is_future(instant, reference),
        "holds",
        "more than five minutes later",
    )
}

/// An ISO 8601 date or date and time.
fn iso_date(text: &str) -> Option<DateTime<Utc>> {
    let iso =
        text.as_bytes().get(4) == Some(&b'-') && (text.len() == 10 || text.as_bytes().get(10) == Some(&b'T'));
    parse_instant(text)
        .filter(|_| iso && text == text.trim())
        .map(|parsed| parsed.instant)
}

/// An ISO 8601 date and time with its time zone.
fn iso_instant(text: &str) -> Option<DateTime<Utc>> {
    let zoned = text
        .split_once('T')
        .is_some_and(|(_, time)| time.contains(['Z', '+', '-']));
    let parsed = parse_instant(text).filter(|parsed| zoned && parsed.precision == Precision::Instant)?;
    iso_date(text).map(|_| parsed.instant)
}

#[cfg(test)]
mod tests;
