//! Trains the weights of the failure detector and measures them. Never part of the server.
//!
//! Same input, same bytes: fixed orders, no clock, no randomness except fixed sequences.

pub mod archive;
pub mod card;
mod contexts;
mod data;
mod fit;
mod places;
mod report;
mod shuffled;
#[cfg(test)]
mod told_apart;
pub mod verdicts;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use freshcontext_detect::features::SLOTS;
use freshcontext_detect::score::LENGTHS;
use sha2::{Digest, Sha256};

use archive::Corpus;
pub use data::Sample;
use data::read;
use fit::{Classes, FINE, ROUGH, Vector, Weights, fit};

/// Training inputs.
#[derive(Debug, Clone)]
pub struct Inputs<'a> {
    /// The corpus of the repository.
    pub corpus: &'a Corpus,
    /// Path of the development corpus, if it is available.
    pub dev: Option<PathBuf>,
    /// Folders with any of `pages.jsonl`, `messages.jsonl`, `forms.jsonl`, `documents.jsonl`, `sentences.jsonl`,
    /// `short.jsonl`, `readmes.jsonl`, `keywords.jsonl`, `headings.jsonl`, `prose.jsonl`.
    pub real: Vec<PathBuf>,
    /// Whether to train seven more times, to measure the effect of more data and of a larger model.
    pub curve: bool,
}

/// Result of training.
#[derive(Debug)]
pub struct Trained {
    /// Weights in the detector's format.
    pub weights: Vec<u8>,
    /// The model card, without its date.
    pub report: String,
}

/// Training weights of a class of texts.
#[derive(Clone, Copy)]
struct Weight {
    failure: f32,
    content: f32,
    /// Factor for texts in English.
    english: f32,
}

impl Weight {
    const fn new(weight: f32) -> Self {
        Self {
            failure: weight,
            content: weight,
            english: 1.0,
        }
    }

    fn of(self, sample: &Sample) -> f32 {
        let weight = if sample.failed { self.failure } else { self.content };
        let is_english = sample.language == "en";
        weight * if is_english { self.english } else { 1.0 }
    }
}

/// The repository's own texts. A content text that is taken for a failure is worse than a missed failure.
const OWN: Weight = Weight {
    failure: 30.0,
    content: 70.0,
    english: 1.0,
};

/// The repository's content of every form, a few pieces each. The high weight keeps a form from being lost among
/// thousands of others.
const FORMS: Weight = Weight::new(210.0);

/// Failures with explanations, and content in the same words. Long texts have many n-grams, which would displace
/// those that distinguish the short texts.
const EXPLAINED: Weight = Weight {
    failure: 15.0,
    content: 35.0,
    english: 1.0,
};

/// Texts that writers produced by the thousand.
const WRITTEN: Weight = Weight {
    failure: 3.0,
    content: 12.0,
    english: 1.0,
};

/// The most common messages, of a few words each, and content of the same length. Two words give the model little
/// evidence. There are as many texts in each other language, and a high weight for them would leave English few
/// slots.
const BARE: Weight = Weight {
    failure: 11.0,
    content: 19.0,
    english: 1.5,
};

/// Program messages, labelled by a word rule. Most are translations, which would leave English few slots.
const NOISY: Weight = Weight {
    failure: 0.025,
    content: 0.025,
    english: 8.0,
};

/// Program messages whose original was labelled by a reader: those that the rule does not cover, or on which weights
/// and rule disagreed.
const READ: Weight = Weight {
    failure: 0.04,
    content: 0.04,
    english: 14.0,
};

/// Maximum false positive rate among held-out real content, for each of the detector's lengths. The rates are those
/// of failure-honesty.md, lowered where separate content showed that the held-out content is too plain.
const REAL_FALSE_POSITIVES: [f64; LENGTHS.len()] = [0.0129, 0.0009, 0.0004];

