//! Changes of a deliverable as listeners and webhooks get them: counts, a hash and a link, and no content.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use freshcontext_deliverables::{Diff, Source, Version, diff};
use freshcontext_store::NewChange;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::super::keeping::unusable;
use super::{moment, unknown, unwritable};
use crate::Follow;
use crate::document::document;
use freshcontext_engine::Owner;

/// URI prefix of a deliverable's newest version.
pub const DELIVERABLE_URI: &str = "freshcontext://deliverables/";
/// URI suffix of a deliverable's changes.
pub const CHANGES_SUFFIX: &str = "/changes";
/// Bytes of a change's id before it is written in hexadecimal.
const ID_BYTES: usize = 16;

/// Returns the number of changed items by kind.
fn counts(found: &Diff) -> Value {
    json!({
        "added": found.added.len(),
        "changed": found.changed.len(),
        "removed": found.removed.len(),
        "could_not_check": found.could_not_check.len(),
    })
}

/// Returns an id that is the same whenever this change is written, and differs for every other one.
fn change_id(owner: &Owner, name: &str, body: &str) -> String {
    let mut hash = Sha256::new();
    for part in [owner.as_str(), name, body] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut id = "msg_".to_owned();
    for byte in hash.finalize().iter().take(ID_BYTES) {
        // Writing to a String cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

impl Follow {
    fn change(
        &self,
        kind: &str,
        name: &str,
        data: &Value,
        owner: &Owner,
        now: DateTime<Utc>,
    ) -> Result<NewChange, SourceError> {
        let body = json!({"type": kind, "timestamp": moment(now), "data": data});
        let body = serde_json::to_string(&body).map_err(unwritable)?;
        Ok(NewChange {
            name: name.to_owned(),
            change_id: change_id(owner, name, &body),
            body,
            created_ms: now.timestamp_millis(),
            keep: i64::try_from(self.engine.limits().changes_kept).unwrap_or(i64::MAX),
        })
    }

    /// Returns the change that a new version is, beside the one before it.
    pub(super) fn version_change(
        &self,
        before: Option<&Version>,
        version: &Version,
        hash: &str,
        owner: &Owner,
        now: DateTime<Utc>,
    ) -> Result<NewChange, SourceError> {
        let changes = match before {
            Some(before) => counts(&diff(before.into(), version.into())),
            // Everything in the first version is new.
            None => json!({"added": version.items.len(), "changed": 0, "removed": 0, "could_not_check": 0}),
        };
        let data = json!({
            "deliverable": version.name,
            "version": version.version,
            "previous_version": before.map(|before| before.version),
            "hash": hash,
            "items": version.items.len(),
            "changes": changes,
            "link": format!("{DELIVERABLE_URI}{}", version.name),
        });
        self.change("deliverable.version", &version.name, &data, owner, now)
    }

    /// Returns the change that the watcher found in a source.
    pub(super) fn source_change(
        &self,
        name: &str,
        source: &Source,
        found: &Diff,
        hash: &str,
        owner: &Owner,
        now: DateTime<Utc>,
    ) -> Result<NewChange, SourceError> {
        let data = json!({
            "deliverable": name,
            "source": source.words(),
            "hash": hash,
            "changes": counts(found),
            "link": format!("{DELIVERABLE_URI}{name}{CHANGES_SUFFIX}"),
        });
        self.change("deliverable.source", name, &data, owner, now)
    }

    /// Returns stored changes of an owner's deliverable after this number, oldest first, at most `most`, each with its number.
    pub async fn deliverable_changes(
        &self,
        name: &str,
        after: i64,
        most: i64,
        owner: &Owner,
    ) -> Result<Vec<Value>, SourceError> {
        let rows = self
            .kept()
            .await?
            .changes(owner.as_str(), name, after, most)
            .await
            .map_err(|error| unusable(&error))?;
        if rows.is_empty() {
            self.find_deliverable(name, owner)
                .await
                .map_err(|_| unknown(name))?;
        }
        rows.iter().map(document).collect()
    }
}
