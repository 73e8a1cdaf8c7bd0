//! Storage of context records: the records of a call as one text, and the ids of their items.

use serde::Serialize;

use crate::BoxFuture;
use crate::error::StoreError;

/// The records of one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordsRow {
    /// Id of their envelope.
    pub context_id: String,
    /// The tool that was called.
    pub tool: String,
    /// Hash of the resource and its content at that time; `None` if it cannot be compared.
    pub state: Option<String>,
    /// The records as JSON, in the writer's format.
    pub bundle: String,
    /// Number of changes.
    pub revision: i64,
    /// End of the call, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Summary of stored records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordsHead {
    /// Id of their envelope.
    pub context_id: String,
    /// The tool that was called.
    pub tool: String,
    /// Number of changes.
    pub revision: i64,
    /// End of the call, in milliseconds since 1970.
    pub created_ms: i64,
}

/// Operations on context records. Each is one short transaction.
pub trait KeptRecords: Send + Sync {
    /// Stores records with the ids of their items, and deletes the owner's records except the `keep` most recently
    /// written. Returns `false` and changes nothing if records with this id exist.
    fn put_records<'a>(
        &'a self,
        owner: &'a str,
        row: &'a RecordsRow,
        items: &'a [String],
        keep: i64,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Returns an owner's records, unless they are older than `since_ms`. Another owner's records count as absent.
    fn records<'a>(
        &'a self,
        owner: &'a str,
        context_id: &'a str,
        since_ms: i64,
    ) -> BoxFuture<'a, Result<Option<RecordsRow>, StoreError>>;

    /// Lists an owner's records since `since_ms`, most recently written first, up to `most`.
    fn list_records<'a>(
        &'a self,
        owner: &'a str,
        since_ms: i64,
        most: i64,
    ) -> BoxFuture<'a, Result<Vec<RecordsHead>, StoreError>>;

    /// Returns the distinct ids of an owner's records that have this state or one of these items.
    fn records_about<'a>(
        &'a self,
        owner: &'a str,
        state: Option<&'a str>,
        items: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;

    /// Replaces an owner's records, unless they were changed since `revision`. Returns whether they were replaced.
    fn change_records<'a>(
        &'a self,
        owner: &'a str,
        context_id: &'a str,
        revision: i64,
        bundle: &'a str,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;
}

