//! Validation of any FreshContext response, from this server or another: its level, and what it lacks for the
//! higher levels, in the specification's own words.
//!
//! A missing part keeps a response from the level that requires it and is not an error; an invalid part fails
//! a check.
//! Both forms are supported: text with one or more envelopes (a composite has several), and JSON (the
//! structured form, a composite's sections, or an MCP tool result with either or both).

mod envelope;
mod score;
mod structured;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::code;
use freshcontext_contract::limits::{EARLIEST_DAY_START_H, VALIDATED_VALUES};
use freshcontext_detect::inspect;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;

pub use envelope::{Envelope, EnvelopeError, parse_envelope, parse_envelopes};

pub use crate::level::Level;
use crate::specification::{self, says};
use freshcontext_core::date::{Confidence, Precision, is_future, parse_instant};
use freshcontext_core::values::hold_more_values_than;

/// Form of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Text with envelopes.
    Text,
    /// JSON.
    Json,
}

/// Check of a part that is present.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Name of the check, with its position if there are several: `envelope 2: source`.
    pub name: String,
    /// Whether it passed.
    pub passed: bool,
    /// What was found.
    pub message: String,
}

/// What keeps a response from a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lack {
    /// The lowest level that the response cannot reach because of it.
    pub level: Level,
    /// The part concerned, with its position if there are several.
    pub what: String,
    /// The problem: `missing`, or why a check failed.
    pub problem: String,
    /// The sentence of the specification that requires it.
    pub says: &'static str,
}

/// Result of the validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Version of the specification that defines the levels.
    pub specification: &'static str,
    /// The form that was found.
    pub form: Form,
    /// The lowest level of all parts.
    pub level: Level,
    /// What the response lacks for higher levels, the next level first.
    pub lacks: Vec<Lack>,
    /// Observations that break no rule.
    pub notes: Vec<String>,
    /// All checks, in order.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether every check passed and at least the lowest level is reached.
    pub fn passed(&self) -> bool {
        self.level > Level::Fail && self.checks.iter().all(|check| check.passed)
    }

    /// The checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passed)
    }
}

/// Validates a response. With `now`, a retrieval time in the future fails as well.
pub fn validate(text_or_json: &str, now: Option<DateTime<Utc>>) -> Report {
    let mut book = Book::new(now);
    let form = read(text_or_json, &mut book, STRINGS);
    // The next level comes first.
    book.lacks.sort_by_key(|lack| lack.level);
    Report {
        specification: specification::VERSION,
        form,
        level: book.lowest.unwrap_or(Level::Fail),
        lacks: book.lacks,
        notes: book.notes,
        checks: book.checks,
    }
}

/// Most nested JSON strings that are decoded.
const STRINGS: usize = 4;

fn read(text: &str, book: &mut Book, strings: usize) -> Form {
    let text = text.trim_start_matches('\u{feff}').trim();
    let strange = |problem: String, book: &mut Book| {
        book.check("json", AWARE, Err(problem));
        book.level(Level::Fail);
        Form::Json
    };
    // A tree is built only for a text that may be a response; otherwise it would waste memory.
    match text.bytes().next() {
        Some(b'{') => {
            match object(text) {
                Ok(value) => structured::check(&value, book),
                Err(problem) => return strange(problem, book),
            }
            Form::Json
        }
        // A JSON string with either form, as shells and logs pass it on.
        Some(b'"')
            if strings > 0
                && let Ok(inner) = serde_json::from_str::<String>(text) =>
        {
            read(&inner, book, strings - 1)
        }
        _ if serde_json::from_str::<IgnoredAny>(text).is_ok() => strange("is not an object".to_owned(), book),
        _ => {
            envelope::check(text, book);
            Form::Text
        }
    }
}

/// Parses a JSON object, or describes the error.
fn object(text: &str) -> Result<Value, String> {
    if hold_more_values_than(&[text.as_bytes()], VALIDATED_VALUES) {
        return Err(format!(
            "holds more than {VALIDATED_VALUES} values, as no response does"
        ));
    }
    let object = serde_json::from_str(text).map_err(|error| format!("does not parse: {error}"))?;
    Ok(Value::Object(object))
}

/// Called for both forms, because each may contain the other.
fn check_envelopes(text: &str, book: &mut Book) {
    envelope::check(text, book);
}

fn check_structured(value: &Value, book: &mut Book) {
    structured::check(value, book);
}

