//! The text form.

use std::fmt;

use chrono::{DateTime, Utc};
use freshcontext_contract::code;
use serde_json::Value;

use super::{AWARE, Book, Facts, Published, Score, validate_facts, verdict};
use crate::level::Level;
use crate::specification::says;
use freshcontext_core::date::Confidence;
use freshcontext_core::sanitize::{Form, clean_counted};

const OPEN: &str = "[FRESHCONTEXT]";
const CLOSE: &str = "[/FRESHCONTEXT]";
const HEADERS: [&str; 4] = ["Source", "Published", "Retrieved", "Confidence"];
/// Most header lines of an envelope.
const MOST_HEADERS: usize = 64;

/// A valid envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Absolute http(s) URL.
    pub source: String,
    /// ISO 8601 date or date and time, verbatim; `None` for `unknown`.
    pub published: Option<String>,
    /// Time of the retrieval.
    pub retrieved: DateTime<Utc>,
    /// Confidence of the date.
    pub confidence: Confidence,
    /// Further header lines, in order.
    pub extra: Vec<(String, String)>,
    /// Text between the separator and the closing line.
    pub content: String,
}

impl Envelope {
    /// Returns the value of an additional header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.extra
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Why a text is not a valid envelope: the first failed check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeError {
    /// Name of the check.
    pub check: String,
    /// What was found.
    pub message: String,
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.message)
    }
}

impl std::error::Error for EnvelopeError {}

/// Parses the only envelope of a text, strictly.
pub fn parse_envelope(text: &str) -> Result<Envelope, EnvelopeError> {
    let mut all = parse_envelopes(text)?;
    match (all.pop(), all.len()) {
        (Some(envelope), 0) => Ok(envelope),
        (_, others) => Err(EnvelopeError {
            check: "envelope".to_owned(),
            message: if others == 0 {
                "none".to_owned()
            } else {
                format!("{} in one text", others + 1)
            },
        }),
    }
}

/// Parses every envelope of a text, strictly.
pub fn parse_envelopes(text: &str) -> Result<Vec<Envelope>, EnvelopeError> {
    scan(text)
        .into_iter()
        .map(|raw| {
            let mut book = Book::new(None);
            let level = raw.check(&mut book);
            if let Some(failed) = book.checks.into_iter().find(|check| !check.passed) {
                return Err(EnvelopeError {
                    check: failed.name,
                    message: failed.message,
                });
            }
            // A missing line fails no check, but makes the envelope invalid.
            if let Some(lack) = book.lacks.into_iter().find(|lack| lack.level < Level::Scored) {
                return Err(EnvelopeError {
                    check: lack.what,
                    message: lack.problem,
                });
            }
            let broken = || EnvelopeError {
                check: "envelope".to_owned(),
                message: level.to_string(),
            };
            Ok(Envelope {
                source: raw.header("Source").unwrap_or_default().to_owned(),
                published: raw.published().map(str::to_owned),
                retrieved: raw
                    .header("Retrieved")
                    .and_then(super::iso_instant)
                    .ok_or_else(broken)?,
                confidence: raw
                    .header("Confidence")
                    .and_then(Confidence::parse)
                    .ok_or_else(broken)?,
                extra: raw
                    .headers
                    .iter()
                    .skip(HEADERS.len())
                    .filter_map(|line| line.split_once(": "))
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                content: raw.content.to_owned(),
            })
        })
        .collect()
}

/// Checks every envelope of a text.
pub(super) fn check(text: &str, book: &mut Book) {
    let raws = scan(text);
    if raws.is_empty() {
        book.check("envelope", AWARE, Err(format!("no line {OPEN}")));
        book.level(Level::Fail);
        return;
    }
    let several = raws.len() > 1;
    let outer = book.place.clone();
    for (at, raw) in raws.iter().enumerate() {
        if several {
            book.place = format!("{outer}envelope {}: ", at + 1);
        }
        raw.check(book);
    }
    if let Some(json) = json_block(text) {
        book.place = format!("{outer}json block: ");
        match serde_json::from_str::<Value>(json) {
            Ok(value) => super::check_structured(&value, book),
            Err(error) => {
                let begin = book.begin();
                let need = (Level::Compatible, says::SCHEMA);
                book.check("json", need, Err(format!("does not parse: {error}")));
                book.settle(begin);
            }
        }
    }
    book.place = outer;
}

/// Returns the JSON block that some servers append to their envelope.
fn json_block(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\n[FRESHCONTEXT_JSON]\n")?;
    rest.split_once("\n[/FRESHCONTEXT_JSON]").map(|(json, _)| json)
}

/// An unvalidated envelope.
struct Raw<'t> {
    headers: Vec<&'t str>,
    separated: bool,
    content: &'t str,
    closed: bool,
    nested: bool,
}

/// Returns lines without terminators, with the byte offset of each.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (
            at,
            line.strip_suffix('\n')
                .map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)),
        )
    })
}

