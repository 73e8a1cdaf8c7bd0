//! Logistic regression by stochastic gradient descent (AdaGrad), in fixed orders: same input, same bytes.

use freshcontext_detect::features::{self, BUCKETS, CHECKS, SLOTS};
use freshcontext_detect::figures::{Figure, Figures};
use freshcontext_detect::score::{
    Entry, GRAM_SCALE, KIND_BUCKETS, LENGTHS, LEVELS, MODEL_BYTES, Model, Peak, SCALE, length_class,
};
use freshcontext_detect::{Kind, Segments};

use crate::data::Sample;

/// Passes over the samples, and the number of final passes whose mean gives the weights.
const EPOCHS: usize = 12;
const AVERAGED: usize = 6;

/// Initial step size of a weight.
const STEP: f32 = 0.25;

/// Regularisation of the n-gram weights towards zero, for each sample that has them.
const SHRINK: f32 = 5e-5;

/// N-grams out of ten that are left out at random each time a sample is learned from ("dropout", Hinton and others,
/// 2012). Without dropout, the model would know a failure by the single word that others of its kind lack.
const LEFT_OUT: usize = 3;

/// Feature vector of a sample.
pub struct Vector {
    pub failed: bool,
    pub kind: Option<Kind>,
    pub weight: f32,
    /// Factor on the sample's weight in fitting. It does not affect the n-gram counts.
    pub emphasis: f32,
    pub grams: Vec<u32>,
    /// Number of n-grams, repetitions included.
    count: u32,
    /// The part of `grams` that the model keeps.
    known: Vec<u32>,
    /// Buckets of the words outside the title.
    pub words: Vec<u32>,
    /// N-grams of the sentences, each with whether it ends a sentence; empty for a short text.
    sentences: Vec<(u32, bool)>,
    /// Maximum sum of one sentence, by weights that were learned without this sample.
    pub peak: Option<f32>,
    /// Decision of the rules that need no weights.
    pub certain: Option<bool>,
    /// Index of the threshold that applies.
    pub length: usize,
    measured: Figures,
    pub figures: Vec<f32>,
}

impl Vector {
    pub fn of(sample: &Sample) -> Self {
        // Unlike in detection, quotation marks around the whole text stay. Nearly all texts that have them are
        // sayings, and are content without them, too.
        let text = sample.text.trim_start_matches('\u{feff}').trim();
        let segments = Segments::of(text);
        let figures = Figures::of(text, &segments);
        let length = length_class(segments.shape.visible);
        let (mut grams, mut words, mut count) = (Vec::new(), Vec::new(), 0);
        let mut sentences = Vec::new();
        features::grams(&segments, |gram, _, titled| {
            count += 1;
            if gram.first {
                grams.push(gram.bucket);
            }
            if gram.word && !titled {
                words.push(gram.bucket);
            }
        });
        if length > 0 {
            features::sentences(&segments, |gram, _| sentences.push((gram.bucket, gram.ends)));
        }
        Self {
            failed: sample.failed,
            kind: sample.kind,
            weight: sample.weight,
            emphasis: 1.0,
            grams,
            count,
            known: Vec::new(),
            words,
            sentences,
            peak: None,
            certain: freshcontext_detect::certain(text),
            length,
            figures: Vec::new(),
            measured: figures,
        }
    }

    /// Restricts the n-grams to those that are kept, and completes the figures with the classes of the words. `own`
    /// means that the sample itself was counted for the classes.
    pub fn classify(&mut self, classes: &Classes, own: bool) {
        let keeps = |gram: &u32| classes.keeps(*gram);
        self.known = self.grams.iter().copied().filter(keeps).collect();
        let mut words = [0; features::CLASSES];
        for word in &self.words {
            let class = classes.of(*word, own.then_some((self.failed, self.weight)));
            if let Some(count) = words.get_mut(usize::from(class)) {
                *count += 1;
            }
        }
        let mut figures = self.measured.clone();
        figures.count_words(words);
        if let Some(peak) = self.peak {
            figures.set_peak(peak, self.length > 1);
        }
        self.figures = Figure::ALL.iter().map(|figure| figures.value(*figure)).collect();
    }

