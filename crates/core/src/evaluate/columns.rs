//! Documents whose parts stand beside each other and not in one object: a document with its score in a pair, as LangChain's
//! `similarity_search_with_score` returns them, and one list for each part, as Chroma's `query` and `get`, pandas' `to_dict("list")`
//! and Hugging Face's datasets do. They are written as objects, and read like all others.

use serde_json::{Map, Value, json};
use serde_json_borrow::{ObjectAsVec, Value as Node};

use super::distances::Scale;
use super::fields::borrowed;
use super::names::{Field, meaning};

/// Columns of Chroma's answers that hold one entry a document
/// (<https://docs.trychroma.com/docs/querying-collections/query-and-get>), and the field that each entry is.
const COLUMNS: [(&str, &str); 5] = [
    ("ids", "id"),
    ("documents", "document"),
    ("metadatas", "metadata"),
    ("uris", "uri"),
    (SCORES, "score"),
];
/// The column of distances, which are the smaller the nearer.
const DISTANCES: &str = "distances";
/// The column of scores.
const SCORES: &str = "scores";
/// Longest name of a column of a table that is kept, in bytes.
const NAME: usize = 64;

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
        let no_objects = !fields.iter().any(|(name, value)| {
            name == "documents"
                && matches!(value, Node::Array(list) if list.iter().any(|entry| matches!(entry, Node::Object(_))))
        });
        // Without `documents` in `include` the texts may be in the metadata.
        no_objects
            && ((list("documents") && (list("ids") || list("metadatas")))
                || (list("ids") && (list("metadatas") || list(DISTANCES)))
                || is_table(fields))
    };
    match signals {
        Node::Array(list) => list.iter().any(|value| columns(value) || is_pair(value)),
        one => columns(one),
    }
}

/// Whether an object is a table by its columns: lists of plain values of one length, with texts and something that tells them apart.
fn is_table(fields: &ObjectAsVec<'_>) -> bool {
    let (mut rows, mut has_texts, mut tells_apart) = (None, false, false);
    for (name, value) in fields.iter() {
        let Node::Array(list) = value else {
            return false;
        };
        let is_plain = |entry: &Node<'_>| !matches!(entry, Node::Array(_) | Node::Object(_));
        if *rows.get_or_insert(list.len()) != list.len() || !list.iter().all(is_plain) {
            return false;
        }
        match meaning(name).map(|(field, _)| field) {
            Some(Field::Content) => has_texts = true,
            Some(Field::Id | Field::Source | Field::Title | Field::Published) => tells_apart = true,
            _ => {}
        }
    }
    rows.is_some_and(|rows| rows > 1) && has_texts && tells_apart
}

/// The rows of such a table as objects.
fn of_table(value: &Value) -> Option<Vec<Value>> {
    let node = borrowed(value);
    let Node::Object(fields) = &node else {
        return None;
    };
    let columns = value.as_object().filter(|_| is_table(fields))?;
    let rows = columns.values().next()?.as_array()?.len();
    // A name is repeated in each row: long ones say nothing that is read.
    let columns = || columns.iter().filter(|(name, _)| name.len() <= NAME);
    let row = |at: usize| {
        let entry = |(name, list): (&String, &Value)| Some((name.clone(), list.get(at)?.clone()));
        Value::Object(columns().filter_map(entry).collect())
    };
    Some((0..rows).map(row).collect())
}

/// Whether it is a document and its number, in either order.
pub(super) fn is_pair(value: &Node<'_>) -> bool {
    match value {
        Node::Array(pair) => matches!(
            pair.as_slice(),
            [Node::Object(_), Node::Number(_)] | [Node::Number(_), Node::Object(_)]
        ),
        _ => false,
    }
}

/// What was done with the numbers beside documents.
#[derive(Default)]
struct Read {
    /// Pairs whose number was read as a score.
    scores: usize,
    /// Pairs whose number was read as a distance.
    apart: usize,
    /// Pairs whose number was read as a distance that may be negative, which is read with those of other documents.
    negative: usize,
    /// Rows of columns with a distance.
    distances: usize,
}

