//! Marks of an answer, enough to tell later what changed: ids, dates, hashes. Never content.

use std::collections::{BTreeMap, BTreeSet};

use freshcontext_contract::EarlierRequest;
use freshcontext_core::answer::{Scored, ScoredItem};
use freshcontext_core::evaluate::item_identity;
use freshcontext_core::provenance::sha256_hex;
use freshcontext_records::make::{document_id, item_id};
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
    /// Hash of each part: `title`, `summary`, `url`, `fields.<name>`.
    pub parts: BTreeMap<String, String>,
    /// The id that it has in context records, where the caller saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// Whether the caller saw it; others are known so that they are not taken for new.
    pub shown: bool,
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
    /// The route that answered, where its source has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
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
    },
    /// Of one source.
    Answer(Record),
}

impl Kept {
    /// Items that the caller saw.
    pub(super) fn shown(&self) -> usize {
        let of = |record: &Record| record.items.iter().filter(|item| item.shown).count();
        match self {
            Self::Answer(record) => of(record),
            Self::Sections { sections } => sections.iter().map(|section| of(&section.record)).sum(),
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
    /// The marks of an answer of which `structured` shows a part.
    pub fn of(
        scored: &Scored,
        structured: &Value,
        arguments: &Map<String, Value>,
        asked: Vec<EarlierRequest>,
    ) -> Self {
        let shown = structured
            .get("items")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        let record = Record::of(scored.items(), structured, shown, asked);
        Self {
            hash: record.hash(),
            record: Kept::Answer(record),
            tool: scored.tool().to_owned(),
            arguments: canonical(arguments),
            retrieved_ms: scored.retrieved_at().timestamp_millis(),
        }
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
            route: None,
            asked: Vec::new(),
        }
    }

    pub(super) fn of(
        items: &[ScoredItem],
        structured: &Value,
        shown: usize,
        asked: Vec<EarlierRequest>,
    ) -> Self {
        let texts = structured.get("items").and_then(Value::as_array);
        let texts = texts.map_or(&[][..], Vec::as_slice);
        let mut seen = BTreeSet::new();
        let mut marks: Vec<Mark> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let mut mark = mark(item);
            mark.shown = at < shown;
            // Of what was shown: it may have been cut.
            mark.item = texts.get(at).map(|item| item_id(item, item_identity));
            // Two of one id are told apart by their place among these.
            let base = mark.id.clone();
            let mut count = 1;
            while !seen.insert(mark.id.clone()) {
                count += 1;
                mark.id = format!("{base} ({count})");
            }
            marks.push(mark);
        }
        let mut whole = BTreeMap::new();
        if let Some(summary) = structured.get("summary").and_then(Value::as_str) {
            whole.insert("summary".to_owned(), part(summary));
        }
        for (name, value) in structured
            .get("fields")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            whole.insert(format!("fields.{name}"), part(&value.to_string()));
        }
        Self {
            items: marks,
            whole,
            document: document_id(structured, item_identity),
            partial: structured.get("status").and_then(Value::as_str) == Some("partial"),
            route: structured.get("route").and_then(Value::as_str).map(str::to_owned),
            asked,
        }
    }

    /// Whether another of the source's routes answered than for this one: one may list more than the other, and say more
    /// of an item.
    pub(super) fn is_by_other_route(&self, than: &Self) -> bool {
        self.route.is_some() && than.route.is_some() && self.route != than.route
    }

    /// SHA-256 over the sorted ids, dates and hashes of the items, with those of the whole.
    pub(super) fn hash(&self) -> String {
        let parts = |parts: &BTreeMap<String, String>| {
            parts
                .iter()
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

fn mark(item: &ScoredItem) -> Mark {
    let mut parts = BTreeMap::from([
        ("title".to_owned(), part(&item.title)),
        ("summary".to_owned(), part(&item.summary)),
    ]);
    if let Some(url) = &item.url {
        parts.insert("url".to_owned(), part(url));
    }
    for (name, value) in &item.fields {
        parts.insert(format!("fields.{name}"), part(&value.to_string()));
    }
    Mark {
        id: item
            .id
            .clone()
            .or_else(|| item.url.clone())
            .unwrap_or_else(|| format!("title:{}", part(&item.title))),
        date: item.date.shown.clone(),
        parts,
        item: None,
        shown: true,
    }
}

fn part(text: &str) -> String {
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
