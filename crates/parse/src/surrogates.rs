//! Halves of a surrogate pair in JSON. `\ud83d` alone is within JSON's grammar and stands for no character
//! (<https://www.rfc-editor.org/rfc/rfc8259#section-8.2>). It comes from texts that were cut inside a pair. The parser
//! refuses the whole text for it, and with it an entry that is there.

/// What stands for a character that could not be read, as an escape in JSON.
const REPLACEMENT: &str = "\\ufffd";

/// A text in JSON without halves, and how many were replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The text.
    pub text: String,
    /// Number of halves, at least 1.
    pub replaced: usize,
}

impl Mended {
    /// A remark for the reader. `whose` is what was read.
    pub fn note(&self, whose: &str) -> String {
        match self.replaced {
            1 => format!("1 character of {whose} was sent as half of a surrogate pair and was replaced"),
            count => {
                format!(
                    "{count} characters of {whose} were sent as halves of surrogate pairs and were replaced"
                )
            }
        }
    }
}

/// Replaces the escapes of halves of a surrogate pair. `None` where there are none, and where the text does not have
/// the outer form of JSON: an object or a list.
pub fn mended(text: &str) -> Option<Mended> {
    let trimmed = text.trim();
    let is_json = (trimmed.starts_with('{') && trimmed.ends_with('}'))
        || (trimmed.starts_with('[') && trimmed.ends_with(']'));
    if !is_json {
        return None;
    }
    let mut out = String::new();
    let (mut copied, mut at, mut replaced) = (0, 0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let begin = at + found;
        let Some(unit) = escaped_unit(text, begin) else {
            // Another escape: its second character is a part of it, a backslash, too.
            at = begin
                + 1
                + text
                    .get(begin + 1..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(0, char::len_utf8);
            continue;
        };
        at = begin + 6;
        let is_low = |unit: u16| (0xdc00..0xe000).contains(&unit);
        let is_half = match unit {
            0xd800..0xdc00 if escaped_unit(text, at).is_some_and(is_low) => {
                at += 6;
                false
            }
            unit => (0xd800..0xe000).contains(&unit),
        };
        if is_half {
            out.push_str(text.get(copied..begin).unwrap_or_default());
            out.push_str(REPLACEMENT);
            (copied, replaced) = (at, replaced + 1);
        }
    }
    if replaced == 0 {
        return None;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Some(Mended { text: out, replaced })
}

/// The code unit of the escape `\uXXXX` that begins here.
fn escaped_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_are_replaced_and_pairs_and_backslashes_are_left() {
        for (given, right, count) in [
            (r#"{"t":"\ud800 x"}"#, r#"{"t":"\ufffd x"}"#, 1),
            (r#"{"t":"x\uDC00"}"#, r#"{"t":"x\ufffd"}"#, 1),
            (r#"["\ud83d\ud83d\ude00"]"#, r#"["\ufffd\ud83d\ude00"]"#, 1),
            (r#"["\udc00\ud800"]"#, r#"["\ufffd\ufffd"]"#, 2),
            (r#" {"\ud800k":"\\\ud800"} "#, r#" {"\ufffdk":"\\\ufffd"} "#, 2),
        ] {
            let mended = mended(given).unwrap();
            assert_eq!((mended.text.as_str(), mended.replaced), (right, count));
        }
        for sound in [
            r#"["\ud83d\ude00"]"#,
            r#"["\\ud800"]"#,
            r#"["\u00e9\n"]"#,
            r"a manual says \ud800",
            "",
            r#"{"cut":"\ud8"#,
        ] {
            assert_eq!(mended(sound), None, "{sound}");
        }
    }

    proptest! {
        #[test]
        fn what_is_mended_has_no_halves(parts in proptest::collection::vec(
            prop_oneof![Just("\\ud800"), Just("\\udc00"), Just("\\\\"), Just("\\u00e9"), Just("ü"), Just("u"), Just("\\n")], 0..12,
        )) {
            let text = format!("[\"{}\"]", parts.concat());
            let read = mended(&text).map_or(text, |mended| mended.text);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&read).is_ok(), "{read}");
        }
    }
}