/// Writes them as objects. Returns what is to be said of it.
pub(super) fn put_together(signals: &mut Value) -> Vec<String> {
    let mut read = Read::default();
    match signals {
        Value::Array(list) => {
            let numbers = Numbers::of(list);
            for value in list {
                if let Some(document) = of_pair(value, numbers) {
                    let count = match numbers {
                        Numbers::Scores => &mut read.scores,
                        Numbers::Distances(scale) if scale.is_negative() => &mut read.negative,
                        Numbers::Distances(_) => &mut read.apart,
                    };
                    *count += 1;
                    *value = document;
                } else if let Some(rows) = of_columns(value, &mut read.distances).or_else(|| of_table(value))
                {
                    *value = json!({ "results": rows });
                }
            }
        }
        one => {
            if let Some(rows) = of_columns(one, &mut read.distances).or_else(|| of_table(one)) {
                *one = Value::Array(rows);
            }
        }
    }
    let said = [
        (
            read.scores,
            "Signals were given as pairs of a document and a number: the number was read as the score, higher for nearer.",
        ),
        (
            read.negative,
            "Signals were given as pairs of a document and a number that grows along the list. Searches list the nearest first, \
             so it was read as a distance.",
        ),
        (
            read.apart,
            "Signals were given as pairs of a document and a number that grows along the list. Searches list the nearest first, \
             so it was read as a distance: a relevance of 1 / (1 + distance). Scores are given as `score`.",
        ),
        (
            read.distances,
            "distances were read as a relevance of 1 / (1 + distance), which keeps their order.",
        ),
    ];
    said.into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(_, words)| words.to_owned())
        .collect()
}

/// The document and the number of a pair, by their places.
fn places(pair: &[Value]) -> Option<(usize, f64)> {
    match pair {
        [Value::Object(_), Value::Number(number)] => Some((0, number.as_f64()?)),
        [Value::Number(number), Value::Object(_)] => Some((1, number.as_f64()?)),
        _ => None,
    }
}

/// What the numbers of the pairs of a list are.
#[derive(Debug, Clone, Copy)]
enum Numbers {
    Scores,
    Distances(Scale),
}

impl Numbers {
    /// Stores return similarities or distances under one name (LangChain's `similarity_search_with_score`), and each lists the
    /// nearest first: numbers that grow along the list are distances.
    fn of(list: &[Value]) -> Self {
        let numbers: Vec<f64> = list
            .iter()
            .filter_map(|value| Some(places(value.as_array()?)?.1))
            .collect();
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else {
            return Self::Scores;
        };
        if !numbers.is_sorted() || first >= last {
            return Self::Scores;
        }
        Self::Distances(Scale::of(numbers.iter().copied()))
    }
}

/// The field that says how far a document is. Negative distances mean something only beside those of other documents.
fn of_distance(distance: f64, scale: Scale) -> (&'static str, Value) {
    if scale.is_negative() {
        ("distance", distance.into())
    } else {
        ("semantic_score", scale.relevance(distance).into())
    }
}

/// The document of a pair, with its number as a relevance or as a score.
fn of_pair(value: &mut Value, numbers: Numbers) -> Option<Value> {
    let pair = value.as_array_mut()?;
    let (at, number) = places(pair)?;
    let score = pair.get(1 - at)?.clone();
    let mut document = pair.get_mut(at)?.as_object_mut().map(std::mem::take)?;
    let has_score = ["semantic_score", "score"]
        .iter()
        .any(|name| document.contains_key(*name));
    if !has_score {
        let (name, score) = match numbers {
            Numbers::Distances(scale) => of_distance(number, scale),
            Numbers::Scores => ("score", score),
        };
        document.insert(name.to_owned(), score);
    }
    Some(Value::Object(document))
}

