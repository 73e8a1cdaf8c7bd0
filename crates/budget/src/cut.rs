//! Cutting a text so that something around it fits: never inside what a reader takes for one character, and
//! between sentences where that keeps enough.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Stands where a middle was.
pub(crate) const GAP: &str = "\n[...]\n";

/// What is kept of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The text that stands in.
    pub text: String,
    /// The parts kept, in bytes of the text that was cut.
    pub spans: Vec<Range<usize>>,
}

/// The result for this many characters.
enum Made {
    /// Nothing to show.
    TooLittle,
    Kept(Kept),
    /// The whole text.
    TooMuch,
}

/// The most of the beginning for which `fits` holds.
pub fn tail(text: &str, mut fits: impl FnMut(&Kept) -> bool) -> Option<Kept> {
    let borders = Borders::of(text);
    let make = |count: usize| {
        let span = borders.beginning(borders.at(count));
        if span.is_empty() {
            return Made::TooLittle;
        }
        Made::Kept(Kept {
            text: borders.part(&span).to_owned(),
            spans: vec![span],
        })
    };
    longest(borders.count(), make, &mut fits)
}

/// The most of the beginning and the end for which `fits` holds, half each.
pub fn middle(text: &str, mut fits: impl FnMut(&Kept) -> bool) -> Option<Kept> {
    let borders = Borders::of(text);
    let make = |count: usize| {
        let head = borders.beginning(borders.at(count.div_ceil(2)));
        let tail = borders.ending(borders.at(borders.count() - count / 2));
        if head.is_empty() || tail.is_empty() {
            return Made::TooLittle;
        }
        if head.end >= tail.start {
            return Made::TooMuch;
        }
        Made::Kept(Kept {
            text: [borders.part(&head), GAP, borders.part(&tail)].concat(),
            spans: vec![head, tail],
        })
    };
    longest(borders.count(), make, &mut fits)
}

/// The longest that fits, of those that `make` makes of so many characters. A longer one may by chance have fewer
/// tokens; that is passed over.
fn longest(most: usize, make: impl Fn(usize) -> Made, fits: &mut impl FnMut(&Kept) -> bool) -> Option<Kept> {
    let (mut low, mut high) = (0, most);
    let mut best = None;
    while low < high {
        let count = low + (high - low).div_ceil(2);
        match make(count) {
            Made::TooLittle => low = count,
            Made::Kept(kept) if fits(&kept) => {
                best = Some(kept);
                low = count;
            }
            Made::Kept(_) | Made::TooMuch => high = count - 1,
        }
    }
    best
}

/// A text and where its characters begin and end, as readers see them.
struct Borders<'t> {
    text: &'t str,
    places: Vec<usize>,
    /// Where sentences end and begin.
    sentences: Vec<usize>,
}

impl<'t> Borders<'t> {
    fn of(text: &'t str) -> Self {
        let begins = text.grapheme_indices(true).map(|(at, _)| at);
        Self {
            text,
            places: begins.chain([text.len()]).collect(),
            sentences: text
                .split_sentence_bound_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect(),
        }
    }

    /// Characters.
    fn count(&self) -> usize {
        self.places.len() - 1
    }

    /// Where the character of that number begins.
    fn at(&self, number: usize) -> usize {
        self.places.get(number).copied().unwrap_or(self.text.len())
    }

    fn is_border(&self, at: usize) -> bool {
        self.places.binary_search(&at).is_ok()
    }

    fn part(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// What of the first `end` bytes is kept: to the end of a sentence where that is at least half.
    fn beginning(&self, end: usize) -> Range<usize> {
        let before = self.sentences.partition_point(|at| *at <= end);
        let sentence = before
            .checked_sub(1)
            .and_then(|place| self.sentences.get(place).copied())
            .filter(|at| at * 2 >= end && self.is_border(*at));
        let end = sentence.unwrap_or(end);
        let trimmed = self.part(&(0..end)).trim_end().len();
        0..if self.is_border(trimmed) { trimmed } else { end }
    }

    /// What of the bytes from `start` is kept: from the beginning of a sentence where that is at least half.
    fn ending(&self, start: usize) -> Range<usize> {
        let all = self.text.len();
        let sentence = self
            .sentences
            .get(self.sentences.partition_point(|at| *at < start))
            .copied()
            .filter(|at| (all - at) * 2 >= all - start && self.is_border(*at));
        let start = sentence.unwrap_or(start);
        let rest = self.part(&(start..all));
        let trimmed = start + (rest.len() - rest.trim_start().len());
        let start = if self.is_border(trimmed) { trimmed } else { start };
        start..all
    }
}
