//! rmcp's transport over two byte streams, with limits and back-pressure.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ErrorCode, ErrorData,
    GetExtensions as _, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use tokio::io::AsyncRead;
use tokio::task::coop::consume_budget;
use tokio::time::Instant;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use super::backlog::{Backlog, Later};
use super::encode::{line, write};
use super::lines::{Line, LineDecoder, SMALL as SMALL_LINE};
use super::open::{Cancelled, Intake, Open};
use super::streams::Gate;
use super::write_queue::WriteQueue;
use freshcontext_mcp::jsonrpc::frame::{self, Frame};

/// Time for which the memory of long lines is kept for the next long line.
const KEPT: Duration = Duration::from_secs(1);
/// Time for calls to finish after the client closed its end.
pub(super) const LAST_ANSWERS: Duration = Duration::from_millis(1_500);
/// Unread bytes above which progress notifications are dropped, since they would arrive late and take memory.
const PROGRESS_UNREAD: usize = 256 << 10;

/// The transport of one stdio session.
pub(crate) struct StdioTransport<R> {
    lines: FramedRead<Gate<R>, LineDecoder>,
    queue: WriteQueue,
    open: Arc<Open>,
    /// Messages that wait for capacity.
    backlog: Backlog,
    /// Whether the session has begun; earlier messages are not forwarded.
    begun: bool,
    /// Time at which the memory kept for long lines is released.
    kept_until: Option<Instant>,
    /// Whether the input has ended.
    at_end: bool,
    /// Time at which the wait for the last responses ends, once the queue is empty.
    patience: Option<Instant>,
    ended: CancellationToken,
    intake: Intake,
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
            lines: FramedRead::with_capacity(Gate::new(input), LineDecoder::new(intake.line), SMALL_LINE),
            queue,
            open,
            backlog: Backlog::default(),
            begun: false,
            kept_until: None,
            at_end: false,
            patience: None,
            ended,
            intake,
        }
    }

    /// Returns the next line. After a timeout, releases the memory kept for long lines.
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

    /// Returns the bytes that may be read while the queue is not empty. Buffered bytes count as read.
    fn ahead(&self) -> usize {
        let read = self.backlog.bytes() + self.lines.read_buffer().len();
        self.intake.ahead.saturating_sub(read)
    }

    /// Sends an error response. Without an id if the id belongs to an open request, which gets its own
    /// response.
    fn refuse(&self, id: Option<RequestId>, error: ErrorData) {
        let id = id.filter(|id| !self.open.has(id));
        // A broken pipe is handled elsewhere and ends the session.
        let _ = write(&self.queue, ServerJsonRpcMessage::error(error, id));
    }

    /// Sends an error response, now or when there is capacity for it.
    fn refuse_in_turn(&mut self, id: Option<RequestId>, error: ErrorData) {
        if self.is_next() {
            self.refuse(id, error);
        } else {
            self.backlog.push(self.open.number(), Later::Refusal(id, error));
        }
    }

    /// Returns whether the queue is empty and there is capacity.
    fn is_next(&self) -> bool {
        self.backlog.is_empty() && self.open.has_room(&self.queue, &self.intake)
    }

    /// Returns the message that rmcp receives for a line.
    fn take(&mut self, line: Line) -> Option<ClientJsonRpcMessage> {
        let line = match line {
            Line::Text(line) => line,
            Line::TooLong(id) => {
                let most = self.intake.line;
                let message = format!("the line is longer than {most} bytes and was dropped");
                self.refuse_in_turn(id, ErrorData::new(ErrorCode::INVALID_REQUEST, message, None));
                return None;
            }
        };
        match frame::read(&line) {
            Frame::Message(message) if self.is_next() => return self.admit(*message, &line),
            Frame::Message(message) => {
                let JsonRpcMessage::Request(request) = *message else {
                    return None;
                };
                match self.open.wait(&request.id) {
                    Some(number) => {
                        // rmcp's types are larger than the text that they are parsed from.
                        drop(request.request);
                        self.backlog.push(number, Later::line(request.id, line));
                    }
                    None => self.refuse_in_turn(Some(request.id), still_open()),
                }
            }
            Frame::Cancelled(id) => return self.cancel(id),
            Frame::Wrong(id, error) => self.refuse_in_turn(id, error),
            Frame::Nothing => {}
        }
        None
    }

    /// Returns the queued message that rmcp receives next, if there is capacity.
    fn take_waiting(&mut self) -> Option<ClientJsonRpcMessage> {
        while !self.backlog.is_empty() && self.open.has_room(&self.queue, &self.intake) {
            match self.backlog.pop()? {
                Later::Refusal(id, error) => self.refuse(id, error),
                Later::Line(id, line) => {
                    self.open.waited(&id);
                    if let Frame::Message(message) = frame::read(&line)
                        && let Some(message) = self.admit(*message, &line)
                    {
                        return Some(message);
                    }
                }
            }
        }
        None
    }

    /// Registers a request of this line and returns it for rmcp.
    fn admit(&mut self, mut message: ClientJsonRpcMessage, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let JsonRpcMessage::Request(request) = &mut message else {
            return None;
        };
        let Some(share) = self
            .open
            .hand_on(&request.id, &request.request, line, &self.intake)
        else {
            self.refuse(Some(request.id.clone()), still_open());
            return None;
        };
        request.request.extensions_mut().insert(share);
        self.begun |= frame::begins(&request.request);
        Some(message)
    }

    /// Cancels a request. rmcp receives the cancellation only if the request was forwarded, and only once.
    fn cancel(&mut self, id: RequestId) -> Option<ClientJsonRpcMessage> {
        match self.open.cancel(&id) {
            Cancelled::Waiting(number) => {
                self.backlog.remove(number);
                None
            }
            Cancelled::HandedOn(share) if self.begun => {
                let mut note = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
                note.extensions.insert(share);
                Some(JsonRpcMessage::notification(note.into()))
            }
            Cancelled::Nothing | Cancelled::HandedOn(_) => None,
        }
    }

    /// Waits for the last responses, within the timeout.
    async fn last_answers(&mut self) {
        let until = *self.patience.get_or_insert_with(|| {
            self.ended.cancel();
            Instant::now() + LAST_ANSWERS
        });
        if tokio::time::timeout_at(until, self.open.none()).await.is_err() {
            self.open.give_up(&self.queue);
        }
    }
}

