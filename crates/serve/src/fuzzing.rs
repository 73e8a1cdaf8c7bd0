//! Entry points to this crate's parsers, for `tools/laws` and the targets in `fuzz/`.

use std::future::ready;

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio_util::codec::FramedRead;

use crate::http::head::SmugglingFilter;
use crate::stdio::lines;
use freshcontext_mcp::jsonrpc::frame;

/// Parses one line of stdin as JSON-RPC. Returns whether it is a message.
pub fn frame(line: &Bytes) -> bool {
    matches!(frame::read(line), frame::Frame::Message(_))
}

/// Filters a connection's bytes in pieces of `piece` bytes (1 or more). Returns whether all heads are
/// unambiguous.
pub fn head(bytes: &[u8], piece: usize) -> bool {
    let mut scan = SmugglingFilter::default();
    let mut bytes = bytes.to_vec();
    let before = bytes.clone();
    bytes.chunks_mut(piece.max(1)).for_each(|part| scan.take(part));
    bytes == before
}

/// Splits a stream into lines of at most `most` bytes. Returns their number.
pub async fn lines(bytes: &[u8], most: usize) -> usize {
    let lines = FramedRead::with_capacity(bytes, lines::LineDecoder::new(most), lines::SMALL);
    lines.filter(|line| ready(line.is_ok())).count().await
}
