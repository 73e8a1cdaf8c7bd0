//! Where the versions of a text begin and end.

use freshcontext_parse::date;

use super::{CHANNELS, GLUED_CHANNELS, NUMBERED_CHANNELS, QUALIFIERS, Span, TAG_CHANNELS};

/// All versions of a text, up to the fourth.
pub(super) fn find_all(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let before = at
            .checked_sub(1)
            .and_then(|before| bytes.get(before))
            .copied()
            .unwrap_or(b' ');
        let begins = bytes.get(at).is_some_and(u8::is_ascii_digit)
            && !before.is_ascii_digit()
            && (before != b'.' || v_dot_before(bytes, at))
            && !time_before(bytes, at)
            && (!before.is_ascii_alphabetic() || v_before(bytes, at));
        if !begins {
            at += 1;
            continue;
        }
        let end = number_end(bytes, at);
        if let Some(end) = end {
            let start = if matches!(before, b'v' | b'V') { at - 1 } else { at };
            spans.push(Span { start, end });
            at = end;
        } else {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        if spans.len() >= 4 {
            break;
        }
    }
    spans
}

/// `v1.2`, but not `dev1.2`.
fn v_before(bytes: &[u8], at: usize) -> bool {
    let v = at.checked_sub(1).and_then(|before| bytes.get(before));
    let outer = at.checked_sub(2).and_then(|before| bytes.get(before));
    matches!(v, Some(b'v' | b'V')) && outer.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// `v.1.2`, but not `dev.1.2`.
fn v_dot_before(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|dot| v_before(bytes, dot))
}

/// Whether the seconds of a time begin here: `27.183` of `06:19:27.183`. `1:2.3` is an epoch and a version.
fn time_before(bytes: &[u8], at: usize) -> bool {
    let Some([hour, b':', ten, minute, b':']) = at.checked_sub(5).and_then(|start| bytes.get(start..at))
    else {
        return false;
    };
    [hour, ten, minute].iter().all(|byte| byte.is_ascii_digit())
}

/// The end of `1.2.3-rc.1+5` that begins here; `None` without a dot.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = start;
    let mut dots = 0;
    while digit(at) {
        while digit(at) {
            at += 1;
        }
        if bytes.get(at) == Some(&b'.') && digit(at + 1) {
            dots += 1;
            at += 1;
        }
    }
    if dots == 0 || at - start > 40 {
        return None;
    }
    // A suffix: `-rc.1`, `rc1`, `a4`, `+build`; letters must come first, so that `1.2 - 2020` has none. Behind a dot, an
    // underscore or a blank it must be a known word, so that neither a file's name nor a sentence is one.
    let mut suffix = at;
    let is_build = bytes.get(suffix) == Some(&b'+');
    let known = match bytes.get(suffix) {
        Some(b'-' | b'+') => {
            suffix += 1;
            true
        }
        Some(b'.' | b'_' | b'~') => {
            suffix += 1;
            word_at(bytes, suffix).is_some_and(|(word, end)| {
                let is_letter = matches!(word.as_str(), "a" | "b" | "c");
                let lettered = (is_letter || GLUED_CHANNELS.contains(&word.as_str()))
                    && bytes.get(end).is_some_and(u8::is_ascii_digit);
                lettered || is_channel(&word) || QUALIFIERS.contains(&word.as_str())
            })
        }
        Some(b' ' | b'(') => return Some(set_apart(bytes, at).unwrap_or(at)),
        _ => true,
    };
    // A build may be a number alone: `0.3.5+4`.
    let begins = |byte: &u8| byte.is_ascii_alphabetic() || is_build && byte.is_ascii_digit();
    if known && bytes.get(suffix).is_some_and(begins) {
        let begin = suffix;
        while bytes
            .get(suffix)
            .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+'))
            && suffix - begin < 40
        {
            suffix += 1;
        }
        while suffix > begin
            && bytes
                .get(suffix - 1)
                .is_some_and(|b| matches!(b, b'.' | b'-' | b'+'))
        {
            suffix -= 1;
        }
        at = suffix;
    }
    Some(at)
}

/// The letters that begin here, in lower case, and where they end.
fn word_at(bytes: &[u8], at: usize) -> Option<(String, usize)> {
    let letters: Vec<u8> = bytes
        .get(at..)?
        .iter()
        .copied()
        .take(20)
        .take_while(u8::is_ascii_alphabetic)
        .collect();
    let word = String::from_utf8(letters).ok()?.to_ascii_lowercase();
    (!word.is_empty()).then(|| (word.clone(), at + word.len()))
}

