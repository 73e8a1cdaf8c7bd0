//! Asking one source and reading what it sends: on the reading threads, with everything that waits
//! (sockets, pace, timers) left to the threads that serve. Who waits for a reading also ends the wait.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use freshcontext_contract::{
    AnyAdapter, BoxFuture, CallScope, Clock, CommonArgs, Cx, Descriptor, ErrorCode, Request, Response, Seen,
    SourceError, SourceResult, Transport,
};
use freshcontext_core::answer::known_then;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::Engine;
use crate::admission::{Place, overloaded};
use crate::live::SeenSources;
use crate::outcome::defect;
use crate::pool::Room;

/// What a call may outlive its deadline by while it is being dropped.
const GRACE: Duration = Duration::from_millis(50);

/// What one source is asked.
pub struct Ask {
    /// The source.
    pub adapter: Arc<dyn AnyAdapter>,
    /// The arguments that all tools share.
    pub common: CommonArgs,
    /// The tool's own arguments.
    pub own: Map<String, Value>,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Kept until the reading has truly ended, even where nobody waits for it any more.
    pub place: Arc<Place>,
    /// What sends the requests, where somebody looks on.
    pub transport: Option<Arc<dyn Transport>>,
}

/// What one source brought, with what its judgement needs.
pub struct Collected {
    /// Its items, with evidence for their dates.
    pub result: SourceResult,
    /// The arguments that all tools share.
    pub common: CommonArgs,
    /// What was seen of its requests.
    pub seen: Seen,
}

impl Engine {
    /// Asks a source and makes something of what it brought, within the deadline and however long its
    /// reader takes.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        ask: Ask,
        finish: impl FnOnce(&Self, Collected) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<T, SourceError> {
        let descriptor = ask.adapter.descriptor();
        let left = ask.deadline.saturating_duration_since(Instant::now()) + GRACE;
        let ledger = Arc::new(Ledger::default());
        let desk = Desk {
            transport: ask
                .transport
                .clone()
                .unwrap_or_else(|| Arc::clone(&self.transport)),
            serving: Handle::current(),
            ledger: Arc::clone(&ledger),
            room: self.pool.room.clone(),
            wait: self.pool.longest_wait,
            seen: Arc::clone(&self.seen),
            clock: Arc::clone(&self.clock),
        };
        let engine = Arc::clone(self);
        let work = async move {
            let Ask {
                adapter,
                common,
                own,
                deadline,
                place: _place,
                transport: _,
            } = ask;
            let (result, seen) = {
                let requests = engine.limits().requests_per_call;
                let cx = Cx::new(
                    &desk,
                    engine.clock.as_ref(),
                    descriptor,
                    deadline,
                    &common,
                    requests,
                );
                let mut result = adapter.collect(&cx, own).await.map_err(|error| {
                    engine.seen.failed(descriptor.id, &error, engine.clock.now());
                    known_then(error, common.as_of)
                })?;
                let seen = cx.seen();
                let told = (seen.retrieved_at, seen.cached_age.is_none());
                let now = engine.clock.now();
                engine.seen.answered(descriptor.id, &result, told, now);
                for env in &seen.refused_keys {
                    result.note(format!(
                        "The source does not accept the key in {env}; this was answered without it"
                    ));
                }
                for remark in cx.remarks() {
                    result.note(remark);
                }
                (result, seen)
            };
            finish(&engine, Collected { result, common, seen })
        };
        let reading = self
            .pool
            .spawn(kept(work, Arc::clone(&ledger)).in_current_span())?;
        self.wait_for(reading, left, &ledger, descriptor).await
    }

    async fn wait_for<T>(
        &self,
        reading: AbortOnDropHandle<Result<T, SourceError>>,
        left: Duration,
        ledger: &Ledger,
        descriptor: &'static Descriptor,
    ) -> Result<T, SourceError> {
        let mut reading = pin!(reading);
        let first = left.min(self.pool.longest_wait);
        let mut ended = tokio::time::timeout(first, &mut reading).await;
        if ended.is_err() {
            if ledger.stage() == Stage::Waiting {
                return Err(overloaded(
                    "all threads that read are taken (limits.reading_threads)",
                    self.pool.longest_wait,
                ));
            }
            ended = tokio::time::timeout(left.saturating_sub(first), &mut reading).await;
        }
        if let Ok(joined) = ended {
            // A panic: its message is in the log.
            return joined.unwrap_or_else(|_| Err(defect()));
        }
        let error = ledger.too_late(descriptor);
        self.seen.failed(descriptor.id, &error, self.clock.now());
        Err(error)
    }
}

