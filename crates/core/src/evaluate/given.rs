//! One signal as the caller gave it: its fields by any of the names that agents use for them, checked.

use std::borrow::Cow;
use std::fmt;

use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::completeness::source_completeness;
use super::made::Made;
use super::names::{self, Field};
use super::shape::{Held, Read, Shape, is_place};
use super::stands::Claims;
use super::text::{is_address, is_blank, utf16_longer_than};
use super::unread::Unread;
use super::verdict::{DateConfidence, SignalStatus, SourceCompleteness};

/// Statuses from here on are failures (RFC 9110, section 15).
const FIRST_ERROR: u16 = 400;

/// Longest source, in UTF-16 code units.
pub const SOURCE_UNITS: usize = 2_048;
/// Longest title, in UTF-16 code units.
pub const TITLE_UNITS: usize = 1_000;
/// Longest content, in UTF-16 code units.
pub const CONTENT_UNITS: usize = 50_000;

/// Where a signal stands in the arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// In the list of signals, from 0.
    pub index: usize,
    /// In a result that stands there: the list's name and the place in it, from 0.
    pub inside: Option<(&'a str, usize)>,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signals[{}]", self.index)?;
        match self.inside {
            Some((list, at)) => write!(f, ".{list}[{at}]"),
            None => Ok(()),
        }
    }
}

/// A signal as the caller gave it.
#[derive(Debug, Clone, Default)]
pub(super) struct Given<'a> {
    pub place: Place<'a>,
    /// Whether it is an item of our own results.
    pub is_item: bool,
    pub id: Option<&'a str>,
    /// The id as the caller holds it: text, or a number.
    pub own_id: Option<&'a Node<'a>>,
    pub source: &'a str,
    pub source_type: Option<&'a str>,
    pub title: Option<&'a str>,
    pub content: Option<&'a str>,
    pub published_at: Option<&'a str>,
    /// Whether the content is what somebody says of the document: a description, a summary.
    pub is_digest: bool,
    /// What its date is of, where it is not of its publication.
    pub stand_in: Option<StandIn>,
    pub retrieved_at: Option<&'a str>,
    pub semantic_score: Option<f64>,
    /// Whether the score stands under another name, so that its scale is its program's.
    pub foreign_score: bool,
    /// How far it is from what was looked for, where it has no score. The whole call says what that means.
    pub distance: Option<f64>,
    pub date_confidence: Option<DateConfidence>,
    pub freshness_confidence: Option<DateConfidence>,
    pub status: Option<SignalStatus>,
    pub metadata: Option<&'a ObjectAsVec<'a>>,
    /// Facts of an item of our own results.
    pub fields: Option<&'a Node<'a>>,
    /// HTTP status of the retrieval.
    pub http_status: Option<u16>,
    /// Media type of what was retrieved.
    pub content_type: Option<&'a str>,
    /// Where the retrieval ended, after redirects.
    pub final_url: Option<&'a str>,
    /// What was taken under another name, or passed over.
    pub notes: Vec<Cow<'static, str>>,
    /// What was not read, though it looks as if it said something.
    pub unread: Vec<Unread>,
    /// Why it cannot be judged. It is excluded for that, and costs nothing else.
    pub unreadable: Option<String>,
    /// Whether that is its length.
    pub is_too_long: bool,
    /// Signs that it does not stand, or with a reservation.
    pub standing: Vec<freshcontext_contract::StandingEvidence>,
    /// This server's call that failed to retrieve it.
    pub failed_call: Option<FailedCall<'a>>,
}

/// What a date is of that stands in for that of the publication. No caller can vouch for it as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StandIn {
    /// The document's making, or that of the entry that holds it.
    Created,
    /// The last change, or that of the file.
    Modified,
}

/// A call of one of our tools that brought no content.
#[derive(Debug, Clone, Copy)]
pub(super) struct FailedCall<'a> {
    pub tool: &'a str,
    /// The code of its error.
    pub code: Option<&'a str>,
    pub arguments: Option<&'a Node<'a>>,
}

