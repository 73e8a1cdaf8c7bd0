//! Why a text is called a failure, in words.

use crate::features::{self, Gram};
use crate::figures::{Figure, Figures};
use crate::score::{Model, Peak, length_class};
use crate::segment::Segments;
use crate::verdict::{Inspection, Kind};

/// Facts that are named.
const NAMED: usize = 3;

/// Most bytes of a sentence that are shown.
const QUOTED: usize = 120;

/// The verdict about a text whose margin is not negative.
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

/// Of a text that is not short, the sentence that is most like a failure.
fn sentence(model: &Model, segments: &Segments<'_>) -> Option<String> {
    if length_class(segments.shape.visible) == 0 {
        return None;
    }
    // Where the sentence began, and in which part: what is left of one part is no beginning in the next.
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

/// A quotation, on one line.
fn quoted(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("\u{201c}{}\u{201d}", words.join(" "))
}

/// Words that speak for a failure, and where they stand.
struct Said {
    weight: f32,
    words: String,
    gram: Gram,
    titled: bool,
}

impl Said {
    /// Whether one of both holds the other's words.
    fn covers(&self, other: &Self) -> bool {
        self.words.contains(&other.words) || other.words.contains(&self.words)
    }

    /// Whether both stand in one place, or one says what the other does.
    fn repeats(&self, other: &Self) -> bool {
        let shares = self.gram.start < other.gram.end && other.gram.start < self.gram.end;
        shares && self.titled == other.titled || self.covers(other)
    }

    /// Whether this is the other and its neighbour. The words are compared, too: lead and tail count their bytes for themselves.
    fn widens(&self, other: &Self) -> bool {
        self.titled == other.titled
            && self.gram.start <= other.gram.start
            && self.gram.end >= other.gram.end
            && self.words.len() > other.words.len()
            && self.words.contains(&other.words)
    }
}

/// The words that weigh most, each with the neighbour with which it weighs, too: "could not" says more to a reader than "not".
fn said(model: &Model, segments: &Segments<'_>) -> Vec<String> {
    let mut all: Vec<Said> = Vec::new();
    features::grams(segments, |gram, text, titled| {
        let weight = model.gram(gram.bucket);
        let words = text.get(gram.start..gram.end).unwrap_or_default();
        // Neither "was" nor a number says anything to a reader by itself, but a number belongs to
        // the unit behind it: "30000ms exceeded".
        if weight > 0.0 && words.len() >= 4 && words.starts_with(char::is_alphabetic) {
            let before = text.get(..gram.start).unwrap_or_default();
            let start = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            all.push(Said {
                weight,
                words: text.get(start..gram.end).unwrap_or_default().to_owned(),
                gram,
                titled,
            });
        }
    });
    all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut best: Vec<&Said> = Vec::new();
    for one in &all {
        if best.len() < NAMED && !best.iter().any(|better| one.covers(better)) {
            best.push(one);
        }
    }
    let mut said: Vec<&Said> = Vec::new();
    for narrow in best {
        let mut widest = all.iter().filter(|one| one.widens(narrow)).chain([narrow]);
        said.extend(widest.find(|one| !said.iter().any(|other| one.repeats(other))));
    }
    said.into_iter().map(|said| quoted(&said.words)).collect()
}
