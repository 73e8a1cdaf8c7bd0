//! How relevant a text is to a query, by its words alone.
//!
//! The share of the query's weight that a text covers. A word weighs what BM25 gives it over the texts of
//! the call, `ln(1 + (N - n + 0.5) / (n + 0.5))` for a word in `n` of `N` texts (Robertson and Zaragoza, "The
//! Probabilistic Relevance Framework", 2009); a word that none of them has weighs as one that a single text has,
//! so that a call with one text works. That is all that is taken from BM25, and a line; the crates at hand
//! give finished scores, which no share can be had from.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::given::Given;
use super::parallel;

/// How much more a text may be once its characters are spelled out (NFKC), in bytes for so many of its own. Written text
/// stays below that; of a text of nothing but U+FDFA, a phrase of 18 letters each, the beginning is read.
const SPELLED_OUT: (usize, usize) = (3, 2);
/// Texts are spelled out up to this many bytes, however much more that is.
const SHORT: usize = 16 << 10;

/// A query's words, how much each weighs, and which of them each signal has.
#[derive(Debug)]
pub(super) struct Query {
    weights: Vec<f64>,
    total: f64,
    /// For each signal the places of its words among the weights.
    shared: Vec<Vec<usize>>,
}

impl Query {
    /// Weighs the words of a query over the texts of these signals, on all processors where that is `worthwhile`.
    /// `None` where it has no word.
    pub(super) fn new(query: &str, signals: &[Given<'_>], worthwhile: bool) -> Option<Self> {
        let mut places: HashMap<String, usize> = HashMap::new();
        words(query, |word| {
            let next = places.len();
            places.entry(word.to_owned()).or_insert(next);
        });
        if places.is_empty() {
            return None;
        }
        // Each text is taken apart once, which is most of the work.
        let shared = parallel::map(signals, worthwhile, |_, signal| shared(signal, &places));
        let mut texts = vec![0_usize; places.len()];
        for place in shared.iter().flatten() {
            if let Some(texts) = texts.get_mut(*place) {
                *texts += 1;
            }
        }
        let all = signals.len() as f64;
        let weight = |texts: usize| {
            let texts = texts.max(1) as f64;
            (1.0 + (all - texts + 0.5) / (texts + 0.5)).ln()
        };
        let weights: Vec<f64> = texts.into_iter().map(weight).collect();
        Some(Self {
            total: sum(weights.clone()),
            weights,
            shared,
        })
    }

    /// The share of the query that the signal at this place covers, 0..=1. A word counts once, however often it occurs.
    pub(super) fn covered(&self, signal: usize) -> f64 {
        let shared = self.shared.get(signal).map(Vec::as_slice).unwrap_or_default();
        let each = shared
            .iter()
            .filter_map(|place| self.weights.get(*place).copied());
        (sum(each.collect()) / self.total).clamp(0.0, 1.0)
    }
}

/// The sum in one order, so that the same call gives the same to the last bit.
fn sum(mut each: Vec<f64>) -> f64 {
    each.sort_by(f64::total_cmp);
    each.iter().sum()
}

/// The places of the words of a signal that have one, each once.
fn shared(signal: &Given<'_>, places: &HashMap<String, usize>) -> Vec<usize> {
    let mut out = Vec::new();
    let mut seen = vec![false; places.len()];
    for text in [signal.title, signal.content].into_iter().flatten() {
        words(text, |word| {
            if let Some(place) = places.get(word)
                && let Some(seen) = seen.get_mut(*place)
                && !std::mem::replace(seen, true)
            {
                out.push(*place);
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
        _ => Cow::Owned(spelled_out(text)),
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
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                // A sigma at the end of a word is the same letter.
                let letters = word.chars().flat_map(char::to_lowercase);
                lower.extend(letters.map(|c| if c == 'ς' { 'σ' } else { c }));
            }
            each(&lower);
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

/// In the form for equal words, at its length. Only stretches of other characters than ASCII are spelled out, each with
/// the ASCII character that it may join; none of ASCII joins with what stands before it.
fn spelled_out(text: &str) -> String {
    let most = (text.len().saturating_mul(SPELLED_OUT.0) / SPELLED_OUT.1).max(SHORT);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() && out.len() < most {
        let other = rest.bytes().position(|byte| !byte.is_ascii());
        let kept = other.map_or(rest.len(), |at| at.saturating_sub(1));
        let (kept, tail) = rest.split_at_checked(kept).unwrap_or((rest, ""));
        out.push_str(kept);
        let end = tail.bytes().skip(1).position(|byte| byte.is_ascii());
        let (stretch, after) = tail
            .split_at_checked(end.map_or(tail.len(), |end| end + 1))
            .unwrap_or((tail, ""));
        for c in stretch.nfkc() {
            if out.len() >= most {
                break;
            }
            out.push(c);
        }
        rest = after;
    }
    out
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
    use proptest::prelude::*;

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
        let query = Query::new(query, signals, false).unwrap();
        (0..signals.len()).map(|place| query.covered(place)).collect()
    }

    #[test]
    fn words_are_found_in_every_script() {
        assert_eq!(
            split("Rust's 2nd-edition, \u{ff32}ust"),
            ["rust's", "2nd", "edition", "rust"]
        );
        assert_eq!(split("ΟΔΟΣ οδος οδοσ"), ["οδοσ"; 3]);
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
        assert!(Query::new(" ?! ", &[given("a", "b")], false).is_none());
    }

    #[test]
    fn of_a_text_that_is_ten_times_as_long_spelled_out_the_beginning_is_read() {
        let phrase = "\u{fdfa} ";
        let (short, long) = (phrase.repeat(400), phrase.repeat(25_000));
        assert!(spelled_out(&short).len() > 7 * short.len());
        assert!(spelled_out(&long).len() <= long.len() * SPELLED_OUT.0 / SPELLED_OUT.1 + 3);
        assert_eq!(
            covered("\u{fdfa}", &[given("x", &short), given("x", &long)]),
            [1.0, 1.0]
        );
    }

    proptest! {
        #[test]
        fn stretches_are_spelled_out_as_the_whole_would_be(
            text in "([a-f<]|\\PC|[\u{300}-\u{310}\u{1100}-\u{11ff}\u{fb00}-\u{fdfc}]){0,30}",
        ) {
            prop_assert_eq!(spelled_out(&text), text.nfkc().collect::<String>());
        }
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
