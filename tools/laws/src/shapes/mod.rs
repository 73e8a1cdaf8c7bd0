//! Hostile bodies of any size: a prefix, a repeated unit, a suffix.

mod json;
mod markup;
mod packed;
mod plain;
mod tokens;

use std::collections::BTreeSet;

/// Input format of a reader, which determines its hostile bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// JSON.
    Json,
    /// XML, feeds included.
    Xml,
    /// HTML.
    Html,
    /// Markdown, CSV or prose: lines of text.
    Text,
    /// A header value or a caller's argument: one line.
    Line,
    /// The head of an HTTP request.
    Head,
    /// Bytes in a content coding.
    Packed(Coding),
}

/// Content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coding {
    /// RFC 1952.
    Gzip,
    /// RFC 1950 and 1951.
    Deflate,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
}

impl Format {
    /// Detects the format of a body from its first character and its content type.
    pub fn of(body: &[u8], content_type: &str) -> Self {
        let start = body.trim_ascii_start();
        let begins = |with: &[u8]| {
            start
                .get(..with.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(with))
        };
        if content_type.contains("json") || begins(b"{") || begins(b"[") {
            Self::Json
        } else if begins(b"<!doctype html") || begins(b"<html") || content_type.contains("html") {
            Self::Html
        } else if begins(b"<") || content_type.contains("xml") {
            Self::Xml
        } else {
            Self::Text
        }
    }
}

/// The repeated part of a shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// The same bytes.
    Same(Vec<u8>),
    /// Bytes, the repetition's number, bytes: distinct names.
    Counted(Vec<u8>, Vec<u8>),
    /// Pieces with the repetition's number between them: entries that differ in every text.
    Differing(Vec<Vec<u8>>),
}

/// One hostile shape. Its body is `before`, then the unit until the size is reached, then `after`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Description for the report: the place and the repeated text.
    pub name: String,
    /// Bytes before the repeated unit.
    pub before: Vec<u8>,
    /// The repeated unit.
    pub unit: Unit,
    /// Bytes after the repeated unit.
    pub after: Vec<u8>,
    /// Whether every check tries this shape.
    pub often: bool,
    /// Whether the shape is a list of minimal values, which take the most memory for their length. Every check
    /// measures their memory, without counting instructions.
    pub crumbs: bool,
}

impl Shape {
    fn new(
        name: impl Into<String>,
        before: impl Into<Vec<u8>>,
        unit: Unit,
        after: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            name: name.into(),
            before: before.into(),
            unit,
            after: after.into(),
            often: false,
            crumbs: false,
        }
    }

    fn same(
        name: impl Into<String>,
        before: impl Into<Vec<u8>>,
        unit: impl Into<Vec<u8>>,
        after: impl Into<Vec<u8>>,
    ) -> Self {
        Self::new(name, before, Unit::Same(unit.into()), after)
    }

    /// Builds a body of about `size` bytes: at least the fixed parts and one repetition, and only whole units.
    pub fn body(&self, size: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(size + self.after.len() + 64);
        out.extend_from_slice(&self.before);
        let until = size.saturating_sub(self.after.len()).max(self.before.len() + 1);
        let mut count = 0_u64;
        while out.len() < until {
            match &self.unit {
                Unit::Same(unit) => out.extend_from_slice(unit),
                Unit::Differing(parts) => out.extend_from_slice(&parts.join(count.to_string().as_bytes())),
                Unit::Counted(first, last) => {
                    out.extend_from_slice(first);
                    out.extend_from_slice(count.to_string().as_bytes());
                    out.extend_from_slice(last);
                }
            }
            count += 1;
        }
        out.extend_from_slice(&self.after);
        out
    }
}

/// Returns every hostile shape for a format, derived from the valid body `seed`, so that the repetition is in a place
/// that the reader reads. `turn` is the reader's number: the few shapes of every check differ from reader to reader,
/// so that all readers together cover all shapes.
pub fn shapes(format: Format, seed: &[u8], turn: usize) -> Vec<Shape> {
    let mut all = match format {
        Format::Json => json::shapes(seed, turn),
        Format::Xml => markup::shapes(seed, turn, markup::Dialect::Xml),
        Format::Html => markup::shapes(seed, turn, markup::Dialect::Html),
        Format::Text => plain::text(seed, turn),
        Format::Line => plain::line(seed),
        Format::Head => plain::head(),
        Format::Packed(coding) => packed::shapes(coding),
    };
    let mut seen = BTreeSet::new();
    all.retain(|shape| seen.insert((shape.before.clone(), shape.unit.clone())));
    all
}

/// Marks `count` of the shapes for every check. `turn` determines the first one.
fn mark(shapes: &mut [Shape], turn: usize, count: usize) {
    if shapes.is_empty() {
        return;
    }
    let count = count.min(shapes.len());
    // Spread out, because neighbours are similar.
    let stride = shapes.len().div_ceil(count).max(1);
    for number in 0..count {
        let place = (turn + number * stride) % shapes.len();
        if let Some(shape) = shapes.get_mut(place) {
            shape.often = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_has_its_parts_and_its_size() {
        let shape = Shape::same("x", "<a ", "b=1 ", ">");
        assert_eq!(shape.body(0), b"<a b=1 >");
        let body = shape.body(1_000);
        assert!((996..1_010).contains(&body.len()), "{}", body.len());
        let counted = Shape::new("x", "", Unit::Counted(b"k".to_vec(), b",".to_vec()), "");
        assert_eq!(counted.body(6), b"k0,k1,");
    }

    #[test]
    fn shapes_reach_into_a_good_body() {
        let seed = br#"{"hits": [{"id": 1, "text": "a b"}], "n": {"at": "2026-01-02"}}"#;
        let names: Vec<String> = shapes(Format::Json, seed, 0)
            .into_iter()
            .map(|shape| shape.name)
            .collect();
        for expected in [
            "hits[] repeated",
            "hits[] differing",
            "hits[].text: <div>",
            "n.at: 9",
            "hits[].id: digits",
        ] {
            assert!(
                names.iter().any(|name| name == expected),
                "{expected} is not in {names:?}"
            );
        }
        let bodies = shapes(Format::Json, seed, 0);
        let grown = bodies
            .iter()
            .find(|shape| shape.name == "hits[].text: <div>")
            .unwrap();
        let value: serde_json::Value = serde_json::from_slice(&grown.body(500)).unwrap();
        assert!(
            value["hits"][0]["text"]
                .as_str()
                .unwrap()
                .starts_with("<div><div>")
        );
        assert_eq!(value["n"]["at"], "2026-01-02");
    }

    #[test]
    fn all_readers_together_meet_every_token() {
        let seed = b"<feed><title>t</title></feed>";
        let every = shapes(Format::Xml, seed, 0);
        let mut met = BTreeSet::new();
        for turn in 0..every.len() {
            let often = shapes(Format::Xml, seed, turn)
                .into_iter()
                .filter(|shape| shape.often);
            met.extend(often.map(|shape| shape.name));
        }
        assert_eq!(
            met.len(),
            every
                .iter()
                .map(|shape| &shape.name)
                .collect::<BTreeSet<_>>()
                .len()
        );
    }
}
