//! Content of a JSON text, read in one pass: no tree is built, and a truncated body is read up to its end.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::text::LEAD;

/// How much of a JSON text is read, in bytes.
const READ: usize = 16 << 10;

/// Number of content values, with few errors among them, after which reading stops: no block page contains as
/// many.
const ENOUGH: usize = 16;

/// Counts of a JSON text.
#[derive(Debug, Default, Clone, Copy)]
pub struct Json {
    /// Values under an error key, other than null, false, 0 and empty ones.
    pub errors: usize,
    /// Values under `error` in the outermost object: the values next to it may be content or error details.
    pub under_error: usize,
    /// Values under `errors` in the outermost object: they may be the content, or the failed parts of it.
    pub under_errors: usize,
    /// Values under keys of an error's message or of a response's envelope.
    pub envelope: usize,
    /// Values under any other key, and in lists.
    pub content: usize,
    /// Empty lists and objects.
    pub hollow: usize,
    /// Status codes of 400 or more under a status key, and the first of them.
    pub refusals: usize,
    pub(crate) refused: Option<u16>,
    /// `"ok": false` and the like.
    pub denials: usize,
    /// Values of `content` under `errors`: details that an interface adds to an error.
    pub added: usize,
    /// Whether it is a list of objects.
    pub listed: bool,
    /// Facts about the response from the outermost object, one bit each.
    pub(crate) says: u8,
    /// Whether the outermost brackets were closed, so that the document is complete.
    pub closed: bool,
}

impl Json {
    /// Whether it contains content that outweighs its errors: much, or some in a list or in a response that
    /// states success.
    pub(crate) fn has_content(&self) -> bool {
        let told = self.listed || self.says_no_error();
        self.has_values() && (self.content - self.added >= ENOUGH || told && self.under_error == 0)
    }

    /// Whether it states that there was no error.
    pub(crate) fn says_no_error(&self) -> bool {
        self.says & NO_ERROR != 0
    }

    /// Whether it has a specified error shape, whatever else it contains: problem details (RFC 9457), a
    /// JSON-RPC 2.0 response with an error, or a GraphQL response with errors and no data (specification of
    /// October 2021, section 7.1).
    pub(crate) fn is_error(&self) -> bool {
        let says = |what| self.says & what == what;
        says(TITLE | DETAIL | REFUSED)
            || says(RPC) && self.under_error > 0
            || says(NO_DATA) && self.under_errors > 0
    }

    /// Whether it contains content next to errors that may be the whole response.
    pub(crate) fn is_mixed(&self) -> bool {
        self.has_values() && self.under_error + self.under_errors > 0 && !self.is_document()
    }

    fn has_values(&self) -> bool {
        self.content >= 3 && self.content > 3 * self.complaints()
    }

    /// Returns the number of failure indications.
    pub(crate) fn complaints(&self) -> usize {
        self.errors + self.denials + self.refusals
    }

    /// Whether it is a complete document with nothing but an envelope.
    pub(crate) fn is_hollow(&self) -> bool {
        let nothing = self.content + self.complaints() == 0;
        self.closed && nothing && self.envelope <= 3 && (self.hollow > 0 || self.envelope == 0)
    }

    /// Counts a scalar value.
    fn count(&mut self, place: Position, value: &str) {
        let names = |what| place.names & what != 0;
        let code = value
            .parse()
            .ok()
            .filter(|code| names(CODE) && (400..600).contains(code));
        let fails = |word: &&str| value.eq_ignore_ascii_case(word);
        let denies = names(WORD) && ["error", "fail", "failed", "failure"].iter().any(fails);
        let is_false = names(TRUTH) && matches!(value, "false" | "0");
        self.refusals += usize::from(code.is_some());
        self.refused = self.refused.or(code);
        self.denials += usize::from(denies || is_false);
        let something = usize::from(!matches!(value, "" | "null" | "false" | "0" | "[]" | "{}"));
        self.under_error += something * usize::from(place.under_error);
        self.under_errors += something * usize::from(place.under_errors);
        if names(ERROR) {
            self.errors += something;
        } else if names(BESIDE) {
            self.envelope += something;
        } else if place.in_error {
            self.envelope += 1;
        } else {
            self.content += something;
            self.added += something * usize::from(place.under_errors);
        }
    }

    /// Whether it certainly contains content, whatever else it contains.
    pub(crate) fn is_document(&self) -> bool {
        self.content - self.added >= ENOUGH && self.has_values()
    }
}

// Meanings of a key, one bit each.
const ERROR: u8 = 1;
/// Message or details of an error, or a response's envelope.
const BESIDE: u8 = 2;
/// Indicates failure by a status code, by a word such as `failed`, or by `false`.
const CODE: u8 = 4;
const WORD: u8 = 8;
const TRUTH: u8 = 16;

// Facts from the outermost object, one bit each.
const TITLE: u8 = 1;
/// Details of the title: `detail` or `type`.
const DETAIL: u8 = 2;
/// A `status` of 400 or more.
const REFUSED: u8 = 4;
/// JSON-RPC.
const RPC: u8 = 8;
/// Empty `data`.
const NO_DATA: u8 = 16;
/// No failure: an error that is null, false or empty.
const NO_ERROR: u8 = 32;

