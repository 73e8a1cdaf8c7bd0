//! Words in any order, as content: what a text is about does not make it a failure.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::data::Sample;
use crate::fit::{Sequence, Vector, Weights};
use crate::held;

/// What these samples are called.
const SOURCE: &str = "shuffled";

/// How many are made, the most lines of one and the most words of a line, and what each counts in learning.
const TEXTS: usize = 400_000;
const LINES: usize = 3;
const WORDS: usize = 12;
const WEIGHT: f32 = 0.05;

/// Of how many words one is invented.
const INVENTED: usize = 12;

/// Of how many texts one is hard, and what its weight is multiplied by then.
const HARD: usize = 40;
const EMPHASIS: f32 = 100.0;

/// How often a word of our own texts must be found in them: one that is rarer weighs little.
const FOUND: usize = 4;

/// How much more often (as a natural logarithm) a word of failing is found in the messages of programs that failed than in the others.
const OF_FAILING: f64 = 1.5;

/// Adds texts of shuffled words: of documents, as often as they have them, and of our own texts in equal shares, but none that are
/// words of failing.
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

/// Which words are of failing, by the messages of programs in English.
fn words_of_failing(samples: &[Sample]) -> impl Fn(&str) -> bool + use<> {
    // of a word that is found on one side alone, as if it had been on the other a third of a time
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

/// One to three lines out of a bag of words, some of them as sentences.
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

/// A word that no text has, as product codes and foreign names are.
fn invented(sequence: &mut Sequence) -> String {
    const SIGNS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let count = 2 + sequence.below(6);
    let signs = (0..count).filter_map(|_| SIGNS.get(sequence.below(SIGNS.len())));
    signs.map(|sign| char::from(*sign)).collect()
}

/// The words of a text that are plain enough to be shuffled, in small letters.
fn words(sample: &Sample) -> impl Iterator<Item = String> {
    let all = sample.text.split(|letter: char| !letter.is_alphanumeric());
    let plain = all
        .filter(|word| (3..=12).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    plain.map(str::to_ascii_lowercase)
}

/// Takes back what [`weigh_hard`] did for another model.
pub fn weigh_alike(vectors: &mut [Vector]) {
    for vector in vectors {
        vector.emphasis = 1.0;
    }
}

/// Gives more weight to the hard texts, those that `weights` hold for failures soonest ("hard negative mining", as in Felzenszwalb
/// and others, 2010). Without, a heap of a few nouns that failures are often about would be one.
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