fn scan(text: &str) -> Vec<Raw<'_>> {
    let mut found = Vec::new();
    let mut current: Option<(Raw<'_>, Option<usize>)> = None;
    for (at, line) in lines(text) {
        let next = at + line.len();
        match (&mut current, line) {
            (None, OPEN) => {
                let raw = Raw {
                    headers: Vec::new(),
                    separated: false,
                    content: "",
                    closed: false,
                    nested: false,
                };
                current = Some((raw, None));
            }
            (Some((raw, begin)), CLOSE) => {
                raw.closed = true;
                let begin = begin.unwrap_or(at).min(at);
                // The line break before the closing line does not belong to the content.
                raw.content = text.get(begin..at).unwrap_or_default();
                raw.content = raw.content.strip_suffix('\n').unwrap_or(raw.content);
                found.extend(current.take().map(|(raw, _)| raw));
            }
            (Some((raw, _)), OPEN) => raw.nested = true,
            (Some((raw, None)), "---") => {
                raw.separated = true;
                let begin = text.get(next..).map_or(next, |rest| next + line_end(rest));
                if let Some((_, start)) = &mut current {
                    *start = Some(begin);
                }
            }
            (Some((raw, None)), header) if raw.headers.len() < MOST_HEADERS => raw.headers.push(header),
            (None | Some(_), _) => {}
        }
    }
    if let Some((mut raw, begin)) = current {
        raw.content = begin.and_then(|begin| text.get(begin..)).unwrap_or_default();
        found.push(raw);
    }
    found
}

fn line_end(rest: &str) -> usize {
    if rest.starts_with("\r\n") {
        2
    } else {
        usize::from(rest.starts_with('\n'))
    }
}

impl<'t> Raw<'t> {
    fn header(&self, name: &str) -> Option<&'t str> {
        self.headers
            .iter()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn published(&self) -> Option<&'t str> {
        self.header("Published").filter(|value| *value != "unknown")
    }

    fn check(&self, book: &mut Book) -> Level {
        let begin = book.begin();
        let form = (Level::Compatible, says::ENVELOPE);
        let unclosed = format!("no line {CLOSE}");
        book.check("closing line", form, verdict(self.closed, CLOSE, &unclosed));
        let outcome = verdict(self.separated, "---", "no line --- behind the headers");
        book.check("separator", form, outcome);
        let nested = format!("a second {OPEN} inside");
        book.check("one opening line", form, verdict(!self.nested, OPEN, &nested));
        book.check("header order", form, self.order());
        let (_, counts) = clean_counted(self.content, Form::Text);
        let forged = format!("{} delimiters inside the content", counts.delimiters);
        let outcome = verdict(counts.delimiters == 0, "none", &forged);
        book.check("content holds no delimiter", form, outcome);
        let empty = self.content.trim().is_empty();
        let need = (Level::Compatible, says::FAILURE);
        book.check("content", need, verdict(!empty, "present", "empty"));
        let facts = Facts {
            source: self.header("Source"),
            published: match self.header("Published") {
                None => Published::Absent,
                Some("unknown") => Published::Unknown,
                Some(given) => Published::Given(given),
            },
            retrieved: self.header("Retrieved"),
            as_of: self.header("As-Of"),
            confidence: self.header("Confidence"),
            score: self.header("Score").map_or(Score::Absent, read_score),
            rate: None,
            content: Some(self.content),
            names: ["Source", "Published", "Retrieved", "Confidence", "Score"],
            full: Level::Compatible,
        };
        validate_facts(&facts, book);
        book.settle(begin)
    }

    /// Checks that the four standard headers come first and in order, that only `Name: value` lines follow,
    /// and that no name is repeated.
    fn order(&self) -> Result<String, String> {
        let there: Vec<&str> = HEADERS
            .into_iter()
            .filter(|name| self.header(name).is_some())
            .collect();
        for (at, name) in there.iter().enumerate() {
            let line = self.headers.get(at).copied().unwrap_or_default();
            if line.strip_prefix(name).is_none_or(|rest| !rest.starts_with(": ")) {
                return Err(format!(
                    "line {} is {} in place of `{name}: ...`",
                    at + 1,
                    code(line)
                ));
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for line in &self.headers {
            let Some((name, _)) = line.split_once(": ") else {
                return Err(format!("{} is not a header line", code(line)));
            };
            if names.contains(&name) {
                return Err(format!("{} occurs twice", code(name)));
            }
            names.push(name);
        }
        Ok(there.join(", "))
    }
}

/// `93`, `93 (current)`, `93/100` or `unknown`.
fn read_score(value: &str) -> Score {
    let value = value.trim();
    if matches!(value, "unknown" | "null" | "none" | "n/a") {
        return Score::Unknown;
    }
    let number = value.split([' ', '/', '(']).next().unwrap_or_default();
    number
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .map_or(Score::Invalid, Score::Number)
}
