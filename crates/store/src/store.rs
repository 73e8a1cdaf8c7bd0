//! The store, opened in the background.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::BoxFuture;
use crate::backend::{AnswerRow, AnswersPage, Backend, Info, Retention};
use crate::bounds::Bounds;
use crate::error::{StoreError, Trouble};
use crate::forgetting::Forgotten;
use crate::place::Place;
use crate::postgres::Postgres;
use crate::queue::Queue;
use crate::reach::Reach;
use crate::records::{RecordsHead, RecordsRow};
use crate::sqlite::Sqlite;

/// Name of the database file in the data folder.
const FILE: &str = "freshcontext.sqlite3";

fn open<'a>(place: &'a Place, reach: &'a Arc<Reach>) -> BoxFuture<'a, Result<Arc<dyn Backend>, StoreError>> {
    Box::pin(async move {
        Ok::<Arc<dyn Backend>, _>(match place {
            Place::Folder(folder) => Arc::new(Sqlite::file(&folder.join(FILE), reach).await?),
            Place::Memory => Arc::new(Sqlite::memory(reach).await?),
            Place::Postgres(address) => Arc::new(Postgres::connect(address, reach).await?),
        })
    })
}

/// A store. It opens in the background at first use. After a failure, it retries in the background with a growing
/// back-off, and all callers share the result of the last attempt.
pub struct Store {
    reach: Arc<Reach>,
    retention: Retention,
    queue: Arc<Queue>,
    written: AtomicU64,
    /// Whether stored data is never deleted.
    replay: bool,
}

async fn forgotten(
    backend: &Arc<dyn Backend>,
    retention: Retention,
    now_ms: i64,
) -> Result<Forgotten, StoreError> {
    let surplus = backend.forget_beyond(retention.answers).await?;
    let mut forgotten = backend.forget_old(retention.age_ms, now_ms).await?;
    forgotten.answers += surplus;
    Ok(forgotten)
}

