//! Fields as they came, by their names.

use serde_json_borrow::{ObjectAsVec, Value as Node};

/// A right signal, for errors.
pub(super) const SIGNAL: &str = r#"{"source": "https://example.com/a", "content": "..."}"#;

/// What stands under a name; of two, the last, as in every JSON reader that keeps one.
pub(super) fn last<'a>(fields: &'a ObjectAsVec<'a>, name: &str) -> Option<&'a Node<'a>> {
    let found = fields.iter().filter(|(known, _)| *known == name).last();
    found.map(|(_, value)| value)
}
