//! Measuring and trimming texts the way the reference does, so that the same call is accepted or
//! refused on both sides; and what an address is.

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

/// Whether it is an address: a scheme, and `://`.
pub(super) fn is_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.len() <= 12 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The text, if it is not blank.
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

/// A span of time in words, in the largest unit of which there are at least two.
pub(super) fn span(hours: f64) -> String {
    const UNITS: [(&str, f64); 4] = [("years", 8_766.0), ("months", 730.5), ("days", 24.0), ("h", 1.0)];
    let unit = UNITS.into_iter().find(|(_, length)| hours >= 2.0 * length);
    let (name, length) = unit.unwrap_or(("minutes", 1.0 / 60.0));
    format!("{:.0} {name}", (hours / length).floor())
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
    fn spans_are_told_in_the_unit_that_fits() {
        for (hours, expected) in [
            (0.5, "30 minutes"),
            (1.9, "114 minutes"),
            (13.9, "13 h"),
            (47.9, "47 h"),
            (72.0, "3 days"),
            (1_500.0, "2 months"),
            (20_000.0, "2 years"),
        ] {
            assert_eq!(span(hours), expected);
        }
    }

    #[test]
    fn lengths_count_utf16() {
        assert!(!utf16_longer_than(&"\u{1f600}".repeat(500), 1_000));
        assert!(utf16_longer_than(&"\u{1f600}".repeat(501), 1_000));
        assert!(!utf16_longer_than(&"\u{e9}".repeat(1_000), 1_000));
    }
}