    /// Measures the maximum sum of one sentence by `weights`, over the n-grams that are kept.
    pub fn measure_peak(&mut self, classes: &Classes, weights: &[f32]) {
        if self.length == 0 {
            return;
        }
        let mut peak = Peak::default();
        for (gram, ends) in &self.sentences {
            let weight = weights.get(*gram as usize).copied().unwrap_or_default();
            let kept = if classes.keeps(*gram) { weight } else { 0.0 };
            peak.add(level(kept * GRAM_SCALE), *ends);
        }
        self.peak = Some(peak.most());
    }

    /// Returns the vector with every `size` neighbouring slots merged, as a smaller model would see it.
    pub fn coarser(&self, size: u32) -> Self {
        let checks = u32::from(CHECKS);
        let one = |gram: &u32| gram - gram / checks % size * checks;
        let coarse = |grams: &[u32]| grams.iter().map(one).collect();
        Self {
            grams: coarse(&self.grams),
            words: coarse(&self.words),
            sentences: self
                .sentences
                .iter()
                .map(|(gram, ends)| (one(gram), *ends))
                .collect(),
            known: Vec::new(),
            measured: self.measured.clone(),
            figures: Vec::new(),
            ..*self
        }
    }

    /// Returns the divisor of the n-gram sum. Without it, a text that repeats itself would score higher the longer it
    /// is.
    fn root(&self) -> f32 {
        (self.count.max(1) as f32).sqrt()
    }
}

/// Weighted counts of n-grams in failures and in content, and which n-grams are kept: initially those that occur
/// often enough, finally one per slot.
pub struct Classes {
    seen: Vec<[f32; 2]>,
    times: Vec<u16>,
    totals: [f32; 2],
    kept: Vec<bool>,
}

/// Minimum number of samples with an n-gram that is kept.
const TIMES: u16 = 2;

impl Classes {
    /// Counts every n-gram once per sample, and keeps those that occur in two or more samples.
    pub fn learn(vectors: &[&Vector]) -> Self {
        let mut classes = Self {
            seen: vec![[0.0; 2]; BUCKETS],
            times: vec![0; BUCKETS],
            totals: [1.0; 2],
            kept: Vec::new(),
        };
        for vector in vectors {
            let side = usize::from(vector.failed);
            let mut grams = vector.grams.clone();
            grams.sort_unstable();
            grams.dedup();
            if let Some(total) = classes.totals.get_mut(side) {
                *total += vector.weight;
            }
            for gram in grams {
                if let Some(seen) = classes
                    .seen
                    .get_mut(gram as usize)
                    .and_then(|seen| seen.get_mut(side))
                {
                    *seen += vector.weight;
                }
                if let Some(times) = classes.times.get_mut(gram as usize) {
                    *times = times.saturating_add(1);
                }
            }
        }
        classes.kept = classes.times.iter().map(|times| *times >= TIMES).collect();
        classes
    }

    /// Keeps in each slot the one n-gram whose loss would cost the most, by the square of its weight times its count
    /// (LeCun, Denker and Solla, "Optimal Brain Damage", 1989). `weights` were learned with all n-grams.
    pub fn prune(&mut self, weights: &Weights) {
        for slot in 0..SLOTS {
            let of_slot = slot * usize::from(CHECKS)..(slot + 1) * usize::from(CHECKS);
            let dearest = of_slot
                .clone()
                .filter(|gram| self.kept.get(*gram).copied().unwrap_or_default())
                .max_by(|a, b| self.cost(weights, *a).total_cmp(&self.cost(weights, *b)));
            for gram in of_slot {
                if let Some(kept) = self.kept.get_mut(gram) {
                    *kept = dearest == Some(gram);
                }
            }
        }
    }

