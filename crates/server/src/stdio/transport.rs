//! rmcp's transport over two byte streams, with the limits and the manners that we promise.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::AsyncRead;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::frame::{self, Frame};
use super::lines::{Line, Lines};
use super::outbox::Outbox;

/// With more than this waiting to be written, nothing more is read: a client that does not read
/// must not fill our memory.
const MOST_UNWRITTEN: usize = 12 << 20;
/// Room for an answer of which nothing is known, in bytes.
const SMALL: usize = 512;
/// How long calls may still be answered after the client closed its end.
pub(super) const LAST_ANSWERS: Duration = Duration::from_millis(1_500);

/// The transport of one stdio session.
pub(crate) struct StdioTransport<R> {
    lines: Lines<R>,
    outbox: Outbox,
    open: Arc<Open>,
    /// Whether the session has begun; what comes before it is not for a session to see.
    begun: bool,
    /// When to stop waiting for last answers, once the input has ended.
    patience: Option<Instant>,
    ended: CancellationToken,
    most: usize,
}

/// Requests that are not answered yet.
#[derive(Debug, Default)]
struct Open {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Open {
    fn insert(&self, id: &RequestId) -> bool {
        self.ids
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone())
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.fewer.notify_waiters();
    }

    async fn none(&self) {
        loop {
            let fewer = self.fewer.notified();
            if self.ids.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            fewer.await;
        }
    }
}

impl<R: AsyncRead + Unpin + Send> StdioTransport<R> {
    /// Reads lines of at most `most` bytes from `input` and writes to `outbox`. `ended` is cancelled
    /// when the input ends.
    pub(crate) fn new(input: R, outbox: Outbox, most: usize, ended: CancellationToken) -> Self {
        Self {
            lines: Lines::new(input, most),
            outbox,
            open: Arc::default(),
            begun: false,
            patience: None,
            ended,
            most,
        }
    }

    fn refuse(&self, id: Option<RequestId>, error: ErrorData) {
        // A broken pipe ends the session elsewhere.
        let _ = write(&self.outbox, ServerJsonRpcMessage::error(error, id));
    }

    /// What rmcp shall see of a message.
    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if let JsonRpcMessage::Request(request) = &message {
            if !self.open.insert(&request.id) {
                let error = ErrorData::new(
                    ErrorCode::INVALID_REQUEST,
                    "a request with this id is still open",
                    None,
                );
                self.refuse(Some(request.id.clone()), error);
                return None;
            }
            self.begun |= frame::begins(&request.request);
            return Some(message);
        }
        if let Some(id) = frame::cancelled(&message) {
            // A cancelled request is never answered.
            self.open.remove(id);
        }
        self.begun.then_some(message)
    }
}

fn write(outbox: &Outbox, message: ServerJsonRpcMessage) -> io::Result<()> {
    outbox.push(line(message, outbox)?)
}

/// A message as JSON. Structured content that is a text is JSON already, and becomes the last field of
/// the result as it stands.
fn line(mut message: ServerJsonRpcMessage, outbox: &Outbox) -> io::Result<Vec<u8>> {
    if let JsonRpcMessage::Error(error) = &mut message {
        error.error = crate::mcp::cleaned(error.error.clone());
    }
    let json = take_json(&mut message);
    // Room for all, so that a large answer is not moved as it grows: the text takes a quarter of what its
    // structure takes.
    let room = json
        .as_ref()
        .map_or(SMALL, |json| json.len() + json.len() / 2 + SMALL);
    let mut line = outbox.buffer(room);
    serde_json::to_writer(&mut line, &message)?;
    if let Some(json) = json {
        // The ends of the result, which is never empty, and of the message.
        let end = line.len().saturating_sub(2);
        if line.get(end..) != Some(b"}}") {
            return Err(io::ErrorKind::InvalidData.into());
        }
        line.truncate(end);
        line.extend_from_slice(b",\"structuredContent\":");
        line.extend_from_slice(json.as_bytes());
        line.extend_from_slice(b"}}");
    }
    Ok(line)
}

/// The JSON text that stands in for structured content, if one does.
fn take_json(message: &mut ServerJsonRpcMessage) -> Option<String> {
    let JsonRpcMessage::Response(response) = message else {
        return None;
    };
    let ServerResult::CallToolResult(result) = &mut response.result else {
        return None;
    };
    match result.structured_content.take() {
        Some(Value::String(json)) => Some(json),
        other => {
            result.structured_content = other;
            None
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outbox = self.outbox.clone();
        let open = Arc::clone(&self.open);
        async move {
            let answered = match &item {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let sent = write(&outbox, item);
            if let Some(id) = answered {
                open.remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(until) = self.patience {
                let _ = tokio::time::timeout_at(until, self.open.none()).await;
                return None;
            }
            self.outbox.below(MOST_UNWRITTEN).await;
            match self.lines.next().await {
                Line::Text(line) => match frame::read(&line) {
                    Frame::Message(message) => {
                        if let Some(message) = self.admit(*message) {
                            return Some(message);
                        }
                    }
                    Frame::Wrong(id, error) => self.refuse(id, error),
                    Frame::Nothing => {}
                },
                Line::TooLong => {
                    let message = format!("the line is longer than {} bytes and was dropped", self.most);
                    self.refuse(None, ErrorData::new(ErrorCode::INVALID_REQUEST, message, None));
                }
                Line::End => {
                    self.patience = Some(Instant::now() + LAST_ANSWERS);
                    self.ended.cancel();
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.outbox.close();
        Ok(())
    }
}
