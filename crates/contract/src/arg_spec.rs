//! Which common arguments a tool takes, and their schemas.

use serde_json::{Map, Value, json};

use crate::limits::MIN_RESULT_CHARS;

/// Which common arguments a tool takes.
#[derive(Debug, Clone, Copy)]
pub struct ArgSpec {
    /// Default of `max_length`, in characters.
    pub max_length: usize,
    /// `limit`: default and largest number of items.
    pub limit: Option<(usize, usize)>,
    /// `since` and `until`.
    pub dates: bool,
    /// `sort`: the orders this tool knows, the default first. Empty for no such argument.
    pub sort: &'static [&'static str],
    /// `cursor`.
    pub cursor: bool,
    /// `max_age`.
    pub max_age: bool,
}

impl ArgSpec {
    /// `max_length` and `max_age` only.
    pub const fn length(max_length: usize) -> Self {
        Self {
            max_length,
            limit: None,
            dates: false,
            sort: &[],
            cursor: false,
            max_age: true,
        }
    }

    /// The schema properties of these arguments, in the order shown to the model. `""`, null and 0 count as not
    /// given, so every number but `max_age` starts at 1 or above.
    pub fn properties(&self) -> Map<String, Value> {
        let mut out = Map::new();
        let mut add = |name: &str, property: Value| {
            out.insert(name.to_owned(), property);
        };
        add("max_length", max_length_property(self.max_length));
        if let Some((default, most)) = self.limit {
            add(
                "limit",
                json!({"type": "integer", "description": "Items", "default": default,
                    "minimum": 1, "maximum": most}),
            );
        }
        if self.dates {
            add("since", json!({"type": "string", "description": "First day"}));
            add("until", json!({"type": "string", "description": "Last day"}));
        }
        if !self.sort.is_empty() {
            add(
                "sort",
                json!({"type": "string", "description": "Order", "enum": self.sort}),
            );
        }
        if self.cursor {
            add("cursor", json!({"type": "string", "description": "Next-Cursor"}));
        }
        add("as_of", as_of_property());
        if self.max_age {
            add(
                "max_age",
                json!({"type": "integer", "description": "Cache, seconds", "minimum": 0}),
            );
        }
        out
    }
}

/// The schema of `max_length`, the same in every tool but for its default.
pub fn max_length_property(default: usize) -> Value {
    json!({"type": "integer", "description": "Characters", "default": default,
        "minimum": MIN_RESULT_CHARS})
}

/// The schema of `as_of`, the same in every tool.
pub fn as_of_property() -> Value {
    json!({"type": "string", "description": "As of 2026-01-31"})
}
