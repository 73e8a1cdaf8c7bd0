//! Names with their values in a text: JSON, headers, addresses, settings, commands. The name says what the value is, and
//! the value says whether it is meant: `token: the unit of text` has none.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::names::{Sure, WORDS, sure};
use super::rules::entropy;
use crate::span::Span;

/// What marks bear.
pub(super) const NAMED: &str = "named_secret";

fn compiled(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).build().ok()
}

/// A name, and what says that its value follows: `:`, `=`, `:=`, `=>`, or a space behind `--name`.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"(?x)
        (?: --(?P<flag>[A-Za-z][A-Za-z0-9_-]*) [\x20\t]+
          | (?P<name>(?:[A-Za-z]+[\x20_-])?[A-Za-z0-9_.\x80-\xff-]+)
            (?P<close>\\*["'`]\]|\\*["'`]?)
            [\x20\t]{0,3} (?P<sign>:=|=>|={1,3}|:) [\x20\t]{0,3} )
        (?: (?:[A-Za-z]{1,12}\(){1,2} \\*["] )?
        "#,
    )
});
/// A word of a name whose value may be a secret.
static SECRET_WORD: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(WORDS)
        .ok()
});
/// A name and a value that are named as such: fields of forms, headers in a list.
static NAMED_VALUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"(?i)\b(?:name|key|header)\\*["']?\s{0,3}[:=]\s{0,3}\\*["'](?P<name>[^"'\\\r\n]{1,64})\\*["'],?\s{0,3}\\*["']?(?:value|content)\\*["']?\s{0,3}[:=]\s{0,3}\\*["'](?P<value>[^"'\\\r\n]+)"#,
    )
});
/// A header with credentials of a scheme. Whatever follows a scheme that is known is one.
static SCHEME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"(?i)authori[sz]ation\\*["'`]?\s{0,3}(?::|=|,)\s{0,3}(?:string\()?\\*["'`]?(?:(?:basic|bearer|token|digest|negotiate|ntlm|apikey|api-key|hmac[a-z0-9-]*|aws4-hmac-sha256|hawk|mac|oauth|ssws|splunk|geniekey|dpop|key|sso-key|bot|sharedkey|sharedaccesssignature)[ :]+)(?P<value>[^\s"'`\\<>,;][^\r\n"'`\\<>]*)"#,
    )
});
/// A cookie is a name and a value of any name.
static COOKIE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"(?i)\b(?:set-)?cookie2?\\*["'`]?\s{0,3}[:=,]\s{0,3}(?:string\()?\\*["'`]?(?P<value>[^\s=;,"'`\\<>]+=[^\r\n"'`\\<>]+)"#,
    )
});
/// `Basic` with a user and a password, wherever it stands.
static BASIC: LazyLock<Option<Regex>> =
    LazyLock::new(|| compiled(r"(?i)\bbasic[\s:]{1,3}(?P<value>[A-Za-z0-9+/_-]{6,}={0,2})"));

/// Characters of a name that count.
const NAME_CHARS: usize = 64;
/// Bytes of a value by which it is judged.
const VALUE_BYTES: usize = 1_024;

/// Words that stand where a value would: types, and what is to be filled in.
const NO_VALUES: &[&str] = &[
    "string",
    "str",
    "text",
    "number",
    "integer",
    "int",
    "boolean",
    "bool",
    "object",
    "array",
    "list",
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "required",
    "optional",
    "any",
    "bytes",
    "char",
    "varchar",
    "password",
    "passwd",
    "secret",
    "token",
    "key",
    "hidden",
    "redacted",
    "masked",
    "removed",
    "invalid",
    "missing",
    "unknown",
    "empty",
    "default",
    "example",
    "changed",
    "expired",
    "enabled",
    "disabled",
    "include",
    "omit",
    "same-origin",
];

/// A value that was found beside a name.
struct Value<'t> {
    text: &'t str,
    /// In quotes.
    quoted: bool,
    /// Nothing follows in its sentence.
    ends: bool,
    /// Bytes of it behind those by which it is judged.
    more: usize,
}

