//! What of a session is at work: each request from the line that brings it until its answer is written, and how much
//! of it all there may be.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use freshcontext_contract::Limits;
use freshcontext_contract::limits::{MESSAGE_VALUES, SIGNALS_VALUES};
use futures_util::future::select;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::value::RawValue;
use tokio::sync::Notify;

use super::transport::write;
use super::write_queue::WriteQueue;
use freshcontext_engine::Slot;
use freshcontext_mcp::jsonrpc::aside::Aside;

/// JSON-RPC's code for "not now": of its range for servers, and outside the part that MCP reserves.
const NOT_NOW: ErrorCode = ErrorCode(-32_000);

/// What the judgement of one signal takes as an answer, at most, in bytes: as text and as JSON.
const JUDGED_SIGNAL: usize = 2 << 10;
/// What one value of a judgement's arguments takes as a tree, in bytes.
const JUDGED_VALUE: usize = 80;
/// The same for the arguments of any other call.
const VALUE: usize = 200;
/// What a list (of tools, of resources) takes as an answer, in bytes: 64 KiB as values and as text, and as much of memory
/// that is given back while others are made.
const LIST: usize = 4 * (64 << 10);
/// What the call of a source takes as an answer in the making, in bytes. Its real size counts once it is written; so
/// many are made at once as `calls_in_flight` allows.
const CALL: usize = 16 << 10;
/// Of the bytes of a session, the part that answers may take which are not read: what was asked before is answered
/// still, and needs the rest.
const UNREAD_PART: usize = 3;
/// What any other answer takes, in bytes.
const OTHER: usize = 4 << 10;

/// What a JSON text may hold in values, at most, and in objects: what looks like one inside a text counts, too.
fn counted(json: &[u8]) -> (usize, usize) {
    let count = |byte| memchr::memchr_iter(byte, json).count();
    let objects = count(b'{');
    (count(b',') + count(b'[') + objects + 1, objects)
}

/// How much is taken in before it is answered and read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intake {
    /// One line, in bytes.
    pub(crate) line: usize,
    /// Requests not answered, and answers not read.
    pub(crate) requests: usize,
    /// The same in bytes.
    pub(crate) bytes: usize,
    /// Bytes of lines that are read beyond that, for the sake of the cancellations among them.
    pub(crate) ahead: usize,
    /// The content of one resource, in bytes.
    pub(crate) resource: usize,
}

impl Intake {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            line: limits.stdio_line_bytes,
            requests: limits.stdio_requests,
            bytes: limits.stdio_bytes,
            ahead: limits.stdio_ahead_bytes,
            resource: limits.records_bytes,
        }
    }

    /// What a request takes until its answer is written, in bytes: the line, what is made of it, and the answer in
    /// the making, which may be far larger.
    fn taken_by(&self, id: &RequestId, request: &ClientRequest, line: &[u8]) -> usize {
        let id = match id {
            RequestId::String(id) => 2 * id.len(),
            RequestId::Number(_) => 0,
        };
        let aside = match request {
            ClientRequest::CallToolRequest(call) => call.extensions.get::<Aside>(),
            _ => None,
        };
        if let Some(aside) = aside {
            // The texts without their escapes, what is read of them, and the judgement.
            let json = aside.arguments.json();
            let (values, objects) = counted(json);
            return line.len()
                + id
                + json.len()
                + JUDGED_VALUE * values.min(SIGNALS_VALUES)
                + JUDGED_SIGNAL * objects;
        }
        let answer = match request {
            ClientRequest::CallToolRequest(_) => CALL,
            ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_) => LIST,
            // No more than lets others in, however large one may be.
            ClientRequest::ReadResourceRequest(_) => (2 * self.resource).min(self.bytes / 8),
            _ => OTHER,
        };
        let values = VALUE * counted(line).0.min(MESSAGE_VALUES);
        line.len() + id + values + answer
    }
}

/// The requests of a session that are not done with.
#[derive(Debug, Default)]
pub(crate) struct Open {
    requests: Mutex<Requests>,
    fewer: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Requests {
    by_id: HashMap<RequestId, Request>,
    /// Those that were handed on, and their bytes.
    handed_on: usize,
    bytes: usize,
    last: u64,
}

/// One of them.
#[derive(Debug)]
struct Request {
    number: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Read, and waiting until there is room for it.
    Waiting,
    /// Handed on; its answer is awaited.
    HandedOn {
        share: Share,
        /// Where its answer's structure will be, if that is put aside.
        structure: Option<Slot>,
    },
    /// Handed on, and nobody waits for the answer any more. It ends with its work.
    Cancelled,
}

/// What a request takes of the session's room. It goes with the request and its cancellation through rmcp, and the
/// room is free again when the last one has let go: an answer that nobody wants is still at work for a while.
#[derive(Debug, Clone)]
pub(crate) struct Share(#[expect(dead_code, reason = "held, and dropped")] Arc<Held>);

#[derive(Debug)]
struct Held {
    open: Arc<Open>,
    id: RequestId,
    number: u64,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        {
            let mut requests = self.open.requests();
            requests.handed_on = requests.handed_on.saturating_sub(1);
            requests.bytes = requests.bytes.saturating_sub(self.bytes);
            // One that was cancelled is there until now, so that its id is not taken for another's.
            let its = requests.by_id.get(&self.id);
            if its.is_some_and(|request| request.number == self.number) {
                requests.by_id.remove(&self.id);
            }
        }
        self.open.fewer.notify_waiters();
    }
}

/// What a cancellation is about.
#[derive(Debug)]
pub(crate) enum Cancelled {
    /// A request that is not open, or was cancelled before.
    Nothing,
    /// The request of this number, which still waits.
    Waiting(u64),
    /// A request that is at work.
    HandedOn(Share),
}

impl Open {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is a request of this id that is not done with.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests().by_id.contains_key(id)
    }

