//! What JSON holds, by one pass: no tree is built, and a body that was cut off is read as far as it goes.

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

/// Values of content, few of them beside errors, after which the rest is not read: no block page holds as many.
const ENOUGH: usize = 16;

/// Counts of a JSON text.
#[derive(Debug, Default, Clone, Copy)]
pub struct Json {
    /// Values under a key that names an error, other than null, false, 0 and empty ones.
    pub errors: usize,
    /// Values under `error` in the outermost object: what stands beside them may be content or tell more of the error.
    pub under_error: usize,
    /// The same under `errors`: they may be an answer, all that came, or the parts of one that failed.
    pub under_errors: usize,
    /// Values under a key that belongs to the message of an error or to the envelope of an answer.
    pub envelope: usize,
    /// Values under any other key, and in lists.
    pub content: usize,
    /// Lists and objects with nothing in them.
    pub hollow: usize,
    /// Status codes from 400 up under a key for such, and the first of them.
    pub refusals: usize,
    pub(crate) refused: Option<u16>,
    /// `"ok": false` and the like.
    pub denials: usize,
    /// Values of `content` under `errors`: what an interface adds to an error.
    pub added: usize,
    /// Whether it is a list of objects, not one.
    pub listed: bool,
    /// What the outermost object says about the answer, one bit each.
    pub(crate) says: u8,
    /// Whether the outermost braces were closed: it is a whole document.
    pub closed: bool,
}

impl Json {
    /// Whether it holds content of its own, which errors do not outweigh: much, or some, in a list or in an answer that says that there was
    /// no error.
    pub(crate) fn has_content(&self) -> bool {
        let told = self.listed || self.says_no_error();
        self.has_values() && (self.content - self.added >= ENOUGH || told && self.under_error == 0)
    }

    /// Whether it says that there was no error.
    pub(crate) fn says_no_error(&self) -> bool {
        self.says & NO_ERROR != 0
    }

    /// Whether it has the shape of an error, whatever it tells besides: problem details (RFC 9457), a response of JSON-RPC 2.0 that
    /// holds an error, or one of GraphQL that holds errors and no data (specification of October 2021, section 7.1).
    pub(crate) fn is_error(&self) -> bool {
        let says = |what| self.says & what == what;
        says(TITLE | DETAIL | REFUSED)
            || says(RPC) && self.under_error > 0
            || says(NO_DATA) && self.under_errors > 0
    }

    /// Whether it holds some values of its own, beside errors that may be all that matters.
    pub(crate) fn is_mixed(&self) -> bool {
        self.has_values() && self.under_error + self.under_errors > 0 && !self.is_document()
    }

    fn has_values(&self) -> bool {
        self.content >= 3 && self.content > 3 * self.complaints()
    }

    /// How often it says that something failed.
    pub(crate) fn complaints(&self) -> usize {
        self.errors + self.denials + self.refusals
    }

    /// Whether it is a whole document that holds nothing but an envelope.
    pub(crate) fn is_hollow(&self) -> bool {
        let nothing = self.content + self.complaints() == 0;
        self.closed && nothing && self.envelope <= 3 && (self.hollow > 0 || self.envelope == 0)
    }

    /// Counts a value that holds no others.
    fn count(&mut self, place: Place, value: &str) {
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

    /// Whether it holds content beyond doubt, whatever else it holds.
    pub(crate) fn is_document(&self) -> bool {
        self.content - self.added >= ENOUGH && self.has_values()
    }
}

// What a key can name, one bit each.
const ERROR: u8 = 1;
/// The wording or circumstances of an error, or the envelope of an answer.
const BESIDE: u8 = 2;
/// What says by a status code that an answer failed, by a word, for example `failed`, or by `false`.
const CODE: u8 = 4;
const WORD: u8 = 8;
const TRUTH: u8 = 16;

// What the outermost object can say, one bit each.
const TITLE: u8 = 1;
/// More about what its title says: `detail`, or a `type`.
const DETAIL: u8 = 2;
/// A `status` from 400 up.
const REFUSED: u8 = 4;
/// That it is of JSON-RPC.
const RPC: u8 = 8;
/// That its `data` hold nothing.
const NO_DATA: u8 = 16;
/// That nothing failed: an error that is null, false or empty.
const NO_ERROR: u8 = 32;

/// Looked into for every key. Which keys are in it is fixed, so its hash need not withstand chosen ones.
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

/// Most letters and digits of a key that is listed.
const KEY: usize = 24;

/// What a key is listed for, by its letters and digits without their case.
fn listed(key: &str) -> Option<u8> {
    // Most keys are written as they are listed.
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

/// What a key of the outermost object says about the answer, by what was counted before its value and with it.
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

/// Reads JSON; also gives what it says, `key: value` a line. A body that was cut off is read as far as it goes. `None` where it is
/// no JSON.
pub(crate) fn read(text: &str) -> Option<(Json, String)> {
    let mut reader = serde_json::Deserializer::from_str(crate::text::head(text, READ));
    let mut found = Found::default();
    found.said.reserve(2 * LEAD);
    found.json.listed = text.starts_with("[{");
    let outermost = Value {
        found: &mut found,
        place: Place::default(),
    };
    let end = outermost.deserialize(&mut reader).and_then(|()| reader.end());
    found.json.closed = end.is_ok();
    let is_json = end.map_or_else(|error| error.is_eof() || found.json.is_document(), |()| true);
    is_json.then_some((found.json, found.said))
}

/// What was read so far.
#[derive(Default)]
struct Found {
    json: Json,
    said: String,
}

impl Found {
    fn say(&mut self, words: &str, end: &str) {
        if self.said.len() < LEAD {
            self.said.push_str(words);
            self.said.push_str(end);
        }
    }
}

/// Where a value stands.
#[derive(Debug, Default, Clone, Copy)]
struct Place {
    /// What its key names.
    names: u8,
    /// Whether it lies in an error.
    in_error: bool,
    /// Whether its key, or one that it lies in, is `error` of the outermost object.
    under_error: bool,
    /// The same of `errors`.
    under_errors: bool,
    /// How many objects and lists it lies in.
    depth: usize,
}

/// A key, without a copy where it is written without escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads one value into what was found.
struct Value<'a> {
    found: &'a mut Found,
    place: Place,
}

impl Value<'_> {
    /// A value that holds no others, as it is written. Where there is none, and no error, nothing is said.
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

    /// Where the values in this one stand.
    fn inside(&self) -> Place {
        Place {
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
            // Further in, a status is that of something else.
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
