//! How relevant a text is to a query, by its words alone: BM25 over the texts of the call.
//!
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009: a word in `n` of `N` texts weighs
//! `ln(1 + (N - n + 0.5) / (n + 0.5))`, and a text has of that `tf (k1 + 1) / (tf + k1 (1 - b + b len / average))`. A word
//! that no text has weighs as one that a single text has, so that a call with one text works. Crates that give BM25 scores
//! keep the weights to themselves, and without these no share of a query can be told.

mod stems;
mod words;

use std::collections::{HashMap, HashSet};

use icu_properties::CodePointMapData;
use icu_properties::props::Script;
use serde_json_borrow::Value as Node;

use super::fields::last;
use super::given::Given;
use super::parallel;
use stems::Stems;
use words::{Give, is_in_pairs, words};

/// How soon more of the same word counts for little more.
const K1: f64 = 1.2;
/// How much a long text is held against its words.
const B: f64 = 0.75;
/// What scores below this share of the best is not relevant.
pub(super) const LEAST_SHARE: f64 = 0.15;
/// Entries of a signal's metadata whose texts say what it is about.
const ABOUT: [&str; 14] = [
    "tags",
    "tag",
    "categories",
    "category",
    "keywords",
    "topics",
    "symbol",
    "symbols",
    "ticker",
    "name",
    "names",
    "headings",
    "section",
    "description",
];
/// How deep texts are looked for in an item's fields.
const DEPTH: usize = 3;
/// Letters of a text that are looked at to tell its script.
const LETTERS: usize = 2_000;

/// How relevant a signal is by a query's words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Match {
    /// It was compared.
    Words {
        /// Of the query's weight, 0..=1: the share of its words that the best text of the call has, and of that the part
        /// that this one's score is of the best.
        share: f64,
        /// Of the best score of the call, 0..=1.
        of_best: f64,
    },
    /// The query is in another script, so that shared words are not to be expected.
    OtherScript,
}

/// A query's words, and how relevant each signal is by them.
#[derive(Debug)]
pub(super) struct Query {
    matches: Vec<Match>,
    /// The share that the best has.
    best: f64,
}

/// How often each word of a query is in one text.
#[derive(Debug, Clone)]
struct Counts {
    /// Place of the word, and how often.
    found: Vec<(usize, u32)>,
    /// Words of the text.
    length: u32,
    /// Whether it is in another script than the query. Only asked where it shares no word.
    other_script: bool,
}

