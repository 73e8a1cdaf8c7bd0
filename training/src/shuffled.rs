//! Shuffled words as content: its subject does not make a text a failure.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::data::Sample;
use crate::fit::{Sequence, Vector, Weights};
use crate::held;

/// Source name of these samples.
const SOURCE: &str = "shuffled";

/// Number of generated texts, maximum lines per text, maximum words per line, and training weight of each text.
const TEXTS: usize = 400_000;
const LINES: usize = 3;
const WORDS: usize = 12;
const WEIGHT: f32 = 0.05;

/// One in this many words is invented.
const INVENTED: usize = 12;

/// One in this many texts is hard, and the factor on its weight.
const HARD: usize = 40;
const EMPHASIS: f32 = 100.0;

/// Minimum count of a word in the repository's own texts, since a rarer word has little weight.
const FOUND: usize = 4;

/// Minimum log ratio (natural logarithm) of a failure word's rate in program messages that are failures to its rate
/// in the others.
const OF_FAILING: f64 = 1.5;

/// Adds texts of shuffled words. Words of documents are drawn by frequency; words of the repository's own texts are
/// drawn uniformly and exclude failure words.
pub fn add(samples: &mut Vec<Sample>) {
    let learned = || samples.iter().filter(|sample| !held(sample));
    let documents = learned().filter(|sample| !sample.failed && sample.source.contains("doc"));
    let of_documents: Vec<String> = documents.flat_map(words).collect();
    let own = |sample: &&Sample| {
        sample.language == "en" && ["writers", "twins", "written"].contains(&sample.source.as_str())
    };
    let mut of_own: BTreeMap<String, usize> = BTreeMap::new();
    for word in learned().filter(own).flat_map(words) {
        *of_own.entry(word).or_default() += 1;
    }
    let of_failing = words_of_failing(samples);
    of_own.retain(|word, times| *times >= FOUND && !of_failing(word));
    let of_own = of_own.into_keys().collect();
    let bags: [Vec<String>; 2] = [of_documents, of_own];
    if bags.iter().any(Vec::is_empty) {
        return;
    }
    let mut sequence = Sequence(31);
    let texts = bags
        .iter()
        .cycle()
        .take(TEXTS)
        .enumerate()
        .map(|(number, bag)| Sample {
            failed: false,
            kind: None,
            source: SOURCE.to_owned(),
            language: "en".to_owned(),
            group: format!("{SOURCE}:{number}"),
            text: text(bag, &mut sequence),
            weight: WEIGHT,
            class: String::new(),
            message: true,
            placed: false,
        });
    samples.extend(texts);
}

/// Returns a test for failure words, based on program messages in English.
fn words_of_failing(samples: &[Sample]) -> impl Fn(&str) -> bool + use<> {
    // initial count on each side, for words that occur on one side only
    const UNSEEN: f64 = 0.3;
    let messages = samples
        .iter()
        .filter(|sample| sample.message && sample.language == "en");
    let mut seen: HashMap<String, [f64; 2]> = HashMap::new();
    let mut totals = [1.0; 2];
    for message in messages {
        let side = usize::from(message.failed);
        for word in words(message) {
            let counts = seen.entry(word).or_insert([UNSEEN; 2]);
            for counts in [counts, &mut totals] {
                if let Some(count) = counts.get_mut(side) {
                    *count += 1.0;
                }
            }
        }
    }
    let [all_others, all_failed] = totals;
    move |word| {
        seen.get(word).is_some_and(|[others, failed]| {
            ((failed / all_failed) / (others / all_others)).ln() >= OF_FAILING
        })
    }
}

/// Builds one to three lines from a bag of words, some of them as sentences.
fn text(bag: &[String], sequence: &mut Sequence) -> String {
    let mut text = String::new();
    for _ in 0..=sequence.below(LINES) {
        let count = 1 + sequence.below(WORDS);
        let some = (0..count).filter_map(|_| {
            if sequence.below(INVENTED) == 0 {
                return Some(invented(sequence));
            }
            bag.get(sequence.below(bag.len())).cloned()
        });
        let line = some.collect::<Vec<_>>().join(" ");
        if sequence.below(3) > 0 {
            let first = line.get(..1).map(str::to_ascii_uppercase).unwrap_or_default();
            let rest = line.get(1..).unwrap_or_default();
            // writing to a string cannot fail
            let _ = write!(text, "{first}{rest}.");
        } else {
            text.push_str(&line);
        }
        text.push(if sequence.below(2) == 0 { ' ' } else { '\n' });
    }
    text
}

/// Invents a word that no text contains, like a product code or a foreign name.
fn invented(sequence: &mut Sequence) -> String {
    const SIGNS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let count = 2 + sequence.below(6);
    let signs = (0..count).filter_map(|_| SIGNS.get(sequence.below(SIGNS.len())));
    signs.map(|sign| char::from(*sign)).collect()
}

/// Returns the plain words of a text in lower case: 3 to 12 ASCII letters.
fn words(sample: &Sample) -> impl Iterator<Item = String> {
    let all = sample.text.split(|letter: char| !letter.is_alphanumeric());
    let plain = all
        .filter(|word| (3..=12).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    plain.map(str::to_ascii_lowercase)
}

/// Resets the effect of [`weigh_hard`] for another model.
pub fn weigh_alike(vectors: &mut [Vector]) {
    for vector in vectors {
        vector.emphasis = 1.0;
    }
}

/// Raises the weight of the hard texts, those that `weights` score highest ("hard negative mining", as in
/// Felzenszwalb and others, 2010). Without it, the detector would take a few nouns that are common in failures for a
/// failure.
pub fn weigh_hard(weights: &Weights, samples: &[Sample], vectors: &mut [Vector]) {
    let shuffled = samples
        .iter()
        .zip(vectors)
        .filter(|(sample, _)| sample.source == SOURCE);
    let mut margins: Vec<_> = shuffled
        .map(|(_, vector)| (weights.margin(vector), vector))
        .collect();
    margins.sort_by(|one, other| other.0.total_cmp(&one.0));
    let hard = margins.len() / HARD;
    for (_, vector) in margins.iter_mut().take(hard) {
        vector.emphasis = EMPHASIS;
    }
}
