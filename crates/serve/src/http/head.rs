//! Detects ambiguous requests (request smuggling) before hyper reads them.
//!
//! hyper accepts line ends without CR, and `Transfer-Encoding` together with `Content-Length`. A proxy may
//! interpret either differently, which allows a request to be smuggled inside another. This filter corrupts
//! the last byte of such a line, so hyper answers 400 and closes the connection. Body lengths follow the same
//! rules (RFC 9112, section 6), so that every head on a connection is found.

use memchr::memchr;

/// Maximum length of a line prefix that is examined, in bytes: a header name and a length or a coding.
const START: usize = 64;
/// Maximum number of digits of a content length or a chunk size.
const DIGITS: usize = 16;

/// Filters a connection's bytes as they arrive, in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct SmugglingFilter {
    place: Position,
    line: Line,
    head: Head,
}

/// Position of the next byte in a request.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Before or within a head.
    #[default]
    Head,
    /// In a body, with this many bytes left.
    Body(u64),
    /// In a chunk-size line.
    Size,
    /// In a chunk, with this many bytes left.
    Chunk(u64),
    /// After a chunk.
    ChunkEnd,
    /// After the last chunk.
    Trailers,
    /// Ambiguous: the connection cannot be used any further.
    Spoilt,
}

/// The line being read.
#[derive(Debug, Default)]
struct Line {
    /// The first bytes of the line.
    start: Vec<u8>,
    /// Bytes of the line so far.
    length: usize,
    /// Whether the last byte was a CR.
    cr: bool,
}

/// Framing information of a head so far.
#[derive(Debug, Default)]
struct Head {
    /// Whether a non-empty line has been read.
    begun: bool,
    length: Option<u64>,
    chunked: bool,
    ambiguous: bool,
}

impl SmugglingFilter {
    /// Reads the next bytes of the connection; corrupts the end of an ambiguous line.
    pub(crate) fn take(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            match self.place {
                Position::Spoilt => return,
                Position::Body(left) => at += self.pass(left, rest.len(), Position::Body, Position::Head),
                Position::Chunk(left) => {
                    at += self.pass(left, rest.len(), Position::Chunk, Position::ChunkEnd);
                }
                Position::Head | Position::Size | Position::ChunkEnd | Position::Trailers => {
                    let Some(end) = memchr(b'\n', rest) else {
                        self.line.push(rest);
                        return;
                    };
                    self.line.push(rest.get(..end).unwrap_or_default());
                    at += end + 1;
                    if !self.end_of_line() {
                        self.place = Position::Spoilt;
                        if let Some(last) = bytes.get_mut(at - 1) {
                            *last = 0;
                        }
                    }
                    self.line = Line::default();
                }
            }
        }
    }

    /// Returns whether the last request is complete and no byte of the next one has arrived.
    pub(super) fn is_between_requests(&self) -> bool {
        self.place == Position::Head && !self.head.begun && self.line.length == 0
    }

    /// Skips bytes of a body and returns their number.
    fn pass(&mut self, left: u64, here: usize, within: fn(u64) -> Position, behind: Position) -> usize {
        let here = u64::try_from(here).unwrap_or(u64::MAX).min(left);
        self.place = if here == left { behind } else { within(left - here) };
        // At most the given bytes, so the conversion cannot fail.
        usize::try_from(here).unwrap_or(usize::MAX)
    }

    /// Examines a complete line. Returns false if it is ambiguous.
    fn end_of_line(&mut self) -> bool {
        let empty = self.line.length == usize::from(self.line.cr);
        match self.place {
            Position::Head if !empty => {
                self.head.take(&self.line);
                true
            }
            // Blank lines before a request are allowed; a blank line after the request line ends the head.
            Position::Head if !self.head.begun => self.line.cr,
            Position::Head => {
                let head = std::mem::take(&mut self.head);
                self.place = match head.length {
                    _ if head.chunked => Position::Size,
                    Some(length) if length > 0 => Position::Body(length),
                    _ => Position::Head,
                };
                self.line.cr && !head.ambiguous && !(head.chunked && head.length.is_some())
            }
            Position::Size => {
                let size = self.line.start.split(|byte| matches!(byte, b';' | b'\r')).next();
                let size = size.and_then(|digits| number(digits, 16));
                self.place = match size {
                    Some(0) => Position::Trailers,
                    size => Position::Chunk(size.unwrap_or(0)),
                };
                self.line.cr && size.is_some()
            }
            Position::ChunkEnd => {
                self.place = Position::Size;
                self.line.cr && empty
            }
            Position::Trailers => {
                if empty {
                    self.place = Position::Head;
                }
                self.line.cr
            }
            Position::Body(_) | Position::Chunk(_) | Position::Spoilt => true,
        }
    }
}

