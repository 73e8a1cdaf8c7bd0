//! MCP over stdin and stdout.

mod backlog;
mod encode;
pub(crate) mod lines;
mod open;
mod streams;
#[cfg(test)]
mod tests;
mod transport;
mod write_queue;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use freshcontext_contract::Limits;
use rmcp::ServerHandler;
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::signals;
use open::{Intake, Open};
use transport::{LAST_ANSWERS, StdioTransport};
use write_queue::WriteQueue;

/// Time for writing the last responses after the input has ended and their calls have finished.
const LAST_WRITES: Duration = Duration::from_millis(300);

/// Serves the process's stdin and stdout until the client disconnects or a signal arrives. Returns the error
/// of a write that failed while the client was connected.
pub async fn serve(server: impl ServerHandler, limits: &Limits) -> io::Result<()> {
    // Boxed, because the state of a session is large and would be copied with its caller.
    Box::pin(serve_streams(server, streams::input(), streams::output(), limits)).await
}

/// Serves any two streams; otherwise like [`serve`].
pub async fn serve_streams(
    server: impl ServerHandler,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    limits: &Limits,
) -> io::Result<()> {
    let broken = CancellationToken::new();
    let ended = CancellationToken::new();
    let stop = CancellationToken::new();
    let (queue, mut writer) = WriteQueue::start(output, broken.clone());
    let open = Arc::<Open>::default();
    let transport = StdioTransport::new(
        input,
        queue.clone(),
        Arc::clone(&open),
        Intake::new(limits),
        ended.clone(),
    );
    let session = async {
        match serve_server_with_ct(server, transport, stop.clone()).await {
            Ok(running) => {
                let _ = running.waiting().await;
            }
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
            Err(error) => tracing::warn!(%error, "the session could not begin"),
        }
    };
    let out_of_time = async {
        ended.cancelled().await;
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    // Dropped only after the waiting callers have received an error response. Otherwise the client would appear to
    // have cancelled their calls.
    let mut session = std::pin::pin!(session);
    let reason = tokio::select! {
        () = &mut session => "the client closed its end",
        () = out_of_time => "the client closed its end and did not wait",
        () = broken.cancelled() => "nothing more can be written to the client",
        () = signals::end() => "a signal",
        () = signals::parent_gone() => "the parent process is gone",
    };
    tracing::info!(reason, "leaving");
    open.give_up(&queue);
    stop.cancel();
    queue.close();
    tokio::select! {
        _ = tokio::time::timeout(LAST_WRITES, &mut writer) => {}
        () = signals::end() => {}
    }
    queue.failure().map_or(Ok(()), Err)
}
