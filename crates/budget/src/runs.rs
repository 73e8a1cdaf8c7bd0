//! Texts by the runs of words in them, to find texts that are nearly the same or contained in one another.
//!
//! A word is a stretch of letters and digits in any case; in scripts that put no spaces between words, each character
//! is one. Marks and white space between words do not count.

/// Words in a run of a [`Sketch`].
const RUN: usize = 3;
/// Hashes that a sketch keeps: texts of up to so many runs are compared exactly, longer ones within a few percent.
const KEPT: usize = 64;
/// Share of the shorter text's runs from which two texts are nearly the same. In a story of four sentences, one of which
/// differs, it is about 0.7; chunks of one document that overlap by a third stay below.
const NEARLY: f64 = 0.6;
/// Shared runs below which only texts of the same words are nearly the same.
const LEAST_SHARED: usize = 6;
/// Least ratio of the lengths of two texts that are nearly the same, in runs.
const LEAST_RATIO: f64 = 0.5;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// Whether words of this script have no spaces between them: Thai to Khmer, and from CJK radicals to the end of Hangul's
/// neighbours (Hangul itself has spaces).
const fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{abff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The hash of each word, in order (FNV-1a over lower case).
pub(crate) fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut rest = text.chars();
    std::iter::from_fn(move || {
        let mut hash = None;
        loop {
            let mut ahead = rest.clone();
            let Some(c) = ahead.next() else { break };
            let in_word = c.is_alphanumeric();
            let alone = in_word && stands_alone(c);
            if hash.is_some() && (!in_word || alone) {
                break;
            }
            rest = ahead;
            if in_word {
                let mut sum = hash.unwrap_or(FNV_OFFSET);
                if c.is_ascii() {
                    sum = (sum ^ u64::from(u32::from(c.to_ascii_lowercase()))).wrapping_mul(FNV_PRIME);
                } else {
                    for lower in c.to_lowercase() {
                        sum = (sum ^ u64::from(u32::from(lower))).wrapping_mul(FNV_PRIME);
                    }
                }
                hash = Some(sum);
            }
            if alone {
                break;
            }
        }
        hash
    })
}

