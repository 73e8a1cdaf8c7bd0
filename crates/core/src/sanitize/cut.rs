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
    text.get(..boundary_before(text, at)).unwrap_or_default()
}

/// Most bytes of what a reader sees as one character. Emoji joined to families take some 50; whatever is longer was
/// made to be.
const GRAPHEME_BYTES: usize = 1 << 10;

/// The last end of a grapheme up to `at`; `at` itself within one that is too long to be one.
fn boundary_before(text: &str, at: usize) -> usize {
    let begin = text.floor_char_boundary(at.saturating_sub(GRAPHEME_BYTES));
    let near = text.get(begin..).unwrap_or_default();
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    // An error asks for the text before what it was given.
    match cursor.is_boundary(near, begin) {
        Ok(false) => cursor.prev_boundary(near, begin).ok().flatten().unwrap_or(at),
        Ok(true) | Err(_) => at,
    }
}

/// As [`cut`], with `…` as the last of the `chars` characters where something was cut off.
pub fn cut_marked(text: &str, chars: usize) -> Cow<'_, str> {
    if cut(text, chars).len() == text.len() {
        return Cow::Borrowed(text);
    }
    let kept = cut(text, chars.saturating_sub(1)).trim_end();
    Cow::Owned([kept, "…"].concat())
}