    /// Returns the cost of losing an n-gram.
    fn cost(&self, weights: &Weights, gram: usize) -> f32 {
        let [content, failing] = self.seen.get(gram).copied().unwrap_or_default();
        let weight = weights.grams.get(gram).copied().unwrap_or_default();
        weight * weight * (content + failing)
    }

    /// Returns whether a bucket's n-gram is kept.
    pub fn keeps(&self, gram: u32) -> bool {
        self.kept.get(gram as usize).copied().unwrap_or_default()
    }

    /// Returns the class of a word. For a sample that was counted, `own` excludes the sample itself.
    pub fn of(&self, word: u32, own: Option<(bool, f32)>) -> u8 {
        const LEANS: f32 = 1.5;
        let [mut content, mut failing] = self.seen.get(word as usize).copied().unwrap_or_default();
        let mut times = self.times.get(word as usize).copied().unwrap_or_default();
        if let Some((failed, weight)) = own {
            let side = if failed { &mut failing } else { &mut content };
            *side = (*side - weight).max(0.0);
            times = times.saturating_sub(1);
        }
        if times < 2 || !self.keeps(word) {
            return 0;
        }
        let [all_content, all_failing] = self.totals;
        let odds = ((failing / all_failing + 2e-5) / (content / all_content + 2e-5)).ln();
        if odds > LEANS {
            1
        } else if odds < -LEANS {
            3
        } else {
            2
        }
    }
}

/// Weights before rounding.
pub struct Weights {
    pub grams: Vec<f32>,
    figures: Vec<f32>,
    kinds: Vec<f32>,
    pub thresholds: [f32; LENGTHS.len()],
    pub slope: f32,
    pub offset: f32,
}

/// Pseudo-random sequence that depends on its seed alone (SplitMix64).
pub struct Sequence(pub u64);

impl Sequence {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % (most.max(1) as u64)).unwrap_or_default()
    }
}

/// Seeds of the training orders. The result of a single order is partly chance; the mean of several is less so.
const ORDERS: [u64; 4] = [11, 12, 13, 14];

/// Number of orders for weights that only select what to learn from next.
pub const ROUGH: usize = 2;

/// Number of orders whose mean gives the final weights.
pub const FINE: usize = ORDERS.len();

/// Learns from the samples that no rule decides, because the weights are never applied to the others. Returns the
/// mean of `orders` orders, at most [`FINE`]; each has its own thread.
pub fn fit(vectors: &[&Vector], orders: usize) -> Weights {
    let mut mean = Weights {
        grams: vec![0.0; BUCKETS],
        figures: vec![0.0; Figure::ALL.len()],
        kinds: vec![0.0; KIND_BUCKETS * Kind::ALL.len()],
        thresholds: [0.0; LENGTHS.len()],
        slope: 1.0,
        offset: 0.0,
    };
    std::thread::scope(|scope| {
        let seeds = ORDERS.iter().take(orders);
        let threads: Vec<_> = seeds
            .map(|seed| scope.spawn(move || in_order(vectors, Sequence(*seed))))
            .collect();
        let orders = threads.len();
        for order in threads {
            let learned = order
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            add(&mut mean.grams, &learned.grams, orders);
            add(&mut mean.figures, &learned.figures, orders);
        }
    });
    mean
}

/// Weights of n-grams and of figures after one training order.
struct Linear {
    grams: Vec<f32>,
    figures: Vec<f32>,
}

