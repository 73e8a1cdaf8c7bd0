//! What deliverables need kept: their definitions, the resources they follow with the items last synced, and their
//! versions, which are only ever appended.

use serde::Serialize;

use crate::StoreError;
use crate::backend::BoxFuture;

/// A deliverable as it was defined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliverableRow {
    /// Its name, unique for its owner.
    pub name: String,
    /// Sources, policy and the rest, as JSON in the form of whoever wrote it.
    pub definition: String,
    /// When it was added, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its newest version; 0 where it has none yet.
    pub version: i64,
    /// When that was made, in milliseconds since 1970.
    pub version_ms: Option<i64>,
}

/// What came of adding a deliverable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is there now, and was not.
    New,
    /// The owner has one of this name.
    Exists,
    /// The owner has as many as may be kept.
    TooMany,
}

/// How far a resource was followed, and what it had then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceRow {
    /// Which resource, in canonical form.
    pub resource: String,
    /// When its items left the source, in milliseconds since 1970.
    pub synced_ms: i64,
    /// The source's own mark: its newest id, or a validator.
    pub platform_cursor: Option<String>,
    /// The newest date that its items have, in milliseconds since 1970.
    pub source_latest_ms: Option<i64>,
    /// Marks of the answer for the cheap question, as JSON in the form of whoever wrote it.
    pub validators: String,
    /// SHA-256 over the marks of all items, in hexadecimal.
    pub content_hash: String,
    /// What the items are of all there is, in the words of whoever wrote it.
    pub status: String,
    /// When it was last known to be so, in milliseconds since 1970.
    pub checked_ms: i64,
    /// The items in their order: id, and JSON.
    pub items: Vec<(String, String)>,
}

/// One version of a deliverable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VersionRow {
    /// Its number, from 1 without gaps.
    pub version: i64,
    /// Hash of this version, which covers that of the one before it.
    pub hash: String,
    /// Hash of the one before it; `None` of the first.
    pub predecessor_hash: Option<String>,
    /// What it is, as JSON in the form of whoever wrote it.
    pub body: String,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: i64,
}

/// The operations on deliverables. Each is one short transaction.
pub trait Deliverables: Send + Sync {
    /// Adds one, unless there is one of that name, or `most` already. A removed one's name may be taken again; its
    /// versions then go on.
    fn add_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        definition: &'a str,
        now_ms: i64,
        most: i64,
    ) -> BoxFuture<'a, Result<Added, StoreError>>;

    /// An owner's deliverable; `None` where there is none, where it was removed, and where it is another's.
    fn deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<DeliverableRow>, StoreError>>;

    /// An owner's deliverables, by name.
    fn deliverables<'a>(&'a self, owner: &'a str) -> BoxFuture<'a, Result<Vec<DeliverableRow>, StoreError>>;

    /// Marks one as removed; whether there was one. Its versions stay for as long as answers do.
    fn remove_deliverable<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// A resource with its items; `None` where it was never synced.
    fn resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Option<ResourceRow>, StoreError>>;

    /// Puts a resource with its items in place of what was kept of it, unless that was synced later; whether it did.
    fn put_resource<'a>(
        &'a self,
        owner: &'a str,
        row: &'a ResourceRow,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Notes that a resource was found to be as it was when it was synced at `synced_ms`.
    fn note_current<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
        synced_ms: i64,
        checked_ms: i64,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Forgets a resource and its items.
    fn forget_resource<'a>(
        &'a self,
        owner: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Appends a version whose number is one more than the newest, and ends those older than the newest `keep`. `false`
    /// where somebody else took the number meanwhile, or the deliverable is no more; nothing is changed then.
    fn append_version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        row: &'a VersionRow,
        keep: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// A version of a deliverable that is there; the newest where no number is given.
    fn version<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
        version: Option<i64>,
    ) -> BoxFuture<'a, Result<Option<VersionRow>, StoreError>>;

    /// All versions that are kept of a deliverable that is there, oldest first.
    fn versions<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Vec<VersionRow>, StoreError>>;
}