/// The documents of columns, in their order; of several queries, one after the other.
fn of_columns(value: &Value, distances: &mut usize) -> Option<Vec<Value>> {
    let columns = value.as_object()?;
    let is_column = |name: &str| columns.get(name).is_some_and(Value::is_array);
    let documents = columns.get("documents").and_then(Value::as_array);
    let are_objects = documents.is_some_and(|documents| documents.iter().any(Value::is_object));
    let rows = match documents {
        Some(_) => is_column("ids") || is_column("metadatas"),
        None => is_column("ids") && (is_column("metadatas") || is_column(DISTANCES)),
    };
    if are_objects || !rows {
        return None;
    }
    // Chroma's Search API returns distances as scores: the lowest first
    // (<https://docs.trychroma.com/cloud/search-api/ranking>).
    let far = !is_column(DISTANCES) && columns.get(SCORES).is_some_and(grow);
    let list = |name: &str| {
        let name = match name {
            DISTANCES if far => SCORES,
            SCORES if far => "",
            name => name,
        };
        columns
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice)
    };
    let fields = COLUMNS.iter().map(|(name, _)| *name).chain([DISTANCES]);
    let lists: Vec<&[Value]> = fields.map(list).collect();
    // One list for each query, and a plain one where nothing was asked for.
    let is_nested = lists.iter().any(|list| list.iter().any(Value::is_array));
    let queries = if is_nested {
        let count = lists.iter().map(|list| list.len()).max().unwrap_or_default();
        (0..count).map(|query| of_query(&lists, query)).collect()
    } else {
        vec![lists]
    };
    let distances_of = |lists: &Vec<&[Value]>| {
        let column = lists.last().copied().unwrap_or_default();
        column.iter().filter_map(Value::as_f64).collect::<Vec<f64>>()
    };
    let scale = Scale::of(queries.iter().flat_map(distances_of));
    // A column that a query lacks moves none of another query into its place.
    let rows = queries.iter().flat_map(|lists| {
        let count = lists.iter().map(|list| list.len()).max().unwrap_or_default();
        (0..count).map(move |at| (lists, at))
    });
    Some(
        rows.map(|(lists, at)| {
            let entry = |list: &&[Value]| list.get(at).filter(|entry| !entry.is_null()).cloned();
            let mut document: Map<String, Value> = COLUMNS
                .iter()
                .zip(lists)
                .filter_map(|((_, field), list)| Some(((*field).to_owned(), entry(list)?)))
                .collect();
            let distance = lists.last().and_then(entry).and_then(|far| far.as_f64());
            if let Some(distance) = distance.filter(|_| !document.contains_key("score")) {
                // What is said of negative ones is said where they are read.
                *distances += usize::from(!scale.is_negative());
                let (name, value) = of_distance(distance, scale);
                document.insert(name.to_owned(), value);
            }
            Value::Object(document)
        })
        .collect(),
    )
}

/// Whether the numbers grow along the list, or along each of its lists.
fn grow(numbers: &Value) -> bool {
    let entries = numbers.as_array().map_or(&[][..], Vec::as_slice);
    let lists = match entries.first() {
        Some(Value::Array(_)) => entries,
        _ => std::slice::from_ref(numbers),
    };
    let lists: Vec<Vec<f64>> = lists
        .iter()
        .filter_map(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_f64).collect())
        .collect();
    lists.iter().all(|list| list.is_sorted()) && lists.iter().any(|list| list.first() < list.last())
}

