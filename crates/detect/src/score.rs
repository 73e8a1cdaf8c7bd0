//! A dot product: the weights of the features present, a threshold by length, and a calibrated confidence.

use std::sync::LazyLock;

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned, little_endian::I16};

use crate::features::{self, CHECKS, Gram, SLOTS};
use crate::figures::{Figure, Figures};
use crate::segment::Segments;
use crate::verdict::Kind;

/// Buckets of the table of kinds: fewer, because it is used for failures only.
pub const KIND_BUCKETS: usize = 1 << 11;

/// Trained weights as written by `training/`: a [`Model`].
pub(crate) static WEIGHTS: &[u8] = include_bytes!("weights.bin");

/// Trained weights as small integers, in the layout of their file.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Model {
    /// Weight of each [`Figure`].
    figures: [I16; Figure::ALL.len()],
    /// Threshold for each of [`LENGTHS`].
    thresholds: [I16; LENGTHS.len()],
    /// Slope of the confidence.
    slope: I16,
    offset: I16,
    /// Content of each slot; see [`Entry`].
    grams: [u8; SLOTS],
    /// Weight of each kind in each bucket.
    kinds: [[i8; Kind::ALL.len()]; KIND_BUCKETS],
}

/// The model's knowledge of an n-gram, in one byte. Three bits identify the n-gram within the slot. Five bits
/// are 0 for an empty slot; otherwise they combine the index in [`LEVELS`] and the class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// Weight, multiplied by [`GRAM_SCALE`].
    pub level: i8,
    /// Class of the word, below [`features::CLASSES`]; 0 if unseen in training.
    pub class: u8,
}

impl Entry {
    /// Encodes the byte of a slot for a bucket's n-gram.
    pub fn byte(self, bucket: u32) -> u8 {
        let place = ENTRIES.iter().position(|entry| *entry == self);
        let check = bucket as usize % usize::from(CHECKS);
        u8::try_from(check << 5 | place.unwrap_or_default()).unwrap_or_default()
    }
}

/// Decoded entries by code.
static ENTRIES: LazyLock<[Entry; 32]> = LazyLock::new(|| {
    let classes = (1..).flat_map(|class| LEVELS.map(|level| Entry { level, class }));
    let mut places = std::iter::once(Entry::default()).chain(classes);
    std::array::from_fn(|_| places.next().unwrap_or_default())
});

/// Divisor of the model's `i16` values.
pub const SCALE: f32 = 512.0;

/// Divisor of an n-gram's weight.
pub const GRAM_SCALE: f32 = 24.0;

/// Possible weights of an n-gram before the division: finer where most of them are.
pub const LEVELS: [i8; 10] = [-84, -48, -28, -14, -5, 5, 14, 28, 48, 84];

/// Most visible bytes of a short text, a medium one, and a document. Each has its own threshold: dropping a
/// document is worse than missing a failure.
pub const LENGTHS: [usize; 3] = [150, 1000, usize::MAX];

/// Returns the index in [`LENGTHS`] of a text.
pub fn length_class(visible: usize) -> usize {
    LENGTHS.iter().filter(|most| visible > **most).count()
}

/// Margin below which no later sentence can make the text a failure, so the rest is not read.
const LEAVES_DOUBT: f32 = -4.0;

/// Size of a model, in bytes.
pub const MODEL_BYTES: usize = size_of::<Model>();

impl Model {
    /// Reads a model; `None` if its length is wrong.
    pub fn read(bytes: &[u8]) -> Option<&Self> {
        Self::ref_from_bytes(bytes).ok()
    }

