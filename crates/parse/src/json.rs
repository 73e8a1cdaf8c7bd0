//! JSON with a named complaint, and lists that survive a bad entry.

use std::fmt;
use std::marker::PhantomData;

use freshcontext_contract::{Response, SourceError, code};
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{charset, surrogates};

/// Reads a response's body as JSON. `what` names the answer in the error, for example
/// `Algolia search`.
pub fn of<T: DeserializeOwned>(response: &Response, what: &str) -> Result<T, SourceError> {
    parse(&charset::decode(response).text, what)
}

/// Reads text as JSON.
pub fn parse<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, SourceError> {
    if text.trim().is_empty() {
        return Err(SourceError::malformed(format!("{what}: the answer is empty")));
    }
    refuse_crumbs(text, what)?;
    // Of an answer this was done where it was decoded; JSON inside a page was only read now.
    let mended = surrogates::mended(text).map(|mended| mended.text);
    let mut deserializer = serde_json::Deserializer::from_str(mended.as_deref().unwrap_or(text));
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let what_failed = match inner.classify() {
            serde_json::error::Category::Data => format!("unexpected shape at {}", code(&path)),
            serde_json::error::Category::Eof => "the JSON is cut off".to_owned(),
            _ => "the answer is not valid JSON".to_owned(),
        };
        SourceError::malformed(format!("{what}: {what_failed}")).caused_by(inner)
    })?;
    deserializer.end().map_err(|error| {
        SourceError::malformed(format!("{what}: there is text after the JSON")).caused_by(error)
    })?;
    Ok(value)
}

/// Values that an answer may have however short they are.
const VALUES: usize = 50_000;
/// Least bytes a value, on average, of an answer with more. Lists of identifiers have nine.
const BYTES_PER_VALUE: usize = 6;

/// Least bytes a key with its value, on average, of an answer with more than [`VALUES`] of them: a key takes several
/// times as much as a value. Objects of facts have 20 to 30.
const BYTES_PER_KEY: usize = 14;

/// Refuses a text of very many values of next to nothing, each of which takes up to a hundred times its length in
/// memory. Counts commas, openings of lists and objects, and colons after texts, those in texts included. [`parse`]
/// asks it by itself.
///
/// # Errors
/// `malformed`, if it is such a text.
pub fn refuse_crumbs(text: &str, what: &str) -> Result<(), SourceError> {
    let (mut commas, mut openings, mut keys, mut after_text) = (0_usize, 0_usize, 0_usize, false);
    for byte in text.bytes() {
        commas += usize::from(byte == b',');
        openings += usize::from(matches!(byte, b'[' | b'{'));
        keys += usize::from(after_text && byte == b':');
        after_text = byte == b'"' || (after_text && byte.is_ascii_whitespace());
    }
    let dense = |count: usize, bytes_each: usize| count > VALUES && text.len() / count < bytes_each;
    if dense(commas.max(openings), BYTES_PER_VALUE) || dense(keys, BYTES_PER_KEY) {
        return Err(SourceError::malformed(format!(
            "{what}: the answer is made of more small values than any source sends"
        )));
    }
    Ok(())
}

/// A list in which entries that do not fit are counted, not fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lenient<T> {
    /// The entries that fit.
    pub items: Vec<T>,
    /// How many did not.
    pub unreadable: usize,
}

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            unreadable: 0,
        }
    }
}

impl<T> Lenient<T> {
    /// How many entries were sent.
    pub fn sent(&self) -> usize {
        self.items.len() + self.unreadable
    }

    /// Makes something of every entry; those of which nothing comes are counted.
    #[must_use]
    pub fn filter_map<U>(self, make: impl FnMut(T) -> Option<U>) -> Lenient<U> {
        let sent = self.sent();
        let items: Vec<U> = self.items.into_iter().filter_map(make).collect();
        Lenient {
            unreadable: sent - items.len(),
            items,
        }
    }

    /// Returns the list, unless entries were sent and none of them could be read, which is not an empty list.
    ///
    /// # Errors
    /// `malformed` with this complaint.
    pub fn or_none_readable(self, complaint: &str) -> Result<Self, SourceError> {
        if self.items.is_empty() && self.unreadable > 0 {
            return Err(SourceError::malformed(complaint));
        }
        Ok(self)
    }
}

