//! Asking the sources of a deliverable: the cheap question first, everything only where that does not settle it, and
//! nobody who was asked a moment ago.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{AnyAdapter, BoxFuture, Descriptor, ErrorCode, SourceError};
use freshcontext_core::answer::Scored;
use freshcontext_core::sanitize::clean_error;
use freshcontext_deliverables::{Definition, GONE, Known, Source, TEXT_HASH, Trouble};
use freshcontext_records::later::Part;
use freshcontext_records::make::item_id;
use freshcontext_store::NewChange;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::keeping::unusable;
use super::super::marks::Record;
use super::super::records::{Changes, state};
use super::followed::{Followed, Found, Mode};
use super::keep::{Fetched, Kept, listing};
use super::say::{Done, Sources};
use super::watch::between;
use crate::Follow;
use crate::again::{Again, says_gone};
use crate::watch::Watch;
use freshcontext_engine::{Owner, Work};

/// For how long what was found out is not asked again.
const REUSED: Duration = Duration::from_mins(1);
/// Sources of one deliverable that are asked at the same time.
const AT_ONCE: usize = 4;

/// Maximum attempts where other processes replace the stored copy of a source meanwhile.
const ATTEMPTS: usize = 5;

/// The finding, the copy that is stored now, and why the source could not be checked.
struct Asked {
    found: Found,
    kept: Option<Kept>,
    trouble: Option<Trouble>,
    /// The newest date of an answer that came in full.
    latest: Option<DateTime<Utc>>,
}

impl Asked {
    const fn new(found: Found, kept: Option<Kept>) -> Self {
        Self {
            found,
            kept,
            trouble: None,
            latest: None,
        }
    }
}

enum Looked {
    Current,
    Fetched(Box<Fetched>),
}

impl Follow {
    pub(super) async fn check_deliverable(&self, name: String, owner: &Owner) -> Result<Done, SourceError> {
        let definition = self.find_deliverable(&name, owner).await?;
        let sources = self.follow_all(&definition, Mode::Check, owner).await?;
        let at = self.engine.clock().now();
        Ok(Done::Checked(Sources { name, sources, at }))
    }

    pub(super) async fn sync_deliverable(&self, name: String, owner: &Owner) -> Result<Done, SourceError> {
        let definition = self.find_deliverable(&name, owner).await?;
        let sources = self.follow_all(&definition, Mode::Sync, owner).await?;
        let at = self.engine.clock().now();
        Ok(Done::Synced(Sources { name, sources, at }))
    }

    /// Asks every source of a deliverable, a few at a time. Only a store that cannot be used is an error.
    pub(super) async fn follow_all(
        &self,
        definition: &Definition,
        mode: Mode,
        owner: &Owner,
    ) -> Result<Vec<Followed>, SourceError> {
        let mut followed: Vec<BoxFuture<'_, Result<Followed, SourceError>>> = Vec::new();
        for source in &definition.sources {
            followed.push(Box::pin(self.follow(source.clone(), mode, owner)));
        }
        stream::iter(followed).buffered(AT_ONCE).try_collect().await
    }

    /// Asks one source. No transaction is open meanwhile. Where another process replaced the stored copy in the meantime, the
    /// source is asked again.
    pub(super) async fn follow(
        &self,
        source: Source,
        mode: Mode,
        owner: &Owner,
    ) -> Result<Followed, SourceError> {
        self.follow_for(None, source, mode, owner).await
    }

    /// Like [`follow`](Self::follow); what changed is told to those who listen to this deliverable.
    pub(super) async fn follow_for(
        &self,
        deliverable: Option<&str>,
        source: Source,
        mode: Mode,
        owner: &Owner,
    ) -> Result<Followed, SourceError> {
        let mut requests: u32 = 0;
        for _ in 0..ATTEMPTS {
            let kept = self.held(&source, owner).await?;
            let watch = Watch::new(Arc::clone(self.engine.transport()));
            let asked = self
                .follow_once(deliverable, &source, mode, owner, kept, &watch)
                .await?;
            requests = requests.saturating_add(watch.requests());
            if let Some(asked) = asked {
                return Ok(Followed {
                    source,
                    found: asked.found,
                    kept: asked.kept,
                    trouble: asked.trouble,
                    seen_latest: asked.latest,
                    requests,
                });
            }
        }
        // A dropped write is a failure, never a silent success.
        let error = SourceError::new(
            ErrorCode::Overloaded,
            "other processes keep replacing the stored copy of this source; this answer was not stored",
        );
        let kept = self.held(&source, owner).await?;
        let trouble = Some(trouble(&source.words(), &error));
        let found = Found::CouldNotCheck;
        Ok(Followed {
            source,
            found,
            kept,
            trouble,
            seen_latest: None,
            requests,
        })
    }