    /// Notes a request that waits for room, by its number. `None` where another one has its id.
    pub(crate) fn wait(&self, id: &RequestId) -> Option<u64> {
        let mut requests = self.requests();
        requests.last += 1;
        let number = requests.last;
        let Place::Vacant(place) = requests.by_id.entry(id.clone()) else {
            return None;
        };
        place.insert(Request {
            number,
            stage: Stage::Waiting,
        });
        Some(number)
    }

    /// A number for something else that waits.
    pub(crate) fn number(&self) -> u64 {
        let mut requests = self.requests();
        requests.last += 1;
        requests.last
    }

    /// Ends the wait of a request, whatever comes next.
    pub(crate) fn waited(&self, id: &RequestId) {
        self.requests().by_id.remove(id);
    }

    /// Notes a request that is handed on, and what it takes. `None` where another one has its id.
    pub(crate) fn hand_on(
        self: &Arc<Self>,
        id: &RequestId,
        request: &ClientRequest,
        line: &[u8],
        intake: &Intake,
    ) -> Option<Share> {
        let bytes = intake.taken_by(id, request, line);
        let structure = match request {
            ClientRequest::CallToolRequest(call) => call.extensions.get::<Aside>(),
            _ => None,
        };
        let mut requests = self.requests();
        requests.last += 1;
        let number = requests.last;
        let Place::Vacant(place) = requests.by_id.entry(id.clone()) else {
            return None;
        };
        let share = Share(Arc::new(Held {
            open: Arc::clone(self),
            id: id.clone(),
            number,
            bytes,
        }));
        place.insert(Request {
            number,
            stage: Stage::HandedOn {
                share: share.clone(),
                structure: structure.map(|aside| aside.structure.clone()),
            },
        });
        requests.handed_on += 1;
        requests.bytes += bytes;
        Some(share)
    }

    /// What was put aside of an answer.
    pub(crate) fn structure(&self, id: &RequestId) -> Option<Box<RawValue>> {
        let slot = match &self.requests().by_id.get(id)?.stage {
            Stage::HandedOn { structure, .. } => structure.clone(),
            Stage::Waiting | Stage::Cancelled => None,
        };
        slot?.take()
    }

    /// Notes that nobody wants an answer any more.
    pub(crate) fn cancel(&self, id: &RequestId) -> Cancelled {
        let cancelled = {
            let mut requests = self.requests();
            let Place::Occupied(mut place) = requests.by_id.entry(id.clone()) else {
                return Cancelled::Nothing;
            };
            match std::mem::replace(&mut place.get_mut().stage, Stage::Cancelled) {
                Stage::Cancelled => Cancelled::Nothing,
                Stage::Waiting => Cancelled::Waiting(place.remove().number),
                Stage::HandedOn { share, .. } => Cancelled::HandedOn(share),
            }
        };
        self.fewer.notify_waiters();
        cancelled
    }

    /// Ends a request; `last` is done while nobody else can end it, and only if nobody has and it was not
    /// cancelled.
    pub(crate) fn end(&self, id: &RequestId, last: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        // Its share is let go of after the lock: that takes the same lock.
        let (_ended, done) = {
            let mut requests = self.requests();
            let Place::Occupied(place) = requests.by_id.entry(id.clone()) else {
                return Ok(());
            };
            if matches!(place.get().stage, Stage::Cancelled) {
                return Ok(());
            }
            (place.remove(), last())
        };
        self.fewer.notify_waiters();
        done
    }

    /// Completes when no answer is awaited any more.
    pub(crate) async fn none(&self) {
        loop {
            let fewer = self.fewer.notified();
            let awaited = |request: &Request| !matches!(request.stage, Stage::Cancelled);
            if !self.requests().by_id.values().any(awaited) {
                return;
            }
            fewer.await;
        }
    }

    /// Whether there is room for another request.
    pub(crate) fn has_room(&self, queue: &WriteQueue, intake: &Intake) -> bool {
        let (handed_on, bytes) = {
            let requests = self.requests();
            (requests.handed_on, requests.bytes)
        };
        let (answers, unread) = queue.unwritten();
        handed_on + answers < intake.requests
            && bytes + unread <= intake.bytes
            && unread <= intake.bytes / UNREAD_PART
    }

    /// Completes when there may be more room than when this was called.
    pub(crate) fn changes(&self, queue: &WriteQueue) -> impl Future<Output = ()> + use<> {
        let (fewer, written) = (Arc::clone(&self.fewer).notified_owned(), queue.written());
        async move {
            let (fewer, written) = (pin!(fewer), pin!(written));
            select(fewer, written).await;
        }
    }

    /// Tells all who still wait that there will be no answer.
    pub(crate) fn give_up(&self, queue: &WriteQueue) {
        let ids: Vec<RequestId> = self.requests().by_id.keys().cloned().collect();
        for id in ids {
            let error = ErrorData::new(NOT_NOW, "the server is going away; this was not finished", None);
            let answer = ServerJsonRpcMessage::error(error, Some(id.clone()));
            // Where nobody reads any more, nobody misses it.
            let _ = self.end(&id, || write(queue, answer));
        }
    }
}
