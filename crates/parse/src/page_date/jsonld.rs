//! The dates in a page's JSON-LD (<https://schema.org>), read as they stream by: no tree of values is built,
//! which would take many times the text.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Entities of one script that are kept.
const KEPT: usize = 2_000;
/// Entities and lists of one script that are looked at, those nearest to the main entity first.
const LOOKED_AT: usize = 200;

/// Articles and pages that are kept.
const ENTITIES: usize = 50;

/// An article or a page that JSON-LD describes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Described {
    /// `datePublished`, as written.
    pub published: Option<String>,
    /// `dateModified`, as written.
    pub modified: Option<String>,
    /// Where it stands: `url`, `mainEntityOfPage`, `@id`.
    pub addresses: Vec<String>,
    /// `headline`, else `name`.
    pub headline: Option<String>,
}

/// What the scripts of a page describe, in their order, those nearest to the main entity first.
#[derive(Debug, Default)]
pub struct Entities {
    /// Articles and postings.
    pub articles: Vec<Described>,
    /// Pages.
    pub pages: Vec<Described>,
}

/// Adds what a script tells. What does not parse tells nothing.
pub fn read(source: &str, found: &mut Entities) {
    let source = bare(source);
    let Some(root) = parsed(source).or_else(|| {
        // A line break or a tab within a string breaks it; outside of strings a blank is as good.
        // A comma before a bracket that closes is one too many.
        parsed(&without_spare_commas(
            &source.replace(|c: char| c.is_ascii_control(), " "),
        ))
    }) else {
        return;
    };
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
                    described,
                } = *entity;
                queue.extend(parts.into_iter().flatten());
                let list = match kind {
                    Kind::Article => &mut found.articles,
                    Kind::Page => &mut found.pages,
                    Kind::Other => continue,
                };
                let dated = described.published.is_some() || described.modified.is_some();
                if dated && list.len() < ENTITIES {
                    list.push(described);
                }
            }
        }
    }
}

fn parsed(source: &str) -> Option<Value> {
    let kept = Cell::new(0);
    let mut deserializer = serde_json::Deserializer::from_str(source);
    let root = (Reader { kept: &kept }).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok().map(|()| root)
}

/// A text with blanks in place of the commas that stand outside of strings and before a closing bracket, which templates
/// leave behind the last entry of a list.
fn without_spare_commas(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let (mut in_string, mut escaped) = (false, false);
    // A comma and the blanks behind it, until it is known what follows.
    let mut comma: Option<usize> = None;
    for c in source.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            out.push(c);
            continue;
        }
        match comma {
            Some(blanks) if c == ' ' => {
                comma = Some(blanks + 1);
                continue;
            }
            Some(blanks) => {
                out.push(if matches!(c, ']' | '}') { ' ' } else { ',' });
                out.extend(std::iter::repeat_n(' ', blanks));
                comma = None;
            }
            None => {}
        }
        if c == ',' {
            comma = Some(0);
        } else {
            in_string = c == '"';
            out.push(c);
        }
    }
    out
}

/// The JSON of a script without what pages put around it: CDATA marks, comments, a semicolon.
fn bare(source: &str) -> &str {
    const OPEN: [&str; 4] = ["<![CDATA[", "<!--", "//", "\u{feff}"];
    const CLOSE: [&str; 5] = ["]]>", "-->", "//", ";", "\0"];
    // A comment around a mark, whole: `/*<![CDATA[*/`.
    let comment = |text: &str| -> Option<usize> {
        let inner = text.strip_prefix("/*")?.split_once("*/")?.0;
        (inner.len() < 60).then_some(inner.len() + 4)
    };
    let mut text = source.trim();
    loop {
        let next = OPEN.iter().find_map(|mark| text.strip_prefix(mark));
        let next = next.or_else(|| comment(text).and_then(|length| text.get(length..)));
        match next {
            Some(next) => text = next.trim_start(),
            None => break,
        }
    }
    loop {
        let next = CLOSE.iter().find_map(|mark| text.strip_suffix(mark));
        let next = next.or_else(|| {
            let before = text.strip_suffix("*/")?;
            before
                .rsplit_once("/*")
                .filter(|(_, inner)| inner.len() < 60)
                .map(|(before, _)| before)
        });
        match next {
            Some(next) => text = next.trim_end(),
            None => return text,
        }
    }
}