impl<'a> Given<'a> {
    /// What was retrieved: of an item without a summary, its title.
    pub(super) fn own_content(&self) -> Option<&'a str> {
        self.content.or(self.title.filter(|_| self.is_item))
    }

    /// Whether it is an item of our own results that does not say when it was retrieved.
    pub(super) fn lost_retrieval(&self) -> bool {
        self.is_item && self.retrieved_at.is_none_or(is_blank)
    }

    /// The status of a retrieval that failed.
    pub(super) fn failed_status(&self) -> Option<u16> {
        self.http_status.filter(|status| *status >= FIRST_ERROR)
    }

    /// Whether it needs no look at its text to see that nothing was retrieved.
    pub(super) fn is_known_to_have_failed(&self) -> bool {
        self.unreadable.is_some()
            || self.failed_call.is_some()
            || self.status == Some(SignalStatus::Failed)
            || self.failed_status().is_some()
    }

    /// Whether it is a withheld section of a composite: its text is the server's, not a source's.
    pub(super) fn held_back(&self) -> bool {
        self.status == Some(SignalStatus::Stale) && self.failed_call.is_some()
    }

    /// Bytes of text in this signal.
    pub(super) fn bytes(&self) -> usize {
        let texts = [
            self.id,
            Some(self.source),
            self.source_type,
            self.title,
            self.content,
        ];
        texts.into_iter().flatten().map(str::len).sum()
    }
}

/// What a result says of all its items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<'a> {
    pub source: &'a str,
    pub source_type: &'a str,
    pub retrieved_at: Option<&'a str>,
}

/// Facts of posts and of weaknesses, beside which a score is a count of votes or a severity: of Reddit, Hacker News, Stack Exchange,
/// Lobsters and CVSS.
const VOTED: [&str; 10] = [
    "num_comments",
    "upvote_ratio",
    "ups",
    "descendants",
    "question_id",
    "answer_id",
    "answer_count",
    "comment_count",
    "baseSeverity",
    "vectorString",
];

/// A source where the signal names none.
const NO_SOURCE: &str = "not provided";

impl<'a> Given<'a> {
    /// The signal in an object. What an item does not say, the result around it may.
    pub(super) fn read(
        object: &'a ObjectAsVec<'a>,
        place: Place<'a>,
        around: Option<Envelope<'a>>,
        made: &'a Made,
    ) -> Self {
        let mut shape = Shape::gather(object);
        let mut given = Self {
            place,
            is_item: shape.is_item || around.is_some(),
            metadata: shape.metadata(),
            fields: super::fields::last(object, "fields").filter(|facts| matches!(facts, Node::Object(_))),
            ..Self::default()
        };
        given.read_id(&mut shape, made);
        given.read_source(&mut shape, around, made);
        if let Some(title) = shape.text(Field::Title, made) {
            given.title = Some(title.text);
        }
        if let Some(content) = shape.content(made) {
            given.content = Some(content.text);
            given.is_digest = names::is_digest(content.name);
            given.note_name(content, "content");
        }
        given.read_dates(&mut shape, around, made);
        given.read_score(&mut shape, made);
        given.read_words(&mut shape, made);
        let claims = Claims::read(object);
        given.standing.clone_from(&claims.signs);
        given.notes.extend(claims.notes.iter().cloned());
        if let Some(error) = error_in(object, given.content.is_none_or(is_blank) || given.is_digest) {
            given.unreadable = Some(error);
        }
        let said = [
            given.id,
            Some(given.source),
            given.title,
            given.content,
            given.published_at,
        ];
        let unread = shape.unread(&said).into_iter();
        given
            .unread
            .extend(unread.filter(|field| !claims.has_read(&field.name)));
        if given.unreadable.is_none() && given.title.is_none() && given.content.is_none_or(is_blank) {
            given.unreadable = Some(match shape.names().as_slice() {
                [] => "it is empty".to_owned(),
                names => format!("it has no title and no content, under {}", names.join(", ")),
            });
        }
        given.checked(made)
    }

