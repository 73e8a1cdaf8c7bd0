//! What an adapter brings home.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, NaiveDate, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::date::DateEvidence;
use crate::error::SourceError;
use crate::peek::sha256;
use crate::standing::{StandingEvidence, StandingTold};
use crate::words::counted;

/// How complete an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything asked for is here.
    #[default]
    Success,
    /// Some of what was asked for failed; the failures are listed. Never high confidence.
    Partial,
    /// The source answered properly that there is nothing. Never a failure in disguise.
    Empty,
}

impl Status {
    /// Of an answer in which nothing failed.
    const fn of(items: &[Item]) -> Self {
        if items.is_empty() {
            Self::Empty
        } else {
            Self::Success
        }
    }
}

/// Everything one call brought, before it is scored.
#[derive(Debug)]
pub struct SourceResult {
    /// The human page or documented API address that shows this very data. Absolute, http(s), no
    /// credentials, no tracking parameters; for a search, the search address with its query.
    pub canonical_url: Url,
    /// The items, in the order to show them.
    pub items: Vec<Item>,
    /// How complete the answer is. [`Status::Empty`] is set for you when there is nothing at all.
    pub status: Status,
    /// What was searched or read, one line shown above the items (a repository's facts, a total).
    pub summary: Option<String>,
    /// Facts about the answer as a whole, shown as `name: value` above the items.
    pub fields: Map<String, Value>,
    /// Items that the source sent and that are not in `items`, with the reason.
    pub skipped: Vec<Skipped>,
    /// Parts that failed beside those that worked (one ticker of five, one board of four).
    pub failures: Vec<PartFailure>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// Which of the source's routes answered; one of the descriptor's route ids.
    pub route: Option<&'static str>,
    /// State from which a next call can continue, in the adapter's own form; the server seals it
    /// into an opaque cursor. At most 512 bytes.
    pub next: Option<String>,
    /// The date of the answer as a whole, where it is not simply the newest item's (a board's day).
    pub own_date: Option<DateEvidence>,
    /// Whether the item is a page that the caller named, which may be any page: a documented date of it proves no
    /// documented shape, and its text is judged as strictly as one without a date.
    pub any_page: bool,
    /// The prose of such a page where it is short: without lists of links, bylines and the headings over these. A failure among
    /// ordinary surroundings is told by it.
    pub prose: Option<String>,
    /// Signs that what the answer as a whole is about (an issuer, a page) does not stand as it is shown.
    pub standing: Vec<StandingEvidence>,
    /// Whether this call could learn the states of what it shows, where it is less than its route promises: a further
    /// request for them failed.
    pub standing_told: Option<StandingTold>,
    /// What the question was taken for, and how much of the source was looked through.
    pub scope: Scope,
}

/// What a question was taken for, and how far the answer reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// What it was taken for, as a phrase: `"Apple Inc." (CIK 320193)`. None where the words were searched as they are.
    pub subject: Option<String>,
    /// The name of the one company that the items are of, where the source settles that.
    pub name: Option<String>,
    /// What alone was looked through, where the source has no search: `the newest 50 posts`.
    pub looked_through: Option<String>,
    /// Whether the newest of the items is the newest that the source has on the question.
    pub has_newest: bool,
    /// When the first item leaves the answer by its age alone, so that a source that says the same does not confirm it any more.
    pub until: Option<DateTime<Utc>>,
}

impl SourceResult {
    /// A successful result of these items.
    pub fn new(canonical_url: Url, items: Vec<Item>) -> Self {
        Self {
            canonical_url,
            status: Status::of(&items),
            items,
            summary: None,
            fields: Map::new(),
            skipped: Vec::new(),
            failures: Vec::new(),
            notes: Vec::new(),
            route: None,
            next: None,
            own_date: None,
            any_page: false,
            prose: None,
            standing: Vec::new(),
            standing_told: None,
            scope: Scope::default(),
        }
    }

    /// Puts items in; the answer counts as empty where there are none, unless a part of it failed.
    pub fn show(&mut self, items: Vec<Item>) {
        if self.status != Status::Partial {
            self.status = Status::of(&items);
        }
        self.items = items;
    }

    /// Adds a remark for the reader.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a remark that begins with a count and its noun in one of its two forms, unless the count is 0.
    pub fn note_count(&mut self, count: usize, [one, many]: [&str; 2], rest: &str) {
        if count > 0 {
            self.note(format!("{} {rest}", counted(count, one, many)));
        }
    }

    /// Counts items left out, unless there are none.
    pub fn skip(&mut self, count: usize, reason: impl Into<Cow<'static, str>>) {
        if count > 0 {
            self.skipped.push(Skipped {
                count,
                reason: reason.into(),
            });
        }
    }

    /// Records a part that failed; the answer becomes [`Status::Partial`].
    pub fn fail(&mut self, what: impl Into<String>, error: SourceError) {
        self.failures.push(PartFailure {
            what: what.into(),
            error,
        });
        self.status = Status::Partial;
    }

    /// Lets a next call continue on the page after this one, where there is one.
    pub fn next_page(&mut self, page: u32, more: bool) {
        self.next = more.then(|| (page + 1).to_string());
    }

    /// Adds a fact about the answer as a whole, unless it is null or empty; empty entries of a list are left out.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        insert_present(&mut self.fields, name, value.into());
    }
}

/// Items left out, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// How many.
    pub count: usize,
    /// Why, as a phrase that follows a number: `3 without a title`.
    pub reason: Cow<'static, str>,
}

/// One part of the request that failed while others worked.
#[derive(Debug)]
pub struct PartFailure {
    /// The part, as the caller named it: a ticker, a package, a board.
    pub what: String,
    /// Why it failed.
    pub error: SourceError,
}