impl Line {
    fn push(&mut self, part: &[u8]) {
        let room = START.saturating_sub(self.start.len());
        self.start
            .extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        self.length += part.len();
        if let Some(last) = part.last() {
            self.cr = *last == b'\r';
        }
    }
}

impl Head {
    /// Reads a non-empty line.
    fn take(&mut self, line: &Line) {
        self.ambiguous |= !line.cr;
        if !self.begun {
            self.begun = true;
            // CONNECT opens a tunnel without requests; the server supports none.
            self.ambiguous |= line.start.starts_with(b"CONNECT ");
            return;
        }
        let mut parts = line.start.splitn(2, |byte| *byte == b':');
        let name = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default().trim_ascii();
        if name.eq_ignore_ascii_case(b"content-length") {
            let length = number(value, 10);
            // A repeated identical length is ambiguous too: parsers differ in how they treat it.
            self.ambiguous |= length.is_none() || self.length.is_some() || line.length > START;
            self.length = length.or(self.length).or(Some(0));
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.ambiguous |= self.chunked || !value.eq_ignore_ascii_case(b"chunked");
            self.chunked = true;
        }
    }
}

/// Parses a number that consists of digits only.
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let right =
        (1..=DIGITS).contains(&digits.len()) && digits.iter().all(|digit| char::from(*digit).is_digit(radix));
    let text = std::str::from_utf8(digits).ok().filter(|_| right)?;
    u64::from_str_radix(text, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spoilt(text: &str, chunk: usize) -> bool {
        let mut scan = SmugglingFilter::default();
        let mut bytes = text.as_bytes().to_vec();
        for piece in bytes.chunks_mut(chunk) {
            scan.take(piece);
        }
        bytes != text.as_bytes()
    }

    const GOOD: [&str; 7] = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na\nb",
        "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding:  Chunked \r\n\r\nA;x=y\r\n0123\n\n\n\n\n\n\r\n0\r\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nX-Content-Length: 3\r\nX-Transfer-Encoding: y\r\n\r\n",
    ];
    const BAD: [&str; 14] = [
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nCONTENT-LENGTH: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "CONNECT a:1 HTTP/1.1\r\n\r\n",
    ];

    #[test]
    fn ambiguous_requests_are_spoilt_and_others_are_not_wherever_on_a_connection() {
        for chunk in [1, 2, 7, 1000] {
            for good in GOOD {
                assert!(!spoilt(good, chunk), "{good:?} in {chunk}");
                for second in GOOD {
                    assert!(!spoilt(&format!("{good}{second}"), chunk), "{good:?}{second:?}");
                }
                for bad in BAD {
                    assert!(
                        spoilt(&format!("{good}{bad}"), chunk),
                        "{good:?}{bad:?} in {chunk}"
                    );
                }
            }
            for bad in BAD {
                assert!(spoilt(bad, chunk), "{bad:?} in {chunk}");
            }
        }
    }

    #[test]
    fn the_end_of_a_request_is_known() {
        for good in GOOD {
            let mut scan = SmugglingFilter::default();
            let mut bytes = good.as_bytes().to_vec();
            let (last, before) = bytes.split_last_mut().unwrap();
            scan.take(before);
            assert!(!scan.is_between_requests(), "{good:?}");
            scan.take(std::slice::from_mut(last));
            assert!(scan.is_between_requests(), "{good:?}");
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[a-c0-3:\r\n]{0,80}", chunk in 1usize..9, good in 0..GOOD.len()) {
            let text = format!("{}{text}", GOOD[good]);
            prop_assert_eq!(spoilt(&text, chunk), spoilt(&text, 1000));
        }
    }
}
