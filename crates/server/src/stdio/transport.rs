//! rmcp's transport over two byte streams, with the limits and the manners that we promise.

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use freshcontext_contract::Limits;
use futures_util::StreamExt as _;
use futures_util::future::select;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use super::frame::{self, Frame};
use super::lines::{Line, LineDecoder, SMALL as SMALL_LINE};
use super::write_queue::WriteQueue;
use crate::aside::{Aside, Slot, write_answer};

/// What the judgement of one signal takes as an answer, at most, in bytes: as text and as JSON.
const JUDGED_SIGNAL: usize = 2 << 10;
/// JSON-RPC's code for "not now": of its range for servers, and outside the part that MCP reserves.
const NOT_NOW: ErrorCode = ErrorCode(-32_000);
/// Room for an answer of which nothing is known, in bytes.
const SMALL: usize = 512;
/// How long the memory of long lines is kept for the next one, whatever short lines come.
const KEPT: Duration = Duration::from_secs(1);
/// How long calls may still be answered after the client closed its end.
pub(super) const LAST_ANSWERS: Duration = Duration::from_millis(1_500);

/// How much is taken in before it is answered and read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intake {
    /// One line, in bytes.
    pub(crate) line: usize,
    /// Requests not answered, and answers not read.
    pub(crate) requests: usize,
    /// The same in bytes.
    pub(crate) bytes: usize,
}

impl Intake {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            line: limits.stdio_line_bytes,
            requests: limits.stdio_requests,
            bytes: limits.stdio_bytes,
        }
    }
}

/// The transport of one stdio session.
pub(crate) struct StdioTransport<R> {
    lines: FramedRead<R, LineDecoder>,
    queue: WriteQueue,
    open: Arc<Open>,
    /// Whether the session has begun; what comes before it is not for a session to see.
    begun: bool,
    /// When to give back the memory that is kept for long lines.
    kept_until: Option<Instant>,
    /// When to stop waiting for last answers, once the input has ended.
    patience: Option<Instant>,
    ended: CancellationToken,
    intake: Intake,
}

/// Requests that are not answered yet.
#[derive(Debug, Default)]
pub(crate) struct Open {
    ids: Mutex<Ids>,
    fewer: Notify,
}

/// What is kept of a request.
#[derive(Debug)]
struct Held {
    /// Bytes that it holds.
    bytes: usize,
    /// Where its answer's structure will be, if that is put aside.
    structure: Option<Slot>,
}

#[derive(Debug, Default)]
struct Ids {
    held: HashMap<RequestId, Held>,
    bytes: usize,
}

impl Open {
    fn ids(&self) -> MutexGuard<'_, Ids> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, id: &RequestId) -> bool {
        self.ids().held.contains_key(id)
    }

    fn insert(&self, id: RequestId, held: Held) {
        let mut ids = self.ids();
        ids.bytes += held.bytes;
        ids.held.insert(id, held);
    }

    /// What was put aside of an answer.
    fn structure(&self, id: &RequestId) -> Option<Box<RawValue>> {
        let slot = self.ids().held.get(id)?.structure.clone();
        slot?.take()
    }

    /// Notes that nobody wants an answer any more.
    fn cancel(&self, id: &RequestId) {
        let mut ids = self.ids();
        if let Some(held) = ids.held.remove(id) {
            ids.bytes = ids.bytes.saturating_sub(held.bytes);
        }
        drop(ids);
        self.fewer.notify_waiters();
    }

    /// Ends a request; `last` is done while nobody else can end it, and only if nobody has and it was not
    /// cancelled.
    fn end(&self, id: &RequestId, last: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let done = {
            let mut ids = self.ids();
            match ids.held.remove(id) {
                Some(held) => {
                    ids.bytes = ids.bytes.saturating_sub(held.bytes);
                    last()
                }
                None => Ok(()),
            }
        };
        self.fewer.notify_waiters();
        done
    }

    async fn none(&self) {
        loop {
            let fewer = self.fewer.notified();
            if self.ids().held.is_empty() {
                return;
            }
            fewer.await;
        }
    }

    /// Waits until there is room for another request.
    async fn room(&self, queue: &WriteQueue, intake: Intake) {
        loop {
            let (fewer, written) = (pin!(self.fewer.notified()), pin!(queue.written()));
            let (requests, bytes) = {
                let ids = self.ids();
                (ids.held.len(), ids.bytes)
            };
            let (answers, unread) = queue.unwritten();
            if requests + answers < intake.requests && bytes + unread <= intake.bytes {
                return;
            }
            select(fewer, written).await;
        }
    }

    /// Tells all who still wait that there will be no answer.
    pub(crate) fn give_up(&self, queue: &WriteQueue) {
        let ids: Vec<RequestId> = self.ids().held.keys().cloned().collect();
        for id in ids {
            let error = ErrorData::new(NOT_NOW, "the server is going away; this was not finished", None);
            let answer = ServerJsonRpcMessage::error(error, Some(id.clone()));
            // Where nobody reads any more, nobody misses it.
            let _ = self.end(&id, || write(queue, answer));
        }
    }
}

impl<R: AsyncRead + Unpin + Send> StdioTransport<R> {
    /// Reads lines from `input` and writes to `queue`. `ended` is cancelled when the input ends.
    pub(crate) fn new(
        input: R,
        queue: WriteQueue,
        open: Arc<Open>,
        intake: Intake,
        ended: CancellationToken,
    ) -> Self {
        Self {
            lines: FramedRead::with_capacity(input, LineDecoder::new(intake.line), SMALL_LINE),
            queue,
            open,
            begun: false,
            kept_until: None,
            patience: None,
            ended,
            intake,
        }
    }

