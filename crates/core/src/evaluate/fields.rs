//! Fields as they came, by their names.

use serde_json::Value;
use serde_json_borrow::{ObjectAsVec, Value as Node};

/// A right signal, for errors.
pub(super) const SIGNAL: &str = r#"{"source": "https://example.com/a", "content": "..."}"#;

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