/// What the names in a text give away.
pub(super) fn find(text: &str, out: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut put = |start: usize, end: usize| {
        out.push(Span {
            start,
            end,
            name: NAMED,
        });
    };
    for (pattern, scheme) in [(&SCHEME, true), (&COOKIE, false)] {
        for groups in pattern.iter().flat_map(|pattern| pattern.captures_iter(bytes)) {
            let Some(value) = groups.name("value") else {
                continue;
            };
            let trimmed = value.as_bytes().trim_ascii_end().len();
            let shown = text
                .get(value.start()..value.start() + trimmed)
                .unwrap_or_default();
            if !(scheme && (is_placeholder(shown) || is_prose(shown))) {
                put(value.start(), value.start() + trimmed);
            }
        }
    }
    for groups in BASIC.iter().flat_map(|pattern| pattern.captures_iter(bytes)) {
        if let Some(value) = groups.name("value").filter(|value| is_basic(value.as_bytes())) {
            put(value.start(), value.end());
        }
    }
    for groups in NAMED_VALUE
        .iter()
        .flat_map(|pattern| pattern.captures_iter(bytes))
    {
        let (Some(name), Some(value)) = (groups.name("name"), groups.name("value")) else {
            continue;
        };
        let shown = text.get(value.start()..value.end()).unwrap_or_default();
        let right = match text.get(name.start()..name.end()).and_then(sure) {
            Some(Sure::Password | Sure::Key) => !NO_VALUES.contains(&shown) && !is_placeholder(shown),
            Some(Sure::Perhaps) => is_like_one(shown),
            _ => false,
        };
        if right {
            put(value.start(), value.end());
        }
    }
    let Some(pattern) = NAME.as_ref() else { return };
    let mut at = 0;
    while let Some(whole) = pattern.find_at(bytes, at) {
        // Most names are none of a secret: their parts are not worth finding.
        let found = SECRET_WORD
            .as_ref()
            .is_none_or(|word| word.is_match(whole.as_bytes()))
            .then(|| pattern.captures_at(bytes, at))
            .flatten()
            .and_then(|groups| value_of(text, &groups));
        // The value may itself be a name: `key: password: x`.
        at = whole.end().max(at + 1);
        if let Some((start, end)) = found {
            put(start, end);
            at = end.max(at);
        }
        if at >= bytes.len() {
            break;
        }
    }
}

/// Where the value of a name is, if it is a secret's.
fn value_of(text: &str, groups: &Captures<'_>) -> Option<(usize, usize)> {
    let flag = groups.name("flag");
    let name = flag.or_else(|| groups.name("name"))?;
    let shown = text.get(name.start()..name.end())?;
    let (from, _) = shown.char_indices().rev().take(NAME_CHARS).last()?;
    let sure = sure(shown.get(from..)?)?;
    let sign = groups
        .name("sign")
        .and_then(|sign| text.get(sign.start()..sign.end()))
        .unwrap_or_default();
    let named = flag.is_some() || groups.name("close").is_some_and(|close| !close.is_empty());
    let (start, value) = value_at(text, groups.get(0)?.end())?;
    let parameter = text.get(..name.start()).is_some_and(|before| {
        before.is_empty() || before.ends_with(['?', '&', ';', ',', '\n', ' ', '"', '\''])
    });
    let right = match sure {
        Sure::Parameter => sign == "=" && parameter && !value.quoted && value.text.len() >= 16,
        Sure::Perhaps => is_like_one(value.text) && (named || sign == "="),
        _ => is_meant(
            sure,
            &value,
            sign,
            named,
            is_whole_line(text, name.start(), start + value.text.len()),
        ),
    };
    let whole = value.text.len() + value.more;
    (right && !is_placeholder(value.text)).then_some((start, start + whole))
}

/// Whether a value is one, by its form.
fn is_meant(sure: Sure, value: &Value<'_>, sign: &str, named: bool, line: bool) -> bool {
    let text = value.text;
    let chars = text.chars().count();
    let word = text.chars().all(char::is_alphabetic);
    let password = sure == Sure::Password;
    if NO_VALUES.contains(&text.to_ascii_lowercase().as_str()) {
        return false;
    }
    if named && value.quoted {
        // JSON, and what is written like it.
        return !(word && !password && chars < 4);
    }
    if named && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return chars >= if password { 3 } else { 6 };
    }
    if is_code(text) {
        return false;
    }
    if sign == ":" && !value.quoted {
        if word {
            let ends = value.ends || line;
            return (password && ends && (chars >= 8 || line && chars >= 4)) || chars >= 20;
        }
        return chars >= if password { 6 } else { 8 } && (is_mixed(text) || (line && password));
    }
    if word {
        return chars >= if password { 4 } else { 8 };
    }
    chars >= if password { 3 } else { 6 }
}

/// Letters and digits, or more kinds of characters than a word has.
fn is_mixed(text: &str) -> bool {
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let letter = text.chars().any(char::is_alphabetic);
    let sign = text.contains(|c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '.' | '_' | '/'));
    (digit && letter) || (sign && (digit || letter)) || text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value that a doubtful name stands before looks like a secret.
pub(super) fn is_like_one(text: &str) -> bool {
    let chars = text.chars().count();
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let letter = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    if text.contains(char::is_whitespace) || is_placeholder(text) || is_code(text) {
        return false;
    }
    (chars >= 6 && digit && letter) || (chars >= 16 && entropy(text.as_bytes()) > 3.0)
}

