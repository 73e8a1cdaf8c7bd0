//! Threads of their own for what reads outside bytes, so that a reader that does not come back costs one
//! of them and nothing else: the threads that serve, and all timers and sockets, are elsewhere.

use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use freshcontext_contract::{ErrorCode, Limits, SourceError};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::AbortOnDropHandle;

use crate::admission::overloaded;

/// Memory that a document takes while it is read, by its length: the least dense trees known (empty
/// paragraphs of HTML, empty lists and small objects of JSON) take so many times their text. What a
/// document may take at all is bounded by its reader.
const DOCUMENT_FACTOR: usize = 64;
/// Room is counted in pieces of this many bytes.
const PIECE: usize = 1 << 10;

/// The threads that read. None is started before the first call of a source.
#[derive(Debug)]
pub(super) struct Pool {
    threads: usize,
    runtime: OnceLock<Option<Runtime>>,
    pub(super) room: Room,
    /// How long a call waits for a thread, or for room.
    pub(super) longest_wait: Duration,
}

impl Pool {
    pub(super) fn new(limits: &Limits) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, NonZero::get);
        Self {
            threads: match limits.reading_threads {
                0 => processors.max(2),
                set => set,
            },
            runtime: OnceLock::new(),
            room: Room::new(limits.reading_shares().documents),
            longest_wait: Duration::from_millis(limits.queue_wait_ms),
        }
    }

    /// Starts work on these threads; dropping the handle ends it where it next waits.
    pub(super) fn spawn<F>(&self, work: F) -> Result<AbortOnDropHandle<F::Output>, SourceError>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let started = self.runtime.get_or_init(|| {
            // Neither sockets nor timers: those are the serving threads'.
            Builder::new_multi_thread()
                .worker_threads(self.threads)
                .thread_name("reading")
                .build()
                .inspect_err(|error| tracing::error!(%error, "the threads that read could not be started"))
                .ok()
        });
        let runtime = started.as_ref().ok_or_else(|| {
            SourceError::new(ErrorCode::Internal, "this server could not start its readers")
        })?;
        Ok(AbortOnDropHandle::new(runtime.spawn(work)))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take().flatten() {
            // A thread that hangs is not waited for.
            runtime.shutdown_background();
        }
    }
}

/// Room in memory for the documents that are being read.
#[derive(Debug, Clone)]
pub(super) struct Room {
    free: Arc<Semaphore>,
    all: usize,
}

impl Room {
    fn new(bytes: usize) -> Self {
        let all = (bytes / PIECE).clamp(1, u32::MAX as usize);
        Self {
            free: Arc::new(Semaphore::new(all)),
            all,
        }
    }

    /// What reading a document of this length takes; all there is for the largest.
    pub(super) fn pieces(&self, length: usize) -> usize {
        length
            .saturating_mul(DOCUMENT_FACTOR)
            .div_ceil(PIECE)
            .min(self.all)
    }

    /// Room to read a document of this length, first come, first served, within `wait`. The timer runs
    /// on `serving`, for the reading threads have none.
    pub(super) async fn take(
        &self,
        length: usize,
        wait: Duration,
        serving: &Handle,
    ) -> Result<OwnedSemaphorePermit, SourceError> {
        let pieces = u32::try_from(self.pieces(length)).unwrap_or(u32::MAX);
        if let Ok(taken) = Arc::clone(&self.free).try_acquire_many_owned(pieces) {
            return Ok(taken);
        }
        let taking = {
            let _timers = serving.enter();
            tokio::time::timeout(wait, Arc::clone(&self.free).acquire_many_owned(pieces))
        };
        match taking.await {
            Ok(Ok(taken)) => Ok(taken),
            _ => Err(overloaded(
                "this server is reading as much as it may at once (limits.reading_bytes)",
                wait,
            )),
        }
    }
}
