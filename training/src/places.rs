//! Other names and titles in the places of program messages.

use crate::fit::Sequence;
use crate::{Sample, held};

/// What the scripts put into places for a title and a name (`PLACES` of `labels.py`). Hosts, paths, files and numbers need no
/// others: the detector takes each for the same.
const TITLE: &str = "Main page";
const NAME: &str = "Ada";

/// Most bytes of content that can be a title.
const TITLE_BYTES: usize = 40;

/// Short texts of content that is learned from: what titles are made of.
pub(crate) fn titles(samples: &[Sample]) -> Vec<String> {
    let is_title = |sample: &&Sample| {
        !sample.failed
            && !sample.placed
            && !held(sample)
            && sample.text.len() <= TITLE_BYTES
            && !sample.text.contains(['\n', '<', '{'])
    };
    let titles = samples.iter().filter(is_title);
    titles.map(|sample| sample.text.clone()).collect()
}

/// Puts a title or a word out of content into each place for one: failures have more places than content, and weights that met
/// the same two everywhere would take them for signs of failure, and all others for content.
pub(crate) fn refill(samples: &mut [Sample]) {
    let titles = titles(samples);
    let words = titles
        .iter()
        .flat_map(|title| title.split(|c: char| !c.is_alphanumeric()));
    let names: Vec<String> = words.filter(|word| word.len() >= 3).map(str::to_owned).collect();
    let mut sequence = Sequence(7);
    for sample in samples.iter_mut().filter(|sample| sample.placed) {
        for (place, others) in [(TITLE, &titles), (NAME, &names)] {
            sample.text = replaced(&sample.text, place, others, &mut sequence);
        }
    }
}

/// A text with another filling wherever it has `place` as a word.
fn replaced(text: &str, place: &str, others: &[String], sequence: &mut Sequence) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split(place).peekable();
    while let Some(piece) = pieces.next() {
        out.push_str(piece);
        let Some(behind) = pieces.peek() else { break };
        let is_word = !out.ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric);
        let other = others.get(sequence.below(others.len()));
        out.push_str(other.filter(|_| is_word).map_or(place, String::as_str));
    }
    out
}