/// What is to be filled in: `<token>`, `${TOKEN}`, `YOUR_API_KEY`, `***`, `...`.
fn is_placeholder(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'', '`', ' ']);
    let variable = text.starts_with(['$', '%']) && !text.bytes().any(|byte| byte.is_ascii_digit());
    text.is_empty()
        || variable
        || text.starts_with(['<', '{', '('])
        || text.starts_with('[') && !text.contains("[masked:")
        || text.bytes().all(|byte| {
            matches!(
                byte,
                b'*' | b'.' | b'x' | b'X' | b'-' | b'_' | b'\\' | b',' | b';'
            )
        })
        || (text.contains('_') && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        || (text.to_ascii_lowercase().starts_with("your") && !text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// An expression of a programming language: `process.env.TOKEN`, `get_token()`.
fn is_code(text: &str) -> bool {
    let identifier = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !part.bytes().any(|byte| byte.is_ascii_digit())
    };
    let inside = text.strip_prefix("[masked:").unwrap_or(text);
    inside.contains(['(', '[', '{'])
        || text.contains("//")
        || text.contains("::")
        || is_version(text)
        || (text.contains('.') && text.split('.').all(identifier))
        || (text.contains('_') && identifier(text))
}

/// `1.2.3`, `v2.0-rc.1`.
fn is_version(text: &str) -> bool {
    let mut numbers = text.strip_prefix('v').unwrap_or(text).split('.');
    let digits =
        |part: &str| !part.is_empty() && part.len() < 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.next().is_some_and(digits)
        && numbers.next().is_some_and(|part| {
            part.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && part.len() < 8
        })
}

/// Words of a sentence.
fn is_prose(text: &str) -> bool {
    let plain = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        word.len() < 12
            && word.chars().all(char::is_alphabetic)
            && !word.chars().skip(1).any(char::is_uppercase)
    };
    !text.is_empty() && text.split_whitespace().take(2).all(plain)
}

/// The value behind a name and its sign.
fn value_at(text: &str, at: usize) -> Option<(usize, Value<'_>)> {
    // On the next line only what is in quotes belongs to the name.
    let next = text.get(at..)?;
    let rest = next.trim_start_matches(['\r', '\n', ' ', '\t']);
    let broken = rest.len() < next.len();
    let at = at + (next.len() - rest.len());
    // The quote that a wrapper such as `String("` opened is behind us.
    let opened = text.get(..at).is_some_and(|before| before.ends_with('"'));
    let slashes = rest.bytes().take_while(|byte| *byte == b'\\').count();
    let quote = rest
        .get(slashes..)?
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    let (start, quote) = match quote {
        Some(quote) if !opened => (at + slashes + 1, Some(quote)),
        _ if opened && !broken => (at, Some('"')),
        _ if broken && next.starts_with(['\r', '\n']) => return None,
        _ => (at, None),
    };
    let value = text.get(start..)?;
    let ends_it = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => {
            c.is_whitespace()
                || matches!(
                    c,
                    '&' | ';' | ',' | '"' | '\'' | '`' | '<' | '>' | '|' | ')' | ']' | '}'
                )
        }
    };
    let mut short = value.len().min(VALUE_BYTES);
    while !value.is_char_boundary(short) {
        short -= 1;
    }
    let judged = value.get(..short)?;
    let shown = judged
        .find(ends_it)
        .map_or(judged, |end| judged.get(..end).unwrap_or_default());
    let cut = shown.len() == judged.len() && short < value.len();
    let shown = match quote {
        Some(_) => shown.trim_end_matches('\\'),
        None => shown.trim_end_matches(['.', ':', '!', '?', '\\']),
    };
    let after = value.get(shown.len()..).unwrap_or_default();
    let following = after.chars().find(|c| *c != ' ');
    let ends = !following.is_some_and(|c| c.is_alphanumeric() || c == '(');
    (!shown.is_empty()).then(|| {
        let more = if cut {
            after.find(ends_it).unwrap_or(after.len())
        } else {
            0
        };
        let value = Value {
            text: shown,
            quoted: quote.is_some(),
            ends,
            more,
        };
        (start, value)
    })
}

/// Whether nothing but the name and its value is on a line.
fn is_whole_line(text: &str, start: usize, end: usize) -> bool {
    let before = text
        .get(..start)
        .unwrap_or_default()
        .trim_end_matches(['-', ' ', '\t', '"', '\'', '*', '#']);
    let after = text
        .get(end..)
        .unwrap_or_default()
        .trim_start_matches([' ', '\r', '"', '\'', ',', ';']);
    (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || after.starts_with('\n'))
}

/// Whether it is base64 of `user:password`.
fn is_basic(text: &[u8]) -> bool {
    let decoded = BASE64_STANDARD
        .decode(text)
        .or_else(|_| BASE64_STANDARD_NO_PAD.decode(text));
    decoded.is_ok_and(|decoded| {
        decoded.contains(&b':')
            && std::str::from_utf8(&decoded).is_ok_and(|text| !text.contains(char::is_control))
    })
}
