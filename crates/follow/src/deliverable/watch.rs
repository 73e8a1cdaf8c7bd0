//! Following the sources of a deliverable as they age.

use std::time::Duration;

use freshcontext_contract::{SourceError, TEXT, named};
use freshcontext_core::decay::half_life_hours;
use freshcontext_core::sanitize::clean_line;
use freshcontext_deliverables::{
    Diff, Event, Feed, Gathered, Known, OnUnchecked, Side, Source, Trouble, Version, diff, events, gather,
};

use super::followed::{Found, Mode};
use super::moment;
use crate::Follow;
use freshcontext_engine::{Owner, Work};

/// No source is asked more often, however fast it ages.
const LEAST: Duration = Duration::from_mins(10);
/// No source is asked less often, however slowly it ages.
const MOST: Duration = Duration::from_hours(24);

/// What a look at a watched source came to.
#[derive(Debug)]
pub struct Seen {
    /// What changed since it was last synced.
    pub events: Vec<Event>,
    /// Why it could not be read.
    pub trouble: Option<Trouble>,
}

impl Follow {
    /// The sources of a deliverable, each with the time after which it is worth asking again: the half-life of its kind.
    pub async fn watched_sources(
        &self,
        name: &str,
        owner: &Owner,
    ) -> Result<Vec<(Source, Duration)>, SourceError> {
        let definition = self.find_deliverable(name, owner).await?;
        let sources = definition.sources.into_iter();
        Ok(sources
            .map(|source| {
                let kind = self.engine.tool(&source.tool).map_or("default", |tool| tool.id());
                let hours = half_life_hours(self.engine.decay().lambda(kind));
                let every = Duration::try_from_secs_f64(hours * 3_600.0).unwrap_or(MOST);
                (source, every.clamp(LEAST, MOST))
            })
            .collect())
    }

    /// Syncs one source of a deliverable, and says what changed.
    pub async fn watch_source(
        &self,
        name: &str,
        source: &Source,
        owner: &Owner,
    ) -> Result<Seen, SourceError> {
        let before = self.held(source, owner).await?;
        let followed = self
            .follow_for(Some(name), source.clone(), Mode::Watch, owner)
            .await?;
        let trouble = followed.trouble.clone();
        if before.is_none() || matches!(followed.found, Found::Current | Found::Reused) {
            let events = Vec::new();
            return Ok(Seen { events, trouble });
        }
        let before = Known {
            source: source.clone(),
            held: before.map(|kept| kept.held),
            trouble: None,
        };
        let found = between(before, followed.known());
        let now = moment(self.engine.clock().now());
        let mut events = events(&found, &now, named, |resource, field| self.moves(resource, field));
        for event in &mut events {
            event.title = clean_line(&event.title).into_owned();
            event.detail = clean_line(&event.detail).into_owned();
        }
        Ok(Seen { events, trouble })
    }

    /// Whether a difference holds more than figures that always move.
    pub(super) fn is_news(&self, found: &Diff) -> bool {
        events(found, "", named, |resource, field| self.moves(resource, field))
            .iter()
            .any(|event| !event.moving)
    }

    /// Whether a field of a resource's items moves after publication, by the table in its source's descriptor.
    fn moves(&self, resource: &str, field: &str) -> bool {
        let tool = resource.split_whitespace().next().unwrap_or_default();
        let Some(Work::Source(adapter)) = self.engine.tool(tool).map(|tool| &tool.work) else {
            return false;
        };
        let facts = &adapter.descriptor().facts;
        match field.strip_prefix("fields.") {
            Some(name) => facts.moving.contains(&name),
            None => field == "summary" && facts.moving.contains(&TEXT),
        }
    }

    /// The changes between the versions that are kept.
    pub async fn deliverable_feed(&self, name: &str, owner: &Owner) -> Result<Feed, SourceError> {
        let mut feed = Feed::new(name);
        let mut before: Option<Version> = None;
        self.each_version(name, owner, |_, version| {
            if let Some(before) = &before {
                let found = diff(before.into(), (&version).into());
                let moves = |resource: &str, field: &str| self.moves(resource, field);
                feed.add(events(&found, &version.generated_at, named, moves));
            }
            before = Some(version);
        })
        .await?;
        Ok(feed)
    }
}

pub(super) fn between(before: Known, after: Known) -> Diff {
    let side = |known: Known| gather(vec![known], OnUnchecked::UseLast).unwrap_or_default();
    let (before, after): (Gathered, Gathered) = (side(before), side(after));
    diff(
        Side {
            snapshots: &before.snapshots,
            items: &before.entries,
        },
        Side {
            snapshots: &after.snapshots,
            items: &after.entries,
        },
    )
}
