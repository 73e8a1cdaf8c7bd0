//! One version: what it was made from, what is in it, and the chain that versions form.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::definition::Definition;

/// What a source's items are of all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// The newest or best of many: what is missing may have been pushed out.
    Window,
    /// Things that were asked for by name: each says itself when it is gone.
    Named,
}

/// Why a source, or a part of one, could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The source in words, with the part of it where it was only one.
    pub what: String,
    /// The code of the error.
    pub code: String,
    /// Why, in one line.
    pub message: String,
    /// Seconds after which it may be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

/// How a source stood when a version was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Known to be as the source has it.
    Current,
    /// Some of it could not be read; what was read is current.
    Partial,
    /// It could not be checked; what was synced last went in.
    LastUsed,
    /// It could not be checked, and stayed out.
    LeftOut,
}

/// What a version was made from: the source as it stood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The tool.
    pub platform: String,
    /// The resource in canonical form.
    pub resource_id: String,
    /// The same in words.
    pub resource_name: String,
    /// How it stood.
    pub state: State,
    /// When its items left the source; `None` where it was never synced, and where that is not known.
    pub synced_at: Option<String>,
    /// The stored timestamp of the sync, where it is ahead of the clock: the time is then unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synced_at_ahead: Option<String>,
    /// When that was last confirmed.
    pub checked_at: Option<String>,
    /// The source's own mark: a validator, or the newest id.
    pub platform_cursor: Option<String>,
    /// Items that went into the judgement.
    pub item_count: usize,
    /// The newest date of an item.
    pub last_edited_at: Option<String>,
    /// What the items are of all there is.
    pub listing: Listing,
    /// Things that the source itself said to be no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Why it, or parts of it, could not be checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<Trouble>,
}

/// One item of a version, with its judgement at that moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The resource that it is of.
    pub resource: String,
    /// Its id within that.
    pub id: String,
    /// The item as the source's tool gave it.
    pub item: Map<String, Value>,
    /// What was said of it when the version was made.
    pub judged: Map<String, Value>,
}

/// A version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// The deliverable.
    pub name: String,
    /// Its number, from 1.
    pub version: i64,
    /// When it was made, and what everything in it is judged at.
    pub generated_at: String,
    /// What it was to be.
    pub definition: Definition,
    /// What it was made from.
    pub source_snapshots: Vec<Snapshot>,
    /// Every item that was judged, those that did not fit included.
    pub items: Vec<Entry>,
    /// What went in and what stayed out, as `evaluate_context` says it.
    pub selection: Value,
    /// What was allowed and used.
    pub budget: Value,
    /// The blocks that went in, each under its envelope.
    pub blocks: Value,
    /// What is known to be missing.
    pub missing_context: Value,
    /// The whole as Markdown.
    pub markdown: String,
}

/// Hash of a version: SHA-256 over its number, the hash of the one before it, and its body.
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
            // Those before it may have ended.
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