fn still_open() -> ErrorData {
    let what = "a request with this id is still open";
    ErrorData::new(ErrorCode::INVALID_REQUEST, what, None)
}

/// Queues a message that belongs to no request. Progress is dropped if the reader has much left to read;
/// other messages wait.
async fn tell(queue: &WriteQueue, message: ServerJsonRpcMessage, most: usize) -> io::Result<()> {
    if let JsonRpcMessage::Notification(note) = &message
        && let ServerNotification::ProgressNotification(_) = note.notification
        && queue.unwritten().1 > PROGRESS_UNREAD
    {
        return Ok(());
    }
    loop {
        let written = queue.written();
        if queue.unwritten().1 <= most {
            return write(queue, message);
        }
        written.await;
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let queue = self.queue.clone();
        let open = Arc::clone(&self.open);
        let most = self.intake.bytes;
        async move {
            let answered = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let Some(id) = answered else {
                return tell(&queue, item, most).await;
            };
            let structure = open.structure(&id);
            let line = line(item, structure.as_deref(), &queue)?;
            open.end(&id, || queue.push(line))
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Lets responses be written between lines, even among many lines that need none.
            consume_budget().await;
            let changes = (!self.is_next()).then(|| self.open.changes(&self.queue));
            if let Some(message) = self.take_waiting() {
                return Some(message);
            }
            if self.at_end && self.backlog.is_empty() {
                self.last_answers().await;
                return None;
            }
            // Capacity may have grown meanwhile.
            let changes = changes.filter(|_| !self.is_next());
            let line = match changes {
                None if self.at_end => continue,
                None => {
                    self.lines.get_mut().open(usize::MAX);
                    self.next_line().await
                }
                Some(changes) if self.at_end => {
                    if tokio::time::timeout(LAST_ANSWERS, changes).await.is_err() {
                        self.ended.cancel();
                        self.open.give_up(&self.queue);
                        return None;
                    }
                    continue;
                }
                Some(changes) => {
                    let ahead = self.ahead();
                    self.lines.get_mut().open(ahead);
                    tokio::select! {
                        line = self.next_line() => line,
                        () = changes => continue,
                    }
                }
            };
            match line {
                Some(Ok(line)) => {
                    if let Some(message) = self.take(line) {
                        return Some(message);
                    }
                }
                // A read error counts as the end.
                Some(Err(_)) | None => self.at_end = true,
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
    use freshcontext_contract::Limits;
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
            // The end of the long line, then a short one. Both are blank, so nothing is received.
            theirs.write_all(b"\n").await.unwrap();
            assert!(tokio::time::timeout(after, transport.receive()).await.is_err());
            assert_eq!(transport.lines.decoder().keeps_memory(), kept);
        }
    }
}
