//! One signal as the caller gave it: its fields by any of the names that agents use for them, checked.

use std::fmt;

use freshcontext_contract::SourceError;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::SIGNAL;
use super::text::{is_blank, utf16_longer_than};
use super::verdict::{DateConfidence, SignalStatus};

/// Longest source, in UTF-16 code units.
pub const SOURCE_UNITS: usize = 2_048;
/// Longest title, in UTF-16 code units.
pub const TITLE_UNITS: usize = 1_000;
/// Longest content, in UTF-16 code units.
pub const CONTENT_UNITS: usize = 50_000;

/// Where a signal stands in the arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// In the list of signals, from 0.
    pub index: usize,
    /// In a result that stands there: the list's name and the place in it, from 0.
    pub inside: Option<(&'static str, usize)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signals[{}]", self.index)?;
        match self.inside {
            Some((list, at)) => write!(f, ".{list}[{at}]"),
            None => Ok(()),
        }
    }
}

impl Place {
    /// What is wrong with a field of the signal at this place.
    pub(super) fn wrong(self, name: &str, problem: impl fmt::Display) -> SourceError {
        SourceError::invalid_input(format!("{self}.{name}"), problem, SIGNAL)
    }
}

/// A signal as the caller gave it.
#[derive(Debug, Clone, Default)]
pub(super) struct Given<'a> {
    pub place: Place,
    /// Whether it is an item of our own results.
    pub is_item: bool,
    pub id: Option<&'a str>,
    pub source: &'a str,
    pub source_type: Option<&'a str>,
    pub title: Option<&'a str>,
    pub content: Option<&'a str>,
    pub published_at: Option<&'a str>,
    pub retrieved_at: Option<&'a str>,
    pub semantic_score: Option<f64>,
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
    pub notes: Vec<&'static str>,
    /// This server's call that failed to retrieve it.
    pub failed_call: Option<FailedCall<'a>>,
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

/// The names under which texts are long, and how long they may be, in UTF-16 code units.
struct Names {
    source: &'static str,
    content: &'static str,
}

/// The fields of one signal by name. Gathered in one pass, because looking each of them up costs more than
/// reading it.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    id: Option<&'a Node<'a>>,
    source: Option<&'a Node<'a>>,
    url: Option<&'a Node<'a>>,
    source_type: Option<&'a Node<'a>>,
    title: Option<&'a Node<'a>>,
    content: Option<&'a Node<'a>>,
    text: Option<&'a Node<'a>>,
    body: Option<&'a Node<'a>>,
    summary: Option<&'a Node<'a>>,
    published_at: Option<&'a Node<'a>>,
    content_date: Option<&'a Node<'a>>,
    date: Option<&'a Node<'a>>,
    retrieved_at: Option<&'a Node<'a>>,
    semantic_score: Option<&'a Node<'a>>,
    score: Option<&'a Node<'a>>,
    date_confidence: Option<&'a Node<'a>>,
    freshness_confidence: Option<&'a Node<'a>>,
    status: Option<&'a Node<'a>>,
    metadata: Option<&'a Node<'a>>,
    http_status: Option<&'a Node<'a>>,
    content_type: Option<&'a Node<'a>>,
    final_url: Option<&'a Node<'a>>,
    /// Only our items have these.
    freshness_score: bool,
    facts: Option<&'a Node<'a>>,
}

/// What a result says of all its items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<'a> {
    pub source: &'a str,
    pub source_type: &'a str,
    pub retrieved_at: Option<&'a str>,
}