/// Maximum false positive rate among the repository's content, nearly all of which was written to resemble failures:
/// short and medium texts.
const TRAP_FALSE_POSITIVES: [f64; 2] = [0.16, 0.02];

/// Sources that the measured model never sees, by name prefix. Its results on them estimate the results on unseen
/// texts.
const HELD_SOURCES: [&str; 15] = [
    "squid",
    "firefox",
    "epiphany-browser-data",
    "php-horde",
    "python3-djangorestframework",
    "Trac",
    "sogo",
    "tomcat",
    "e2guardian",
    "gnome-user-docs",
    "sqlite3-doc",
    "manpages-fr",
    "aptitude-doc-ru",
    "debian-faq-ja",
    "debian-policy",
];

/// Languages of descriptions, and sources of which one half, that the measured model never sees either.
const HELD_LANGUAGES: [&str; 5] = ["uk", "de", "zh", "tr", "en"];
const HELD_HALVES: [&str; 6] = [
    "debian-changelogs",
    "readmes",
    "descriptions",
    "phrases",
    "tales",
    "dictionaries",
];

/// Content that no threshold depends on: too plain, or (such as the exclamations in a story) not the result of a
/// retrieval.
const UNUSUAL: [&str; 4] = ["descriptions", "phrases", "tales", "dictionaries"];

/// Files of the repository whose odd half is never trained on.
const HALVED: [&str; 3] = ["dev", "purpose", "written"];

/// Texts of writers that are never trained on.
const UNSEEN: &str = "writers-unseen";

/// Returns whether a sample is never trained on.
fn never_learned(sample: &Sample) -> bool {
    sample.source == UNSEEN || HALVED.contains(&sample.source.as_str()) && sample.half() == 1
}

fn held(sample: &Sample) -> bool {
    HELD_SOURCES.iter().any(|held| sample.source.starts_with(held))
        || sample.source == "app-descriptions" && HELD_LANGUAGES.contains(&sample.language.as_str())
        || HELD_HALVES.contains(&sample.source.as_str()) && sample.half() == 1
        || never_learned(sample)
        || (sample.source.starts_with("failures") || sample.source.starts_with("genuine"))
            && sample.half() == 1
}

