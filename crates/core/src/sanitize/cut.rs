//! Cutting text to a length without breaking what a reader sees as one character.

use std::borrow::Cow;

use unicode_segmentation::GraphemeCursor;

/// The longest start of `text` with at most `chars` characters that does not end inside a grapheme.
pub fn cut(text: &str, chars: usize) -> &str {
    if text.len() <= chars {
        return text;
    }
    // In ASCII each character stands for itself, but for the two of a line break.
    let head = text.as_bytes().get(..=chars);
    if head.is_some_and(|head| head.is_ascii() && !head.contains(&b'\r')) {
        return text.get(..chars).unwrap_or_default();
    }
    let Some((at, _)) = text.char_indices().nth(chars) else {
        return text;
    };
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let at = match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    text.get(..at).unwrap_or_default()
}

/// As [`cut`], with `…` as the last of the `chars` characters where something was cut off.
pub fn cut_marked(text: &str, chars: usize) -> Cow<'_, str> {
    if cut(text, chars).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let kept = cut(text, chars.saturating_sub(1)).trim_end();
    Cow::Owned([kept, "…"].concat())
}
