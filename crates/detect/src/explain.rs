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
    let confidence = model.probability(margin).max(0.5);
    let kind = model.kind(segments).unwrap_or(Kind::ToolError);
    let mut best: Vec<(f32, String)> = Vec::new();
    let root = (count.max(1) as f32).sqrt();
    features::grams(segments, |gram, text, _| {
        let weight = model.gram(gram.bucket) / root;
        let lowest = best.last().map_or(0.0, |(lowest, _)| *lowest);
        let seen = text.get(gram.start..gram.end).unwrap_or_default();
        if weight <= 0.0 || best.len() == NAMED && weight <= lowest || seen.len() < 3 {
            return;
        }
        if best
            .iter()
            .any(|(_, known)| known.contains(seen) || seen.contains(known.as_str()))
        {
            return;
        }
        best.push((weight, seen.to_owned()));
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        best.truncate(NAMED);
    });
    let shape = Figure::ALL
        .iter()
        .filter(|figure| **figure != Figure::Always)
        .map(|figure| (figures.value(*figure) * model.figure(*figure), *figure))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let words: Vec<String> = best
        .iter()
        .map(|(_, seen)| {
            format!(
                "\u{201c}{}\u{201d}",
                seen.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        })
        .collect();
    let reason = if words.is_empty() {
        "its shape is that of a failure".to_owned()
    } else {
        format!("it says {}", words.join(", "))
    };
    let mut found = Inspection::new(kind, confidence, reason);
    for word in words {
        found = found.with("wording", word);
    }
    if let Some((weight, figure)) = shape
        && weight > 0.0
    {
        found = found.with("shape", figure.describe());
    }
    found
}