/// Reads all inputs in a fixed order. Also returns a description of them.
fn load(inputs: &Inputs<'_>) -> Result<(Vec<Sample>, String), String> {
    let mut samples = Vec::new();
    let mut said = String::from("| input | texts | SHA-256 |\n| --- | ---: | --- |\n");
    let mut take =
        |file: &str, bytes: &[u8], label: Option<bool>, weight: Weight, source: &str| -> Result<(), String> {
            let mut read = read(file, bytes, label)?;
            let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
            let message = stem == "messages" || stem == "forms";
            for sample in &mut read {
                if !source.is_empty() {
                    sample.group = format!("{source}:{}", sample.group);
                    source.clone_into(&mut sample.source);
                }
                sample.message = message;
                sample.placed = message || stem == "pages";
                let is_read = message && sample.class == "read";
                let weight = if is_read { READ } else { weight };
                sample.weight = weight.of(sample);
            }
            let hash = base16ct::lower::encode_string(&Sha256::digest(bytes));
            // writing to a string cannot fail
            let _ = writeln!(
                said,
                "| {file} | {} | `{}` |",
                read.len(),
                hash.get(..16).unwrap_or_default()
            );
            samples.extend(read);
            Ok(())
        };
    for (name, label, weight) in [
        ("failures", Some(true), OWN),
        ("failures-by-form", Some(true), OWN),
        ("genuine", Some(false), OWN),
        ("genuine-by-form", Some(false), FORMS),
        ("purpose", None, OWN),
        ("written", None, OWN),
        ("writers", None, WRITTEN),
        ("twins", None, WRITTEN),
        ("bare", None, BARE),
        ("long-pages", None, EXPLAINED),
        ("passages", None, EXPLAINED),
        (UNSEEN, None, WRITTEN),
        ("wordings", Some(true), Weight::new(0.3)),
        ("contexts", None, Weight::new(0.0)),
        ("reports", None, Weight::new(0.0)),
    ] {
        let file = format!("{name}.jsonl");
        let bytes = inputs.corpus.get(&file);
        let bytes = bytes.ok_or_else(|| format!("the archive of the corpus has no {file}"))?;
        take(&file, bytes, label, weight, name)?;
    }
    if let Some(dev) = &inputs.dev {
        let file = dev.file_name().unwrap_or_default().to_string_lossy();
        take(&file, &bytes_of(dev)?, None, OWN, "dev")?;
    }
    for folder in &inputs.real {
        for (name, weight) in [
            ("pages", Weight::new(0.4)),
            ("messages", NOISY),
            ("forms", NOISY),
            ("documents", Weight::new(0.6)),
            ("sentences", Weight::new(0.8)),
            ("short", Weight::new(0.5)),
            ("readmes", Weight::new(0.5)),
            ("keywords", Weight::new(1.2)),
            ("headings", Weight::new(0.3)),
            ("prose", Weight::new(0.7)),
        ] {
            let file = format!("{name}.jsonl");
            let path = folder.join(&file);
            if path.is_file() {
                take(&file, &bytes_of(&path)?, None, weight, "")?;
            }
        }
    }
    places::refill(&mut samples);
    without_unseen(&mut samples);
    contexts::add(&mut samples);
    shuffled::add(&mut samples);
    Ok((samples, said))
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Drops samples with the same text as a sample that is never trained on, since many collections contain well-known
/// messages.
fn without_unseen(samples: &mut Vec<Sample>) {
    let unseen: HashSet<String> = samples
        .iter()
        .filter(|sample| never_learned(sample))
        .map(|sample| sample.text.trim().to_owned())
        .collect();
    samples.retain(|sample| never_learned(sample) || !unseen.contains(sample.text.trim()));
}

/// A trained model: its weights, and the classes of its n-grams.
struct Learned {
    weights: Weights,
    classes: Classes,
}

/// Trains in several steps. The first weights use every n-gram, to choose which n-gram of each slot to keep and which
/// shuffled texts are hard. The final weights use the chosen n-grams, in `orders` orders.
fn learn(
    samples: &[Sample],
    vectors: &mut [Vector],
    orders: usize,
    learns: impl Fn(&Sample) -> bool,
) -> Learned {
    let chosen: Vec<bool> = samples.iter().map(learns).collect();
    shuffled::weigh_alike(vectors);
    for vector in vectors.iter_mut() {
        vector.peak = None;
    }
    let mut classes = Classes::learn(&only(vectors, &chosen));
    classify(vectors, &classes, &chosen);
    let first = fit(&only(vectors, &chosen), ROUGH);
    classes.prune(&first);
    shuffled::weigh_hard(&first, samples, vectors);
    classify(vectors, &classes, &chosen);
    let second = fit(&only(vectors, &chosen), ROUGH);
    shuffled::weigh_hard(&second, samples, vectors);
    // Sentence sums of one half come from weights that were trained on the other half. Weights trained on the same
    // samples would separate them too well.
    for half in 0..2 {
        let of_half: Vec<bool> = samples.iter().map(|sample| sample.half() == half).collect();
        let others: Vec<bool> = chosen
            .iter()
            .zip(&of_half)
            .map(|(chosen, of)| *chosen && !of)
            .collect();
        let weights = fit(&only(vectors, &others), ROUGH).grams;
        measure_peaks(vectors, &classes, &weights, &of_half);
    }
    classify(vectors, &classes, &chosen);
    let learned = only(vectors, &chosen);
    let mut weights = fit(&learned, orders);
    weights.round();
    weights.fit_kinds(&learned);
    measure_peaks(vectors, &classes, &weights.grams, &vec![true; vectors.len()]);
    classify(vectors, &classes, &chosen);
    Learned { weights, classes }
}

fn only<'a>(vectors: &'a [Vector], chosen: &[bool]) -> Vec<&'a Vector> {
    let both = vectors.iter().zip(chosen);
    both.filter(|(_, chosen)| **chosen)
        .map(|(vector, _)| vector)
        .collect()
}

