//! Bytes to text, even if the source declares the wrong charset.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use freshcontext_contract::{Response, SourceError};

use crate::surrogates;

/// Text, and how much of it could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// The text: of valid UTF-8, the bytes themselves.
    pub text: Cow<'b, str>,
    /// Characters replaced by U+FFFD because the bytes fit no character of the charset.
    pub replaced: usize,
    /// The charset used, by its WHATWG name.
    pub charset: &'static str,
    /// How the charset was found.
    pub choice: Choice,
}

/// How a charset was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// A mark or a declaration names it, or the bytes are UTF-8.
    Known,
    /// Guessed: nothing names a charset.
    Undeclared,
    /// Guessed: the bytes do not fit the declared charset, by its WHATWG name.
    Unfit(&'static str),
}

impl Decoded<'_> {
    /// A remark for the reader, where characters could not be read or the charset is a guess. `whose` is what was read.
    pub fn note(&self, whose: &str) -> Option<String> {
        let charset = self.charset;
        let guess = match self.choice {
            Choice::Known => None,
            Choice::Undeclared => Some(format!(
                "{whose} names no charset: it was read as {charset}, which is a guess"
            )),
            Choice::Unfit(declared) => Some(format!(
                "{whose} does not fit the declared charset {declared}: it was read as {charset}, which is a guess"
            )),
        };
        let lost = match self.replaced {
            0 => None,
            1 => Some(format!(
                "1 character of {whose} could not be read as {charset} and was replaced"
            )),
            count => Some(format!(
                "{count} characters of {whose} could not be read as {charset} and were replaced"
            )),
        };
        match (guess, lost) {
            (Some(guess), Some(lost)) => Some(format!("{guess}; {lost}")),
            (guess, lost) => guess.or(lost),
        }
    }
}

/// How far into a body a `<meta charset>` or an XML declaration may stand (WHATWG HTML, 13.2.3.2).
const DECLARATION_WINDOW: usize = 1024;

/// Labels that servers send where nobody set one. In every one of them any bytes are text.
const DEFAULT_LABELS: [&str; 4] = ["iso-8859-1", "latin1", "us-ascii", "ascii"];

/// Decodes a response's body: byte order mark, then the header's charset, then the document's own
/// declaration, then UTF-8 if it is valid, then a guess. A header that says UTF-8 over bytes that are
/// not is treated as lying, and one that says ISO 8859-1 gives way to the declaration of an XML document. In JSON, halves of a surrogate pair are replaced. What could not be read becomes a note of the
/// call's result.
pub fn decode(response: &Response) -> Decoded<'_> {
    let label = header_charset(response.headers.get("content-type").unwrap_or_default());
    let mut decoded = decode_bytes(&response.body, label);
    let host = response.final_url.host_str().unwrap_or("the source");
    let whose = format!("the answer of {host}");
    let mut notes: Vec<String> = decoded.note(&whose).into_iter().collect();
    if let Some(mended) = surrogates::mended(&decoded.text) {
        notes.push(mended.note(&whose));
        decoded.text = Cow::Owned(mended.text);
    }
    if !notes.is_empty() {
        response.remark(notes.join("; "));
    }
    decoded
}

/// A reader of text as a reader of responses, for [`Cx::read`](freshcontext_contract::Cx::read) and `read_all`.
pub fn as_text<T>(
    read: impl Fn(&str) -> Result<T, SourceError> + Send + Sync,
) -> impl Fn(&Response) -> Result<T, SourceError> + Send + Sync {
    move |response| read(&decode(response).text)
}

