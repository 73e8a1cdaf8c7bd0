//! Differences between two versions, by item and field.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::matching::{Names, matches};
use crate::version::{Entry, Snapshot, State, Version};

/// Fields that change with time alone: ages, badges of the job boards, and counts of the last days, which tools compute from
/// the day of the call.
const WITH_TIME: [&str; 9] = [
    "retrieved_at",
    "age",
    "freshness_score",
    "fields.age_days",
    "fields.badge",
    "fields.deadline_passed",
    "fields.releases_30d",
    "fields.releases_90d",
    "fields.releases_365d",
];
/// [`Removed::detail`] of an item that its source reports as removed.
pub const GONE: &str = "gone";
/// The field that says whether an item still stands.
const STANDING: &str = "standing";
/// The field that holds an item's id, where its source has one.
const ID: &str = "id";
/// The field that holds an item's text, or its beginning.
const SUMMARY: &str = "summary";
/// The field with the SHA-256 of the whole text, where `summary` holds its beginning.
pub const TEXT_HASH: &str = "text_sha256";
/// Shortest beginning of a text that is taken for one, in bytes: a short text may end with an ellipsis of its own.
const EXCERPT_BYTES: usize = 300;
/// Prefix of the fields of an item's evaluation.
const JUDGED: &str = "judged.";

/// Whether a field changes with time alone, so that its change says nothing of its source.
pub fn changes_with_time(field: &str) -> bool {
    WITH_TIME.contains(&field)
}

/// One side of the comparison: a version, or the current state.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// State of its sources.
    pub snapshots: &'a [Snapshot],
    /// Its items.
    pub items: &'a [Entry],
}

impl<'a> From<&'a Version> for Side<'a> {
    fn from(version: &'a Version) -> Self {
        Self {
            snapshots: &version.source_snapshots,
            items: &version.items,
        }
    }
}

/// The differences. Applied to the first side, they give the second, except for the order of items.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// Items of the second side only.
    pub added: Vec<Added>,
    /// Items of the first side only, if the source could be read.
    pub removed: Vec<Removed>,
    /// Items whose content differs.
    pub changed: Vec<Changed>,
    /// Items whose content is the same at a later time.
    pub aged: Vec<Aged>,
    /// Items of the first side whose source could not be read for the second: their state is unknown.
    pub could_not_check: Vec<Dropped>,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Added {
    /// The item.
    #[serde(flatten)]
    pub entry: Entry,
    /// `not_known_before` if the source could not be read for the first side: the item may have existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A removed item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    /// Its resource.
    pub resource: String,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `gone` if the source reports it, `outside_window` if it is no longer listed, `not_followed` if its
    /// source was removed from the deliverable.
    pub detail: String,
}

/// One field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// `title`, `published_at`, `fields.points`, `judged.decision`.
    pub field: String,
    /// Value of the first side; `None` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub then: Option<Value>,
    /// Value of the second side; `None` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
    pub now: Option<Value>,
}

impl FieldChange {
    /// Describes the change on one line: `fields.points: 1 is now 2`, with ` is now ` as `between`. `quote`
    /// quotes source text.
    pub fn words(&self, between: &str, quote: fn(&str) -> String) -> String {
        let shown = |value: &Option<Value>| match value {
            None => "nothing".to_owned(),
            Some(plain @ (Value::Null | Value::Bool(_) | Value::Number(_))) => plain.to_string(),
            Some(Value::String(text)) => quote(text),
            Some(Value::Object(standing)) if self.field == STANDING => {
                quote(&state_of(&Value::Object(standing.clone())).unwrap_or_default())
            }
            Some(other) => quote(&other.to_string()),
        };
        if self.field == TEXT_HASH {
            return "text: edited beyond what is held".to_owned();
        }
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let field = if self.field.chars().all(known) {
            self.field.clone()
        } else {
            quote(&self.field)
        };
        format!("{field}: {}{between}{}", shown(&self.then), shown(&self.now))
    }
}

