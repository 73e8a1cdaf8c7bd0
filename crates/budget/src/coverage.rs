//! What the selected texts cover already: a candidate whose content is among them, or is contained in one of them, adds
//! nothing. An equal address covers nothing: five chunks of one page are five texts.

use std::collections::HashMap;

use crate::candidate::Candidate;
use crate::runs::{mixed, words};

/// Words in a run by which contained texts are found. A shorter text is covered by an equal one only.
const RUN: usize = 8;
/// Runs of selected texts that are looked through, at most; it bounds the memory of a selection without a limit.
const RUNS: usize = 1 << 18;

/// The selected candidates, by what they hold.
#[derive(Debug, Default)]
pub(crate) struct Coverage<'c> {
    selected: Vec<Held<'c>>,
    /// Places in `selected` by the hash of a content, else by the title.
    whole: HashMap<&'c str, Vec<usize>>,
    /// Places in `selected` by the runs of their contents.
    runs: HashMap<u64, Vec<usize>>,
    counted: usize,
}

#[derive(Debug)]
struct Held<'c> {
    index: usize,
    details: &'c str,
    /// The content with single spaces, also around it; empty where it is not looked through.
    flat: String,
}

/// How a candidate is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Covered {
    /// By the same content.
    Same(usize),
    /// By a content that contains its own.
    Contained(usize),
}

impl Covered {
    /// In a sentence.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Same(index) => format!("Same content as result {index}, which is selected."),
            Self::Contained(index) => {
                format!("Its content is contained in that of result {index}, which is selected.")
            }
        }
    }
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a candidate is the same by: its content, or its title where it has none.
pub(crate) fn identity<'c>(candidate: &'c Candidate<'_>) -> Option<&'c str> {
    let has_content = candidate.content.as_deref().is_some_and(|text| !text.is_empty());
    let title = || candidate.title.as_deref().filter(|_| !has_content);
    candidate.content_sha256.as_deref().or_else(title)
}

impl<'c> Coverage<'c> {
    /// What covers a candidate, if something does. One with facts of its own is covered only by an item of the same facts.
    pub(crate) fn of(&self, candidate: &Candidate<'_>) -> Option<Covered> {
        let details = candidate.details.as_ref();
        let same = identity(candidate).and_then(|key| self.whole.get(key));
        for held in same.into_iter().flatten().filter_map(|at| self.selected.get(*at)) {
            if details.is_empty() || details == held.details {
                return Some(Covered::Same(held.index));
            }
        }
        if !details.is_empty() || self.runs.is_empty() {
            return None;
        }
        let content = candidate.content.as_deref().unwrap_or_default();
        let mut first = [0_u64; RUN];
        let mut hashes = words(content);
        for place in &mut first {
            *place = hashes.next()?;
        }
        let near = self.runs.get(&mixed(first))?;
        // With blanks around, so that 10 is not contained in 1000.
        let own = format!(" {} ", flat(content));
        let mut holders = near.iter().filter_map(|at| self.selected.get(*at));
        holders
            .find(|held| held.flat.contains(&own))
            .map(|held| Covered::Contained(held.index))
    }

    /// Notes a selected candidate. `whole` says whether all of its content went in.
    pub(crate) fn note(&mut self, candidate: &'c Candidate<'_>, whole: bool) {
        let at = self.selected.len();
        let mut held = Held {
            index: candidate.index,
            details: candidate.details.as_ref(),
            flat: String::new(),
        };
        if let Some(key) = identity(candidate) {
            self.whole.entry(key).or_default().push(at);
        }
        let content = candidate.content.as_deref().unwrap_or_default();
        if whole && self.counted < RUNS {
            held.flat = format!(" {} ", flat(content));
            let mut window = [0_u64; RUN];
            for (seen, word) in (1_usize..).zip(words(content)) {
                window.rotate_left(1);
                if let Some(last) = window.last_mut() {
                    *last = word;
                }
                if seen < RUN {
                    continue;
                }
                self.counted += 1;
                let places = self.runs.entry(mixed(window)).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
                if self.counted >= RUNS {
                    break;
                }
            }
        }
        self.selected.push(held);
    }
}
