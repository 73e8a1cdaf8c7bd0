//! Messages to the client as JSON.

use std::io;

use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use serde_json::value::RawValue;

use super::write_queue::WriteQueue;
use freshcontext_mcp::jsonrpc::aside::write_answer;

/// Initial buffer of a message of unknown size, in bytes.
const SMALL: usize = 512;

/// Queues a message without a separately serialised result.
pub(super) fn write(queue: &WriteQueue, message: ServerJsonRpcMessage) -> io::Result<()> {
    queue.push(line(message, None, queue)?)
}

/// Serialises a message, with its separately serialised result.
pub(super) fn line(
    mut message: ServerJsonRpcMessage,
    structure: Option<&RawValue>,
    queue: &WriteQueue,
) -> io::Result<Vec<u8>> {
    if let JsonRpcMessage::Error(error) = &mut message {
        error.error = freshcontext_mcp::cleaned(error.error.clone());
    }
    // Enough capacity to avoid moving a large response as it grows: the text takes a quarter of the
    // structured result.
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