/// As [`decode`], from bytes and the charset label that the transport gave, if any.
pub fn decode_bytes<'b>(bytes: &'b [u8], label: Option<&str>) -> Decoded<'b> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return with(encoding, bytes.get(mark..).unwrap_or_default());
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return with(encoding, bytes);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let told = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        // Valid UTF-8 with multi-byte characters is not valid by accident; pure ASCII reads the same
        // in every ASCII-compatible charset, but not in the two that are not.
        if told.is_none_or(Encoding::is_ascii_compatible) && !(bytes.is_ascii() && bytes.contains(&0x1b)) {
            return Decoded {
                text: Cow::Borrowed(text),
                replaced: 0,
                charset: UTF_8.name(),
                choice: Choice::Known,
            };
        }
    }
    let labelled = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let written = document_charset(bytes);
    // Neither a header nor a document that says UTF-8 over bytes that are not speaks for the other.
    let other = |encoding: &&'static Encoding| *encoding != UTF_8;
    let is_default = label.is_some_and(|label| {
        let label = label.trim().to_ascii_lowercase();
        DEFAULT_LABELS.contains(&label.as_str())
    });
    if is_default
        && bytes.starts_with(b"<?xml")
        && let Some(encoding) = written.filter(other)
    {
        let decoded = with(encoding, bytes);
        if decoded.replaced == 0 {
            return decoded;
        }
    }
    let declared = labelled.filter(other).or_else(|| written.filter(other));
    // A few broken bytes in a document of the declared charset, or of UTF-8, are likelier than another charset that
    // fits by luck.
    let few = 1 + bytes.len() / 1000;
    let fitting = declared.map(|encoding| with(encoding, bytes));
    let fitting = match fitting {
        Some(decoded) if decoded.replaced == 0 => return decoded,
        other => other.filter(|decoded| decoded.replaced <= few),
    };
    let utf8 = with(UTF_8, bytes);
    if let Some(decoded) = fitting
        && decoded.replaced <= utf8.replaced
    {
        return decoded;
    }
    let named = declared.or(labelled).or(written);
    let choice = match named {
        Some(encoding) => Choice::Unfit(encoding.name()),
        None => Choice::Undeclared,
    };
    if utf8.replaced <= few {
        return match choice {
            Choice::Unfit(name) if name != UTF_8.name() => Decoded { choice, ..utf8 },
            _ => utf8,
        };
    }
    // At most two copies of the text at a time.
    drop(utf8);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let guess = with(detector.guess(None, Utf8Detection::Allow), bytes);
    match named {
        Some(encoding) if encoding.name() == guess.charset => guess,
        _ => Decoded { choice, ..guess },
    }
}

/// UTF-16 without a byte order mark, by its first two characters (XML 1.0, appendix F): no other text begins with NUL
/// bytes between those of ASCII.
const fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(UTF_16BE),
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(UTF_16LE),
        _ => None,
    }
}

fn with<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Decoded<'b> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let replaced = text.matches('\u{fffd}').count();
    Decoded {
        text,
        replaced,
        charset: encoding.name(),
        choice: Choice::Known,
    }
}

