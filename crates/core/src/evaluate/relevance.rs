//! How relevant a text is to a query, by its words alone.
//!
//! The share of the query's weight that a text covers. A word weighs what BM25 gives it over the texts of
//! the call, `ln(1 + (N - n + 0.5) / (n + 0.5))` for a word in `n` of `N` texts (Robertson and Zaragoza, "The
//! Probabilistic Relevance Framework", 2009); a word that none of them has weighs as one that a single text has,
//! so that a call with one text works. That is all that is taken from BM25, and a line; the crates at hand
//! give finished scores, which no share can be had from.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::given::Given;

/// A query, and how much each of its words weighs.
#[derive(Debug)]
pub(super) struct Query {
    weights: HashMap<String, f64>,
    total: f64,
}

impl Query {
    /// Weighs the words of a query over the texts of these signals. `None` where it has no word.
    pub(super) fn new(query: &str, signals: &[Given<'_>]) -> Option<Self> {
        let mut found: HashMap<String, usize> = HashMap::new();
        words(query, |word| {
            found.entry(word.to_owned()).or_insert(0);
        });
        if found.is_empty() {
            return None;
        }
        for signal in signals {
            for word in shared(signal, |word| found.contains_key(word)) {
                if let Some(texts) = found.get_mut(&word) {
                    *texts += 1;
                }
            }
        }
        let all = signals.len() as f64;
        let weights: HashMap<String, f64> = found
            .into_iter()
            .map(|(word, texts)| {
                let texts = texts.max(1) as f64;
                (word, (1.0 + (all - texts + 0.5) / (texts + 0.5)).ln())
            })
            .collect();
        // In one order, so that the same call gives the same sum to the last bit.
        let mut each: Vec<f64> = weights.values().copied().collect();
        each.sort_by(f64::total_cmp);
        let total = each.iter().sum();
        Some(Self { weights, total })
    }

    /// The share of the query that a signal covers, 0..=1. A word counts once, however often it occurs.
    pub(super) fn covered(&self, signal: &Given<'_>) -> f64 {
        let mut each: Vec<f64> = shared(signal, |word| self.weights.contains_key(word))
            .iter()
            .filter_map(|word| self.weights.get(word).copied())
            .collect();
        each.sort_by(f64::total_cmp);
        let covered: f64 = each.iter().sum();
        (covered / self.total).clamp(0.0, 1.0)
    }
}

/// The words of a signal that are wanted, each once.
fn shared(signal: &Given<'_>, wanted: impl Fn(&str) -> bool) -> HashSet<String> {
    let mut out = HashSet::new();
    for text in [signal.title, signal.content].into_iter().flatten() {
        words(text, |word| {
            if wanted(word) && !out.contains(word) {
                out.insert(word.to_owned());
            }
        });
    }
    out
}

/// Calls `each` with the words of a text, in one form for equal words (NFKC, lower case). Scripts without
/// spaces give pairs of neighbouring characters, since where their words end only a dictionary tells.
fn words(text: &str, mut each: impl FnMut(&str)) {
    let text = match is_nfkc_quick(text.chars()) {
        unicode_normalization::IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfkc().collect()),
    };
    let mut lower = String::new();
    // The last character of a script without spaces, and whether a pair was made with it.
    let mut before: Option<(char, bool, usize)> = None;
    let mut pair = String::new();
    let single = |before: Option<(char, bool, usize)>, each: &mut dyn FnMut(&str)| {
        if let Some((alone, false, _)) = before {
            each(alone.encode_utf8(&mut [0; 4]));
        }
    };
    for (at, word) in text.unicode_word_indices() {
        if !word.chars().next().is_some_and(is_unspaced) {
            single(before.take(), &mut each);
            if word.is_ascii() {
                lower.clear();
                lower.push_str(word);
                lower.make_ascii_lowercase();
                each(&lower);
            } else {
                each(&word.to_lowercase());
            }
            continue;
        }
        for (offset, c) in word.char_indices() {
            let begin = at + offset;
            match before {
                Some((last, _, end)) if end == begin => {
                    pair.clear();
                    pair.extend([last, c]);
                    each(&pair);
                    before = Some((c, true, begin + c.len_utf8()));
                }
                _ => {
                    single(before, &mut each);
                    before = Some((c, false, begin + c.len_utf8()));
                }
            }
        }
    }
    single(before, &mut each);
}

/// Letters of scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, the kana and the ideographs.
/// Blocks after the Unicode Standard, chapters 16 and 18.
const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        words(text, |word| out.push(word.to_owned()));
        out
    }

    fn given<'a>(title: &'a str, content: &'a str) -> Given<'a> {
        Given {
            title: Some(title),
            content: Some(content),
            ..Given::default()
        }
    }

    fn covered(query: &str, signals: &[Given<'_>]) -> Vec<f64> {
        let query = Query::new(query, signals).unwrap();
        signals.iter().map(|signal| query.covered(signal)).collect()
    }

    #[test]
    fn words_are_found_in_every_script() {
        assert_eq!(
            split("Rust's 2nd-edition, \u{ff32}ust"),
            ["rust's", "2nd", "edition", "rust"]
        );
        assert_eq!(
            split("\u{6771}\u{4eac}\u{90fd} \u{99c5}"),
            ["\u{6771}\u{4eac}", "\u{4eac}\u{90fd}", "\u{99c5}"]
        );
        assert_eq!(split("a\u{6771}b"), ["a", "\u{6771}", "b"]);
        assert_eq!(split("\u{0e44}\u{0e17}\u{0e22}").len(), 2);
        assert!(split(" .,!? ").is_empty());
    }

    #[test]
    fn a_call_of_one_text_works_and_no_shared_word_is_none() {
        assert_eq!(covered("rust parser", &[given("A rust parser", "text")]), [1.0]);
        assert_eq!(covered("rust parser", &[given("A garden", "of roses")]), [0.0]);
        let half = covered("rust parser", &[given("A Parser", "in C")]);
        assert!((half[0] - 0.5).abs() < 1e-12);
        assert!(Query::new(" ?! ", &[given("a", "b")]).is_none());
    }

    #[test]
    fn rare_words_weigh_more_than_those_that_all_texts_have() {
        let signals = [
            given("the guide", "about the borrow checker"),
            given("the guide", "about the weather"),
            given("the guide", "about the garden"),
        ];
        let covered = covered("the borrow guide", &signals);
        assert!(
            covered[0] > 0.99 && covered[1] < 0.5 && covered[1] > 0.0,
            "{covered:?}"
        );
    }
}
