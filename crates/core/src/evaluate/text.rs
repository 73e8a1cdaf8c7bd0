//! Measuring and trimming texts the way the reference does, so that the same call is accepted or
//! refused on both sides.

/// White space as ECMAScript defines it: Unicode's, with the byte order mark, without U+0085.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Without white space at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether nothing but white space is there.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// The text, where it is not blank.
pub(super) fn not_blank(text: &str) -> Option<&str> {
    Some(trim(text)).filter(|text| !text.is_empty())
}

/// Length in UTF-16 code units.
pub(super) fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Whether a text has more UTF-16 code units than this. It never has more than bytes.
pub(super) fn utf16_longer_than(text: &str, most: usize) -> bool {
    text.len() > most && utf16_length(text) > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_means_what_it_means_to_javascript() {
        assert!(is_blank("\u{feff}\u{a0} \n"));
        assert!(!is_blank("\u{85}"));
        assert_eq!(trim("\u{feff} a \u{2028}"), "a");
    }

    #[test]
    fn lengths_count_utf16() {
        assert!(!utf16_longer_than(&"\u{1f600}".repeat(500), 1_000));
        assert!(utf16_longer_than(&"\u{1f600}".repeat(501), 1_000));
        assert!(!utf16_longer_than(&"\u{e9}".repeat(1_000), 1_000));
    }
}
