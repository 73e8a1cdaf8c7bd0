//! Collects the content of a version by the state of each source and by the policy for unchecked ones.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::definition::{OnUnchecked, Source};
use crate::diff::changes_with_time;
use crate::version::{Entry, Listing, Snapshot, State, Trouble};

/// An item of the last sync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldItem {
    /// Its id.
    pub id: String,
    /// The item.
    pub item: Map<String, Value>,
    /// Whether it is from an earlier sync, because its part of the source could not be read.
    #[serde(default)]
    pub carried: bool,
}

/// Stored state of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// When its items were fetched; `None` if unknown.
    pub synced_at: Option<String>,
    /// The stored timestamp of the sync if it is ahead of the clock and therefore invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synced_at_ahead: Option<String>,
    /// When the state was last confirmed; `None` if unknown.
    pub checked_at: Option<String>,
    /// The source's own cursor.
    pub platform_cursor: Option<String>,
    /// The newest date of an item.
    pub source_latest_at: Option<String>,
    /// How the items relate to everything the source has.
    pub listing: Listing,
    /// Items in the source's order.
    pub items: Vec<HeldItem>,
    /// Ids that the source reports as removed.
    pub gone: Vec<String>,
    /// Parts that could not be read.
    pub incomplete: Vec<Trouble>,
}

/// State of one source when a version is generated.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The source.
    pub source: Source,
    /// Stored state; `None` if it was never synced.
    pub held: Option<Held>,
    /// Why it could not be checked or synced now.
    pub trouble: Option<Trouble>,
}

/// Content of a version before the evaluation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gathered {
    /// State of every source.
    pub snapshots: Vec<Snapshot>,
    /// Items before the evaluation.
    pub entries: Vec<Entry>,
}

impl Gathered {
    /// Drops the facts that a tool computed from the day of its call, such as `age_days`, from items of another day than
    /// `today` (`2026-11-30`): on that day they were true.
    pub fn drop_facts_of_other_days(&mut self, today: &str) {
        let of_today = |snapshot: &Snapshot| {
            let synced = snapshot.synced_at.as_deref();
            synced.is_some_and(|at| at.starts_with(today))
        };
        let others: BTreeSet<&str> = self
            .snapshots
            .iter()
            .filter(|snapshot| !of_today(snapshot))
            .map(|snapshot| snapshot.resource_id.as_str())
            .collect();
        for entry in &mut self.entries {
            if others.contains(entry.resource.as_str()) {
                drop_facts_of_the_day(&mut entry.item);
            }
        }
    }
}

fn drop_facts_of_the_day(item: &mut Map<String, Value>) {
    if let Some(Value::Object(facts)) = item.get_mut("fields") {
        facts.retain(|name, _| !changes_with_time(&format!("fields.{name}")));
        if facts.is_empty() {
            item.remove("fields");
        }
    }
}

/// A source could not be checked, and the policy is to refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Vec<Trouble>);

/// Collects the content.
pub fn gather(known: Vec<Known>, policy: OnUnchecked) -> Result<Gathered, Refused> {
    let troubles: Vec<Trouble> = known.iter().flat_map(troubles_of).collect();
    if policy == OnUnchecked::Refuse && !troubles.is_empty() {
        return Err(Refused(troubles));
    }
    let mut out = Gathered::default();
    for one in known {
        let troubles = troubles_of(&one);
        let use_last = policy == OnUnchecked::UseLast;
        let state = match (&one.trouble, &one.held) {
            // Items of unknown age cannot be labelled with their age.
            (Some(_), Some(held)) if use_last && held.synced_at.is_some() => State::LastUsed,
            (Some(_), _) | (None, None) => State::LeftOut,
            (None, Some(held)) if held.incomplete.is_empty() => State::Current,
            (None, Some(_)) => State::Partial,
        };
        let resource = one.source.resource();
        let (held, mut items) = match one.held {
            Some(mut held) => {
                let items = std::mem::take(&mut held.items);
                (Some(held), items)
            }
            None => (None, Vec::new()),
        };
        match state {
            State::LeftOut => items.clear(),
            State::Partial if !use_last => items.retain(|item| !item.carried),
            State::Current | State::Partial | State::LastUsed => {}
        }
        let held = held.as_ref();
        out.snapshots.push(Snapshot {
            platform: one.source.tool.clone(),
            resource_id: resource.clone(),
            resource_name: one.source.words(),
            state,
            synced_at: held.and_then(|held| held.synced_at.clone()),
            synced_at_ahead: held.and_then(|held| held.synced_at_ahead.clone()),
            checked_at: held.and_then(|held| held.checked_at.clone()),
            platform_cursor: held.and_then(|held| held.platform_cursor.clone()),
            item_count: items.len(),
            last_edited_at: held.and_then(|held| held.source_latest_at.clone()),
            listing: held.map_or(Listing::Window, |held| held.listing),
            gone: held.map(|held| held.gone.clone()).unwrap_or_default(),
            troubles,
        });
        out.entries.extend(items.into_iter().map(|mut held| {
            // It is of an earlier sync than its source.
            if held.carried {
                drop_facts_of_the_day(&mut held.item);
            }
            Entry {
                resource: resource.clone(),
                id: held.id,
                item: held.item,
                judged: Map::new(),
            }
        }));
    }
    Ok(out)
}