/// Distinguishes a null value from an absent one.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// An item whose content differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// Its resource.
    pub resource: String,
    /// Its id.
    pub id: String,
    /// Its id on the first side, if that is another: of an earlier version of a paper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_then: Option<String>,
    /// Its current title.
    pub title: String,
    /// Its current URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Fields that differ; `standing` comes first.
    pub fields: Vec<FieldChange>,
    /// Fields that change with time, and both evaluations.
    pub aged: Vec<FieldChange>,
}

/// An item whose content is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aged {
    /// Its resource.
    pub resource: String,
    /// Its id.
    pub id: String,
    /// Its id on the first side, if that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_then: Option<String>,
    /// Fields that change with time, and both evaluations.
    pub aged: Vec<FieldChange>,
}

/// An item whose state is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Its resource.
    pub resource: String,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
}

impl Changed {
    /// The changes, each on one line: see [`FieldChange::words`].
    pub fn words(&self, between: &str, quote: fn(&str) -> String) -> Vec<String> {
        let id = self.id_then.as_ref().map(|then| FieldChange {
            field: ID.to_owned(),
            then: Some(then.as_str().into()),
            now: Some(self.id.as_str().into()),
        });
        let is_told = self.fields.iter().any(|change| change.field == ID);
        let id = id.filter(|_| !is_told);
        id.iter()
            .chain(&self.fields)
            .map(|change| change.words(between, quote))
            .collect()
    }

    /// The state in which the item is now, if that is what changed.
    pub fn standing(&self) -> Option<String> {
        let change = self.fields.iter().find(|change| change.field == STANDING)?;
        state_of(change.now.as_ref()?)
    }
}

/// The state in what an item says of its standing.
fn state_of(standing: &Value) -> Option<String> {
    #[derive(Deserialize)]
    struct Standing {
        state: String,
    }
    Some(Standing::deserialize(standing).ok()?.state)
}

impl Diff {
    /// Whether the sides are equal.
    pub fn is_empty(&self) -> bool {
        !self.is_news() && self.aged.is_empty() && self.could_not_check.is_empty()
    }

    /// Whether a source's content differs, apart from changes by time alone.
    pub fn is_news(&self) -> bool {
        !(self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty())
    }
}

type Key<'a> = (&'a str, &'a str);

fn by_key(items: &[Entry]) -> BTreeMap<Key<'_>, &Entry> {
    items
        .iter()
        .map(|entry| ((entry.resource.as_str(), entry.id.as_str()), entry))
        .collect()
}

/// Compares two sides. The order of items does not count, and an unreadable source yields no removals.
pub fn diff(first: Side<'_>, second: Side<'_>) -> Diff {
    let (before, after) = (by_key(first.items), by_key(second.items));
    let mut out = Diff::default();
    let same = same_items(&before, &after, second.snapshots);
    for (key, entry) in &before {
        match same.get(key).and_then(|id| after.get(&(key.0, *id))) {
            Some(fresh) => differences(entry, fresh, &mut out),
            None => absent(entry, snapshot_of(second.snapshots, key.0), &mut out),
        }
    }
    let known: BTreeSet<Key<'_>> = same.iter().map(|(key, id)| (key.0, *id)).collect();
    for (key, entry) in &after {
        if known.contains(key) {
            continue;
        }
        let known = snapshot_of(first.snapshots, key.0);
        let unsure = known.is_some_and(|snapshot| matches!(snapshot.state, State::Partial | State::LeftOut));
        out.added.push(Added {
            entry: (*entry).clone(),
            detail: unsure.then(|| "not_known_before".to_owned()),
        });
    }
    let of_standing = |changed: &Changed| changed.fields.iter().any(|change| change.field == STANDING);
    out.changed.sort_by_key(|changed| !of_standing(changed));
    out
}

