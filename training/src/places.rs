//! Varied names and titles for the placeholders of program messages.

use crate::fit::Sequence;
use crate::{Sample, held};

/// Fillers that the scripts use for titles and names (`PLACES` of `labels.py`). Hosts, paths, files and numbers need
/// no variation: the detector normalises each of them.
const TITLE: &str = "Main page";
const NAME: &str = "Ada";

/// Maximum size of content that can be a title, in bytes.
const TITLE_BYTES: usize = 40;

/// Returns short content texts from the training samples, for use as titles.
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

/// Replaces each filler with a title or a word from content. Failures have more placeholders than content, so the
/// model would learn the two fillers as signs of failure, and every other title or name as a sign of content.
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

/// Replaces `place`, wherever it is a whole word, with another filler.
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
