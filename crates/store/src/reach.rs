//! Whether the database can be used. It is opened, and looked at again after a failure, by one task in the background:
//! callers share what that task finds, and none of them connects.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::backend::Backend;
use crate::error::Trouble;
use crate::place::Place;
use crate::{Bounds, StoreError};

/// Longest wait for the end of all connections.
const CLOSING: Duration = Duration::from_secs(2);

pub(crate) struct Reach {
    place: Place,
    bounds: Bounds,
    state: Mutex<State>,
    /// Told of every change of the state.
    changed: watch::Sender<()>,
    /// Ends a pause early.
    hurry: Arc<Notify>,
    /// A thread of its own: a write must not be late because the serving threads are busy.
    runtime: OnceLock<Option<Runtime>>,
}

#[derive(Default)]
struct State {
    backend: Option<Arc<dyn Backend>>,
    /// Why the database cannot be used.
    trouble: Option<StoreError>,
    /// Whether the task runs.
    tended: bool,
    /// Since when an attempt is at work.
    attempt: Option<Instant>,
    /// Failures since something was last written.
    failures: u32,
    /// Until then a write is late, and no answer waits for another one.
    late: Option<Instant>,
    /// Whether the log has the line that answers are not kept.
    told: bool,
    closed: bool,
}

impl State {
    fn is_late(&self) -> bool {
        self.late.is_some_and(|until| Instant::now() < until)
    }
}

impl Reach {
    pub(crate) fn new(place: Place, bounds: Bounds) -> Arc<Self> {
        Arc::new(Self {
            place,
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

    /// Begins to open the database, unless it is open or being opened.
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
            // Callers must not find that nothing is at work before the task has begun.
            state.attempt = Some(Instant::now());
        }
        drop(state);
        self.spawn(tended(Arc::downgrade(self)));
    }

    /// Starts work on the store's own thread.
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

    /// Why the database cannot be used, where that is known.
    pub(crate) fn trouble(&self) -> Option<StoreError> {
        self.state().trouble.clone()
    }

    /// The open database, or why there is none at this moment.
    pub(crate) fn now(&self) -> Result<Arc<dyn Backend>, StoreError> {
        let state = self.state();
        match (&state.trouble, &state.backend) {
            (None, Some(backend)) => Ok(Arc::clone(backend)),
            (trouble, _) => Err(trouble.clone().unwrap_or_else(StoreError::not_in_time)),
        }
    }

    /// The database for an answer: where it cannot be used, that is known at once. An opening is waited for until
    /// `until`, and no longer than [`Bounds::wait`] from its beginning.
    pub(crate) async fn for_answer(self: &Arc<Self>, until: Instant) -> Result<Arc<dyn Backend>, StoreError> {
        self.begin();
        if self.state().is_late() {
            return Err(StoreError::not_in_time());
        }
        self.opened(until, self.bounds.wait).await
    }

    /// The database for a caller who needs it. After a failure it is looked at again, which is waited for as long as an
    /// answer waits.
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

    /// The open database, or why there is none.
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

    /// Notes that a write of an answer is late: until it ends, no other answer waits.
    pub(crate) fn note_late(&self) {
        self.state().late = Some(Instant::now() + self.bounds.operation);
    }

    /// Says in the log, once, that answers are not kept.
    pub(crate) fn tell(&self, error: &StoreError) {
        if !std::mem::replace(&mut self.state().told, true) {
            tracing::warn!(%error, "the store cannot be used; tools go on, and answers get no id");
        }
    }

    /// Notes how a write ended.
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

    /// Notes that the database could not be used. What is wrong with one value says nothing about the database.
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

    /// One attempt: what is open is looked at, else it is opened.
    async fn attempt(self: &Arc<Self>) -> Result<Arc<dyn Backend>, StoreError> {
        let open = {
            let mut state = self.state();
            state.attempt = Some(Instant::now());
            state.backend.clone()
        };
        match open {
            Some(backend) => backend.look().await.map(|()| backend),
            None => self.place.open(self).await,
        }
    }

    /// Takes in what an attempt found; whether the task is done.
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
                // A server is connected to anew: what became of the old connections is not known.
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

    /// Ends all connections, in bounded time. Nothing is opened afterwards.
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
            // What hangs on its threads is not waited for.
            runtime.shutdown_background();
        }
    }
}

/// Opens the database and looks at it after failures, until it can be used or nobody holds the store.
async fn tended(reach: Weak<Reach>) {
    loop {
        let pause = {
            let Some(this) = reach.upgrade() else { return };
            let state = this.state();
            let pause = this.bounds.pause(state.failures);
            state.trouble.is_some().then(|| (pause, Arc::clone(&this.hurry)))
        };
        if let Some((pause, hurry)) = pause {
            // Not held meanwhile: a store that is dropped ends this.
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