    /// The next line. Where it is not there when it is time, the memory that is kept for long lines is given back.
    async fn next_line(&mut self) -> Option<io::Result<Line>> {
        if self.lines.decoder().keeps_memory() {
            let until = *self.kept_until.get_or_insert_with(|| Instant::now() + KEPT);
            if let Ok(line) = tokio::time::timeout_at(until, self.lines.next()).await {
                return line;
            }
            self.lines.decoder_mut().give_back();
        }
        self.kept_until = None;
        self.lines.next().await
    }

    /// Says what is wrong with a message. Where its id is an open request's, it goes without: that request
    /// gets its own answer.
    fn refuse(&self, id: Option<RequestId>, error: ErrorData) {
        let id = id.filter(|id| !self.open.has(id));
        // A broken pipe ends the session elsewhere.
        let _ = write(&self.queue, ServerJsonRpcMessage::error(error, id));
    }

    /// What rmcp shall see of a message that came in this line.
    fn admit(&mut self, message: ClientJsonRpcMessage, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        if let JsonRpcMessage::Request(request) = &message {
            if self.open.has(&request.id) {
                let what = "a request with this id is still open";
                let error = ErrorData::new(ErrorCode::INVALID_REQUEST, what, None);
                self.refuse(Some(request.id.clone()), error);
                return None;
            }
            self.open.insert(request.id.clone(), held(&request.request, line));
            self.begun |= frame::begins(&request.request);
            return Some(message);
        }
        if let Some(id) = frame::cancelled(&message) {
            // A cancelled request is never answered.
            self.open.cancel(id);
        }
        self.begun.then_some(message)
    }
}

/// What a request holds until it is answered: its line, and for a judgement its texts without their escapes and the
/// answer in the making, which may be far larger than its signals.
fn held(request: &ClientRequest, line: &[u8]) -> Held {
    let aside = match request {
        ClientRequest::CallToolRequest(call) => call.extensions.get::<Aside>(),
        _ => None,
    };
    let judged = aside.map_or(0, |aside| {
        let json = aside.arguments.json();
        json.len() + memchr::memchr_iter(b'{', json).count() * JUDGED_SIGNAL
    });
    Held {
        bytes: line.len() + judged,
        structure: aside.map(|aside| aside.structure.clone()),
    }
}

fn write(queue: &WriteQueue, message: ServerJsonRpcMessage) -> io::Result<()> {
    queue.push(line(message, None, queue)?)
}

/// A message as JSON, with the structure that was put aside.
fn line(
    mut message: ServerJsonRpcMessage,
    structure: Option<&RawValue>,
    queue: &WriteQueue,
) -> io::Result<Vec<u8>> {
    if let JsonRpcMessage::Error(error) = &mut message {
        error.error = crate::mcp::cleaned(error.error.clone());
    }
    // Room for all, so that a large answer is not moved as it grows: the text takes a quarter of what its
    // structure takes.
    let structured = structure.map_or(0, |structure| structure.get().len());
    let mut line = queue.buffer(SMALL + structured + structured / 2);
    match (&message, structure) {
        (JsonRpcMessage::Response(response), Some(structure)) => {
            write_answer(&mut line, &response.id, &response.result, structure)?;
        }
        _ => serde_json::to_writer(&mut line, &message)?,
    }
    Ok(line)
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let queue = self.queue.clone();
        let open = Arc::clone(&self.open);
        async move {
            let answered = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let Some(id) = answered else {
                return write(&queue, item);
            };
            let structure = open.structure(&id);
            let line = line(item, structure.as_deref(), &queue)?;
            open.end(&id, || queue.push(line))
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(until) = self.patience {
                if tokio::time::timeout_at(until, self.open.none()).await.is_err() {
                    self.open.give_up(&self.queue);
                }
                return None;
            }
            self.open.room(&self.queue, self.intake).await;
            match self.next_line().await {
                Some(Ok(Line::Text(line))) => match frame::read(&line) {
                    Frame::Message(message) => {
                        if let Some(message) = self.admit(*message, &line) {
                            return Some(message);
                        }
                    }
                    Frame::Wrong(id, error) => self.refuse(id, error),
                    Frame::Nothing => {}
                },
                Some(Ok(Line::TooLong(id))) => {
                    let most = self.intake.line;
                    let message = format!("the line is longer than {most} bytes and was dropped");
                    self.refuse(id, ErrorData::new(ErrorCode::INVALID_REQUEST, message, None));
                }
                // A read error counts as the end.
                Some(Err(_)) | None => {
                    self.patience = Some(Instant::now() + LAST_ANSWERS);
                    self.ended.cancel();
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.queue.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test(start_paused = true)]
    async fn the_memory_of_a_long_line_is_kept_for_a_moment() {
        let (mut theirs, ours) = tokio::io::duplex(1 << 20);
        let (queue, _writer) = WriteQueue::start(tokio::io::sink(), CancellationToken::new());
        let intake = Intake::new(&Limits::DEFAULT);
        let mut transport =
            StdioTransport::new(ours, queue, Arc::default(), intake, CancellationToken::new());
        theirs.write_all(&vec![b' '; 600 << 10]).await.unwrap();
        for (after, kept) in [(KEPT / 2, true), (KEPT * 3 / 4, false)] {
            // The end of the long line, then a short one. Both are blank: there is nothing to receive.
            theirs.write_all(b"\n").await.unwrap();
            assert!(tokio::time::timeout(after, transport.receive()).await.is_err());
            assert_eq!(transport.lines.decoder().keeps_memory(), kept);
        }
    }
}