impl Query {
    /// Compares the texts of these signals with a query, on all processors where that is `worthwhile`. `None` where the
    /// query has no word.
    pub(super) fn new(query: &str, signals: &[Given<'_>], worthwhile: bool) -> Option<Self> {
        let terms = Terms::of(query)?;
        // Each text is taken apart once, which is most of the work.
        let counts = parallel::map(signals, worthwhile, |_, signal| terms.counts(signal));
        let mut texts = vec![0_usize; terms.weighty.len()];
        let mut length = 0.0;
        for text in &counts {
            length += f64::from(text.length);
            for (place, _) in &text.found {
                if let Some(texts) = texts.get_mut(*place) {
                    *texts += 1;
                }
            }
        }
        let all = signals.len() as f64;
        let average = (length / all.max(1.0)).max(1.0);
        let weight = |((texts, weighty), derived): ((usize, bool), bool)| {
            // The parts of a name say the same once more: one that no text has is not missed.
            if derived && texts == 0 {
                return 0.0;
            }
            let texts = texts.max(1) as f64;
            let weight = (1.0 + (all - texts + 0.5) / (texts + 0.5)).ln();
            if weighty { weight } else { 0.0 }
        };
        let weights: Vec<f64> = texts
            .into_iter()
            .zip(terms.weighty)
            .zip(terms.derived)
            .map(weight)
            .collect();
        let total = sum(weights.clone()).max(f64::MIN_POSITIVE);
        let weight = |place: usize| weights.get(place).copied().unwrap_or_default();
        let scores: Vec<f64> = counts
            .iter()
            .map(|text| {
                let long = K1 * (1.0 - B + B * f64::from(text.length) / average);
                let each = text.found.iter().map(|(place, count)| {
                    let count = f64::from(*count);
                    weight(*place) * count * (K1 + 1.0) / (count + long)
                });
                sum(each.collect())
            })
            .collect();
        let shares = counts
            .iter()
            .map(|text| sum(text.found.iter().map(|(place, _)| weight(*place)).collect()) / total);
        // A page of a failure, which may be all words of the query, is no measure for the others.
        let (highest, best) = scores
            .iter()
            .zip(shares)
            .zip(signals)
            .filter(|(_, signal)| !signal.is_known_to_have_failed())
            .map(|(score, _)| score)
            .max_by(|(one, its), (other, others)| one.total_cmp(other).then(its.total_cmp(others)))
            .map_or((0.0, 0.0), |(score, share)| (*score, share.clamp(0.0, 1.0)));
        let matches = counts.iter().zip(&scores).map(|(text, score)| {
            if *score <= 0.0 && text.other_script {
                return Match::OtherScript;
            }
            let of_best = if highest > 0.0 {
                (score / highest).clamp(0.0, 1.0)
            } else {
                0.0
            };
            Match::Words {
                share: best * of_best,
                of_best,
            }
        });
        Some(Self {
            matches: matches.collect(),
            best,
        })
    }

    /// How relevant the signal at this place is.
    pub(super) fn of(&self, signal: usize) -> Match {
        let none = Match::Words {
            share: 0.0,
            of_best: 0.0,
        };
        self.matches.get(signal).copied().unwrap_or(none)
    }

    /// The share of the query's weight below which a signal is not relevant, above 0.
    pub(super) fn least(&self) -> f64 {
        (self.best * LEAST_SHARE).max(f64::MIN_POSITIVE)
    }
}

/// The sum in one order, so that the same call gives the same to the last bit.
fn sum(mut each: Vec<f64>) -> f64 {
    each.sort_by(f64::total_cmp);
    each.iter().sum()
}

/// The words of a query, to be found in texts in all their forms.
struct Terms {
    /// Whether the word at this place says something of the subject.
    weighty: Vec<bool>,
    /// Whether the word at this place only stands in another one: `connections` in `max_connections`.
    derived: Vec<bool>,
    /// Places of the words by their stems.
    places: HashMap<String, usize>,
    stems: Stems,
    /// Whether words of a text that begin with these two bytes may be one of them.
    beginnings: Vec<bool>,
    /// Which words of a text may be one of them.
    give: Give,
    scripts: Vec<Script>,
}

impl Terms {
    /// None where the query has no word.
    fn of(query: &str) -> Option<Self> {
        let mut distinct: Vec<String> = Vec::new();
        words(query, Give::Pairs, |word| {
            if !distinct.iter().any(|known| known == word) {
                distinct.push(word.to_owned());
            }
        });
        let mut whole: HashSet<String> = HashSet::new();
        words(query, Give::Whole, |word| {
            whole.insert(word.to_owned());
        });
        let stems = Stems::of(&distinct);
        let mut derived = Vec::new();
        let (mut places, mut weighty) = (HashMap::new(), Vec::new());
        let mut beginnings = vec![false; 1 << 16];
        let mut begin = |word: &str| {
            if let Some(begins) = beginnings.get_mut(beginning(word)) {
                *begins = true;
            }
        };
        for word in &distinct {
            begin(word);
            let forms: Vec<String> = stems.each(word).map(std::borrow::Cow::into_owned).collect();
            let known = forms.iter().find_map(|stem| places.get(stem).copied());
            let place = known.unwrap_or(weighty.len());
            // "What's" and "l'" say no more than "what" and "the".
            let bare = word.split(['\'', '\u{2019}']).next().unwrap_or(word);
            let weighs = !stems.is_function_word(bare) || is_acronym(query, word);
            if let Some((known, is_derived)) = weighty.get_mut(place).zip(derived.get_mut(place)) {
                *known |= weighs;
                *is_derived &= !whole.contains(word);
            } else {
                weighty.push(weighs);
                derived.push(!whole.contains(word));
            }
            for stem in forms {
                begin(&stem);
                places.entry(stem).or_insert(place);
            }
        }
        if weighty.is_empty() {
            return None;
        }
        // Of a query that is nothing else, function words are the subject.
        if !weighty.contains(&true) {
            weighty.fill(true);
        }
        let alone = |word: &String| {
            let mut letters = word.chars();
            letters.next().is_some_and(is_in_pairs) && letters.next().is_none()
        };
        Some(Self {
            weighty,
            derived,
            places,
            give: if distinct.iter().any(alone) {
                Give::Characters
            } else {
                Give::Pairs
            },
            stems,
            beginnings,
            scripts: scripts_of(query),
        })
    }

