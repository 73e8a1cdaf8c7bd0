//! What a signal holds and nothing read: named, so that a caller learns why a date is missing.

use std::collections::BTreeMap;

use freshcontext_contract::quote::{closed, code};
use serde_json_borrow::Value as Node;

use super::text::{is_address, is_blank};
use crate::date::read_date;
use crate::sanitize::{clean_line, cut_marked};

/// Longest name that is repeated, in characters.
const NAME: usize = 60;
/// As many names a note lists.
const LISTED: usize = 20;
/// A text of more characters says something, whatever its name.
const LONG: usize = 100;
/// So does one of so many words.
const SENTENCE: usize = 8;
/// How deep unknown objects are looked into.
const DEEPEST: usize = 3;

/// What a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Looks {
    Date,
    Text,
    Address,
    Distance,
    Score,
    /// It is of a kind that its field cannot have.
    Odd,
}

impl Looks {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Date, "look like dates"),
        (Self::Text, "look like texts"),
        (Self::Address, "look like addresses"),
        (Self::Distance, "look like the distances of a search"),
        (Self::Score, "look like the scores of a search"),
        (Self::Odd, "are not of a kind that can be read there"),
    ];
}

/// A field that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unread {
    pub name: String,
    pub looks: Looks,
}

/// Notes the field, and those in it, that look like something that is read. `said` are the texts that were.
pub(super) fn looks(path: &str, name: &str, value: &Node<'_>, said: &[Option<&str>], out: &mut Vec<Unread>) {
    at(path, name, value, said, DEEPEST, out);
}

fn at(path: &str, name: &str, value: &Node<'_>, said: &[Option<&str>], depth: usize, out: &mut Vec<Unread>) {
    let found = match value {
        Node::Str(text) if is_blank(text) || said.contains(&Some(text.as_ref())) => None,
        Node::Str(text) => of_text(name, text),
        Node::Number(_) if is_date_name(name) => Some(Looks::Date),
        Node::Number(_) => words_of(name).iter().find_map(|word| match word.as_str() {
            "distance" => Some(Looks::Distance),
            // SQLite's `bm25` is the lower, the better (https://www.sqlite.org/fts5.html#the_bm25_function).
            "score" | "similarity" | "relevance" | "relevancy" | "bm25" if is_of_search(name) => {
                Some(Looks::Score)
            }
            _ => None,
        }),
        Node::Array(list) if list.iter().any(|entry| matches!(entry, Node::Str(_))) => {
            list.iter().find_map(|entry| of_text(name, entry.as_str()?))
        }
        Node::Array(list) => {
            if let Some(Node::Object(first)) = list.first() {
                within(&format!("{path}[]"), first, said, depth, out);
            }
            None
        }
        Node::Object(object) => {
            within(path, object, said, depth, out);
            None
        }
        Node::Null | Node::Bool(_) => None,
    };
    out.extend(found.map(|looks| Unread {
        name: path.to_owned(),
        looks,
    }));
}

/// Whether nothing in a name says that its score is of something else: of a credit, of a sentiment.
fn is_of_search(name: &str) -> bool {
    const WORDS: [&str; 22] = [
        "score",
        "similarity",
        "relevance",
        "relevancy",
        "bm25",
        "match",
        "rerank",
        "reranker",
        "vector",
        "dense",
        "sparse",
        "hybrid",
        "rrf",
        "cosine",
        "semantic",
        "search",
        "text",
        "keyword",
        "fusion",
        "final",
        "combined",
        "embedding",
    ];
    words_of(name).iter().all(|word| WORDS.contains(&word.as_str()))
}

fn within(
    path: &str,
    object: &serde_json_borrow::ObjectAsVec<'_>,
    said: &[Option<&str>],
    depth: usize,
    out: &mut Vec<Unread>,
) {
    /// As many fields of an object are looked at.
    const MOST: usize = 40;
    if depth == 0 {
        return;
    }
    for (name, value) in object.iter().take(MOST) {
        at(&format!("{path}.{name}"), name, value, said, depth - 1, out);
    }
}

fn of_text(name: &str, text: &str) -> Option<Looks> {
    let named = |words: &[&str]| words_of(name).iter().any(|word| words.contains(&word.as_str()));
    let digits_alone = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_date_name(name) || (text.len() >= 8 && !digits_alone && read_date(text).is_some()) {
        return Some(Looks::Date);
    }
    if is_address(text) || named(&["url", "uri", "link", "href"]) {
        return Some(Looks::Address);
    }
    let texts = [
        "text",
        "content",
        "body",
        "snippet",
        "summary",
        "abstract",
        "description",
        "markdown",
        "html",
        "passage",
        "chunk",
        "quote",
        "excerpt",
        "highlight",
        "highlights",
        "caption",
        "transcript",
    ];
    let is_long = || text.chars().nth(LONG).is_some() || text.split_whitespace().nth(SENTENCE - 1).is_some();
    (named(&texts) || is_long()).then_some(Looks::Text)
}

fn is_date_name(name: &str) -> bool {
    let words = words_of(name);
    let date = [
        "date",
        "dated",
        "datetime",
        "time",
        "timestamp",
        "published",
        "updated",
        "modified",
        "created",
        "age",
        "year",
    ];
    words.iter().any(|word| date.contains(&word.as_str()))
        || (words.len() > 1 && words.last().is_some_and(|last| last == "at"))
}

/// The words of a name, in lower case: at `_`, `-`, `.`, `:`, and where an upper case letter begins one.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars().take(NAME) {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One sentence for each kind of field that was not read in these signals.
pub(super) fn notes<'u>(unread: impl Iterator<Item = &'u Unread>) -> Vec<String> {
    let mut counts: BTreeMap<(Looks, &str), usize> = BTreeMap::new();
    for field in unread {
        *counts.entry((field.looks, &field.name)).or_default() += 1;
    }
    let sentence = |(looks, words): (Looks, &str)| {
        let of_kind = counts.iter().filter(|((known, _), _)| *known == looks);
        let mut names: Vec<String> = of_kind
            .map(|((_, name), count)| {
                let name = code(&closed(cut_marked(&clean_line(name), NAME).into_owned()));
                match count {
                    1 => name,
                    _ => format!("{name} ({count} times)"),
                }
            })
            .collect();
        let more = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        (!names.is_empty()).then(|| format!("Not read, though they {words}: {}.", names.join(", ")))
    };
    Looks::ALL.into_iter().filter_map(sentence).collect()
}
