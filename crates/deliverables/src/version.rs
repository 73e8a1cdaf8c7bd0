//! A version: its sources, its content, and the hash chain of versions.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::definition::Definition;
use crate::matching::Names;

/// How a source's items relate to everything it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// The newest or best of many: a missing item may have been displaced.
    Window,
    /// Items requested by name: each reports its own removal.
    Named,
}

/// Why a source or a part of it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The source in words, with the part if only that failed.
    pub what: String,
    /// The code of the error.
    pub code: String,
    /// Reason in one line.
    pub message: String,
    /// Delay before the next attempt, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

/// State of a source when a version was generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Confirmed as current.
    Current,
    /// Partly unreadable; the rest is current.
    Partial,
    /// Could not be checked; the items of the last sync were used.
    LastUsed,
    /// Could not be checked and was left out.
    LeftOut,
}

/// State of a source that a version was generated from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The tool.
    pub platform: String,
    /// The resource in canonical form.
    pub resource_id: String,
    /// The resource in words.
    pub resource_name: String,
    /// Its state.
    pub state: State,
    /// When its items were fetched; `None` if it was never synced or the time is unknown.
    pub synced_at: Option<String>,
    /// The stored timestamp of the sync if it is ahead of the clock; the time is then unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synced_at_ahead: Option<String>,
    /// When the state was last confirmed.
    pub checked_at: Option<String>,
    /// The source's own cursor: a validator, or the newest id.
    pub platform_cursor: Option<String>,
    /// Number of evaluated items.
    pub item_count: usize,
    /// The newest date of an item.
    pub last_edited_at: Option<String>,
    /// How the items relate to everything the source has.
    pub listing: Listing,
    /// Ids that the source reports as removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Why the source or parts of it could not be checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<Trouble>,
}

/// One item of a version, with its evaluation at that time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its resource.
    pub resource: String,
    /// Its id within the resource.
    pub id: String,
    /// The item as the tool returned it.
    pub item: Map<String, Value>,
    /// Its evaluation when the version was generated.
    pub judged: Map<String, Value>,
}

impl Entry {
    /// Its title, else its id.
    pub fn title(&self) -> &str {
        self.text("title").unwrap_or(&self.id)
    }

    /// What names it.
    pub fn names(&self) -> Names<'_> {
        names_of(&self.id, &self.item)
    }

    /// A text of the item as it is held.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.item.get(name).and_then(Value::as_str)
    }
}

/// What names an item that is held.
pub fn names_of<'a>(id: &'a str, item: &'a Map<String, Value>) -> Names<'a> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let facts = item.get("fields").and_then(Value::as_object);
    let doi = facts.and_then(|facts| facts.get("doi")?.as_str());
    let (title, url) = (text("title"), text("url"));
    // A title may stand in for an id.
    let is_own = text("id").is_some_and(|own| Some(own) != title);
    Names {
        id,
        doi: doi
            .filter(|doi| !doi.is_empty())
            .map(|doi| doi.to_lowercase().into()),
        page: title.zip(url.filter(|url| !url.is_empty())).filter(|_| !is_own),
    }
}

/// A version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The deliverable.
    pub name: String,
    /// Its number, from 1.
    pub version: i64,
    /// Time of generation, and of every evaluation in it.
    pub generated_at: String,
    /// The definition at that time.
    pub definition: Definition,
    /// State of its sources.
    pub source_snapshots: Vec<Snapshot>,
    /// Every evaluated item, including those that did not fit.
    pub items: Vec<Entry>,
    /// Selected and omitted items, in the format of `evaluate_context`.
    pub selection: Value,
    /// Budget and use.
    pub budget: Value,
    /// Selected blocks, each with its envelope.
    pub blocks: Value,
    /// How many independent origins the items have, each named by its id; `None` where every item is its own origin and none disagree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origins: Option<Value>,
    /// Known gaps.
    pub missing_context: Value,
    /// The version as Markdown.
    pub markdown: String,
}

/// Returns the hash of a version: SHA-256 over its number, its predecessor's hash, and its body.
pub fn chain_hash(version: i64, predecessor: Option<&str>, body: &str) -> String {
    let mut hash = Sha256::new();
    for part in [&version.to_string(), predecessor.unwrap_or_default(), body] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    base16ct::lower::encode_string(&hash.finalize())
}

/// Whether versions, `(number, predecessor, hash, body)` in order, follow one another without a gap or a change, and follow
/// `before` (number and hash) where that is known; the number of the first that does not.
pub fn verify_chain<'a>(
    mut before: Option<(i64, &'a str)>,
    versions: impl IntoIterator<Item = (i64, Option<&'a str>, &'a str, &'a str)>,
) -> Result<(), i64> {
    for (version, predecessor, hash, body) in versions {
        let follows = match before {
            Some((number, known)) => version == number + 1 && predecessor == Some(known),
            // Earlier versions may have been deleted.
            None => (version == 1) == predecessor.is_none(),
        };
        if !follows || chain_hash(version, predecessor, body) != hash {
            return Err(version);
        }
        before = Some((version, hash));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_shows_gaps_and_changes() {
        let first = chain_hash(1, None, "a");
        let second = chain_hash(2, Some(&first), "b");
        let third = chain_hash(3, Some(&second), "c");
        let whole = [
            (1, None, first.as_str(), "a"),
            (2, Some(first.as_str()), second.as_str(), "b"),
            (3, Some(second.as_str()), third.as_str(), "c"),
        ];
        assert_eq!(verify_chain(None, whole), Ok(()));
        assert_eq!(verify_chain(None, whole.into_iter().skip(1)), Ok(()));
        assert_eq!(verify_chain(None, [whole[0], whole[2]]), Err(3));
        let rest = || whole.into_iter().skip(1);
        assert_eq!(verify_chain(Some((1, first.as_str())), rest()), Ok(()));
        assert_eq!(verify_chain(Some((1, third.as_str())), rest()), Err(2));
        assert_eq!(verify_chain(Some((0, first.as_str())), rest()), Err(2));
        let mut changed = whole;
        changed[1].3 = "B";
        assert_eq!(verify_chain(None, changed), Err(2));
        let mut cut = whole;
        cut[0].1 = Some("x");
        assert_eq!(verify_chain(None, cut), Err(1));
    }
}
