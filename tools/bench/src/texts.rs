//! Texts to evaluate: English prose from a word list, identical for the same seed on every machine.
//!
//! The words come from technical and everyday prose. The list includes words that also occur on failure pages
//! (server, request, page, access, error), as documentation does. Without them, the inspector would look better than
//! it is.

use std::fmt::Write as _;

const ADJECTIVES: [&str; 32] = [
    "small",
    "recent",
    "stable",
    "gradual",
    "public",
    "careful",
    "northern",
    "cheap",
    "narrow",
    "reliable",
    "shared",
    "local",
    "early",
    "modest",
    "regional",
    "quiet",
    "technical",
    "second",
    "useful",
    "broad",
    "wooden",
    "common",
    "later",
    "distributed",
    "simple",
    "steady",
    "foreign",
    "annual",
    "curious",
    "new",
    "minor",
    "open",
];
const NOUNS: [&str; 64] = [
    "parser",
    "harbour",
    "team",
    "report",
    "river",
    "library",
    "release",
    "village",
    "market",
    "server",
    "compiler",
    "budget",
    "village",
    "survey",
    "request",
    "engine",
    "author",
    "page",
    "valley",
    "bridge",
    "editor",
    "result",
    "schedule",
    "network",
    "council",
    "museum",
    "protocol",
    "customer",
    "garden",
    "index",
    "teacher",
    "battery",
    "station",
    "archive",
    "benchmark",
    "forest",
    "policy",
    "account",
    "winter",
    "factory",
    "dataset",
    "orchestra",
    "cache",
    "journal",
    "railway",
    "error",
    "island",
    "pattern",
    "doctor",
    "window",
    "contract",
    "access",
    "weather",
    "model",
    "ferry",
    "query",
    "kitchen",
    "function",
    "estimate",
    "signal",
    "company",
    "memory",
    "review",
    "mountain",
];
const VERBS: [&str; 32] = [
    "describes",
    "improves",
    "crossed",
    "replaced",
    "measures",
    "follows",
    "supports",
    "carried",
    "explains",
    "reduced",
    "opened",
    "compares",
    "returned",
    "moved",
    "keeps",
    "finished",
    "studied",
    "built",
    "changed",
    "delivers",
    "joined",
    "considers",
    "published",
    "shows",
    "handles",
    "repaired",
    "raised",
    "collects",
    "tested",
    "reached",
    "prefers",
    "allowed",
];
const LINKS: [&str; 12] = [
    "because of",
    "before",
    "beside",
    "after",
    "without",
    "across",
    "instead of",
    "during",
    "near",
    "within",
    "against",
    "along",
];
const OPENINGS: [&str; 12] = [
    "In practice,",
    "Last year",
    "For most readers,",
    "By then",
    "As a result,",
    "In March",
    "On the whole,",
    "Since 2019",
    "According to the notes,",
    "At first",
    "Even so,",
    "Later that week",
];

/// Generator of prose; the sequence depends on the seed alone.
#[derive(Debug, Clone)]
pub(crate) struct Prose(u64);

impl Prose {
    /// Creates a generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number of SplitMix64, which accepts any seed.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `most`, or 0 if `most` is 0.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        let most = u64::try_from(most.max(1)).unwrap_or(1);
        usize::try_from(self.next() % most).unwrap_or(0)
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words.get(self.below(words.len())).copied().unwrap_or_default()
    }

    /// Returns a sentence of 8 to 30 words, with its full stop.
    pub(crate) fn sentence(&mut self) -> String {
        let mut out = match self.below(3) {
            0 => format!("{} the", self.pick(&OPENINGS)),
            1 => "The".to_owned(),
            _ => format!("A {} {} of the", self.pick(&ADJECTIVES), self.pick(&NOUNS)),
        };
        self.clause(&mut out);
        match self.below(4) {
            0 => {
                out.push_str(", and the");
                self.clause(&mut out);
            }
            1 => {
                out.push_str(", which ");
                out.push_str(self.pick(&VERBS));
                out.push_str(" the ");
                out.push_str(self.pick(&NOUNS));
            }
            2 => {
                let (some, all) = (self.below(90) + 2, self.below(900) + 100);
                // Writing to a string cannot fail.
                let _ = write!(out, " in {some} of {all} cases");
            }
            _ => {}
        }
        out.push('.');
        out
    }

    fn clause(&mut self, out: &mut String) {
        let words = [
            self.pick(&ADJECTIVES),
            self.pick(&NOUNS),
            self.pick(&VERBS),
            "the",
            self.pick(&NOUNS),
            self.pick(&LINKS),
            "a",
            self.pick(&ADJECTIVES),
            self.pick(&NOUNS),
        ];
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
    }

    /// Returns paragraphs of prose with exactly this many bytes.
    pub(crate) fn text(&mut self, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 300);
        while out.len() < bytes {
            out.push_str(&self.sentence());
            out.push_str(if self.below(6) == 0 { "\n\n" } else { " " });
        }
        out.truncate(bytes);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_says_the_same_and_as_much_as_asked() {
        let text = Prose::new(7).text(2_000);
        assert_eq!(text.len(), 2_000);
        assert_eq!(text, Prose::new(7).text(2_000));
        assert_ne!(text, Prose::new(8).text(2_000));
        assert!(text.is_ascii());
    }
}
