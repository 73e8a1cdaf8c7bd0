//! Marks of an answer, enough to tell later what changed: ids, dates, hashes. Never content.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use freshcontext_contract::EarlierRequest;
use freshcontext_core::answer::{Scored, ScoredItem, SourceAnswer};
use freshcontext_core::composite::{CompositeAnswer, Part};
use freshcontext_core::provenance::sha256_hex;
use freshcontext_deliverables::{Names, changes_with_time};
use freshcontext_records::make::{document_id, shown_id};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The marks of one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptSection {
    /// The tool that answered it.
    pub tool: String,
    /// Its heading.
    pub label: String,
    /// What that tool was called with.
    pub arguments: Map<String, Value>,
    /// Its marks.
    pub record: Record,
}

/// Hexadecimal digits kept of a part's hash: 48 bits, to compare with one earlier value.
const PART_DIGITS: usize = 12;

/// Name of the part that says whether a thing still stands.
pub(super) const STANDING: &str = "standing";

/// Name of the part that is an item's text as it is shown, and of the one that is its whole text, where that may be longer.
pub(super) const SUMMARY: &str = "summary";
pub(super) const TEXT: &str = "text";

/// The fact that names the day on which an item ends.
const ENDS: &str = "deadline";

/// Arguments that change nothing about what is asked.
const NOT_ASKED: [&str; 2] = ["max_length", "max_age"];

/// One item's marks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The source's own id, else its address, else a hash of its title.
    pub id: String,
    /// When it was published, as the answer said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Hash of each part: `title`, `summary`, `text`, `url`, `standing`, `fields.<name>`.
    pub parts: BTreeMap<String, String>,
    /// The state in which it is, where its source says that it does not stand, or with a reservation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
    /// The day on which it ends by itself, whatever its source says later: the deadline of an advert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<NaiveDate>,
    /// The id that it has in context records, where the caller saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Whether the caller saw it; others are known so that they are not taken for new.
    pub shown: bool,
}

impl Mark {
    /// What names it.
    pub(super) fn names(&self) -> Names<'_> {
        let part_of = |name: &str| self.parts.get(name).map(String::as_str);
        let title = part_of("title");
        // Two of one title are told apart by their place: `Release (2)`.
        let base = match self.id.rsplit_once(" (") {
            Some((base, count))
                if count
                    .strip_suffix(')')
                    .is_some_and(|count| count.parse::<u32>().is_ok()) =>
            {
                base
            }
            _ => &self.id,
        };
        let is_title = |id: &str| title == Some(part(id).as_str());
        let page = title.zip(part_of("url"));
        Names {
            id: &self.id,
            doi: part_of("fields.doi").map(Into::into),
            page: page.filter(|_| is_title(&self.id) || is_title(base)),
        }
    }

    /// Whether its id is its source's own.
    pub(super) fn has_own_id(&self) -> bool {
        self.names().page.is_none()
    }
}

/// An answer's marks, as they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Its items, in the order of the answer.
    pub items: Vec<Mark>,
    /// Hash of what it says as a whole: `summary`, `fields.<name>`.
    pub whole: BTreeMap<String, String>,
    /// The id that an answer without items has in context records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Whether some of it had failed.
    pub partial: bool,
    /// What had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// The route that answered, where its source has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// When the first item leaves it by its age alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
    /// Its exchanges, where all can be asked about.
    pub asked: Vec<EarlierRequest>,
}

/// What is kept of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Kept {
    /// Of several sources: the sections that told something.
    Sections {
        /// In the order of the answer.
        sections: Vec<KeptSection>,
        /// Headings of those that failed, or whose content was held back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unanswered: Vec<String>,
    },
    /// Of one source.
    Answer(Record),
}

impl Kept {
    /// The hash of the answer that its row stores beside it.
    pub(super) fn hash(&self) -> String {
        self.hash_of(Record::hash)
    }

    /// The same as answers that were kept earlier have it.
    pub(super) fn earlier_hash(&self) -> String {
        self.hash_of(Record::earlier_hash)
    }

    fn hash_of(&self, hash: fn(&Record) -> String) -> String {
        match self {
            Self::Answer(record) => hash(record),
            Self::Sections { sections, .. } => {
                let hashes: Vec<String> = sections
                    .iter()
                    .map(|section| format!("{}\t{}\t{}", section.tool, section.label, hash(&section.record)))
                    .collect();
                sha256_hex(&hashes.join("\n"))
            }
        }
    }

    /// Items that the caller saw.
    pub(super) fn shown(&self) -> usize {
        let of = |record: &Record| record.items.iter().filter(|item| item.shown).count();
        match self {
            Self::Answer(record) => of(record),
            Self::Sections { sections, .. } => sections.iter().map(|section| of(&section.record)).sum(),
        }
    }
}

/// What is about to be kept of an answer.
#[derive(Debug)]
pub struct Draft {
    pub(super) record: Kept,
    pub(super) hash: String,
    pub(super) tool: String,
    pub(super) arguments: String,
    pub(super) retrieved_ms: i64,
}

