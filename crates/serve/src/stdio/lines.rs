//! Lines from a byte stream, with a length limit that holds in memory too: a decoder for tokio-util's
//! `FramedRead`. Its own line decoders search byte by byte, and let nobody see the beginning of what they drop.

use std::io;

use bytes::{Bytes, BytesMut};
use rmcp::model::RequestId;
use tokio_util::codec::Decoder;

use freshcontext_mcp::jsonrpc::frame::find_id;

/// Room for a read when nothing is known about the line.
pub(crate) const SMALL: usize = 16 << 10;
/// Room for a read inside a long line: what a pipe holds.
const LARGE: usize = 64 << 10;
/// A line of which this much came may be as long as lines can be.
const LONG: usize = 1 << 20;
/// Room for such a line. Pages that nothing is written to take no memory, so the line need not move as it grows; and what is
/// larger than 32 MiB, glibc always maps for itself and gives back at once, where smaller pieces stay with the threads that
/// freed them (mallopt(3), `M_MMAP_THRESHOLD`).
const ROOM: usize = (32 << 20) + LARGE;
/// Most room that is made for a line because the last one needed it.
const LIKE_THE_LAST: usize = 1 << 20;
/// The memory of a longer line is kept apart, for long lines alone.
const KEEP: usize = 256 << 10;
/// So is memory with more room, whatever was read into it.
const ROOMY: usize = 2 * LIKE_THE_LAST;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Without its end.
    Text(Bytes),
    /// Over the limit, and not kept; with the id of the message, where it was among what was read.
    TooLong(Option<RequestId>),
}

/// Finds lines.
#[derive(Debug)]
pub(crate) struct LineDecoder {
    /// How far the buffer is known to hold no line end.
    searched: usize,
    most: usize,
    /// How long the last long line was: the next may be like it, and is then not moved as it grows.
    last: usize,
    /// Memory of the last long line, for the next one: the system clears each page of new memory first, and that takes
    /// longer than to find the end of the line.
    spare: Option<Spare>,
    /// Inside a line that was over the limit.
    skipping: bool,
}

/// Memory that a line was read into.
#[derive(Debug)]
struct Spare {
    /// A handle to it.
    memory: BytesMut,
    /// All of it, in bytes. To ask for as much is to ask for its beginning.
    whole: usize,
}

impl Spare {
    /// The memory, if it is enough and the line before is done with.
    fn reclaim(mut self, least: usize) -> Option<BytesMut> {
        (self.whole >= least && self.memory.try_reclaim(self.whole)).then_some(self.memory)
    }
}

impl LineDecoder {
    /// Lines of at most `most` bytes, their ends not counted.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            searched: 0,
            most,
            last: 0,
            spare: None,
            skipping: false,
        }
    }

    /// Whether memory is kept for a long line to come.
    pub(crate) fn keeps_memory(&self) -> bool {
        self.spare.is_some()
    }

    /// Gives back what is kept for a long line to come.
    pub(crate) fn give_back(&mut self) {
        self.spare = None;
    }

    /// What there is of a line without an end.
    fn unfinished(&mut self, buffer: &mut BytesMut) -> Option<Line> {
        self.searched = buffer.len();
        // One more byte than the limit may still be the CR of a line end.
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
            // The line before may be in use, and with it what it was read into.
            let like_the_last = if self.spare.is_none() { self.last } else { 0 };
            buffer.reserve(like_the_last.max(SMALL));
            return None;
        }
        let room = if held < LONG {
            // Twice as much each time, so that a line does not move with every read.
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

    /// Room after what there is, in memory of the line before if that is done with.
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
                // The rest moves, so that what comes next is not written behind a line that is done with.
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

    /// At the end of the stream, also a line whose end is missing.
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

    /// Where a line of twelve mebibytes lies while it grows, once it has outgrown what it was given while it was
    /// shorter; and the line.
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
        // A short line leaves it, and it can be given back.
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
