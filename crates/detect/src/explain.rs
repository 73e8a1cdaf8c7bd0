//! Explains in words why a text is classified as a failure.

use freshcontext_contract::quoted;

use crate::features;
use crate::figures::{Figure, Figures};
use crate::score::{Model, Peak, length_class};
use crate::segment::Segments;
use crate::verdict::{Inspection, Kind};

/// Most facts in an explanation.
const NAMED: usize = 3;

/// Longest fact, in bytes.
const PHRASE: usize = 48;

/// Longest quoted sentence, in bytes.
const QUOTED: usize = 120;

/// Explains a text with a non-negative margin.
pub(crate) fn failure(model: &Model, segments: &Segments<'_>, figures: &Figures, margin: f32) -> Inspection {
    let kind = model.kind(segments).unwrap_or(Kind::ToolError);
    let words = said(model, segments);
    let reason = if words.is_empty() {
        "its shape is that of a failure".to_owned()
    } else {
        format!("it says {}", words.join(", "))
    };
    let found = Inspection::new(kind, model.probability(margin).max(0.5), reason);
    let add = |found: Inspection, word| found.with("wording", word);
    let found = words.into_iter().fold(found, add);
    let found = sentence(model, segments).into_iter().fold(found, add);
    let weigh = |figure: &Figure| figures.value(*figure) * model.figure(*figure);
    let shapes = Figure::ALL.iter().filter(|figure| **figure != Figure::Always);
    match shapes.max_by(|a, b| weigh(a).total_cmp(&weigh(b))) {
        Some(most) if weigh(most) > 0.0 => found.with("shape", most.describe()),
        _ => found,
    }
}

/// For a text that is not short, returns the sentence most typical of a failure.
fn sentence(model: &Model, segments: &Segments<'_>) -> Option<String> {
    if length_class(segments.shape.visible) == 0 {
        return None;
    }
    // Start of the sentence and its part: the rest of one part does not continue in the next.
    let mut began: Option<(usize, &str)> = None;
    let (mut peak, mut highest) = (Peak::default(), None);
    features::sentences(segments, |gram, part| {
        if began.is_none_or(|(_, of)| !std::ptr::eq(of, part)) {
            began = Some((gram.start, part));
        }
        if model.add_gram(&mut peak, gram) {
            highest = began.and_then(|(start, _)| part.get(start..gram.end));
        }
        began = began.filter(|_| !gram.ends);
    });
    highest.map(|sentence| quoted(crate::text::head(sentence, QUOTED)))
}

/// A phrase from one part of a text.
#[derive(Clone, Copy)]
struct Phrase<'a> {
    part: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Phrase<'a> {
    fn words(&self) -> &'a str {
        self.part.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether the two overlap.
    fn overlaps(&self, other: &Self) -> bool {
        std::ptr::eq(self.part, other.part) && self.start < other.end && other.start < self.end
    }

    fn and(self, other: &Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            ..self
        }
    }
}

/// Returns the heaviest words, each joined with weighted neighbours: "could not open" is clearer than "not".
fn said(model: &Model, segments: &Segments<'_>) -> Vec<String> {
    let mut all = Vec::new();
    features::grams(segments, |gram, part, _| {
        let weight = model.gram(gram.bucket);
        let words = part.get(gram.start..gram.end).unwrap_or_default();
        // "was" or a number alone tells a reader nothing, but a number belongs to the unit that follows:
        // "30000ms exceeded".
        if weight > 0.0 && words.len() >= 4 && words.starts_with(char::is_alphabetic) {
            let before = part.get(..gram.start).unwrap_or_default();
            let start = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let end = gram.end;
            all.push((weight, Phrase { part, start, end }));
        }
    });
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut said: Vec<Phrase<'_>> = Vec::new();
    for (_, one) in all {
        let near = said.iter().filter(|other| one.overlaps(other));
        let whole = near.fold(one, Phrase::and);
        let is_known = said.iter().any(|other| other.words().contains(one.words()));
        if is_known || whole.words().len() > PHRASE {
            continue;
        }
        // Replaces the heaviest phrase that it is joined to.
        if let Some(place) = said.iter().position(|other| one.overlaps(other)) {
            said.retain(|other| !one.overlaps(other));
            said.insert(place, whole);
        } else if said.len() < NAMED {
            said.push(one);
        }
    }
    said.iter().map(|phrase| quoted(phrase.words())).collect()
}
