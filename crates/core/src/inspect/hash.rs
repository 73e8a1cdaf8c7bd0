//! A fast hash for short words from tables of our own (FNV-1a, 64 bits). Texts cannot add keys to those
//! tables, so collisions cannot be forced upon them.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`Fnv`] hashers.
pub(super) type Fast = BuildHasherDefault<Fnv>;

/// FNV-1a.
#[derive(Debug)]
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