fn measure_peaks(vectors: &mut [Vector], classes: &Classes, weights: &[f32], chosen: &[bool]) {
    let both = vectors.iter_mut().zip(chosen);
    for (vector, _) in both.filter(|(_, chosen)| **chosen) {
        vector.measure_peak(classes, weights);
    }
}

fn classify(vectors: &mut [Vector], classes: &Classes, chosen: &[bool]) {
    for (vector, own) in vectors.iter_mut().zip(chosen) {
        vector.classify(classes, *own);
    }
}

/// Fits the thresholds that keep false positives within their limits on content that the weights were not trained on.
fn thresholds(learned: &Learned, samples: &[Sample], vectors: &[Vector]) -> [f32; LENGTHS.len()] {
    let own = |sample: &Sample| sample.source.starts_with("genuine") || never_learned(sample);
    let bound = |length: usize, of: &dyn Fn(&Sample) -> bool, share: f64| {
        let mut above: Vec<f32> = samples
            .iter()
            .zip(vectors)
            .filter(|(sample, vector)| {
                held(sample) && !sample.failed && vector.length == length && of(sample)
            })
            .filter(|(_, vector)| vector.certain.is_none())
            .map(|(_, vector)| learned.weights.margin(vector))
            .collect();
        above.sort_by(|a, b| b.total_cmp(a));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a length"
        )]
        let index = (above.len() as f64 * share) as usize;
        above.get(index).copied().unwrap_or(0.0)
    };
    let mut thresholds = [0.0; LENGTHS.len()];
    for (length, (threshold, share)) in thresholds.iter_mut().zip(REAL_FALSE_POSITIVES).enumerate() {
        let real =
            |sample: &Sample| !own(sample) && !sample.message && !UNUSUAL.contains(&sample.source.as_str());
        let real = bound(length, &real, share);
        let trap = TRAP_FALSE_POSITIVES.get(length);
        let trap = trap.map_or(f32::MIN, |share| bound(length, &own, *share));
        *threshold = real.max(trap).clamp(-3.0, 3.0);
    }
    thresholds
}

/// Fits the confidence on held-out samples, with equal weight for both classes: a logistic curve over the margins.
fn calibrate(weights: &mut Weights, samples: &[Sample], vectors: &[Vector]) {
    let points: Vec<(f64, f64)> = samples
        .iter()
        .zip(vectors)
        .filter(|(sample, vector)| held(sample) && vector.certain.is_none())
        .map(|(sample, vector)| {
            (
                f64::from(weights.above(vector)),
                f64::from(u8::from(sample.failed)),
            )
        })
        .collect();
    let failures = points.iter().filter(|point| point.1 > 0.5).count().max(1) as f64;
    let content = (points.len() as f64 - failures).max(1.0);
    let (mut slope, mut offset) = (0.8_f64, 0.0_f64);
    for _ in 0..300 {
        let (mut by_slope, mut by_offset) = (0.0, 0.0);
        for (margin, failed) in &points {
            let weight = if *failed > 0.5 {
                0.5 / failures
            } else {
                0.5 / content
            };
            let error = weight * (1.0 / (1.0 + (-(slope * margin + offset)).exp()) - failed);
            by_slope += error * margin;
            by_offset += error;
        }
        slope = (slope - 0.5 * by_slope).clamp(0.1, 4.0);
        offset = (offset - 0.5 * by_offset).clamp(0.0, 2.0);
    }
    #[expect(clippy::cast_possible_truncation, reason = "two small figures")]
    {
        weights.slope = slope as f32;
        weights.offset = offset as f32;
    }
}

