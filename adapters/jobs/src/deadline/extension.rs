//! Closing days that are moved to another day.

use super::MOST_LABELS;
use super::date::{LINE_END, Written, bare, date_at, words_of};
use super::label::{end_of_period, is_weekday};
use super::words::{EXTENDED, FILLERS, NOT_EXTENDED, PERIOD, SUBJECTS};

/// Characters before a word of extension in which its subject is looked for.
const BEFORE: usize = 120;

/// The days to which a closing day is moved, with where that is written; `None` where the day cannot be read.
pub(super) fn extensions(lower: &str) -> impl Iterator<Item = (usize, Option<Written>)> + '_ {
    /// What follows where the extension is said and its day is not one that can be read.
    const VAGUE: [&str; 8] = ["by", "um", "de", "di", "again", "further", "back", "once"];
    EXTENDED.iter().flat_map(move |stem| {
        lower
            .match_indices(stem)
            .filter(|(at, _)| is_of_applications(lower, *at))
            .take(MOST_LABELS)
            .filter_map(move |(at, _)| {
                let rest = lower.get(at..).unwrap_or_default();
                let words = words_of(rest);
                let first = words.first()?;
                let rest = words.get(1..).unwrap_or_default();
                let to = rest
                    .iter()
                    .take(4)
                    .take_while(|word| {
                        let bare = bare(word);
                        PERIOD.contains(&bare)
                            || FILLERS.contains(&bare)
                            || is_weekday(bare)
                            || matches!(bare, "fino" | "en" | "tot" | "til" | "back")
                    })
                    .count();
                let written = rest.get(to..).and_then(date_at).map(|(written, _)| written);
                // `From December 1 to December 15`
                let from = rest.first().is_some_and(|word| {
                    matches!(bare(word), "from" | "vom" | "von" | "du" | "del" | "dal" | "van")
                });
                let written = written.or_else(|| end_of_period(rest.get(1..).filter(|_| from)?));
                let written = written.or_else(|| day_before(lower.get(..at).unwrap_or_default()));
                // `Extended parental leave` extends something else.
                let ended = first.ends_with(['.', '!', ')', ';', LINE_END]);
                let said =
                    to > 0 || from || ended || rest.first().is_none_or(|next| VAGUE.contains(&bare(next)));
                (written.is_some() || said).then_some((at, written))
            })
    })
}

/// The day that stands right before a word of extension: `bis zum 15.12.2026 verlängert`.
fn day_before(before: &str) -> Option<Written> {
    /// Bytes that a day and the word before it take.
    const NEAR: usize = 40;
    let from = before.len().saturating_sub(NEAR);
    let words = words_of(before.get(before.ceil_char_boundary(from)..)?);
    let to = |at: usize| {
        let word = at.checked_sub(1).and_then(|at| words.get(at));
        word.is_some_and(|word| matches!(bare(word), "zum" | "bis" | "auf" | "den" | "tot"))
    };
    (0..words.len()).filter(|at| to(*at)).find_map(|at| {
        let rest = words.get(at..)?;
        let (written, taken) = date_at(rest)?;
        (taken == rest.len()).then_some(written)
    })
}

/// Whether a word of extension is about applications: the sentence says so before it, or the one before where it begins one.
fn is_of_applications(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default();
    if before.ends_with(char::is_alphanumeric) {
        return false;
    }
    let from = before.len().saturating_sub(BEFORE);
    let near = before.get(before.ceil_char_boundary(from)..).unwrap_or_default();
    let sentence = |text: &str| -> usize {
        let ends = |(at, c): &(usize, char)| match c {
            '!' | '?' | ';' | '\n' => true,
            '.' => {
                let digit = text
                    .get(..*at)
                    .is_some_and(|text| text.ends_with(|c: char| c.is_ascii_digit()));
                !digit
                    && text
                        .get(at + 1..)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }
            _ => false,
        };
        text.char_indices().rfind(ends).map_or(0, |(at, _)| at + 1)
    };
    let start = sentence(near);
    let begun = near.get(start..).unwrap_or_default();
    let text = if begun.split_whitespace().count() > 3 || start == 0 {
        begun
    } else {
        let previous = near.get(..start.saturating_sub(1)).unwrap_or_default();
        near.get(sentence(previous)..).unwrap_or_default()
    };
    let Some(subject) = SUBJECTS.iter().filter_map(|subject| text.rfind(subject)).max() else {
        return false;
    };
    let between = text.get(subject..).unwrap_or_default();
    let words: Vec<&str> = between
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let digits = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
    };
    !words.iter().enumerate().any(|(at, word)| {
        // `15 May` is a month.
        let month = *word == "may" && (digits(at.checked_sub(1)) || digits(at.checked_add(1)));
        let other = |start: &&str| word == start || (start.len() > 4 && word.starts_with(start));
        !month && NOT_EXTENDED.iter().any(other)
    })
}