impl Draft {
    /// The marks of an answer.
    pub(crate) fn of_source(
        answer: &SourceAnswer,
        arguments: &Map<String, Value>,
        asked: Vec<EarlierRequest>,
    ) -> Self {
        let record = Record::of_answer(answer, asked);
        Self {
            hash: record.hash(),
            record: Kept::Answer(record),
            tool: answer.scored().tool().to_owned(),
            arguments: canonical(arguments),
            retrieved_ms: answer.scored().retrieved_at().timestamp_millis(),
        }
    }

    /// The marks of a composite's sections, with the exchanges of each; `None` where no source answered. A section that
    /// failed leaves nothing to recheck. Of one that is too old for the caller a warning stands in place of the answer.
    pub(crate) fn of_composite(
        answer: &CompositeAnswer,
        tool: &str,
        arguments: &Map<String, Value>,
        asked: impl Iterator<Item = Vec<EarlierRequest>>,
    ) -> Option<Self> {
        let retrieved = answer
            .sections()
            .iter()
            .filter_map(|section| match &section.part {
                Part::Answered(answer) => Some(answer.scored().retrieved_at()),
                Part::Held(held) => Some(held.retrieved_at),
                Part::Skipped(_) | Part::Failed(_) => None,
            });
        let retrieved = retrieved.min()?;
        let sections = answer.sections().iter().zip(asked);
        let sections: Vec<KeptSection> = sections
            .filter_map(|(section, asked)| {
                let Part::Answered(answer) = &section.part else {
                    return None;
                };
                let arguments = section.arguments.as_ref().and_then(Value::as_object);
                let mut record = Record::of_answer(answer, asked);
                record.know(&section.left_out);
                Some(KeptSection {
                    tool: section.tool.to_owned(),
                    label: section.label.clone(),
                    arguments: arguments.cloned().unwrap_or_default(),
                    record,
                })
            })
            .collect();
        let unanswered = answer.sections().iter();
        let unanswered = unanswered.filter(|section| matches!(section.part, Part::Failed(_) | Part::Held(_)));
        let record = Kept::Sections {
            sections,
            unanswered: unanswered.map(|section| section.label.clone()).collect(),
        };
        Some(Self {
            hash: record.hash(),
            tool: tool.to_owned(),
            arguments: canonical(arguments),
            retrieved_ms: retrieved.timestamp_millis(),
            record,
        })
    }
}

impl Record {
    /// Of an answer that nothing is known of.
    pub(super) fn empty() -> Self {
        Self {
            items: Vec::new(),
            whole: BTreeMap::new(),
            document: None,
            partial: false,
            unread: Vec::new(),
            route: None,
            until: None,
            asked: Vec::new(),
        }
    }

    /// Of an answer that a caller is shown a part of.
    fn of_answer(answer: &SourceAnswer, asked: Vec<EarlierRequest>) -> Self {
        let scored = answer.scored();
        let mut record = Self::of(scored, asked);
        for mark in record.items.iter_mut().skip(answer.items().len()) {
            mark.shown = false;
        }
        for (mark, (item, summary)) in record.items.iter_mut().zip(answer.items()) {
            // Of what was shown: it may have been cut.
            mark.item = Some(shown_id(scored, item, summary));
        }
        record.document = document_id(answer);
        record
    }

    /// Of an answer that is not shown.
    pub(super) fn of(scored: &Scored, asked: Vec<EarlierRequest>) -> Self {
        let mut whole = BTreeMap::new();
        if let Some(summary) = scored.summary() {
            whole.insert("summary".to_owned(), part(summary));
        }
        if let Some(subject) = scored.subject() {
            whole.insert(STANDING.to_owned(), part(&subject.line()));
        }
        for (name, value) in scored.fields() {
            whole.insert(format!("fields.{name}"), part(&orderless(value)));
        }
        Self {
            items: marks(scored.items()),
            whole,
            document: None,
            partial: !scored.is_complete(),
            unread: scored.unread().map(|part| part.what.clone()).collect(),
            route: scored.route().map(str::to_owned),
            until: scored.until(),
            asked,
        }
    }

    /// Leaves out items that the caller asked not to see, by their places, but for those that the earlier answer had.
    pub(super) fn leave_out(&mut self, then: &Self, is_out: &[bool]) {
        let known: BTreeSet<&str> = then.items.iter().map(|mark| mark.id.as_str()).collect();
        let mut places = is_out.iter();
        self.items.retain(|mark| {
            let is_out = places.next().copied().unwrap_or_default();
            !is_out || known.contains(mark.id.as_str())
        });
    }

    /// Adds items that the caller asked not to see, so that they are not taken for new.
    fn know(&mut self, left_out: &[ScoredItem]) {
        let known: BTreeSet<String> = self.items.iter().map(|mark| mark.id.clone()).collect();
        let others = marks(left_out)
            .into_iter()
            .filter(|mark| !known.contains(&mark.id));
        self.items
            .extend(others.map(|mark| Mark { shown: false, ..mark }));
    }