/// Returns rates on the held-out samples, in percent: failures found, failures in English found, and real content
/// taken for failures.
fn worth(learned: &Learned, samples: &[Sample], vectors: &[Vector]) -> [f64; 3] {
    let share = |of: &dyn Fn(&Sample) -> bool| {
        let held = samples
            .iter()
            .zip(vectors)
            .filter(|(sample, _)| held(sample) && of(sample));
        let above: Vec<bool> = held
            .map(|(_, vector)| learned.weights.above(vector) >= 0.0)
            .collect();
        above.iter().filter(|above| **above).count() as f64 * 100.0 / above.len().max(1) as f64
    };
    [
        share(&|sample| sample.failed),
        share(&|sample| sample.failed && sample.language == "en"),
        share(&|sample| !sample.failed && !sample.message),
    ]
}

/// Measures the effect of more data and of a larger model: repeats the training with a part of the real texts, and
/// with merged slots.
fn curve(samples: &[Sample], vectors: &[Vector]) -> String {
    let mut curve = String::from(
        "| share of the real texts | slots | failures found | in English | content taken for failures |\n\
         | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (eighths, size) in [(1_u8, 1_u32), (2, 1), (4, 1), (8, 8), (8, 4), (8, 2), (8, 1)] {
        let mut coarse: Vec<Vector> = vectors.iter().map(|vector| vector.coarser(size)).collect();
        let mut learned = learn(samples, &mut coarse, ROUGH, |sample| {
            !held(sample) && (sample.weight > 1.0 || sample.fold(8) < eighths)
        });
        learned.weights.thresholds = thresholds(&learned, samples, &coarse);
        let [recall, english, wronged] = worth(&learned, samples, &coarse);
        // writing to a string cannot fail
        let _ = writeln!(
            curve,
            "| {eighths}/8 | {} | {recall:.1} % | {english:.1} % | {wronged:.2} % |",
            SLOTS / size as usize
        );
    }
    curve
}

/// Trains twice: first without the held-out samples, to measure on them; then with everything except the samples that
/// are never trained on. The second model is stored.
pub fn train(inputs: &Inputs<'_>) -> Result<Trained, String> {
    let (samples, read) = load(inputs)?;
    let mut vectors: Vec<Vector> = samples.iter().map(Vector::of).collect();
    let mut report = String::new();
    let mut learned = learn(&samples, &mut vectors, FINE, |sample| !held(sample));
    learned.weights.thresholds = thresholds(&learned, &samples, &vectors);
    calibrate(&mut learned.weights, &samples, &vectors);
    let bytes = learned.weights.bytes(&learned.classes);
    let figures = report::measure(&bytes, samples.iter().filter(|sample| held(sample)))?;
    // writing to a string cannot fail
    let _ = write!(
        report,
        "## Unseen: weights that were learned without these texts\n\n{}\n",
        figures.tables()
    );
    let mut last = learn(&samples, &mut vectors, FINE, |sample| !never_learned(sample));
    last.weights.thresholds = learned.weights.thresholds;
    (last.weights.slope, last.weights.offset) = (learned.weights.slope, learned.weights.offset);
    let weights = last.weights.bytes(&last.classes);
    let halves = report::measure(&weights, samples.iter().filter(|sample| never_learned(sample)))?;
    let own = report::measure(
        &weights,
        samples
            .iter()
            .filter(|sample| sample.weight > 1.0 && !never_learned(sample)),
    )?;
    let _ = write!(
        report,
        "## The kept weights, on what no weights are ever learned from\n\n{}\n",
        halves.tables()
    );
    let _ = write!(
        report,
        "## The kept weights, on what they were learned from (says little)\n\n{}\n",
        own.tables()
    );
    if inputs.curve {
        let curve = curve(&samples, &vectors);
        let _ = write!(
            report,
            "## Learning curve\n\nMeasured on the unseen texts above.\n\n{curve}\n"
        );
    }
    let _ = write!(report, "## Inputs\n\n{read}\n");
    Ok(Trained { weights, report })
}