/// Returns the error for a writing task that ended unexpectedly.
fn lost() -> StoreError {
    StoreError::new(Trouble::Other, "the database could not be used")
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("place", self.reach.place())
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Creates a store at this location with the default timeouts. Nothing is opened yet.
    pub fn new(place: Place, retention: Retention) -> Self {
        Self::bounded(place, retention, Bounds::DEFAULT)
    }

    /// Returns what kind of store it is, for people.
    pub fn kind(&self) -> &'static str {
        self.reach.place().kind()
    }

    /// Creates a store at this location. Nothing is opened yet.
    pub fn bounded(place: Place, retention: Retention, bounds: Bounds) -> Self {
        Self {
            reach: Reach::new(place, open, bounds),
            retention,
            queue: Arc::default(),
            written: AtomicU64::new(0),
            replay: false,
        }
    }

    /// Switches the store to replay mode, which has no real clock: nothing is deleted for its age or number.
    #[must_use]
    pub fn in_replay(self) -> Self {
        Self { replay: true, ..self }
    }

    /// Starts opening the database in the background.
    pub fn begin(&self) {
        self.reach.begin();
    }

    /// Returns the open database, within [`Bounds::operation`]. After a failure it returns within
    /// [`Bounds::wait`].
    pub async fn backend(&self) -> Result<Arc<dyn Backend>, StoreError> {
        self.reach.backend().await
    }

    /// Returns why the database is unavailable, if known. Makes no attempt.
    pub fn trouble(&self) -> Option<StoreError> {
        self.reach.trouble()
    }

    /// Runs a write in the background and waits at most [`Bounds::wait`]. After a timeout, other writes fail
    /// immediately until a write has ended. `write` starts the write on the open database.
    async fn in_time<T, K>(&self, write: impl FnOnce(Arc<dyn Backend>) -> K) -> Result<T, StoreError>
    where
        K: Future<Output = Result<T, StoreError>>,
    {
        let until = Instant::now() + self.reach.bounds().wait;
        let done = match self.reach.for_answer(until).await {
            Ok(backend) => tokio::time::timeout_at(until.into(), write(backend))
                .await
                .unwrap_or_else(|_| {
                    self.reach.note_late();
                    Err(StoreError::not_in_time())
                }),
            Err(error) => Err(error),
        };
        if let Err(error) = &done {
            self.reach.tell(error);
        }
        done
    }

    /// Stores an answer, and occasionally deletes surplus entries and entries expired at `now_ms`. Returns an error
    /// if the answer is not stored within [`Bounds::wait`].
    pub async fn keep_answer(&self, owner: &str, answer: AnswerRow, now_ms: i64) -> Result<(), StoreError> {
        self.in_time(|_| {
            let kept = self.queue.add(&self.reach, owner, answer);
            async { kept.await.unwrap_or_else(|_| Err(lost())) }
        })
        .await?;
        self.look_later(now_ms);
        Ok(())
    }

    /// Stores an answer, and occasionally deletes surplus entries and entries expired at `now_ms`.
    pub async fn put_answer(&self, owner: &str, answer: &AnswerRow, now_ms: i64) -> Result<(), StoreError> {
        self.backend().await?.put_answer(owner, answer).await?;
        self.look(now_ms).await
    }

    /// Counts a write. Returns whether it is time to delete expired and surplus entries.
    fn is_time_to_forget(&self) -> bool {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        written.is_multiple_of(Retention::slack(self.retention.answers))
    }

    /// Counts a write, and occasionally deletes expired and surplus entries.
    async fn look(&self, now_ms: i64) -> Result<(), StoreError> {
        if self.is_time_to_forget() {
            self.forget(now_ms).await?;
        }
        Ok(())
    }

    /// Like [`look`](Self::look), in the background.
    fn look_later(&self, now_ms: i64) {
        if !self.is_time_to_forget() || self.replay {
            return;
        }
        let (retention, reach) = (self.retention, Arc::clone(&self.reach));
        self.reach.spawn(async move {
            if let Ok(backend) = reach.now() {
                let done = forgotten(&backend, retention, now_ms).await;
                reach.note_written(&done.map(drop));
            }
        });
    }

    /// Deletes entries beyond the limit, and entries that had expired before the wait that is over at `now_ms`, at most a
    /// share of each kind.
    async fn forget(&self, now_ms: i64) -> Result<Forgotten, StoreError> {
        if self.replay {
            return Ok(Forgotten::default());
        }
        forgotten(&self.backend().await?, self.retention, now_ms).await
    }

    /// Returns an owner's answer that is not expired at `now_ms`. Another owner's answer counts as absent.
    pub async fn answer(
        &self,
        owner: &str,
        answer_id: &str,
        now_ms: i64,
    ) -> Result<Option<AnswerRow>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        self.backend().await?.answer(owner, answer_id, since).await
    }

    /// Returns an owner's answers, most recently written first: at most `most`, and no more text than
    /// [`Bounds::read_bytes`]. `page` is the start that the previous page returned, `None` for the first page.
    pub async fn answers(
        &self,
        owner: &str,
        page: Option<&(i64, String)>,
        most: i64,
    ) -> Result<AnswersPage, StoreError> {
        self.backend().await?.answers(owner, page, most).await
    }

    /// Returns the maximum number of calls per owner with stored records.
    const fn records_kept(&self) -> i64 {
        if self.replay {
            i64::MAX
        } else {
            self.retention.records
        }
    }

    /// Like [`put_records`](Self::put_records), but returns an error if the records are not stored within
    /// [`Bounds::wait`].
    pub async fn keep_records(
        &self,
        owner: &str,
        row: RecordsRow,
        items: Vec<String>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let (owner, keep) = (owner.to_owned(), self.records_kept());
        let kept = self
            .in_time(|backend| {
                let reach = Arc::clone(&self.reach);
                let writing = self.reach.spawn(async move {
                    let done = backend.put_records(&owner, &row, &items, keep).await;
                    reach.note_written(&done.as_ref().map(|_| ()).map_err(Clone::clone));
                    done
                });
                async { writing.await.unwrap_or_else(|_| Err(lost())) }
            })
            .await?;
        self.look_later(now_ms);
        Ok(kept)
    }

    /// Stores the records of a call with the ids of their items. Deletes the owner's surplus records, and
    /// occasionally entries expired at `now_ms`. Returns `false` and changes nothing if records with this id exist.
    pub async fn put_records(
        &self,
        owner: &str,
        row: &RecordsRow,
        items: &[String],
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let backend = self.backend().await?;
        let kept = backend
            .put_records(owner, row, items, self.records_kept())
            .await?;
        self.look(now_ms).await?;
        Ok(kept)
    }

    /// Returns an owner's context records that are not expired at `now_ms`. Another owner's records count as absent.
    pub async fn records(
        &self,
        owner: &str,
        context_id: &str,
        now_ms: i64,
    ) -> Result<Option<RecordsRow>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        self.backend().await?.records(owner, context_id, since).await
    }

    /// Lists an owner's context records at `now_ms`, most recently written first.
    pub async fn list_records(&self, owner: &str, now_ms: i64) -> Result<Vec<RecordsHead>, StoreError> {
        let since = now_ms.saturating_sub(self.retention.age_ms);
        let most = self.retention.records;
        self.backend().await?.list_records(owner, since, most).await
    }

    /// Returns the limits on stored data.
    pub const fn retention(&self) -> Retention {
        self.retention
    }

    /// Returns the timeouts.
    pub fn bounds(&self) -> Bounds {
        *self.reach.bounds()
    }

    /// Returns statistics.
    pub async fn info(&self) -> Result<Info, StoreError> {
        self.backend().await?.info().await
    }

    /// Checks the integrity. Returns the problems; empty if the database is sound.
    pub async fn check(&self) -> Result<Vec<String>, StoreError> {
        self.backend().await?.check().await
    }

    /// Deletes expired and surplus entries at `now_ms`, then returns free space to the system.
    pub async fn vacuum(&self, now_ms: i64) -> Result<Forgotten, StoreError> {
        let forgotten = self.forget(now_ms).await?;
        self.backend().await?.vacuum().await?;
        Ok(forgotten)
    }

    /// Closes all connections within a bounded time; nothing is opened afterwards.
    pub async fn close(&self) {
        self.reach.close().await;
    }
}
