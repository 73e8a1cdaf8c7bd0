//! Documents deep in the answers of pipelines, stores and interfaces whose lists have no name of [`LISTS`](super::names::LISTS):
//! Haystack's results by component, Milvus's and Qdrant's lists of lists, Bedrock's `retrievalResults`, the search results in
//! a model's message. What looks like a document tells where they are, and the notes say where that was.

use std::collections::HashSet;

use freshcontext_contract::code;
use freshcontext_contract::quote::closed;
use serde_json::{Map, Value};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::columns::{are_apart, is_pair};
use super::fields::borrowed;
use super::made::Made;
use super::names::{self, Field, meaning};
use super::parts::{self, InParts};
use super::results::{self, is_failed};
use super::shape::{Shape, lists_in, scalar};
use super::text::is_blank;
use crate::sanitize::{clean_line, cut_marked};

/// The lists of a feed: blocks under `content` are the text of one document.
const FEEDS: [&str; 2] = ["items", "entries"];
/// How deep lists of documents are looked for.
const DEEPEST: usize = 6;
/// Longest path that a note repeats, in characters.
const PATH: usize = 60;
/// As many paths a note lists.
const LISTED: usize = 6;
/// What a model wrote, beside the documents that it wrote it from: Bedrock's and Gemini's answers.
const OF_MODEL: [&str; 2] = ["generatedResponsePart", "groundingSupports"];
/// Stages of a pipeline that are compared.
const STAGES: usize = 16;

/// Whether the signals, or one of them, hold documents that [`lists_in`] does not find.
pub(super) fn are_wrapped(signals: &Node<'_>) -> bool {
    match signals {
        Node::Array(list) => list.iter().any(|entry| match entry {
            Node::Array(inner) => !is_pair(entry) && inner.iter().any(|one| matches!(one, Node::Object(_))),
            other => is_wrapping(other),
        }),
        other => is_wrapping(other),
    }
}

/// Whether an object is no document, and its documents are not where its lists are named.
fn is_wrapping(value: &Node<'_>) -> bool {
    let Node::Object(fields) = value else {
        return false;
    };
    if !fields.iter().any(|(_, value)| is_container(value)) || results::is_result(fields) {
        return false;
    }
    if holds_results_of_tools(value) || structured(value).is_some() || parts_of(value).is_some() {
        return true;
    }
    // Most documents say so at once.
    if has_text(fields) && !is_message(value) {
        return false;
    }
    let lists = lists_in(fields);
    if lists.is_empty() {
        is_feed(value) || !(is_document(value) || is_failed(fields) || are_apart(value))
    } else {
        !lists.iter().any(|(_, list)| list.iter().any(stands_alone))
    }
}

fn is_container(value: &Node<'_>) -> bool {
    matches!(value, Node::Object(_) | Node::Array(_))
}

/// A named list may hold failures, texts, or answers with lists of their own.
fn stands_alone(value: &Node<'_>) -> bool {
    match value {
        Node::Str(_) => true,
        Node::Object(fields) => {
            let is_whole = is_document(value) && parts_of(value).is_none();
            is_whole || is_failed(fields) || !lists_in(fields).is_empty()
        }
        _ => false,
    }
}

/// A message of a model that has searched (Anthropic, MCP connectors): its text is the model's, the results are documents.
fn holds_results_of_tools(value: &Node<'_>) -> bool {
    let Some(Node::Array(blocks)) = of(value, "content").filter(|_| is_message(value)) else {
        return false;
    };
    blocks
        .iter()
        .any(|block| matches!(of(block, "type"), Some(Node::Str(kind)) if kind.ends_with("_tool_result")))
}

/// The structured content of an MCP result, which repeats its text, where it holds documents
/// (<https://modelcontextprotocol.io/specification/2025-06-18/server/tools>).
fn structured<'v>(value: &'v Node<'v>) -> Option<&'v Node<'v>> {
    let found = of(value, "structuredContent")?;
    if is_own(found) {
        return Some(found);
    }
    let mut lists = Vec::new();
    gather(found, String::new(), DEEPEST, &mut lists);
    (!lists.is_empty()).then_some(found)
}

