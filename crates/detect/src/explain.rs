//! Why a text is called a failure, in words.

use crate::features;
use crate::figures::{Figure, Figures};
use crate::score::Model;
use crate::segment::Segments;
use crate::verdict::{Inspection, Kind};

/// Facts that are named.
const NAMED: usize = 3;

/// The verdict about a text of so many n-grams whose margin is not negative.
pub(crate) fn failure(
    model: &Model,
    segments: &Segments<'_>,
    figures: &Figures,
    (margin, count): (f32, u32),
) -> Inspection {
    let kind = model.kind(segments).unwrap_or(Kind::ToolError);
    let mut best: Vec<(f32, String)> = Vec::new();
    let root = (count.max(1) as f32).sqrt();
    features::grams(segments, |gram, text, _| {
        let weight = model.gram(gram.bucket) / root;
        let lowest = best.get(NAMED - 1).map_or(0.0, |(lowest, _)| *lowest);
        let seen = text.get(gram.start..gram.end).unwrap_or_default();
        let known = |(_, known): &(f32, String)| known.contains(seen) || seen.contains(known.as_str());
        if weight > lowest && seen.len() >= 3 && !best.iter().any(known) {
            best.push((weight, seen.to_owned()));
            best.sort_by(|a, b| b.0.total_cmp(&a.0));
            best.truncate(NAMED);
        }
    });
    let quoted = |seen: &str| {
        let words: Vec<&str> = seen.split_whitespace().collect();
        format!("\u{201c}{}\u{201d}", words.join(" "))
    };
    let words: Vec<String> = best.iter().map(|(_, seen)| quoted(seen)).collect();
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
