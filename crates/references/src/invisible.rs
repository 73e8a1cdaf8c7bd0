//! Characters that are not seen and belong to no reference.

use std::borrow::Cow;

/// Characters that pages and typesetting put into words to say where they may break, and byte order marks.
const INVISIBLE: [char; 5] = ['\u{ad}', '\u{200b}', '\u{200c}', '\u{2060}', '\u{feff}'];

/// A text without characters that are not seen.
pub(crate) fn without_invisible(text: &str) -> Cow<'_, str> {
    if text.contains(INVISIBLE) {
        Cow::Owned(text.replace(INVISIBLE, ""))
    } else {
        Cow::Borrowed(text)
    }
}