/// Mixes the words of a run, in order, so that all bits of the hash are even.
pub(crate) fn mixed(words: impl IntoIterator<Item = u64>) -> u64 {
    let mut sum = 0_u64;
    for word in words {
        sum = (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    // The finaliser of SplitMix64.
    sum = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    sum = (sum ^ (sum >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    sum ^ (sum >> 31)
}

/// What a text is compared by: the smallest hashes of its runs (a bottom-k sketch, as in MinHash).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Ascending, each once.
    smallest: Vec<u64>,
    /// Runs, those that occur twice counted twice.
    runs: usize,
}

impl Sketch {
    /// The sketch of a text. Linear in its length.
    pub fn of(text: &str) -> Self {
        let mut sketch = Self::default();
        let mut window = [0_u64; RUN];
        let mut seen = 0_usize;
        for word in words(text) {
            window.rotate_left(1);
            if let Some(last) = window.last_mut() {
                *last = word;
            }
            seen += 1;
            if seen >= RUN {
                sketch.add(mixed(window));
            }
        }
        // A text that is shorter than a run is one.
        if (1..RUN).contains(&seen) {
            sketch.add(mixed(window));
        }
        sketch.settle();
        sketch
    }

    fn add(&mut self, hash: u64) {
        self.runs += 1;
        self.smallest.push(hash);
        if self.smallest.len() >= 8 * KEPT {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.smallest.sort_unstable();
        self.smallest.dedup();
        self.smallest.truncate(KEPT);
    }

    /// The hashes by which texts that share some are found.
    pub fn hashes(&self) -> &[u64] {
        &self.smallest
    }

    /// The share of the shorter text's runs that the other has, 0..=1, if the two are nearly the same text.
    pub fn nearly(&self, other: &Self) -> Option<f64> {
        let (shared, union) = self.shared(other);
        if shared == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "numbers of runs are small")]
        let (shared_runs, union, one, two) = (
            shared as f64,
            union as f64,
            self.runs.max(1) as f64,
            other.runs.max(1) as f64,
        );
        let jaccard = shared_runs / union;
        if jaccard >= 1.0 {
            return Some(1.0);
        }
        let (shorter, longer) = (one.min(two), one.max(two));
        let share = (jaccard / (1.0 + jaccard) * (one + two) / shorter).min(1.0);
        (shared >= LEAST_SHARED && share >= NEARLY && shorter / longer >= LEAST_RATIO).then_some(share)
    }

    /// Of the smallest hashes of both together, as many as one sketch keeps: how many both have, and how many there are.
    fn shared(&self, other: &Self) -> (usize, usize) {
        let (mut one, mut two) = (self.smallest.iter().peekable(), other.smallest.iter().peekable());
        let (mut shared, mut union) = (0, 0);
        while union < KEPT {
            match (one.peek(), two.peek()) {
                (Some(a), Some(b)) if a == b => {
                    shared += 1;
                    one.next();
                    two.next();
                }
                (Some(a), Some(b)) if a < b => drop(one.next()),
                (_, Some(_)) => drop(two.next()),
                (Some(_), None) => drop(one.next()),
                (None, None) => break,
            }
            union += 1;
        }
        (shared, union)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "The ministry said on Friday that the bridge over the Ouse will stay closed until March. Engineers \
        found cracks in two of the nine piers after the flood of last week. Buses will take the long way round through \
        Exampleton, which adds twenty minutes to each journey. A spokesman could not say what the repairs will cost.";

    fn nearly(one: &str, two: &str) -> Option<f64> {
        Sketch::of(one).nearly(&Sketch::of(two))
    }

    #[test]
    fn the_same_story_is_found_again() {
        let other_line = STORY.replace(
            "The ministry said on Friday that the bridge over the Ouse will stay closed until March.",
            "EXAMPLETON (Wire) - Drivers face detours for months after a bridge was shut.",
        );
        for again in [
            &other_line,
            &STORY.replace("week.", "week!"),
            &STORY.to_uppercase(),
            &format!("{STORY} (ends)"),
        ] {
            assert!(nearly(STORY, again).is_some(), "{again}");
        }
        assert_eq!(
            nearly("Rates stay, bank says", "Rates stay - bank says!"),
            Some(1.0)
        );
        let chinese =
            "部长周五表示，这座桥将一直关闭到三月。工程师在上周的洪水后发现两个桥墩有裂缝。公交车将绕行。";
        assert!(nearly(chinese, &chinese.replace("部长周五表示", "据报道")).is_some());
    }

    #[test]
    fn another_text_is_not() {
        let other = "The council said on Monday that the school in Exampleton will open in September. Builders finished \
            the roof two weeks ahead of time. Parents can visit it on Saturday and meet the new head teacher there.";
        assert_eq!(nearly(STORY, other), None);
        assert_eq!(nearly(STORY, ""), None);
        assert_eq!(nearly("", ""), None);
        // A sentence that is quoted elsewhere, and a chunk that overlaps the next one by a quarter.
        let sentence = STORY.split_once(". ").map_or("", |(sentence, _)| sentence);
        assert_eq!(nearly(STORY, &format!("{sentence}. {other} {other}")), None);
        let words: Vec<String> = (0..400).map(|number| format!("w{number}")).collect();
        assert_eq!(nearly(&words[..200].join(" "), &words[150..350].join(" ")), None);
        assert!(nearly(&words[..200].join(" "), &words[20..220].join(" ")).is_some());
    }

    #[test]
    fn a_long_text_is_sketched_in_bounds() {
        let words: Vec<String> = (0..9_000).map(|number| format!("w{number}")).collect();
        let long = Sketch::of(&words.join(" "));
        assert_eq!(long.hashes().len(), KEPT);
        assert!(long.nearly(&long).is_some_and(|share| share >= 1.0));
    }
}
