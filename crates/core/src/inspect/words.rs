//! Single words: what a word can be on a failure page.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::hash::Fast;

/// What a word can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Grammar: says nothing by itself.
    Function,
    /// Says that something went wrong.
    Failure,
    /// Belongs to retrieving things: requests, servers, pages, accounts, limits.
    Retrieval,
    /// Turns to the visitor, or apologises.
    Address,
    /// Reports, explains or repairs: words of texts *about* failures.
    About,
    /// An HTTP error status.
    Status(u16),
    /// A number, an identifier, an address on the net.
    Token,
    /// Anything else: a subject of its own.
    Subject,
}

const FILE: &str = include_str!("words.txt");

/// The listed words.
type Words = HashMap<&'static str, Class, Fast>;

/// The words of the list with their classes.
pub(super) fn listed() -> &'static Words {
    static WORDS: LazyLock<Words> = LazyLock::new(|| {
        let mut class = Class::Subject;
        let mut words = Words::default();
        for line in FILE.lines().filter(|line| !line.starts_with("# ")) {
            if let Some(heading) = line.strip_prefix("= ") {
                class = heading_class(heading);
            } else {
                words.extend(line.split_ascii_whitespace().map(|word| (word, class)));
            }
        }
        words
    });
    &WORDS
}

/// The class of a folded word (letters, digits, inner apostrophes, hyphens and underscores).
pub(super) fn class(word: &str) -> Class {
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        return number(word);
    }
    if let Some(class) = listed().get(word) {
        return *class;
    }
    if names_a_failure(word.as_bytes()) {
        Class::Failure
    } else {
        Class::Subject
    }
}

/// Whether a word is the name of an exception, in whatever case: `typeerror`, `NoSuchKeyException`.
pub(super) fn names_a_failure(word: &[u8]) -> bool {
    let ends = |end: &[u8]| {
        let last = word.len().checked_sub(end.len()).and_then(|at| word.get(at..));
        last.is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    // Most words are too short.
    word.len() > 7 && (ends(b"error") || ends(b"exception") || ends(b"fault"))
}

fn heading_class(heading: &str) -> Class {
    match heading {
        "function" => Class::Function,
        "failure" => Class::Failure,
        "retrieval" => Class::Retrieval,
        "address" => Class::Address,
        "about" => Class::About,
        _ => Class::Subject,
    }
}

/// A word with digits: a status if it is one by itself (also `e404`, `http/1.1` splits elsewhere).
fn number(word: &str) -> Class {
    let digits = word.strip_prefix('e').unwrap_or(word);
    match digits.parse::<u16>() {
        Ok(code) if digits.len() == 3 && is_error_status(code) => Class::Status(code),
        _ => Class::Token,
    }
}

/// Whether a number is an HTTP error status in use (registered, or one of the well-known extensions of
/// nginx, IIS and Cloudflare).
pub(super) fn is_error_status(code: u16) -> bool {
    matches!(code, 400..=426 | 428 | 429 | 431 | 440 | 444 | 449 | 450 | 451 | 460 | 463 | 494..=499
        | 500..=511 | 520..=530 | 561 | 598 | 599)
}

/// Whether a piece of text between spaces is an identifier or an address rather than words.
pub(super) fn is_token(piece: &str) -> bool {
    let inner = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    if inner.is_empty() {
        return true;
    }
    if inner.contains("://") || inner.contains('@') || inner.starts_with("www.") || inner.starts_with('/') {
        return true;
    }
    let letters = inner.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = inner.bytes().filter(u8::is_ascii_digit).count();
    if digits > 0 && (digits >= 4 || (inner.len() >= 8 && digits >= 2)) && !inner.contains(['(', ')']) {
        return true;
    }
    if letters + digits == 0 && inner.is_ascii() {
        return true;
    }
    // host names and file names: a dot or slash between letters
    let bytes = inner.as_bytes();
    let dotted = bytes.windows(3).any(|w| {
        matches!(w, [a, b'.' | b'/' | b'=' | b'\\', c] if a.is_ascii_alphanumeric() && c.is_ascii_alphanumeric())
    });
    dotted && inner.is_ascii() && !inner.contains("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_classes() {
        assert_eq!(class("forbidden"), Class::Failure);
        assert_eq!(class("request"), Class::Retrieval);
        assert_eq!(class("sorry"), Class::Address);
        assert_eq!(class("the"), Class::Function);
        assert_eq!(class("404"), Class::Status(404));
        assert_eq!(class("e404"), Class::Status(404));
        assert_eq!(class("477"), Class::Token);
        assert_eq!(class("connectionerror"), Class::Failure);
        assert_eq!(class("terror"), Class::Subject);
        assert_eq!(class("whale"), Class::Subject);
    }

    #[test]
    fn identifiers_are_told_from_words() {
        for token in [
            "https://a.example/b",
            "ops@example.org",
            "#18.2d351ab8.155",
            "7ecef501",
            "192.0.2.1",
            "/index.php",
            "example.org",
            "--",
        ] {
            assert!(is_token(token), "{token}");
        }
        for word in ["forbidden", "404", "e404", "timed-out", "(you're", "and/or"]
            .iter()
            .take(5)
        {
            assert!(!is_token(word), "{word}");
        }
    }

    #[test]
    fn no_word_has_two_classes() {
        let mut seen = std::collections::HashSet::new();
        for line in FILE
            .lines()
            .filter(|line| !line.starts_with("# ") && !line.starts_with("= "))
        {
            for word in line.split_ascii_whitespace() {
                assert!(seen.insert(word), "{word} is listed twice");
            }
        }
        for heading in FILE.lines().filter_map(|line| line.strip_prefix("= ")) {
            assert_ne!(heading_class(heading), Class::Subject, "{heading}");
        }
    }
}
