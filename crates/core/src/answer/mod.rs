//! From a result to an answer: text envelope and structured content from one value.
//!
//! `score` turns what an adapter brought into a `Scored` answer (dates resolved, scored, cleaned,
//! filtered, checked by the failure guard). `Scored::fitted` fits it to a length, and the `SourceAnswer` that this gives
//! writes both forms. A failed retrieval goes through `Failure` instead and never looks like context.

mod as_of;
mod facts;
mod failure;
mod guard;
mod item;
mod json;
mod kept;
mod layout;
mod published;
mod schema;
mod score;
mod shared;
mod shown;
mod source;

use std::fmt::Write as _;
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{
    CommonArgs, Descriptor, ErrorCode, Scope, Seen, Skipped, SourceResult, StandingTold, Status,
};
use serde_json::{Map, Value, json};

pub use crate::address::{canonical, is_absolute_http, strip_tracking};
pub use as_of::{NOT_SUPPORTED, known_then};
pub(crate) use facts::details;
pub use facts::{value_words, write_item_words, write_value_words};
pub use failure::Failure;
pub use guard::prepare;
pub use item::ScoredItem;
pub use kept::Kept;
pub(crate) use published::newest;
pub(crate) use schema::or_null;
pub use schema::{admitting_failure, answer_schema, with_origins};
pub use score::score;
pub use source::SourceAnswer;

use crate::date::{Confidence, Resolved};
use crate::decay::{self, DecayTable, Staleness};
use crate::origins;
use crate::standing::{self, Standing};

/// No content is longer than this, in characters, whatever is asked for.
pub const MAX_CONTENT_CHARS: usize = 20_000;

/// Dated items from which it is said once that all dates are certain.
const SEVERAL: usize = 2;

/// What the scoring needs to know.
#[derive(Debug)]
pub struct ScoreInput<'a> {
    /// The source.
    pub descriptor: &'a Descriptor,
    /// What its adapter brought.
    pub result: SourceResult,
    /// The common arguments of the call.
    pub args: &'a CommonArgs,
    /// What the upstream answers had in common.
    pub seen: &'a Seen,
    /// The current instant.
    pub now: DateTime<Utc>,
    /// The decay rates in force.
    pub decay: &'a DecayTable,
    /// The cursor of the next page, already sealed.
    pub cursor: Option<String>,
}

/// A part of the request that failed while others worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedPart {
    /// The part, as the caller named it.
    pub what: String,
    /// The error code.
    pub code: &'static str,
    /// One line: why.
    pub message: String,
    /// In which state the part is that there is nothing of, where its source says so.
    pub standing: Option<Standing>,
}

/// The dates of an answer's items, shown or not. Those placed out of order are only counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Span {
    /// Items with a date.
    pub(crate) dated: usize,
    /// The newest date.
    pub(crate) newest: Option<Resolved>,
    /// The oldest date.
    pub(crate) oldest: Option<Resolved>,
    /// Items with a date that are placed out of order.
    pub(crate) out_of_order: usize,
}