impl<'a> Fields<'a> {
    pub(super) fn gather(object: &'a ObjectAsVec<'a>) -> Self {
        let mut fields = Self::default();
        for (name, value) in object.iter() {
            let place = match name {
                "id" => &mut fields.id,
                "source" => &mut fields.source,
                "url" => &mut fields.url,
                "source_type" => &mut fields.source_type,
                "title" => &mut fields.title,
                "content" => &mut fields.content,
                "text" => &mut fields.text,
                "body" => &mut fields.body,
                "summary" => &mut fields.summary,
                "published_at" => &mut fields.published_at,
                "content_date" => &mut fields.content_date,
                "date" => &mut fields.date,
                "retrieved_at" => &mut fields.retrieved_at,
                "semantic_score" => &mut fields.semantic_score,
                "score" => &mut fields.score,
                "date_confidence" => &mut fields.date_confidence,
                "freshness_confidence" => &mut fields.freshness_confidence,
                "status" => &mut fields.status,
                "metadata" => &mut fields.metadata,
                "http_status" => &mut fields.http_status,
                "content_type" => &mut fields.content_type,
                "final_url" => &mut fields.final_url,
                "freshness_score" => {
                    fields.freshness_score = true;
                    continue;
                }
                "fields" => &mut fields.facts,
                _ => continue,
            };
            *place = Some(value);
        }
        fields
    }

    /// Whether it is an item of one of our results.
    pub(super) fn is_item(&self) -> bool {
        self.summary.is_some()
            && self.date_confidence.is_some()
            && (self.freshness_score || self.facts.is_some())
    }

    /// The signal, or what is wrong with it. What an item does not say, the result around it may.
    pub(super) fn signal(
        &self,
        place: Place,
        around: Option<Envelope<'a>>,
    ) -> Result<Given<'a>, SourceError> {
        let read = Reader { place };
        let mut notes = Vec::new();
        let mut names = Names {
            source: "source",
            content: "content",
        };
        let is_item = self.is_item();
        // Of two names, this server's wins; the other is used only if it has the right type.
        let (mut source, url) = (read.text(("source", self.source))?, as_text(self.url));
        let mut source_type = read.text(("source_type", self.source_type))?;
        if source.is_none() {
            source = read.text_or_null(("url", self.url))?;
            if source.is_some() {
                names.source = "url";
                if !is_item {
                    notes.push("The source was given as url.");
                }
            }
        } else if let (Some(adapter), Some(url)) = (source, url)
            && crate::decay::is_known(adapter)
            && is_address(url)
        {
            names.source = "url";
            source = Some(url);
            source_type = source_type.or(Some(adapter));
        }
        let source = source
            .or(around.map(|around| around.source))
            .ok_or_else(|| read.wrong("source", "is missing"))?;
        let mut content = read.text(("content", self.content))?;
        if content.is_none() && (is_item || names.source == "url" || around.is_some()) {
            content = as_text(self.summary).filter(|text| !is_blank(text));
            if content.is_some() {
                names.content = "summary";
            }
        }
        for (name, value, note) in [
            ("text", self.text, "The content was given as text."),
            ("body", self.body, "The content was given as body."),
        ] {
            if content.is_none()
                && let Some(text) = as_text(value)
            {
                names.content = name;
                content = Some(text);
                notes.push(note);
            }
        }
        let mut published_at = read.text_or_null(("published_at", self.published_at))?;
        for (value, note) in [
            (
                read.text_or_null(("content_date", self.content_date))?,
                "The date was given as content_date.",
            ),
            (as_text(self.date), "The date was given as date."),
        ] {
            if published_at.is_none() && value.is_some() {
                published_at = value;
                notes.push(note);
            }
        }
        let semantic_score = match self.semantic_score {
            Some(Node::Number(number)) => number.as_f64(),
            Some(_) => return Err(read.wrong("semantic_score", "must be a number from 0 to 1")),
            None => match self.score {
                Some(Node::Number(number)) => {
                    // Of what one of our sources has it may be votes.
                    let votes = is_item || source_type.is_some_and(crate::decay::is_known);
                    let score = number
                        .as_f64()
                        .filter(|score| !votes || (0.0..=1.0).contains(score));
                    notes.push(if score.is_some() {
                        "The relevance was given as score."
                    } else {
                        "Its score is no relevance from 0 to 1 and was passed over."
                    });
                    score
                }
                _ => None,
            },
        };
        let metadata = match self.metadata {
            None => None,
            Some(Node::Object(map)) => Some(map),
            Some(_) => return Err(read.wrong("metadata", "must be an object")),
        };
        let kept = |name: &str, value: Option<&'a Node<'a>>| {
            value.or_else(|| metadata.and_then(|map| super::fields::last(map, name)))
        };
        let retrieved_at = read
            .text_or_null(("retrieved_at", self.retrieved_at))?
            .or(around.and_then(|around| around.retrieved_at));
        let given = Given {
            place,
            is_item: is_item || around.is_some(),
            id: read.text(("id", self.id))?,
            source,
            source_type: source_type.or(around.map(|around| around.source_type)),
            title: read.text(("title", self.title))?,
            content,
            published_at,
            retrieved_at,
            semantic_score,
            date_confidence: read.one_of(("date_confidence", self.date_confidence), &DATE_CONFIDENCES)?,
            freshness_confidence: read.one_of(
                ("freshness_confidence", self.freshness_confidence),
                FRESHNESS_CONFIDENCES,
            )?,
            status: read.one_of(("status", self.status), &STATUSES)?,
            metadata,
            fields: self.facts.filter(|facts| matches!(facts, Node::Object(_))),
            http_status: kept("http_status", self.http_status).and_then(http_status),
            content_type: as_text(kept("content_type", self.content_type)),
            final_url: as_text(kept("final_url", self.final_url)),
            notes,
            failed_call: None,
        };
        given.check(&names)?;
        Ok(given)
    }
}

