//! How well a source can be found again, by the text that names it.

use super::text::{trim, utf16_length};
use super::verdict::SourceCompleteness;

/// Words that stand where a source should be.
const PLACEHOLDERS: [&str; 8] = [
    "unknown",
    "n/a",
    "na",
    "none",
    "null",
    "undefined",
    "not provided",
    "tbd",
];
/// Longest of the words that are looked for in bytes, whatever letters they are written with.
const LONGEST_WORD: usize = 64;

/// Whether a text is one of these words, in any case.
pub(super) fn is_one_of(text: &str, words: &[&str]) -> bool {
    if text.is_ascii() {
        return words.iter().any(|word| word.eq_ignore_ascii_case(text));
    }
    text.len() <= LONGEST_WORD && words.contains(&text.to_lowercase().as_str())
}

/// How well a source can be found again.
pub(super) fn source_completeness(source: &str) -> SourceCompleteness {
    let source = trim(source);
    if source.is_empty() {
        return SourceCompleteness::Missing;
    }
    if is_one_of(source, &PLACEHOLDERS) {
        return SourceCompleteness::Unusable;
    }
    let units = utf16_length(source);
    if units >= 4 && (units >= 12 || source.contains(['/', '\\', '.']) || has_scheme(source)) {
        SourceCompleteness::Complete
    } else {
        SourceCompleteness::Weak
    }
}

/// Whether it begins like `name:`, which a drive letter does too.
fn has_scheme(source: &str) -> bool {
    source.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_as_complete_as_they_can_be_found() {
        use SourceCompleteness::{Complete, Missing, Unusable, Weak};
        for (source, expected) in [
            (" ", Missing),
            ("N/A", Unusable),
            (" tbd ", Unusable),
            ("Not Provided", Unusable),
            ("un\u{212a}nown", Unusable),
            ("a/b", Weak),
            ("x:", Weak),
            ("doc1", Weak),
            ("1:23456", Weak),
            ("\u{e9}:abc", Weak),
            ("abcdefghijk", Weak),
            ("abcdefghijkl", Complete),
            ("not  provided", Complete),
            ("ab:cd", Complete),
            ("C:\\x", Complete),
            ("/abs", Complete),
            ("....", Complete),
            ("\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}\u{1f600}", Complete),
        ] {
            assert_eq!(source_completeness(source), expected, "{source:?}");
        }
    }
}