/// Whether letters behind a version name a channel: `rc`, `beta`, `dev`, `M`.
fn is_channel(word: &str) -> bool {
    CHANNELS.contains(&word) || TAG_CHANNELS.contains(&word) || NUMBERED_CHANNELS.contains(&word)
}

/// Words before a channel that belong to it: `Technical Preview`, `Public Beta`.
const OF_CHANNELS: [&str; 15] = [
    "technical",
    "technology",
    "tech",
    "developer",
    "developers",
    "dev",
    "public",
    "private",
    "open",
    "closed",
    "community",
    "insider",
    "customer",
    "feature",
    "early",
];
/// Words between a channel and its date.
const BEFORE_DATES: [&str; 16] = [
    "of",
    "on",
    "from",
    "released",
    "dated",
    "published",
    "vom",
    "von",
    "am",
    "du",
    "le",
    "del",
    "den",
    "van",
    "fra",
    "av",
];

/// The end of a channel that stands apart from its version: `2.0.0 beta 2`, `2.0.0 (RC1)`, `2.0.0 - Preview`. Behind it
/// stands nothing, a date or a mark: in `1.2 beta features` it is a word of a sentence.
fn set_apart(bytes: &[u8], from: usize) -> Option<usize> {
    let byte = |at: usize| bytes.get(at).copied();
    let skip = |mut at: usize, marks: &[u8]| {
        while byte(at).is_some_and(|byte| marks.contains(&byte)) {
            at += 1;
        }
        at
    };
    let mut at = skip(from, b" ");
    if byte(at) == Some(b'-') && byte(at + 1) == Some(b' ') {
        at = skip(at + 1, b" ");
    }
    let bracket = matches!(byte(at), Some(b'(' | b'['));
    at += usize::from(bracket);
    let (mut word, mut end) = word_at(bytes, at)?;
    if matches!(word.as_str(), "release" | "pre")
        && let Some((second, after)) = word_at(bytes, skip(end, b" -"))
        && matches!(second.as_str(), "candidate" | "release")
    {
        (word, end) = ("rc".to_owned(), after);
    } else if OF_CHANNELS.contains(&word.as_str())
        && let Some((second, after)) = word_at(bytes, skip(end, b" -"))
    {
        let is_early = word == "early" && matches!(second.as_str(), "access" | "adopter" | "adopters");
        if CHANNELS.contains(&second.as_str()) {
            (word, end) = (second, after);
        } else if is_early {
            (word, end) = ("preview".to_owned(), after);
        }
    }
    let digits = skip(end, b" .-");
    let number = skip(digits, b"0123456789");
    // A year or a day behind it is a date.
    let month =
        word_at(bytes, skip(number, b" .")).is_some_and(|(word, _)| date::month_number(&word).is_some());
    let numbered =
        (1..=2).contains(&(number - digits)) && !month && !matches!(byte(number), Some(b'.' | b'/' | b'-'));
    let channel = CHANNELS.contains(&word.as_str())
        || matches!(word.as_str(), "dev" | "pre" | "eap")
        || NUMBERED_CHANNELS.contains(&word.as_str()) && numbered;
    if !channel {
        return None;
    }
    let mut end = if numbered { number } else { end };
    if bracket {
        if !matches!(byte(end), Some(b')' | b']')) {
            return None;
        }
        end += 1;
    }
    let next = byte(skip(end, b" "));
    next.is_none_or(|next| !next.is_ascii_alphabetic() || next == b'(')
        .then_some(end)
        .or_else(|| {
            // A date in words: `2.0.0 beta 2 November 20, 2026`, `2.0.0 beta 2 of 20.11.2026`.
            let (word, after) = word_at(bytes, skip(end, b" "))?;
            let is_day = |at: usize| {
                byte(at).is_some_and(|byte| byte.is_ascii_digit())
                    || word_at(bytes, at).is_some_and(|(word, _)| date::month_number(&word).is_some())
            };
            let before = BEFORE_DATES.contains(&word.as_str()) && is_day(skip(after, b" "));
            (before || date::month_number(&word).is_some()).then_some(end)
        })
}
