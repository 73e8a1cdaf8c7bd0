//! What is held of a source, as the store keeps it.

use chrono::{DateTime, Utc};
use freshcontext_contract::{Listing as Told, SourceError};
use freshcontext_deliverables::{Held, HeldItem, Listing, Names, Trouble, matches, names_of};
use freshcontext_store::ResourceRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::marks::Record;
use super::{moment, unreadable, unwritable};
use freshcontext_core::date::KeptMoment;

/// Ids of gone things that are remembered of one source.
const GONE: usize = 200;

/// Items of earlier syncs that stay while a part of a source cannot be read.
const CARRIED: usize = 200;

/// What is kept of a source beside its items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Marks {
    /// Of the answer, for the cheap question.
    record: Record,
    listing: Listing,
    gone: Vec<String>,
    /// Ids of the items that are from an earlier sync.
    carried: Vec<String>,
    incomplete: Vec<Trouble>,
}

/// What a source answered.
#[derive(Debug)]
pub(super) struct Fetched {
    /// Marks of the answer.
    pub record: Record,
    /// Its items by id, in their order.
    pub items: Vec<(String, Map<String, Value>)>,
    pub listing: Listing,
    /// Things that the source said do not exist, as the caller named them.
    pub missing: Vec<String>,
    /// Parts that could not be read.
    pub incomplete: Vec<Trouble>,
    /// Where a route answered that is only asked when the one of before did not answer: what that means for items that it
    /// does not list.
    pub stand_in: Option<Trouble>,
    pub retrieved_at: DateTime<Utc>,
    pub latest: Option<DateTime<Utc>>,
}

/// What is held of a source.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub record: Record,
    pub hash: String,
    pub held: Held,
    /// The revision of that sync in the store; `None` of one that is not kept yet.
    pub revision: Option<i64>,
    pub checked_ms: i64,
    synced_ms: i64,
    latest_ms: Option<i64>,
}

/// What the adapter says of its lists.
pub(super) fn listing(told: Told) -> Listing {
    match told {
        Told::Window => Listing::Window,
        Told::Named => Listing::Named,
    }
}

