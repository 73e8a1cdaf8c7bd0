//! The words that [`quick`](super::quick) looks up, and the anchors by which it knows that no wording is in
//! a statement.

use std::collections::{HashMap, HashSet};
use std::hint::select_unpredictable;
use std::sync::LazyLock;

use super::hash::{FACTOR, Fast, product};
use super::phrases::{self, Role};
use super::words::{self, Class};

/// What a word is known for, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Known(u32);

impl Known {
    /// It has a subject of its own.
    pub(super) const SUBJECT: Self = Self(1);
    /// A failure page has it. So far above the other that both are counted in one number.
    pub(super) const OWN: Self = Self(1 << 16);
    /// It is a wording of failure or consent by itself, so that its statement is left to the full reading.
    pub(super) const DOUBT: Self = Self(1 << 1);
    /// A run of neighbours goes on behind it.
    pub(super) const OPENS: Self = Self(1 << 2);
    /// A run of neighbours ends with it.
    pub(super) const CLOSES: Self = Self(1 << 3);
    /// It is grammar.
    pub(super) const FUNCTION: Self = Self(1 << 4);
    /// It is in the table.
    const LISTED: Self = Self(1 << 5);
    /// It is a statement, and something of it was read.
    pub(super) const BEGUN: Self = Self(1 << 6);

    /// Whatever can be known of a word.
    const ALL: u32 = Self::OWN.0 | (Self::BEGUN.0 - 1);

    /// Whether one of these is known of it.
    pub(super) const fn has(self, marks: Self) -> bool {
        self.0 & marks.0 != 0
    }

    /// All that is known of this or of that.
    pub(super) const fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// This mark, if it has it; so that words with a mark are counted by adding.
    pub(super) const fn only(self, mark: Self) -> u32 {
        self.0 & mark.0
    }
}

/// A short word as two numbers: its first eight bytes and its next.
pub(super) type Short = [u64; 2];

/// The hash of a word of at most sixteen small letters and digits.
pub(super) const fn hash(word: Short) -> u64 {
    step(0, word)
}

/// The hash of any word, in whatever case.
pub(super) fn hash_of(word: &[u8]) -> u64 {
    word.chunks(size_of::<Short>())
        .fold(0, |before, part| step(before, short(part)))
}

/// A word of at most sixteen bytes as numbers, in small letters.
pub(super) fn short(word: &[u8]) -> Short {
    let mut parts = [[0; 8]; 2];
    for (to, from) in parts.as_flattened_mut().iter_mut().zip(word) {
        *to = from.to_ascii_lowercase();
    }
    parts.map(u64::from_le_bytes)
}

const fn step(before: u64, [first, next]: Short) -> u64 {
    product(before ^ first, next ^ FACTOR)
}

/// The hash of neighbours.
const fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(23) ^ second
}

/// Words by their hashes alone, four bytes each, so that the whole table stays near the processor. Each has
/// one place, so that a lookup takes the same few steps whatever it finds: which words of a text are listed
/// cannot be foreseen, and a wrong guess of the processor costs more than all steps. A stranger whose hash is
/// like that of a listed word is taken for it; there is one such in 2^25. No listed word is taken for a stranger.
#[derive(Debug)]
pub(super) struct Table {
    /// Bits of a word's hash and its marks; 0 where the place is free.
    places: [u32; Self::PLACES],
    /// By which numbers the hashes are multiplied to give places: one for each group of hashes, chosen so
    /// that no two words share a place.
    factors: [u16; Self::GROUPS],
    /// Three neighbours of every longer wording, and both words of those of two.
    runs: HashSet<u64, Fast>,
    /// Where the last two of a run do not fall, it needs not be looked up: so for most neighbours.
    sieve: [u64; Self::SIEVE / 64],
}

impl Table {
    /// As a power of two; half of them stay free.
    const BITS: u32 = 13;
    const PLACES: usize = 1 << Self::BITS;
    const GROUPS: usize = 1 << 10;
    /// Bits; several for each run.
    const SIEVE: usize = 1 << 15;