    /// The place of a word of a text among those of the query.
    fn place(&self, word: &str) -> Option<usize> {
        let begins = self.beginnings.get(beginning(word)).copied().unwrap_or_default();
        let spelled = word.as_bytes().get(..2).is_none_or(<[u8]>::is_ascii);
        if !begins && spelled && self.stems.keep_beginnings {
            return None;
        }
        if word.chars().next().is_some_and(is_in_pairs) {
            return self.places.get(word).copied();
        }
        self.stems
            .each(word)
            .find_map(|stem| self.places.get(stem.as_ref()).copied())
    }

    fn counts(&self, signal: &Given<'_>) -> Counts {
        let mut counts = vec![0_u32; self.weighty.len()];
        let mut length = 0_u32;
        let mut read = |text: &str| {
            words(text, self.give, |word| {
                length = length.saturating_add(1);
                if let Some(count) = self.place(word).and_then(|place| counts.get_mut(place)) {
                    *count = count.saturating_add(1);
                }
            });
        };
        each_text(signal, &mut read);
        let found: Vec<(usize, u32)> = counts
            .into_iter()
            .enumerate()
            .filter(|(_, count)| *count > 0)
            .collect();
        let shares = found
            .iter()
            .any(|(place, _)| self.weighty.get(*place) == Some(&true));
        Counts {
            found,
            length,
            other_script: !shares && self.is_of_another_script(signal),
        }
    }

    /// Whether fewer than half of the letters of a signal are of a script of the query.
    fn is_of_another_script(&self, signal: &Given<'_>) -> bool {
        if self.scripts.is_empty() {
            return false;
        }
        let scripts = CodePointMapData::<Script>::new();
        let (mut own, mut all) = (0_usize, 0_usize);
        each_text(signal, &mut |text: &str| {
            let letters = text.chars().filter(|c| c.is_alphabetic());
            for c in letters.take(LETTERS.saturating_sub(all)) {
                all += 1;
                own += usize::from(self.scripts.contains(&group(scripts.get(c))));
            }
        });
        own * 2 < all
    }
}

/// Whether a query of small letters writes this word in capitals: "IT budget", "LA weather".
fn is_acronym(query: &str, word: &str) -> bool {
    let own = |written: &str| {
        written.len() > 1 && written.chars().all(char::is_uppercase) && written.to_lowercase() == word
    };
    query.chars().any(char::is_lowercase) && query.split(|c: char| !c.is_alphanumeric()).any(own)
}

/// The scripts of the letters of a text.
fn scripts_of(text: &str) -> Vec<Script> {
    let scripts = CodePointMapData::<Script>::new();
    let mut out = Vec::new();
    for c in text.chars().filter(|c| c.is_alphabetic()) {
        let script = group(scripts.get(c));
        if !out.contains(&script) {
            out.push(script);
        }
    }
    out
}

/// Scripts that are written mixed count as one.
fn group(script: Script) -> Script {
    match script {
        Script::Hiragana | Script::Katakana => Script::Han,
        other => other,
    }
}

/// The first two bytes of a word as one number.
fn beginning(word: &str) -> usize {
    let mut bytes = word.bytes();
    let mut next = || usize::from(bytes.next().unwrap_or_default());
    next() << 8 | next()
}

/// Calls `read` with all texts that say what a signal is about: title, content, an item's fields, and what its metadata says.
fn each_text(signal: &Given<'_>, read: &mut impl FnMut(&str)) {
    for text in [signal.title, signal.content].into_iter().flatten() {
        read(text);
    }
    if let Some(fields) = signal.fields {
        each_value(fields, DEPTH, read);
    }
    if let Some(metadata) = signal.metadata {
        for name in ABOUT {
            if let Some(value) = last(metadata, name) {
                each_value(value, DEPTH, read);
            }
        }
    }
}

fn each_value(value: &Node<'_>, depth: usize, read: &mut impl FnMut(&str)) {
    match value {
        Node::Str(text) => read(text),
        Node::Array(values) if depth > 0 => {
            for value in values {
                each_value(value, depth - 1, read);
            }
        }
        Node::Object(fields) if depth > 0 => {
            for (_, value) in fields.iter() {
                each_value(value, depth - 1, read);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
