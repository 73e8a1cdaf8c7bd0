//! Embedded SQLite: a file with a write-ahead log, or memory.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Row as _};

use crate::address::address;
use crate::backend::{AnswerRow, AnswersPage, Backend, Info};
use crate::error::{StoreError, Trouble};
use crate::reach::Reach;
use crate::room::Room;
use crate::tables::writable;
use crate::{BoxFuture, before, is_no_key, migrations, private};

/// Maximum wait for another process's lock on the file.
const BUSY: Duration = Duration::from_secs(2);
/// Interval of checks whether another process is still opening the file.
const TRY_AGAIN: Duration = Duration::from_millis(10);
/// SQLite's own memory in bytes, in addition to the texts of one operation: the pages of all connections.
const PAGES: usize = 64 << 20;
/// Number of rows that SQLite's thread reads ahead.
const AHEAD: usize = 1;
/// Number of read connections. SQLite allows one writer at a time. It has a separate connection, so a write never
/// queues behind reads.
const READERS: u32 = 3;

pub(crate) struct Sqlite {
    /// Pool for reading. In memory, it is the only pool, since each connection would have its own database.
    pool: SqlitePool,
    /// Pool for writing to a file.
    writer: Option<SqlitePool>,
    reach: Weak<Reach>,
}

impl Sqlite {
    const NAME: &'static str = "sqlite";

    /// Opens a file. Creates the file and its folder if they do not exist.
    pub(crate) async fn file(file: &Path, reach: &Arc<Reach>) -> Result<Self, StoreError> {
        let longest = reach.bounds().operation;
        // Serialises the creation of tables, because two processes that open a new file concurrently would both
        // create them. Released on return.
        let _turn = {
            let file = file.to_owned();
            // The file system may block, so this does not run on the serving thread.
            let prepared = tokio::task::spawn_blocking(move || prepare(&file, longest)).await;
            let failed = |_| {
                Err(StoreError::new(
                    Trouble::Other,
                    "the database could not be opened",
                ))
            };
            prepared.unwrap_or_else(failed)?
        };
        let heap = reach.bounds().read_bytes.saturating_mul(2).saturating_add(PAGES);
        let options = SqliteConnectOptions::new()
            .filename(address(file))
            // The file exists by now, with the right mode. SQLite must not create a file through a link.
            .create_if_missing(false)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .busy_timeout(BUSY)
            .row_buffer_size(AHEAD)
            // Statements limit the texts that are read. This also limits the keys, which SQLite reads completely to
            // compare them.
            .pragma("hard_heap_limit", heap.to_string());
        let writer = pool(options.clone(), 1, longest).await?;
        if let Err(error) = before::look(&writer, file).await {
            writer.close().await;
            return Err(error);
        }
        made(&writer).await?;
        Ok(Self {
            pool: pool(options, READERS, longest).await?,
            writer: Some(writer),
            reach: Arc::downgrade(reach),
        })
    }

    /// Opens a store that exists until the process ends.
    pub(crate) async fn memory(reach: &Arc<Reach>) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new().in_memory(true).row_buffer_size(AHEAD);
        let pool = pool(options, 1, reach.bounds().operation).await?;
        made(&pool).await?;
        Ok(Self {
            pool,
            writer: None,
            reach: Arc::downgrade(reach),
        })
    }

    fn writer(&self) -> &SqlitePool {
        self.writer.as_ref().unwrap_or(&self.pool)
    }

    async fn bytes(&self) -> Result<i64, StoreError> {
        let pages: i64 = sqlx::query_scalar("PRAGMA page_count")
            .fetch_one(&self.pool)
            .await?;
        let size: i64 = sqlx::query_scalar("PRAGMA page_size")
            .fetch_one(&self.pool)
            .await?;
        Ok(pages.saturating_mul(size))
    }
}

async fn pool(
    options: SqliteConnectOptions,
    connections: u32,
    longest: Duration,
) -> Result<SqlitePool, StoreError> {
    // This crate reports errors itself, and statements do not belong in an operator's log.
    let options = options.disable_statement_logging();
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .min_connections(u32::from(connections == 1))
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(longest)
        .connect_with(options)
        .await?;
    Ok(pool)
}

/// Creates missing tables.
async fn made(pool: &SqlitePool) -> Result<(), StoreError> {
    if let Err(error) = migrations::sqlite().run(pool).await {
        pool.close().await;
        return Err(error.into());
    }
    Ok(())
}

/// What a database begins with (SQLite, "Database File Format", 1.3.1).
const START: &[u8] = b"SQLite format 3\0";

/// Prepares the files on disk and waits until no other process is opening the database. Blocks.
fn prepare(file: &Path, longest: Duration) -> Result<Option<File>, StoreError> {
    if let Some(folder) = file.parent() {
        private::folder(folder, file)?;
    }
    // What is no database keeps its permissions: SQLite will say what it is.
    let is_ours = private::file(file, "the database file", START)?.is_ours;
    if is_ours {
        private::beside(file)?;
    }
    let turn = turn(file, longest)?;
    if let (true, Some(folder)) = (is_ours, file.parent()) {
        private::narrow_folder(folder, file)?;
    }
    Ok(turn)
}

/// Waits until no other process is opening the file. The lock is held until the result is dropped; `None` if
/// the file system has no locks.
fn turn(file: &Path, longest: Duration) -> Result<Option<File>, StoreError> {
    let lock = private::file(&file.with_extension("lock"), "the lock file", &[])?.file;
    let until = Instant::now() + longest;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::Error(_)) => return Ok(None),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                let message = "another process has been opening the database for too long";
                return Err(StoreError::new(Trouble::Locked, message));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(TRY_AGAIN),
        }
    }
}

row_reader!(answer_of: SqliteRow => AnswerRow { answer_id, tool, arguments, hash, record, created_ms });
deliverable_operations!(Sqlite, SqliteRow);
forgetting_operations!(Sqlite);
records_operations!(Sqlite, SqliteRow);
changes_operations!(Sqlite, SqliteRow);
in_time!(Sqlite);

impl Backend for Sqlite {
    shared_operations!();

    fn check(&self) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check")
                .fetch_all(&self.pool)
                .await?;
            Ok(lines.into_iter().filter(|line| line != "ok").collect())
        })
    }

    fn vacuum(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            sqlx::query("VACUUM").execute(self.writer()).await?;
            sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(self.writer())
                .await?;
            Ok(())
        })
    }
}
