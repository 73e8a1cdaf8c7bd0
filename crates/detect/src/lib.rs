#![doc = include_str!("../README.md")]

mod certain;
mod explain;
pub mod features;
pub mod figures;
mod form;
mod json;
mod mentions;
pub mod score;
mod segment;
#[cfg(test)]
mod tests;
mod text;
mod verdict;

pub use form::Form;
pub use segment::{Segments, Shape};
pub use verdict::{Evidence, Inspection, Kind};

use figures::{Figure, Figures};
use score::{LENGTHS, Model};

/// What is known beyond a text: it adds to the weight of one that is close to a failure, and never fails one that reads as content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// Added to the margin; at least 0.
    pub weight: f32,
    /// Why, in words.
    pub why: &'static str,
}

/// Judges whether a text is a failed retrieval. Pure and deterministic; never panics.
pub fn inspect(text: &str) -> Inspection {
    weigh(Model::built_in(), text, &[], [0.0; LENGTHS.len()])
}

/// Judges context that a caller holds, where content is likelier than in what a retrieval just brought: of a short text more is
/// asked than by [`inspect`], for a few words say little either way. `hints` are what is known beyond the text: how it was fetched,
/// and what other texts came with it.
pub fn inspect_context(text: &str, hints: &[Hint]) -> Inspection {
    weigh(Model::built_in(), text, hints, [IN_CONTEXT, 0.0, 0.0])
}

/// Judges an answer of the documented shape, which hardly ever is a failure: more is asked of it than by [`inspect_context`].
pub fn inspect_answer(text: &str) -> Inspection {
    weigh(Model::built_in(), text, &[], [IN_ANSWER; LENGTHS.len()])
}

/// The same by another model: what training measures with.
pub fn inspect_with(model: &Model, text: &str) -> Inspection {
    weigh(model, text, &[], [0.0; LENGTHS.len()])
}

/// Margin below which no hint makes a failure of a text: hints are for texts on the edge.
const CLOSE: f32 = -0.5;

/// How much further above the threshold a short text must lie to be a failure in a caller's context.
const IN_CONTEXT: f32 = 0.25;

/// The same of every text that is an answer of the documented shape: of a hundred of them, less than one is a failure (4.6 in natural
/// logarithms, of which a margin of 1 is worth about 1.4).
const IN_ANSWER: f32 = 3.0;

/// The part of it that is asked of a text with a vendor's proof.
const WITH_PROOF: f32 = 0.5;

/// Most confidence where JSON holds values of its own beside an error: they may be what was asked for, a part of it, or tell more of
/// the error.
const MIXED: f64 = 0.85;

/// What the certain rules decide by themselves: whether it is a failure. `None` leaves it to the weights.
pub fn certain(text: &str) -> Option<bool> {
    let text = text::bare(text);
    let segments = Segments::of(text);
    certain::classify(text, &segments, &Figures::of(text, &segments)).map(|found| found.failed)
}

/// `beyond` is what is asked beyond the threshold of a text of each of [`LENGTHS`].
fn weigh(model: &Model, text: &str, hints: &[Hint], beyond: [f32; LENGTHS.len()]) -> Inspection {
    let text = text::bare(text);
    let segments = &Segments::of(text);
    let mut figures = Figures::of(text, segments);
    // What stands beside errors is as a rule content, and learned as such; but not for sure.
    let mixed = segments.json.is_some_and(|json| json.is_mixed());
    let certain = certain::classify(text, segments, &figures);
    if let Some(found) = certain.filter(|found| found.failed || !mixed) {
        return found;
    }
    let mut alone = model.margin(segments, &mut figures);
    let length = score::length_class(segments.shape.visible);
    let is_proven = figures.value(Figure::Proof) > 0.0;
    let part = if is_proven { WITH_PROOF } else { 1.0 };
    alone -= part * beyond.get(length).copied().unwrap_or_default();
    let added: f32 = hints.iter().map(|hint| hint.weight).sum();
    let margin = if alone < CLOSE { alone } else { alone + added };
    let mut found = if margin < 0.0 {
        let confidence = (1.0 - model.probability(margin)).max(0.5);
        Inspection::new(None, confidence, "it reads as content")
    } else {
        explain::failure(model, segments, &figures, margin)
    };
    if mixed {
        found.confidence = found.confidence.min(MIXED);
    }
    if !found.failed {
        return found;
    }
    // What reads as the report of a failure, and quotes what is one by itself, says it twice.
    if length == 0
        && segments.form == Form::Plain
        && let Some(quoted) =
            mentions::quoted(text).map(|quoted| weigh(model, quoted, &[], [0.0; LENGTHS.len()]))
        && quoted.failed
    {
        found.confidence = found.confidence.max(quoted.confidence);
    }
    let add = |found: Inspection, hint: &Hint| found.with("beside", hint.why);
    hints.iter().fold(found, add)
}
