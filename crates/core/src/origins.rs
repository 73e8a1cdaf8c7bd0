//! How many independent origins the items of an answer have: copies are told, never left out, and never add confidence.

use freshcontext_budget::Sketch;
use freshcontext_contract::counted;
use freshcontext_contract::limits::ORIGINS_ITEMS;
use freshcontext_origins::{Dated, NAMED, Origins, View, find};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use crate::date::{Confidence, Resolved, duration_words};

/// Ids of the sources whose lists say how many origins they have: their items are reports of what others report, too.
const LISTED: [&str; 3] = ["gdelt", "hackernews", "reddit"];

/// Facts that name the page that an item is about.
const LINKS: [&str; 8] = [
    "link",
    "target",
    "story_url",
    "external_url",
    "canonical_url",
    "canonical",
    "discussion",
    "doi",
];

/// Facts that name the project that an item is of.
const PROJECTS: [&str; 4] = ["repository", "homepage", "website", "repo"];

/// Whether lists of this source say how many origins they have.
pub fn is_told_by(adapter: &str) -> bool {
    LISTED.contains(&adapter)
}

/// The origins of a list, with the number under which its answer names each item.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    found: Origins,
    numbers: Vec<usize>,
}

impl Told {
    /// The origins of the items of an answer, or of several; `None` for fewer than two items, and for a discussion.
    pub(crate) fn of_list(views: &[View<'_>]) -> Option<Self> {
        let is_list = views.len() > 1 && !views.iter().any(View::is_comment);
        is_list.then(|| Self::new(views, (1..=views.len()).collect()))
    }

    /// The origins of these, named by these numbers.
    pub(crate) fn new(views: &[View<'_>], numbers: Vec<usize>) -> Self {
        Self {
            found: find(views, ORIGINS_ITEMS),
            numbers,
        }
    }

    fn number(&self, at: usize) -> usize {
        self.numbers.get(at).copied().unwrap_or_default()
    }

    /// What was found.
    pub fn found(&self) -> &Origins {
        &self.found
    }

    /// In one phrase: `14 items, 6 origins`.
    pub fn phrase(&self) -> String {
        self.found.phrase()
    }

    /// A line for each origin with several items and for each disagreement, as long as they fit into so many characters; `name` names
    /// an item by its number.
    pub fn lines(&self, name: impl Fn(usize) -> String, mut room: usize) -> Vec<String> {
        let all = self.found.lines(|at| name(self.number(at)), duration_words);
        let count = all.len();
        let mut out = Vec::new();
        for line in all {
            let length = line.chars().count() + 1;
            if length > room {
                break;
            }
            room -= length;
            out.push(line);
        }
        if out.len() < count {
            let left = counted(count - out.len(), "more line", "more lines");
            out.push(format!("{left} on origins left out to fit."));
        }
        out
    }

    /// The structured form; `name` names an item by its number.
    pub fn structure(&self, name: impl Fn(usize) -> Value) -> Value {
        let Origins {
            items,
            origins,
            clusters,
            disagreements,
            not_compared,
        } = &self.found;
        let names = |list: &[usize]| {
            list.iter()
                .map(|at| name(self.number(*at)))
                .collect::<Vec<Value>>()
        };
        let mut out = Map::from_iter([
            ("items".to_owned(), (*items).into()),
            ("origins".to_owned(), (*origins).into()),
        ]);
        let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
        if !clusters.is_empty() {
            let clusters = clusters.iter().take(NAMED).map(|cluster| {
                let because: Vec<String> = cluster.reasons.iter().map(ToString::to_string).collect();
                let mut one = json!({
                    "items": names(&cluster.members),
                    "because": because,
                    "first": names(&cluster.first),
                });
                if let Some(one) = one.as_object_mut() {
                    if let Some(ahead) = cluster.ahead {
                        one.insert("ahead".to_owned(), duration_words(ahead).into());
                    }
                    if !cluster.day_only.is_empty() {
                        one.insert("day_only".to_owned(), names(&cluster.day_only).into());
                    }
                    if cluster.undated > 0 {
                        one.insert("undated".to_owned(), cluster.undated.into());
                    }
                }
                one
            });
            put("clusters", clusters.collect());
        }
        if !disagreements.is_empty() {
            let disagreements = disagreements.iter().take(NAMED).map(|disagreement| {
                let values = disagreement
                    .values
                    .iter()
                    .map(|(value, items)| json!({"value": value, "items": names(items)}));
                json!({"of": disagreement.of, "values": values.collect::<Vec<_>>()})
            });
            put("disagreement", disagreements.collect());
        }
        if *not_compared > 0 {
            put("not_compared", (*not_compared).into());
        }
        out.into()
    }
}

impl Serialize for Told {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.structure(Value::from).serialize(serializer)
    }
}

/// A date as the comparison takes it.
fn dated(date: &Resolved) -> Option<Dated> {
    Some(Dated {
        at: date.instant?,
        whole_day: date.day_only(),
        reliable: date.confidence >= Confidence::Medium,
    })
}

/// An item of an answer as the comparison takes it.
pub(crate) struct Facts<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its page.
    pub url: Option<&'a str>,
    /// Its text.
    pub text: &'a str,
    /// Its date.
    pub date: &'a Resolved,
    /// The source's own facts.
    pub fields: &'a Map<String, Value>,
}

/// The view of an item of this source.
pub(crate) fn of_item<'a>(adapter: &'static str, item: &Facts<'a>) -> View<'a> {
    let fields = item.fields;
    let facts = |names: &[&str]| -> Vec<&'a str> {
        let texts = names.iter().filter_map(|name| fields.get(*name)?.as_str());
        texts.collect()
    };
    View {
        title: item.title,
        url: item.url,
        links: facts(&LINKS),
        projects: facts(&PROJECTS),
        text: item.text,
        author: fields.get("author").and_then(Value::as_str),
        source_type: adapter,
        date: dated(item.date),
        sketch: None,
    }
}

/// What of a caller's signal tells its origin.
pub(crate) struct Shown<'a> {
    /// Its title.
    pub title: Option<&'a str>,
    /// Its source.
    pub source: &'a str,
    /// Where its retrieval ended.
    pub final_url: Option<&'a str>,
    /// Its text.
    pub content: Option<&'a str>,
    /// Kind of source.
    pub source_type: &'a str,
    /// When it was published.
    pub date: Option<Dated>,
    /// The sketch of its text.
    pub sketch: &'a Sketch,
    /// Facts of it, as its source or its holder has them.
    pub facts: [Option<&'a ObjectAsVec<'a>>; 2],
}

/// A caller's signal as the comparison takes it.
pub(crate) fn of_signal<'a>(shown: &Shown<'a>) -> View<'a> {
    let facts = |names: &[&str]| -> Vec<&'a str> {
        let objects = shown.facts.into_iter().flatten();
        let held = objects
            .flat_map(ObjectAsVec::iter)
            .filter(|(name, _)| names.contains(name));
        held.filter_map(|(_, value)| match value {
            Node::Str(text) => Some(text.as_ref()),
            _ => None,
        })
        .collect()
    };
    View {
        title: shown.title.unwrap_or_default(),
        url: Some(shown.source),
        links: shown.final_url.into_iter().chain(facts(&LINKS)).collect(),
        projects: facts(&PROJECTS),
        text: shown.content.unwrap_or_default(),
        author: facts(&["author", "byline"]).first().copied(),
        source_type: shown.source_type,
        date: shown.date,
        sketch: Some(shown.sketch),
    }
}
