//! How many values a JSON text holds, before a tree is made of them.

use memchr::{memchr, memchr2};

/// Whether pieces of a JSON text, none of which begins or ends within a string, hold more values than this together.
/// Counts what begins a list or an object, or ends the value before: first without looking where strings begin and end,
/// which is an upper bound and takes next to no time.
///
/// ```
/// use freshcontext_core::values::hold_more_values_than;
///
/// assert!(hold_more_values_than(&[b"[[1, 2], {}]"], 3));
/// assert!(hold_more_values_than(&[b"[[1, ", b"2], {}]"], 3));
/// assert!(!hold_more_values_than(&[br#"["[,[,[,"]"#], 3));
/// ```
pub fn hold_more_values_than(pieces: &[&[u8]], most: usize) -> bool {
    let upper_bound: usize = pieces.iter().map(|piece| counted(piece)).sum();
    let left = |left: usize, piece: &&[u8]| left.checked_sub(values(piece, left));
    upper_bound > most && pieces.iter().try_fold(most, left).is_none()
}

/// Counts wherever they stand.
fn counted(json: &[u8]) -> usize {
    /// Bytes whose count fits into a byte, which lets the compiler count many at once.
    const SOME: usize = 255;

    let counts = json.chunks(SOME).map(|some| {
        let count = some
            .iter()
            .fold(0_u8, |sum, byte| sum.wrapping_add(u8::from(counts(*byte))));
        usize::from(count)
    });
    counts.sum()
}

const fn counts(byte: u8) -> bool {
    matches!(byte, b'[' | b'{' | b',')
}

/// The values of a JSON text, but for the last of each list and object that is no list or object itself. Beyond `most`,
/// it is only said that there are more.
pub(crate) fn values(json: &[u8], most: usize) -> usize {
    let (mut values, mut rest) = (0, json);
    while let Some(begin) = memchr(b'"', rest) {
        let (before, text) = rest.split_at(begin);
        values += counted(before);
        if values > most {
            return values;
        }
        rest = after_text(text.get(1..).unwrap_or_default());
    }
    values + counted(rest)
}

/// What follows a text whose beginning is passed.
fn after_text(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', text) {
        if text.get(at) == Some(&b'"') {
            return text.get(at + 1..).unwrap_or_default();
        }
        text = text.get(at + 2..).unwrap_or_default();
    }
    &[]
}
