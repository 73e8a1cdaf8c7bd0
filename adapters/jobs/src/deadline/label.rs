//! Closing days behind a label.

use super::MOST_LABELS;
use super::date::{Written, bare, date_at, words_of};
use super::words::{AFTER_DATE, APPLICANTS, CLOSING, FILLERS, GENERAL, OPENING, PERIOD, WEEKDAYS};

/// Filler words that are passed over.
const MOST_FILLERS: usize = 7;

/// The dates behind labels, with where each label stands. `closing` says whether the labels announce a closing day by
/// themselves.
pub(super) fn labelled<'a>(
    lower: &'a str,
    labels: &'a [&'a str],
    closing: bool,
) -> impl Iterator<Item = (usize, Option<Written>)> + 'a {
    labels.iter().flat_map(move |label| {
        let places = lower
            .match_indices(label)
            .filter(|(at, _)| stands_alone(lower, *at, label));
        places.take(MOST_LABELS).filter_map(move |(at, _)| {
            let rest = lower.get(at + label.len()..).unwrap_or_default();
            // A plural or another word begins with the label; or the sentence ends with it.
            if rest.starts_with(|c: char| (c.is_alphabetic() && c != 's') || matches!(c, '.' | '!' | '?')) {
                return None;
            }
            let written = after_label(rest.strip_prefix('s').unwrap_or(rest), closing)?;
            Some((at, Some(written)))
        })
    })
}

/// Whether a label begins a word; a general one, a sentence.
fn stands_alone(text: &str, at: usize, label: &str) -> bool {
    let before = text.get(..at).unwrap_or_default();
    if before.ends_with(char::is_alphanumeric) {
        return false;
    }
    let words = before.trim_end_matches([' ', '\t', '\u{a0}', '*', '-', '•']);
    // `Do not apply before` is a day on which applications open.
    if words.ends_with(" not")
        || words.ends_with("n't")
        || words.ends_with("n’t")
        || words.ends_with(" never")
    {
        return false;
    }
    if label.starts_with("apply ") && !is_of_applicants(words) {
        return false;
    }
    !GENERAL.contains(&label)
        || words.is_empty()
        || words.ends_with(['\n', '.', '!', '?', '|', ';', ')'])
        || words.ends_with(" the")
}

/// Whether "apply" behind these words is what people do: changes, limits and rules apply, too.
fn is_of_applicants(before: &str) -> bool {
    let sentence = before
        .rsplit(['\n', '.', '!', '?', ';', ':', ',', '|', '(', ')', '–', '—'])
        .next()
        .unwrap_or_default();
    let last = sentence.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    last.is_empty() || APPLICANTS.contains(&last)
}

/// The date behind a label and nothing but filler words, of which one closes where the label does not.
fn after_label(rest: &str, mut closing: bool) -> Option<Written> {
    let words = words_of(rest);
    let begins_clause = rest.trim_start().starts_with(',');
    let next = |at: usize| words.get(at).map_or("", |word| bare(word));
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let bare = bare(word);
        let weekday =
            WEEKDAYS.iter().any(|day| bare.starts_with(day)) && bare.chars().all(char::is_alphabetic);
        let time = bare.contains(':')
            || matches!(bare, "am" | "pm" | "uhr" | "noon" | "cet" | "est" | "utc" | "gmt");
        if bare == "from" && matches!(next(at + 1), "now" | "today") {
            at += 2;
            continue;
        }
        if OPENING.contains(&bare)
            || matches!(
                (bare, next(at + 1)),
                ("as", "of") | ("not", "before") | ("à", "partir")
            )
        {
            return end_of_period(words.get(at + 1..)?);
        }
        closing |= CLOSING.contains(&bare);
        let filler = bare.is_empty() || weekday || time || FILLERS.contains(&bare);
        // A sentence ends, and what follows is another one's.
        let ended = word.ends_with(['.', '!', '?', ';']) && !bare.chars().all(|c| c.is_ascii_digit());
        if !filler || (ended && !bare.is_empty() && !weekday) || at > MOST_FILLERS {
            break;
        }
        at += 1;
    }
    let (day, taken) = date_at(words.get(at..)?)?;
    // `Before the closing date, 1 December we move`: the date begins a clause of its own.
    let is_closed = words
        .get((at + taken).saturating_sub(1))
        .is_some_and(|word| word.ends_with([',', '.', ';', '!', '?', ')']));
    let next = next(at + taken);
    let goes_on =
        next.starts_with(char::is_alphabetic) && !FILLERS.contains(&next) && !AFTER_DATE.contains(&next);
    if begins_clause && !is_closed && goes_on {
        return None;
    }
    // `1 December to 15 December 2026`: the first day opens.
    let rest = words.get(at + taken..).unwrap_or_default();
    let period = rest.first().is_some_and(|word| {
        matches!(bare(word), "to" | "until" | "till" | "through") || matches!(word.as_str(), "-" | "–")
    });
    match rest.get(1..).filter(|_| period).and_then(date_at) {
        Some((end, _)) => Some(end),
        None => closing.then_some(day),
    }
}

/// The second day of a period, of which the words begin with the first.
pub(super) fn end_of_period(words: &[String]) -> Option<Written> {
    let idle = |word: &&String| {
        matches!(
            bare(word),
            "of" | "before" | "partir" | "the" | "on" | "dem" | "am" | "du"
        )
    };
    let from = words.iter().take(2).take_while(idle).count();
    let words = words.get(from..)?;
    let taken = date_at(words)?.1;
    let rest = words.get(taken..)?;
    let to = rest
        .iter()
        .take(2)
        .take_while(|word| PERIOD.contains(&bare(word)) || bare(word).is_empty())
        .count();
    let end = rest.get(to..).filter(|_| to > 0)?;
    date_at(end).map(|(end, _)| end)
}