/// Whether it is a result of one of this server's tools.
fn is_own(value: &Node<'_>) -> bool {
    matches!(value, Node::Object(fields) if results::is_result(fields))
}

/// Whether it holds a text of its own, which is no description or summary.
fn has_text(fields: &ObjectAsVec<'_>) -> bool {
    fields.iter().any(|(name, value)| {
        matches!(value, Node::Str(text) if !is_blank(text))
            && meaning(name).is_some_and(|(field, _)| field == Field::Content)
            && !names::is_digest(name)
    })
}

/// A feed has a title, perhaps a description, and its items in a list (JSON Feed, feedparser).
fn is_feed(value: &Node<'_>) -> bool {
    let Node::Object(fields) = value else {
        return false;
    };
    !has_text(fields)
        && fields.iter().any(|(name, value)| match value {
            Node::Array(list) => FEEDS.contains(&name) && list.iter().any(has_own_text),
            _ => false,
        })
}

fn of<'v>(value: &'v Node<'v>, name: &str) -> Option<&'v Node<'v>> {
    match value {
        Node::Object(fields) => super::fields::last(fields, name),
        _ => None,
    }
}

fn has_own_text(value: &Node<'_>) -> bool {
    matches!(value, Node::Object(_)) && !is_message(value) && says(value).0
}

/// Whether it holds a text, or a title with a source. What has a role is a message to or from a model.
fn is_document(value: &Node<'_>) -> bool {
    let (text, named) = says(value);
    !is_message(value) && (text || named)
}

/// Roles of messages to and from models; an advert has a role, too.
const ROLES: [&str; 7] = [
    "user",
    "assistant",
    "system",
    "developer",
    "tool",
    "function",
    "model",
];

fn is_message(value: &Node<'_>) -> bool {
    matches!(of(value, "role"), Some(Node::Str(role)) if ROLES.contains(&role.as_ref()))
}

/// Whether it holds a text, and whether it holds a title and a source.
fn says(value: &Node<'_>) -> (bool, bool) {
    let Node::Object(fields) = value else {
        return (false, false);
    };
    let made = Made::default();
    let mut shape = Shape::gather(fields);
    let text = shape
        .content(&made)
        .is_some_and(|content| !is_blank(content.text));
    let has = |field| shape.of(field).any(|held| scalar(held.value, &made).is_some());
    (text, has(Field::Title) && has(Field::Source))
}

/// The parts of a document that has no text of its own. Most values have no such list, which their names tell at once.
fn parts_of<'v>(value: &'v Node<'v>) -> Option<InParts<'v>> {
    let Node::Object(fields) = value else {
        return None;
    };
    let found = parts::parts_of(fields, is_part)?;
    let is_other = is_message(value) || is_failed(fields) || !lists_in(fields).is_empty();
    (!is_other && !has_text_anywhere(fields)).then_some(found)
}

fn is_part(value: &Node<'_>) -> bool {
    parts::is_text(value) || has_own_text(value)
}

/// Whether it holds a text of its own on any level, which is no description or summary.
fn has_text_anywhere(fields: &ObjectAsVec<'_>) -> bool {
    let made = Made::default();
    let mut shape = Shape::gather(fields);
    shape
        .content(&made)
        .is_some_and(|content| !is_blank(content.text) && !names::is_digest(content.name))
}

/// A document that was found, and the one that it is a part of.
#[derive(Clone, Copy)]
struct Document<'v> {
    node: &'v Node<'v>,
    part_of: Option<&'v Node<'v>>,
}

impl<'v> From<&'v Node<'v>> for Document<'v> {
    fn from(node: &'v Node<'v>) -> Self {
        Self { node, part_of: None }
    }
}

/// A list of documents, and how it is reached.
type Found<'v> = (String, Vec<Document<'v>>);

