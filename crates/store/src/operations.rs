//! Operations on deliverables, written once with statements that are valid in both databases. The types of sqlx are
//! specific to each database, so the macros generate the code for each.

/// Selects an owner's existing deliverables, each with its newest version. `$which` is the condition, `$most` the
/// parameter for their maximum size.
macro_rules! deliverable_rows {
    ($most:literal, $which:literal) => {
        concat!(
            "SELECT ",
            sized!($most, "d.", "name", "definition"),
            ", d.created_ms, COALESCE(v.version, 0) AS version, \
             v.created_ms AS version_ms FROM deliverables AS d \
             LEFT JOIN deliverable_versions AS v ON v.owner = d.owner AND v.name = d.name \
             AND v.version = (SELECT MAX(version) FROM deliverable_versions \
             WHERE owner = d.owner AND name = d.name) \
             WHERE d.owner = $1 AND d.removed_ms IS NULL ",
            $which,
            " ORDER BY d.name"
        )
    };
}

/// Selects versions of an owner's existing deliverable. `$which` is the condition, `$most` the parameter for their
/// maximum size.
macro_rules! version_rows {
    ($most:literal, $which:literal) => {
        concat!(
            "SELECT v.version, ",
            sized!($most, "v.", "hash", "predecessor_hash", "body"),
            ", v.created_ms \
             FROM deliverable_versions AS v JOIN deliverables AS d \
             ON d.owner = v.owner AND d.name = v.name AND d.removed_ms IS NULL \
             WHERE v.owner = $1 AND v.name = $2 ",
            $which
        )
    };
}

/// Selects a resource with its items, one row per item. The first row also has the columns of the resource. A row has
/// its texts only if their total size in bytes is at most `$3`.
macro_rules! resource_rows {
    () => {
        resource_rows!(
            "(i.position IS NULL OR i.position = (SELECT MIN(position) FROM ephemeral_context \
             WHERE owner = $1 AND resource = $2))"
        )
    };
    ($is_first:literal) => {
        concat!(
            "SELECT r.synced_ms, r.source_latest_ms, r.checked_ms, r.revision, ",
            resource_rows!(@ $is_first, "r.", ["platform_cursor", "validators", "content_hash", "status"]),
            sized!("$3", "i.", "item_id", "item"),
            " FROM sync_registry AS r \
             LEFT JOIN ephemeral_context AS i ON i.owner = r.owner AND i.resource = r.resource \
             WHERE r.owner = $1 AND r.resource = $2 ORDER BY i.position"
        )
    };
    (@ $is_first:literal, $prefix:literal, [$($column:literal),+]) => {
        concat!(
            $(
                "CASE WHEN ", $is_first, " AND ",
                bytes_of!("r.", ["platform_cursor", "validators", "content_hash", "status"]),
                " <= $3 THEN ", $prefix, $column, " END AS ", $column, ", ",
            )+
            bytes_of!($prefix, [$($column),+]),
            " AS head_bytes, "
        )
    };
}

