//! Randomness of one seed.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::ports::Jitter;

/// A sequence of numbers that its seed decides (SplitMix64, <https://prng.di.unimi.it/splitmix64.c>).
pub(super) struct Chance(AtomicU64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    pub(super) fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 (inclusive) to `end` (exclusive).
    pub(super) fn below(&self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub(super) fn between(&self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }

    /// Returns `true` in so many of a hundred cases.
    pub(super) fn percent(&self, cases: u64) -> bool {
        self.below(100) < cases
    }

    pub(super) fn one_of<T: Copy>(&self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }
}

impl Jitter for Chance {
    fn fraction(&self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