    /// Of the hashes of words with their marks, and of neighbours, two or three.
    #[expect(clippy::large_stack_arrays, reason = "once, on its way to where it stays")]
    fn new(words: HashMap<u64, Known, Fast>, runs: Vec<Vec<u64>>) -> Self {
        let mut table = Self {
            places: [0; Self::PLACES],
            factors: [0; Self::GROUPS],
            runs: HashSet::default(),
            sieve: [0; Self::SIEVE / 64],
        };
        for run in runs {
            if let [.., middle, last] = *run {
                let bit = Self::bit(pair(middle, last));
                if let Some(bits) = table.sieve.get_mut(bit / 64) {
                    *bits |= 1 << (bit % 64);
                }
            }
            table.runs.extend(run.into_iter().reduce(pair));
        }
        let mut groups = vec![Vec::new(); Self::GROUPS];
        for (hash, marks) in words {
            if let Some(group) = groups.get_mut(Self::group(hash)) {
                group.push((hash, marks));
            }
        }
        let mut groups: Vec<_> = groups.into_iter().enumerate().collect();
        // The largest group finds the fewest factors that suit it, so it chooses first.
        groups.sort_by_key(|(_, words)| std::cmp::Reverse(words.len()));
        for (group, words) in groups {
            let places = |factor: u16| words.iter().map(move |(hash, _)| Self::place(*hash, factor));
            let suits = |factor: &u16| {
                places(*factor).all(|place| table.places.get(place) == Some(&0))
                    && places(*factor).collect::<HashSet<_, Fast>>().len() == words.len()
            };
            // A test sees to it that there is one.
            let factor = (1..u16::MAX).step_by(2).find(suits).unwrap_or(1);
            if let Some(own) = table.factors.get_mut(group) {
                *own = factor;
            }
            for (hash, marks) in words {
                if let Some(place) = table.places.get_mut(Self::place(hash, factor)) {
                    *place = (Self::upper(hash) & !Known::ALL) | marks.and(Known::LISTED).0;
                }
            }
        }
        table
    }

    const fn group(hash: u64) -> usize {
        (hash >> 54) as usize % Self::GROUPS
    }

    /// Where a word is, by the lower half of its hash, of which an entry keeps nothing.
    #[expect(clippy::cast_possible_truncation, reason = "half of it is taken")]
    fn place(hash: u64, factor: u16) -> usize {
        (hash as u32).wrapping_mul(u32::from(factor)) as usize >> (u32::BITS - Self::BITS)
    }

    const fn upper(hash: u64) -> u32 {
        (hash >> 32) as u32
    }

    /// What is known of the word with this hash; of a stranger, that it has a subject of its own.
    pub(super) fn get(&self, hash: u64) -> Known {
        let factor = self.factors.get(Self::group(hash)).copied().unwrap_or(1);
        let entry = self.places.get(Self::place(hash, factor)).copied().unwrap_or(0);
        let found = (entry ^ Self::upper(hash)) & !Known::ALL == 0;
        Known(select_unpredictable(found, entry & Known::ALL, Known::SUBJECT.0))
    }

    const fn bit(hash: u64) -> usize {
        (hash >> 49) as usize % Self::SIEVE
    }

    /// Whether three neighbours are a run of some wording, or the last two of them. A word is 0 where it
    /// opens none.
    pub(super) fn has_run(&self, [first, middle, last]: [u64; 3]) -> bool {
        let two = pair(middle, last);
        let bit = Self::bit(two);
        self.sieve
            .get(bit / 64)
            .is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
            && (self.has(two) || (first != 0 && self.has(pair(pair(first, middle), last))))
    }

    #[cold]
    fn has(&self, run: u64) -> bool {
        self.runs.contains(&run)
    }
}

/// What the class of a word makes of it.
fn from_class(class: Class) -> Known {
    match class {
        Class::Function => Known::FUNCTION,
        Class::Failure | Class::Retrieval | Class::Address => Known::OWN,
        Class::Subject => Known::SUBJECT,
        Class::About | Class::Status(_) | Class::Token => Known::default(),
    }
}

/// Before a noun these say nothing: prose is full of such pairs.
const ARTICLES: [&str; 6] = ["the", "a", "an", "this", "your", "our"];

