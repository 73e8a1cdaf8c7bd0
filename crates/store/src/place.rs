//! Where things are kept, opened on first use.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::OnceCell;

use crate::StoreError;
use crate::backend::{AnswerRow, Backend, Info, Retention};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::{Forgotten, RecordsHead, RecordsRow};

/// Name of the database file in the data folder.
const FILE: &str = "freshcontext.sqlite3";

/// Where things are kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// In this folder, in a SQLite file.
    Folder(PathBuf),
    /// In memory, for the life of the process.
    Memory,
    /// In a Postgres database at this address, which may hold a password.
    Postgres(String),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder(_) => "Folder",
            Self::Memory => "Memory",
            Self::Postgres(_) => "Postgres",
        })
    }
}

/// A store that is opened when it is first used. One that cannot be opened is tried again with the next use.
pub struct Store {
    place: Place,
    retention: Retention,
    opened: OnceCell<Arc<dyn Backend>>,
    written: AtomicU64,
    /// Whether nothing is ever deleted for its age or number.
    replay: bool,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// A store at this place. Nothing is opened yet.
    pub fn new(place: Place, retention: Retention) -> Self {
        Self {
            place,
            retention,
            opened: OnceCell::new(),
            written: AtomicU64::new(0),
            replay: false,
        }
    }

    /// The same store for a replay, which has no real clock: nothing is deleted for its age or number.
    #[must_use]
    pub fn in_replay(self) -> Self {
        Self { replay: true, ..self }
    }

    /// The open database.
    pub async fn backend(&self) -> Result<&Arc<dyn Backend>, StoreError> {
        self.opened
            .get_or_try_init(|| async {
                let opened: Arc<dyn Backend> = match &self.place {
                    Place::Folder(folder) => Arc::new(Sqlite::file(&folder.join(FILE)).await?),
                    Place::Memory => Arc::new(Sqlite::memory().await?),
                    Place::Postgres(address) => Arc::new(Postgres::connect(address).await?),
                };
                Ok(opened)
            })
            .await
    }

    /// Keeps an answer, and from time to time forgets what is too much, or too old at `now_ms`.
    pub async fn put_answer(&self, owner: &str, answer: &AnswerRow, now_ms: i64) -> Result<(), StoreError> {
        self.backend().await?.put_answer(owner, answer).await?;
        self.look(now_ms).await
    }

    /// Counts writes, and deletes expired and surplus entries once in a while.
    async fn look(&self, now_ms: i64) -> Result<(), StoreError> {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        if written.is_multiple_of(Retention::slack(self.retention.answers)) {
            self.forget(now_ms).await?;
        }
        Ok(())
    }

    /// Deletes what is expired at `now_ms`, at most a share at once, and what is beyond the bound.
    async fn forget(&self, now_ms: i64) -> Result<Forgotten, StoreError> {
        if self.replay {
            return Ok(Forgotten::default());
        }
        let backend = self.backend().await?;
        let mut forgotten = backend.forget_old(self.retention.age_ms, now_ms).await?;
        forgotten.answers += backend.forget_beyond(self.retention.answers).await?;
        Ok(forgotten)
    }

    /// An owner's answer that is not too old at `now_ms`. Another owner's is not found.
    pub async fn answer(
        &self,
        owner: &str,
        answer_id: &str,
        now_ms: i64,
    ) -> Result<Option<AnswerRow>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        self.backend().await?.answer(owner, answer_id, since).await
    }

    /// An owner's answers, the last written first, at most so many.
    pub async fn answers(&self, owner: &str, most: i64) -> Result<Vec<AnswerRow>, StoreError> {
        self.backend().await?.answers(owner, most).await
    }

    /// Keeps the records of a call with the ids of their items, and forgets the owner's that are too many, and from time to
    /// time what is too old at `now_ms`. `false` where there are records of this id already, which are left as they are.
    pub async fn put_records(
        &self,
        owner: &str,
        row: &RecordsRow,
        items: &[String],
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let keep = if self.replay {
            i64::MAX
        } else {
            self.retention.records
        };
        let backend = self.backend().await?;
        let kept = backend.put_records(owner, row, items, keep).await?;
        self.look(now_ms).await?;
        Ok(kept)
    }

    /// An owner's context records that are not too old at `now_ms`. Another owner's are not found.
    pub async fn records(
        &self,
        owner: &str,
        context_id: &str,
        now_ms: i64,
    ) -> Result<Option<RecordsRow>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        self.backend().await?.records(owner, context_id, since).await
    }

    /// What there is of an owner's context records at `now_ms`, the last written first.
    pub async fn list_records(&self, owner: &str, now_ms: i64) -> Result<Vec<RecordsHead>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        let most = self.retention.records;
        self.backend().await?.list_records(owner, since, most).await
    }

    /// What bounds it.
    pub const fn retention(&self) -> Retention {
        self.retention
    }

    /// What is in it.
    pub async fn info(&self) -> Result<Info, StoreError> {
        self.backend().await?.info().await
    }

    /// Complaints about its integrity; none where it is sound.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        self.backend().await?.check().await
    }

    /// Deletes expired and surplus entries at `now_ms`, then returns free space to the system.
    pub async fn vacuum(&self, now_ms: i64) -> Result<Forgotten, StoreError> {
        let forgotten = self.forget(now_ms).await?;
        self.backend().await?.vacuum().await?;
        Ok(forgotten)
    }

    /// Ends all connections, where it was opened.
    pub async fn close(&self) {
        if let Some(backend) = self.opened.get() {
            backend.close().await;
        }
    }
}
