//! Context records that are kept: those that a caller asked for, by owner, with what is found out about their items later.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use freshcontext_contract::limits::FUTURE_TOLERANCE_S;
use freshcontext_contract::{ErrorCode, SourceError, named};
use freshcontext_core::provenance::sha256_hex;
use freshcontext_records::Bundle;
use freshcontext_records::later::{self, Part};
use freshcontext_store::{AnswerRow, RecordsHead, RecordsRow, Store, StoreError};
use serde_json::{Map, Value};

use super::keeping::unusable;
use super::marks::{Record, canonical};
use crate::Follow;
use crate::keeping::TimeToolset;
use freshcontext_core::date::KeptMoment;
use freshcontext_core::recheck::{Comparison, Verdict};
use freshcontext_engine::{Answer, Ended, Owner, RECHECK, Records};

/// Attempts to write what was found into records that others write into at the same time.
const ATTEMPTS: usize = 5;

/// What a look at a resource found, for the records that are kept.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Who looked.
    pub by: &'static str,
    /// The answer that was compared, as [`state`] has it.
    pub state: Option<String>,
    /// The parts of that answer which say something else as a whole.
    pub parts: Vec<Part>,
    /// When it left its source, or was last confirmed, in milliseconds since 1970.
    pub then_ms: i64,
    /// Ids of items that say something else.
    pub updated: BTreeSet<String>,
    /// Ids of items that are no more.
    pub removed: BTreeSet<String>,
}

impl Changes {
    /// Of a recheck of a kept answer, before anything is known.
    pub(super) fn of_answer(row: &AnswerRow, now: DateTime<Utc>) -> Self {
        Self {
            by: RECHECK,
            state: Some(state_of(row)),
            then_ms: Self::then_of(row.created_ms, now),
            ..Self::default()
        }
    }

    /// A stored timestamp to compare with. One that is ahead of the clock counts as now, the latest possible time.
    pub(super) fn then_of(kept_ms: i64, now: DateTime<Utc>) -> i64 {
        if KeptMoment::of(kept_ms, now).at.is_some() {
            kept_ms
        } else {
            now.timestamp_millis()
        }
    }

    /// Of a recheck by hash, which says only that the answer is another as a whole.
    pub(super) fn of_whole(tool: &str, arguments: &Map<String, Value>, hash: &str) -> Self {
        Self {
            by: RECHECK,
            state: Some(state(&format!("{tool} {}", canonical(arguments)), hash)),
            parts: vec![Part::of_tool(tool)],
            ..Self::default()
        }
    }

    /// Adds what became of an answer, or of a section of one.
    pub(super) fn add(&mut self, part: Part, then: &Record, comparison: &Comparison) {
        for item in &comparison.items {
            let mark = then.items.iter().find(|mark| mark.id == item.id);
            let Some(id) = mark.and_then(|mark| mark.item.clone()) else {
                continue;
            };
            match item.verdict {
                Verdict::Changed => self.updated.insert(id),
                Verdict::Gone => self.removed.insert(id),
                Verdict::Current | Verdict::CouldNotCheck => false,
            };
        }
        match comparison.verdict {
            Verdict::Changed if !comparison.changed.is_empty() => self.updated.extend(then.document.clone()),
            Verdict::Gone => self.removed.extend(then.document.clone()),
            _ => {}
        }
        if matches!(comparison.verdict, Verdict::Changed | Verdict::Gone) {
            self.parts.push(part);
        }
    }
}

/// One hash of what was asked and what came: records of this state are of an answer that said just this.
pub(super) fn state(resource: &str, hash: &str) -> String {
    sha256_hex(&format!("{resource}\n{hash}"))
}

fn state_of(row: &AnswerRow) -> String {
    state(&format!("{} {}", row.tool, row.arguments), &row.hash)
}

impl TimeToolset {
    /// Keeps the records of an answer, and notes beside it whether it did.
    pub(crate) async fn keep_records(&self, ended: Ended<'_>, answer: &mut Answer) {
        let Records::Made { bundle, .. } = &answer.records else {
            return;
        };
        // Read once the records are known to be wanted, and no longer than anything else of an answer waits.
        let state = match self.store() {
            Some(store) if store.trouble().is_none() => {
                let reading = self.state_of(answer, ended.owner, ended.now);
                tokio::time::timeout(store.bounds().wait, reading)
                    .await
                    .ok()
                    .flatten()
            }
            _ => None,
        };
        let done = self.put_records(bundle, state, &ended).await;
        if let Err(why) = &done {
            tracing::warn!(why, "context records are not kept");
        }
        if let Records::Made { kept, .. } = &mut answer.records {
            *kept = Some(done);
        }
    }

