//! A document in parts: its title, date and origin stand once, above its chunks.

use serde_json::Value;
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::names::Field;
use super::shape::Shape;

/// Lists of a document's parts, as chunkers and search interfaces spell them.
const PARTS: [&str; 12] = [
    "chunks",
    "passages",
    "segments",
    "paragraphs",
    "sections",
    "excerpts",
    "fragments",
    "splits",
    "pages",
    "parts",
    "nodes",
    "child_chunks",
];

/// What a document says of each of its parts that does not say it itself. Its id is not that of a part.
const SHARED: [Field; 14] = [
    Field::Source,
    Field::Title,
    Field::Published,
    Field::Modified,
    Field::Created,
    Field::Retrieved,
    Field::Score,
    Field::Distance,
    Field::SourceType,
    Field::DateConfidence,
    Field::FreshnessConfidence,
    Field::HttpStatus,
    Field::MediaType,
    Field::FinalUrl,
];

/// Dates of a document. A part with one of its own has no use for another kind.
const DATES: [Field; 3] = [Field::Published, Field::Created, Field::Modified];

/// The list of a document's parts, with its name.
pub(super) fn parts_of<'v>(
    document: &'v ObjectAsVec<'v>,
    is_part: impl Fn(&Node<'v>) -> bool,
) -> Option<(&'v str, &'v [Node<'v>])> {
    document.iter().find_map(|(name, value)| match value {
        Node::Array(list) if PARTS.contains(&name) && list.iter().any(&is_part) => {
            Some((name, list.as_slice()))
        }
        _ => None,
    })
}

/// A part with what its document says of it.
pub(super) fn within(part: &Node<'_>, document: &ObjectAsVec<'_>) -> Value {
    let mut whole = Value::from(part);
    let (Value::Object(fields), Node::Object(own)) = (&mut whole, part) else {
        return whole;
    };
    let own = Shape::gather(own);
    let shared = Shape::gather(document);
    let has = |field: Field| own.of(field).next().is_some();
    let is_dated = DATES.into_iter().any(has);
    for field in SHARED {
        if has(field) || (is_dated && DATES.contains(&field)) {
            continue;
        }
        for held in shared.of(field) {
            fields.entry(held.name).or_insert_with(|| Value::from(held.value));
        }
    }
    // Without an address, the document's id is where the text is from.
    if !has(Field::Source)
        && shared.of(Field::Source).next().is_none()
        && let Some(id) = shared.of(Field::Id).next()
    {
        fields.entry("source").or_insert_with(|| Value::from(id.value));
    }
    whole
}
