//! Open requests of a session, each from its line until its response is written, and the limit on their memory.

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

use super::encode::write;
use super::write_queue::WriteQueue;
use freshcontext_mcp::jsonrpc::aside::{EvaluationCall, Slot};

/// JSON-RPC error code for "busy": in the server range, outside the part that MCP reserves.
const NOT_NOW: ErrorCode = ErrorCode(-32_000);

/// Maximum size of the response for one evaluated signal, in bytes, as text and as JSON.
const JUDGED_SIGNAL: usize = 2 << 10;
/// Size of one value of an evaluation's arguments as a tree, in bytes.
const JUDGED_VALUE: usize = 80;
/// Size of one value of any other call's arguments as a tree, in bytes.
const VALUE: usize = 200;
/// Estimated size of a list response (tools, resources), in bytes: 64 KiB as values and as text, and as much
/// memory that is released while others are built.
const LIST: usize = 4 * (64 << 10);
/// Estimated size of the response to a source call, in bytes. Its real size counts once it is written.
/// `calls_in_flight` limits how many are built concurrently.
const CALL: usize = 16 << 10;
/// Divisor of the session's memory limit that gives the share of unread responses. The rest is needed to
/// answer the requests that are already open.
const UNREAD_PART: usize = 3;
/// Estimated size of any other response, in bytes.
const OTHER: usize = 4 << 10;

/// Returns upper bounds of the values and of the objects in a JSON text. Brackets inside strings count, too.
fn counted(json: &[u8]) -> (usize, usize) {
    let count = |byte| memchr::memchr_iter(byte, json).count();
    let objects = count(b'{');
    (count(b',') + count(b'[') + objects + 1, objects)
}

/// Limits on unanswered and unread messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intake {
    /// Maximum line length, in bytes.
    pub(crate) line: usize,
    /// Maximum number of requests without a response plus unread responses.
    pub(crate) requests: usize,
    /// Maximum memory of these requests and responses, in bytes.
    pub(crate) bytes: usize,
    /// Bytes of lines that are read beyond that limit, to find cancellations among them.
    pub(crate) ahead: usize,
    /// Maximum content of one resource, in bytes.
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

    /// Estimates the memory of a request until its response is written, in bytes: the line, its parsed form, and the
    /// response, which may be far larger than the line.
    fn taken_by(&self, id: &RequestId, request: &ClientRequest, line: &[u8]) -> usize {
        let id = match id {
            RequestId::String(id) => 2 * id.len(),
            RequestId::Number(_) => 0,
        };
        let evaluation = match request {
            ClientRequest::CallToolRequest(call) => call.extensions.get::<EvaluationCall>(),
            _ => None,
        };
        if let Some(evaluation) = evaluation {
            // The unescaped strings, the parsed signals, and the evaluation.
            let json = evaluation.arguments.json();
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
            // Capped, so that one large resource does not block the other requests.
            ClientRequest::ReadResourceRequest(_) => (2 * self.resource).min(self.bytes / 8),
            _ => OTHER,
        };
        let values = VALUE * counted(line).0.min(MESSAGE_VALUES);
        line.len() + id + values + answer
    }
}

/// Open requests of a session.
#[derive(Debug, Default)]
pub(crate) struct Open {
    requests: Mutex<Requests>,
    fewer: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Requests {
    by_id: HashMap<RequestId, Request>,
    /// Forwarded requests, and their bytes.
    handed_on: usize,
    bytes: usize,
    last: u64,
}

/// One open request.
#[derive(Debug)]
struct Request {
    number: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Queued until there is capacity.
    Waiting,
    /// Forwarded; the response is pending.
    HandedOn {
        share: Share,
        /// Slot for the serialised structured result.
        structure: Option<Slot>,
    },
    /// Cancelled by the client after it was forwarded. The entry ends with the work.
    Cancelled,
}

/// A request's share of the session's memory limit. The request and its cancellation carry it through rmcp;
/// it is released when both are dropped, because a cancelled call keeps running for a while.
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
            // A cancelled request stays listed until now, so that its id is not reused.
            let its = requests.by_id.get(&self.id);
            if its.is_some_and(|request| request.number == self.number) {
                requests.by_id.remove(&self.id);
            }
        }
        self.open.fewer.notify_waiters();
    }
}

/// Target of a cancellation.
#[derive(Debug)]
pub(crate) enum Cancelled {
    /// No open request, or one that is already cancelled.
    Nothing,
    /// The queued request with this number.
    Waiting(u64),
    /// A forwarded request.
    HandedOn(Share),
}

impl Open {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a request with this id is open.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests().by_id.contains_key(id)
    }

    /// Registers a queued request. Returns its number, or `None` if its id is in use.
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

    /// Returns a number for another queued entry.
    pub(crate) fn number(&self) -> u64 {
        let mut requests = self.requests();
        requests.last += 1;
        requests.last
    }

    /// Removes a request from the queued ones.
    pub(crate) fn waited(&self, id: &RequestId) {
        self.requests().by_id.remove(id);
    }

    /// Registers a forwarded request with its memory. `None` if its id is in use.
    pub(crate) fn hand_on(
        self: &Arc<Self>,
        id: &RequestId,
        request: &ClientRequest,
        line: &[u8],
        intake: &Intake,
    ) -> Option<Share> {
        let bytes = intake.taken_by(id, request, line);
        let structure = match request {
            ClientRequest::CallToolRequest(call) => call.extensions.get::<EvaluationCall>(),
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
                structure: structure.map(|evaluation| evaluation.structure.clone()),
            },
        });
        requests.handed_on += 1;
        requests.bytes += bytes;
        Some(share)
    }

    /// Takes the serialised structured result of a response.
    pub(crate) fn structure(&self, id: &RequestId) -> Option<Box<RawValue>> {
        let slot = match &self.requests().by_id.get(id)?.stage {
            Stage::HandedOn { structure, .. } => structure.clone(),
            Stage::Waiting | Stage::Cancelled => None,
        };
        slot?.take()
    }

    /// Marks a request as cancelled.
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

    /// Ends a request. `last` runs under the lock, and only if the request is neither ended nor cancelled.
    pub(crate) fn end(&self, id: &RequestId, last: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        // The share is dropped after the lock is released, because dropping takes the same lock.
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

    /// Completes when no response is pending.
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

    /// Returns whether there is capacity for another request.
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

    /// Completes when capacity may have grown since the call.
    pub(crate) fn changes(&self, queue: &WriteQueue) -> impl Future<Output = ()> + use<> {
        let (fewer, written) = (Arc::clone(&self.fewer).notified_owned(), queue.written());
        async move {
            let (fewer, written) = (pin!(fewer), pin!(written));
            select(fewer, written).await;
        }
    }

    /// Sends an error response for every pending request.
    pub(crate) fn give_up(&self, queue: &WriteQueue) {
        let ids: Vec<RequestId> = self.requests().by_id.keys().cloned().collect();
        for id in ids {
            let error = ErrorData::new(NOT_NOW, "the server is going away; this was not finished", None);
            let answer = ServerJsonRpcMessage::error(error, Some(id.clone()));
            // A disconnected reader needs no response.
            let _ = self.end(&id, || write(queue, answer));
        }
    }
}