/// Words of the word list, and anchors of the wordings: for each in ASCII its only word, or two or three
/// neighbours that say more than grammar does.
pub(super) fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        let mut marks: HashMap<u64, Known, Fast> = HashMap::default();
        let mut mark = |word: &str, more: Known| {
            let hash = hash_of(word.as_bytes());
            let known = marks
                .entry(hash)
                .or_insert_with(|| from_class(words::class(word)));
            *known = known.and(more);
            if known.has(Known::OWN) {
                known.0 &= !Known::SUBJECT.0;
            }
            hash
        };
        // In a statement with other characters than ASCII no word counts.
        for word in words::listed().keys().filter(|word| word.is_ascii()) {
            mark(word, Known::default());
        }
        let says = |word: &str| usize::from(words::class(word) != Class::Function);
        let worded = |(role, wording, open)| candidates((wording, open)).map(|words| (role, words));
        let mut runs = Vec::new();
        for (role, words) in phrases::all().filter_map(worded) {
            let rare = |run: &&[&'static str]| {
                let said: usize = run.iter().map(|word| says(word)).sum();
                (said, run.first().is_none_or(|first| !ARTICLES.contains(first)))
            };
            if let Some(run) = words.windows(words.len().clamp(2, 3)).max_by_key(rare) {
                let last = run.len() - 1;
                let marks = |place| {
                    if place == last {
                        Known::CLOSES
                    } else {
                        Known::OPENS
                    }
                };
                let hashes = run
                    .iter()
                    .enumerate()
                    .map(|(place, word)| mark(word, marks(place)));
                runs.push(hashes.collect());
            } else if let Some(only) = words.first() {
                let own = match role {
                    Role::Verdict(_) | Role::Lack(_) | Role::Consent => Known::DOUBT,
                    Role::Attendant | Role::Furniture | Role::About | Role::Noun | Role::Grammar => {
                        Known::OWN
                    }
                };
                mark(only, own);
            }
        }
        Table::new(marks, runs)
    });
    &TABLE
}

/// The words that stand in the statement in which a wording begins. None for a wording with other
/// characters than ASCII: the statement has them, too, and is not counted.
pub(super) fn candidates((wording, open): (&'static str, bool)) -> Option<Vec<&'static str>> {
    if !wording.is_ascii() {
        return None;
    }
    let end = wording.find(['.', '!', '?', '\n']).unwrap_or(wording.len());
    let mut words: Vec<&'static str> = wording
        .get(..end)?
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if open && end == wording.len() {
        // Its last word may go on in the text, so it is none to look up.
        words.pop();
    }
    Some(words)
}

/// Whether every wording in ASCII has an anchor; without one, nothing may be counted.
#[cfg(test)]
pub(super) fn uncovered() -> Vec<&'static str> {
    let all = phrases::all().filter(|(_, wording, _)| wording.is_ascii());
    all.filter(|(_, wording, open)| candidates((wording, *open)).is_none_or(|words| words.is_empty()))
        .map(|(_, wording, _)| wording)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(word: &str) -> bool {
        table().get(hash_of(word.as_bytes())).has(Known::LISTED)
    }

    #[test]
    fn every_word_has_its_place() {
        for word in words::listed().keys().filter(|word| word.is_ascii()) {
            assert!(listed(word), "{word}");
        }
        assert!(!listed("ferryman"));
    }

    #[test]
    fn every_wording_has_an_anchor() {
        assert_eq!(uncovered(), Vec::<&str>::new());
        for (_, wording, _) in phrases::all().filter(|(_, wording, _)| wording.is_ascii()) {
            let words = candidates((wording, false)).unwrap();
            let words: Vec<(u64, Known)> = words
                .iter()
                .map(|word| hash_of(word.as_bytes()))
                .map(|hash| (hash, table().get(hash)))
                .collect();
            let opens = |(hash, known): &(u64, Known)| if known.has(Known::OPENS) { *hash } else { 0 };
            let listed = |run: &[(u64, Known)]| match run {
                [first @ .., middle, (last, known)] => {
                    let run = [first.first().map_or(0, opens), opens(middle), *last];
                    known.has(Known::CLOSES) && run[1] != 0 && table().has_run(run)
                }
                _ => false,
            };
            let alone = words.len() == 1 && words[0].1.has(Known::DOUBT.and(Known::OWN));
            assert!(
                alone || (2..=3).any(|length| words.windows(length).any(listed)),
                "{wording}"
            );
        }
    }
}