fn troubles_of(known: &Known) -> Vec<Trouble> {
    let parts = known.held.iter().flat_map(|held| held.incomplete.iter());
    known.trouble.iter().chain(parts).cloned().collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;
    use crate::definition::tests::source;

    pub(crate) fn trouble() -> Trouble {
        Trouble {
            what: "a".to_owned(),
            code: "rate_limited".to_owned(),
            message: "asked too often".to_owned(),
            retry_after_s: Some(60),
        }
    }

    pub(crate) fn held(ids: &[&str]) -> Held {
        let item = |id: &&str| HeldItem {
            id: (*id).to_owned(),
            item: json!({"title": id}).as_object().cloned().unwrap_or_default(),
            carried: false,
        };
        Held {
            synced_at: Some("2026-11-16T09:00:00.000Z".to_owned()),
            synced_at_ahead: None,
            checked_at: Some("2026-11-20T09:00:00.000Z".to_owned()),
            platform_cursor: None,
            source_latest_at: None,
            listing: Listing::Window,
            items: ids.iter().map(item).collect(),
            gone: Vec::new(),
            incomplete: Vec::new(),
        }
    }

    fn known(held: Option<Held>, trouble: Option<Trouble>) -> Known {
        Known {
            source: source("a"),
            held,
            trouble,
        }
    }

    fn states(known: Vec<Known>, policy: OnUnchecked) -> Result<Vec<(State, usize)>, usize> {
        gather(known, policy)
            .map(|gathered| {
                let snapshots = gathered.snapshots.iter();
                snapshots
                    .map(|snapshot| (snapshot.state, snapshot.item_count))
                    .collect()
            })
            .map_err(|refused| refused.0.len())
    }

    #[test]
    fn facts_of_the_day_are_shown_on_that_day_only() {
        let mut of_day = held(&["1"]);
        let facts = json!({"age_days": 5, "badge": "fresh", "points": 7});
        of_day.items[0].item.insert("fields".to_owned(), facts.clone());
        let gathered = gather(vec![known(Some(of_day), None)], OnUnchecked::UseLast).unwrap();
        for (today, left) in [("2026-11-16", facts), ("2026-11-20", json!({"points": 7}))] {
            let mut shown = gathered.clone();
            shown.drop_facts_of_other_days(today);
            assert_eq!(shown.entries[0].item["fields"], left, "{today}");
        }
    }

    #[test]
    fn what_is_checked_goes_in_under_every_policy() {
        for policy in OnUnchecked::ALL {
            let all = states(vec![known(Some(held(&["1", "2"])), None)], policy);
            assert_eq!(all, Ok(vec![(State::Current, 2)]));
        }
    }

    #[test]
    fn the_policy_decides_about_what_is_not() {
        let unchecked = || vec![known(Some(held(&["1", "2"])), Some(trouble()))];
        assert_eq!(states(unchecked(), OnUnchecked::Refuse), Err(1));
        let last = states(unchecked(), OnUnchecked::UseLast);
        assert_eq!(last, Ok(vec![(State::LastUsed, 2)]));
        let out = states(unchecked(), OnUnchecked::LeaveOut);
        assert_eq!(out, Ok(vec![(State::LeftOut, 0)]));
        // There is no earlier sync to use.
        let never = states(vec![known(None, Some(trouble()))], OnUnchecked::UseLast);
        assert_eq!(never, Ok(vec![(State::LeftOut, 0)]));
    }

    #[test]
    fn what_is_of_an_unknown_age_is_not_the_last_to_use() {
        let mut held = held(&["1", "2"]);
        held.synced_at = None;
        held.synced_at_ahead = Some("2026-12-25T09:00:00.000Z".to_owned());
        let unchecked = vec![known(Some(held), Some(trouble()))];
        let gathered = gather(unchecked, OnUnchecked::UseLast).unwrap();
        let snapshot = &gathered.snapshots[0];
        assert_eq!((snapshot.state, snapshot.item_count), (State::LeftOut, 0));
        assert_eq!(snapshot.synced_at, None);
        assert_eq!(
            snapshot.synced_at_ahead.as_deref(),
            Some("2026-12-25T09:00:00.000Z")
        );
    }

    #[test]
    fn a_part_that_failed_is_named_and_its_items_are_the_last_ones_or_none() {
        let partial = || {
            let mut held = held(&["1", "2"]);
            held.items[1].carried = true;
            held.incomplete = vec![trouble()];
            vec![known(Some(held), None)]
        };
        assert_eq!(states(partial(), OnUnchecked::Refuse), Err(1));
        let last = states(partial(), OnUnchecked::UseLast);
        assert_eq!(last, Ok(vec![(State::Partial, 2)]));
        let out = states(partial(), OnUnchecked::LeaveOut);
        assert_eq!(out, Ok(vec![(State::Partial, 1)]));
    }
}
