//! Hostile XML and HTML, derived from a valid document: insertions into every element and every attribute, and many
//! copies of every element.

use std::collections::BTreeSet;

use super::tokens::{ENTITIES, MARKUP, WORDS};
use super::{Shape, Unit, mark};

/// Quotes of both kinds, nested. One repetition of these restores the state of every quote, so the size does not
/// decide whether the tag ends.
const QUOTES: &[u8] = b" '\" '\" '\"";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Xml,
    Html,
}

pub(super) fn shapes(seed: &[u8], turn: usize, dialect: Dialect) -> Vec<Shape> {
    let seed = String::from_utf8_lossy(seed);
    let mut alone = anywhere();
    mark(&mut alone, turn, 2);
    let (mut elements, mut contents, mut attributes) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for tag in tags(&seed) {
        if !seen.insert(tag.name) {
            continue;
        }
        let name = tag.name;
        let (Some(before), Some(opening), Some(after)) = (
            seed.get(..tag.start),
            seed.get(tag.start..tag.end),
            seed.get(tag.end..),
        ) else {
            continue;
        };
        let close = format!("</{name}>");
        if let Some(inner) = after.find(&close)
            && let (Some(element), Some(rest)) = (
                seed.get(tag.start..tag.end + inner + close.len()),
                after.get(inner + close.len()..),
            )
        {
            elements.push(Shape::same(format!("<{name}> repeated"), before, element, rest));
        }
        let into = format!("{before}{opening}");
        for text in MARKUP.iter().chain(&ENTITIES) {
            contents.push(Shape::same(
                format!("in <{name}>: {}", text.escape_debug()),
                into.clone(),
                *text,
                after,
            ));
            if dialect == Dialect::Xml {
                let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
                contents.push(Shape::same(
                    format!("in <{name}>, as text: {}", text.escape_debug()),
                    into.clone(),
                    escaped,
                    after,
                ));
            }
        }
        for text in WORDS {
            contents.push(Shape::same(
                format!("in <{name}>: {}", text.escape_debug()),
                into.clone(),
                text,
                after,
            ));
        }
        let open = opening.trim_end_matches('>').trim_end_matches('/');
        let end = opening.get(open.len()..).unwrap_or(">");
        for (what, unit) in [
            (
                "other attributes",
                Unit::Counted(b" a".to_vec(), b"=\"1\"".to_vec()),
            ),
            ("the same attribute", Unit::Same(b" a=\"1\"".to_vec())),
            (
                "attributes without values",
                Unit::Counted(b" a".to_vec(), Vec::new()),
            ),
            (
                "name spaces",
                Unit::Counted(b" xmlns:a".to_vec(), b"=\"urn:x\"".to_vec()),
            ),
            ("slashes", Unit::Same(b" /".to_vec())),
            ("quotes", Unit::Same(QUOTES.to_vec())),
        ] {
            attributes.push(Shape::new(
                format!("<{name}>: {what}"),
                format!("{before}{open}"),
                unit,
                format!("{end}{after}"),
            ));
        }
        attributes.push(Shape::same(
            format!("<{name}>: quotes, one left open"),
            format!("{before}{open} '"),
            QUOTES,
            format!("{end}{after}"),
        ));
        for (place, quote) in values(open) {
            let (Some(first), Some(rest)) = (open.get(..place), open.get(place..)) else {
                continue;
            };
            let tail = rest.split_once(quote).map_or("", |(_, tail)| tail);
            for text in ["a ", "9", "2026-01-02 ", "&amp;", "/a", "?a=b&", "</div>"] {
                let text = if dialect == Dialect::Xml {
                    text.replace('<', "&lt;")
                } else {
                    text.to_owned()
                };
                attributes.push(Shape::same(
                    format!("<{name}>, a value: {}", text.escape_debug()),
                    format!("{before}{first}"),
                    text,
                    format!("{quote}{tail}{end}{after}"),
                ));
            }
        }
    }
    mark(&mut elements, turn, 1);
    mark(&mut contents, turn, 3);
    mark(&mut attributes, turn, 1);
    [alone, elements, contents, attributes].concat()
}

/// Shapes that need no valid document.
fn anywhere() -> Vec<Shape> {
    let mut out: Vec<Shape> = MARKUP
        .iter()
        .chain(&ENTITIES)
        .map(|text| Shape::same(format!("alone: {}", text.escape_debug()), "", *text, ""))
        .collect();
    for (what, before, first, last, after) in [
        ("many attributes", "<p", " a", "=1", ">x"),
        ("elements of many names", "", "<a", ">", ""),
        ("ids", "", "<h2 id=i", ">x</h2><a href=#i1>y</a>", ""),
        (
            "entities declared",
            "<!DOCTYPE a [",
            "<!ENTITY e",
            " 'x'>",
            "]><a>&e1;</a>",
        ),
    ] {
        let unit = Unit::Counted(first.into(), last.into());
        out.push(Shape::new(format!("alone: {what}"), before, unit, after));
    }
    out.push(Shape::same("alone: a long name", "<", "a", ">x"));
    out.push(Shape::same("alone: a long value", "<p a='", "a>", "'>x"));
    out
}

struct Tag<'s> {
    name: &'s str,
    start: usize,
    end: usize,
}

/// Returns the opening tags of a valid document, approximately.
fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    text.match_indices('<').filter_map(|(start, _)| {
        let rest = text.get(start + 1..)?;
        let name = rest.get(..rest.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?)?;
        let end = start + 2 + rest.find('>')?;
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            .then_some(Tag { name, start, end })
    })
}

/// Returns the positions where the attribute values of a tag begin, and the quote that ends each.
fn values(tag: &str) -> Vec<(usize, char)> {
    tag.match_indices("=\"")
        .map(|(at, _)| (at + 2, '"'))
        .chain(tag.match_indices("='").map(|(at, _)| (at + 2, '\'')))
        .collect()
}
