//! Documents whose parts stand beside each other and not in one object: a document with its score in a pair, as LangChain's
//! `similarity_search_with_score` returns them, and one list for each part, as Chroma's `query` and `get` do. They are
//! written as objects, and read like all others.

use serde_json::{Map, Value, json};
use serde_json_borrow::Value as Node;

/// Columns of Chroma's answers that hold one entry a document
/// (<https://docs.trychroma.com/docs/querying-collections/query-and-get>), and the field that each entry is.
const COLUMNS: [(&str, &str); 5] = [
    ("ids", "id"),
    ("documents", "document"),
    ("metadatas", "metadata"),
    ("uris", "uri"),
    ("scores", "score"),
];
/// The column of distances, which are the smaller the nearer.
const DISTANCES: &str = "distances";

/// Whether a list of signals, or one in it, has one of these forms.
pub(super) fn are_apart(signals: &Node<'_>) -> bool {
    let columns = |value: &Node<'_>| {
        let Node::Object(fields) = value else {
            return false;
        };
        let list = |name: &str| {
            fields
                .iter()
                .any(|(known, value)| known == name && matches!(value, Node::Array(_)))
        };
        let plain = fields.iter().any(|(name, value)| {
            name == "documents"
                && matches!(value, Node::Array(list) if !list.iter().any(|entry| matches!(entry, Node::Object(_))))
        });
        plain && (list("ids") || list("metadatas"))
    };
    let pair = |value: &Node<'_>| match value {
        Node::Array(pair) => matches!(
            pair.as_slice(),
            [Node::Object(_), Node::Number(_)] | [Node::Number(_), Node::Object(_)]
        ),
        _ => false,
    };
    match signals {
        Node::Array(list) => list.iter().any(|value| columns(value) || pair(value)),
        one => columns(one),
    }
}

/// Writes them as objects. Returns what is to be said of it.
pub(super) fn put_together(signals: &mut Value) -> Vec<String> {
    let (mut pairs, mut distances) = (0, 0);
    match signals {
        Value::Array(list) => {
            for value in list {
                if let Some(document) = of_pair(value) {
                    pairs += 1;
                    *value = document;
                } else if let Some(rows) = of_columns(value, &mut distances) {
                    *value = json!({ "results": rows });
                }
            }
        }
        one => {
            if let Some(rows) = of_columns(one, &mut distances) {
                *one = Value::Array(rows);
            }
        }
    }
    let mut notes = Vec::new();
    if pairs > 0 {
        notes.push(
            "Signals were given as pairs of a document and a number: the number was read as the score, higher for nearer."
                .to_owned(),
        );
    }
    if distances > 0 {
        notes.push(
            "distances were read as a relevance of 1 / (1 + distance), which keeps their order.".to_owned(),
        );
    }
    notes
}

/// The document of a pair, with its score.
fn of_pair(value: &mut Value) -> Option<Value> {
    let pair = value.as_array_mut()?;
    let at = match pair.as_slice() {
        [Value::Object(_), Value::Number(_)] => 0,
        [Value::Number(_), Value::Object(_)] => 1,
        _ => return None,
    };
    let score = pair.get(1 - at)?.clone();
    let mut document = pair.get_mut(at)?.as_object_mut().map(std::mem::take)?;
    let has_score = ["semantic_score", "score"]
        .iter()
        .any(|name| document.contains_key(*name));
    if !has_score {
        document.insert("score".to_owned(), score);
    }
    Some(Value::Object(document))
}

/// The documents of columns, in their order; of several queries, one after the other.
fn of_columns(value: &Value, distances: &mut usize) -> Option<Vec<Value>> {
    let columns = value.as_object()?;
    let is_column = |name: &str| columns.get(name).is_some_and(Value::is_array);
    let documents = columns.get("documents")?.as_array()?;
    if documents.iter().any(Value::is_object) || !(is_column("ids") || is_column("metadatas")) {
        return None;
    }
    let column = |name: &str| -> Vec<Option<Value>> {
        let list = columns.get(name).and_then(Value::as_array);
        // One list for each query, and a plain one where nothing was asked for. A query that found less is shorter, in
        // each column alike.
        list.into_iter()
            .flatten()
            .flat_map(|entry| match entry {
                Value::Array(of_query) => of_query.iter().map(filled).collect(),
                entry => vec![filled(entry)],
            })
            .collect()
    };
    let parts: Vec<(&str, Vec<Option<Value>>)> = COLUMNS
        .iter()
        .map(|(name, field)| (*field, column(name)))
        .collect();
    let far = column(DISTANCES);
    let rows = parts
        .iter()
        .map(|(_, column)| column.len())
        .max()
        .unwrap_or_default();
    let row = |at: usize| {
        let mut document = Map::new();
        for (field, column) in &parts {
            if let Some(Some(entry)) = column.get(at) {
                document.insert((*field).to_owned(), entry.clone());
            }
        }
        let distance = far.get(at).and_then(|far| far.as_ref()?.as_f64());
        let relevance = distance.map(|distance| 1.0 / (1.0 + distance.max(0.0)));
        if let Some(relevance) = relevance.filter(|_| !document.contains_key("score")) {
            document.insert("semantic_score".to_owned(), relevance.into());
        }
        (Value::Object(document), distance.is_some())
    };
    Some(
        (0..rows)
            .map(|at| {
                let (document, is_far) = row(at);
                *distances += usize::from(is_far);
                document
            })
            .collect(),
    )
}

fn filled(value: &Value) -> Option<Value> {
    (!value.is_null()).then(|| value.clone())
}