    /// Asks one source once. Returns `None` where another process replaced the stored copy meanwhile.
    async fn follow_once(
        &self,
        deliverable: Option<&str>,
        source: &Source,
        mode: Mode,
        owner: &Owner,
        mut kept: Option<Kept>,
        watch: &Arc<Watch>,
    ) -> Result<Option<Asked>, SourceError> {
        let resource = source.resource();
        let begun = self.engine.clock().now();
        if mode != Mode::Watch && kept.as_ref().is_some_and(|kept| is_recent(kept, begun)) {
            return Ok(Some(Asked::new(Found::Reused, kept)));
        }
        if mode == Mode::Check && kept.is_none() {
            // There is nothing to compare with, so nobody is asked.
            return Ok(Some(Asked::new(Found::NeverSynced, None)));
        }
        let looked = self.look_at(source, kept.as_ref(), watch).await;
        let now = self.engine.clock().now();
        let fetched = match looked {
            Ok(Looked::Current) => {
                if let Some(kept) = &mut kept {
                    kept.confirm(now);
                    if !self.note(owner, &resource, kept, mode).await? {
                        return Ok(None);
                    }
                }
                return Ok(Some(Asked::new(Found::Current, kept)));
            }
            Ok(Looked::Fetched(fetched)) => fetched,
            Err(error) => {
                let trouble = trouble(&source.words(), &error);
                return Ok(Some(Asked {
                    trouble: Some(trouble),
                    ..Asked::new(Found::CouldNotCheck, kept)
                }));
            }
        };
        let latest = fetched.latest;
        let whole = fetched.incomplete.is_empty();
        let same =
            |kept: &Kept| whole && kept.held.incomplete.is_empty() && kept.hash == fetched.record.hash();
        let found = match &kept {
            None => Found::NeverSynced,
            Some(kept) if same(kept) => Found::Current,
            Some(_) => Found::Stale,
        };
        // Unchanged content of unknown age is stored again, with the current time.
        let is_dated = kept.as_ref().is_none_or(Kept::is_dated);
        if mode == Mode::Check && (found != Found::Current || is_dated) {
            if found == Found::Current
                && let Some(kept) = &mut kept
            {
                kept.confirm(now);
                if !self.note(owner, &resource, kept, mode).await? {
                    return Ok(None);
                }
            }
            return Ok(Some(Asked {
                latest,
                ..Asked::new(found, kept)
            }));
        }
        let after = Kept::after(kept.as_ref(), *fetched, now);
        if mode != Mode::Look {
            let row = after.row(resource)?;
            let read = kept.as_ref().and_then(|kept| kept.revision);
            let change = match (deliverable, &kept) {
                (Some(name), Some(before)) if found == Found::Stale => {
                    self.watched_change(name, source, before, &after, owner, now)?
                }
                _ => None,
            };
            let stored = self
                .kept()
                .await?
                .put_resource(owner.as_str(), &row, read, change.as_ref())
                .await
                .map_err(|error| unusable(&error))?;
            if !stored {
                return Ok(None);
            }
            if let (Some(before), Found::Stale) = (&kept, found) {
                self.toolset
                    .note_changes(owner, &changes(source, before, &after, now), now)
                    .await;
            }
        }
        Ok(Some(Asked {
            latest,
            ..Asked::new(found, Some(after))
        }))
    }