fn at(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

impl Kept {
    /// Reads a row. A timestamp ahead of the clock counts as missing.
    pub(super) fn read(row: ResourceRow, revision: i64, now: DateTime<Utc>) -> Result<Self, SourceError> {
        let synced = KeptMoment::of(row.synced_ms, now);
        let marks: Marks = serde_json::from_str(&row.validators).map_err(unreadable)?;
        let mut items = Vec::with_capacity(row.items.len());
        for (id, item) in row.items {
            items.push(HeldItem {
                carried: marks.carried.contains(&id),
                item: serde_json::from_str(&item).map_err(unreadable)?,
                id,
            });
        }
        Ok(Self {
            record: marks.record,
            hash: row.content_hash,
            held: Held {
                synced_at: synced.at,
                synced_at_ahead: synced.ahead,
                checked_at: KeptMoment::of(row.checked_ms, now).at,
                platform_cursor: row.platform_cursor,
                source_latest_at: row.source_latest_ms.map(|ms| moment(at(ms))),
                listing: marks.listing,
                items,
                gone: marks.gone,
                incomplete: marks.incomplete,
            },
            revision: Some(revision),
            checked_ms: row.checked_ms,
            synced_ms: row.synced_ms,
            latest_ms: row.source_latest_ms,
        })
    }

    /// The newest date of an item.
    pub(super) fn latest(&self) -> Option<DateTime<Utc>> {
        self.latest_ms.map(at)
    }

    /// Whether the time of retrieval is known.
    pub(super) fn is_dated(&self) -> bool {
        self.held.synced_at.is_some()
    }

    /// What is held after this answer. Where a part could not be read, the items that it may have had stay, unless their
    /// age is not known; where a stand-in answered, too, and it is not taken for the route to compare with.
    pub(super) fn after(before: Option<&Self>, mut fetched: Fetched, now: DateTime<Utc>) -> Self {
        let earlier = before.map(|before| &before.held);
        let dated = before.is_none_or(Self::is_dated);
        let known = |id: &str| fetched.items.iter().any(|(known, _)| known == id);
        let is_missing = |id: &str| {
            let mut missing = fetched.missing.iter();
            missing.any(|missing| missing.eq_ignore_ascii_case(id))
        };
        let held: Vec<&HeldItem> = earlier.into_iter().flat_map(|earlier| &earlier.items).collect();
        let unlisted: Vec<&HeldItem> = {
            // Another route may list the same thing under another id.
            let before: Vec<Names<'_>> = held.iter().map(|item| names_of(&item.id, &item.item)).collect();
            let now: Vec<Names<'_>> = fetched
                .items
                .iter()
                .map(|(id, item)| names_of(id, item))
                .collect();
            let same = matches(&before, &now);
            held.into_iter()
                .filter(|item| !same.contains_key(item.id.as_str()) && !is_missing(&item.id))
                .collect()
        };
        if let (Some(stand_in), false) = (fetched.stand_in.take(), unlisted.is_empty()) {
            fetched.incomplete.push(stand_in);
            fetched.record.route = before.and_then(|before| before.record.route.clone());
        }
        let carried: Vec<HeldItem> = unlisted
            .into_iter()
            .filter(|_| !fetched.incomplete.is_empty() && dated)
            .take(CARRIED)
            .map(|item| HeldItem {
                carried: true,
                ..item.clone()
            })
            .collect();
        let lost = earlier.into_iter().flat_map(|earlier| &earlier.items);
        let lost = lost.map(|item| item.id.clone()).filter(|id| is_missing(id));
        let mut gone: Vec<String> = earlier.map(|earlier| earlier.gone.clone()).unwrap_or_default();
        gone.extend(lost);
        gone.retain(|id| !known(id));
        gone.sort_unstable();
        gone.dedup();
        gone.truncate(GONE);
        let cursor = cursor(&fetched.record);
        let items = fetched.items.into_iter().map(|(id, item)| HeldItem {
            id,
            item,
            carried: false,
        });
        let latest_ms = fetched.latest.map(|latest| latest.timestamp_millis());
        Self {
            hash: fetched.record.hash(),
            held: Held {
                synced_at: Some(moment(fetched.retrieved_at)),
                synced_at_ahead: None,
                checked_at: Some(moment(now)),
                platform_cursor: cursor,
                source_latest_at: fetched.latest.map(moment),
                listing: fetched.listing,
                items: items.chain(carried).collect(),
                gone,
                incomplete: fetched.incomplete,
            },
            record: fetched.record,
            revision: None,
            synced_ms: fetched.retrieved_at.timestamp_millis(),
            checked_ms: now.timestamp_millis(),
            latest_ms,
        }
    }

    pub(super) fn row(&self, resource: String) -> Result<ResourceRow, SourceError> {
        let held = &self.held;
        let marks = Marks {
            record: self.record.clone(),
            listing: held.listing,
            gone: held.gone.clone(),
            carried: held
                .items
                .iter()
                .filter(|item| item.carried)
                .map(|item| item.id.clone())
                .collect(),
            incomplete: held.incomplete.clone(),
        };
        let mut items = Vec::with_capacity(held.items.len());
        for item in &held.items {
            items.push((
                item.id.clone(),
                serde_json::to_string(&item.item).map_err(unwritable)?,
            ));
        }
        Ok(ResourceRow {
            resource,
            synced_ms: self.synced_ms,
            platform_cursor: held.platform_cursor.clone(),
            source_latest_ms: self.latest_ms,
            validators: serde_json::to_string(&marks).map_err(unwritable)?,
            content_hash: self.hash.clone(),
            status: if held.incomplete.is_empty() {
                "whole"
            } else {
                "partial"
            }
            .to_owned(),
            checked_ms: self.checked_ms,
            items,
        })
    }

    /// Confirmed at this moment.
    pub(super) fn confirm(&mut self, now: DateTime<Utc>) {
        self.checked_ms = now.timestamp_millis();
        self.held.checked_at = Some(moment(now));
    }
}

/// The source's own mark: the validator where one answer was all, else the id of the newest item.
fn cursor(record: &Record) -> Option<String> {
    if let [asked] = record.asked.as_slice()
        && let Some(validator) = asked.etag.clone().or_else(|| asked.last_modified.clone())
    {
        return Some(validator);
    }
    let newest = record.items.iter().max_by(|one, other| one.date.cmp(&other.date));
    newest.map(|mark| mark.id.clone())
}