/// Learns in one order and returns the mean of the last passes.
fn in_order(vectors: &[&Vector], mut sequence: Sequence) -> Linear {
    let nothing = || Linear {
        grams: vec![0.0; BUCKETS],
        figures: vec![0.0; Figure::ALL.len()],
    };
    let (mut weights, mut mean) = (nothing(), nothing());
    let mut squares = vec![1e-3_f32; BUCKETS];
    let mut figure_squares = vec![1e-1_f32; Figure::ALL.len()];
    let weighed = |at: &usize| vectors.get(*at).is_some_and(|vector| vector.certain.is_none());
    let mut order: Vec<usize> = (0..vectors.len()).filter(weighed).collect();
    let mut some: Vec<u32> = Vec::new();
    for epoch in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, sequence.below(at + 1));
        }
        for vector in order.iter().filter_map(|at| vectors.get(*at)) {
            some.clear();
            some.extend(vector.known.iter().filter(|_| sequence.below(10) >= LEFT_OUT));
            // Scaled down in proportion to the n-grams left out, so that the sum has the scale that it has with all
            // of them.
            let root = vector.root() * (10 - LEFT_OUT) as f32 / 10.0;
            let margin = dot(&weights.figures, &vector.figures) + sum(&weights.grams, &some) / root;
            let error = vector.weight
                * vector.emphasis
                * (probability(margin) - if vector.failed { 1.0 } else { 0.0 });
            if error.abs() < 1e-4 {
                continue;
            }
            let slope = error / root;
            for gram in &some {
                let at = *gram as usize;
                if let (Some(weight), Some(square)) = (weights.grams.get_mut(at), squares.get_mut(at)) {
                    let slope = slope + SHRINK * *weight;
                    *square += slope * slope;
                    *weight -= STEP * slope / square.sqrt();
                }
            }
            for ((weight, square), value) in weights
                .figures
                .iter_mut()
                .zip(&mut figure_squares)
                .zip(&vector.figures)
            {
                let slope = error * value + 1e-5 * *weight;
                *square += slope * slope;
                *weight -= STEP * slope / square.sqrt();
            }
        }
        if epoch + AVERAGED >= EPOCHS {
            add(&mut mean.grams, &weights.grams, AVERAGED);
            add(&mut mean.figures, &weights.figures, AVERAGED);
        }
    }
    mean
}

/// Adds one of `of` weight vectors to their mean.
fn add(mean: &mut [f32], weights: &[f32], of: usize) {
    for (mean, weight) in mean.iter_mut().zip(weights) {
        *mean += weight / of as f32;
    }
}

/// Returns the sum of the n-gram weights.
fn sum(weights: &[f32], grams: &[u32]) -> f32 {
    let weights = grams.iter().filter_map(|gram| weights.get(*gram as usize));
    weights.sum()
}

/// Returns the weighted sum of the figures.
fn dot(weights: &[f32], figures: &[f32]) -> f32 {
    let both = weights.iter().zip(figures);
    both.map(|(weight, value)| weight * value).sum()
}

fn probability(margin: f32) -> f32 {
    1.0 / (1.0 + (-margin).exp())
}

impl Weights {
    /// Returns the score of a sample towards failure, before the threshold.
    pub fn margin(&self, vector: &Vector) -> f32 {
        dot(&self.figures, &vector.figures) + sum(&self.grams, &vector.known) / vector.root()
    }

    /// Rounds the n-gram weights to the precision of the model, so that thresholds are fitted on the final weights.
    pub fn round(&mut self) {
        for weight in &mut self.grams {
            *weight = f32::from(level(*weight * GRAM_SCALE)) / GRAM_SCALE;
        }
    }

    /// Returns the score above the threshold of the sample's length, or `f32::MAX` or `f32::MIN` where a rule is
    /// certain.
    pub fn above(&self, vector: &Vector) -> f32 {
        let margin = match vector.certain {
            Some(true) => f32::MAX,
            Some(false) => f32::MIN,
            None => self.margin(vector),
        };
        margin - self.thresholds.get(vector.length).copied().unwrap_or_default()
    }