/// Where a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    /// For a thread, and nothing was done yet.
    Waiting = 0,
    /// At work on a thread.
    Reading = 1,
    /// For an answer, or for room to read it.
    Asking = 2,
}

/// What is known of a reading from outside it.
#[derive(Debug, Default)]
struct Ledger {
    stage: AtomicU8,
    /// Upstream attempts for the answers so far.
    attempts: AtomicU32,
    /// Answers that have arrived and wait for room to be read.
    for_room: AtomicU32,
    /// Length of the largest answer so far.
    largest: AtomicUsize,
    /// Room for what is made of an answer, until the reader next waits: nothing that large lives longer.
    room: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Ledger {
    fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            0 => Stage::Waiting,
            1 => Stage::Reading,
            _ => Stage::Asking,
        }
    }

    fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Release);
    }

    fn set_room(&self, room: Option<OwnedSemaphorePermit>) {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    /// Room that is there already.
    fn has_room(&self, pieces: usize) -> bool {
        let room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.as_ref().is_some_and(|room| room.num_permits() >= pieces)
    }

    fn too_late(&self, descriptor: &Descriptor) -> SourceError {
        let is_reading = self.stage() == Stage::Reading;
        if is_reading {
            tracing::warn!(
                source = descriptor.id,
                "an answer is not read to its end in time; its thread is taken until it is"
            );
        }
        let message = if is_reading || self.for_room.load(Ordering::Acquire) > 0 {
            format!("the answer of {} could not be read in time", descriptor.title)
        } else {
            // The transport names what it waited for within the deadline. Where it did not, the source may never have
            // been asked, so the message does not blame it.
            format!("the call's time ran out before {} answered", descriptor.title)
        };
        let mut error = SourceError::new(ErrorCode::Timeout, message)
            .detail("deadline")
            .hint("try again later, or ask for less");
        error.attempts = self.attempts.load(Ordering::Acquire);
        error
    }
}

/// Does the work, and keeps its ledger.
async fn kept<T>(work: impl Future<Output = T>, ledger: Arc<Ledger>) -> T {
    /// Also where the work panics or is dropped.
    struct Step<'l>(&'l Ledger);

    impl Drop for Step<'_> {
        fn drop(&mut self) {
            self.0.set_room(None);
            self.0.enter(Stage::Asking);
        }
    }

    let mut work = pin!(work);
    poll_fn(|cx| {
        ledger.enter(Stage::Reading);
        let _step = Step(&ledger);
        work.as_mut().poll(cx)
    })
    .await
}

/// The transport as a reading thread sees it.
struct Desk {
    transport: Arc<dyn Transport>,
    /// The threads that serve, with their sockets and timers.
    serving: Handle,
    ledger: Arc<Ledger>,
    room: Room,
    wait: Duration,
    seen: Arc<SeenSources>,
    clock: Arc<dyn Clock>,
}

impl Desk {
    async fn send(&self, scope: CallScope, request: Request) -> Result<Response, SourceError> {
        let source = scope.descriptor.id;
        self.fetch(scope, request)
            .await
            .inspect_err(|error| self.seen.met(source, error, self.clock.now()))
    }

    async fn fetch(&self, scope: CallScope, request: Request) -> Result<Response, SourceError> {
        let transport = Arc::clone(&self.transport);
        let mut sending: BoxFuture<'static, _> =
            Box::pin(async move { transport.send(&scope, request).await }.in_current_span());
        // What the cache has is there at once, and needs no other thread.
        let first = poll_fn(|cx| {
            let _context = self.serving.enter();
            Poll::Ready(sending.as_mut().poll(cx))
        });
        let response = match first.await {
            Poll::Ready(answer) => answer?,
            Poll::Pending => AbortOnDropHandle::new(self.serving.spawn(sending))
                .await
                .unwrap_or_else(|_| Err(defect()))?,
        };
        self.ledger
            .attempts
            .fetch_add(response.attempts, Ordering::AcqRel);
        let length = response.body.len();
        let largest = self
            .ledger
            .largest
            .fetch_max(length, Ordering::AcqRel)
            .max(length);
        if !self.ledger.has_room(self.room.pieces(largest)) {
            // Given back first: nobody waits for room while holding some.
            self.ledger.set_room(None);
            self.ledger.for_room.fetch_add(1, Ordering::AcqRel);
            let room = self.room.take(largest, self.wait, &self.serving).await;
            self.ledger.for_room.fetch_sub(1, Ordering::AcqRel);
            self.ledger.set_room(Some(room?));
        }
        Ok(response)
    }
}

impl Transport for Desk {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(Self::send(self, scope.clone(), request))
    }

    fn configured(&self, env: &str) -> bool {
        self.transport.configured(env)
    }
}
