//! Field paths of a document: every field of JSON, every element of XML, every column of a table.

use std::collections::{BTreeMap, BTreeSet};

use freshcontext_contract::Headers;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// JSON: `hits[].title`.
    Json,
    /// XML: `feed/entry/published`.
    Xml,
    /// Comma-separated values: the column's name.
    Csv,
}

impl Form {
    /// Returns the name of the format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Xml => "XML",
            Self::Csv => "CSV",
        }
    }
}

/// Type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// Text, and every value in XML and tables.
    Text,
    /// A list.
    List,
    /// An object.
    Object,
}

impl Kind {
    /// Returns the name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::List => "list",
            Self::Object => "object",
        }
    }

    /// Parses a type's name.
    pub fn parse(name: &str) -> Option<Self> {
        [
            Self::Null,
            Self::Bool,
            Self::Number,
            Self::Text,
            Self::List,
            Self::Object,
        ]
        .into_iter()
        .find(|kind| kind.as_str() == name)
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Bool,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(_) => Self::List,
            Value::Object(_) => Self::Object,
        }
    }
}

/// Occurrences of a path, and their types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of occurrences.
    pub seen: u64,
    /// Number of occurrences that can have child paths.
    pub holds: u64,
    /// Types of the values.
    pub kinds: BTreeSet<Kind>,
}

/// Every path of a document; the document itself has the empty path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(pub BTreeMap<String, Tally>);

impl Places {
    /// Returns the number of parents that could contain this path.
    pub fn holders(&self, place: &str) -> u64 {
        let parent = match place.rfind(['.', '/']) {
            Some(at) => place.get(..at).unwrap_or_default(),
            None => "",
        };
        self.0.get(parent).map_or(0, |tally| tally.holds)
    }

    fn add(&mut self, place: &str, kind: Kind, holds: bool) {
        let tally = self.0.entry(place.to_owned()).or_default();
        tally.seen += 1;
        tally.holds += u64::from(holds);
        tally.kinds.insert(kind);
    }
}

/// Returns the format of a response by its media type and its first character; `None` for pages and plain
/// text.
pub fn form_of(headers: &Headers, body: &[u8]) -> Option<Form> {
    let kind = headers
        .get("content-type")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let first = body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(body)
        .trim_ascii_start()
        .first();
    match first {
        Some(b'{' | b'[') => Some(Form::Json),
        Some(b'<') if kind.contains("html") => None,
        Some(b'<') => Some(Form::Xml),
        Some(_) if kind.contains("csv") => Some(Form::Csv),
        _ => None,
    }
}

/// Returns the paths of a body; `None` if it is not in the format.
pub fn places(body: &[u8], form: Form) -> Option<Places> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}');
    let mut places = Places::default();
    match form {
        Form::Json => {
            let value: Value = serde_json::from_str(text).ok()?;
            of_json(&value, "", &mut places);
        }
        Form::Xml => of_xml(text, &mut places)?,
        Form::Csv => {
            places.add("", Kind::List, true);
            let mut reader = csv::ReaderBuilder::new()
                .flexible(true)
                .from_reader(text.as_bytes());
            for column in reader.headers().ok()? {
                places.add(column.trim(), Kind::Text, false);
            }
        }
    }
    Some(places)
}

fn of_json(value: &Value, at: &str, places: &mut Places) {
    places.add(at, Kind::of(value), value.is_object());
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                of_json(value, &below(at, key), places);
            }
        }
        Value::Array(values) => {
            let each = format!("{at}[]");
            for value in values {
                of_json(value, &each, places);
            }
        }
        _ => {}
    }
}

/// Returns the path of a member. A key with a digit is an identifier (a version, a day) rather than a field.
fn below(at: &str, key: &str) -> String {
    let one_of_many = key.bytes().any(|b| b.is_ascii_digit() || b"./ ".contains(&b));
    let key = if one_of_many { "*" } else { key };
    if at.is_empty() {
        key.to_owned()
    } else {
        format!("{at}.{key}")
    }
}

fn of_xml(text: &str, places: &mut Places) -> Option<()> {
    places.add("", Kind::Object, true);
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut elements = 0_usize;
    loop {
        match reader.read_event().ok()? {
            Event::Eof => return (elements > 0).then_some(()),
            Event::Start(start) => {
                open.push(start.name().as_ref().to_owned());
                places.add(&open.join("/"), Kind::Text, true);
                elements += 1;
            }
            Event::Empty(start) => {
                open.push(start.name().as_ref().to_owned());
                places.add(&open.join("/"), Kind::Text, true);
                open.pop();
                elements += 1;
            }
            Event::End(_) => {
                open.pop();
            }
            _ => {}
        }
    }
}

