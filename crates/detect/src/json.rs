//! What JSON holds, by one pass: no tree is built, and a body that was cut off is read as far as it goes.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use rustc_hash::FxBuildHasher;
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
    /// Values under a key that belongs to the message of an error or to the envelope of an answer.
    pub envelope: usize,
    /// Values under any other key, and in lists.
    pub content: usize,
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

    /// The same beyond doubt, whatever else it holds.
    pub(crate) fn is_document(&self) -> bool {
        self.content >= ENOUGH && self.has_content()
    }
}

/// What a key names that is no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Error,
    /// The wording or circumstances of an error, or the envelope of an answer.
    Beside,
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
            Some(_) => part = Part::Beside,
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

/// Reads JSON; also gives what it says, `key: value` a line. A body that was cut off is read as far as it goes. `None` where it is
/// no JSON.
pub(crate) fn read(text: &str) -> Option<(Json, String)> {
    let mut reader = serde_json::Deserializer::from_str(crate::text::head(text, READ));
    let mut found = Found {
        json: Json {
            listed: text.starts_with("[{"),
            ..Json::default()
        },
        said: String::with_capacity(2 * LEAD),
    };
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
struct Found {
    json: Json,
    said: String,
}

/// Where a value stands.
#[derive(Debug, Default, Clone, Copy)]
struct Place {
    /// What its key names.
    part: Option<Part>,
    /// What its value says of an answer's success, as far out as that is said.
    tells: Option<Tells>,
    /// Whether it lies in an error.
    in_error: bool,
    /// How many objects and lists it lies in.
    depth: usize,
}

/// How a key's value says that an answer failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// By a status code.
    Code,
    /// By a word, for example `failed`.
    Word,
    /// By either.
    Status,
    /// By `false`.
    YesNo,
}

impl Tells {
    fn of(key: &str) -> Option<Self> {
        Some(match key {
            "status" => Self::Status,
            "result" | "state" | "type" => Self::Word,
            "code" | "statusCode" | "status_code" | "errorCode" | "error_code" | "http_status"
            | "httpStatus" => Self::Code,
            "ok" | "success" | "Success" | "succeeded" | "isSuccess" => Self::YesNo,
            _ => return None,
        })
    }

    fn is_refusal(self, value: &str) -> bool {
        let refuses = || value.parse().is_ok_and(|code: u16| (400..600).contains(&code));
        matches!(self, Self::Code | Self::Status) && refuses()
    }

    fn is_denial(self, value: &str) -> bool {
        let words = ["error", "fail", "failed", "failure"];
        match self {
            Self::Word | Self::Status => words.iter().any(|word| value.eq_ignore_ascii_case(word)),
            Self::YesNo => matches!(value, "false" | "0"),
            Self::Code => false,
        }
    }
}

/// Reads one value into what was found.
struct Value<'a> {
    found: &'a mut Found,
    place: Place,
}

impl Value<'_> {
    /// A value that holds no others, as it is written.
    fn leaf<E: de::Error>(self, value: &str) -> Result<(), E> {
        let Found { json, said } = self.found;
        json.count(self.place, value);
        if said.len() < LEAD {
            said.push_str(crate::text::head(value, LEAD));
            said.push('\n');
        }
        if json.is_document() {
            return Err(E::custom("enough was read"));
        }
        Ok(())
    }

    /// Where the values in this one stand.
    fn inside(&self) -> Place {
        Place {
            in_error: self.place.in_error || self.place.part == Some(Part::Error),
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
        let (outside, mut values) = (self.inside(), 0);
        let found = self.found;
        while let Some(place) = object.next_key_seed(Key { found, outside })? {
            object.next_value_seed(Value { found, place })?;
            values += 1;
        }
        found.json.hollow += usize::from(values == 0);
        Ok(())
    }
}

/// Reads a key, and says where its value stands.
struct Key<'a> {
    found: &'a mut Found,
    outside: Place,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Place;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Place, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Place;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Place, E> {
        if self.found.said.len() < LEAD {
            self.found.said.push_str(crate::text::head(key, 60));
            self.found.said.push_str(": ");
        }
        Ok(Place {
            part: part(key),
            tells: Tells::of(key).filter(|_| self.outside.depth <= 2),
            ..self.outside
        })
    }
}

impl Json {
    fn count(&mut self, place: Place, value: &str) {
        self.refusals += usize::from(place.tells.is_some_and(|tells| tells.is_refusal(value)));
        self.denials += usize::from(place.tells.is_some_and(|tells| tells.is_denial(value)));
        let something = !matches!(value, "" | "null" | "false" | "0" | "[]" | "{}");
        match place.part {
            Some(Part::Error) => self.errors += usize::from(something),
            Some(Part::Beside) => self.envelope += usize::from(something),
            None if place.in_error => self.envelope += 1,
            None => self.content += usize::from(something),
        }
    }
}
