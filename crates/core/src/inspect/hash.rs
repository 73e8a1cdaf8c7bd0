//! A fast hash for short words from tables of our own. Texts cannot add keys to those tables, so
//! collisions cannot be forced upon them.
//!
//! A word of up to sixteen bytes is taken in at most two steps; byte by byte, hashing was a third of
//! looking a word up.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`Mix`] hashers.
pub(super) type Fast = BuildHasherDefault<Mix>;

/// An odd number without pattern: the fraction of the golden ratio.
pub(super) const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of the product of two numbers, put together: all of its bits are mixed.
#[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
pub(super) const fn product(one: u64, other: u64) -> u64 {
    let product = one as u128 * other as u128;
    product as u64 ^ (product >> 64) as u64
}

/// Multiplies and rotates, eight bytes at a time.
#[derive(Debug, Default)]
pub(super) struct Mix(u64);

impl Mix {
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(FACTOR);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        // The table takes its place from the low bits, which a product mixes least.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, mut bytes: &[u8]) {
        while let Some((eight, rest)) = bytes
            .split_first_chunk::<8>()
            .filter(|(_, rest)| !rest.is_empty())
        {
            self.add(u64::from_le_bytes(*eight));
            bytes = rest;
        }
        // Overlapping reads take the last one to eight bytes without a loop.
        let value = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
            (Some(first), Some(last), _) => {
                u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << 32)
            }
            (_, _, [first, .., last]) => {
                let middle = bytes.get(bytes.len() / 2).copied().unwrap_or_default();
                u64::from(*first) | (u64::from(middle) << 8) | (u64::from(*last) << 16)
            }
            (_, _, [only]) => u64::from(*only),
            _ => 0,
        };
        self.add(value);
    }

    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    fn write_u8(&mut self, value: u8) {
        self.add(u64::from(value));
    }
}
