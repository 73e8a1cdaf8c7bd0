//! Beginnings and ends of texts, at whole characters.

/// How much of the visible beginning is read, in bytes.
pub(crate) const LEAD: usize = 480;

/// The longest head of a text with at most `bytes` bytes.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The longest tail of a text with at most `bytes` bytes.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}