    /// Whether one of its items has ended by itself since, or is too old for the question, so that a source that says the same does not settle what became of it.
    pub(super) fn has_ended(&self, now: DateTime<Utc>) -> bool {
        let today = now.date_naive();
        let is_past = self.until.is_some_and(|until| until < now);
        is_past
            || self
                .items
                .iter()
                .any(|item| item.standing.is_none() && item.ends.is_some_and(|day| day < today))
    }

    /// Whether another of the source's routes answered than for this one: one may list more than the other, and say more
    /// of an item.
    pub(super) fn is_by_other_route(&self, than: &Self) -> bool {
        self.route.is_some() && than.route.is_some() && self.route != than.route
    }

    /// SHA-256 over the sorted ids, dates and hashes of the items, with those of the whole. What changes with time alone
    /// does not count, nor how much of a text is shown.
    pub(super) fn hash(&self) -> String {
        self.hash_over(|parts, name| {
            let is_excerpt = name == SUMMARY && parts.contains_key(TEXT);
            !changes_with_time(name) && !is_excerpt
        })
    }

    /// The same over every part but the whole texts, as it was once: callers and stores hold some.
    pub(super) fn earlier_hash(&self) -> String {
        self.hash_over(|_, name| name != TEXT)
    }

    fn hash_over(&self, counts: impl Fn(&BTreeMap<String, String>, &str) -> bool) -> String {
        let parts = |parts: &BTreeMap<String, String>| {
            parts
                .iter()
                .filter(|(name, _)| counts(parts, name))
                .map(|(name, hash)| format!("{name}={hash}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut lines: Vec<String> = self
            .items
            .iter()
            .map(|item| {
                let date = item.date.as_deref().unwrap_or_default();
                format!("{}\t{date}\t{}", item.id, parts(&item.parts))
            })
            .collect();
        lines.sort_unstable();
        lines.push(parts(&self.whole));
        sha256_hex(&lines.join("\n"))
    }
}

/// The marks of items. Two of one id are told apart by their place among these.
fn marks(items: &[ScoredItem]) -> Vec<Mark> {
    let mut seen = BTreeSet::new();
    let mut marks: Vec<Mark> = Vec::with_capacity(items.len());
    for item in items {
        let mut mark = mark(item);
        let base = mark.id.clone();
        let mut count = 1;
        while !seen.insert(mark.id.clone()) {
            count += 1;
            mark.id = format!("{base} ({count})");
        }
        marks.push(mark);
    }
    marks
}

fn mark(item: &ScoredItem) -> Mark {
    let mut parts = BTreeMap::from([
        ("title".to_owned(), part(&item.title)),
        (SUMMARY.to_owned(), part(&item.summary)),
    ]);
    if let Some(url) = &item.url {
        parts.insert("url".to_owned(), part(url));
    }
    if let Some(hash) = &item.text_hash {
        parts.insert(TEXT.to_owned(), hash.chars().take(PART_DIGITS).collect());
    }
    for (name, value) in &item.fields {
        // DOIs are compared without case (<https://www.doi.org/doi-handbook/HTML/case-sensitivity.html>).
        let text = match name.as_str() {
            "doi" => orderless(value).to_lowercase(),
            _ => orderless(value),
        };
        parts.insert(format!("fields.{name}"), part(&text));
    }
    if let Some(standing) = &item.standing {
        parts.insert(STANDING.to_owned(), part(&standing.line()));
    }
    Mark {
        standing: item
            .standing
            .as_ref()
            .map(|standing| standing.state.as_str().to_owned()),
        id: item
            .id
            .clone()
            .or_else(|| item.url.clone())
            .unwrap_or_else(|| format!("title:{}", part(&item.title))),
        date: item.date.shown.clone(),
        ends: item.fields.get(ENDS).and_then(|day| day.as_str()?.parse().ok()),
        parts,
        item: None,
        shown: true,
    }
}

/// A value as text, its lists in one order: another order is no change.
fn orderless(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            let mut all: Vec<String> = values.iter().map(orderless).collect();
            all.sort_unstable();
            format!("[{}]", all.join(","))
        }
        Value::Object(fields) => {
            let all: BTreeMap<&String, String> = fields
                .iter()
                .map(|(name, value)| (name, orderless(value)))
                .collect();
            format!("{all:?}")
        }
        other => other.to_string(),
    }
}

pub(super) fn part(text: &str) -> String {
    let mut hash = sha256_hex(text);
    hash.truncate(PART_DIGITS);
    hash
}

/// The arguments as JSON with sorted names, without those that change nothing about what is asked.
pub(super) fn canonical(arguments: &Map<String, Value>) -> String {
    let sorted: BTreeMap<&String, &Value> = arguments
        .iter()
        .filter(|(name, value)| !NOT_ASKED.contains(&name.as_str()) && !value.is_null())
        .collect();
    serde_json::to_string(&sorted).unwrap_or_default()
}
