#![doc = include_str!("../README.md")]

mod certain;
mod explain;
pub mod features;
pub mod figures;
mod form;
mod json;
pub mod rings;
pub mod score;
mod segment;
#[cfg(test)]
mod tests;
mod verdict;

pub use form::Form;
pub use segment::{Segments, Shape};
pub use verdict::{Evidence, Inspection, Kind};

use figures::Figures;
use rings::Hint;
use score::Model;

/// Judges whether a text is a failed retrieval. Pure and deterministic; never panics.
pub fn inspect(text: &str) -> Inspection {
    weigh(Model::built_in(), text, &[])
}

/// The same with what is known beyond the text: a status decides, everything else adds to the text's own weight and
/// never fails a text that reads as content beyond doubt. Hints of the batch come from [`rings::batch`].
pub fn inspect_signal(text: &str, transport: &rings::Transport<'_>, batch: &[Hint]) -> Inspection {
    if let Some(found) = transport.verdict() {
        return found;
    }
    let mut hints = transport.hints();
    hints.extend_from_slice(batch);
    weigh(Model::built_in(), text, &hints)
}

/// The same by another model: what training measures with.
pub fn inspect_with(model: Model<'_>, text: &str) -> Inspection {
    weigh(model, text, &[])
}

/// Margin below which no hint makes a failure of a text.
const BEYOND_DOUBT: f32 = -3.0;

fn weigh(model: Model<'_>, text: &str, hints: &[Hint]) -> Inspection {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Inspection::failure(Kind::Empty, 1.0, "there is no text");
    }
    let segments = Segments::of(text);
    let mut figures = Figures::of(text, &segments);
    if let Some(found) = certain::judge(text, &segments, &figures) {
        return found;
    }
    let alone = model.margin(&segments, &mut figures);
    let added: f32 = hints.iter().map(|hint| hint.weight).sum();
    let margin = if alone < BEYOND_DOUBT {
        alone
    } else {
        alone + added
    };
    if margin < 0.0 {
        return Inspection::genuine((1.0 - model.probability(margin)).max(0.5), "it reads as content");
    }
    let mut found = explain::failure(model, &segments, &figures, margin);
    if let Some(kind) = hints.iter().find_map(|hint| hint.kind) {
        found.kind = Some(kind);
    }
    for hint in hints {
        found = found.with("transport", hint.why);
    }
    found
}

/// What the certain rules decide by themselves: whether it is a failure. `None` leaves it to the weights.
pub fn certain(text: &str) -> Option<bool> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Some(true);
    }
    let segments = Segments::of(text);
    let figures = Figures::of(text, &segments);
    certain::judge(text, &segments, &figures).map(|found| found.failed)
}

/// One output line of `inspect --jsonl`: `{"id","failed","kind","confidence"}`, without line end.
pub fn jsonl_line(id: &str, text: &str) -> String {
    let found = inspect(text);
    serde_json::json!({ "id": id, "failed": found.failed, "kind": found.kind, "confidence": found.confidence })
        .to_string()
}
