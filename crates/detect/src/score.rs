//! One dot product: the weights of what is there, a threshold for its length, and a confidence that means what it says.

use std::sync::LazyLock;

use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned, little_endian::I16};

use crate::features::{self, CHECKS, Gram, SLOTS};
use crate::figures::{Figure, Figures};
use crate::segment::Segments;
use crate::verdict::Kind;

/// Buckets of the table that names kinds: fewer, because it is asked about failures only.
pub const KIND_BUCKETS: usize = 1 << 11;

/// The trained weights, as `training/` wrote them: a [`Model`].
pub(crate) static WEIGHTS: &[u8] = include_bytes!("weights.bin");

/// Trained weights in small integers, laid out as in their file.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct Model {
    /// Of each [`Figure`].
    figures: [I16; Figure::ALL.len()],
    /// Of each of [`LENGTHS`].
    thresholds: [I16; LENGTHS.len()],
    /// Of the confidence.
    slope: I16,
    offset: I16,
    /// What each slot holds; see [`Entry`].
    grams: [u8; SLOTS],
    /// The weight of every kind in each bucket.
    kinds: [[i8; Kind::ALL.len()]; KIND_BUCKETS],
}

/// What the model knows of an n-gram. In a byte: three bits say which of those that share the slot it is; five hold 0 where there
/// is none, or one more than its place among [`LEVELS`] times its class, from the class of failures on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// Its weight, times [`GRAM_SCALE`].
    pub level: i8,
    /// The class of its word, below [`features::CLASSES`]; 0 where it was never seen in learning.
    pub class: u8,
}

impl Entry {
    /// The byte of a slot that holds a bucket's n-gram.
    pub fn byte(self, bucket: u32) -> u8 {
        let place = ENTRIES.iter().position(|entry| *entry == self);
        let check = bucket as usize % usize::from(CHECKS);
        u8::try_from(check << 5 | place.unwrap_or_default()).unwrap_or_default()
    }
}

/// What each place stands for.
static ENTRIES: LazyLock<[Entry; 32]> = LazyLock::new(|| {
    let classes = (1..).flat_map(|class| LEVELS.map(|level| Entry { level, class }));
    let mut places = std::iter::once(Entry::default()).chain(classes);
    std::array::from_fn(|_| places.next().unwrap_or_default())
});

/// What an `i16` of the model is divided by.
pub const SCALE: f32 = 512.0;

/// What an n-gram's weight is divided by.
pub const GRAM_SCALE: f32 = 24.0;

/// The weights that an n-gram can have, before that division: finer where most of them lie.
pub const LEVELS: [i8; 10] = [-84, -48, -28, -14, -5, 5, 14, 28, 48, 84];

/// Most visible bytes of a short text, of a middling one, and of a document. Each has a threshold of its own: a document that
/// is thrown away is worse than a failure that is let through.
pub const LENGTHS: [usize; 3] = [150, 1000, usize::MAX];

/// Which of [`LENGTHS`] a text has.
pub fn length_class(visible: usize) -> usize {
    LENGTHS.iter().filter(|most| visible > **most).count()
}

/// Margin below which no sentence behind the beginning can make a failure of a text, and none is looked for.
const LEAVES_DOUBT: f32 = -4.0;

/// Bytes of a model.
pub const MODEL_BYTES: usize = size_of::<Model>();

impl Model {
    /// Reads a model; `None` where its length is wrong.
    pub fn read(bytes: &[u8]) -> Option<&Self> {
        Self::ref_from_bytes(bytes).ok()
    }

    /// The model in this binary; one that knows nothing while its layout is being changed.
    pub(crate) fn built_in() -> &'static Self {
        static NOTHING: [u8; MODEL_BYTES] = [0; MODEL_BYTES];
        Self::read(WEIGHTS).unwrap_or(zerocopy::transmute_ref!(&NOTHING))
    }

    /// The weight of a figure at its full value.
    pub fn figure(&self, figure: Figure) -> f32 {
        self.figures.get(figure as usize).copied().map_or(0.0, scaled)
    }

    /// Adds an n-gram to what its sentence says.
    pub(crate) fn add_gram(&self, peak: &mut Peak, gram: Gram) -> bool {
        peak.add(self.entry(gram.bucket).level, gram.ends)
    }

    /// The weight of an n-gram, before the division by the root of their number.
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

    /// How far a text lies above the threshold, a failure from 0 up.
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

    /// What the figures say.
    fn shape(&self, figures: &Figures) -> f32 {
        let weigh = |figure: &Figure| figures.value(*figure) * self.figure(*figure);
        Figure::ALL.iter().map(weigh).sum()
    }

    /// How probable a failure is at this margin, 0..=1: fitted on texts that the weights were not learned from.
    pub fn probability(&self, margin: f32) -> f64 {
        let above = margin * scaled(self.slope) + scaled(self.offset);
        1.0 / (1.0 + f64::from(-above).exp())
    }

    /// The kind that a failure's words fit best.
    pub fn kind(&self, segments: &Segments<'_>) -> Option<Kind> {
        let mut sums = [0_i32; Kind::ALL.len()];
        features::grams(segments, |gram, _, _| {
            if !gram.first {
                return;
            }
            // Of a known length, so that they are added many at a time.
            let row = self.kinds.get(gram.bucket as usize % KIND_BUCKETS);
            for (sum, weight) in sums.iter_mut().zip(row.into_iter().flatten()) {
                *sum += i32::from(*weight);
            }
        });
        // Of those that fit alike, the first: the last of the reversed.
        let fits = Kind::ALL.into_iter().zip(sums).rev();
        fits.max_by_key(|(_, sum)| *sum).map(|(kind, _)| kind)
    }
}

/// The highest sum of one sentence, each divided by the root of the number of its n-grams.
#[derive(Debug, Default, Clone, Copy)]
pub struct Peak {
    sum: i32,
    count: u32,
    most: f32,
}

impl Peak {
    /// Fewest n-grams that a sentence is divided by: a word alone says little.
    const FEWEST: u32 = 6;

    /// Adds the level of an n-gram; if its sentence ends with it, says whether that is the highest so far.
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

    /// The highest so far, and at least 0.
    pub const fn most(&self) -> f32 {
        self.most
    }
}

fn scaled(weight: I16) -> f32 {
    f32::from(weight.get()) / SCALE
}