/// Looked up for every key. The set of keys is fixed, so the hash need not resist chosen keys.
static KEYS: LazyLock<HashMap<&'static [u8], u8, FxBuildHasher>> = LazyLock::new(|| {
    let mut keys = HashMap::default();
    for section in include_str!("keys.txt").split("\n= ").skip(1) {
        let (part, listed) = section.split_once('\n').unwrap_or_default();
        let names = match part {
            "error" => ERROR,
            "code" => CODE,
            "word" => WORD,
            "truth" => TRUTH,
            _ => BESIDE,
        };
        for key in listed.split_whitespace() {
            *keys.entry(key.as_bytes()).or_default() |= names;
        }
    }
    keys
});

/// Most letters and digits of a listed key.
const KEY: usize = 24;

/// Returns the meaning of a key, by its letters and digits, ignoring case.
fn listed(key: &str) -> Option<u8> {
    // Most keys are already in the listed form.
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if key.bytes().all(plain) {
        return KEYS.get(key.as_bytes()).copied();
    }
    let mut plain = [0; KEY];
    let mut length = 0;
    for byte in key.bytes() {
        *plain.get_mut(length)? = byte;
        length += usize::from(byte.is_ascii_alphanumeric());
    }
    plain.make_ascii_lowercase();
    KEYS.get(plain.get(..length)?).copied()
}

/// Returns the fact that a key of the outermost object states, by the counts before and after its value.
fn said_by(key: &str, before: &Json, with: &Json) -> u8 {
    let nothing =
        before.content + before.envelope + before.errors == with.content + with.envelope + with.errors;
    match key {
        "title" if !nothing => TITLE,
        "type" | "detail" if !nothing => DETAIL,
        "status" if with.refusals > before.refusals => REFUSED,
        "jsonrpc" => RPC,
        "data" if nothing => NO_DATA,
        "error" | "errors" if nothing => NO_ERROR,
        _ => 0,
    }
}

/// Reads JSON. Also returns its text, one `key: value` per line. A truncated body is read up to its end.
/// `None` if it is not JSON.
pub(crate) fn read(text: &str) -> Option<(Json, String)> {
    let mut reader = serde_json::Deserializer::from_str(crate::text::head(text, READ));
    let mut found = Reading::default();
    found.said.reserve(2 * LEAD);
    found.json.listed = text.starts_with("[{");
    let outermost = Value {
        found: &mut found,
        place: Position::default(),
    };
    let end = outermost.deserialize(&mut reader).and_then(|()| reader.end());
    found.json.closed = end.is_ok();
    let is_json = end.map_or_else(|error| error.is_eof() || found.json.is_document(), |()| true);
    is_json.then_some((found.json, found.said))
}

/// State of the reader.
#[derive(Default)]
struct Reading {
    json: Json,
    said: String,
}

impl Reading {
    fn say(&mut self, words: &str, end: &str) {
        if self.said.len() < LEAD {
            self.said.push_str(words);
            self.said.push_str(end);
        }
    }
}

/// Position of a value.
#[derive(Debug, Default, Clone, Copy)]
struct Position {
    /// Meaning of its key.
    names: u8,
    /// Whether it is inside an error.
    in_error: bool,
    /// Whether it is at or below the outermost object's `error`.
    under_error: bool,
    /// Whether it is at or below the outermost object's `errors`.
    under_errors: bool,
    /// Nesting depth.
    depth: usize,
}

/// A key, borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads one value.
struct Value<'a> {
    found: &'a mut Reading,
    place: Position,
}

impl Value<'_> {
    /// Reads a scalar value as written. An empty value outside of errors adds no text.
    fn leaf<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.found.json.count(self.place, value);
        let is_no_error = self.place.names & ERROR != 0 && matches!(value, "false" | "0");
        if !matches!(value, "" | "null") && !is_no_error {
            self.found.say(crate::text::head(value, LEAD), "\n");
        }
        if self.found.json.is_document() {
            return Err(E::custom("enough was read"));
        }
        Ok(())
    }

    /// Position of nested values.
    fn inside(&self) -> Position {
        Position {
            in_error: self.place.in_error || self.place.names & ERROR != 0,
            depth: self.place.depth + 1,
            ..self.place
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.leaf("null")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.leaf(if value { "true" } else { "false" })
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.leaf(itoa::Buffer::new().format(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.leaf(itoa::Buffer::new().format(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.leaf(&value.to_string())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.leaf(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (place, mut values) = (self.inside(), 0);
        let found = self.found;
        while let Some(()) = list.next_element_seed(Value { found, place })? {
            values += 1;
        }
        found.json.hollow += usize::from(values == 0);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let (mut place, mut values) = (self.inside(), 0);
        let found = self.found;
        while let Some(Key(key)) = object.next_key()? {
            let before = found.said.len();
            found.say(crate::text::head(&key, 60), ": ");
            let after = found.said.len();
            // At greater depth, a status belongs to something else.
            let told = if place.depth <= 2 { u8::MAX } else { ERROR | BESIDE };
            place.names = told & listed(&key).unwrap_or_default();
            if place.depth == 1 {
                place.under_error = matches!(&*key, "error" | "Error");
                place.under_errors = matches!(&*key, "errors" | "Errors");
            }
            let counted = (place.depth == 1).then_some(found.json);
            object.next_value_seed(Value { found, place })?;
            if let Some(before) = counted {
                found.json.says |= said_by(&key, &before, &found.json);
            }
            if found.said.len() == after {
                found.said.truncate(before);
            }
            values += 1;
        }
        found.json.hollow += usize::from(values == 0);
        Ok(())
    }
}
