//! One dot product: the weights of what is there, a threshold for its length, and a confidence that means what it says.

use crate::features::{self, CHECKS, SLOTS};
use crate::figures::{Figure, Figures};
use crate::segment::Segments;
use crate::verdict::Kind;

/// Buckets of the table that names kinds: fewer, because it is asked about failures only.
pub const KIND_BUCKETS: usize = 1 << 11;

/// The trained weights, as `cargo xtask train-detector` wrote them: see [`Model`].
pub(crate) static WEIGHTS: &[u8] = include_bytes!("weights.bin");

/// Trained weights in small integers.
///
/// Layout, little endian: for each [`Figure`] an `i16`; then the threshold of each of [`LENGTHS`], the slope of the confidence
/// and its offset as `i16`; then for each of [`SLOTS`] a byte, see [`Entry`]; then for each of [`KIND_BUCKETS`] a weight of every
/// kind as `i8`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Model<'a> {
    figures: &'a [u8],
    tuning: &'a [u8],
    grams: &'a [u8],
    kinds: &'a [u8],
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
    /// What a slot's byte says of a bucket's n-gram.
    #[inline]
    pub fn of(byte: u8, bucket: u32) -> Self {
        // Place 0 is that of nothing: a choice between two places costs less than a branch that nobody can foresee.
        let is = u32::from(byte >> 5) == bucket % u32::from(CHECKS);
        let place = usize::from(byte & 31) * usize::from(is);
        ENTRIES.get(place).copied().unwrap_or_default()
    }

    /// The byte of a slot that holds a bucket's n-gram.
    pub fn byte(self, bucket: u32) -> u8 {
        let place = (0_u8..).zip(&ENTRIES).find(|(_, entry)| **entry == self);
        let check = u8::try_from(bucket % u32::from(CHECKS)).unwrap_or_default();
        check << 5 | place.map_or(0, |(place, _)| place)
    }
}

/// What each place stands for.
static ENTRIES: [Entry; 32] = entries();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index does not build"
)]
const fn entries() -> [Entry; 32] {
    let mut entries = [Entry { level: 0, class: 0 }; 32];
    let (mut at, mut class) = (1, 1);
    while at + LEVELS.len() <= entries.len() {
        let mut place = 0;
        while place < LEVELS.len() {
            entries[at] = Entry {
                level: LEVELS[place],
                class,
            };
            at += 1;
            place += 1;
        }
        class += 1;
    }
    entries
}

/// What an `i16` of the model is divided by.
pub const SCALE: f32 = 512.0;

/// What an n-gram's weight is divided by.
pub const GRAM_SCALE: f32 = 24.0;

/// The weights that an n-gram can have, before that division: finer where most of them lie.
pub const LEVELS: [i8; 10] = [-84, -48, -28, -14, -5, 5, 14, 28, 48, 84];

/// Most visible bytes of a short text, of a middling one, and of a document. Each has a threshold of its own: a document that
/// is thrown away is worse than a failure that is let through.
pub const LENGTHS: [usize; 3] = [150, 1000, usize::MAX];

/// Numbers between the figures and the n-grams: a threshold for each length, slope and offset.
const TUNING: usize = LENGTHS.len() + 2;

/// Which of [`LENGTHS`] a text has.
pub fn length_class(visible: usize) -> usize {
    LENGTHS
        .iter()
        .position(|most| visible <= *most)
        .unwrap_or_default()
}

/// Bytes of a model.
pub const MODEL_BYTES: usize = (Figure::ALL.len() + TUNING) * 2 + SLOTS + KIND_BUCKETS * Kind::ALL.len();

impl<'a> Model<'a> {
    /// Reads a model; `None` where its length is wrong.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        if bytes.len() != MODEL_BYTES {
            return None;
        }
        let (figures, rest) = bytes.split_at_checked(Figure::ALL.len() * 2)?;
        let (tuning, rest) = rest.split_at_checked(TUNING * 2)?;
        let (grams, kinds) = rest.split_at_checked(SLOTS)?;
        Some(Self {
            figures,
            tuning,
            grams,
            kinds,
        })
    }

    /// The model in this binary.
    pub(crate) fn built_in() -> Self {
        Self::read(WEIGHTS).unwrap_or_default()
    }

    fn tuned(&self, at: usize) -> f32 {
        small(self.tuning, at)
    }

    /// The weight of a figure at its full value.
    pub fn figure(&self, figure: Figure) -> f32 {
        small(self.figures, figure as usize)
    }

    /// The weight of an n-gram, before the division by the root of their number.
    pub fn gram(&self, bucket: u32) -> f32 {
        f32::from(self.entry(bucket).level) / GRAM_SCALE
    }

    #[inline]
    fn entry(&self, bucket: u32) -> Entry {
        let byte = self
            .grams
            .get(bucket as usize / usize::from(CHECKS))
            .copied()
            .unwrap_or_default();
        Entry::of(byte, bucket)
    }

    /// How far a text lies above the threshold; a failure from 0 up.
    pub fn margin(&self, segments: &Segments<'_>, figures: &mut Figures) -> f32 {
        self.counted_margin(segments, figures).0
    }

    /// The same, and how many n-grams there are.
    pub(crate) fn counted_margin(&self, segments: &Segments<'_>, figures: &mut Figures) -> (f32, u32) {
        let (mut sum, mut count) = (0_i32, 0_u32);
        let mut words = [0; features::CLASSES];
        features::grams(segments, |gram, _, titled| {
            let entry = self.entry(gram.bucket);
            sum += i32::from(entry.level);
            count += 1;
            if gram.word
                && !titled
                && let Some(words) = words.get_mut(usize::from(entry.class))
            {
                *words += 1;
            }
        });
        figures.count_words(words);
        let shape: f32 = Figure::ALL
            .iter()
            .map(|figure| figures.value(*figure) * self.figure(*figure))
            .sum();
        let margin = shape + sum as f32 / GRAM_SCALE / (count.max(1) as f32).sqrt()
            - self.tuned(length_class(segments.shape.visible));
        (margin, count)
    }

    /// How probable a failure is at this margin, 0..=1: fitted on texts that the weights were not learned from.
    pub fn probability(&self, margin: f32) -> f64 {
        let (slope, offset) = (self.tuned(LENGTHS.len()), self.tuned(LENGTHS.len() + 1));
        1.0 / (1.0 + f64::from(-(margin * slope + offset)).exp())
    }

    /// The kind that a failure's words fit best.
    pub fn kind(&self, segments: &Segments<'_>) -> Option<Kind> {
        const KINDS: usize = Kind::ALL.len();
        let mut sums = [0_i32; KINDS];
        let (rows, _) = self.kinds.as_chunks::<KINDS>();
        features::grams(segments, |gram, _, _| {
            // Of a known length, so that they are added many at a time.
            if let Some(row) = rows.get(gram.bucket as usize % KIND_BUCKETS) {
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += i32::from(weight.cast_signed());
                }
            }
        });
        let best = Kind::ALL
            .iter()
            .zip(sums)
            .max_by_key(|(kind, sum)| (*sum, std::cmp::Reverse(**kind)));
        best.map(|(kind, _)| *kind)
    }
}

/// The kind of a failure, by the built-in model.
pub(crate) fn kind(segments: &Segments<'_>) -> Option<Kind> {
    Model::built_in().kind(segments)
}

fn small(table: &[u8], at: usize) -> f32 {
    let pair = table
        .get(at * 2..at * 2 + 2)
        .and_then(|pair| <[u8; 2]>::try_from(pair).ok());
    f32::from(pair.map_or(0, i16::from_le_bytes)) / SCALE
}