/// Implements the operations for a type with a field `pool`, a method `writer`, and this row type.
macro_rules! records_operations {
    ($store:ty, $row:ty) => {
        row_reader!(records_of: $row => RecordsRow {
            context_id, tool, state, bundle, revision, created_ms
        });
        row_reader!(records_head_of: $row => RecordsHead { context_id, tool, revision, created_ms });

        impl $crate::records::KeptRecords for $store {
            fn put_records<'a>(
                &'a self,
                owner: &'a str,
                row: &'a $crate::records::RecordsRow,
                items: &'a [String],
                keep: i64,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    self.room("kept_records").take_texts([
                        Some(row.context_id.as_str()),
                        Some(&row.tool),
                        row.state.as_deref(),
                        Some(&row.bundle),
                    ])?;
                    let mut transaction = self.writer().begin().await?;
                    let done = sqlx::query(
                        "INSERT INTO kept_records (owner, context_id, tool, state, bundle, revision, created_ms, seq) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, \
                         (SELECT COALESCE(MAX(seq), 0) + 1 FROM kept_records)) ON CONFLICT (owner, context_id) DO NOTHING",
                    )
                    .bind(owner)
                    .bind(&row.context_id)
                    .bind(&row.tool)
                    .bind(&row.state)
                    .bind(&row.bundle)
                    .bind(row.revision)
                    .bind(row.created_ms)
                    .execute(&mut *transaction)
                    .await?
                    .rows_affected();
                    if done == 0 {
                        transaction.rollback().await?;
                        return Ok(false);
                    }
                    for item in items {
                        sqlx::query(
                            "INSERT INTO kept_record_items (owner, item_id, context_id) VALUES ($1, $2, $3) \
                             ON CONFLICT (owner, item_id, context_id) DO NOTHING",
                        )
                        .bind(owner)
                        .bind(item)
                        .bind(&row.context_id)
                        .execute(&mut *transaction)
                        .await?;
                    }
                    sqlx::query(
                        "DELETE FROM kept_records WHERE owner = $1 AND context_id NOT IN \
                         (SELECT context_id FROM kept_records WHERE owner = $1 \
                         ORDER BY seq DESC, context_id DESC LIMIT $2)",
                    )
                    .bind(owner)
                    .bind(keep)
                    .execute(&mut *transaction)
                    .await?;
                    sqlx::query(
                        "DELETE FROM kept_record_items WHERE owner = $1 AND context_id NOT IN \
                         (SELECT context_id FROM kept_records WHERE owner = $1)",
                    )
                    .bind(owner)
                    .execute(&mut *transaction)
                    .await?;
                    transaction.commit().await?;
                    Ok(true)
                })
            }

            fn records<'a>(
                &'a self,
                owner: &'a str,
                context_id: &'a str,
                since_ms: i64,
            ) -> BoxFuture<'a, Result<Option<$crate::records::RecordsRow>, StoreError>> {
                self.within(async move {
                    if is_no_key(context_id) {
                        return Ok(None);
                    }
                    let mut room = self.room("kept_records");
                    let row = bound!(
                        concat!(
                            "SELECT ",
                            sized!("$4", "", "context_id", "tool", "state", "bundle"),
                            ", revision, created_ms FROM kept_records \
                             WHERE owner = $1 AND context_id = $2 AND created_ms >= $3"
                        ),
                        owner,
                        context_id,
                        since_ms,
                        room.most(),
                    )
                    .fetch_optional(&self.pool)
                    .await?;
                    row.as_ref().map(|row| records_of(row, &mut room)).transpose()
                })
            }

            fn list_records<'a>(
                &'a self,
                owner: &'a str,
                since_ms: i64,
                most: i64,
            ) -> BoxFuture<'a, Result<Vec<$crate::records::RecordsHead>, StoreError>> {
                self.within(async move {
                    let mut room = self.room("kept_records");
                    let query = bound!(
                        concat!(
                            "SELECT ",
                            sized!("$4", "", "context_id", "tool"),
                            ", revision, created_ms FROM kept_records WHERE owner = $1 AND created_ms >= $2 \
                             ORDER BY seq DESC, context_id DESC LIMIT $3"
                        ),
                        owner,
                        since_ms,
                        most,
                        room.most(),
                    );
                    let mut rows = query.fetch(&self.pool);
                    let mut heads = Vec::new();
                    while let Some(row) = rows.try_next().await? {
                        heads.push(records_head_of(&row, &mut room)?);
                    }
                    Ok(heads)
                })
            }

            fn records_about<'a>(
                &'a self,
                owner: &'a str,
                state: Option<&'a str>,
                items: &'a [String],
            ) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
                self.within(async move {
                    // This program's ids are shorter, so longer ones are not read.
                    let of_state = "SELECT context_id FROM kept_records WHERE octet_length(context_id) <= 4096 \
                                    AND owner = ";
                    let of_items = " UNION SELECT context_id FROM kept_record_items \
                                    WHERE octet_length(context_id) <= 4096 AND owner = ";
                    let mut query = sqlx::QueryBuilder::new(of_state);
                    query.push_bind(owner).push(" AND state = ").push_bind(state);
                    if !items.is_empty() {
                        query.push(of_items);
                        query.push_bind(owner).push(" AND item_id IN (");
                        let mut listed = query.separated(", ");
                        for item in items {
                            listed.push_bind(item);
                        }
                        query.push(")");
                    }
                    // The statement depends on the number of items, so caching it as a prepared statement is useless.
                    let query = query.build_query_scalar::<String>().persistent(false);
                    let mut room = self.room("kept_records");
                    let mut rows = query.fetch(&self.pool);
                    let mut found = Vec::new();
                    while let Some(context_id) = rows.try_next().await? {
                        room.take_texts([Some(context_id.as_str())])?;
                        found.push(context_id);
                    }
                    found.sort();
                    Ok(found)
                })
            }

            fn change_records<'a>(
                &'a self,
                owner: &'a str,
                context_id: &'a str,
                revision: i64,
                bundle: &'a str,
            ) -> BoxFuture<'a, Result<bool, StoreError>> {
                self.within(async move {
                    // The other texts of the entry are unchanged and short.
                    self.room("kept_records").take_texts([Some(context_id), Some(bundle)])?;
                    let done = sqlx::query(
                        "UPDATE kept_records SET bundle = $4, revision = revision + 1 \
                         WHERE owner = $1 AND context_id = $2 AND revision = $3",
                    )
                    .bind(owner)
                    .bind(context_id)
                    .bind(revision)
                    .bind(bundle)
                    .execute(self.writer())
                    .await?;
                    Ok(done.rows_affected() > 0)
                })
            }
        }
    };
}
