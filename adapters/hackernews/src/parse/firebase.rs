//! The item interface: lists of ids and single items.

use freshcontext_contract::{
    DateEvidence, Item, Response, SourceError, StandingEvidence, StandingState, quoted,
};
use freshcontext_parse::json;
use serde::Deserialize;
use serde_json::Value;

use super::post::{KILLERS, Post};

/// One item. Everything but the id may be missing.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "json::or_absent")])]
#[derive(Debug, Deserialize)]
struct Wire {
    id: u64,
    #[serde(rename = "type")]
    kind: Option<String>,
    by: Option<String>,
    time: Option<i64>,
    title: Option<String>,
    url: Option<String>,
    text: Option<String>,
    score: Option<i64>,
    descendants: Option<u64>,
    kids: Option<Vec<u64>>,
    parent: Option<u64>,
    deleted: Option<bool>,
    dead: Option<bool>,
}

/// An item and the ids of its comments, in the order of the site.
#[derive(Debug)]
pub struct Node {
    /// The item.
    pub item: Item,
    /// Its direct comments.
    pub kids: Vec<u64>,
}

/// Reads a list of ids.
pub fn ids(response: &Response) -> Result<Vec<u64>, SourceError> {
    id_list(json::of(response, "Hacker News list")?)
}

fn id_list(value: Value) -> Result<Vec<u64>, SourceError> {
    refusal(&value)?;
    serde_json::from_value::<Vec<u64>>(value).map_err(|error| {
        SourceError::malformed("Hacker News list: not a list of item numbers").caused_by(error)
    })
}

/// Reads one item. Unknown items are the word `null` with status 200.
pub fn item(response: &Response, whole_text: bool) -> Result<Node, SourceError> {
    node(json::of(response, "Hacker News item")?, whole_text)
}

fn node(value: Value, whole_text: bool) -> Result<Node, SourceError> {
    if value.is_null() {
        return Err(SourceError::not_found("Hacker News has no such item"));
    }
    refusal(&value)?;
    let wire: Wire = serde_json::from_value(value).map_err(|error| {
        SourceError::malformed("Hacker News item: the answer has no `id`").caused_by(error)
    })?;
    if wire.deleted == Some(true) {
        let sign = StandingEvidence::field(StandingState::Removed, "deleted", "true").by("author");
        return Err(SourceError::not_found("this Hacker News item was deleted").standing(sign));
    }
    if wire.dead == Some(true) {
        let message = format!("this Hacker News item is dead: killed by {KILLERS}");
        let sign = StandingEvidence::field(StandingState::Removed, "dead", "true").by(KILLERS);
        return Err(SourceError::not_found(message).standing(sign));
    }
    let is_comment = wire.kind.as_deref() == Some("comment");
    let post = Post {
        id: wire.id,
        title: wire.title,
        url: wire.url,
        author: wire.by,
        points: wire.score,
        comments: wire.descendants,
        text: wire.text,
        date: DateEvidence::optional_field("time", wire.time),
        story: is_comment.then_some((None, None)),
        parent: wire.parent.filter(|_| is_comment),
        kind: wire.kind,
        ..Post::default()
    };
    let item = post
        .into_item(whole_text)
        .ok_or_else(|| SourceError::malformed("Hacker News item: neither a title nor a text"))?;
    Ok(Node {
        item,
        kids: wire.kids.unwrap_or_default(),
    })
}

/// `{"error": "..."}` is a refusal, whatever the status.
fn refusal(value: &Value) -> Result<(), SourceError> {
    match value.get("error").and_then(Value::as_str) {
        Some(error) => {
            let message = format!(
                "Hacker News answered with an error: {}",
                quoted(&super::post::title_text(error))
            );
            Err(SourceError::upstream(message))
        }
        None => Ok(()),
    }
}

/// As [`item`], from text, for tests.
#[cfg(test)]
pub fn from_text(text: &str) -> Result<Node, SourceError> {
    node(json::parse(text, "Hacker News item")?, true)
}

/// As [`ids`], from text, for tests.
#[cfg(test)]
pub fn ids_from_text(text: &str) -> Result<Vec<u64>, SourceError> {
    id_list(json::parse(text, "Hacker News list")?)
}
