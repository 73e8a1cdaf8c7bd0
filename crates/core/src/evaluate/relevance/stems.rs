//! Forms of one word: "installing" finds "install".
//!
//! The language of a query is that of whose function words it has most (the lists of NLTK, in the crate `stop-words`),
//! else English for Latin letters. Words are reduced by the Snowball stemmer of that language; texts that share a query's
//! words are in its language, so that theirs need not be found out. English is tried besides, because texts of every
//! language hold its terms.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use icu_normalizer::DecomposingNormalizerBorrowed;
use rust_stemmers::{Algorithm, Stemmer};
use stop_words::Language;

/// Languages with a list of function words and a stemmer; of those that share most words with a query the first counts.
const LANGUAGES: [(Language, Algorithm); 18] = [
    (Language::English, Algorithm::English),
    (Language::German, Algorithm::German),
    (Language::French, Algorithm::French),
    (Language::Spanish, Algorithm::Spanish),
    (Language::Italian, Algorithm::Italian),
    (Language::Portuguese, Algorithm::Portuguese),
    (Language::Dutch, Algorithm::Dutch),
    (Language::Swedish, Algorithm::Swedish),
    (Language::Norwegian, Algorithm::Norwegian),
    (Language::Danish, Algorithm::Danish),
    (Language::Finnish, Algorithm::Finnish),
    (Language::Hungarian, Algorithm::Hungarian),
    (Language::Romanian, Algorithm::Romanian),
    (Language::Turkish, Algorithm::Turkish),
    (Language::Russian, Algorithm::Russian),
    (Language::Greek, Algorithm::Greek),
    (Language::Arabic, Algorithm::Arabic),
    (Language::Tamil, Algorithm::Tamil),
];

/// Longest word that is reduced, in bytes: the stemmers go over a word several times.
const LONGEST: usize = 64;

/// Function words, and for each a bit for every language of [`LANGUAGES`] that has it.
static FUNCTION_WORDS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut words = HashMap::new();
    for (at, (language, _)) in LANGUAGES.into_iter().enumerate() {
        for word in stop_words::lookup(language).unwrap_or_default() {
            *words.entry(*word).or_insert(0) |= 1 << at;
        }
    }
    words
});

/// Reduces words of a query's language, and of English.
pub(super) struct Stems {
    own: Option<Stemmer>,
    english: Stemmer,
    /// The bit of the language whose function words the query has; 0 where it has none of any.
    language: u32,
    /// Whether stems begin as their words do, in the first two bytes where these are ASCII.
    pub keep_beginnings: bool,
}

impl Stems {
    /// Of the language that these words of a query are in.
    pub(super) fn of<T: AsRef<str>>(words: &[T]) -> Self {
        let words = words.iter().map(AsRef::as_ref);
        let mut hits = [0_usize; LANGUAGES.len()];
        for word in words.clone() {
            let languages = FUNCTION_WORDS.get(word).copied().unwrap_or_default();
            for (at, hits) in hits.iter_mut().enumerate() {
                *hits += usize::from(languages & (1 << at) != 0);
            }
        }
        let (mut algorithm, mut most, mut language) = (by_script(words), 0, 0);
        for (at, ((_, its), hits)) in LANGUAGES.into_iter().zip(hits).enumerate() {
            if hits > most {
                // One word that is also a function word of a foreign language ("ai", "un") is no evidence of it.
                let sure = hits > 1 || its == Algorithm::English;
                (algorithm, most, language) = (its, hits, if sure { 1 << at } else { 0 });
            }
        }
        Self {
            own: (algorithm != Algorithm::English).then(|| Stemmer::create(algorithm)),
            english: Stemmer::create(Algorithm::English),
            language,
            // These two take beginnings off.
            keep_beginnings: !matches!(algorithm, Algorithm::Arabic | Algorithm::Tamil),
        }
    }

    /// Whether a word of the query says nothing of its subject ("how", "the").
    pub(super) fn is_function_word(&self, word: &str) -> bool {
        let languages = FUNCTION_WORDS.get(word).copied().unwrap_or_default();
        languages & self.language != 0
    }

    /// The forms of a word: the stem in the query's language, then the English one where that is another language, then those of
    /// the word without its accents, and a Hebrew word without its prefixes.
    pub(super) fn each<'w>(&self, word: &'w str) -> impl Iterator<Item = Cow<'w, str>> + use<'w, '_> {
        let bare = without_accents(word);
        let bare = bare.into_iter().flat_map(move |bare| {
            let stems = self.of_one(&bare).map(|stem| Cow::Owned(stem.into_owned()));
            stems.collect::<Vec<_>>()
        });
        let stems = self.of_one(word).flat_map(|stem| {
            let bare = without_accents(&stem).map(Cow::Owned);
            std::iter::once(stem).chain(bare)
        });
        stems.chain(bare).chain(without_prefixes(word).map(Cow::Borrowed))
    }

    fn of_one<'w>(&self, word: &'w str) -> impl Iterator<Item = Cow<'w, str>> + use<'w, '_> {
        let short = word.len() <= LONGEST;
        let own = self
            .own
            .as_ref()
            .filter(|_| short)
            .map(|stemmer| stemmer.stem(word));
        let ascii = word.is_ascii();
        let english = (short && (own.is_none() || ascii)).then(|| self.english.stem(word));
        let plain = (!short).then_some(Cow::Borrowed(word));
        own.into_iter().chain(english).chain(plain)
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stems").finish_non_exhaustive()
    }
}