    /// Learns to name kinds: one multinomial regression over the failures that have a kind.
    pub fn fit_kinds(&mut self, vectors: &[&Vector]) {
        const KINDS: usize = Kind::ALL.len();
        let named: Vec<_> = vectors
            .iter()
            .filter_map(|vector| Some((vector, vector.kind.filter(|_| vector.failed)?)))
            .collect();
        let mut squares = vec![1e-3_f32; self.kinds.len()];
        let mut order: Vec<usize> = (0..named.len()).collect();
        let mut sequence = Sequence(9);
        for _ in 0..12 {
            for at in (1..order.len()).rev() {
                order.swap(at, sequence.below(at + 1));
            }
            for (vector, kind) in order.iter().filter_map(|at| named.get(*at)) {
                let root = vector.root();
                let mut sums = [0.0_f32; KINDS];
                for gram in &vector.grams {
                    let at = *gram as usize % KIND_BUCKETS * KINDS;
                    for (sum, weight) in sums.iter_mut().zip(self.kinds.get(at..).unwrap_or_default()) {
                        *sum += weight / root;
                    }
                }
                let most = sums.iter().copied().fold(f32::MIN, f32::max);
                let all: f32 = sums.iter().map(|sum| (sum - most).exp()).sum();
                let errors = Kind::ALL.map(|one| {
                    let chance = sums.get(one as usize).map_or(0.0, |sum| (sum - most).exp() / all);
                    chance - if one == *kind { 1.0 } else { 0.0 }
                });
                for gram in &vector.grams {
                    let at = *gram as usize % KIND_BUCKETS * KINDS;
                    let weights = self.kinds.get_mut(at..at + KINDS).unwrap_or_default();
                    let squares = squares.get_mut(at..at + KINDS).unwrap_or_default();
                    for ((weight, square), error) in weights.iter_mut().zip(squares).zip(errors) {
                        let slope = error / root + 1e-5 * *weight;
                        *square += slope * slope;
                        *weight -= 0.1 * slope / square.sqrt();
                    }
                }
            }
        }
    }

    /// Rounds the weights into the bytes of a [`Model`].
    pub fn bytes(&self, classes: &Classes) -> Vec<u8> {
        let mut out = Vec::with_capacity(MODEL_BYTES);
        for value in self
            .figures
            .iter()
            .chain(&self.thresholds)
            .chain([&self.slope, &self.offset])
        {
            out.extend(to_i16(value * SCALE).to_le_bytes());
        }
        for slot in 0..SLOTS {
            let mut of_slot = slot * usize::from(CHECKS)..(slot + 1) * usize::from(CHECKS);
            let kept = of_slot.find(|gram| classes.kept.get(*gram).copied().unwrap_or_default());
            out.push(kept.map_or(0, |gram| {
                let bucket = u32::try_from(gram).unwrap_or_default();
                let weight = self.grams.get(gram).copied().unwrap_or_default();
                Entry {
                    level: level(weight * GRAM_SCALE),
                    class: classes.of(bucket, None),
                }
                .byte(bucket)
            }));
        }
        let most = self.kinds.iter().map(|weight| weight.abs()).fold(1e-6, f32::max);
        out.extend(
            self.kinds
                .iter()
                .map(|weight| to_i8(weight * 127.0 / most).cast_unsigned()),
        );
        out
    }
}

/// Returns the nearest of [`LEVELS`] to a weight.
fn level(weight: f32) -> i8 {
    let distance = |level: &i8| (f32::from(*level) - weight).abs();
    let nearest = LEVELS.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.copied().unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the type")]
fn to_i8(value: f32) -> i8 {
    value.round().clamp(-127.0, 127.0) as i8
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to the range of the type")]
fn to_i16(value: f32) -> i16 {
    value.round().clamp(-32767.0, 32767.0) as i16
}

/// Reads the output of [`Weights::bytes`].
pub fn model(bytes: &[u8]) -> Result<&Model, String> {
    Model::read(bytes).ok_or_else(|| "the weights have a wrong length".to_owned())
}