/// The entries of one query in each column; none where a column lacks it.
fn of_query<'v>(lists: &[&'v [Value]], query: usize) -> Vec<&'v [Value]> {
    let entries = |list: &&'v [Value]| {
        let entries = list.get(query).and_then(Value::as_array);
        entries.map_or(&[][..], Vec::as_slice)
    };
    lists.iter().map(entries).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(mut signals: Value) -> (Value, Vec<String>) {
        let notes = put_together(&mut signals);
        (signals, notes)
    }

    #[test]
    fn a_table_by_its_columns_is_its_rows() {
        let table =
            json!({"id": ["a", "b"], "text": ["one", "two"], "date": ["2026-11-20", null], "label": [1, 2]});
        let rows = json!([{"id": "a", "text": "one", "date": "2026-11-20", "label": 1}, {"id": "b", "text": "two", "date": null, "label": 2}]);
        assert!(are_apart(&borrowed(&table)));
        assert_eq!(written(table.clone()).0, rows);
        assert_eq!(written(json!([table])).0, json!([{"results": rows}]));
        // One document with lists of its own.
        for one in [
            json!({"text": ["one", "two"], "tags": ["x", "y"]}),
            json!({"id": "a", "text": ["one", "two"]}),
            json!({"id": ["a"], "text": ["one"]}),
            json!({"id": ["a", "b"], "text": ["one", "two", "three"]}),
        ] {
            assert!(!are_apart(&borrowed(&one)), "{one}");
        }
    }

    #[test]
    fn a_number_that_grows_from_the_nearest_on_is_a_distance() {
        let document = |name: &str| json!({"page_content": name, "metadata": {}});
        let (far, notes) = written(json!([
            [document("a"), 0.0],
            [document("b"), 1.0],
            [document("c"), 3.0]
        ]));
        let relevance: Vec<f64> = far
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["semantic_score"].as_f64().unwrap())
            .collect();
        assert_eq!(relevance, [1.0, 0.5, 0.25]);
        assert!(
            notes.len() == 1 && notes[0].contains("read as a distance"),
            "{notes:?}"
        );
        for near in [
            json!([[document("a"), 0.9], [document("b"), 0.4]]),
            json!([[document("a"), 0.4], [document("b"), 0.9], [document("c"), 0.1]]),
            json!([[document("a"), 0.7]]),
            json!([[document("a"), 0.7], [document("b"), 0.7]]),
        ] {
            let (read, notes) = written(near.clone());
            assert_eq!(read[0]["score"], near[0][1], "{near}");
            assert!(
                notes.len() == 1 && notes[0].contains("read as the score"),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn scores_that_grow_along_the_columns_are_distances() {
        let columns = |scores: Value| json!({"ids": [["a", "b"]], "documents": [["first", "second"]], "scores": scores});
        let (far, _) = written(columns(json!([[0.0, 1.0]])));
        assert_eq!(
            (&far[0]["semantic_score"], &far[1]["semantic_score"]),
            (&json!(1.0), &json!(0.5))
        );
        let (near, _) = written(columns(json!([[0.9, 0.1]])));
        assert_eq!((&near[0]["score"], &near[1]["score"]), (&json!(0.9), &json!(0.1)));
    }

    /// `include` without `documents`: a text may be in the metadata, and every id stays.
    #[test]
    fn columns_without_documents_are_read() {
        let (read, _) = written(json!({
            "ids": [["a", "b"]], "documents": null, "distances": [[0.0, 1.0]],
            "metadatas": [[{"text": "first"}, {"text": "second"}]],
        }));
        assert_eq!(
            read,
            json!([
                {"id": "a", "metadata": {"text": "first"}, "semantic_score": 1.0},
                {"id": "b", "metadata": {"text": "second"}, "semantic_score": 0.5},
            ])
        );
        let (bare, _) = written(json!({"ids": [["a", "b"]], "distances": [[0.0, 1.0]]}));
        assert_eq!(bare[1], json!({"id": "b", "semantic_score": 0.5}));
    }

    #[test]
    fn negative_numbers_keep_their_order_and_are_read_with_all_others() {
        let document = |name: &str| json!({"page_content": name, "metadata": {}});
        let (pairs, notes) = written(json!([[document("a"), -11.2], [document("b"), -0.4]]));
        assert_eq!(
            (&pairs[0]["distance"], &pairs[1]["distance"]),
            (&json!(-11.2), &json!(-0.4))
        );
        assert!(
            notes.len() == 1 && notes[0].ends_with("read as a distance."),
            "{notes:?}"
        );
        let (rows, notes) = written(json!({
            "ids": [["a", "b", "c"]],
            "documents": [["first", "second", "third"]],
            "distances": [[-30.5, -12, -0.4]],
        }));
        assert_eq!(
            (&rows[0]["distance"], &rows[2]["distance"]),
            (&json!(-30.5), &json!(-0.4))
        );
        assert!(notes.is_empty(), "{notes:?}");
    }

    /// The date of one document never comes to stand at another.
    #[test]
    fn a_query_without_a_column_takes_none_of_the_next() {
        let (read, _) = written(json!({
            "ids": [["a", "b"], ["c"]],
            "documents": [["first", "second"], ["third"]],
            "metadatas": [null, [{"date": "2026-01-02"}]],
            "distances": [[0.0, 1.0], [0.0]],
        }));
        assert_eq!(
            read,
            json!([
                {"id": "a", "document": "first", "semantic_score": 1.0},
                {"id": "b", "document": "second", "semantic_score": 0.5},
                {"id": "c", "document": "third", "metadata": {"date": "2026-01-02"}, "semantic_score": 1.0},
            ])
        );
        let (plain, _) = written(
            json!({"ids": ["a", "b"], "documents": ["first", null], "metadatas": [{"date": "2026-01-02"}]}),
        );
        assert_eq!(
            plain,
            json!([{"id": "a", "document": "first", "metadata": {"date": "2026-01-02"}}, {"id": "b"}])
        );
    }
}
