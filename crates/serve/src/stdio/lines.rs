//! Lines from a byte stream, with a length limit that also limits memory: a decoder for tokio-util's `FramedRead`.
//! tokio-util's own line decoders search byte by byte and do not return the beginning of a discarded line.

use std::io;

use bytes::{Bytes, BytesMut};
use rmcp::model::RequestId;
use tokio_util::codec::Decoder;

use freshcontext_mcp::jsonrpc::frame::find_id;

/// Read size when nothing is known about the line, in bytes.
pub(crate) const SMALL: usize = 16 << 10;
/// Read size inside a long line, in bytes: the capacity of a pipe.
const LARGE: usize = 64 << 10;
/// Size from which a line gets memory for the longest line, in bytes.
const LONG: usize = 1 << 20;
/// Buffer size for such a line. Untouched pages take no memory, so the line never has to be moved as it
/// grows. glibc maps allocations above 32 MiB separately and returns them at once, while smaller ones stay
/// with the thread that freed them (mallopt(3), `M_MMAP_THRESHOLD`).
const ROOM: usize = (32 << 20) + LARGE;
/// Maximum size of a buffer that is allocated because the previous line needed it, in bytes.
const LIKE_THE_LAST: usize = 1 << 20;
/// The buffer of a longer line is kept separately, for long lines only.
const KEEP: usize = 256 << 10;
/// A buffer with more capacity is also kept separately, whatever it holds.
const ROOMY: usize = 2 * LIKE_THE_LAST;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The line without its terminator.
    Text(Bytes),
    /// Over the limit and discarded, with the id of the message if it was in the part that was read.
    TooLong(Option<RequestId>),
}

/// The decoder.
#[derive(Debug)]
pub(crate) struct LineDecoder {
    /// Length of the buffer's prefix that is known to contain no line terminator.
    searched: usize,
    most: usize,
    /// Length of the last long line. The next one is expected to be as long, so its buffer need not be moved.
    last: usize,
    /// Buffer of the last long line, for the next one. The system clears each page of new memory, which takes
    /// longer than finding the end of the line.
    spare: Option<Spare>,
    /// Whether the rest of an oversized line is being skipped.
    skipping: bool,
}

/// Memory that held a line.
#[derive(Debug)]
struct Spare {
    /// Handle to the memory.
    memory: BytesMut,
    /// Its full capacity, in bytes. Reserving that much returns its beginning.
    whole: usize,
}

impl Spare {
    /// Returns the memory if it is large enough and the previous line has been dropped.
    fn reclaim(mut self, least: usize) -> Option<BytesMut> {
        (self.whole >= least && self.memory.try_reclaim(self.whole)).then_some(self.memory)
    }
}

impl LineDecoder {
    /// Decodes lines of at most `most` bytes, not counting terminators.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            searched: 0,
            most,
            last: 0,
            spare: None,
            skipping: false,
        }
    }

    /// Returns whether memory is kept for the next long line.
    pub(crate) fn keeps_memory(&self) -> bool {
        self.spare.is_some()
    }

    /// Releases the memory kept for the next long line.
    pub(crate) fn give_back(&mut self) {
        self.spare = None;
    }

    /// Handles an incomplete line.
    fn unfinished(&mut self, buffer: &mut BytesMut) -> Option<Line> {
        self.searched = buffer.len();
        // One byte more than the limit may be the CR of a line terminator.
        if self.skipping {
            self.forget(buffer);
        } else if buffer.len() > self.most + 1 {
            let id = find_id(buffer);
            self.skipping = true;
            self.forget(buffer);
            return Some(Line::TooLong(id));
        }
        let held = buffer.len();
        if held == 0 {
            // The previous line may be in use together with its buffer.
            let like_the_last = if self.spare.is_none() { self.last } else { 0 };
            buffer.reserve(like_the_last.max(SMALL));
            return None;
        }
        let room = if held < LONG {
            // Doubles each time, so that the line is not moved with every read.
            held.max(SMALL).max(self.last.saturating_sub(held))
        } else if buffer.capacity() < held + SMALL {
            ROOM.max(self.most).saturating_sub(held).max(LARGE)
        } else {
            SMALL
        };
        if buffer.capacity() < held + room {
            self.make_room(buffer, room);
        }
        None
    }

    /// Makes room after the buffered bytes, in the previous line's memory if that line has been dropped.
    fn make_room(&mut self, buffer: &mut BytesMut, room: usize) {
        let reclaimed = self
            .spare
            .take()
            .and_then(|spare| spare.reclaim(buffer.len() + room));
        if let Some(mut memory) = reclaimed {
            memory.extend_from_slice(buffer);
            *buffer = memory;
        } else {
            buffer.reserve(room);
        }
    }

    fn forget(&mut self, buffer: &mut BytesMut) {
        self.searched = 0;
        if buffer.capacity() > KEEP {
            *buffer = BytesMut::with_capacity(LARGE);
        } else {
            buffer.clear();
        }
    }
}

