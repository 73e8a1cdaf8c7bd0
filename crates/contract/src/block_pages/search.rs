//! Which needles occur in a body, whatever the case of their letters. Looks at every fourth place only: each needle has a
//! window in which four bytes begin at such a place wherever the needle stands. An automaton of all needles takes a step for
//! each byte, which waits for the step before: on pages and JSON that took a sixth of judging them.

use std::collections::{BTreeSet, HashMap};

/// Bytes that are looked at together, and how far apart the places are.
const GRAM: usize = 4;

/// Bytes of a needle in which one of those places is certain to have its gram. No needle is shorter.
pub(super) const WINDOW: usize = 2 * GRAM - 1;

/// Bits of the filter that most grams of a text do not pass, as a power of two.
const FILTER_BITS: u32 = 17;

/// Needles, and where their grams are.
pub(super) struct Search {
    needles: Vec<&'static [u8]>,
    /// By a hash of the gram, whether any needle has it.
    filter: Box<[u64; 1 << FILTER_BITS >> 6]>,
    /// The gram, the needle, and where in it the gram stands; in the order of grams.
    grams: Vec<(u32, usize, usize)>,
}

/// Four bytes without the difference between capitals and small letters.
const fn fold(gram: [u8; GRAM]) -> u32 {
    u32::from_le_bytes(gram) | 0x2020_2020
}

/// The place of a gram's bit in the filter, and the bit.
const fn bit(gram: u32) -> (usize, u64) {
    // The factor is one of those with which few grams of pages and JSON fall on a needle's.
    let hash = gram.wrapping_mul(0x85eb_ca6b) >> (u32::BITS - FILTER_BITS);
    (hash as usize / 64, 1 << (hash % 64))
}

/// The grams of a text, with their places.
fn grams(text: &[u8]) -> impl Iterator<Item = (usize, u32)> {
    let grams = text
        .windows(GRAM)
        .filter_map(|gram| gram.try_into().ok().map(fold));
    grams.enumerate()
}

impl Search {
    /// Prepares a search. A needle shorter than [`WINDOW`] is never found.
    pub(super) fn new(needles: impl Iterator<Item = &'static str>) -> Self {
        let needles: Vec<&[u8]> = needles.map(str::as_bytes).collect();
        let mut common: HashMap<u32, usize> = HashMap::new();
        for (_, gram) in needles.iter().flat_map(|needle| grams(needle)) {
            *common.entry(gram).or_default() += 1;
        }
        let mut search = Self {
            filter: Box::new([0; 1 << FILTER_BITS >> 6]),
            grams: Vec::new(),
            needles: Vec::new(),
        };
        for (number, needle) in needles.iter().enumerate() {
            let of_needle: Vec<(usize, u32)> = grams(needle).collect();
            // The window whose grams the fewest needles have, so that few comparisons fail.
            let shared = |window: &&[(usize, u32)]| {
                window
                    .iter()
                    .filter_map(|(_, gram)| common.get(gram))
                    .max()
                    .copied()
            };
            let window = of_needle.windows(WINDOW - GRAM + 1).min_by_key(shared);
            for (at, gram) in window.unwrap_or_default() {
                let (place, bit) = bit(*gram);
                if let Some(bits) = search.filter.get_mut(place) {
                    *bits |= bit;
                }
                search.grams.push((*gram, number, *at));
            }
        }
        search.grams.sort_unstable();
        search.needles = needles;
        search
    }

    /// Adds the numbers of the needles that occur in a text.
    pub(super) fn find(&self, text: &[u8], found: &mut BTreeSet<usize>) {
        let (chunks, _) = text.as_chunks::<GRAM>();
        for (number, chunk) in chunks.iter().enumerate() {
            let gram = fold(*chunk);
            let (place, bit) = bit(gram);
            if self.filter.get(place).is_some_and(|bits| bits & bit != 0) {
                self.compare(text, number * GRAM, gram, found);
            }
        }
    }

    /// Adds the needles that have this gram and stand around this place.
    fn compare(&self, text: &[u8], at: usize, gram: u32, found: &mut BTreeSet<usize>) {
        let first = self.grams.partition_point(|(known, ..)| *known < gram);
        let same = self.grams.get(first..).unwrap_or_default();
        for (_, number, offset) in same.iter().take_while(|(known, ..)| *known == gram) {
            let Some(needle) = self.needles.get(*number) else {
                continue;
            };
            let stands = at
                .checked_sub(*offset)
                .and_then(|begin| text.get(begin..begin + needle.len()))
                .is_some_and(|there| there.eq_ignore_ascii_case(needle));
            if stands {
                found.insert(*number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::block_pages::FINGERPRINTS;

    fn needles() -> impl Iterator<Item = &'static str> {
        FINGERPRINTS.iter().copied().flatten().map(|mark| mark.needle)
    }

    /// The definition, needle by needle.
    fn plain(text: &str) -> BTreeSet<usize> {
        let text = text.to_ascii_lowercase();
        let holds = needles().map(|needle| text.contains(needle));
        holds
            .enumerate()
            .filter_map(|(number, holds)| holds.then_some(number))
            .collect()
    }

    fn found(text: &str) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        Search::new(needles()).find(text.as_bytes(), &mut out);
        out
    }

    #[test]
    fn every_needle_is_found_at_every_place_and_few_share_a_gram() {
        let search = Search::new(needles());
        for (number, needle) in needles().enumerate() {
            for before in 0..2 * GRAM {
                for after in 0..2 {
                    let text = ["x".repeat(before), needle.to_ascii_uppercase(), "x".repeat(after)].concat();
                    let mut out = BTreeSet::new();
                    search.find(text.as_bytes(), &mut out);
                    assert!(out.contains(&number), "{text}");
                }
            }
        }
        let most = search
            .grams
            .chunk_by(|one, other| one.0 == other.0)
            .map(<[_]>::len)
            .max();
        assert!(most <= Some(12), "{most:?} needles are compared at one place");
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_is_there(
            parts in prop::collection::vec(
                (prop::sample::select(needles().collect::<Vec<_>>()), 0_usize..9, any::<bool>(), ".{0,3}"), 0..6),
        ) {
            let text: String = parts
                .iter()
                .map(|(needle, cut, upper, between)| {
                    let needle = needle.get(*cut / 3..).unwrap_or_default();
                    let needle = if *upper { needle.to_ascii_uppercase() } else { needle.to_owned() };
                    needle + between
                })
                .collect();
            prop_assert_eq!(found(&text), plain(&text), "{}", text);
        }
    }
}