/// Implements the operations for a type with a field `pool` and this row type.
macro_rules! deliverable_operations {
    ($store:ty, $row:ty) => {
        row_reader!(deliverable_of: $row => DeliverableRow {
            name, definition, created_ms, version, version_ms
        });
        row_reader!(version_of: $row => VersionRow {
            version, hash, predecessor_hash, body, created_ms
        });

        impl $crate::deliverables::Deliverables for $store {
            fn add_deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                definition: &'a str,
                now_ms: i64,
                most: i64,
                webhook: Option<&'a $crate::changes::NewWebhook>,
            ) -> BoxFuture<'a, Result<$crate::deliverables::Added, StoreError>> {
                self.within(async move {
                    self.room("deliverables").take_texts([Some(name), Some(definition)])?;
                    if let Some(webhook) = webhook {
                        self.room("webhooks")
                            .take_texts([Some(webhook.url.as_str()), webhook.secret.as_deref()])?;
                    }
                    let mut transaction = self.pool.begin().await?;
                    let done = bound!(
                        "INSERT INTO deliverables (owner, name, definition, created_ms, removed_ms) \
                         SELECT $1, $2, $3, $4, NULL WHERE (SELECT COUNT(*) FROM deliverables \
                         WHERE owner = $1 AND removed_ms IS NULL) < $5 \
                         ON CONFLICT (owner, name) DO UPDATE SET definition = excluded.definition, \
                         created_ms = excluded.created_ms, removed_ms = NULL \
                         WHERE deliverables.removed_ms IS NOT NULL",
                        owner,
                        name,
                        definition,
                        now_ms,
                        most,
                    )
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if done > 0 {
                        if let Some(webhook) = webhook {
                            // Earlier changes of a reused name are not posted.
                            bound!(
                                "INSERT INTO webhooks (owner, name, url, secret, position) \
                                 SELECT owner, name, $3, $4, changes FROM deliverables \
                                 WHERE owner = $1 AND name = $2",
                                owner,
                                name,
                                &webhook.url,
                                &webhook.secret,
                            )
                            .execute(&mut *transaction)
                            .await?;
                        }
                        transaction.commit().await?;
                        return Ok($crate::deliverables::Added::New);
                    }
                    transaction.rollback().await?;
                    let known = self.deliverable(owner, name).await?;
                    Ok(if known.is_some() {
                        $crate::deliverables::Added::Exists
                    } else {
                        $crate::deliverables::Added::TooMany
                    })
                })
            }

            fn deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
            ) -> BoxFuture<'a, Result<Option<$crate::deliverables::DeliverableRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(None);
                    }
                    let mut room = self.room("deliverables");
                    let most = room.most();
                    let row = bound!(deliverable_rows!("$3", "AND d.name = $2"), owner, name, most)
                        .fetch_optional(&self.pool)
                        .await?;
                    row.as_ref().map(|row| deliverable_of(row, &mut room)).transpose()
                })
            }

            fn deliverables<'a>(
                &'a self,
                owner: &'a str,
            ) -> BoxFuture<'a, Result<Vec<$crate::deliverables::DeliverableRow>, StoreError>> {
                self.within(async move {
                    let mut room = self.room("deliverables");
                    let query = bound!(deliverable_rows!("$2", ""), owner, room.most());
                    let mut rows = query.fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push(deliverable_of(&row, &mut room)?);
                    }
                    Ok(all)
                })
            }

            fn deliverable_keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>> {
                self.within(async move {
                    let mut rows = sqlx::query(
                        "SELECT owner, name FROM deliverables WHERE removed_ms IS NULL ORDER BY owner, name",
                    )
                    .fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        all.push((row.try_get("owner")?, row.try_get("name")?));
                    }
                    Ok(all)
                })
            }

            fn remove_deliverable<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                now_ms: i64,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(false);
                    }
                    let mut transaction = self.pool.begin().await?;
                    let done = bound!(
                        "UPDATE deliverables SET removed_ms = $3 \
                         WHERE owner = $1 AND name = $2 AND removed_ms IS NULL",
                        owner,
                        name,
                        now_ms,
                    )
                    .execute(&mut *transaction)
                    .await?;
                    bound!("DELETE FROM webhooks WHERE owner = $1 AND name = $2", owner, name)
                        .execute(&mut *transaction)
                        .await?;
                    transaction.commit().await?;
                    Ok(done.rows_affected() > 0)
                })
            }

            // A single statement, so that a concurrent sync cannot separate the resource from its items.
            fn resource<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
            ) -> BoxFuture<'a, Result<Option<($crate::deliverables::ResourceRow, i64)>, StoreError>> {
                self.within(async move {
                    let mut head = self.room("sync_registry");
                    let mut room = self.room("ephemeral_context");
                    let query = bound!(resource_rows!(), owner, resource, room.most());
                    let mut rows = query.fetch(&self.pool);
                    let mut found = None;
                    while let Some(row) = rows.try_next().await? {
                        if found.is_none() {
                            head.take(row.try_get("head_bytes")?)?;
                            let first = $crate::deliverables::ResourceRow {
                                resource: resource.to_owned(),
                                synced_ms: row.try_get("synced_ms")?,
                                platform_cursor: row.try_get("platform_cursor")?,
                                source_latest_ms: row.try_get("source_latest_ms")?,
                                validators: row.try_get("validators")?,
                                content_hash: row.try_get("content_hash")?,
                                status: row.try_get("status")?,
                                checked_ms: row.try_get("checked_ms")?,
                                items: Vec::new(),
                            };
                            found = Some((first, row.try_get("revision")?));
                        }
                        room.take(row.try_get("bytes")?)?;
                        let id: Option<String> = row.try_get("item_id")?;
                        let item: Option<String> = row.try_get("item")?;
                        if let Some((found, _)) = &mut found {
                            found.items.extend(id.zip(item));
                        }
                    }
                    Ok(found)
                })
            }

            fn put_resource<'a>(
                &'a self,
                owner: &'a str,
                row: &'a $crate::deliverables::ResourceRow,
                read: Option<i64>,
                change: Option<&'a $crate::changes::NewChange>,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    self.room("sync_registry").take_texts([
                        row.platform_cursor.as_deref(),
                        Some(&row.validators),
                        Some(&row.content_hash),
                        Some(&row.status),
                    ])?;
                    let mut room = self.room("ephemeral_context");
                    for (id, item) in &row.items {
                        room.take_texts([Some(id.as_str()), Some(item)])?;
                    }
                    // Begins with a write to a row that all syncs share. A second writer waits here and then sees the
                    // complete first sync.
                    let mut transaction = self.pool.begin().await?;
                    sqlx::query("UPDATE store_state SET value = value + 1 WHERE name = 'revision'")
                        .execute(&mut *transaction)
                        .await?;
                    let statement = match read {
                        None => {
                            "INSERT INTO sync_registry (owner, resource, synced_ms, platform_cursor, item_count, \
                             source_latest_ms, validators, content_hash, status, checked_ms, revision) \
                             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, \
                             (SELECT value FROM store_state WHERE name = 'revision')) \
                             ON CONFLICT (owner, resource) DO NOTHING"
                        }
                        Some(_) => {
                            "UPDATE sync_registry SET synced_ms = $3, platform_cursor = $4, item_count = $5, \
                             source_latest_ms = $6, validators = $7, content_hash = $8, status = $9, \
                             checked_ms = $10, \
                             revision = (SELECT value FROM store_state WHERE name = 'revision') \
                             WHERE owner = $1 AND resource = $2 AND revision = $11"
                        }
                    };
                    let mut query = bound!(
                        statement,
                        owner,
                        &row.resource,
                        row.synced_ms,
                        &row.platform_cursor,
                        i64::try_from(row.items.len()).unwrap_or(i64::MAX),
                        row.source_latest_ms,
                        &row.validators,
                        &row.content_hash,
                        &row.status,
                        row.checked_ms,
                    );
                    if let Some(read) = read {
                        query = query.bind(read);
                    }
                    let done = query.execute(&mut *transaction).await?.rows_affected();
                    if done == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    bound!(
                        "DELETE FROM ephemeral_context WHERE owner = $1 AND resource = $2",
                        owner,
                        &row.resource,
                    )
                    .execute(&mut *transaction)
                    .await?;
                    for ((id, item), position) in row.items.iter().zip(0_i64..) {
                        bound!(
                            "INSERT INTO ephemeral_context (owner, resource, item_id, position, item) \
                             VALUES ($1, $2, $3, $4, $5)",
                            owner,
                            &row.resource,
                            id,
                            position,
                            item,
                        )
                        .execute(&mut *transaction)
                        .await?;
                    }
                    if let Some(change) = change {
                        note_change!(transaction, owner, change);
                    }
                    transaction.commit().await?;
                    Ok(true)
                })
            }

            fn note_current<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
                revision: i64,
                checked_ms: i64,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    // Keeps the later of two check times, unless it is too far ahead to be valid.
                    let done = bound!(
                        "UPDATE sync_registry SET checked_ms = \
                         CASE WHEN checked_ms > $4 AND checked_ms <= $5 THEN checked_ms ELSE $4 END \
                         WHERE owner = $1 AND resource = $2 AND revision = $3",
                        owner,
                        resource,
                        revision,
                        checked_ms,
                        checked_ms.saturating_add($crate::SKEW_MS),
                    )
                    .execute(&self.pool)
                    .await?;
                    Ok(done.rows_affected() > 0)
                })
            }

            fn forget_resource<'a>(
                &'a self,
                owner: &'a str,
                resource: &'a str,
            ) -> BoxFuture<'a, Result<(), StoreError>> {
                self.within(async move {
                    let mut transaction = self.pool.begin().await?;
                    for statement in [
                        "DELETE FROM sync_registry WHERE owner = $1 AND resource = $2",
                        "DELETE FROM ephemeral_context WHERE owner = $1 AND resource = $2",
                    ] {
                        bound!(statement, owner, resource)
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
                row: &'a $crate::deliverables::VersionRow,
                keep: i64,
                change: Option<&'a $crate::changes::NewChange>,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    self.room("deliverable_versions").take_texts([
                        Some(row.hash.as_str()),
                        row.predecessor_hash.as_deref(),
                        Some(&row.body),
                    ])?;
                    let mut transaction = self.pool.begin().await?;
                    let done = bound!(
                        "INSERT INTO deliverable_versions \
                         (owner, name, version, hash, predecessor_hash, body, created_ms) \
                         SELECT $1, $2, $3, $4, $5, $6, $7 \
                         WHERE EXISTS (SELECT 1 FROM deliverables \
                         WHERE owner = $1 AND name = $2 AND removed_ms IS NULL) \
                         AND COALESCE((SELECT MAX(version) FROM deliverable_versions \
                         WHERE owner = $1 AND name = $2), 0) = $3 - 1 \
                         ON CONFLICT (owner, name, version) DO NOTHING",
                        owner,
                        name,
                        row.version,
                        &row.hash,
                        &row.predecessor_hash,
                        &row.body,
                        row.created_ms,
                    )
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if done == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    bound!(
                        "DELETE FROM deliverable_versions WHERE owner = $1 AND name = $2 AND version <= $3",
                        owner,
                        name,
                        row.version.saturating_sub(keep.max(1)),
                    )
                    .execute(&mut *transaction)
                    .await?;
                    if let Some(change) = change {
                        note_change!(transaction, owner, change);
                    }
                    transaction.commit().await?;
                    Ok(true)
                })
            }

            fn version<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                version: Option<i64>,
            ) -> BoxFuture<'a, Result<Option<$crate::deliverables::VersionRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(None);
                    }
                    let mut room = self.room("deliverable_versions");
                    let row = bound!(
                        version_rows!(
                            "$4",
                            "AND v.version = COALESCE($3, (SELECT MAX(version) FROM deliverable_versions \
                             WHERE owner = $1 AND name = $2))"
                        ),
                        owner,
                        name,
                        version,
                        room.most(),
                    )
                    .fetch_optional(&self.pool)
                    .await?;
                    row.as_ref().map(|row| version_of(row, &mut room)).transpose()
                })
            }

            fn versions<'a>(
                &'a self,
                owner: &'a str,
                name: &'a str,
                after: i64,
            ) -> BoxFuture<'a, Result<Vec<$crate::deliverables::VersionRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(name) {
                        return Ok(Vec::new());
                    }
                    let mut room = self.room("deliverable_versions");
                    let query = bound!(
                        version_rows!("$4", "AND v.version > $3 ORDER BY v.version"),
                        owner,
                        name,
                        after,
                        room.most(),
                    );
                    let mut rows = query.fetch(&self.pool);
                    let mut all = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        match version_of(&row, &mut room) {
                            Ok(version) => all.push(version),
                            // The next page begins here.
                            Err(error) if error.trouble == Trouble::TooLarge && room.is_started() => break,
                            Err(error) => return Err(error),
                        }
                    }
                    Ok(all)
                })
            }
        }
    };
}