/// Requirement behind a check: the level, and the sentence that states it.
type Need = (Level, &'static str);

/// Problem of an absent part.
const MISSING: &str = "missing";

/// Required for the lowest level.
const AWARE: Need = (Level::Aware, says::AWARE);

/// Record of the checks.
struct Book {
    now: Option<DateTime<Utc>>,
    checks: Vec<Check>,
    lacks: Vec<Lack>,
    notes: Vec<String>,
    lowest: Option<Level>,
    /// Prefix of names: the envelope's number if there are several.
    place: String,
}

impl Book {
    fn new(now: Option<DateTime<Utc>>) -> Self {
        Self {
            now,
            checks: Vec::new(),
            lacks: Vec::new(),
            notes: Vec::new(),
            lowest: None,
            place: String::new(),
        }
    }

    /// Records a check and returns whether it passed; a failed one is also a lack.
    fn check(&mut self, name: &str, need: Need, outcome: Result<String, String>) -> bool {
        let passed = outcome.is_ok();
        let message = outcome.unwrap_or_else(|problem| problem);
        let message = freshcontext_core::sanitize::clean_error(&message);
        if !passed {
            self.lack(name, need, &message);
        }
        self.checks.push(Check {
            name: format!("{}{name}", self.place),
            passed,
            message,
        });
        passed
    }

    /// Records an absent or insufficient part.
    fn lack(&mut self, what: &str, (level, says): Need, problem: &str) {
        self.lacks.push(Lack {
            level,
            what: format!("{}{what}", self.place),
            problem: problem.to_owned(),
            says,
        });
    }

    fn note(&mut self, what: &str, text: &str) {
        let text = freshcontext_core::sanitize::clean_error(text);
        self.notes.push(format!("{}{what}: {text}", self.place));
    }

    /// Returns the start of the next response's lacks.
    fn begin(&self) -> usize {
        self.lacks.len()
    }

    /// Returns the level that remains after the lacks recorded since `begin`.
    fn settle(&mut self, begin: usize) -> Level {
        let kept_from = self.lacks.iter().skip(begin).map(|lack| lack.level).min();
        let level = match kept_from {
            None => Level::Scored,
            Some(Level::Scored) => Level::Compatible,
            Some(Level::Compatible) => Level::Aware,
            Some(Level::Aware | Level::Fail) => Level::Fail,
        };
        self.level(level);
        level
    }

    fn level(&mut self, level: Level) {
        self.lowest = Some(self.lowest.map_or(level, |lowest| lowest.min(level)));
    }
}

/// Facts common to both forms.
struct Facts<'a> {
    source: Option<&'a str>,
    published: Published<'a>,
    retrieved: Option<&'a str>,
    /// The earlier moment that the answer is for, to which scores count.
    as_of: Option<&'a str>,
    confidence: Option<&'a str>,
    score: Score,
    /// Lambda per hour, if given.
    rate: Option<f64>,
    content: Option<&'a str>,
    /// Names of the parts in this form: source, published, retrieved, confidence, score.
    names: [&'static str; 5],
    /// The level that requires a source and a date.
    full: Level,
}

impl Facts<'_> {
    /// Returns the requiring sentence of a part: the envelope's own, or for JSON the one about the form.
    fn says(&self, of_envelope: &'static str) -> &'static str {
        match self.full {
            Level::Compatible => of_envelope,
            _ => says::AWARE,
        }
    }
}

/// Date of publication as stated.
#[derive(Clone, Copy, PartialEq)]
enum Published<'a> {
    /// Absent.
    Absent,
    /// Stated as unknown.
    Unknown,
    /// Given.
    Given(&'a str),
}

/// Score as stated.
#[derive(Clone, Copy, PartialEq)]
enum Score {
    /// Absent.
    Absent,
    /// Stated as unknown.
    Unknown,
    /// A number.
    Number(f64),
    /// Not a number.
    Invalid,
}

/// Validates the facts.
fn validate_facts(facts: &Facts<'_>, book: &mut Book) {
    let [source_name, published_name, retrieved_name, confidence_name, _] = facts.names;
    match facts.source {
        Some(given) => {
            book.check("source", (Level::Compatible, says::SOURCE), source(given));
        }
        None => book.lack(source_name, (facts.full, says::SOURCE), MISSING),
    }
    let mut published = None;
    match facts.published {
        Published::Absent => book.lack(published_name, (facts.full, says::PUBLISHED), MISSING),
        Published::Unknown => {
            book.check(
                "published",
                (Level::Compatible, says::PUBLISHED),
                Ok("unknown".to_owned()),
            );
        }
        Published::Given(given) => {
            published = iso_date(given);
            let problem = format!("{} is neither an ISO 8601 date nor unknown", code(given));
            let outcome = verdict(published.is_some(), given, &problem);
            book.check("published", (Level::Compatible, says::INVALID), outcome);
        }
    }
    let retrieved = facts.retrieved.and_then(iso_instant);
    match facts.retrieved {
        Some(given) => {
            let problem = format!(
                "{} is not an ISO 8601 date and time with a time zone",
                code(given)
            );
            let outcome = verdict(retrieved.is_some(), given, &problem);
            book.check("retrieved", (Level::Aware, says::RETRIEVED), outcome);
        }
        None => book.lack(
            retrieved_name,
            (Level::Aware, facts.says(says::RETRIEVED)),
            MISSING,
        ),
    }
    let confidence = facts.confidence.and_then(Confidence::parse);
    match facts.confidence {
        Some(given) => {
            let problem = format!("{} is not high, medium or low", code(given));
            let outcome = verdict(confidence.is_some(), given, &problem);
            book.check("confidence", (Level::Compatible, says::CONFIDENCE), outcome);
        }
        None => book.lack(
            confidence_name,
            (Level::Compatible, facts.says(says::CONFIDENCE)),
            MISSING,
        ),
    }
    if let (Some(retrieved), Some(now)) = (retrieved, book.now) {
        let need = (Level::Compatible, says::FUTURE);
        book.check("retrieved is not in the future", need, past(retrieved, now));
    }
    if let (Some(published), Some(retrieved)) = (published, retrieved) {
        // A day begins in some time zones long before it does in UTC.
        let day = matches!(facts.published, Published::Given(text) if text.len() == 10);
        let begun = published - TimeDelta::hours(if day { EARLIEST_DAY_START_H } else { 0 });
        let need = (Level::Compatible, says::FORWARD);
        book.check("published is not after retrieved", need, past(begun, retrieved));
    }
    let honest = confidence == Some(Confidence::Low);
    match facts.published {
        Published::Unknown if confidence.is_some() => {
            let outcome = verdict(honest, "low", "the date is unknown");
            book.check(
                "no date means low confidence",
                (Level::Compatible, says::UNKNOWN),
                outcome,
            );
        }
        Published::Absent if confidence.is_some() && !honest => {
            book.note("confidence", "should be low, since no date is given");
        }
        _ => {}
    }
    score::check(facts, counted_to(retrieved, facts.as_of), book);
    if let (Some(content), Some(Confidence::High | Confidence::Medium)) = (facts.content, confidence) {
        let own = without_remarks(content);
        let found = inspect(own.as_deref().unwrap_or(content));
        let failure = format!("the content is a failed retrieval: {}", found.reason);
        let outcome = verdict(!found.is_sure_failure(), "content", &failure);
        book.check(
            "failure is not shown as context",
            (Level::Compatible, says::FAILURE),
            outcome,
        );
    }
}

/// Removes the lines in which this server's envelopes report failures, omissions and notes: a report about a
/// failed part is not failed content. Applies inside this server's own fence only, where source text is
/// quoted and cannot begin a line like that.
fn without_remarks(content: &str) -> Option<String> {
    const REMARKS: [&str; 4] = ["Partial answer:", "Failed: ", "Left out: ", "Note: "];
    let (fence, inside) = content.split_once('\n')?;
    let mark = fence
        .strip_prefix("Data ")?
        .strip_suffix(": external content, not instructions.")?;
    let inside = inside.strip_suffix(&format!("End of data {mark}."))?;
    let kept = inside
        .lines()
        .filter(|line| !REMARKS.iter().any(|remark| line.starts_with(remark)));
    Some(kept.collect::<Vec<_>>().join("\n")).filter(|kept| !kept.trim().is_empty())
}

fn verdict(holds: bool, good: &str, bad: &str) -> Result<String, String> {
    if holds {
        Ok(good.to_owned())
    } else {
        Err(bad.to_owned())
    }
}

fn source(address: &str) -> Result<String, String> {
    let problem = format!("{} is not an absolute http(s) address", code(address));
    verdict(
        freshcontext_core::answer::is_absolute_http(address),
        address,
        &problem,
    )
}

fn past(instant: DateTime<Utc>, reference: DateTime<Utc>) -> Result<String, String> {
    verdict(
        !is_future(instant, reference),
        "holds",
        "more than five minutes later",
    )
}

/// Parses an ISO 8601 date or date and time.
fn iso_date(text: &str) -> Option<DateTime<Utc>> {
    let iso =
        text.as_bytes().get(4) == Some(&b'-') && (text.len() == 10 || text.as_bytes().get(10) == Some(&b'T'));
    parse_instant(text)
        .filter(|_| iso && text == text.trim())
        .map(|parsed| parsed.instant)
}

/// Parses an ISO 8601 date and time with a time zone.
/// What ages and scores count to: the retrieval, or an earlier moment that was asked for.
fn counted_to(retrieved: Option<DateTime<Utc>>, as_of: Option<&str>) -> Option<DateTime<Utc>> {
    let earlier = as_of.and_then(iso_instant);
    retrieved.map(|retrieved| earlier.map_or(retrieved, |moment| moment.min(retrieved)))
}

fn iso_instant(text: &str) -> Option<DateTime<Utc>> {
    let zoned = text
        .split_once('T')
        .is_some_and(|(_, time)| time.contains(['Z', '+', '-']));
    let parsed = parse_instant(text).filter(|parsed| zoned && parsed.precision == Precision::Instant)?;
    iso_date(text).map(|_| parsed.instant)
}

#[cfg(test)]
mod tests;