    /// A signal that is a text and nothing else.
    pub(super) fn of_text(text: &'a str, place: Place<'a>, made: &'a Made) -> Self {
        let mut given = Self {
            place,
            source: NO_SOURCE,
            content: Some(text),
            ..Self::default()
        };
        given
            .notes
            .push("It was given as bare text, without a source.".into());
        if is_blank(text) {
            given.unreadable = Some("it is blank".to_owned());
        }
        given.checked(made)
    }

    /// A signal that is none.
    pub(super) fn unreadable(place: Place<'a>, why: &str, made: &'a Made) -> Self {
        Self {
            place,
            source: NO_SOURCE,
            title: Some(made.keep(place.to_string())),
            unreadable: Some(why.to_owned()),
            ..Self::default()
        }
    }

    fn note_name(&mut self, read: Read<'_>, meant: &str) {
        if read.other_name && !self.is_item {
            let name = freshcontext_contract::code(read.name);
            self.notes
                .push(format!("The {meant} was given as {name}.").into());
        }
    }

    fn read_id(&mut self, shape: &mut Shape<'a>, made: &'a Made) {
        let found = shape.of(Field::Id).find_map(|held| match held.value {
            // As it is: the id of a verdict is made of it.
            Node::Str(text) => Some((held, text.as_ref())),
            value => super::shape::scalar(value, made).map(|text| (held, text)),
        });
        if let Some((held, text)) = found {
            shape.take(held);
            self.id = Some(text);
            let own = match held.value {
                Node::Object(object) => super::fields::last(object, "$oid"),
                plain => Some(plain),
            };
            self.own_id = own.filter(|_| !is_blank(text));
        }
    }

