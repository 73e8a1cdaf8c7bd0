//! Telling a failed retrieval from content, by text alone.

mod verdict;

pub use verdict::{Evidence, Inspection, Kind};

/// Judges whether a text is a failed retrieval. Pure and deterministic; never panics.
pub fn inspect(text: &str) -> Inspection {
    if text.trim().is_empty() {
        return Inspection::failure(Kind::Empty, 1.0, "there is no text");
    }
    Inspection::genuine(0.5, "not judged yet")
}

/// One output line of `inspect --jsonl`: `{"id","failed","kind","confidence"}`, without line end.
pub fn jsonl_line(id: &str, text: &str) -> String {
    let found = inspect(text);
    serde_json::json!({ "id": id, "failed": found.failed, "kind": found.kind, "confidence": found.confidence })
        .to_string()
}
