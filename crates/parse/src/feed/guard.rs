//! What a feed may not be, found out before `feed-rs` reads it: that parser calls itself for some nested
//! elements, and keeps each entry, before anybody can ask it to stop.

use std::cell::Cell;
use std::fmt;

use freshcontext_contract::limits::{FEED_ENTRIES, XML_DEPTH, XML_NAMESPACES};
use quick_xml::Reader;
use quick_xml::encoding::DecodingReader;
use quick_xml::events::{BytesStart, Event};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What there is too much of, as the object of "the feed has".
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    match bytes.iter().find(|byte| matches!(**byte, b'<' | b'{')) {
        Some(b'{') => json(bytes),
        Some(_) => xml(bytes),
        None => Ok(()),
    }
}

/// Elements that hold a date. `feed-rs` tries a text there in many ways.
const DATES: [&str; 5] = ["date", "modified", "published", "pubDate", "updated"];
/// No date is longer.
const DATE_BYTES: usize = 1_024;

fn entries(count: usize) -> Result<(), String> {
    if count > FEED_ENTRIES {
        return Err(format!("more than {FEED_ENTRIES} entries"));
    }
    Ok(())
}

/// Reads with the reader and the settings that `feed-rs` uses, so that it sees the same elements. What is no
/// XML ends here as it ends there, and is refused there.
fn xml(bytes: &[u8]) -> Result<(), String> {
    let mut reader = Reader::from_reader(DecodingReader::new(bytes));
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.trim_markup_names_in_closing_tags = true;
    config.trim_text(false);
    let mut buffer = Vec::new();
    let mut count = 0;
    // For each open element, the namespaces that are declared up to it.
    let mut open: Vec<usize> = Vec::new();
    // Bytes of text since the last tag.
    let mut text = 0;
    let mut is_date = false;
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => {
                (text, is_date) = (0, DATES.contains(&tag.local_name().as_ref()));
                let known = open.last().copied().unwrap_or_default();
                open.push(known + declarations(&tag));
                count += usize::from(matches!(tag.local_name().as_ref(), "entry" | "item"));
                entries(count)?;
            }
            Ok(Event::End(_)) => {
                open.pop();
            }
            Ok(Event::Decl(declaration)) => {
                if let Some(encoding) = declaration.encoder() {
                    reader.get_mut().set_encoding(encoding);
                }
            }
            Ok(Event::Text(part)) => text += part.len(),
            Ok(Event::Eof) | Err(_) => return Ok(()),
            Ok(_) => text += buffer.len(),
        }
        if is_date && text > DATE_BYTES {
            return Err(format!("a date of more than {DATE_BYTES} bytes"));
        }
        if open.len() > XML_DEPTH {
            return Err(format!("elements nested deeper than {XML_DEPTH}"));
        }
        if open.last().is_some_and(|known| *known > XML_NAMESPACES) {
            return Err(format!("more than {XML_NAMESPACES} namespaces at one place"));
        }
    }
}

/// Namespaces that a tag declares, at most.
fn declarations(tag: &BytesStart<'_>) -> usize {
    tag.attributes_raw().matches("xmlns").count()
}

fn json(bytes: &[u8]) -> Result<(), String> {
    let items = Cell::new(0);
    let mut json = serde_json::Deserializer::from_slice(bytes);
    // What does not parse is refused there; what was counted until then stands.
    let _ = Items(&items).deserialize(&mut json);
    entries(items.get())
}

/// Counts the members of `items` at the top of a JSON Feed.
struct Items<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Items<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a feed")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "items" {
                map.next_value_seed(Items(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {
            self.0.set(self.0.get() + 1);
        }
        Ok(())
    }
}
