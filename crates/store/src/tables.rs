//! The statements that both databases understand alike, written once. sqlx checks the types of each
//! database by itself, so the text is shared and the code is made for each.

/// Implements the operations that do not depend on the database for a type with a field `pool` and a method
/// `writer`, the pool for what changes something.
macro_rules! shared_operations {
    () => {
        fn put_answer<'a>(
            &'a self,
            owner: &'a str,
            answer: &'a AnswerRow,
        ) -> BoxFuture<'a, Result<(), StoreError>> {
            self.within(async move {
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
                let row = bound!(
                    "SELECT answer_id, tool, arguments, hash, record, created_ms FROM answers \
                     WHERE owner = $1 AND answer_id = $2 AND created_ms >= $3",
                    owner,
                    answer_id,
                    since_ms,
                )
                .fetch_optional(&self.pool)
                .await?;
                Ok(row.as_ref().map(answer_of).transpose()?)
            })
        }

        fn answers<'a>(
            &'a self,
            owner: &'a str,
            most: i64,
        ) -> BoxFuture<'a, Result<Vec<AnswerRow>, StoreError>> {
            self.within(async move {
                let rows = bound!(
                    "SELECT answer_id, tool, arguments, hash, record, created_ms FROM answers \
                     WHERE owner = $1 ORDER BY seq DESC, answer_id LIMIT $2",
                    owner,
                    most,
                )
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.iter().map(answer_of).collect::<Result<_, _>>()?)
            })
        }

        fn info(&self) -> BoxFuture<'_, Result<Info, StoreError>> {
            Box::pin(async move {
                let row = sqlx::query(
                    "SELECT COUNT(*) AS answers, COUNT(DISTINCT owner) AS owners, \
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
                // It takes the right to write, as a write does, and changes nothing.
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

/// The statement that keeps an answer.
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

/// Implements, for a type with a field `reach`, that an operation ends in time. One that does not, or that lost its
/// server, is noted, so that others need not find out by themselves.
macro_rules! in_time {
    ($store:ty) => {
        impl $store {
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

/// A statement with its values.
macro_rules! bound {
    ($statement:expr, $($value:expr),+ $(,)?) => {
        sqlx::query($statement)$(.bind($value))+
    };
}

/// A function that reads a row of a database's kind into one of this crate's, column by column.
macro_rules! row_reader {
    ($name:ident: $row:ty => $into:ident { $($column:ident),+ }) => {
        fn $name(row: &$row) -> Result<$crate::$into, sqlx::Error> {
            Ok($crate::$into { $($column: row.try_get(stringify!($column))?),+ })
        }
    };
}
