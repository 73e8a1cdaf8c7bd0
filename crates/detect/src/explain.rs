//! Why a text is called a failure, in words.

use crate::features;
use crate::figures::{Figure, Figures};
use crate::score::Model;
use crate::segment::Segments;
use crate::verdict::{Inspection, Kind};

/// Facts that are named.
const NAMED: usize = 3;

/// The verdict about a text whose margin is not negative.
pub(crate) fn failure(model: &Model, segments: &Segments<'_>, figures: &Figures, margin: f32) -> Inspection {
    let kind = model.kind(segments).unwrap_or(Kind::ToolError);
    let said = said(model, segments);
    let quoted = |seen: &str| {
        let words: Vec<&str> = seen.split_whitespace().collect();
        format!("\u{201c}{}\u{201d}", words.join(" "))
    };
    let words: Vec<String> = said.iter().map(|said| quoted(&said.words)).collect();
    let reason = if words.is_empty() {
        "its shape is that of a failure".to_owned()
    } else {
        format!("it says {}", words.join(", "))
    };
    let found = Inspection::new(kind, model.probability(margin).max(0.5), reason);
    let add = |found: Inspection, word| found.with("wording", word);
    let found = words.into_iter().fold(found, add);
    let weigh = |figure: &Figure| figures.value(*figure) * model.figure(*figure);
    let shapes = Figure::ALL.iter().filter(|figure| **figure != Figure::Always);
    match shapes.max_by(|a, b| weigh(a).total_cmp(&weigh(b))) {
        Some(most) if weigh(most) > 0.0 => found.with("shape", most.describe()),
        _ => found,
    }
}

/// Words that speak for a failure, and where they stand.
struct Said {
    weight: f32,
    words: String,
    titled: bool,
    start: usize,
    end: usize,
}

impl Said {
    /// Whether both stand in one place, or one says what the other does.
    fn repeats(&self, other: &Self) -> bool {
        let shares = self.titled == other.titled && self.start < other.end && other.start < self.end;
        shares || self.words.contains(&other.words) || other.words.contains(&self.words)
    }
}

/// The words that weigh most, each with the neighbour with which it weighs, too: "could not" says more to a reader than "not".
fn said(model: &Model, segments: &Segments<'_>) -> Vec<Said> {
    let mut best: Vec<Said> = Vec::new();
    features::grams(segments, |gram, text, titled| {
        let weight = model.gram(gram.bucket);
        let lowest = best.get(NAMED - 1).map_or(0.0, |said| said.weight);
        let words = text.get(gram.start..gram.end).unwrap_or_default();
        // A number says nothing to a reader.
        let tells = words.len() >= 3 && words.contains(char::is_alphabetic);
        let known = |said: &Said| said.words.contains(words) || words.contains(&said.words);
        if weight > lowest && tells && !best.iter().any(known) {
            best.push(Said {
                weight,
                words: words.to_owned(),
                titled,
                start: gram.start,
                end: gram.end,
            });
            best.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            best.truncate(NAMED);
        }
    });
    let mut wider: Vec<Option<Said>> = best.iter().map(|_| None).collect();
    features::grams(segments, |gram, text, titled| {
        let weight = model.gram(gram.bucket);
        let words = text.get(gram.start..gram.end).unwrap_or_default();
        for (said, wider) in best.iter().zip(&mut wider) {
            let around = titled == said.titled
                && gram.start <= said.start
                && gram.end >= said.end
                && words.len() > said.words.len()
                && words.contains(&said.words);
            if around && weight > wider.as_ref().map_or(0.0, |wider| wider.weight) {
                *wider = Some(Said {
                    weight,
                    words: words.to_owned(),
                    titled,
                    start: gram.start,
                    end: gram.end,
                });
            }
        }
    });
    let mut said: Vec<Said> = Vec::new();
    for (narrow, wider) in best.into_iter().zip(wider) {
        let free = |one: &Said| !said.iter().any(|other| one.repeats(other));
        if let Some(one) = wider.into_iter().chain([narrow]).find(free) {
            said.push(one);
        }
    }
    said
}
