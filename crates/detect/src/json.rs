//! What JSON holds, by one pass of a lexer: no tree is built, and a body that was cut off is read as far as it goes.

use std::collections::HashMap;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;

use crate::text::LEAD;

/// How much of a JSON text is read, in bytes.
const READ: usize = 16 << 10;

/// Values of content, few of them beside errors, after which the rest is not read: no block page holds as many.
const ENOUGH: usize = 16;

/// Counts of a JSON text.
#[derive(Debug, Default, Clone, Copy)]
pub struct Json {
    /// Values under a key that names an error, other than null, false, 0 and empty ones.
    pub errors: usize,
    /// Values under a key that belongs to the message of an error or to the envelope of an answer.
    pub envelope: usize,
    /// Values under any other key, and in lists.
    pub content: usize,
    /// Strings of content that are longer than a name.
    pub long: usize,
    /// Lists and objects with nothing in them.
    pub hollow: usize,
    /// Status codes from 400 up under a key for such.
    pub refusals: usize,
    /// `"ok": false` and the like.
    pub denials: usize,
    /// Whether it is a list of objects, not one.
    pub listed: bool,
    /// Whether the outermost braces were closed: it is a whole document.
    pub closed: bool,
}

impl Json {
    /// Whether it holds content of its own, which errors do not outweigh.
    pub(crate) fn has_content(&self) -> bool {
        self.content >= 3 && self.content > 3 * (self.errors + self.denials + self.refusals)
    }

    /// The same beyond doubt, whatever else it holds.
    pub(crate) fn is_document(&self) -> bool {
        self.content >= ENOUGH && self.has_content()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Error,
    Message,
    Envelope,
    Listing,
}

/// Looked into for every key. Which keys are in it is fixed, so its hash need not withstand chosen ones.
static KEYS: LazyLock<HashMap<&'static [u8], Part, FxBuildHasher>> = LazyLock::new(|| {
    let mut keys = HashMap::default();
    let mut part = Part::Error;
    for line in include_str!("keys.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        match line.strip_prefix("= ") {
            Some("error") => part = Part::Error,
            Some("message") => part = Part::Message,
            Some("envelope") => part = Part::Envelope,
            Some(_) => part = Part::Listing,
            None => keys.extend(line.split_whitespace().map(|key| (key.as_bytes(), part))),
        }
    }
    keys
});

/// Most letters and digits of a key that is listed.
const KEY: usize = 24;

