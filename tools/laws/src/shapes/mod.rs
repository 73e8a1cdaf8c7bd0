//! Hostile bodies of any size, by a rule: something before, one thing over and over, something after.

mod json;
mod markup;
mod packed;
mod plain;
mod tokens;

use std::collections::BTreeSet;

/// What a reader takes, which says how hostile bodies for it are grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// JSON.
    Json,
    /// XML, feeds included.
    Xml,
    /// HTML.
    Html,
    /// Markdown, CSV, prose: lines of text.
    Text,
    /// A header's value or a caller's word: one line.
    Line,
    /// The head of an HTTP request.
    Head,
    /// Bytes in a content coding.
    Packed(Coding),
}

/// Content codings.
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
    /// The format of a body, by its first character and its content type.
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

/// What is repeated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// The same bytes.
    Same(Vec<u8>),
    /// Bytes, the number of the repetition, bytes: names that all differ.
    Counted(Vec<u8>, Vec<u8>),
    /// Bytes with the number of the repetition between each two of them: entries that differ in all they say.
    Differing(Vec<Vec<u8>>),
}

/// One hostile shape. A body of it is `before`, then the unit until the size is reached, then `after`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// What it is, for the report: where it is put and what is repeated.
    pub name: String,
    /// The bytes before what is repeated.
    pub before: Vec<u8>,
    /// What is repeated.
    pub unit: Unit,
    /// The bytes after it.
    pub after: Vec<u8>,
    /// Whether this is one of the few that are tried at every check.
    pub often: bool,
    /// Whether it is a list of values of next to nothing, which take the most memory for their length: what each takes is
    /// told at every check, without a count of instructions.
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

    /// A body of about `size` bytes: not less than the fixed parts and one repetition, and whole units only.
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

/// Every hostile shape for a format, grown out of `seed`, a good body: what is repeated stands where the
/// reader looks. `turn` is the reader's number: the few shapes that are tried often differ from reader to
/// reader, so that all readers together meet all of them.
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

/// Marks `count` of the shapes that `of` picks as tried often, beginning at a place that `turn` gives.
fn mark(shapes: &mut [Shape], turn: usize, count: usize) {
    if shapes.is_empty() {
        return;
    }
    let count = count.min(shapes.len());
    // Far apart, so that neighbours, which are alike, are not tried together.
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
