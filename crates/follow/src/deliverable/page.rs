//! A version of a deliverable for its page: what changed since an earlier one, and all that it holds.

use chrono::{DateTime, Utc};
use freshcontext_contract::SourceError;
use freshcontext_core::answer::{value_words, write_item_words};
use freshcontext_core::date::KeptMoment;
use freshcontext_deliverables::{Diff, Snapshot, Version, diff};
use freshcontext_engine::Owner;
use serde::Serialize;

use super::{To, moment};
use crate::Follow;

/// What the page of a deliverable shows. Its values are in the words of the text.
#[derive(Debug, Serialize)]
pub struct VersionPage {
    /// Tells the page what it shows.
    page: &'static str,
    /// Name of the deliverable.
    name: String,
    /// Number of the version, or `now`.
    to: Shown,
    /// Time of generation or comparison; all ages count to it.
    at: String,
    /// Number and time of the version that it is compared with.
    from: Option<i64>,
    from_at: Option<String>,
    /// Time of generation by a clock that is ahead of this one.
    at_ahead: Option<String>,
    hash: Option<String>,
    predecessor_hash: Option<String>,
    /// The differences; none where there is no earlier version.
    changes: Diff,
    /// State of the sources.
    sources: Vec<Snapshot>,
    /// All stored versions, oldest first.
    versions: Vec<Line>,
    /// The version; `None` where the comparison is with now.
    version: Option<Version>,
}

/// What is shown.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Shown {
    Version(i64),
    Now(&'static str),
}

/// A stored version on the axis.
#[derive(Debug, Serialize)]
struct Line {
    version: i64,
    generated_at: String,
    items: usize,
}

impl Follow {
    /// Returns what the page of a deliverable shows: the newest version unless `to` says another, compared with the version
    /// before it unless `from` says another. Fails where a version does not match its hash.
    pub async fn deliverable_page(
        &self,
        name: &str,
        from: Option<i64>,
        to: Option<To>,
        owner: &Owner,
    ) -> Result<VersionPage, SourceError> {
        let mut versions = Vec::new();
        self.each_version(name, owner, |row, version| {
            versions.push(Line {
                version: row.version,
                generated_at: version.generated_at,
                items: version.items.len(),
            });
        })
        .await?;
        let now = self.engine.clock().now();
        let (to, row, version) = match to {
            Some(To::Now) => (Shown::Now("now"), None, None),
            number => {
                let number = number.and_then(|to| match to {
                    To::Version(number) => Some(number),
                    To::Now => None,
                });
                let (row, version) = self.deliverable_version(name, number, owner).await?;
                (Shown::Version(row.version), Some(row), Some(version))
            }
        };
        // The newest before it that is still kept.
        let before = |line: &&Line| row.as_ref().is_none_or(|row| line.version < row.version);
        let from = from.or_else(|| versions.iter().rev().find(before).map(|line| line.version));
        let first = match from {
            Some(number) => Some(self.deliverable_version(name, Some(number), owner).await?.1),
            None => None,
        };
        let (sources, changes) = match (&first, &version) {
            (Some(first), Some(version)) => (
                version.source_snapshots.clone(),
                diff(first.into(), version.into()),
            ),
            (Some(first), None) => self.since(name, first, owner).await?,
            (None, version) => {
                let sources = version.iter().flat_map(|version| &version.source_snapshots);
                (sources.cloned().collect(), Diff::default())
            }
        };
        let mut page = VersionPage {
            page: "deliverable",
            name: name.to_owned(),
            to,
            at: version
                .as_ref()
                .map_or_else(|| moment(now), |version| version.generated_at.clone()),
            from,
            from_at: first.map(|first| first.generated_at),
            at_ahead: row
                .as_ref()
                .and_then(|row| KeptMoment::of(row.created_ms, now).ahead),
            hash: row.as_ref().map(|row| row.hash.clone()),
            predecessor_hash: row.and_then(|row| row.predecessor_hash),
            changes,
            sources,
            versions,
            version,
        };
        page.write_words(now);
        Ok(page)
    }
}

impl VersionPage {
    /// Writes the values of items and of changes as the text has them. All ages count to the version.
    fn write_words(&mut self, now: DateTime<Utc>) {
        let at = self.at.parse().unwrap_or(now);
        for entry in self.version.iter_mut().flat_map(|version| &mut version.items) {
            write_item_words(&mut entry.item, at);
        }
        for added in &mut self.changes.added {
            write_item_words(&mut added.entry.item, at);
        }
        for change in self.changes.changed.iter_mut().flat_map(|one| &mut one.fields) {
            if change.field.starts_with("fields.") {
                for value in [&mut change.then, &mut change.now].into_iter().flatten() {
                    *value = value_words(value, at).into();
                }
            }
        }
    }
}