    /// Records a confirmation. Returns `false` where another process replaced the stored copy meanwhile.
    async fn note(
        &self,
        owner: &Owner,
        resource: &str,
        kept: &Kept,
        mode: Mode,
    ) -> Result<bool, SourceError> {
        let Some(revision) = kept.revision.filter(|_| mode != Mode::Look) else {
            return Ok(true);
        };
        self.kept()
            .await?
            .note_current(owner.as_str(), resource, revision, kept.checked_ms)
            .await
            .map_err(|error| unusable(&error))
    }

    /// What those who listen to a deliverable are told of a source; `None` where nothing differs but figures that always move.
    fn watched_change(
        &self,
        name: &str,
        source: &Source,
        before: &Kept,
        after: &Kept,
        owner: &Owner,
        now: DateTime<Utc>,
    ) -> Result<Option<NewChange>, SourceError> {
        let found = between(known(source, before), known(source, after));
        if !self.is_news(&found) {
            return Ok(None);
        }
        self.source_change(name, source, &found, &after.hash, owner, now)
            .map(Some)
    }

    /// What is held of a source.
    pub(super) async fn held(&self, source: &Source, owner: &Owner) -> Result<Option<Kept>, SourceError> {
        let row = self
            .kept()
            .await?
            .resource(owner.as_str(), &source.resource())
            .await
            .map_err(|error| unusable(&error))?;
        let now = self.engine.clock().now();
        row.map(|(row, revision)| Kept::read(row, revision, now))
            .transpose()
    }

    /// Asks the cheap question, then for everything where that does not settle it.
    async fn look_at(
        &self,
        source: &Source,
        kept: Option<&Kept>,
        watch: &Arc<Watch>,
    ) -> Result<Looked, SourceError> {
        let Some(Work::Source(adapter)) = self.engine.tool(&source.tool).map(|tool| &tool.work) else {
            return Err(SourceError::new(
                ErrorCode::Misconfigured,
                format!("the tool {} is off here", source.tool),
            ));
        };
        let looked = self.ask_source(source, adapter, kept, watch).await;
        match (looked, kept) {
            // The one thing that was asked for by name is no more: that is an answer.
            (Err(error), Some(kept))
                if says_gone(&error, adapter.descriptor().peek.listing, kept.held.items.len()) =>
            {
                if kept.held.items.is_empty() {
                    return Ok(Looked::Current);
                }
                let ids = kept.held.items.iter().map(|item| item.id.clone());
                Ok(Looked::Fetched(Box::new(Fetched {
                    record: Record::empty(),
                    items: Vec::new(),
                    listing: freshcontext_deliverables::Listing::Named,
                    missing: ids.collect(),
                    incomplete: Vec::new(),
                    stand_in: None,
                    retrieved_at: self.engine.clock().now(),
                    latest: None,
                })))
            }
            (looked, _) => looked,
        }
    }

    async fn ask_source(
        &self,
        source: &Source,
        adapter: &Arc<dyn AnyAdapter>,
        kept: Option<&Kept>,
        watch: &Arc<Watch>,
    ) -> Result<Looked, SourceError> {
        // Content of unknown age is fetched in full: a 304 would not date it.
        let now = self.engine.clock().now();
        let earlier = kept.filter(|kept| kept.is_dated() && !kept.record.has_ended(now));
        let earlier = earlier.map(|kept| kept.record.asked.clone()).unwrap_or_default();
        let again = self
            .ask_again(adapter, &source.arguments, earlier, None, watch)
            .await?;
        let scored = match again {
            Again::Unchanged(_) => return Ok(Looked::Current),
            Again::Fetched(scored) => scored,
        };
        let descriptor = adapter.descriptor();
        let record = Record::of(&scored, watch.asked());
        let words = source.words();
        let before = kept.and_then(|kept| kept.record.route.as_deref());
        let incomplete = scored.unread().map(|part| Trouble {
            what: format!("{words}: {}", part.what),
            code: part.code.to_owned(),
            message: part.message.clone(),
            retry_after_s: None,
        });
        let dates = scored.items().iter().filter_map(|item| item.date.instant);
        Ok(Looked::Fetched(Box::new(Fetched {
            stand_in: stand_in(descriptor, before, record.route.as_deref(), &words),
            items: with_ids(&record, &scored),
            listing: listing(descriptor.peek.listing),
            missing: scored.missing().map(str::to_owned).collect(),
            incomplete: incomplete.collect(),
            retrieved_at: scored.retrieved_at(),
            latest: dates.max().or(scored.date().instant),
            record,
        })))
    }
}

