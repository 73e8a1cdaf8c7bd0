//! What is found out later about items that kept records hold: their source says something else, or no longer has them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use crate::bundle::Bundle;
use crate::ids::Ids;
use crate::make::moment;
use crate::objects::{Event, Facts, Surface};
use crate::values::{EventClass, Kind, State};

/// What a later look at a source found.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// Who looked: `recheck`, or `deliverable`.
    pub by: &'a str,
    /// When, by the injected clock.
    pub at: DateTime<Utc>,
    /// 32 bytes of the injected randomness, for the ids of events.
    pub seed: [u8; 32],
    /// When what it was compared with left the source, or was last confirmed. Of items that left it later nothing was
    /// found: they may be what the source says now.
    pub then: DateTime<Utc>,
    /// Tolerated difference between clocks. An item whose retrieval is further ahead of `at` has an unknown time, and does not
    /// count as later.
    pub skew: TimeDelta,
    /// Ids of items that say something else now.
    pub updated: &'a BTreeSet<String>,
    /// Ids of items that are no more.
    pub removed: &'a BTreeSet<String>,
    /// Where the records are of the very answer that was compared: which parts of it say something else as a whole.
    pub parts: &'a [Part],
}

/// An answer, or a section of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The tool that answered.
    pub tool: String,
    /// Its heading, where the answer has several.
    pub label: Option<String>,
}

impl Part {
    /// The answer of a tool that has one source.
    pub fn of_tool(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            label: None,
        }
    }
}

/// Writes into records what was found: surfaces and items with their events, the items expired. Whether it was news; a
/// second time it is none.
pub fn note(bundle: &mut Bundle, found: &Found<'_>) -> bool {
    let now_ms = u64::try_from(found.at.timestamp_millis()).unwrap_or_default();
    let mut writer = Writer {
        ids: Ids::new(now_ms, found.seed),
        at: moment(found.at),
        by: found.by,
    };
    let before = bundle.context_event.len();
    let mut left: Vec<(String, EventClass)> = bundle
        .context_item
        .iter_mut()
        .filter(|item| item.lifecycle.may_become(State::Expired))
        .filter(|item| !is_later(item.freshness.retrieved_at.as_deref(), found))
        .filter_map(|item| {
            let class = if found.removed.contains(&item.item_id) {
                EventClass::ItemRemoved
            } else if found.updated.contains(&item.item_id) {
                EventClass::ItemUpdated
            } else {
                return None;
            };
            item.lifecycle = State::Expired;
            Some((item.item_id.clone(), class))
        })
        .collect();
    for place in 0..bundle.context_surface.len() {
        let Some(surface) = bundle.context_surface.get(place) else {
            continue;
        };
        let (here, elsewhere): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|(item, _)| surface.item_refs.contains(item));
        left = elsewhere;
        let told = said_before(bundle, &surface.surface_id);
        let as_a_whole = !told && found.parts.iter().any(|part| is_part(surface, part));
        if here.is_empty() && !as_a_whole {
            continue;
        }
        let id = surface.surface_id.clone();
        let cause = created_by(bundle, &id);
        let updated = writer.event(bundle, EventClass::SurfaceUpdated, cause, id, None);
        for (item, class) in here {
            writer.event(bundle, class, Some(updated.clone()), item, Some(State::Expired));
        }
    }
    // Of no surface: records of others may have such.
    for (item, class) in left {
        writer.event(bundle, class, None, item, Some(State::Expired));
    }
    bundle.context_event.len() > before
}

/// Whether an item left its source after what was compared. One that does not say when did not, nor one that cannot have.
fn is_later(retrieved_at: Option<&str>, found: &Found<'_>) -> bool {
    retrieved_at
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok())
        .is_some_and(|at| at > found.then && at.to_utc() - found.at <= found.skew)
}

fn is_part(surface: &Surface, part: &Part) -> bool {
    let label = surface.metadata.get("label").and_then(|label| label.as_str());
    surface.tool.as_deref() == Some(&part.tool) && (part.label.is_none() || part.label.as_deref() == label)
}

fn is_about(event: &Event, class: EventClass, id: &str) -> bool {
    event.event_class == class && event.subject_refs.iter().any(|subject| subject == id)
}

fn said_before(bundle: &Bundle, surface: &str) -> bool {
    let mut events = bundle.context_event.iter();
    events.any(|event| is_about(event, EventClass::SurfaceUpdated, surface))
}

fn created_by(bundle: &Bundle, surface: &str) -> Option<String> {
    let mut events = bundle.context_event.iter();
    let created = events.find(|event| is_about(event, EventClass::SurfaceCreated, surface));
    created.map(|event| event.event_id.clone())
}

struct Writer<'a> {
    ids: Ids,
    at: String,
    by: &'a str,
}

impl Writer<'_> {
    fn event(
        &mut self,
        bundle: &mut Bundle,
        class: EventClass,
        cause_ref: Option<String>,
        subject: String,
        lifecycle: Option<State>,
    ) -> String {
        let event_id = self.ids.next(Kind::Event);
        bundle.context_event.push(Event {
            event_id: event_id.clone(),
            event_class: class,
            context_id: bundle.context_envelope.context_id.clone(),
            sequence: bundle.context_event.len() as u64 + 1,
            created_at: self.at.clone(),
            cause_ref,
            lifecycle,
            subject_refs: vec![subject],
            metadata: Facts::from_iter([("found_by".to_owned(), json!(self.by))]),
        });
        event_id
    }
}