impl Given<'_> {
    /// Finds what is too long, or blank where it must not be.
    fn check(&self, names: &Names) -> Result<(), SourceError> {
        let long = [
            (names.source, Some(self.source), SOURCE_UNITS),
            ("title", self.title, TITLE_UNITS),
            (names.content, self.content, CONTENT_UNITS),
        ];
        for (name, text, most) in long {
            if text.is_some_and(|text| utf16_longer_than(text, most)) {
                return Err(self
                    .place
                    .wrong(name, format_args!("is longer than {most} characters")));
            }
        }
        if is_blank(self.source) {
            return Err(self.place.wrong(names.source, "is blank"));
        }
        if self.title.is_none_or(is_blank) && self.content.is_none_or(is_blank) {
            return Err(SourceError::invalid_input(
                self.place.to_string(),
                "needs a title or content that is not blank",
                SIGNAL,
            ));
        }
        Ok(())
    }
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

fn as_text<'a>(value: Option<&'a Node<'a>>) -> Option<&'a str> {
    match value {
        Some(Node::Str(text)) => Some(text),
        _ => None,
    }
}

fn is_address(text: &str) -> bool {
    text.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("http"))
        && text.contains("://")
}

/// A field's name and what it holds.
type Field<'a> = (&'static str, Option<&'a Node<'a>>);

/// Reads fields of one signal and names what is wrong with them.
struct Reader {
    place: Place,
}

impl Reader {
    fn wrong(&self, name: &str, problem: impl fmt::Display) -> SourceError {
        self.place.wrong(name, problem)
    }

    fn text<'a>(&self, (name, value): Field<'a>) -> Result<Option<&'a str>, SourceError> {
        match value {
            None => Ok(None),
            Some(Node::Str(text)) => Ok(Some(text)),
            Some(Node::Null) => Err(self.wrong(name, "is null; leave it out or give text")),
            Some(_) => Err(self.wrong(name, "must be text")),
        }
    }

    fn text_or_null<'a>(&self, (name, value): Field<'a>) -> Result<Option<&'a str>, SourceError> {
        self.text((name, value.filter(|value| !value.is_null())))
    }

    fn one_of<T: Copy>(&self, field: Field<'_>, known: &[(&str, T)]) -> Result<Option<T>, SourceError> {
        let Some(given) = self.text(field)? else {
            return Ok(None);
        };
        choose(given, known).map(Some).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(id, _)| *id).collect();
            self.wrong(field.0, format_args!("must be one of {}", names.join(", ")))
        })
    }
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
