#![doc = include_str!("../README.md")]

mod certain;
mod changes;
mod explain;
pub mod features;
pub mod figures;
mod form;
mod json;
mod mentions;
mod notices;
mod requests;
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

/// External evidence: adds to the margin of a borderline text, and never turns clear content into a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hint {
    /// Addition to the margin; at least 0.
    pub weight: f32,
    /// Reason in words.
    pub why: &'static str,
}

/// Classifies a text as content or a failed retrieval. Pure and deterministic; never panics.
pub fn inspect(text: &str) -> Inspection {
    weigh(Model::built_in(), text, &[], [0.0; LENGTHS.len()])
}

/// Classifies context that a caller supplies, which is more likely to be content than a fresh retrieval. A
/// short text needs a higher margin than for [`inspect`], because a few words are weak evidence. `hints` are
/// external evidence: how the text was fetched, and which other texts came with it.
pub fn inspect_context(text: &str, hints: &[Hint]) -> Inspection {
    weigh(Model::built_in(), text, hints, [IN_CONTEXT, 0.0, 0.0])
}

/// Classifies a response with the documented shape, which is rarely a failure: it needs a higher margin than
/// for [`inspect_context`].
pub fn inspect_answer(text: &str) -> Inspection {
    weigh(Model::built_in(), text, &[], [IN_ANSWER; LENGTHS.len()])
}

/// Like [`inspect`], with another model. Used to evaluate training.
pub fn inspect_with(model: &Model, text: &str) -> Inspection {
    weigh(model, text, &[], [0.0; LENGTHS.len()])
}

/// Margin below which hints have no effect: they only decide borderline texts.
const CLOSE: f32 = -0.5;

/// Additional margin that a short text in a caller's context needs to count as a failure.
const IN_CONTEXT: f32 = 0.25;

/// Additional margin for responses with the documented shape: fewer than one in a hundred is a failure (4.6
/// in natural logarithms; a margin of 1 is worth about 1.4).
const IN_ANSWER: f32 = 3.0;

/// Margin of a request without its politeness from which it stays a failure.
const BARELY: f32 = -0.25;

/// Share of the additional margin for a text with a vendor's proof.
const WITH_PROOF: f32 = 0.5;

/// Highest confidence for JSON with values next to an error: they may be the requested content, a part of it,
/// or error details.
const MIXED: f64 = 0.85;

/// Why a text that is mostly such terms is content.
const NOTICE: &str = "a project's terms for those who contribute";

/// Additional margin for an entry of a list, since most lists are of changes, of things to do or of options; and for what
/// stands beside a project's terms for those who contribute, which is its documentation.
const IN_LIST: f32 = 2.0;

/// Additional margin for a short report that tells who had nothing to say: its words (could not be, reached, available) are
/// those of a failure, and no failure asks anybody for comment.
const IN_REPORT: f32 = 2.0;

/// How reports tell that somebody had nothing to say, in lower case.
const FOR_COMMENT: [&str; 5] = [
    "be reached for comment",
    "available for comment",
    "respond to a request for comment",
    "respond to requests for comment",
    "declined to comment",
];

/// Whether a text tells that somebody was asked for comment.
fn is_report(text: &str) -> bool {
    let lower = text.to_lowercase();
    FOR_COMMENT.iter().any(|words| lower.contains(words))
}

/// Returns the decision of the certain rules: whether the text is a failure. `None` leaves it to the weights.
pub fn certain(text: &str) -> Option<bool> {
    let (place, text) = changes::read(text::bare(text));
    if matches!(place, changes::Place::Change | changes::Place::Links) {
        return Some(false);
    }
    let (has_notice, text) = notices::without(&text);
    if has_notice && text.is_empty() {
        return Some(false);
    }
    let text = text.as_ref();
    let segments = Segments::of(text);
    certain::classify(text, &segments, &Figures::of(text, &segments)).map(|found| found.failed)
}

/// Whether a short text is content by its weights, and not just below the threshold.
fn is_content(model: &Model, text: &str) -> bool {
    let segments = Segments::of(text);
    let margin = model.margin(&segments, &mut Figures::of(text, &segments));
    margin < BARELY && certain(text) != Some(true)
}

/// `beyond` is the additional margin for each of [`LENGTHS`].
fn weigh(model: &Model, text: &str, hints: &[Hint], beyond: [f32; LENGTHS.len()]) -> Inspection {
    let (place, text) = changes::read(text::bare(text));
    let text = text.as_ref();
    match place {
        changes::Place::Links => return Inspection::new(None, 0.97, "addresses of links, and nothing else"),
        changes::Place::Change => return Inspection::new(None, 0.95, "an entry of a list of changes"),
        changes::Place::Entry | changes::Place::None => {}
    }
    let whole = text.len();
    let (has_notice, text) = notices::without(text);
    if has_notice && text.is_empty() {
        return Inspection::new(None, 0.95, NOTICE);
    }
    let is_most = has_notice && text.len() <= whole - text.len();
    let text = text.as_ref();
    let segments = &Segments::of(text);
    let mut figures = Figures::of(text, segments);
    // Values next to errors are usually content, and trained as such, but not certainly.
    let mixed = segments.json.is_some_and(|json| json.is_mixed());
    let certain = certain::classify(text, segments, &figures);
    if let Some(found) = certain.filter(|found| found.failed || !mixed) {
        return found;
    }
    // A few words beside it are too little to call it anything else.
    if is_most {
        return Inspection::new(None, 0.9, NOTICE);
    }
    let mut alone = model.margin(segments, &mut figures);
    let length = score::length_class(segments.shape.visible);
    let is_proven = figures.value(Figure::Proof) > 0.0;
    let part = if is_proven { WITH_PROOF } else { 1.0 };
    alone -= part * beyond.get(length).copied().unwrap_or_default();
    if place == changes::Place::Entry || has_notice {
        alone -= IN_LIST;
    }
    if length == 0 && is_report(text) {
        alone -= IN_REPORT;
    }
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
    if length == 0
        && segments.form == Form::Plain
        && let Some(bare) = requests::without(text)
        && is_content(model, &bare)
    {
        return Inspection::new(None, 0.5, "without its politeness it reads as content");
    }
    // A text that reads as a failure report and quotes a failure has two indications.
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
