//! Operations that are written once with statements that are valid in both databases. The types of sqlx are specific
//! to each database, so the macros generate the code for each.

use crate::backend::AnswerRow;
use crate::error::StoreError;
use crate::room::Room;

/// Checks that an answer is small enough to be read again.
pub(crate) fn writable(answer: &AnswerRow, mut room: Room) -> Result<(), StoreError> {
    let texts = [
        &answer.answer_id,
        &answer.tool,
        &answer.arguments,
        &answer.hash,
        &answer.record,
    ];
    room.take_texts(texts.map(|text| Some(text.as_str())))
}

/// Implements the database-independent operations for a type with a field `pool` and a method `writer`, which
/// returns the pool for changes.
macro_rules! shared_operations {
    () => {
        fn put_answer<'a>(
            &'a self,
            owner: &'a str,
            answer: &'a AnswerRow,
        ) -> BoxFuture<'a, Result<(), StoreError>> {
            self.within(async move {
                writable(answer, self.room("answers"))?;
                put_answer!(owner, answer).execute(self.writer()).await?;
                Ok(())
            })
        }

        fn put_answers<'a>(
            &'a self,
            answers: &'a [(String, AnswerRow)],
        ) -> BoxFuture<'a, Result<(), StoreError>> {
            self.within(async move {
                let mut transaction = self.writer().begin().await?;
                for (owner, answer) in answers {
                    writable(answer, self.room("answers"))?;
                    put_answer!(owner, answer)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok(())
            })
        }

        fn answer<'a>(
            &'a self,
            owner: &'a str,
            answer_id: &'a str,
            since_ms: i64,
        ) -> BoxFuture<'a, Result<Option<AnswerRow>, StoreError>> {
            self.within(async move {
                if is_no_key(answer_id) {
                    return Ok(None);
                }
                let mut room = self.room("answers");
                let row = bound!(
                    answer_rows!("$4", "AND answer_id = $2 AND created_ms >= $3"),
                    owner,
                    answer_id,
                    since_ms,
                    room.most(),
                )
                .fetch_optional(&self.pool)
                .await?;
                row.as_ref().map(|row| answer_of(row, &mut room)).transpose()
            })
        }

        fn answers<'a>(
            &'a self,
            owner: &'a str,
            page: Option<&'a (i64, String)>,
            most: i64,
        ) -> BoxFuture<'a, Result<AnswersPage, StoreError>> {
            self.within(async move {
                let mut room = self.room("answers");
                let (seq, answer_id) = page.map_or((i64::MAX, ""), |(seq, id)| (*seq, id.as_str()));
                let query = bound!(
                    answer_rows!(
                        "$5",
                        "AND (seq < $2 OR (seq = $2 AND answer_id > $3)) ORDER BY seq DESC, answer_id LIMIT $4"
                    ),
                    owner,
                    seq,
                    answer_id,
                    most,
                    room.most(),
                );
                let mut rows = query.fetch(&self.pool);
                let mut page = AnswersPage::default();
                while let Some(row) = rows.try_next().await? {
                    match answer_of(&row, &mut room) {
                        Ok(answer) => {
                            page.next = Some((row.try_get("seq")?, answer.answer_id.clone()));
                            page.rows.push(answer);
                        }
                        // The next page begins here.
                        Err(error) if error.trouble == Trouble::TooLarge && room.is_started() => break,
                        Err(error) => return Err(error),
                    }
                }
                Ok(page)
            })
        }

        fn info(&self) -> BoxFuture<'_, Result<Info, StoreError>> {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT COUNT(*) AS answers, \
                     COUNT(DISTINCT CASE WHEN octet_length(owner) <= 4096 THEN owner END) AS owners, \
                     MIN(created_ms) AS oldest, MAX(created_ms) AS newest FROM answers",
                )
                .fetch_one(&self.pool)
                .await?;
                let schema: i64 = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
                    .fetch_one(&self.pool)
                    .await?;
                let count = |statement: &'static str| sqlx::query_scalar(statement).fetch_one(&self.pool);
                let deliverables =
                    count("SELECT COUNT(*) FROM deliverables WHERE removed_ms IS NULL").await?;
                let versions = count("SELECT COUNT(*) FROM deliverable_versions").await?;
                let records = count("SELECT COUNT(*) FROM kept_records").await?;
                Ok(Info {
                    backend: Self::NAME,
                    schema,
                    answers: row.try_get("answers")?,
                    owners: row.try_get("owners")?,
                    deliverables,
                    versions,
                    records,
                    oldest_ms: row.try_get("oldest")?,
                    newest_ms: row.try_get("newest")?,
                    bytes: self.bytes().await?,
                })
            })
        }

        fn look(&self) -> BoxFuture<'_, Result<(), StoreError>> {
            self.within(async move {
                // Takes the write lock like a write, but changes nothing.
                let none = bound!(
                    "DELETE FROM answers WHERE owner = $1 AND answer_id = $1",
                    ""
                );
                none.execute(self.writer()).await?;
                Ok(())
            })
        }

        fn close(&self) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                self.writer().close().await;
                self.pool.close().await;
            })
        }
    };
}