/// A scored answer. Everything in it is clean and bounded; what is left is fitting it to a length.
#[derive(Debug, Clone)]
pub struct Scored {
    pub(crate) adapter: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) source_url: String,
    pub(crate) retrieved_at: DateTime<Utc>,
    /// What ages and scores count to: its retrieval, or the earlier moment that was asked for.
    pub(crate) at: DateTime<Utc>,
    /// The moment that was asked for: nothing in it is later.
    pub(crate) as_of: Option<DateTime<Utc>>,
    pub(crate) lambda: f64,
    pub(crate) status: Status,
    pub(crate) date: Resolved,
    pub(crate) span: Span,
    /// What the dates of a long list have in common: `dates inferred (pushed_at)`.
    dates: Option<String>,
    pub(crate) score: Option<u8>,
    pub(crate) summary: Option<String>,
    pub(crate) fields: Map<String, Value>,
    pub(crate) items: Vec<ScoredItem>,
    /// Items beyond [`MAX_CONTENT_CHARS`], known only by their number.
    pub(crate) overflow: usize,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) failures: Vec<FailedPart>,
    pub(crate) notes: Vec<String>,
    pub(crate) route: Option<&'static str>,
    pub(crate) cached_age: Option<Duration>,
    pub(crate) attempts: u32,
    pub(crate) cursor: Option<String>,
    /// Whether its source is asked for things by their names.
    pub(crate) by_name: bool,
    /// Whether what it is about as a whole still stands, where its source says that it does not.
    pub(crate) subject: Option<Standing>,
    /// Whether the source could tell such states.
    pub(crate) told: StandingTold,
    /// Whether it shows figures that move, such as stars, so that it is outdated long before its dates are.
    pub(crate) has_moving_figures: bool,
    /// Whether answers of its route can tell any state.
    pub(crate) can_tell: bool,
    /// What stands beside its score instead of the score's own word: the state of what dates it.
    pub(crate) reservation: Option<String>,
    /// Whether what dates it is over, or replaced: to ask for it again brings nothing newer.
    pub(crate) is_over: bool,
    /// What the question was taken for, and how far the answer reaches; its phrases are clean.
    pub(crate) scope: Scope,
    /// After how long its newest reading has been replaced by another one, where it is one of something that moves.
    pub(crate) replaced_after: Option<Duration>,
    /// Whether it is a section of a composite, which shares out the length among its sections.
    pub(crate) in_section: bool,
    /// How many independent origins its items have, where its source lists reports.
    pub(crate) origins: Option<origins::Told>,
}

