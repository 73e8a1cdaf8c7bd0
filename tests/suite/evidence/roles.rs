//! What every field with a date is to an item, by the documentation of its source: `fixtures/<source>/dates.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::root;

/// Role of a field for the publication date of an item.
#[derive(Clone, Copy)]
pub enum Role {
    /// The only publication date in the body.
    Publication,
    /// Used as [`Publication`](Self::Publication) if a better date is missing, or if the caller asks for it.
    StandIn,
    /// A publication date that another field also states, so they may contradict each other.
    Second,
    /// Another date, with the reason why it is unrelated to the publication.
    Other(&'static str),
    /// Depends on the item.
    ByItem(fn(&Value) -> Role),
}

use Role::{ByItem, Other, Publication, Second, StandIn};

/// The role of one field.
pub struct Row {
    /// The tool whose answers have it.
    pub tool: &'static str,
    /// The end of the field's path.
    pub field: &'static str,
    /// What it says.
    pub role: Role,
    /// Whether only recordings have a body for it. Where those are absent, nothing is missed of it.
    pub recorded: bool,
}

/// The key of a tool's fields that only recordings have.
const RECORDED: &str = "only in recordings";

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Role(String),
    Fields(Vec<String>),
}

/// The rows of all sources.
#[expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a table that cannot be read must fail the trials that need it"
)]
pub static ROLES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let folders = std::fs::read_dir(root().join("fixtures")).unwrap();
    let texts = folders.flatten().filter_map(|folder| {
        let path = folder.path().join("dates.toml");
        Some((std::fs::read_to_string(&path).ok()?, path))
    });
    let mut rows = Vec::new();
    for (text, path) in texts {
        let tools: BTreeMap<String, BTreeMap<String, Entry>> =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (tool, entries) in tools {
            let tool: &'static str = tool.leak();
            let recorded = match entries.get(RECORDED) {
                Some(Entry::Fields(fields)) => fields.clone(),
                _ => Vec::new(),
            };
            rows.extend(entries.into_iter().filter_map(|(field, entry)| {
                let Entry::Role(role) = entry else { return None };
                Some(Row {
                    tool,
                    recorded: recorded.contains(&field),
                    field: field.leak(),
                    role: named(role),
                })
            }));
        }
    }
    rows
});

/// Whether a table is that of this tool. A source without any date has an empty one.
pub fn has_table(tool: &str) -> bool {
    let folders = std::fs::read_dir(root().join("fixtures")).into_iter().flatten();
    let table = format!("[{tool}]");
    folders.flatten().any(|folder| {
        let text = std::fs::read_to_string(folder.path().join("dates.toml")).unwrap_or_default();
        text.lines().any(|line| line.trim() == table)
    })
}

fn named(role: String) -> Role {
    match role.as_str() {
        "publication" => Publication,
        "stand-in" => StandIn,
        "second" => Second,
        "by-item: first_version" => ByItem(first_version),
        "by-item: version_shown" => ByItem(version_shown),
        _ => Other(role.leak()),
    }
}

/// arXiv's `published` is of the first version, and dates a paper whose first version is the one shown or
/// whose last one is its withdrawal.
fn first_version(item: &Value) -> Role {
    match (
        item["fields"]["withdrawn"] == true,
        item["fields"]["version"] == 1,
    ) {
        (true, _) => Publication,
        (_, true) => Second,
        _ => Other("the first version, not the one shown"),
    }
}

/// arXiv's `updated` is of the version shown.
fn version_shown(item: &Value) -> Role {
    match (
        item["fields"]["withdrawn"] == true,
        item["fields"]["version"] == 1,
    ) {
        (true, _) => Other("the withdrawal"),
        (_, true) => Second,
        _ => Publication,
    }
}