/// Whether it was asked a moment ago, and all of it could be read.
fn is_recent(kept: &Kept, now: DateTime<Utc>) -> bool {
    let since = now.timestamp_millis().saturating_sub(kept.checked_ms);
    let reused = i64::try_from(REUSED.as_millis()).unwrap_or(i64::MAX);
    kept.is_dated() && kept.held.incomplete.is_empty() && (0..reused).contains(&since)
}

fn known(source: &Source, kept: &Kept) -> Known {
    Known {
        source: source.clone(),
        held: Some(kept.held.clone()),
        trouble: None,
    }
}

/// What a sync found, for the context records that are kept.
fn changes(source: &Source, before: &Kept, after: &Kept, now: DateTime<Utc>) -> Changes {
    let found = between(known(source, before), known(source, after));
    let id = |id: &String| {
        let mut items = before.held.items.iter();
        let item = items.find(|item| item.id == *id)?;
        record_id(&item.item)
    };
    // One that is only out of the window was not said to be gone.
    let gone = found.removed.iter().filter(|one| one.detail == GONE);
    Changes {
        by: "deliverable",
        state: Some(state(&source.resource(), &before.hash)),
        parts: if found.is_news() {
            vec![Part::of_tool(&source.tool)]
        } else {
            Vec::new()
        },
        then_ms: Changes::then_of(before.checked_ms, now),
        updated: found
            .changed
            .iter()
            .filter_map(|one| id(one.id_then.as_ref().unwrap_or(&one.id)))
            .collect(),
        removed: gone.filter_map(|one| id(&one.id)).collect(),
    }
}

fn trouble(what: &str, error: &SourceError) -> Trouble {
    Trouble {
        what: what.to_owned(),
        code: error.code.as_str().to_owned(),
        message: clean_error(&error.message),
        retry_after_s: error.retry_after.map(|wait| wait.as_secs().max(1)),
    }
}

/// What is said of items that are not listed, where a route answered that comes after the one of before: it is asked only
/// because that one did not answer, and may list less.
fn stand_in(
    descriptor: &Descriptor,
    before: Option<&str>,
    now: Option<&str>,
    words: &str,
) -> Option<Trouble> {
    let place = |id: &str| descriptor.routes.iter().position(|route| route.id == id);
    let (before, now) = (before?, now?);
    (place(before)? < place(now)?).then(|| Trouble {
        what: format!("{words}: {}", descriptor.route_name(before)),
        code: ErrorCode::Unreachable.as_str().to_owned(),
        message: format!(
            "{} answered in its stead, which may list less",
            descriptor.route_name(now)
        ),
        retry_after_s: None,
    })
}

/// The items under the ids of their marks; an answer that has content and no items is one.
fn with_ids(record: &Record, scored: &Scored) -> Vec<(String, Map<String, Value>)> {
    if let Some(document) = scored.document_structure() {
        return vec![("answer".to_owned(), document)];
    }
    let ids = record.items.iter().map(|mark| mark.id.clone());
    let items = scored.items().iter();
    let held = items.map(|item| {
        let mut held = scored.item_structure(item, &item.summary);
        // Of a text that is held in part, an edit of the rest shows by its hash.
        if let Some(hash) = item.text_hash.as_deref().filter(|_| item.summary.ends_with('…')) {
            held.insert(TEXT_HASH.to_owned(), hash.into());
        }
        held
    });
    ids.zip(held).collect()
}

/// What the id of an item in context records is made of, in an item as it is held.
#[derive(Deserialize)]
struct Identity {
    title: Option<String>,
    url: Option<String>,
    source: Option<String>,
    summary: Option<String>,
}

fn record_id(held: &Map<String, Value>) -> Option<String> {
    let item = Identity::deserialize(held).ok()?;
    let source = item.url.or(item.source).unwrap_or_default();
    Some(item_id(&source, item.title.as_deref(), item.summary.as_deref()))
}