/// The `charset` parameter of a `Content-Type` value.
fn header_charset(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The charset that an HTML `<meta>` or an XML declaration names near the document's start.
fn document_charset(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_WINDOW.min(bytes.len()))?;
    let head: String = head
        .iter()
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect();
    let name = if let Some(declaration) = head.strip_prefix("<?xml") {
        let declaration = declaration.split("?>").next()?;
        declaration.split("encoding").nth(1)?
    } else {
        head.split("charset").nth(1)?
    };
    let name = name
        .trim_start()
        .strip_prefix('=')?
        .trim_start()
        .trim_start_matches(['"', '\'']);
    let name: String = name
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:.".contains(*c))
        .collect();
    Encoding::for_label(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_declared_and_undeclared_charsets() {
        let (cyrillic, ..) = encoding_rs::WINDOWS_1251.encode("Привет, мир");
        assert_eq!(decode_bytes(&cyrillic, Some("windows-1251")).text, "Привет, мир");
        let (japanese, ..) =
            encoding_rs::SHIFT_JIS.encode("<meta charset=\"Shift_JIS\"><p>日本語のページ</p>");
        assert!(decode_bytes(&japanese, None).text.contains("日本語のページ"));
        let (korean, ..) = encoding_rs::EUC_KR.encode("<?xml version='1.0' encoding='EUC-KR'?><a>한국어</a>");
        assert!(decode_bytes(&korean, None).text.contains("한국어"));
    }

    #[test]
    fn a_document_is_asked_where_the_header_lies() {
        let (cyrillic, ..) =
            encoding_rs::KOI8_R.encode("<?xml version='1.0' encoding='koi8-r'?><a>Привет, мир</a>");
        assert!(
            decode_bytes(&cyrillic, Some("utf-8"))
                .text
                .contains("Привет, мир")
        );
    }

    #[test]
    fn the_default_of_a_server_gives_way_to_an_xml_document() {
        let (cyrillic, ..) =
            encoding_rs::WINDOWS_1251.encode("<?xml version='1.0' encoding='windows-1251'?><a>Привет</a>");
        for label in ["ISO-8859-1", "us-ascii"] {
            assert!(
                decode_bytes(&cyrillic, Some(label)).text.contains("Привет"),
                "{label}"
            );
        }
        // Browsers obey the header for a page, so its author saw what it shows.
        let (page, ..) = encoding_rs::WINDOWS_1251.encode("<meta charset='windows-1251'><p>Привет</p>");
        assert!(!decode_bytes(&page, Some("ISO-8859-1")).text.contains("Привет"));
    }

    #[test]
    fn utf_16_is_known_without_a_mark() {
        let text = "<?xml version='1.0' encoding='utf-16'?><a>Привет</a>";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for label in [None, Some("utf-16"), Some("utf-8")] {
            assert_eq!(decode_bytes(&little, label).text, text, "{label:?}");
            assert_eq!(decode_bytes(&big, label).text, text, "{label:?}");
        }
    }

    #[test]
    fn utf8_bytes_win_over_a_lying_header() {
        let decoded = decode_bytes("café – ok".as_bytes(), Some("iso-8859-1"));
        assert_eq!((&*decoded.text, decoded.replaced), ("café – ok", 0));
    }

    #[test]
    fn byte_order_marks_are_obeyed_and_removed() {
        assert_eq!(decode_bytes(b"\xef\xbb\xbf{\"a\":1}", None).text, "{\"a\":1}");
        assert_eq!(decode_bytes(b"\xff\xfeh\0i\0", Some("utf-8")).text, "hi");
    }

    #[test]
    fn unreadable_bytes_are_counted() {
        let mut bytes = b"plain text ".repeat(200);
        bytes.push(0xff);
        let decoded = decode_bytes(&bytes, Some("utf-8"));
        assert_eq!(decoded.replaced, 1);
        let note = decoded.note("the page").unwrap();
        assert!(note.starts_with("1 character of the page"), "{note}");
    }

    #[test]
    fn a_guessed_charset_is_reported() {
        let (cyrillic, ..) = encoding_rs::WINDOWS_1251.encode("Привет, мир. Это журнал изменений.");
        let decoded = decode_bytes(&cyrillic, Some("shift_jis"));
        assert_eq!(decoded.choice, Choice::Unfit("Shift_JIS"));
        assert!(decoded.note("it").unwrap().contains("declared charset Shift_JIS"));
        assert_eq!(
            decode_bytes(&cyrillic, Some("utf-8")).choice,
            Choice::Unfit("UTF-8")
        );
        assert_eq!(decode_bytes(&cyrillic, None).choice, Choice::Undeclared);
        assert_eq!(
            decode_bytes(&cyrillic, Some("windows-1251")).choice,
            Choice::Known
        );
    }

    #[test]
    fn a_few_broken_bytes_do_not_overrule_the_declared_charset() {
        let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("日本語のページです。");
        let bytes = [&japanese, &b"\xff"[..], &japanese].concat();
        let decoded = decode_bytes(&bytes, Some("shift_jis"));
        assert!(decoded.text.contains("日本語のページ"), "{}", decoded.text);
        assert_eq!((decoded.replaced, decoded.charset), (1, "Shift_JIS"));
    }
}
