//! Request heads that two readers could understand differently, found before hyper reads them.
//!
//! hyper forgives line ends without CR, and takes `Transfer-Encoding` where `Content-Length` stands
//! beside it. Both are how one request is smuggled inside another past a proxy, so the last byte of
//! such a head is spoilt on its way in: hyper then answers 400 and closes.

use memchr::memchr;

/// Reads a head as it comes in, in any pieces.
#[derive(Debug, Default)]
pub(crate) struct HeadScan {
    /// The beginning of the current line.
    start: Vec<u8>,
    /// Bytes in the current line.
    length: usize,
    /// Whether the last byte was a CR.
    cr: bool,
    /// Whether a line with something in it has been seen.
    begun: bool,
    bare: bool,
    with_length: bool,
    with_encoding: bool,
    done: bool,
}

/// Longest header name that matters here.
const NAME: usize = 18;

impl HeadScan {
    /// Takes in the next bytes of the connection; spoils the end of a head that is ambiguous.
    pub(crate) fn take(&mut self, bytes: &mut [u8]) {
        let mut from = 0;
        while !self.done {
            let Some(rest) = bytes.get(from..) else { return };
            let Some(at) = memchr(b'\n', rest) else {
                self.part_of_line(rest);
                return;
            };
            self.part_of_line(rest.get(..at).unwrap_or_default());
            self.end_of_line();
            from += at + 1;
        }
        let ambiguous = self.bare || (self.with_length && self.with_encoding);
        if ambiguous && let Some(last) = from.checked_sub(1).and_then(|at| bytes.get_mut(at)) {
            *last = 0;
        }
    }

    fn part_of_line(&mut self, part: &[u8]) {
        let room = NAME.saturating_sub(self.start.len());
        self.start
            .extend_from_slice(part.get(..part.len().min(room)).unwrap_or_default());
        self.length += part.len();
        if let Some(last) = part.last() {
            self.cr = *last == b'\r';
        }
    }

    fn end_of_line(&mut self) {
        let length = self.length - usize::from(self.cr);
        if !self.cr {
            self.bare = true;
        }
        if length == 0 {
            // Blank lines before a request are allowed; the one after it ends the head.
            self.done = self.begun;
        } else {
            self.begun = true;
            let name = self.start.split(|byte| *byte == b':').next().unwrap_or_default();
            self.with_length |= name.eq_ignore_ascii_case(b"content-length");
            self.with_encoding |= name.eq_ignore_ascii_case(b"transfer-encoding");
        }
        self.start.clear();
        self.length = 0;
        self.cr = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spoilt(text: &str, chunk: usize) -> bool {
        let mut scan = HeadScan::default();
        let mut bytes = text.as_bytes().to_vec();
        for piece in bytes.chunks_mut(chunk) {
            scan.take(piece);
        }
        bytes != text.as_bytes()
    }

    #[test]
    fn ambiguous_heads_are_spoilt_and_others_are_not() {
        for chunk in [1, 2, 7, 1000] {
            for good in [
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na\nb",
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            ] {
                assert!(!spoilt(good, chunk), "{good:?} in {chunk}");
            }
            for bad in [
                "GET / HTTP/1.1\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n\n",
                "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nCONTENT-LENGTH: 3\r\n\r\n",
            ] {
                assert!(spoilt(bad, chunk), "{bad:?} in {chunk}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[a-c:\r\n]{0,80}", chunk in 1usize..9) {
            prop_assert_eq!(spoilt(&text, chunk), spoilt(&text, 1000));
        }
    }
}
