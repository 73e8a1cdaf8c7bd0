//! Availability of the database. One background task opens it and checks it after a failure. Callers share the result
//! and never connect themselves.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::BoxFuture;
use crate::backend::Backend;
use crate::bounds::Bounds;
use crate::error::{StoreError, Trouble};
use crate::place::Place;

/// Maximum wait for closing all connections.
const CLOSING: Duration = Duration::from_secs(2);

/// Opens the database at a place.
pub(crate) type Open =
    for<'a> fn(&'a Place, &'a Arc<Reach>) -> BoxFuture<'a, Result<Arc<dyn Backend>, StoreError>>;

pub(crate) struct Reach {
    place: Place,
    open: Open,
    bounds: Bounds,
    state: Mutex<State>,
    /// Notifies about every state change.
    changed: watch::Sender<()>,
    /// Ends a back-off early.
    hurry: Arc<Notify>,
    /// Separate thread, so that busy serving threads cannot delay a write.
    runtime: OnceLock<Option<Runtime>>,
}

#[derive(Default)]
struct State {
    backend: Option<Arc<dyn Backend>>,
    /// Reason why the database is unavailable.
    trouble: Option<StoreError>,
    /// Whether the task is running.
    tended: bool,
    /// Start of the current attempt.
    attempt: Option<Instant>,
    /// Failures since the last successful write.
    failures: u32,
    /// Until this instant, a write is overdue and no other answer waits.
    late: Option<Instant>,
    /// Whether the log already reports that answers are not stored.
    told: bool,
    closed: bool,
}

impl State {
    fn is_late(&self) -> bool {
        self.late.is_some_and(|until| Instant::now() < until)
    }
}

impl Reach {
    pub(crate) fn new(place: Place, open: Open, bounds: Bounds) -> Arc<Self> {
        Arc::new(Self {
            place,
            open,
            bounds,
            state: Mutex::default(),
            changed: watch::Sender::new(()),
            hurry: Arc::default(),
            runtime: OnceLock::new(),
        })
    }

