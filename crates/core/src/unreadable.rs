//! Why a text is not read as JSON, in the same words for every door.
//!
//! The grammar of JSON allows more than is read: numbers beyond a double (`1e400`), half of a surrogate pair (`\ud800`),
//! nesting of any depth. Whoever sends one of them must not be told that the text is no JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Reads everything and keeps nothing: a tree of the values would take many times the text.
struct Skimmed;

impl<'de> Deserialize<'de> for Skimmed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Skimmed {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

/// What keeps a text from being read as JSON, as the end of a sentence that begins with what the text is: `is not JSON`.
/// `None`, if it can be read.
pub fn why_unreadable(text: &[u8]) -> Option<&'static str> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if std::str::from_utf8(text).is_err() {
        return Some("is not UTF-8");
    }
    let error = serde_json::from_slice::<Skimmed>(text).err()?;
    if serde_json::from_slice::<IgnoredAny>(text).is_err() {
        return Some("is not JSON");
    }
    // serde_json tells its kinds of errors apart by their words alone.
    let words = error.to_string();
    Some(if words.contains("number out of range") {
        "holds a number beyond what can be read (1e400)"
    } else if words.contains("recursion limit") {
        "nests deeper than is read (127 levels)"
    } else {
        "holds half of a character (\\ud800)"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_words() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (text, why) in [
            ("{\"a\": [1, null, true, \"x\", {}]}", None),
            ("\u{feff}[]", None),
            ("garbage", Some("is not JSON")),
            ("{\"a\": NaN}", Some("is not JSON")),
            ("{} {}", Some("is not JSON")),
            ("", Some("is not JSON")),
            ("[1e400]", Some("holds a number beyond what can be read (1e400)")),
            (
                "{\"a\": \"\\ud800\"}",
                Some("holds half of a character (\\ud800)"),
            ),
            ("{\"\\udc00\": 1}", Some("holds half of a character (\\ud800)")),
            (&deep, Some("nests deeper than is read (127 levels)")),
        ] {
            assert_eq!(why_unreadable(text.as_bytes()), why, "{text}");
        }
        assert_eq!(why_unreadable(b"[\"\xff\"]"), Some("is not UTF-8"));
    }
}