    /// Prefers what leads to the text to the name of whoever published it.
    fn read_source(&mut self, shape: &mut Shape<'a>, around: Option<Envelope<'a>>, made: &'a Made) {
        let texts: Vec<(Held<'a>, &'a str)> = shape
            .of(Field::Source)
            .filter_map(|held| Some((held, super::shape::scalar(held.value, made)?)))
            .collect();
        let first = texts.first().copied();
        let address = |weak: bool, near: Held<'a>| {
            let mut others = texts.iter().copied();
            others.find(|(held, text)| is_address(text) && (weak || held.is_beside(&near)))
        };
        let chosen = first.and_then(|(held, text)| {
            // A file's name is less than an address, wherever that stands.
            let weak = source_completeness(text) != SourceCompleteness::Complete || held.name != "source";
            let is_ours = crate::decay::is_known(text);
            (!is_place(text) && !text.contains(':'))
                .then(|| address(weak || is_ours, held))
                .flatten()
        });
        let named = shape.of(Field::SourceType).find_map(|held| match held.value {
            Node::Str(text) => Some((held, text.as_ref())),
            _ => None,
        });
        if let Some((held, text)) = named {
            shape.take(held);
            self.source_type = Some(text);
        }
        match (chosen, first) {
            (Some((held, text)), Some((named, name))) => {
                shape.take(named);
                self.take_source(shape, held, text);
                // This server's items name their adapter as their source.
                if crate::decay::is_known(name) {
                    self.source_type = self.source_type.or(Some(name));
                }
            }
            (None, Some((held, text))) => self.take_source(shape, held, text),
            (_, None) => match (around, self.id.filter(|id| !is_blank(id))) {
                (Some(around), _) => self.source = around.source,
                (None, Some(id)) => {
                    self.source = id;
                    self.notes.push("It names no source; its id stands in.".into());
                }
                (None, None) => {
                    self.source = NO_SOURCE;
                    self.notes.push("It names no source.".into());
                }
            },
        }
        self.source_type = self.source_type.or(around.map(|around| around.source_type));
        self.final_url = shape
            .text(Field::FinalUrl, made)
            .map(|read| read.text)
            .or(self.final_url);
    }

    fn take_source(&mut self, shape: &mut Shape<'a>, held: Held<'a>, text: &'a str) {
        self.source = text;
        let read = shape.taken(held, text);
        self.note_name(read, "source");
        // Firecrawl: what was asked for, and beside it where that led to.
        if matches!(held.name, "sourceURL" | "source_url")
            && let Some(Node::Str(ended)) = shape.beside(held, "url")
        {
            self.final_url = Some(ended);
        }
    }

    fn read_dates(&mut self, shape: &mut Shape<'a>, around: Option<Envelope<'a>>, made: &'a Made) {
        // One that is there and cannot be read is not replaced by one of another kind. Of those, the older comes first.
        for (field, stand_in) in [
            (Field::Published, None),
            (Field::Created, Some(StandIn::Created)),
            (Field::Modified, Some(StandIn::Modified)),
        ] {
            if let Some(date) = shape.date(field, made) {
                self.published_at = Some(date.text);
                self.stand_in = stand_in;
                self.note_name(date, "date");
                self.unread.extend(Shape::is_unreadable_date(date));
            }
            if self.published_at.is_some() || self.is_item {
                break;
            }
        }
        if let Some(date) = shape.date(Field::Retrieved, made) {
            self.retrieved_at = Some(date.text);
            self.note_name(date, "date of retrieval");
            self.unread.extend(Shape::is_unreadable_date(date));
        }
        self.retrieved_at = self
            .retrieved_at
            .or(around.and_then(|around| around.retrieved_at));
    }

    fn read_score(&mut self, shape: &mut Shape<'a>, made: &'a Made) {
        let number = |held: &Held<'a>| {
            let text = super::shape::scalar(held.value, made)?.trim();
            match text.strip_suffix('%') {
                Some(percent) => Some(percent.trim_end().parse::<f64>().ok()? / 100.0),
                None => text.parse().ok(),
            }
        };
        let found = shape.of(Field::Score).find_map(|held| {
            number(&held)
                .filter(|score| score.is_finite())
                .map(|score| (held, score))
        });
        // Within metadata a distance may be the document's own fact, such as the way to a job.
        let far = shape.of(Field::Distance).find_map(|held| {
            let is_of_search =
                held.is_outermost() || shape.is_in(&held, "_additional") || shape.is_weaviates(&held);
            let distance = number(&held).filter(|distance| distance.is_finite())?;
            is_of_search.then_some((held, distance))
        });
        let distance = far.map(|(held, distance)| {
            shape.take(held);
            distance
        });
        let Some((held, score)) = found else {
            self.distance = distance;
            return;
        };
        // A score says it as well.
        shape.take(held);
        // Vertex AI's RAG engine returns its distance under both names.
        if held.name == "score" && distance == Some(score) {
            self.distance = distance;
            return;
        }
        // Of what one of our sources has it may be votes, and of what has answers or comments.
        let is_voted = VOTED.iter().any(|name| shape.beside(held, name).is_some());
        let votes = self.is_item || is_voted || self.source_type.is_some_and(crate::decay::is_known);
        if held.name == "semantic_score" {
            self.semantic_score = Some(score);
        } else if !votes || ((0.0..=1.0).contains(&score) && score.fract() != 0.0) {
            self.semantic_score = Some(score);
            self.foreign_score = true;
            self.notes.push(
                format!(
                    "The relevance was given as {}.",
                    freshcontext_contract::code(held.name)
                )
                .into(),
            );
        } else {
            self.notes
                .push("Its score is no relevance from 0 to 1 and was passed over.".into());
        }
    }

    /// What is one of a few words, and what the retrieval said.
    fn read_words(&mut self, shape: &mut Shape<'a>, made: &'a Made) {
        self.date_confidence = one_of(shape, Field::DateConfidence, &DATE_CONFIDENCES);
        self.freshness_confidence = one_of(shape, Field::FreshnessConfidence, FRESHNESS_CONFIDENCES);
        // Within metadata a status is the document's: of an order, a run, a ticket.
        let own = shape.of(Field::Status).find(Held::is_outermost);
        if let Some(held) = own
            && let Node::Str(text) = held.value
            && let Some(status) = choose(&text.trim().to_ascii_lowercase(), &STATUSES)
        {
            shape.take(held);
            self.status = Some(status);
        }
        let found = shape
            .of(Field::HttpStatus)
            .chain(own)
            .find_map(|held| Some((held, http_status(held.value)?)));
        if let Some((held, status)) = found {
            shape.take(held);
            self.http_status = Some(status);
        }
        self.content_type = shape.text(Field::MediaType, made).map(|read| read.text);
    }

    /// Finds what is too long. A title is cut; a source or content would not be itself any more.
    fn checked(mut self, made: &'a Made) -> Self {
        if let Some(title) = self.title.filter(|title| utf16_longer_than(title, TITLE_UNITS)) {
            let mut units = 0;
            let fits = |c: &char| {
                units += c.len_utf16();
                units <= TITLE_UNITS
            };
            self.title = Some(made.keep(title.chars().take_while(fits).collect()));
            self.notes
                .push(format!("Its title was cut at {TITLE_UNITS} characters.").into());
        }
        for (name, text, most) in [
            ("source", Some(self.source), SOURCE_UNITS),
            ("content", self.content, CONTENT_UNITS),
        ] {
            if text.is_some_and(|text| utf16_longer_than(text, most)) {
                self.unreadable = Some(format!("its {name} is longer than {most} characters: split it"));
                self.is_too_long = name == "content";
            }
        }
        if self.unreadable.is_some() {
            self.title = Some(self.title.unwrap_or_else(|| made.keep(self.place.to_string())));
            self.content = None;
            if utf16_longer_than(self.source, SOURCE_UNITS) {
                self.source = NO_SOURCE;
            }
        }
        self
    }
}