/// Implements the operations for a type with a field `pool`, whose rows are of this kind.
macro_rules! deliverable_operations {
    ($store:ty, $row:ty) => {
        fn deliverable_of(row: &$row) -> Result<$crate::DeliverableRow, sqlx::Error> {
            Ok($crate::DeliverableRow {
                name: row.try_get("name")?,
                definition: row.try_get("definition")?,
                created_ms: row.try_get("created_ms")?,
                version: row.try_get("version")?,
                version_ms: row.try_get("version_ms")?,
            })
        }

        fn version_of(row: &$row) -> Result<$crate::VersionRow, sqlx::Error> {
            Ok($crate::VersionRow {
                version: row.try_get("version")?,
                hash: row.try_get("hash")?,
                predecessor_hash: row.try_get("predecessor_hash")?,
                body: row.try_get("body")?,
                created_ms: row.try_get("created_ms")?,
            })
        }

        impl $crate::Deliverables for $store {
            fn add_deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                definition: &'a str,
                now_ms: i64,
                most: i64,
            ) -> BoxFuture<'a, Result<$crate::Added, StoreError>> {
                Box::pin(async move {
                    let done = sqlx::query(
                        "INSERT INTO deliverables (owner, name, definition, created_ms, removed_ms) \
                         SELECT $1, $2, $3, $4, NULL WHERE (SELECT COUNT(*) FROM deliverables \
                         WHERE owner = $1 AND removed_ms IS NULL) < $5 \
                         ON CONFLICT (owner, name) DO UPDATE SET definition = excluded.definition, \
                         created_ms = excluded.created_ms, removed_ms = NULL \
                         WHERE deliverables.removed_ms IS NOT NULL",
                    )
                    .bind(owner)
                    .bind(name)
                    .bind(definition)
                    .bind(now_ms)
                    .bind(most)
                    .execute(&self.pool)
                    .await?
                    .rows_affected();
                    if done > 0 {
                        return Ok($crate::Added::New);
                    }
                    let known = self.deliverable(owner, name).await?;
                    Ok(if known.is_some() {
                        $crate::Added::Exists
                    } else {
                        $crate::Added::TooMany
                    })
                })
            }

            fn deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
            ) -> BoxFuture<'a, Result<Option<$crate::DeliverableRow>, StoreError>> {
                Box::pin(async move {
                    let row = sqlx::query(
                        "SELECT d.name, d.definition, d.created_ms, COALESCE(MAX(v.version), 0) AS version, \
                         MAX(v.created_ms) AS version_ms FROM deliverables AS d \
                         LEFT JOIN deliverable_versions AS v ON v.owner = d.owner AND v.name = d.name \
                         WHERE d.owner = $1 AND d.name = $2 AND d.removed_ms IS NULL \
                         GROUP BY d.name, d.definition, d.created_ms",
                    )
                    .bind(owner)
                    .bind(name)
                    .fetch_optional(&self.pool)
                    .await?;
                    Ok(row.as_ref().map(deliverable_of).transpose()?)
                })
            }

            fn deliverables<'a>(
                &'a self,
                owner: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::DeliverableRow>, StoreError>> {
                Box::pin(async move {
                    let rows = sqlx::query(
                        "SELECT d.name, d.definition, d.created_ms, COALESCE(MAX(v.version), 0) AS version, \
                         MAX(v.created_ms) AS version_ms FROM deliverables AS d \
                         LEFT JOIN deliverable_versions AS v ON v.owner = d.owner AND v.name = d.name \
                         WHERE d.owner = $1 AND d.removed_ms IS NULL \
                         GROUP BY d.name, d.definition, d.created_ms ORDER BY d.name",
                    )
                    .bind(owner)
                    .fetch_all(&self.pool)
                    .await?;
                    Ok(rows.iter().map(deliverable_of).collect::<Result<_, _>>()?)
                })
            }

            fn remove_deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                now_ms: i64,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                Box::pin(async move {
                    let done = sqlx::query(
                        "UPDATE deliverables SET removed_ms = $3 \
                         WHERE owner = $1 AND name = $2 AND removed_ms IS NULL",
                    )
                    .bind(owner)
                    .bind(name)
                    .bind(now_ms)
                    .execute(&self.pool)
                    .await?;
                    Ok(done.rows_affected() > 0)
                })
            }

            // One statement, so that a sync by somebody else does not come between the resource and its items.
            fn resource<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
            ) -> BoxFuture<'a, Result<Option<$crate::ResourceRow>, StoreError>> {
                Box::pin(async move {
                    let rows = sqlx::query(
                        "SELECT r.resource, r.synced_ms, r.platform_cursor, r.source_latest_ms, r.validators, \
                         r.content_hash, r.status, r.checked_ms, i.item_id, i.item FROM sync_registry AS r \
                         LEFT JOIN ephemeral_context AS i ON i.owner = r.owner AND i.resource = r.resource \
                         WHERE r.owner = $1 AND r.resource = $2 ORDER BY i.position",
                    )
                    .bind(owner)
                    .bind(resource)
                    .fetch_all(&self.pool)
                    .await?;
                    let Some(first) = rows.first() else {
                        return Ok(None);
                    };
                    let mut items = Vec::with_capacity(rows.len());
                    for row in &rows {
                        let id: Option<String> = row.try_get("item_id")?;
                        let item: Option<String> = row.try_get("item")?;
                        items.extend(id.zip(item));
                    }
                    Ok(Some($crate::ResourceRow {
                        resource: first.try_get("resource")?,
                        synced_ms: first.try_get("synced_ms")?,
                        platform_cursor: first.try_get("platform_cursor")?,
                        source_latest_ms: first.try_get("source_latest_ms")?,
                        validators: first.try_get("validators")?,
                        content_hash: first.try_get("content_hash")?,
                        status: first.try_get("status")?,
                        checked_ms: first.try_get("checked_ms")?,
                        items,
                    }))
                })
            }

            fn put_resource<'a>(
                &'a self,
                owner: &'a str,
                row: &'a $crate::ResourceRow,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                Box::pin(async move {
                    // It begins with a write: whoever comes second waits here, and then sees all of the first.
                    let mut transaction = self.pool.begin().await?;
                    let done = sqlx::query(
                        "INSERT INTO sync_registry (owner, resource, synced_ms, platform_cursor, item_count, \
                         source_latest_ms, validators, content_hash, status, checked_ms) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
                         ON CONFLICT (owner, resource) DO UPDATE SET synced_ms = excluded.synced_ms, \
                         platform_cursor = excluded.platform_cursor, item_count = excluded.item_count, \
                         source_latest_ms = excluded.source_latest_ms, validators = excluded.validators, \
                         content_hash = excluded.content_hash, status = excluded.status, \
                         checked_ms = excluded.checked_ms WHERE sync_registry.synced_ms <= excluded.synced_ms",
                    )
                    .bind(owner)
                    .bind(&row.resource)
                    .bind(row.synced_ms)
                    .bind(&row.platform_cursor)
                    .bind(i64::try_from(row.items.len()).unwrap_or(i64::MAX))
                    .bind(row.source_latest_ms)
                    .bind(&row.validators)
                    .bind(&row.content_hash)
                    .bind(&row.status)
                    .bind(row.checked_ms)
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if done == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    sqlx::query("DELETE FROM ephemeral_context WHERE owner = $1 AND resource = $2")
                        .bind(owner)
                        .bind(&row.resource)
                        .execute(&mut *transaction)
                        .await?;
                    for ((id, item), position) in row.items.iter().zip(0_i64..) {
                        sqlx::query(
                            "INSERT INTO ephemeral_context (owner, resource, item_id, position, item) \
                             VALUES ($1, $2, $3, $4, $5)",
                        )
                        .bind(owner)
                        .bind(&row.resource)
                        .bind(id)
                        .bind(position)
                        .bind(item)
                        .execute(&mut *transaction)
                        .await?;
                    }
                    transaction.commit().await?;
                    Ok(true)
                })
            }

            fn note_current<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
                synced_ms: i64,
                checked_ms: i64,
            ) -> BoxFuture<'a, Result<(), StoreError>> {
                Box::pin(async move {
                    sqlx::query(
                        "UPDATE sync_registry SET checked_ms = $4 WHERE owner = $1 AND resource = $2 \
                         AND synced_ms = $3 AND checked_ms < $4",
                    )
                    .bind(owner)
                    .bind(resource)
                    .bind(synced_ms)
                    .bind(checked_ms)
                    .execute(&self.pool)
                    .await?;
                    Ok(())
                })
            }

            fn forget_resource<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
            ) -> BoxFuture<'a, Result<(), StoreError>> {
                Box::pin(async move {
                    let mut transaction = self.pool.begin().await?;
                    for statement in [
                        "DELETE FROM sync_registry WHERE owner = $1 AND resource = $2",
                        "DELETE FROM ephemeral_context WHERE owner = $1 AND resource = $2",
                    ] {
                        sqlx::query(statement)
                            .bind(owner)
                            .bind(resource)
                            .execute(&mut *transaction)
                            .await?;
                    }
                    transaction.commit().await?;
                    Ok(())
                })
            }

            fn append_version<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                row: &'a $crate::VersionRow,
                keep: i64,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                Box::pin(async move {
                    let mut transaction = self.pool.begin().await?;
                    let done = sqlx::query(
                        "INSERT INTO deliverable_versions \
                         (owner, name, version, hash, predecessor_hash, body, created_ms) \
                         SELECT $1, $2, $3, $4, $5, $6, $7 \
                         WHERE EXISTS (SELECT 1 FROM deliverables \
                         WHERE owner = $1 AND name = $2 AND removed_ms IS NULL) \
                         AND COALESCE((SELECT MAX(version) FROM deliverable_versions \
                         WHERE owner = $1 AND name = $2), 0) = $3 - 1 \
                         ON CONFLICT (owner, name, version) DO NOTHING",
                    )
                    .bind(owner)
                    .bind(name)
                    .bind(row.version)
                    .bind(&row.hash)
                    .bind(&row.predecessor_hash)
                    .bind(&row.body)
                    .bind(row.created_ms)
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if done == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    sqlx::query(
                        "DELETE FROM deliverable_versions WHERE owner = $1 AND name = $2 AND version <= $3",
                    )
                    .bind(owner)
                    .bind(name)
                    .bind(row.version.saturating_sub(keep.max(1)))
                    .execute(&mut *transaction)
                    .await?;
                    transaction.commit().await?;
                    Ok(true)
                })
            }

            fn version<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                version: Option<i64>,
            ) -> BoxFuture<'a, Result<Option<$crate::VersionRow>, StoreError>> {
                Box::pin(async move {
                    let row = sqlx::query(
                        "SELECT v.version, v.hash, v.predecessor_hash, v.body, v.created_ms \
                         FROM deliverable_versions AS v JOIN deliverables AS d \
                         ON d.owner = v.owner AND d.name = v.name AND d.removed_ms IS NULL \
                         WHERE v.owner = $1 AND v.name = $2 AND v.version = COALESCE($3, \
                         (SELECT MAX(version) FROM deliverable_versions WHERE owner = $1 AND name = $2))",
                    )
                    .bind(owner)
                    .bind(name)
                    .bind(version)
                    .fetch_optional(&self.pool)
                    .await?;
                    Ok(row.as_ref().map(version_of).transpose()?)
                })
            }

            fn versions<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::VersionRow>, StoreError>> {
                Box::pin(async move {
                    let rows = sqlx::query(
                        "SELECT v.version, v.hash, v.predecessor_hash, v.body, v.created_ms \
                         FROM deliverable_versions AS v JOIN deliverables AS d \
                         ON d.owner = v.owner AND d.name = v.name AND d.removed_ms IS NULL \
                         WHERE v.owner = $1 AND v.name = $2 ORDER BY v.version",
                    )
                    .bind(owner)
                    .bind(name)
                    .fetch_all(&self.pool)
                    .await?;
                    Ok(rows.iter().map(version_of).collect::<Result<_, _>>()?)
                })
            }
        }
    };
}