    /// Returns the model of this binary; an empty one while its layout is being changed.
    pub(crate) fn built_in() -> &'static Self {
        static NOTHING: [u8; MODEL_BYTES] = [0; MODEL_BYTES];
        Self::read(WEIGHTS).unwrap_or(zerocopy::transmute_ref!(&NOTHING))
    }

    /// Returns the weight of a figure at its full value.
    pub fn figure(&self, figure: Figure) -> f32 {
        self.figures.get(figure as usize).copied().map_or(0.0, scaled)
    }

    /// Adds an n-gram to its sentence's sum.
    pub(crate) fn add_gram(&self, peak: &mut Peak, gram: Gram) -> bool {
        peak.add(self.entry(gram.bucket).level, gram.ends)
    }

    /// Returns the weight of an n-gram, before the division by the root of their number.
    pub fn gram(&self, bucket: u32) -> f32 {
        f32::from(self.entry(bucket).level) / GRAM_SCALE
    }

    #[inline]
    fn entry(&self, bucket: u32) -> Entry {
        let byte = self.grams.get(bucket as usize / usize::from(CHECKS));
        let byte = byte.copied().unwrap_or_default();
        // Index 0 is a neutral entry: selecting an index costs less than an unpredictable branch.
        let is = u32::from(byte >> 5) == bucket % u32::from(CHECKS);
        let place = usize::from(byte & 31) * usize::from(is);
        ENTRIES.get(place).copied().unwrap_or_default()
    }

    /// Returns the distance of a text from the threshold; a failure from 0 upwards.
    pub fn margin(&self, segments: &Segments<'_>, figures: &mut Figures) -> f32 {
        let (mut sum, mut count) = (0_i32, 0_u32);
        let mut peak = Peak::default();
        let mut words = [0; features::CLASSES];
        features::grams(segments, |gram, _, titled| {
            let entry = self.entry(gram.bucket);
            sum += i32::from(entry.level) * i32::from(gram.first);
            count += 1;
            if !titled {
                peak.add(entry.level, gram.ends);
            }
            if let Some(words) = words.get_mut(usize::from(entry.class)) {
                *words += u32::from(gram.word && !titled);
            }
        });
        figures.count_words(words);
        let length = length_class(segments.shape.visible);
        let threshold = self.thresholds.get(length).copied().map_or(0.0, scaled);
        let words = sum as f32 / GRAM_SCALE / (count.max(1) as f32).sqrt() - threshold;
        if length == 0 {
            return self.shape(figures) + words;
        }
        figures.set_peak(peak.most(), length > 1);
        let margin = self.shape(figures) + words;
        if margin < LEAVES_DOUBT || segments.more.is_empty() {
            return margin;
        }
        features::walk(&segments.more, 0, |gram| {
            self.add_gram(&mut peak, gram);
        });
        figures.set_peak(peak.most(), length > 1);
        self.shape(figures) + words
    }

    /// Returns the sum of the figures.
    fn shape(&self, figures: &Figures) -> f32 {
        let weigh = |figure: &Figure| figures.value(*figure) * self.figure(*figure);
        Figure::ALL.iter().map(weigh).sum()
    }

    /// Returns the probability of a failure at this margin, 0..=1, calibrated on texts outside the training
    /// set.
    pub fn probability(&self, margin: f32) -> f64 {
        let above = margin * scaled(self.slope) + scaled(self.offset);
        1.0 / (1.0 + f64::from(-above).exp())
    }

    /// Returns the most likely kind of failure by its words.
    pub fn kind(&self, segments: &Segments<'_>) -> Option<Kind> {
        let mut sums = [0_i32; Kind::ALL.len()];
        features::grams(segments, |gram, _, _| {
            if !gram.first {
                return;
            }
            // The length is known, so the additions are vectorised.
            let row = self.kinds.get(gram.bucket as usize % KIND_BUCKETS);
            for (sum, weight) in sums.iter_mut().zip(row.into_iter().flatten()) {
                *sum += i32::from(*weight);
            }
        });
        // In a tie, the first kind: the last one in reverse order.
        let fits = Kind::ALL.into_iter().zip(sums).rev();
        fits.max_by_key(|(_, sum)| *sum).map(|(kind, _)| kind)
    }
}

/// Highest sum of a sentence, each divided by the root of its number of n-grams.
#[derive(Debug, Default, Clone, Copy)]
pub struct Peak {
    sum: i32,
    count: u32,
    most: f32,
}

impl Peak {
    /// Minimum number of n-grams to divide by: a single word is weak evidence.
    const FEWEST: u32 = 6;

    /// Adds the level of an n-gram. At the end of a sentence, returns whether its sum is the highest so far.
    #[inline]
    pub fn add(&mut self, level: i8, ends: bool) -> bool {
        self.sum += i32::from(level);
        self.count += 1;
        if !ends {
            return false;
        }
        let root = (self.count.max(Self::FEWEST) as f32).sqrt();
        let sentence = self.sum as f32 / GRAM_SCALE / root;
        (self.sum, self.count) = (0, 0);
        let is_highest = sentence > self.most;
        self.most = self.most.max(sentence);
        is_highest
    }

    /// Returns the highest sum so far, at least 0.
    pub const fn most(&self) -> f32 {
        self.most
    }
}

fn scaled(weight: I16) -> f32 {
    f32::from(weight.get()) / SCALE
}