impl Scored {
    /// The adapter's id.
    pub fn adapter(&self) -> &'static str {
        self.adapter
    }

    /// The tool's name.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// How complete the answer is, before anything is cut to a length.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The date of the answer as a whole.
    pub fn date(&self) -> &Resolved {
        &self.date
    }

    /// Its score, 0..=100.
    pub fn score(&self) -> Option<u8> {
        self.score
    }

    /// Whether what it is about as a whole still stands.
    pub fn subject(&self) -> Option<&Standing> {
        self.subject.as_ref()
    }

    /// Whether nothing in it stands: of what it shows all is void, or what it is about.
    pub fn is_void(&self) -> bool {
        let void = |standing: &Standing| standing.is_void();
        self.subject.as_ref().is_some_and(void)
            || (!self.items.is_empty()
                && self
                    .items
                    .iter()
                    .all(|item| item.standing.as_deref().is_some_and(void)))
    }

    /// The states of its items, with their numbers.
    fn standings(&self) -> impl Iterator<Item = (usize, &Standing)> {
        let numbered = self.items.iter().zip(1_usize..);
        numbered.filter_map(|(item, number)| Some((number, item.standing.as_deref()?)))
    }

    /// What is said of the standing of all of it, on one line.
    pub(crate) fn standing_overview(&self) -> Option<String> {
        standing::overview(self.subject.as_ref(), self.standings(), self.item_count())
    }

    /// What a table says of the standing of all of it.
    pub(crate) fn standing_cell(&self) -> String {
        self.standing_overview().unwrap_or_else(|| {
            let words = match self.told {
                StandingTold::Partly => "no notice found, and not all was asked",
                StandingTold::Yes if self.can_tell => "no notice found",
                StandingTold::Yes | StandingTold::No => "source cannot tell",
            };
            words.to_owned()
        })
    }

    /// The same as a structure.
    pub(crate) fn standing_structure(&self) -> Option<Value> {
        let counts = standing::counts(self.standings().map(|(_, standing)| standing));
        if counts.is_empty() && self.subject.is_none() {
            return None;
        }
        let mut out = Map::new();
        if let Some(subject) = &self.subject {
            out.insert("subject".to_owned(), subject.structured());
        }
        out.insert("counts".to_owned(), counts.into());
        Some(out.into())
    }

    /// Whether the source could tell such states; `None` where it could and none holds.
    pub(crate) fn standing_told(&self) -> Option<&'static str> {
        match self.told {
            StandingTold::Partly => Some("partly"),
            StandingTold::No => Some("no"),
            StandingTold::Yes => self.standing_overview().map(|_| "yes"),
        }
    }

    /// The canonical address.
    pub fn source_url(&self) -> &str {
        &self.source_url
    }

    /// When the bytes left the source.
    pub fn retrieved_at(&self) -> DateTime<Utc> {
        self.retrieved_at
    }

    /// What ages and scores count to: its retrieval, or the earlier moment that was asked for.
    pub fn counted_to(&self) -> DateTime<Utc> {
        self.at
    }

    /// When the first item leaves the answer by its age alone.
    pub fn until(&self) -> Option<DateTime<Utc>> {
        self.scope.until
    }

    /// The items, in the order to show them.
    pub fn items(&self) -> &[ScoredItem] {
        &self.items
    }

    /// What it is about, in the source's words.
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// Facts about it as a whole.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// What was left out, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Parts of the request that failed.
    pub fn failures(&self) -> &[FailedPart] {
        &self.failures
    }

    /// Things asked for by name of which the source said that they do not exist. That is an answer, and not a part that is
    /// unknown.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let parts = self.failures.iter().filter(|part| self.is_missing(part));
        parts.map(|part| part.what.as_str())
    }

    /// Parts that could not be read. They show no removal. In a list that is a window, a part that was not found was not read:
    /// it names nothing that the list would hold.
    pub fn unread(&self) -> impl Iterator<Item = &FailedPart> {
        self.failures.iter().filter(|part| !self.is_missing(part))
    }

    fn is_missing(&self, part: &FailedPart) -> bool {
        self.by_name && part.code == ErrorCode::NotFound.as_str()
    }

    /// Whether all that was asked for is known: it came, or the source said that it does not exist.
    pub fn is_complete(&self) -> bool {
        self.unread().next().is_none() && (self.status != Status::Partial || !self.failures.is_empty())
    }

    /// The route that answered, where its source has several.
    pub fn route(&self) -> Option<&'static str> {
        self.route
    }

    /// Whether there is a next page.
    pub fn has_next(&self) -> bool {
        self.cursor.is_some()
    }

    /// Remarks for the reader.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Length of the content when nothing is cut, in characters; at most slightly above
    /// [`MAX_CONTENT_CHARS`].
    pub fn natural_length(&self) -> usize {
        layout::natural_length(self)
    }

    /// Fits the content into `max_length` characters (and [`MAX_CONTENT_CHARS`]).
    pub fn fitted(self, max_length: usize) -> SourceAnswer {
        let mut answer = self.header_only();
        answer.fit(max_length);
        answer
    }

    /// The envelope's header, and in place of the content one line that says where it is to be had.
    pub(crate) fn header_only(self) -> SourceAnswer {
        SourceAnswer {
            shown: layout::header_only(&self),
            scored: self,
            kept: Kept::default(),
        }
    }

    /// Writes both forms, the content within `max_length` characters (and [`MAX_CONTENT_CHARS`]).
    pub fn render(&self, max_length: usize) -> Answer {
        let answer = self.clone().fitted(max_length);
        Answer {
            text: answer.text(),
            structured: answer.structured().into(),
            status: self.status,
            score: self.score,
            content_date: self.date.shown.clone(),
            shown: answer.items().len(),
            truncated: answer.truncated(),
        }
    }

    /// The structured form of one of its items, with that summary.
    pub fn item_structure(&self, item: &ScoredItem, summary: &str) -> Map<String, Value> {
        json::of_item(self, item, summary)
    }

    /// An answer without items as one item, where it has content; `None` where it has items, or is not complete.
    pub fn document_structure(&self) -> Option<Map<String, Value>> {
        let whole = self.items.is_empty() && self.status == Status::Success;
        whole.then(|| json::of_document(self, &layout::lay_out(self, MAX_CONTENT_CHARS).content))
    }

    /// How old it is, in words, counted to its retrieval: `newest of 4, 2 days; oldest 7 years (2019-03-04)`.
    /// `None` where it has no date.
    pub fn age(&self) -> Option<String> {
        let own = self.date.age(self.at)?;
        let Span {
            dated,
            newest,
            oldest,
            out_of_order,
        } = &self.span;
        let (Some(newest), Some(oldest)) = (newest, oldest) else {
            return Some(own);
        };
        let apart = match out_of_order {
            0 => String::new(),
            1 => "; 1 item out of order (pinned, sponsored, unreleased) not counted".to_owned(),
            several => format!("; {several} items out of order (pinned, sponsored, unreleased) not counted"),
        };
        if *dated < 2 || newest.instant == oldest.instant {
            return Some(own + &apart);
        }
        let mut words = if newest.instant == self.date.instant {
            format!("newest of {dated}, {own}")
        } else {
            let newest_age = newest.age(self.at).unwrap_or_default();
            format!("{own}; newest of {dated} items, {newest_age}")
        };
        if let (Some(age), Some(shown)) = (oldest.age(self.at), &oldest.shown) {
            let day = shown.get(..10).unwrap_or(shown);
            // Writing to a String cannot fail.
            let _ = write!(words, "; oldest {age} ({day})");
        }
        Some(words + &apart)
    }

    /// Whether the dates of several items, and that of the whole, are certain: then it is said once.
    fn is_certain_throughout(&self) -> bool {
        self.span.dated >= SEVERAL
            && self.date.confidence == Confidence::High
            && self.items.iter().all(|item| item.certainty.is_none())
    }

    /// Items that there are, shown or not.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len() + self.overflow
    }

    /// Facts about the retrieval for MCP `_meta`: live or cached (with its age), route, attempts.
    pub fn meta(&self) -> Value {
        let mut meta = json!({"retrieved": if self.cached_age.is_some() { "cached" } else { "live" }});
        if let Some(meta) = meta.as_object_mut() {
            if let Some(age) = self.cached_age {
                meta.insert("age_s".to_owned(), age.as_secs().into());
            }
            if let Some(route) = self.route {
                meta.insert("route".to_owned(), route.into());
            }
            meta.insert("attempts".to_owned(), self.attempts.into());
        }
        meta
    }

    /// Characters of the envelope around the content.
    pub(crate) fn envelope_chars(&self) -> usize {
        layout::envelope(self, "", &Kept::default()).chars().count()
    }

    /// The same as a section of a composite.
    pub(crate) fn into_section(mut self) -> Self {
        self.in_section = true;
        self
    }

    pub(crate) fn items_mut(&mut self) -> &mut [ScoredItem] {
        &mut self.items
    }

    /// How stale it is by its score.
    pub fn staleness(&self) -> Staleness {
        Staleness::of(self.score)
    }

    /// When its score has fallen so far that it is worth asking again; `None` for what is over, and for readings of
    /// something that moves by the minute.
    pub fn revalidate_after(&self) -> Option<DateTime<Utc>> {
        // What was known at an earlier moment stays what it was.
        self.date
            .instant
            .filter(|_| !self.is_over && self.as_of.is_none() && self.replaced_after.is_none())
            .and_then(|published| decay::revalidate_after(self.lambda, published))
    }
}

/// An answer in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The text envelope.
    pub text: String,
    /// The same as structured content.
    pub structured: Value,
    /// How complete the answer is, before anything was cut to a length.
    pub status: Status,
    /// The score of the answer, 0..=100.
    pub score: Option<u8>,
    /// Its date as shown.
    pub content_date: Option<String>,
    /// Items shown.
    pub shown: usize,
    /// Items left out to fit the length.
    pub truncated: usize,
}

/// The status as results write it.
pub const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Success => "success",
        Status::Partial => "partial",
        Status::Empty => "empty",
    }
}

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