/// The ids that the items of the first side have on the second.
fn same_items<'a>(
    before: &BTreeMap<Key<'a>, &'a Entry>,
    after: &BTreeMap<Key<'a>, &'a Entry>,
    now: &[Snapshot],
) -> BTreeMap<Key<'a>, &'a str> {
    let by_source = |items: &BTreeMap<Key<'a>, &'a Entry>| {
        let mut names: BTreeMap<&'a str, Vec<Names<'a>>> = BTreeMap::new();
        for (key, entry) in items {
            names.entry(key.0).or_default().push(entry.names());
        }
        names
    };
    let after = by_source(after);
    let found = by_source(before).into_iter().flat_map(|(resource, mut names)| {
        // What is gone by its source's word is not there under another id.
        if let Some(now) = snapshot_of(now, resource) {
            names.retain(|names| !now.gone.iter().any(|gone| gone == names.id));
        }
        let later = after.get(resource).map(Vec::as_slice).unwrap_or_default();
        let pairs = matches(&names, later).into_iter();
        pairs.map(move |(id, later)| ((resource, id), later))
    });
    found.collect()
}

fn snapshot_of<'a>(snapshots: &'a [Snapshot], resource: &str) -> Option<&'a Snapshot> {
    snapshots.iter().find(|snapshot| snapshot.resource_id == resource)
}

fn absent(entry: &Entry, now: Option<&Snapshot>, out: &mut Diff) {
    let detail = match now {
        None => Some("not_followed"),
        // A reported removal is conclusive, whatever else could not be read.
        Some(now) if now.gone.contains(&entry.id) => Some(GONE),
        Some(now) if now.state != State::Current => None,
        Some(_) => Some("outside_window"),
    };
    match detail {
        Some(detail) => out.removed.push(Removed {
            resource: entry.resource.clone(),
            id: entry.id.clone(),
            title: entry.title().to_owned(),
            url: entry.text("url").map(str::to_owned),
            detail: detail.to_owned(),
        }),
        None => out.could_not_check.push(Dropped {
            resource: entry.resource.clone(),
            id: entry.id.clone(),
            title: entry.title().to_owned(),
        }),
    }
}

fn differences(then: &Entry, now: &Entry, out: &mut Diff) {
    let (before, after) = (flat(then), flat(now));
    let then_id = then.id.as_str();
    let (text_then, text_now) = (before.get(SUMMARY), after.get(SUMMARY));
    let is_text_told = text_then != text_now && !is_same_text(text_then, text_now);
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let (mut fields, mut aged) = (Vec::new(), Vec::new());
    for name in names {
        let (then, now) = (before.get(name), after.get(name));
        if then == now {
            continue;
        }
        let change = FieldChange {
            field: name.clone(),
            then: then.map(|value| (*value).clone()),
            now: now.map(|value| (*value).clone()),
        };
        // Where one side holds all of it, the texts themselves are compared.
        let is_same_text = match name.as_str() {
            SUMMARY => !is_text_told,
            TEXT_HASH => then.is_none() || now.is_none() || is_text_told,
            _ => false,
        };
        if is_same_text || name.starts_with(JUDGED) || WITH_TIME.contains(&name.as_str()) {
            aged.push(change);
        } else {
            fields.push(change);
        }
    }
    fields.sort_by_key(|change| change.field != STANDING);
    let (resource, id) = (now.resource.clone(), now.id.clone());
    let id_then = (then_id != id).then(|| then_id.to_owned());
    let has_own_id = now.names().page.is_none();
    // A title that stands in for an id is told as such.
    let is_renamed = id_then.is_some() && has_own_id;
    if !fields.is_empty() || is_renamed {
        out.changed.push(Changed {
            resource,
            id,
            id_then,
            title: now.title().to_owned(),
            url: now.text("url").map(str::to_owned),
            fields,
            aged,
        });
    } else if !aged.is_empty() || id_then.is_some() {
        out.aged.push(Aged {
            resource,
            id,
            id_then,
            aged,
        });
    }
}

/// Whether one text is the beginning of the other. A list shows more of its first items than of the rest, so an item that moves
/// down in it is shown with less of the same text.
fn is_same_text(then: Option<&&Value>, now: Option<&&Value>) -> bool {
    let is_beginning = |one: &str, other: &str| {
        one.strip_suffix('…')
            .is_some_and(|begun| begun.len() >= EXCERPT_BYTES && other.starts_with(begun))
    };
    match (
        then.and_then(|then| then.as_str()),
        now.and_then(|now| now.as_str()),
    ) {
        (Some(then), Some(now)) => is_beginning(then, now) || is_beginning(now, then),
        _ => false,
    }
}