/// One post, paper, filing, tender, job, release, quote...
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// Stable id within the source (HN object id, arXiv id with version, accession number).
    pub id: Option<String>,
    /// The title, as plain text.
    pub title: String,
    /// The page of the item. Absolute http(s), or none.
    pub url: Option<String>,
    /// When it was published, as the source says.
    pub date: DateEvidence,
    /// The item's text, plain, may have several lines. The core cuts it to fit.
    pub summary: String,
    /// SHA-256 of the whole text in hexadecimal, where `summary` may be its beginning: see [`Item::set_excerpt`].
    pub text_hash: Option<String>,
    /// The source's own facts, in the order to show them. Unknown is absent, never 0 or "N/A".
    pub fields: Map<String, Value>,
    /// Pinned, sponsored or otherwise placed out of order: does not set the answer's date.
    pub out_of_order: bool,
    /// Signs that it does not stand as it is shown.
    pub standing: Vec<StandingEvidence>,
}

impl Item {
    /// An item with a title and its date evidence.
    pub fn new(title: impl Into<String>, date: DateEvidence) -> Self {
        Self {
            title: title.into(),
            date,
            ..Self::default()
        }
    }

    /// Sets the text to an excerpt of a whole text. How much is shown may depend on the place in the list, so what
    /// compares two answers compares the whole.
    pub fn set_excerpt(&mut self, excerpt: String, whole: &str) {
        self.summary = excerpt;
        self.text_hash = Some(sha256(whole.as_bytes()));
    }

    /// Adds a source fact, unless it is null or empty; empty entries of a list are left out.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        insert_present(&mut self.fields, name, value.into());
    }

    /// Adds a calendar day, if it is known.
    pub fn set_day(&mut self, name: &str, day: Option<NaiveDate>) {
        self.set(name, day.map(|day| day.to_string()));
    }

    /// Adds an instant in UTC, to the second, if it is known.
    pub fn set_instant(&mut self, name: &str, at: Option<DateTime<Utc>>) {
        // Beyond four digits a year is a number of another unit (`+58876-11-19` of milliseconds).
        let at = at.filter(|at| (0..=9_999).contains(&at.year()));
        let shown = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
        self.set(name, at.map(shown));
    }

    /// Adds an instant from seconds since 1970, if it is known and above 0.
    pub fn set_epoch(&mut self, name: &str, seconds: Option<i64>) {
        let seconds = seconds.filter(|seconds| *seconds > 0);
        self.set_instant(
            name,
            seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0)),
        );
    }

    /// Adds every field that a declaration serializes, under its own name and in its order; what is null or empty is
    /// left out. Fields that are shown elsewhere (title, address, date) are declared `#[serde(skip_serializing)]`.
    pub fn set_all(&mut self, facts: &impl Serialize) {
        if let Ok(Value::Object(facts)) = serde_json::to_value(facts) {
            for (name, value) in facts {
                self.set(&name, value);
            }
        }
    }

    /// Adds `true` where something out of the ordinary holds; that it does not is worth no line.
    pub fn set_flag(&mut self, name: &str, holds: bool) {
        self.set(name, holds.then_some(true));
    }
}

fn insert_present(fields: &mut Map<String, Value>, name: &str, mut value: Value) {
    if let Value::Array(values) = &mut value {
        values.retain(|value| !is_nothing(value));
    }
    if !is_nothing(&value) {
        fields.insert(name.to_owned(), value);
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Facts {
        score: Option<i64>,
        tags: Vec<&'static str>,
        #[serde(rename = "answers")]
        answer_count: u32,
        #[serde(skip_serializing)]
        _title: &'static str,
    }

    #[test]
    fn what_is_unknown_or_nothing_is_left_out() {
        let mut item = Item::new("one", DateEvidence::None);
        item.set_day("signed", "2026-01-31".parse().ok());
        item.set_day("ended", None);
        item.set_instant("seen", "2026-01-31T10:00:00.5Z".parse().ok());
        item.set_flag("pinned", true);
        item.set_flag("sponsored", false);
        item.set_epoch("made", Some(1_769_853_600));
        item.set_epoch("changed", Some(0));
        item.set_all(&Facts {
            score: None,
            tags: vec!["a", ""],
            answer_count: 0,
            _title: "one",
        });
        let fields = Value::Object(item.fields);
        let shown = serde_json::json!({"signed": "2026-01-31", "seen": "2026-01-31T10:00:00Z", "pinned": true,
                "made": "2026-01-31T10:00:00Z", "tags": ["a"], "answers": 0});
        assert_eq!(fields, shown);
        let mut result = SourceResult::new(Url::parse("https://example.com/").unwrap(), Vec::new());
        for count in 0..3 {
            result.note_count(count, ["page is", "pages are"], "old");
        }
        assert_eq!(result.notes, ["1 page is old", "2 pages are old"]);
    }

    #[test]
    fn what_is_shown_sets_the_status_unless_a_part_failed() {
        let page = Url::parse("https://example.com/").unwrap();
        let mut result = SourceResult::new(page, Vec::new());
        assert_eq!(result.status, Status::Empty);
        result.show(vec![Item::new("one", DateEvidence::None)]);
        assert_eq!((result.status, result.items.len()), (Status::Success, 1));
        result.show(Vec::new());
        assert_eq!(result.status, Status::Empty);
        result.fail("a part", SourceError::not_found("it is gone"));
        result.show(vec![Item::new("one", DateEvidence::None)]);
        assert_eq!(result.status, Status::Partial);
        assert_eq!(result.failures[0].error.message, "it is gone");
    }
}