impl Decoder for LineDecoder {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Line>> {
        loop {
            let unseen = buffer.get(self.searched..).unwrap_or_default();
            let Some(at) = memchr::memchr(b'\n', unseen).map(|at| at + self.searched) else {
                return Ok(self.unfinished(buffer));
            };
            self.searched = 0;
            let whole = buffer.capacity();
            let mut line = buffer.split_to(at + 1);
            if line.len() > LARGE {
                self.last = line.len().min(LIKE_THE_LAST);
            }
            if line.len() > KEEP || whole > ROOMY {
                // The rest moves, so that the next bytes are not appended to the memory of a dropped line.
                let mut rest = BytesMut::with_capacity(buffer.len().max(SMALL));
                rest.extend_from_slice(buffer);
                let mut memory = std::mem::replace(buffer, rest);
                memory.clear();
                self.spare = Some(Spare { memory, whole });
            }
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            line.truncate(at);
            if line.last() == Some(&b'\r') {
                line.truncate(at.saturating_sub(1));
            }
            return Ok(Some(if line.len() > self.most {
                Line::TooLong(find_id(&line))
            } else {
                Line::Text(line.freeze())
            }));
        }
    }

    /// Like `decode`, but also returns a final line without a terminator.
    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Line>> {
        if let Some(line) = self.decode(buffer)? {
            return Ok(Some(line));
        }
        self.searched = 0;
        let rest = std::mem::take(buffer);
        Ok((!rest.is_empty()).then(|| Line::Text(rest.freeze())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt as _;
    use proptest::prelude::*;
    use tokio::io::{AsyncRead, AsyncWriteExt as _};
    use tokio_util::codec::FramedRead;

    fn framed<R: AsyncRead>(input: R, most: usize) -> FramedRead<R, LineDecoder> {
        FramedRead::with_capacity(input, LineDecoder::new(most), SMALL)
    }

    async fn all(input: &[u8], chunk: usize, most: usize) -> Vec<Line> {
        let (mut theirs, ours) = tokio::io::duplex(chunk.max(1));
        let bytes = input.to_vec();
        let writing = async move {
            for piece in bytes.chunks(chunk.max(1)) {
                theirs.write_all(piece).await.unwrap();
            }
        };
        let reading = framed(ours, most).map(Result::unwrap).collect::<Vec<Line>>();
        tokio::join!(writing, reading).1
    }

    fn text(text: &str) -> Line {
        Line::Text(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[tokio::test]
    async fn ends_of_all_kinds_at_every_chunk_size() {
        for chunk in 1..12 {
            let lines = all(b"one\ntwo\r\n\nfour", chunk, 100).await;
            assert_eq!(
                lines,
                [text("one"), text("two"), text(""), text("four")],
                "chunk {chunk}"
            );
        }
    }

    #[tokio::test]
    async fn a_long_line_is_reported_once_and_the_next_one_is_served() {
        for chunk in [1, 3, 64] {
            let lines = all(b"12345\n123456\n123456789012345678901\nok\r\n", chunk, 5).await;
            assert_eq!(
                lines,
                [
                    text("12345"),
                    Line::TooLong(None),
                    Line::TooLong(None),
                    text("ok")
                ],
                "chunk {chunk}"
            );
        }
    }

    #[tokio::test]
    async fn an_endless_line_takes_no_memory() {
        let (mut theirs, ours) = tokio::io::duplex(1 << 20);
        let mut lines = framed(ours, 4 << 20);
        let writing = async move {
            theirs.write_all(br#"{"id":7,"params":""#).await.unwrap();
            let block = vec![b'x'; 1 << 20];
            for _ in 0..32 {
                theirs.write_all(&block).await.unwrap();
            }
            theirs.write_all(b"\nnext\n").await.unwrap();
        };
        let reading = async {
            let id = RequestId::Number(7);
            assert_eq!(lines.next().await.unwrap().unwrap(), Line::TooLong(Some(id)));
            assert_eq!(lines.next().await.unwrap().unwrap(), text("next"));
            assert!(lines.read_buffer().capacity() <= 1 << 20);
        };
        tokio::join!(writing, reading);
    }

    /// Returns the line, and the addresses of a line of 12 MiB as it grows beyond its first buffer.
    fn long_line(decoder: &mut LineDecoder, buffer: &mut BytesMut) -> (Vec<*const u8>, Bytes) {
        let mut places = Vec::new();
        for block in 0..192 {
            buffer.resize(buffer.len() + LARGE, b'x');
            assert_eq!(decoder.decode(buffer).unwrap(), None);
            if block > 2 * LONG / LARGE {
                places.push(buffer.as_ptr());
            }
        }
        places.dedup();
        buffer.extend_from_slice(b"\nnext");
        let Some(Line::Text(line)) = decoder.decode(buffer).unwrap() else {
            panic!("a line was written");
        };
        assert_eq!(line.len(), 192 * LARGE);
        assert!(&buffer[..] == b"next" && buffer.capacity() <= 2 * LIKE_THE_LAST);
        buffer.clear();
        (places, line)
    }

    #[test]
    fn a_long_line_moves_no_more_and_its_memory_is_for_the_next_one() {
        let (mut decoder, mut buffer) = (LineDecoder::new(16 << 20), BytesMut::new());
        let (places, line) = long_line(&mut decoder, &mut buffer);
        assert_eq!(places.len(), 1);
        // Not while the line is in use.
        let (others, other) = long_line(&mut decoder, &mut buffer);
        assert_ne!(others, places);
        assert!(line.iter().all(|byte| *byte == b'x'));
        drop((line, other));
        let (again, last) = long_line(&mut decoder, &mut buffer);
        assert_eq!(again, others);
        drop(last);
        // A short line does not use it, and it can be released.
        for kept in [true, false] {
            assert_eq!(decoder.keeps_memory(), kept);
            buffer.extend_from_slice(b"short\n");
            assert_eq!(decoder.decode(&mut buffer).unwrap(), Some(text("short")));
            assert_eq!(decoder.keeps_memory(), kept);
            decoder.give_back();
        }
    }

    #[tokio::test]
    async fn a_dropped_read_loses_nothing() {
        let (mut theirs, ours) = tokio::io::duplex(64);
        let mut lines = framed(ours, 100);
        theirs.write_all(b"half").await.unwrap();
        assert!(
            tokio::time::timeout(std::time::Duration::from_millis(5), lines.next())
                .await
                .is_err()
        );
        theirs.write_all(b" line\n").await.unwrap();
        assert_eq!(lines.next().await.unwrap().unwrap(), text("half line"));
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_chunks_give_the_same_lines(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            chunk in 1usize..32,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let whole = runtime.block_on(all(&bytes, bytes.len().max(1), 20));
            let pieces = runtime.block_on(all(&bytes, chunk, 20));
            prop_assert_eq!(whole, pieces);
        }
    }
}