fn gather<'v>(value: &'v Node<'v>, path: String, depth: usize, out: &mut Vec<Found<'v>>) {
    if depth == 0 {
        return;
    }
    match value {
        Node::Array(list) => {
            let (documents, others): (Vec<_>, Vec<_>) =
                list.iter().enumerate().partition(|(_, entry)| is_found(entry));
            if !documents.is_empty() {
                let documents = documents.into_iter().map(|(_, document)| document.into());
                out.push((path.clone(), documents.collect()));
            }
            for (at, entry) in others {
                let path = match entry {
                    Node::Array(_) => format!("{path}[{at}]"),
                    _ => path.clone(),
                };
                gather(entry, path, depth - 1, out);
            }
        }
        Node::Object(fields) => {
            if is_message(value) {
                gather_of_message(value, &path, depth, out);
                return;
            }
            let below = |name: &str| below(&path, name);
            if let Some(found) = parts_of(value) {
                for (name, list) in found.lists {
                    let parts = list.iter().filter(|part| is_part(part));
                    let parts = parts.map(|node| Document {
                        node,
                        part_of: Some(value),
                    });
                    out.push((below(name), parts.collect()));
                }
                return;
            }
            // Documents by their ids, as Pinecone's `fetch` gives them.
            let entries: Vec<&Node<'v>> = fields.iter().map(|(_, value)| value).collect();
            if !path.is_empty() && !entries.is_empty() && entries.iter().all(|entry| is_found(entry)) {
                out.push((path, entries.into_iter().map(Document::from).collect()));
                return;
            }
            // A citation stands in the text that a model wrote.
            let wrote = matches!(of(value, "type"), Some(Node::Str(kind)) if kind == "output_text");
            for (name, value) in fields.iter() {
                let passed = (wrote && name != "annotations") || OF_MODEL.contains(&name);
                if passed || !is_container(value) {
                    continue;
                }
                if is_found(value) && names::NESTS.contains(&name) {
                    out.push((below(name), vec![value.into()]));
                } else {
                    gather(value, below(name), depth - 1, out);
                }
            }
        }
        _ => {}
    }
}

/// What a model searched and cites stands in the blocks of its message beside its text.
fn gather_of_message<'v>(message: &'v Node<'v>, path: &str, depth: usize, out: &mut Vec<Found<'v>>) {
    let blocks = match of(message, "content") {
        Some(Node::Array(blocks)) => blocks.as_slice(),
        _ => &[],
    };
    let is_text = |block: &Node<'_>| matches!(of(block, "type"), Some(Node::Str(kind)) if kind == "text");
    for block in blocks.iter().filter(|block| !is_text(block)) {
        gather(block, below(path, "content"), depth - 1, out);
    }
    if let Some(cited) = of(message, "annotations") {
        gather(cited, below(path, "annotations"), depth - 1, out);
    }
}

/// The path of a field. Of a long name no more is kept than a note repeats.
fn below(path: &str, name: &str) -> String {
    let name = name.chars().take(PATH);
    match path {
        "" => name.collect(),
        path => path.chars().chain(".".chars()).chain(name).collect(),
    }
}

/// Whether it is a document, and not what a model wrote or what leads to more of them.
fn is_found(value: &Node<'_>) -> bool {
    let kind = match of(value, "type") {
        Some(Node::Str(kind)) => kind.as_ref(),
        _ => "",
    };
    let of_model = matches!(kind, "output_text" | "server_tool_use" | "tool_use" | "thinking");
    // A piece of a formatted text (Notion) is no text.
    let is_piece = of(value, "plain_text").is_some();
    // A call or a result with several documents in it.
    let is_shell = kind.ends_with("_tool_result") || kind.ends_with("_call");
    !of_model && !is_piece && !is_shell && is_document(value) && !is_feed(value) && parts_of(value).is_none()
}

