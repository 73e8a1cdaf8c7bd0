//! A document in parts: its title, date and origin stand once, above its chunks.

use serde_json::{Map, Value};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::fields::last;
use super::names::{Field, NESTS, meaning};
use super::shape::Shape;
use super::text::is_blank;

/// Lists of a document's parts, as chunkers and search interfaces spell them.
const PARTS: [&str; 18] = [
    "chunks",
    "passages",
    "segments",
    "paragraphs",
    "sections",
    "excerpts",
    "extracts",
    "fragments",
    "splits",
    "pages",
    "parts",
    "nodes",
    "elements",
    "child_chunks",
    "content_chunks",
    "document_chunks",
    "text_chunks",
    "top_chunks",
];

/// Dates of a document. A part with one of its own has no use for another kind.
const DATES: [Field; 3] = [Field::Published, Field::Created, Field::Modified];

/// Most that a document says of each part, in bytes. One that says more is not taken apart: what restricts its use would be lost.
const SAID_BYTES: usize = 8_192;
/// Most that all documents of a call say of all their parts, in bytes. What comes behind is not taken apart.
const REPEATED_BYTES: usize = 16 << 20;
/// What a value takes besides its text, in bytes, roughly.
const VALUE_BYTES: usize = 64;

/// A document in parts.
#[derive(Debug)]
pub(super) struct InParts<'v> {
    /// The lists of its parts, each with its name.
    pub lists: Vec<(&'v str, &'v [Node<'v>])>,
    /// The object that holds them, where that is not the outermost: `_source` of a hit.
    nest: Option<&'v str>,
    /// What the document says of each, in bytes.
    said: usize,
}

/// What may still be repeated.
#[derive(Debug)]
pub(super) struct Left(usize);

impl Default for Left {
    fn default() -> Self {
        Self(REPEATED_BYTES)
    }
}

impl Left {
    /// Whether there is room for what the document says of all its parts; if so, it is taken.
    pub(super) fn take(&mut self, parts: &InParts<'_>) -> bool {
        let count: usize = parts.lists.iter().map(|(_, list)| list.len()).sum();
        let left = self.0.checked_sub(count.saturating_mul(parts.said));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Whether a value is a part: a text, or what `is_part` says.
pub(super) fn is_text(part: &Node<'_>) -> bool {
    matches!(part, Node::Str(text) if !is_blank(text))
}

/// The parts of a document.
pub(super) fn parts_of<'v>(
    document: &'v ObjectAsVec<'v>,
    is_part: impl Fn(&Node<'v>) -> bool,
) -> Option<InParts<'v>> {
    let lists_of = |object: &'v ObjectAsVec<'v>| {
        let lists = object.iter().filter_map(|(name, value)| match value {
            Node::Array(list) if PARTS.contains(&name) && list.iter().any(&is_part) => {
                Some((name, list.as_slice()))
            }
            _ => None,
        });
        lists.collect::<Vec<_>>()
    };
    let mut found = InParts {
        lists: lists_of(document),
        nest: None,
        said: 0,
    };
    if found.lists.is_empty() {
        let mut nests = document.iter().filter_map(|(name, value)| match value {
            // What has a role is a message to or from a model.
            Node::Object(inner) if NESTS.contains(&name) && last(inner, "role").is_none() => {
                Some((name, lists_of(inner)))
            }
            _ => None,
        });
        let (nest, lists) = nests.find(|(_, lists)| !lists.is_empty())?;
        (found.lists, found.nest) = (lists, Some(nest));
    }
    found.said = found.said_by(document).map(|(_, value)| size(value)).sum();
    (found.said <= SAID_BYTES).then_some(found)
}

impl<'v> InParts<'v> {
    /// What a document says of its parts: all but its id, its text and the parts.
    fn said_by(&self, document: &'v ObjectAsVec<'v>) -> impl Iterator<Item = (&'v str, &'v Node<'v>)> {
        let nest = self.nest;
        let inner = match nest.and_then(|nest| last(document, nest)) {
            Some(Node::Object(inner)) => Some(inner),
            _ => None,
        };
        let outer = document.iter().filter(move |(name, _)| Some(*name) != nest);
        let all = outer.chain(inner.into_iter().flat_map(ObjectAsVec::iter));
        all.filter(|(name, value)| {
            let is_own = meaning(name).is_some_and(|(field, _)| matches!(field, Field::Id | Field::Content));
            !is_own && is_said(value) && !PARTS.contains(name)
        })
    }
}

/// The bytes of a value, roughly; no more of it is looked at than counts.
fn size(value: &Node<'_>) -> usize {
    fn add(value: &Node<'_>, sum: &mut usize) {
        *sum += VALUE_BYTES;
        match value {
            _ if *sum > SAID_BYTES => {}
            Node::Str(text) => *sum += text.len(),
            Node::Array(list) => list.iter().for_each(|value| add(value, sum)),
            Node::Object(fields) => fields.iter().for_each(|(name, value)| {
                *sum += name.len();
                add(value, sum);
            }),
            _ => {}
        }
    }
    let mut sum = 0;
    add(value, &mut sum);
    sum
}

/// A document, and what it says of each of its parts.
#[derive(Debug)]
pub(super) struct Document<'v> {
    /// Its fields, each with what it means, but for its id, its text and its lists.
    fields: Vec<(&'v str, Option<Field>, &'v Node<'v>)>,
    /// Its id.
    id: Option<&'v Node<'v>>,
    has_address: bool,
}

impl<'v> Document<'v> {
    /// What a document says of its parts. What has neither title nor address is the answer of an interface: its moment dates no document.
    pub(super) fn read(document: &'v ObjectAsVec<'v>, parts: &InParts<'v>) -> Self {
        let shape = Shape::gather(document);
        let of = |field| {
            shape
                .of(field)
                .map(|held| held.value)
                .find(|value| is_said(value))
        };
        let has_address = of(Field::Source).is_some();
        let is_document = has_address || of(Field::Title).is_some();
        let said = parts.said_by(document);
        let said = said.map(|(name, value)| (name, meaning(name).map(|(field, _)| field), value));
        let counts = |field: Option<Field>| is_document || !field.is_some_and(|field| DATES.contains(&field));
        Self {
            fields: said.filter(|(_, field, _)| counts(*field)).collect(),
            id: of(Field::Id).filter(|id| is_document && size(id) <= SAID_BYTES),
            has_address,
        }
    }

    /// A part with what its document says of it. What the part says itself counts.
    pub(super) fn around(&self, part: &Node<'_>) -> Value {
        let mut whole = match part {
            Node::Str(text) => Value::Object(Map::from_iter([("content".to_owned(), text.as_ref().into())])),
            other => Value::from(other),
        };
        let nothing = ObjectAsVec::default();
        let part = match part {
            Node::Object(fields) => fields,
            _ => &nothing,
        };
        let Value::Object(fields) = &mut whole else {
            return whole;
        };
        let own = Shape::gather(part);
        let says = |field: Field| own.of(field).any(|held| is_said(held.value));
        let is_dated = DATES.into_iter().any(says);
        for (name, field, value) in &self.fields {
            let is_told = field.is_some_and(|field| says(field) || (is_dated && DATES.contains(&field)));
            match fields.get_mut(*name) {
                Some(Value::Object(inner)) => {
                    if let Node::Object(outer) = value {
                        let outer = outer.iter().filter(|(name, value)| {
                            let told = meaning(name).is_some_and(|(field, _)| {
                                says(field) || (is_dated && DATES.contains(&field)) || field == Field::Id
                            });
                            !told && is_said(value)
                        });
                        for (name, value) in outer {
                            let place = inner.entry(name).or_insert(Value::Null);
                            if place.is_null() {
                                *place = Value::from(value);
                            }
                        }
                    }
                }
                Some(Value::Null) | None if !is_told => {
                    fields.insert((*name).to_owned(), Value::from(*value));
                }
                _ => {}
            }
        }
        if let Some(id) = self.id {
            // The id leads back to the document; without an address, it is where the text is from, too.
            if !says(Field::Id) {
                fields.insert("id".to_owned(), Value::from(id));
            }
            if !says(Field::Source) && !self.has_address {
                fields.insert("source".to_owned(), Value::from(id));
            }
        }
        whole
    }
}

fn is_said(value: &Node<'_>) -> bool {
    !matches!(value, Node::Null)
}