/// Removes all occurrences of a path from a body; `None` if nothing remains to compare.
pub fn without(body: &[u8], form: Form, place: &str) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok()?;
    match form {
        Form::Json => {
            let mut value: Value = serde_json::from_str(text).ok()?;
            drop_json(&mut value, "", place);
            Some(value.to_string().into_bytes())
        }
        Form::Xml => drop_element(text, place),
        Form::Csv => {
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_bytes());
            let mut rows = reader.records().collect::<Result<Vec<_>, _>>().ok()?;
            let column = rows.first()?.iter().position(|name| name.trim() == place)?;
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
            for row in &mut rows {
                let kept = row.iter().enumerate().filter(|(at, _)| *at != column);
                writer.write_record(kept.map(|(_, cell)| cell)).ok()?;
            }
            writer.into_inner().ok()
        }
    }
}

fn drop_json(value: &mut Value, at: &str, place: &str) {
    match value {
        Value::Object(entries) => {
            entries.retain(|key, _| below(at, key) != place);
            for (key, value) in entries {
                drop_json(value, &below(at, key), place);
            }
        }
        Value::Array(values) => {
            let each = format!("{at}[]");
            for value in values {
                drop_json(value, &each, place);
            }
        }
        _ => {}
    }
}

fn drop_element(text: &str, place: &str) -> Option<Vec<u8>> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<String> = Vec::new();
    let mut out = Vec::new();
    // Depth at which the removed element began.
    let mut leaving: Option<usize> = None;
    let mut from = 0;
    loop {
        let event = reader.read_event().ok()?;
        let to = usize::try_from(reader.buffer_position()).ok()?;
        let piece = text.as_bytes().get(from..to)?;
        from = to;
        match event {
            Event::Eof => return Some(out),
            Event::Start(start) => {
                open.push(start.name().as_ref().to_owned());
                if leaving.is_none() && open.join("/") == place {
                    leaving = Some(open.len());
                }
                if leaving.is_none() {
                    out.extend_from_slice(piece);
                }
            }
            Event::Empty(start) => {
                open.push(start.name().as_ref().to_owned());
                if leaving.is_none() && open.join("/") != place {
                    out.extend_from_slice(piece);
                }
                open.pop();
            }
            Event::End(_) => {
                if leaving.is_none() {
                    out.extend_from_slice(piece);
                }
                if leaving == Some(open.len()) {
                    leaving = None;
                }
                open.pop();
            }
            _ if leaving.is_none() => out.extend_from_slice(piece),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(body: &str, form: Form, place: &str) -> String {
        String::from_utf8(without(body.as_bytes(), form, place).unwrap()).unwrap()
    }

    #[test]
    fn a_place_is_dropped_wherever_it_occurs() {
        let json = r#"{"a":[{"b":1,"c":2},{"b":3}],"versions":{"1.0":{"b":4}}}"#;
        assert_eq!(
            left(json, Form::Json, "a[].b"),
            r#"{"a":[{"c":2},{}],"versions":{"1.0":{"b":4}}}"#
        );
        assert_eq!(
            left(json, Form::Json, "versions.*.b"),
            r#"{"a":[{"b":1,"c":2},{"b":3}],"versions":{"1.0":{}}}"#
        );
        let xml = "<feed><entry><id>1</id><link href='x'/></entry><id>2</id></feed>";
        assert_eq!(
            left(xml, Form::Xml, "feed/entry/id"),
            "<feed><entry><link href='x'/></entry><id>2</id></feed>"
        );
        assert_eq!(
            left(xml, Form::Xml, "feed/entry/link"),
            "<feed><entry><id>1</id></entry><id>2</id></feed>"
        );
        assert_eq!(left("a,b\n1,2\n", Form::Csv, "a"), "b\n2\n");
    }

    #[test]
    fn places_are_counted_with_their_holders() {
        let found = places(br#"{"a": [{"b": 1}, {"b": null}, {}]}"#, Form::Json).unwrap();
        assert_eq!(found.holders("a[].b"), 3);
        let b = &found.0["a[].b"];
        assert_eq!((b.seen, b.kinds.len()), (2, 2));
        assert_eq!(found.holders("a"), 1);
        assert!(places(b"<a>", Form::Json).is_none());
        assert!(places(b"plain", Form::Xml).is_none());
    }
}