/// Takes the documents out. Returns what is to be said of it.
pub(super) fn take_out(signals: &mut Value) -> Vec<String> {
    let mut read = Vec::new();
    let mut left = Vec::new();
    let mut left_to_repeat = parts::Left::default();
    let taken = {
        let view = borrowed(signals);
        match &view {
            Node::Array(list) => {
                let is_shell = |entry: &Node<'_>| match entry {
                    Node::Array(_) => !is_pair(entry),
                    other => is_wrapping(other),
                };
                let mut out = Vec::new();
                for entry in list {
                    match entry {
                        entry if is_shell(entry) => {
                            match documents_in(entry, &mut left_to_repeat, &mut read, &mut left) {
                                Some(documents) => {
                                    out.push(Value::Object(Map::from_iter([(
                                        "results".to_owned(),
                                        Value::Array(documents),
                                    )])));
                                }
                                None => out.push(Value::from(entry)),
                            }
                        }
                        // A cursor beside a list, as Qdrant's `scroll` returns it.
                        Node::Null if list.iter().any(is_shell) => {}
                        other => out.push(Value::from(other)),
                    }
                }
                // A list of lists is one list.
                Some(match out.as_mut_slice() {
                    [Value::Object(one)] if one.len() == 1 => {
                        one.remove("results").unwrap_or_else(|| Value::Array(out))
                    }
                    _ => Value::Array(out),
                })
            }
            one if is_wrapping(one) => {
                documents_in(one, &mut left_to_repeat, &mut read, &mut left).map(Value::Array)
            }
            _ => None,
        }
    };
    if let Some(taken) = taken {
        *signals = taken;
    }
    let said = |paths: Vec<String>, words: &str| {
        let mut seen = HashSet::new();
        let paths = paths.into_iter().filter(|path| !path.is_empty());
        let mut names: Vec<String> = paths
            .map(|path| code(&closed(cut_marked(&clean_line(&path), PATH).into_owned())))
            .filter(|name| seen.insert(name.clone()))
            .collect();
        let more = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        (!names.is_empty()).then(|| format!("{words}: {}.", names.join(", ")))
    };
    [
        said(read, "Documents were read from these lists"),
        said(
            left,
            "Not read, because a later list of the same answer holds the same documents",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The documents in an answer; none where nothing in it looks like one.
fn documents_in(
    answer: &Node<'_>,
    left_to_repeat: &mut parts::Left,
    read: &mut Vec<String>,
    left: &mut Vec<String>,
) -> Option<Vec<Value>> {
    let structured = structured(answer);
    if let Some(own) = structured.filter(|found| is_own(found)) {
        return Some(vec![Value::from(own)]);
    }
    let mut lists = Vec::new();
    gather(structured.unwrap_or(answer), String::new(), DEEPEST, &mut lists);
    let staged = lists.iter().filter(|_| lists.len() <= STAGES);
    let ids: Vec<HashSet<&str>> = staged.map(|(_, list)| ids_of(list)).collect();
    // A pipeline gives each stage's documents: a ranker's are those of the retriever, with other scores.
    let is_again = |at: usize| {
        let of_stage = |one: &HashSet<&str>, other: &HashSet<&str>| {
            !one.is_empty() && !other.is_empty() && (one.is_subset(other) || other.is_subset(one))
        };
        let one = ids.get(at);
        ids.iter()
            .skip(at + 1)
            .any(|other| one.is_some_and(|one| of_stage(one, other)))
    };
    let mut out = Vec::new();
    // The document whose parts come now, if it is taken apart.
    let mut whole: Option<(&Node<'_>, Option<parts::Document<'_>>)> = None;
    for (at, (path, documents)) in lists.iter().enumerate() {
        // The lists of one batch answer different questions.
        if !path.ends_with(']') && is_again(at) {
            left.push(path.clone());
            continue;
        }
        read.push(path.clone());
        for document in documents {
            let Some(value) = document.part_of else {
                out.push(Value::from(document.node));
                continue;
            };
            if !whole
                .as_ref()
                .is_some_and(|(known, _)| std::ptr::eq(*known, value))
            {
                let around = match (value, parts_of(value)) {
                    (Node::Object(fields), Some(found)) if left_to_repeat.take(&found) => {
                        Some(parts::Document::read(fields, &found))
                    }
                    // Judged as one document, whose answer names what was not read.
                    _ => {
                        out.push(Value::from(value));
                        None
                    }
                };
                whole = Some((value, around));
            }
            if let Some((_, Some(around))) = &whole {
                out.push(around.around(document.node));
            }
        }
    }
    (!out.is_empty()).then_some(out)
}

fn ids_of<'v>(list: &[Document<'v>]) -> HashSet<&'v str> {
    let id = |document: &Document<'v>| match of(document.node, "id") {
        Some(Node::Str(id)) => Some(id.as_ref()),
        _ => None,
    };
    // Parts are counted anew in each document.
    let alone = list.iter().filter(|document| document.part_of.is_none());
    alone.filter_map(id).collect()
}
