//! Second pass: envelope delimiters inside content.
//!
//! A family, not a list: an opening bracket of any shape but round and curly, perhaps slashes, then the letters of
//! FRESHCONTEXT, whatever follows (`]`, `_JSON]`, a signature of any version). Letters and brackets are compared
//! by what Unicode says that they look like (see `alike`) and through entities, percent and backslash
//! escapes, and what a reader passes over between them (white space, marks, joiners, light
//! punctuation) does not count. A find loses its brackets; its letters stay as they were.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::NAME;
use super::alike::{is_closing, is_lead_of_opening, is_opening, is_slash, letter};
use super::hidden::is_hidden;

/// Rounds of escaping seen through (`&amp;amp;#91;`, `%25255B`).
const ROUNDS: usize = 8;
/// How far behind the name its closing bracket is looked for, in bytes.
const TAIL: usize = 64;

/// The text with its delimiters made harmless, and their number; `None` where there is none.
pub(super) fn neutralise(text: &str) -> Option<(String, usize)> {
    // Nothing can open a delimiter in most texts; a few searches tell.
    let bytes = text.as_bytes();
    if memchr::memchr3(b'[', b'&', b'%', bytes).is_none()
        && memchr::memchr(b'\\', bytes).is_none()
        && memchr::memchr3(0xe2, 0xe3, 0xef, bytes).is_none()
        && memchr::memchr2(0xe0, 0xe1, bytes).is_none()
    {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut found = 0;
    let mut at = 0;
    let mut state = State::Outside;
    while let Some(rest) = text.get(at..) {
        if state == State::Outside {
            let Some(skip) = rest.bytes().position(may_open) else {
                break;
            };
            at += skip;
        }
        let Some((c, size)) = text.get(at..).and_then(decode) else {
            break;
        };
        state = step(state, c, at, at + size);
        at += size;
        if let State::Complete { open, body } = state {
            found += 1;
            edits.push(Edit {
                from: open,
                to: body,
                by: "(",
            });
            edits.extend(closing(text, at));
            state = State::Outside;
        }
    }
    if found == 0 {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for edit in edits {
        out.push_str(text.get(copied..edit.from).unwrap_or_default());
        out.push_str(edit.by);
        copied = edit.to;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Some((out, found))
}

struct Edit {
    from: usize,
    to: usize,
    by: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// Behind a bracket at `open`; `body` is where what must stay begins.
    Open {
        open: usize,
        body: usize,
    },
    /// `next` letters of the name have been seen.
    Name {
        open: usize,
        body: usize,
        next: usize,
    },
    Complete {
        open: usize,
        body: usize,
    },
}

/// Moves on by the character that stands at `from..to`.
fn step(state: State, c: char, from: usize, to: usize) -> State {
    if is_opening(c) {
        return State::Open { open: from, body: to };
    }
    let letters = Letters::of(c);
    match state {
        State::Outside | State::Complete { .. } => State::Outside,
        State::Open { open, .. } if is_passed_over(c) => State::Open { open, body: to },
        State::Open { .. } if is_slash(c) => state,
        State::Open { open, body } => advance(open, body, 0, &letters),
        State::Name { .. } if is_passed_over(c) => state,
        State::Name { open, body, next } => advance(open, body, next, &letters),
    }
}

fn advance(open: usize, body: usize, mut next: usize, letters: &Letters) -> State {
    if letters.used == 0 {
        return State::Outside;
    }
    for letter in letters.list.iter().take(letters.used) {
        if NAME.get(next) != Some(letter) {
            return State::Outside;
        }
        next += 1;
        if next == NAME.len() {
            return State::Complete { open, body };
        }
    }
    State::Name { open, body, next }
}

/// The closing bracket of a delimiter whose name ends at `at`, if it follows soon.
fn closing(text: &str, at: usize) -> Option<Edit> {
    let rest = text.get(at..)?;
    let tail = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | ' ' | '-' | '/');
    let (offset, c) = rest.char_indices().take(TAIL).find(|(_, c)| !tail(c))?;
    is_closing(c).then(|| Edit {
        from: at + offset,
        to: at + offset + c.len_utf8(),
        by: ")",
    })
}

/// First bytes of everything that [`decode`] may read as an opening bracket.
fn may_open(byte: u8) -> bool {
    matches!(byte, b'[' | b'&' | b'%' | b'\\') || is_lead_of_opening(byte)
}

/// What a reader passes over between the letters of a name.
fn is_passed_over(c: char) -> bool {
    match c {
        ' ' | '\t' | '\n' | '\r' | '_' | '-' | '.' | '*' | '~' | '`' => true,
        c if c.is_ascii() => c.is_ascii_control(),
        '\u{200c}'..='\u{200f}'
        | '\u{61c}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{180b}'..='\u{180f}'
        | '\u{b7}'
        | '\u{2010}'..='\u{2015}' => true,
        c => c.is_whitespace() || is_combining_mark(c) || is_hidden(c),
    }
}

/// The capital letters that a character stands for: one, more for ligatures, none for the rest.
struct Letters {
    list: [u8; 4],
    used: usize,
}

impl Letters {
    fn of(c: char) -> Self {
        let mut letters = Self {
            list: [0; 4],
            used: 0,
        };
        if let Some(letter) = letter(c) {
            letters.push(letter);
        } else if c.is_ascii() {
            letters.push(0);
        } else {
            // Ligatures and other characters that stand for several.
            decompose_compatible(c, |part| {
                if !is_combining_mark(part) {
                    letters.push(letter(part).unwrap_or(0));
                }
            });
        }
        letters
    }

    fn push(&mut self, letter: u8) {
        if let Some(place) = self.list.get_mut(self.used) {
            *place = letter;
            self.used += 1;
        }
    }
}

/// The character at the start of `text`, seen through entities and escapes, and its length in bytes.
fn decode(text: &str) -> Option<(char, usize)> {
    let c = text.chars().next()?;
    let seen_through = match c {
        '&' => entity(text),
        '%' => percent(text),
        '\\' => backslash(text),
        _ => None,
    };
    Some(seen_through.unwrap_or((c, c.len_utf8())))
}

fn entity(text: &str) -> Option<(char, usize)> {
    let mut body = text.strip_prefix('&')?;
    for _ in 0..ROUNDS {
        let Some(rest) = body.strip_prefix("amp;") else {
            break;
        };
        body = rest;
    }
    let start = text.len() - body.len();
    if let Some(digits) = body.strip_prefix('#') {
        let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (digits, 10),
        };
        let length = digits
            .bytes()
            .take(12)
            .take_while(|byte| char::from(*byte).is_digit(radix))
            .count();
        let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
        let end = text.len() - digits.len() + length;
        let semicolon = usize::from(text.as_bytes().get(end) == Some(&b';'));
        return Some((char::from_u32(code)?, end + semicolon));
    }
    let end = body.bytes().take(16).position(|byte| byte == b';')?;
    let c = match body.get(..end)? {
        "lbrack" | "lsqb" => '[',
        "sol" => '/',
        "bsol" => '\\',
        "Tab" | "NewLine" | "nbsp" | "NonBreakingSpace" | "ensp" | "emsp" | "thinsp" | "hairsp" | "shy"
        | "zwj" | "zwnj" | "lrm" | "rlm" | "NoBreak" | "ZeroWidthSpace" => ' ',
        "lowbar" | "UnderBar" => '_',
        "hyphen" | "dash" => '-',
        "period" => '.',
        _ => return None,
    };
    Some((c, start + end + 1))
}

fn hex_pair(text: &str) -> Option<u8> {
    let pair = text.get(..2)?;
    pair.bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u8::from_str_radix(pair, 16).ok())?
}

/// One percent-encoded character, which takes up to four `%XX`.
fn percent(text: &str) -> Option<(char, usize)> {
    let mut bytes = [0u8; 4];
    let mut rest = text;
    for filled in 1..=bytes.len() {
        let mut body = rest.strip_prefix('%')?;
        for _ in 0..ROUNDS {
            let Some(inner) = body.strip_prefix("25") else {
                break;
            };
            body = inner;
        }
        *bytes.get_mut(filled - 1)? = hex_pair(body)?;
        rest = body.get(2..)?;
        if let Ok(read) = std::str::from_utf8(bytes.get(..filled)?) {
            return Some((read.chars().next()?, text.len() - rest.len()));
        }
    }
    None
}

/// `\u005b`, `\u{5b}` and `\x5b`.
fn backslash(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('\\')?;
    if let Some(digits) = body.strip_prefix('x') {
        return Some((char::from(hex_pair(digits)?), 4));
    }
    let digits = body.strip_prefix(['u', 'U'])?;
    let (digits, size) = match digits.strip_prefix('{') {
        Some(inner) => {
            let end = inner.bytes().take(8).position(|byte| byte == b'}')?;
            (inner.get(..end)?, end + 4)
        }
        None => (digits.get(..4)?, 6),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, size))
}