/// Further works that a page may be.
const WORKS: [&str; 4] = ["HowTo", "PodcastEpisode", "Recipe", "Report"];

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
        .any(|name| name.ends_with("Article") || name.ends_with("Posting") || WORKS.contains(name))
    {
        Kind::Article
    } else if names.iter().any(|name| name.ends_with("Page")) {
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
    described: Described,
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
            let described = &mut entity.described;
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
                "mainEntityOfPage" => {
                    let value = map.next_value_seed(self)?;
                    match &value {
                        Value::Text(address) => described.addresses.push(address.clone()),
                        Value::Entity(page) => described
                            .addresses
                            .extend(page.described.addresses.iter().cloned()),
                        _ => {}
                    }
                    *of_page = Some(value);
                }
                "@type" => entity.kind = kind(&map.next_value_seed(self)?),
                "datePublished" => described.published = text(map.next_value_seed(self)?),
                "dateModified" => described.modified = text(map.next_value_seed(self)?),
                "url" | "@id" => described.addresses.extend(text(map.next_value_seed(self)?)),
                "headline" => described.headline = text(map.next_value_seed(self)?),
                "name" => {
                    let name = text(map.next_value_seed(self)?);
                    described.headline = described.headline.take().or(name);
                }
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

    fn of(source: &str) -> Entities {
        let mut found = Entities::default();
        read(source, &mut found);
        found
    }

    fn published(source: &str) -> Option<String> {
        of(source)
            .articles
            .first()
            .and_then(|article| article.published.clone())
    }

    #[test]
    fn articles_are_found_wherever_they_stand() {
        for source in [
            r#"{"@type":"NewsArticle","datePublished":"2024-05-06","dateModified":"2024-05-07"}"#,
            r#"[{"@type":"Person"},{"@type":["Thing","BlogPosting"],"datePublished":"2024-05-06","dateModified":"2024-05-07"}]"#,
            r#"{"@graph":[{"@type":"WebPage","datePublished":"2020-01-01"},
                {"datePublished":"2024-05-06","@type":"Article","dateModified":"2024-05-07"}]}"#,
            r#"{"@type":"WebPage","mainEntity":{"@type":"Article","datePublished":"2024-05-06","dateModified":"2024-05-07"}}"#,
        ] {
            let found = of(source);
            let [article] = found.articles.as_slice() else {
                panic!("{source}")
            };
            assert_eq!(article.published.as_deref(), Some("2024-05-06"), "{source}");
            assert_eq!(article.modified.as_deref(), Some("2024-05-07"), "{source}");
        }
        let page = of(r#"{"@type":"WebPage","datePublished":"2024-05-06","dateModified":"2024-05-07"}"#);
        assert!(page.articles.is_empty());
        assert_eq!(page.pages[0].published.as_deref(), Some("2024-05-06"));
        assert_eq!(page.pages[0].modified.as_deref(), Some("2024-05-07"));
    }

    #[test]
    fn an_article_says_where_it_stands() {
        let source = r#"{"@type":"Article","datePublished":"2024-05-06","name":"N","headline":"H","url":"/a",
            "mainEntityOfPage":{"@type":"WebPage","@id":"https://example.org/a"}}"#;
        let article = of(source).articles.remove(0);
        assert_eq!(article.headline.as_deref(), Some("H"));
        assert_eq!(article.addresses, ["/a", "https://example.org/a"]);
    }

    #[test]
    fn what_stands_around_the_json_does_not_lose_it() {
        let json = r#"{"@type":"Article","headline":"a // b; c","datePublished":"2024-05-06"}"#;
        for source in [
            format!("//<![CDATA[\n{json}\n//]]>"),
            format!("// <![CDATA[ \n{json}\n// ]]>"),
            format!("/*<![CDATA[*/ {json} /*]]>*/"),
            format!("<![CDATA[{json}]]>"),
            format!("<!--\n{json}\n//-->"),
            format!("/* the article */ {json};"),
            format!("\u{feff}{json} ;\n"),
            json.replace("a //", "a\t//"),
            json.replace("a //", "a\n//"),
            json.replace('}', " , }"),
            format!("[{json},\n]"),
            json.replace("a // b; c", "a \\\",] b, }").replace('}', ",}"),
        ] {
            assert_eq!(published(&source).as_deref(), Some("2024-05-06"), "{source}");
        }
    }

    #[test]
    fn what_is_broken_or_of_another_kind_tells_nothing() {
        for source in [
            "",
            "{",
            "[1,2",
            ";;",
            "/*",
            "*/",
            r#"{"@type":"Event","datePublished":"2024-05-06"}"#,
            r#"{"@type":"Article","datePublished":["2024-05-06"]}"#,
            r#"{"@type":"Article","datePublished":"2024-05-06"} x"#,
        ] {
            assert!(of(source).articles.is_empty(), "{source}");
        }
        assert!(of(&"[".repeat(100_000)).articles.is_empty());
    }

    #[test]
    fn a_long_list_is_read_to_its_end_but_not_kept() {
        let source = format!(
            r#"[{{"@type":"Article","datePublished":"2024-05-06"}}{}]"#,
            ",0".repeat(1 << 20)
        );
        assert_eq!(published(&source).as_deref(), Some("2024-05-06"));
        let entities = format!("[{}{{}}]", "{},".repeat(100_000));
        let kept = Cell::new(0);
        let mut deserializer = serde_json::Deserializer::from_str(&entities);
        let Ok(Value::List(values)) = (Reader { kept: &kept }).deserialize(&mut deserializer) else {
            panic!("a list was written");
        };
        assert!(values.len() <= KEPT);
    }
}