/// The word as it is typed without accents, points and vowel marks, where that is another: "cafe" for "café".
fn without_accents(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let is_mark = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}');
    let mut bare = String::with_capacity(word.len());
    let letters = DecomposingNormalizerBorrowed::new_nfd().normalize(word);
    for c in letters.chars().filter(|c| !is_mark(c)) {
        match c {
            '\u{df}' => bare.push_str("ss"),
            '\u{e6}' => bare.push_str("ae"),
            '\u{153}' => bare.push_str("oe"),
            '\u{f8}' => bare.push('o'),
            '\u{142}' => bare.push('l'),
            '\u{111}' => bare.push('d'),
            '\u{131}' => bare.push('i'),
            other => bare.push(other),
        }
    }
    (bare != word).then_some(bare)
}

/// A Hebrew word without its prefixed words ("the", "and", "in", "to", "from", "that", "as"), one taken off after the other. Which of
/// its letters belong to the word only a dictionary tells.
fn without_prefixes(word: &str) -> impl Iterator<Item = &str> {
    /// Letters that such a word has at least.
    const ROOT: usize = 3;
    let prefixes = [
        '\u{5d4}', '\u{5d5}', '\u{5d1}', '\u{5dc}', '\u{5de}', '\u{5e9}', '\u{5db}',
    ];
    std::iter::successors(Some(word), move |word| {
        word.strip_prefix(prefixes)
            .filter(|rest| rest.chars().nth(ROOT - 1).is_some())
    })
    .skip(1)
    .take(2)
}

/// The language of a script that one language of the table is written in.
fn by_script<'a>(mut words: impl Iterator<Item = &'a str>) -> Algorithm {
    let found = words.find_map(|word| match word.chars().next()? {
        '\u{370}'..='\u{3ff}' => Some(Algorithm::Greek),
        '\u{400}'..='\u{52f}' => Some(Algorithm::Russian),
        '\u{600}'..='\u{6ff}' => Some(Algorithm::Arabic),
        '\u{b80}'..='\u{bff}' => Some(Algorithm::Tamil),
        _ => None,
    });
    found.unwrap_or(Algorithm::English)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stem(query: &str, word: &str) -> String {
        let stems = Stems::of(&query.split(' ').collect::<Vec<_>>());
        stems.each(word).next().unwrap_or_default().into_owned()
    }

    #[test]
    fn forms_of_one_word_have_one_stem_in_the_language_of_the_query() {
        for (query, one, other) in [
            ("how to install it", "installing", "installed"),
            ("wie kann ich das", "entwicklung", "entwicklungen"),
            ("comment est ce que je", "continuait", "continuation"),
            (
                "\u{43a}\u{43d}\u{438}\u{433}\u{430}",
                "\u{43a}\u{43d}\u{438}\u{433}\u{438}",
                "\u{43a}\u{43d}\u{438}\u{433}\u{430}",
            ),
        ] {
            assert_eq!(stem(query, one), stem(query, other), "{query}");
        }
        assert!(Stems::of(&["wie", "ich", "tls"]).is_function_word("ich"));
        assert!(!Stems::of(&["how", "tls"]).is_function_word("tls"));
    }

    /// Words that a user types without their accents, or that a language joins to others.
    #[test]
    fn a_word_is_found_without_its_accents_and_prefixes() {
        for (query, one, other) in [
            ("cafe", "cafe", "caf\u{e9}"),
            ("comment est ce que je", "\u{e9}coles", "ecole"),
            ("wie kann ich das", "stra\u{df}e", "strasse"),
            ("", "\u{131}s\u{131}tma", "isitma"),
            ("", "\u{142}\u{f3}d\u{17a}", "lodz"),
            (
                "",
                "\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4}",
                "\u{5d5}\u{5d1}\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4}",
            ),
            (
                "",
                "\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4}",
                "\u{5d4}\u{5d7}\u{5d5}\u{5e4}\u{5e9}\u{5d4}",
            ),
        ] {
            let stems = Stems::of(&query.split(' ').collect::<Vec<_>>());
            let known: Vec<_> = stems.each(one).collect();
            assert!(
                stems.each(other).any(|form| known.contains(&form)),
                "{one} {other}"
            );
        }
        let stems = Stems::of(&["tls"]);
        assert_eq!(stems.each("\u{5e9}\u{5dc}\u{5d5}\u{5dd}").count(), 2);
    }

    proptest! {
        #[test]
        fn every_word_has_a_stem(query in "\\PC{0,8}( how| ich| \u{438}| \u{645}\u{646})?", word in "(\\PC|[a-z\u{e4}\u{430}-\u{44f}\u{621}-\u{64a}\u{b85}-\u{bb9}\u{3b1}-\u{3c9}]){0,40}") {
            let stems = Stems::of(&query.split(' ').collect::<Vec<_>>());
            prop_assert!(stems.each(&word).count() >= 1);
        }
    }
}