/// One of a few words, in any case. Other words say something else to whoever wrote them.
fn one_of<T: Copy>(shape: &mut Shape<'_>, field: Field, known: &[(&str, T)]) -> Option<T> {
    let found = shape.of(field).find_map(|held| match held.value {
        Node::Str(text) => choose(&text.trim().to_ascii_lowercase(), known).map(|value| (held, value)),
        _ => None,
    });
    let (held, value) = found?;
    shape.take(held);
    Some(value)
}

/// Why nothing was retrieved, where the caller's tool says so beside the document. An error alone says it where there is
/// no text of the document: pages about errors have such a field, too.
pub(super) fn error_in(object: &ObjectAsVec<'_>, without_text: bool) -> Option<String> {
    let flag = |name: &str| match super::fields::last(object, name) {
        Some(Node::Bool(flag)) => Some(*flag),
        _ => None,
    };
    let error = ["error", "error_message", "errorMessage"]
        .into_iter()
        .find_map(|name| match super::fields::last(object, name)? {
            Node::Str(text) if !is_blank(text) => Some(freshcontext_contract::quoted_within(text, 100)),
            Node::Object(error) if !error.is_empty() => Some("an error".to_owned()),
            _ => None,
        });
    let failed = flag("success") == Some(false)
        || [flag("isError"), flag("is_error")].contains(&Some(true))
        || (error.is_some() && without_text);
    failed.then(|| {
        let error = error.unwrap_or_else(|| "it is marked as an error".to_owned());
        format!("its retrieval failed: {error}")
    })
}

/// The status in a number, or in a text that agents make of it.
fn http_status(value: &Node<'_>) -> Option<u16> {
    let status = match value {
        Node::Number(number) => number.as_i64()?.try_into().ok()?,
        Node::Str(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (100..600).contains(&status).then_some(status)
}

/// The meaning of a name.
pub(super) fn choose<T: Copy>(given: &str, known: &[(&str, T)]) -> Option<T> {
    known.iter().find(|(id, _)| *id == given).map(|(_, value)| *value)
}

pub(super) const DATE_CONFIDENCES: [(&str, DateConfidence); 4] = [
    ("high", DateConfidence::High),
    ("medium", DateConfidence::Medium),
    ("low", DateConfidence::Low),
    ("unknown", DateConfidence::Unknown),
];

/// Without the last: who is sure of nothing says nothing.
const FRESHNESS_CONFIDENCES: &[(&str, DateConfidence)] = match &DATE_CONFIDENCES {
    [sure @ .., _] => sure,
};

const STATUSES: [(&str, SignalStatus); 5] = [
    ("success", SignalStatus::Success),
    ("partial", SignalStatus::Partial),
    ("stale", SignalStatus::Stale),
    ("failed", SignalStatus::Failed),
    ("unknown", SignalStatus::Unknown),
];