    async fn put_records(
        &self,
        records: &Bundle,
        state: Option<String>,
        ended: &Ended<'_>,
    ) -> Result<(), String> {
        let Ended {
            tool,
            owner,
            records_bytes: most,
            now,
        } = ended;
        let store = self
            .store()
            .ok_or("nothing is kept: the setting `store` is off")?;
        if store.retention().records == 0 {
            return Err("nothing is kept: limits.records_kept is 0".to_owned());
        }
        let bundle = serde_json::to_string(records).map_err(|error| error.to_string())?;
        if bundle.len() > *most {
            return Err(format!(
                "they are {} bytes, over limits.records_bytes ({most})",
                bundle.len()
            ));
        }
        let items = records.context_item.iter();
        let items = items.map(|item| item.item_id.clone()).collect();
        let row = RecordsRow {
            context_id: records.context_envelope.context_id.clone(),
            tool: tool.name.clone(),
            state,
            bundle,
            revision: 1,
            created_ms: now.timestamp_millis(),
        };
        let now_ms = now.timestamp_millis();
        match store.keep_records(owner.as_str(), row, items, now_ms).await {
            Ok(true) => Ok(()),
            Ok(false) => Err("records with their id are stored already".to_owned()),
            Err(error) => Err(error.message),
        }
    }

    /// The state of an answer that has an id of its own.
    async fn state_of(&self, answer: &Answer, owner: &Owner, now: DateTime<Utc>) -> Option<String> {
        let id = answer.answer_id()?;
        let (row, _) = self.find(owner, id, now.timestamp_millis()).await.ok()?;
        Some(state_of(&row))
    }

    /// Writes what was found into every record of the owner that holds one of the items, or is of the answer that was
    /// compared. Where that fails the log has a line: what was found stands.
    pub(super) async fn note_changes(&self, owner: &Owner, changes: &Changes, now: DateTime<Utc>) {
        if changes.parts.is_empty() && changes.updated.is_empty() && changes.removed.is_empty() {
            return;
        }
        let Some(store) = self.store().filter(|store| store.trouble().is_none()) else {
            return;
        };
        if let Err(error) = noted(store, owner, changes, now).await {
            tracing::warn!(%error, "what was found is not written into the records that are kept");
        }
    }
}

async fn noted(
    store: &Store,
    owner: &Owner,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let backend = store.backend().await?;
    let items: Vec<String> = changes.updated.union(&changes.removed).cloned().collect();
    let about = backend
        .records_about(owner.as_str(), changes.state.as_deref(), &items)
        .await?;
    'records: for context_id in about {
        for _ in 0..ATTEMPTS {
            let now_ms = now.timestamp_millis();
            let Some(row) = store.records(owner.as_str(), &context_id, now_ms).await? else {
                continue 'records;
            };
            let Some(bundle) = with_changes(&row, changes, now) else {
                continue 'records;
            };
            let (owner, revision) = (owner.as_str(), row.revision);
            if backend
                .change_records(owner, &context_id, revision, &bundle)
                .await?
            {
                continue 'records;
            }
        }
        tracing::warn!(
            context_id,
            "other processes keep changing these context records; the finding was not written into them"
        );
    }
    Ok(())
}

/// The records with what was found; `None` where nothing of theirs changed.
fn with_changes(row: &RecordsRow, changes: &Changes, now: DateTime<Utc>) -> Option<String> {
    let mut bundle: Bundle = serde_json::from_str(&row.bundle).ok()?;
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).ok()?;
    let same = row.state.is_some() && row.state == changes.state;
    let found = later::Found {
        by: changes.by,
        at: now,
        seed,
        then: DateTime::from_timestamp_millis(changes.then_ms)?,
        skew: TimeDelta::seconds(FUTURE_TOLERANCE_S),
        updated: &changes.updated,
        removed: &changes.removed,
        parts: if same { &changes.parts } else { &[] },
    };
    if !later::note(&mut bundle, &found) {
        return None;
    }
    serde_json::to_string(&bundle).ok()
}

impl Follow {
    /// What is kept of an owner's context records, newest first.
    pub async fn list_kept_records(&self, owner: &Owner) -> Result<Vec<RecordsHead>, SourceError> {
        let now_ms = self.engine.clock().now().timestamp_millis();
        let listed = self.record_store()?.list_records(owner.as_str(), now_ms).await;
        listed.map_err(|error| unusable(&error))
    }

    /// An owner's context records by the id of their envelope, as JSON. Unknown, expired and foreign ones are not found
    /// alike.
    pub async fn kept_records(&self, context_id: &str, owner: &Owner) -> Result<String, SourceError> {
        let now_ms = self.engine.clock().now().timestamp_millis();
        let found = self
            .record_store()?
            .records(owner.as_str(), context_id, now_ms)
            .await
            .map_err(|error| unusable(&error))?;
        found.map(|row| row.bundle).ok_or_else(|| {
            let shown = named(context_id);
            SourceError::not_found(format!(
                "no context records of the id {shown} are kept (unknown, too old, or another caller's)"
            ))
            .hint("`freshcontext records list` names those that are")
        })
    }

    fn record_store(&self) -> Result<&Store, SourceError> {
        self.toolset.store().ok_or_else(|| {
            SourceError::new(
                ErrorCode::Misconfigured,
                "no context records are kept here (the setting `store` is off)",
            )
        })
    }
}