impl<T> From<Vec<T>> for Lenient<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, unreadable: 0 }
    }
}

/// More entries than any source sends on a page; the rest is counted as unreadable.
const LIST_ENTRIES: usize = 10_000;
/// More bytes than the entries of any source take, without their texts: an entry of two bytes takes as many as any other.
const LIST_BYTES: usize = 4 << 20;

/// Entries of this type that are read of one list.
const fn most_entries<T>() -> usize {
    let size = size_of::<T>();
    if size * LIST_ENTRIES > LIST_BYTES {
        LIST_BYTES / size
    } else {
        LIST_ENTRIES
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Entries(PhantomData))
    }
}

/// Reads entry by entry, each from its text: a tree of values takes many times as much.
struct Entries<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Entries<T> {
    type Value = Lenient<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Lenient<T>, A::Error> {
        let mut list = Lenient::default();
        for _ in 0..most_entries::<T>() {
            let Some(entry) = seq.next_element::<Box<RawValue>>()? else {
                return Ok(list);
            };
            match serde_json::from_str(entry.get()) {
                Ok(item) => list.items.push(item),
                Err(_) => list.unreadable += 1,
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {
            list.unreadable += 1;
        }
        Ok(list)
    }
}

/// Text at a place (RFC 6901), unless it is missing, of another type, or blank.
pub fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// The entries of the list at a JSON Pointer (RFC 6901); empty if there is no list.
pub fn entries<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// A number rounded to this many decimals, so that sums show no binary noise; whole numbers have no decimal point.
pub fn rounded(number: f64, decimals: i32) -> Value {
    let scale = 10_f64.powi(decimals);
    let number = (number * scale).round() / scale;
    if number.fract() == 0.0 && number.abs() < 9e15 {
        #[expect(clippy::cast_possible_truncation, reason = "integral and within range")]
        let whole = number as i64;
        whole.into()
    } else {
        number.into()
    }
}

/// For `#[serde(deserialize_with)]`: a field of another type than documented counts as absent, so
/// that one drifting field does not cost the whole entry.
pub fn or_absent<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let value = Box::<RawValue>::deserialize(deserializer)?;
    // A `null` is not a value, even if the type accepts it.
    Ok(if value.get() == "null" {
        None
    } else {
        serde_json::from_str(value.get()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshcontext_contract::ErrorCode;
    use proptest::prelude::*;

    #[derive(Debug, Clone, Deserialize, PartialEq)]
    struct Entry {
        id: u32,
        #[serde(default, deserialize_with = "or_absent")]
        note: Option<String>,
    }

    #[test]
    fn bad_entries_are_counted() {
        let list: Lenient<Entry> = parse(r#"[{"id":1},{"id":"x"},7,{"id":2,"note":5}]"#, "list").unwrap();
        assert_eq!(
            list.items,
            [Entry { id: 1, note: None }, Entry { id: 2, note: None }]
        );
        assert_eq!(list.unreadable, 2);
    }

    #[test]
    fn what_comes_to_nothing_is_counted_and_nothing_at_all_is_no_list() {
        let list: Lenient<Entry> = parse(r#"[{"id":1},{"id":2},7]"#, "list").unwrap();
        assert_eq!(list.sent(), 3);
        let odd = |entry: Entry| (entry.id % 2 == 1).then_some(entry.id);
        let read = list.clone().filter_map(odd);
        assert_eq!((read.items.as_slice(), read.unreadable), (&[1][..], 2));
        assert!(read.or_none_readable("list: nothing odd").is_ok());
        let none = list
            .filter_map(|_| None::<u32>)
            .or_none_readable("list: nothing odd");
        let error = none.unwrap_err();
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::Malformed, "list: nothing odd")
        );
        assert!(Lenient::<u32>::default().or_none_readable("empty").is_ok());
    }

    #[test]
    fn entries_within_entries_are_lenient_too() {
        #[derive(Debug, Deserialize)]
        struct Outer {
            #[serde(default)]
            inner: Lenient<Entry>,
        }
        let list: Lenient<Outer> = parse(r#"[{"inner":[{"id":1},{}]},{"inner":7},{}]"#, "list").unwrap();
        assert_eq!((list.items.len(), list.unreadable), (2, 1));
        assert_eq!(
            (list.items[0].inner.items.len(), list.items[0].inner.unreadable),
            (1, 1)
        );
        let value: Value = serde_json::from_str(r#"[{"id":3,"note":"n"},4]"#).unwrap();
        let list: Lenient<Entry> = serde_json::from_value(value).unwrap();
        assert_eq!((list.items[0].note.as_deref(), list.unreadable), (Some("n"), 1));
    }

    #[test]
    fn very_many_values_of_next_to_nothing_are_refused() {
        let list = |entry: &str, count: usize| format!("[{}0]", format!("{entry},").repeat(count));
        for (entry, count, fits) in [
            ("{}", 49_000, true),
            ("{}", 50_001, false),
            ("12345678", 60_000, true),
            ("[1]", 200_000, false),
            ("[[[[[[[[[[]]]]]]]]]]", 6_000, false),
        ] {
            assert_eq!(
                parse::<Value>(&list(entry, count), "list").is_ok(),
                fits,
                "{entry} {count}"
            );
        }
    }

    #[test]
    fn very_many_keys_with_next_to_nothing_are_refused() {
        let object = |count: usize, colon: &str, value: &str| {
            let fields: Vec<String> = (0..count)
                .map(|key| format!("\"{key:05}\"{colon}{value}"))
                .collect();
            format!("{{{}}}", fields.join(","))
        };
        for (count, colon, value, fits) in [
            (49_000, ":", "0", true),
            (51_000, ":", "0", false),
            (51_000, " :\n", "0", false),
            (60_000, ":", "\"a fact\"", true),
        ] {
            assert_eq!(
                parse::<Value>(&object(count, colon, value), "object").is_ok(),
                fits,
                "{count} {value}"
            );
        }
    }

    #[test]
    fn what_is_beyond_the_longest_list_is_counted() {
        let list: Lenient<Entry> = parse(&format!("[{}0]", r#"{"id":1},"#.repeat(12_000)), "list").unwrap();
        assert_eq!((list.items.len(), list.unreadable), (LIST_ENTRIES, 2_001));
    }

    #[test]
    fn complaints_name_the_answer_and_the_place() {
        let error = parse::<Entry>(r#"{"id":"x"}"#, "item").unwrap_err();
        assert_eq!(error.code, ErrorCode::Malformed);
        assert_eq!(error.message, "item: unexpected shape at `id`");
        assert!(
            parse::<Entry>(r#"{"id":"#, "item")
                .unwrap_err()
                .message
                .contains("cut off")
        );
        assert!(parse::<Entry>("", "item").unwrap_err().message.contains("empty"));
        assert!(
            parse::<Entry>("<html>", "item")
                .unwrap_err()
                .message
                .contains("not valid JSON")
        );
        assert!(
            parse::<Entry>(r#"{"id":1} trailing"#, "item")
                .unwrap_err()
                .message
                .contains("after the JSON")
        );
    }

    #[test]
    fn deep_nesting_is_an_error_not_an_overflow() {
        let deep = "[".repeat(10_000);
        assert!(parse::<Value>(&deep, "deep").is_err());
    }

    proptest! {
        #[test]
        fn any_text_gives_a_value_or_an_error(text in "\\PC{0,200}") {
            let _ = parse::<Lenient<Entry>>(&text, "any");
        }
    }

    #[test]
    fn sums_show_no_dust_and_whole_numbers_no_point() {
        for (number, decimals, shown) in [
            (0.1 + 0.2, 2, "0.3"),
            (1_250.0, 2, "1250"),
            (-7.995, 2, "-8"),
            (1e300, 2, "1e+300"),
            (0.123_456_7, 6, "0.123457"),
            (f64::NAN, 2, "null"),
        ] {
            assert_eq!(rounded(number, decimals).to_string(), shown, "{number}");
        }
    }
}
