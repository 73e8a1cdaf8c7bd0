//! Sentences that state a closing day which is not certain: read in two ways, in contradiction, or in words that are not
//! known. They are quoted, so that a person can read them.

use super::date::{bare, date_at, words_of};
use super::label::{is_of_applicants, stands_alone};
use super::words::{CLOSING, LABELS};

/// Sentences that are quoted.
const MOST: usize = 2;
/// Words of a sentence that are looked at.
const MOST_WORDS: usize = 60;

/// Beginnings of words for what is sent in; with a word such as `by`, they state a closing day.
const SENT: [&str; 16] = [
    "application",
    "cv",
    "resume",
    "résumé",
    "bewerb",
    "bewirb",
    "candidatur",
    "postul",
    "solicitud",
    "inscri",
    "ansök",
    "ansøg",
    "søk",
    "sollicit",
    "reageer",
    "reacties",
];
/// Beginnings of words that give the date to something else.
const OTHERS: [&str; 9] = [
    "start",
    "begin",
    "eintritt",
    "antritt",
    "interview",
    "posted",
    "publish",
    "founded",
    "since",
];

/// Up to two sentences that seem to state a closing day.
pub fn sentences(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(sentences_of)
        .map(|sentence| sentence.trim_matches(|c: char| c.is_whitespace() || c == '|'))
        .filter(|sentence| states_one(sentence))
        .take(MOST)
        .collect()
}

/// The sentences of a line. The full stop of `20. Dezember` and of `Dec. 2026` ends none.
fn sentences_of(line: &str) -> impl Iterator<Item = &str> {
    let (mut letters, mut digits) = (0, 0);
    let mut last = ' ';
    line.split_inclusive(move |c: char| {
        // The blank behind a mark is the place where it can be told.
        let stops = match last {
            '!' | '?' | ';' => true,
            '.' => letters > 4 || digits > 2,
            _ => false,
        };
        let ends = stops && c.is_whitespace();
        if c != '.' {
            letters = if c.is_alphabetic() { letters + 1 } else { 0 };
            digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        }
        last = c;
        ends || c == '|'
    })
}

fn states_one(sentence: &str) -> bool {
    // A digit is rare enough to be asked for first.
    if !sentence.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let mut words = words_of(&lower);
    words.truncate(MOST_WORDS);
    let begins = |starts: &[&str]| {
        words
            .iter()
            .any(|word| starts.iter().any(|start| bare(word).starts_with(start)))
    };
    let people_apply = || {
        let mut places = lower.match_indices("apply");
        places.any(|(at, _)| lower.get(..at).is_some_and(is_of_applicants))
    };
    let labelled = |label: &&str| {
        let mut places = lower.match_indices(*label);
        places.any(|(at, _)| stands_alone(&lower, at, label))
    };
    let closes = LABELS.iter().any(labelled)
        || words.iter().any(|word| CLOSING.contains(&bare(word))) && (begins(&SENT) || people_apply());
    let dated = (0..words.len()).any(|at| {
        let rest = words.get(at..).unwrap_or_default();
        date_at(rest).is_some() || rest.first().is_some_and(|word| is_numeric(bare(word)))
    });
    closes && dated && !begins(&OTHERS)
}

/// Whether a word is a date in figures, whatever its order: `03/04/2026`.
fn is_numeric(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['/', '-', '.']).collect();
    let figures = |part: &&str| matches!(part.len(), 1..=4) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(figures) && parts.iter().any(|part| part.len() == 4)
}
