//! Fields as they came, by their names.

use serde_json::{Map, Value};
use serde_json_borrow::{ObjectAsVec, Value as Node};

/// What stands under a name; of two, the last, as in every JSON reader that keeps one.
pub(super) fn last<'a>(fields: &'a ObjectAsVec<'a>, name: &str) -> Option<&'a Node<'a>> {
    let found = fields.iter().filter(|(known, _)| *known == name).last();
    found.map(|(_, value)| value)
}

/// A value whose texts are borrowed. The library's own conversion looks through all the keys of an object for each of them:
/// with 90,000 it takes half a minute.
pub(super) fn borrowed(value: &Value) -> Node<'_> {
    match value {
        Value::Array(values) => Node::Array(values.iter().map(borrowed).collect()),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.as_str(), borrowed(value)));
            Node::Object(fields.collect())
        }
        plain => Node::from(plain),
    }
}

/// The facts of a signal as values of their own: at most so many of each object and list, and so deep.
pub(super) fn owned(fields: &ObjectAsVec<'_>) -> Map<String, Value> {
    within(fields, DEPTH)
}

/// Facts of an object, and elements of a list, that are kept.
const ENTRIES: usize = 60;
/// Levels of nesting that are kept.
const DEPTH: usize = 6;

fn within(fields: &ObjectAsVec<'_>, depth: usize) -> Map<String, Value> {
    let kept = fields.iter().take(ENTRIES);
    kept.map(|(name, value)| (name.to_owned(), value_within(value, depth)))
        .collect()
}

fn value_within(value: &Node<'_>, depth: usize) -> Value {
    match value {
        Node::Object(_) | Node::Array(_) if depth == 0 => Value::Null,
        Node::Object(fields) => Value::Object(within(fields, depth - 1)),
        Node::Array(values) => {
            let kept = values.iter().take(ENTRIES);
            kept.map(|value| value_within(value, depth - 1)).collect()
        }
        plain => Value::from(plain),
    }
}