/// Selects an owner's answers. `$which` is the condition, `$most` the parameter for their maximum size.
macro_rules! answer_rows {
    ($most:literal, $which:literal) => {
        concat!(
            "SELECT ",
            sized!($most, "", "answer_id", "tool", "arguments", "hash", "record"),
            ", created_ms, seq FROM answers WHERE owner = $1 ",
            $which
        )
    };
}

/// Builds the statement that stores an answer.
macro_rules! put_answer {
    ($owner:expr, $answer:expr) => {
        bound!(
            "INSERT INTO answers (owner, answer_id, tool, arguments, hash, record, created_ms, seq) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT COALESCE(MAX(seq), 0) + 1 FROM answers)) \
             ON CONFLICT (owner, answer_id) DO UPDATE SET tool = excluded.tool, \
             arguments = excluded.arguments, hash = excluded.hash, record = excluded.record, \
             created_ms = excluded.created_ms, seq = excluded.seq",
            $owner,
            &$answer.answer_id,
            &$answer.tool,
            &$answer.arguments,
            &$answer.hash,
            &$answer.record,
            $answer.created_ms,
        )
    };
}

/// Implements the operation timeout for a type with a field `reach`. A timeout or a lost connection is recorded, so
/// that other callers fail immediately.
macro_rules! in_time {
    ($store:ty) => {
        impl $store {
            /// Returns the size limit of one operation on a table.
            fn room(&self, table: &'static str) -> Room {
                let bounds = self.reach.upgrade().map(|reach| *reach.bounds());
                Room::new(table, bounds.unwrap_or_default().read_bytes)
            }

            fn within<'a, T>(
                &'a self,
                work: impl Future<Output = Result<T, StoreError>> + Send + 'a,
            ) -> BoxFuture<'a, Result<T, StoreError>> {
                Box::pin(async move {
                    let Some(reach) = self.reach.upgrade() else {
                        return work.await;
                    };
                    let done = tokio::time::timeout(reach.bounds().operation, work).await;
                    let done = done.unwrap_or_else(|_| Err(StoreError::not_in_time()));
                    if let Err(error) = &done
                        && matches!(error.trouble, Trouble::Locked | Trouble::Unreachable)
                    {
                        reach.note(error);
                    }
                    done
                })
            }
        }
    };
}

/// Binds values to a statement.
macro_rules! bound {
    ($statement:expr, $($value:expr),+ $(,)?) => {
        sqlx::query($statement)$(.bind($value))+
    };
}

/// Defines a function that converts a database row into a row type of this crate, column by column. The texts must
/// have been selected by [`sized!`].
macro_rules! row_reader {
    ($name:ident: $row:ty => $into:ident { $($column:ident),+ }) => {
        fn $name(row: &$row, room: &mut Room) -> Result<$crate::$into, StoreError> {
            room.take(row.try_get("bytes")?)?;
            Ok($crate::$into { $($column: row.try_get(stringify!($column))?),+ })
        }
    };
}