/// Returns an item's fields by name; those below `fields` separately.
fn flat(entry: &Entry) -> BTreeMap<String, &Value> {
    let mut out = BTreeMap::new();
    for (name, value) in &entry.item {
        match value {
            Value::Object(inner) if name == "fields" && !inner.is_empty() => {
                out.extend(
                    inner
                        .iter()
                        .map(|(inner, value)| (format!("fields.{inner}"), value)),
                );
            }
            _ => {
                out.insert(name.clone(), value);
            }
        }
    }
    out.extend(
        entry
            .judged
            .iter()
            .map(|(name, value)| (format!("{JUDGED}{name}"), value)),
    );
    out
}

/// Applies the differences to the first side's items. Returns the second's, by resource and id.
pub fn apply(first: &[Entry], diff: &Diff) -> Vec<Entry> {
    let mut items: BTreeMap<(String, String), Entry> = first
        .iter()
        .map(|entry| ((entry.resource.clone(), entry.id.clone()), entry.clone()))
        .collect();
    let removed = diff.removed.iter().map(|one| (&one.resource, &one.id));
    let dropped = diff.could_not_check.iter().map(|one| (&one.resource, &one.id));
    for (resource, id) in removed.chain(dropped) {
        items.remove(&(resource.clone(), id.clone()));
    }
    let renamed = diff
        .changed
        .iter()
        .map(|one| (&one.resource, &one.id, &one.id_then));
    let renamed = renamed.chain(diff.aged.iter().map(|one| (&one.resource, &one.id, &one.id_then)));
    // All at once, because one may have the id that another had.
    let mut moved = Vec::new();
    for (resource, id, id_then) in renamed {
        let was = id_then.as_ref();
        if let Some(entry) = was.and_then(|was| items.remove(&(resource.clone(), was.clone()))) {
            moved.push((
                (resource.clone(), id.clone()),
                Entry {
                    id: id.clone(),
                    ..entry
                },
            ));
        }
    }
    items.extend(moved);
    let changed = diff.changed.iter().map(|one| {
        let changes = one.fields.iter().chain(&one.aged).collect::<Vec<_>>();
        (&one.resource, &one.id, changes)
    });
    let aged = diff
        .aged
        .iter()
        .map(|one| (&one.resource, &one.id, one.aged.iter().collect()));
    for (resource, id, changes) in changed.chain(aged) {
        if let Some(entry) = items.get_mut(&(resource.clone(), id.clone())) {
            // Removals come first: `fields` as a whole, and `fields.x`.
            for change in changes.iter().filter(|change| change.now.is_none()) {
                set(entry, &change.field, None);
            }
            for change in changes.iter().filter(|change| change.now.is_some()) {
                set(entry, &change.field, change.now.clone());
            }
        }
    }
    for added in &diff.added {
        let key = (added.entry.resource.clone(), added.entry.id.clone());
        items.insert(key, added.entry.clone());
    }
    items.into_values().collect()
}

fn set(entry: &mut Entry, field: &str, value: Option<Value>) {
    let put = |map: &mut Map<String, Value>, name: &str, value: Option<Value>| match value {
        Some(value) => {
            map.insert(name.to_owned(), value);
        }
        None => {
            map.remove(name);
        }
    };
    if let Some(name) = field.strip_prefix(JUDGED) {
        put(&mut entry.judged, name, value);
    } else if let Some(name) = field.strip_prefix("fields.") {
        if !matches!(entry.item.get("fields"), Some(Value::Object(_))) {
            if value.is_none() {
                return;
            }
            entry.item.insert("fields".to_owned(), Value::Object(Map::new()));
        }
        if let Some(Value::Object(inner)) = entry.item.get_mut("fields") {
            put(inner, name, value);
            if inner.is_empty() {
                entry.item.remove("fields");
            }
        }
    } else {
        put(&mut entry.item, field, value);
    }
}

#[cfg(test)]
mod tests;
