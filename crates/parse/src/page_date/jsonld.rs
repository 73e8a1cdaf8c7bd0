//! The dates in a page's JSON-LD (<https://schema.org>), read as they stream by: no tree of values is built,
//! which would take many times the text.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Entities of one script that are kept.
const KEPT: usize = 2_000;
/// Entities and lists of one script that are looked at, those nearest to the main entity first.
const LOOKED_AT: usize = 200;

/// The dates of the page's main entity, as written.
#[derive(Debug, Default)]
pub struct Dates {
    /// `datePublished` of an article or a posting.
    pub published: Option<String>,
    /// `datePublished` of the page.
    pub page_published: Option<String>,
    modified: Option<String>,
    page_modified: Option<String>,
}

impl Dates {
    /// `dateModified` of the article, else of the page.
    pub fn modified(&self) -> Option<&str> {
        self.modified.as_deref().or(self.page_modified.as_deref())
    }
}

/// Adds what a script tells. The first that names a date counts; what does not parse tells nothing.
pub fn read(source: &str, found: &mut Dates) {
    let kept = Cell::new(0);
    let mut deserializer = serde_json::Deserializer::from_str(source);
    let Ok(root) = (Reader { kept: &kept }).deserialize(&mut deserializer) else {
        return;
    };
    if deserializer.end().is_err() {
        return;
    }
    let mut queue = vec![root];
    for _ in 0..LOOKED_AT {
        match queue.pop() {
            None => break,
            Some(Value::Nothing | Value::Text(_)) => {}
            Some(Value::List(values)) => queue.extend(values.into_iter().rev()),
            Some(Value::Entity(entity)) => {
                let Entity {
                    parts,
                    kind,
                    published,
                    modified,
                } = *entity;
                queue.extend(parts.into_iter().flatten());
                let (slot, changed) = match kind {
                    Kind::Article => (&mut found.published, &mut found.modified),
                    Kind::Page => (&mut found.page_published, &mut found.page_modified),
                    Kind::Other => continue,
                };
                if slot.is_none() {
                    *slot = published;
                    *changed = modified;
                }
            }
        }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    Article,
    Page,
    #[default]
    Other,
}

fn kind(value: &Value) -> Kind {
    let names: Vec<&str> = match value {
        Value::Text(name) => vec![name],
        Value::List(names) => names
            .iter()
            .filter_map(|name| match name {
                Value::Text(name) => Some(name.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    if names
        .iter()
        .any(|name| name.ends_with("Article") || name.ends_with("Posting"))
    {
        Kind::Article
    } else if names.iter().any(|name| name.ends_with("WebPage")) {
        Kind::Page
    } else {
        Kind::Other
    }
}

/// As much of a value as tells something.
enum Value {
    Nothing,
    Text(String),
    List(Vec<Value>),
    Entity(Box<Entity>),
}

#[derive(Default)]
struct Entity {
    /// `@graph`, `mainEntity`, `mainEntityOfPage`.
    parts: [Option<Value>; 3],
    kind: Kind,
    published: Option<String>,
    modified: Option<String>,
}

/// Reads one value. All readers of a script share the count of what is kept.
#[derive(Clone, Copy)]
struct Reader<'c> {
    kept: &'c Cell<usize>,
}

impl Reader<'_> {
    fn keeps(self) -> bool {
        self.kept.set(self.kept.get() + 1);
        self.kept.get() <= KEPT
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(if self.keeps() {
            Value::Text(text.to_owned())
        } else {
            Value::Nothing
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while self.keeps() {
            let Some(value) = seq.next_element_seed(self)? else {
                return Ok(Value::List(values));
            };
            values.push(value);
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entity = Box::<Entity>::default();
        let kept = self.keeps();
        while let Some(key) = map.next_key::<String>()? {
            let [graph, main, of_page] = &mut entity.parts;
            let text = |value: Value| match value {
                Value::Text(text) => Some(text),
                _ => None,
            };
            match key.as_str() {
                _ if !kept => {
                    map.next_value::<IgnoredAny>()?;
                }
                "@graph" => *graph = Some(map.next_value_seed(self)?),
                "mainEntity" => *main = Some(map.next_value_seed(self)?),
                "mainEntityOfPage" => *of_page = Some(map.next_value_seed(self)?),
                "@type" => entity.kind = kind(&map.next_value_seed(self)?),
                "datePublished" => entity.published = text(map.next_value_seed(self)?),
                "dateModified" => entity.modified = text(map.next_value_seed(self)?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Entity(entity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Dates {
        let mut found = Dates::default();
        read(source, &mut found);
        found
    }

    #[test]
    fn the_main_entity_counts_wherever_it_stands() {
        for source in [
            r#"{"@type":"NewsArticle","datePublished":"2024-05-06","dateModified":"2024-05-07"}"#,
            r#"[{"@type":"Person"},{"@type":["Thing","BlogPosting"],"datePublished":"2024-05-06","dateModified":"2024-05-07"}]"#,
            r#"{"@graph":[{"@type":"WebPage","datePublished":"2020-01-01"},
                {"datePublished":"2024-05-06","@type":"Article","dateModified":"2024-05-07"}]}"#,
            r#"{"@type":"WebPage","mainEntity":{"@type":"Article","datePublished":"2024-05-06","dateModified":"2024-05-07"}}"#,
        ] {
            let found = of(source);
            assert_eq!(found.published.as_deref(), Some("2024-05-06"), "{source}");
            assert_eq!(found.modified(), Some("2024-05-07"), "{source}");
        }
        let page = of(r#"{"@type":"WebPage","datePublished":"2024-05-06","dateModified":"2024-05-07"}"#);
        assert_eq!(page.published, None);
        assert_eq!(page.page_published.as_deref(), Some("2024-05-06"));
        assert_eq!(page.modified(), Some("2024-05-07"));
    }

    #[test]
    fn what_is_broken_or_of_another_kind_tells_nothing() {
        for source in [
            "",
            "{",
            "[1,2",
            r#"{"@type":"Event","datePublished":"2024-05-06"}"#,
            r#"{"@type":"Article","datePublished":["2024-05-06"]}"#,
            r#"{"@type":"Article","datePublished":"2024-05-06"} x"#,
        ] {
            let found = of(source);
            assert!(
                found.published.is_none() && found.modified().is_none(),
                "{source}"
            );
        }
        assert!(of(&"[".repeat(100_000)).published.is_none());
    }

    #[test]
    fn a_long_list_is_read_to_its_end_but_not_kept() {
        let source = format!(
            r#"[{{"@type":"Article","datePublished":"2024-05-06"}}{}]"#,
            ",0".repeat(1 << 20)
        );
        assert_eq!(of(&source).published.as_deref(), Some("2024-05-06"));
        let entities = format!("[{}{{}}]", "{},".repeat(100_000));
        let kept = Cell::new(0);
        let mut deserializer = serde_json::Deserializer::from_str(&entities);
        let Ok(Value::List(values)) = (Reader { kept: &kept }).deserialize(&mut deserializer) else {
            panic!("a list was written");
        };
        assert!(values.len() <= KEPT);
    }
}