    pub(crate) const fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) const fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts opening the database, unless it is open or being opened.
    pub(crate) fn begin(self: &Arc<Self>) {
        let state = self.state();
        if state.backend.is_none() {
            self.tend(state);
        }
    }

    fn tend(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        if state.tended || state.closed {
            return;
        }
        state.tended = true;
        if state.trouble.is_none() {
            // Callers must see the attempt even before the task has started.
            state.attempt = Some(Instant::now());
        }
        drop(state);
        self.spawn(tended(Arc::downgrade(self)));
    }

    /// Spawns work on the store's own thread.
    pub(crate) fn spawn<W>(&self, work: W) -> JoinHandle<W::Output>
    where
        W: Future<Output: Send> + Send + 'static,
    {
        let own = self.runtime.get_or_init(|| {
            Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("store")
                .enable_all()
                .build()
                .inspect_err(|error| tracing::warn!(%error, "the store gets no thread of its own"))
                .ok()
        });
        match own {
            Some(own) => own.spawn(work),
            None => tokio::spawn(work),
        }
    }

    /// Returns why the database is unavailable, if known.
    pub(crate) fn trouble(&self) -> Option<StoreError> {
        self.state().trouble.clone()
    }

    /// Returns the open database, or why it is currently unavailable.
    pub(crate) fn now(&self) -> Result<Arc<dyn Backend>, StoreError> {
        let state = self.state();
        match (&state.trouble, &state.backend) {
            (None, Some(backend)) => Ok(Arc::clone(backend)),
            (trouble, _) => Err(trouble.clone().unwrap_or_else(StoreError::not_in_time)),
        }
    }

    /// Returns the database for an answer. Fails immediately if the database is known to be unavailable. Waits for an
    /// opening until `until`, and at most [`Bounds::wait`] from its start.
    pub(crate) async fn for_answer(self: &Arc<Self>, until: Instant) -> Result<Arc<dyn Backend>, StoreError> {
        self.begin();
        if self.state().is_late() {
            return Err(StoreError::not_in_time());
        }
        self.opened(until, self.bounds.wait).await
    }

    /// Returns the database for a caller that requires it. After a failure, waits for a new attempt as long as an
    /// answer would.
    pub(crate) async fn backend(self: &Arc<Self>) -> Result<Arc<dyn Backend>, StoreError> {
        self.begin();
        let mut changes = self.changed.subscribe();
        let trouble = {
            let state = self.state();
            if state.trouble.is_some() && state.attempt.is_none() {
                self.hurry.notify_one();
            }
            state.trouble.is_some()
        };
        if !trouble {
            let longest = self.bounds.operation;
            return self.opened(Instant::now() + longest, longest).await;
        }
        let _ = tokio::time::timeout(self.bounds.wait, changes.changed()).await;
        self.now()
    }

    /// Returns the open database, or why it is unavailable.
    async fn opened(&self, until: Instant, longest: Duration) -> Result<Arc<dyn Backend>, StoreError> {
        let mut changes = self.changed.subscribe();
        loop {
            let until = {
                let state = self.state();
                if let Some(error) = &state.trouble {
                    return Err(error.clone());
                }
                if let Some(backend) = &state.backend {
                    return Ok(Arc::clone(backend));
                }
                if state.closed {
                    return Err(StoreError::new(Trouble::Other, "the store is closed"));
                }
                state.attempt.map_or(until, |since| until.min(since + longest))
            };
            let change = tokio::time::timeout_at(until.into(), changes.changed());
            if !matches!(change.await, Ok(Ok(()))) {
                return Err(StoreError::not_in_time());
            }
        }
    }

    /// Records that the write of an answer is overdue. Until it ends, no other answer waits.
    pub(crate) fn note_late(&self) {
        self.state().late = Some(Instant::now() + self.bounds.operation);
    }

    /// Logs once that answers are not stored.
    pub(crate) fn tell(&self, error: &StoreError) {
        if !std::mem::replace(&mut self.state().told, true) {
            tracing::warn!(%error, "the store cannot be used; tools go on, and answers get no id");
        }
    }

    /// Records the result of a write.
    pub(crate) fn note_written(self: &Arc<Self>, done: &Result<(), StoreError>) {
        match done {
            Ok(()) => {
                let mut state = self.state();
                state.late = None;
                if state.trouble.is_none() {
                    state.failures = 0;
                }
                if std::mem::take(&mut state.told) {
                    tracing::info!("answers are kept again");
                }
            }
            Err(error) => self.note(error),
        }
    }

    /// Records a failure of the database. An error in a single value does not count.
    pub(crate) fn note(self: &Arc<Self>, error: &StoreError) {
        if matches!(error.trouble, Trouble::TooLarge | Trouble::Other) {
            return;
        }
        let mut state = self.state();
        state.late = None;
        if state.trouble.is_some() || state.closed {
            return;
        }
        tracing::debug!(%error, "the store cannot be used");
        state.trouble = Some(error.clone());
        state.failures = state.failures.saturating_add(1);
        self.changed.send_replace(());
        self.tend(state);
    }

    /// Makes one attempt: checks an open database, otherwise opens it.
    async fn attempt(self: &Arc<Self>) -> Result<Arc<dyn Backend>, StoreError> {
        let open = {
            let mut state = self.state();
            state.attempt = Some(Instant::now());
            state.backend.clone()
        };
        match open {
            Some(backend) => backend.look().await.map(|()| backend),
            None => (self.open)(&self.place, self).await,
        }
    }

    /// Applies the result of an attempt. Returns whether the task is done.
    fn settle(&self, found: Result<Arc<dyn Backend>, StoreError>) -> bool {
        let mut state = self.state();
        state.attempt = None;
        let mut old = None;
        match found {
            Ok(backend) => {
                state.backend = Some(backend).filter(|_| !state.closed);
                state.tended = false;
                if state.trouble.take().is_some() {
                    tracing::debug!("the store can be used again");
                }
            }
            Err(error) => {
                tracing::debug!(%error, "the store cannot be used");
                state.trouble = Some(error);
                state.failures = state.failures.saturating_add(1);
                // Reconnects to the server, because the state of the old connections is unknown.
                if matches!(self.place, Place::Postgres(_)) {
                    old = state.backend.take();
                }
            }
        }
        let done = !state.tended || state.closed;
        drop(state);
        drop(old);
        self.changed.send_replace(());
        done
    }

    /// Closes all connections, in bounded time. Nothing is opened afterwards.
    pub(crate) async fn close(&self) {
        let backend = {
            let mut state = self.state();
            state.closed = true;
            state.backend.take()
        };
        self.hurry.notify_one();
        if let Some(backend) = backend
            && tokio::time::timeout(CLOSING, backend.close()).await.is_err()
        {
            tracing::debug!("the database did not end its connections in time");
        }
    }
}

impl Drop for Reach {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take().flatten() {
            // Does not wait for blocked threads.
            runtime.shutdown_background();
        }
    }
}

/// Opens the database and retries after failures until it is available or the store is dropped.
async fn tended(reach: Weak<Reach>) {
    loop {
        let pause = {
            let Some(this) = reach.upgrade() else { return };
            let state = this.state();
            let pause = this.bounds.pause(state.failures);
            state.trouble.is_some().then(|| (pause, Arc::clone(&this.hurry)))
        };
        if let Some((pause, hurry)) = pause {
            // Holds no reference during the pause, so that dropping the store ends this task.
            let _ = tokio::time::timeout(pause, hurry.notified()).await;
        }
        let Some(this) = reach.upgrade() else { return };
        if this.state().closed {
            return;
        }
        let found = this.attempt().await;
        if this.settle(found) {
            return;
        }
    }
}