/// What a key names, by its letters and digits without their case.
fn part(key: &str) -> Option<Part> {
    // Most keys are written as they are listed.
    let listed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if key.bytes().fold(true, |all, byte| all & listed(byte)) {
        return KEYS.get(key.as_bytes()).copied();
    }
    let mut plain = [0; KEY];
    let mut length = 0;
    for byte in key.bytes().filter(u8::is_ascii_alphanumeric) {
        *plain.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    KEYS.get(plain.get(..length)?).copied()
}

/// Reads JSON; also gives what it says, `key: value` a line. `None` where it is no JSON.
pub(crate) fn read(text: &str) -> Option<(Json, String)> {
    let text = crate::text::head(text, READ);
    let mut lexer = Lexer { text, at: 0 };
    let mut json = Json::default();
    let mut said = String::with_capacity(2 * LEAD);
    // for each open brace: whether it is an object, whether it lies in an error, values in it
    let mut open: Vec<(bool, bool, usize)> = Vec::new();
    let (mut key, mut is, mut broken) = ("", None, 0_usize);
    let mut in_error = false;
    json.listed = text.starts_with("[{");
    while let Some(token) = lexer.next() {
        let object = open.last().is_some_and(|level| level.0);
        match token {
            Token::Open(brace) => {
                if let Some(level) = open.last_mut() {
                    level.2 += 1;
                }
                in_error |= object && is == Some(Part::Error);
                if open.len() < 64 {
                    open.push((brace == b'{', in_error, 0));
                }
                if brace == b'{' {
                    (key, is) = ("", None);
                }
            }
            Token::Close => {
                let (_, _, values) = open.pop()?;
                json.hollow += usize::from(values == 0);
                json.closed = open.is_empty();
                in_error = open.last().is_some_and(|level| level.1);
                if json.closed {
                    broken += usize::from(!lexer.rest().trim().is_empty());
                    break;
                }
            }
            Token::Text(value) if object && lexer.colon() => {
                (key, is) = (value, part(value));
                if said.len() < LEAD {
                    said.push_str(crate::text::head(key, 60));
                    said.push_str(": ");
                }
            }
            Token::Text(value) | Token::Bare(value) => {
                if let Some(level) = open.last_mut() {
                    level.2 += 1;
                }
                let nothing = matches!(value, "" | "null" | "false" | "0" | "[]" | "{}");
                json.count(
                    is,
                    if open.len() <= 2 { key } else { "" },
                    value,
                    nothing,
                    in_error,
                );
                if said.len() < LEAD {
                    push_unescaped(crate::text::head(value, LEAD), &mut said);
                    said.push('\n');
                }
            }
            Token::Other => broken += 1,
        }
        if broken > 3 {
            return None;
        }
        if broken == 0 && json.is_document() {
            break;
        }
    }
    (broken == 0 || json.closed && broken < 2).then_some((json, said))
}

impl Json {
    fn count(&mut self, is: Option<Part>, key: &str, value: &str, nothing: bool, in_error: bool) {
        let status = matches!(
            key,
            "status"
                | "code"
                | "statusCode"
                | "status_code"
                | "errorCode"
                | "error_code"
                | "http_status"
                | "httpStatus"
        );
        let refuses = || value.parse::<u16>().is_ok_and(|code| (400..600).contains(&code));
        self.refusals += usize::from(status && refuses());
        let yes_no = matches!(key, "ok" | "success" | "Success" | "succeeded" | "isSuccess");
        self.denials += usize::from(yes_no && matches!(value, "false" | "0"));
        let said = matches!(key, "status" | "result" | "state" | "type");
        self.denials += usize::from(
            said && ["error", "fail", "failed", "failure"]
                .iter()
                .any(|word| value.eq_ignore_ascii_case(word)),
        );
        match is {
            Some(Part::Error) => self.errors += usize::from(!nothing),
            Some(_) => self.envelope += usize::from(!nothing),
            None if in_error => self.envelope += 1,
            None if !nothing => {
                self.content += 1;
                self.long += usize::from(value.len() > 80);
            }
            None => {}
        }
    }
}

fn push_unescaped(value: &str, out: &mut String) {
    if !value.contains('\\') {
        out.push_str(value);
        return;
    }
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n' | 'r' | 't') => out.push('\n'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            Some(c) => out.push(c),
            None => {}
        }
    }
}

enum Token<'a> {
    Open(u8),
    Close,
    Text(&'a str),
    Bare(&'a str),
    Other,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Whether a colon follows.
    fn colon(&self) -> bool {
        let rest = self.rest();
        match rest.bytes().next() {
            Some(b':') => true,
            Some(b',' | b'}' | b']') | None => false,
            Some(_) => rest.trim_start().starts_with(':'),
        }
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        while bytes
            .get(self.at)
            .is_some_and(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':'))
        {
            self.at += 1;
        }
        let first = *bytes.get(self.at)?;
        let start = self.at;
        self.at += 1;
        match first {
            b'{' | b'[' => Some(Token::Open(first)),
            b'}' | b']' => Some(Token::Close),
            b'"' => {
                let mut end = self.at;
                loop {
                    match bytes
                        .get(end..)
                        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
                    {
                        Some(found) if bytes.get(end + found) == Some(&b'\\') => end += found + 2,
                        Some(found) => {
                            end += found;
                            break;
                        }
                        None => {
                            end = bytes.len();
                            break;
                        }
                    }
                }
                let value = self.text.get(start + 1..end.min(bytes.len())).unwrap_or_default();
                self.at = (end + 1).min(bytes.len());
                Some(Token::Text(value))
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                while bytes
                    .get(self.at)
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-'))
                {
                    self.at += 1;
                }
                let value = self.text.get(start..self.at).unwrap_or_default();
                let known = matches!(value, "true" | "false" | "null")
                    || value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                Some(if known { Token::Bare(value) } else { Token::Other })
            }
            _ => {
                // a character that does not belong here, whole
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                Some(Token::Other)
            }
        }
    }
}
