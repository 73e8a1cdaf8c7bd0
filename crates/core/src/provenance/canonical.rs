//! The canonical form of a text, and hashes in lower-case hexadecimal.

use std::borrow::Cow;

use base16ct::lower::encode_string;
use memchr::memchr2;
use sha2::{Digest, Sha256};

/// The canonical form: CRLF and CR become LF, and spaces and tabs at the end of each line go.
/// Other white space stays. Borrows where the text is canonical already.
pub fn canonical(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut length = 0;
    let mut changed = false;
    canonical_runs(bytes, |run| {
        changed |= bytes.get(length..length + run.len()) != Some(run);
        length += run.len();
    });
    if !changed && length == bytes.len() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(length);
    canonical_runs(bytes, |run| out.extend_from_slice(run));
    // Runs begin and end beside ASCII, so they are whole characters and this never replaces any.
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// SHA-256 of the canonical form, as 64 hexadecimal digits. Makes no copy of the text.
pub fn canonical_sha256(text: &str) -> String {
    let mut hash = Sha256::new();
    canonical_runs(text.as_bytes(), |run| hash.update(run));
    encode_string(&hash.finalize())
}

/// SHA-256 of a text as it is, as 64 hexadecimal digits.
pub fn sha256_hex(text: &str) -> String {
    encode_string(&Sha256::digest(text.as_bytes()))
}

/// Whether no line ends in blanks or a carriage return. Looks at many bytes at a time, where [`canonical_runs`] goes
/// from line to line.
fn is_canonical(bytes: &[u8]) -> bool {
    /// Bytes after which a find ends the search.
    const SOME: usize = 1 << 10;

    let blank = |byte: u8| byte == b' ' || byte == b'\t';
    if bytes.last().is_some_and(|last| blank(*last) || *last == b'\r') {
        return false;
    }
    let next = bytes.get(1..).unwrap_or_default();
    bytes.chunks(SOME).zip(next.chunks(SOME)).all(|(some, next)| {
        let pairs = some.iter().zip(next);
        let found = pairs.fold(0, |found, (byte, next)| {
            found | u8::from(*byte == b'\r') | u8::from(blank(*byte)) & u8::from(*next == b'\n')
        });
        found == 0
    })
}

/// Hands over the canonical form in the longest stretches that need no change.
fn canonical_runs(bytes: &[u8], mut emit: impl FnMut(&[u8])) {
    if is_canonical(bytes) {
        emit(bytes);
        return;
    }
    let piece = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    // Where the stretch not handed over yet begins, and where the current line does.
    let (mut run, mut line) = (0, 0);
    loop {
        let rest = piece(line, bytes.len());
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let end = line + length;
        let blanks = rest
            .iter()
            .take(length)
            .rev()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let kept = end - blanks;
        let carriage_return = bytes.get(end) == Some(&b'\r');
        if end >= bytes.len() {
            emit(piece(run, kept));
            return;
        }
        if carriage_return || blanks > 0 {
            emit(piece(run, kept));
            run = end;
        }
        line = end + 1;
        if carriage_return {
            if bytes.get(line) == Some(&b'\n') {
                run = line;
                line += 1;
            } else {
                emit(b"\n");
                run = line;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, written the slow way.
    fn plain(text: &str) -> String {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<&str> = text
            .split('\n')
            .map(|line| line.trim_end_matches([' ', '\t']))
            .collect();
        lines.join("\n")
    }

    #[test]
    fn line_ends_and_trailing_blanks_go() {
        assert_eq!(canonical("a  \r\nb\t\rc   "), "a\nb\nc");
        assert_eq!(canonical("  \r\n\t"), "\n");
        assert_eq!(canonical("a \r\r\n b"), "a\n\n b");
        assert_eq!(canonical(""), "");
    }

    #[test]
    fn other_white_space_stays() {
        for text in ["a\u{a0}\nb", "a \u{2028}b", "a\u{b}", "\ta\n\n\n"] {
            assert!(
                matches!(canonical(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_stretches_say_what_the_definition_says(text in "[ab \t\r\n\u{e9}\u{a0}]{0,40}") {
            prop_assert_eq!(canonical(&text), plain(&text));
            prop_assert_eq!(canonical_sha256(&text), sha256_hex(&plain(&text)));
        }

        #[test]
        fn canonical_is_idempotent(text in any::<String>()) {
            let once = canonical(&text).into_owned();
            prop_assert!(matches!(canonical(&once), Cow::Borrowed(_)));
        }
    }
}
