//! Closing days behind a label.

use super::MOST_LABELS;
use super::date::{LINE_END, Written, bare, date_at, words_of};
use super::words::{
    AFTER_DATE, APPLICANTS, ARTICLES, CLOSERS, CLOSING, EXPIRING, FILLERS, GENERAL, LASTING, OBJECT_ENDS,
    OPENING, PERIOD, PERIOD_FROM, SHORT_WEEKDAYS, VERBS, WEEKDAYS,
};

/// Filler words that are passed over.
const MOST_FILLERS: usize = 7;
/// Words of a label's object that are passed over.
const MOST_OBJECT: usize = 7;

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
            let takes_object = !GENERAL.contains(label) && !VERBS.contains(label);
            let written = after_label(rest.strip_prefix('s').unwrap_or(rest), closing, takes_object)?;
            Some((at, Some(written)))
        })
    })
}

/// Whether a label begins a word; a general one, a sentence.
pub(super) fn stands_alone(text: &str, at: usize, label: &str) -> bool {
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
    let begins = words.is_empty() || words.ends_with(['\n', '.', '!', '?', '|', ';', ')']);
    let last = words
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    // A position expires at the end of its term.
    if label.contains("expire") {
        return EXPIRING.contains(&last);
    }
    if VERBS.contains(&label) {
        return begins || CLOSERS.contains(&last);
    }
    !GENERAL.contains(&label) || begins || ARTICLES.contains(&last)
}

/// Words that are times of day, or the zone of one.
const TIMES: [&str; 16] = [
    "noon", "cet", "cest", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "bst", "utc", "gmt",
    "aest", "sgt",
];

/// Whether a word is a day of the week.
pub(super) fn is_weekday(bare: &str) -> bool {
    let begins = WEEKDAYS.iter().any(|day| bare.starts_with(day));
    (begins || SHORT_WEEKDAYS.contains(&bare)) && bare.chars().all(char::is_alphabetic)
}

/// Whether a word is a time of day: `5pm`, `11:59`, `p.m.`, `12h`.
fn is_time(bare: &str) -> bool {
    let unit = bare.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '.'));
    let of_day = matches!(unit, "am" | "pm" | "a.m" | "p.m" | "uhr" | "h");
    // `17.00`: no month is 0, or above 12.
    let dotted = bare.split_once('.').is_some_and(|(hour, minute)| {
        let two = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        two(hour) && two(minute) && hour < "24" && minute < "60" && !("01"..="12").contains(&minute)
    });
    let alone = TIMES.contains(&bare);
    bare.contains(':') || of_day || dotted || alone
}

/// Behind `for`, the words of what a label is about, up to the verb of its date; none where the sentence ends first.
fn object(words: &[String]) -> Option<usize> {
    let near = words.iter().take(MOST_OBJECT);
    let at = near.clone().position(|word| {
        OBJECT_ENDS.contains(&bare(word)) || word.ends_with(['.', '!', '?', ';', ':', ','])
    })?;
    let ends = words
        .get(at)
        .is_some_and(|word| OBJECT_ENDS.contains(&bare(word)));
    (ends && !near.take(at).any(|word| word.contains(LINE_END))).then_some(at + 1)
}

/// Behind `via`, the words up to the one that closes; none where the sentence ends first.
fn way(words: &[String]) -> Option<usize> {
    let near = words.iter().take(MOST_OBJECT);
    let at = near.clone().position(|word| CLOSING.contains(&bare(word)))?;
    let ends = |word: &String| word.ends_with(['.', '!', '?', ';', ':', ',']) || word.contains(LINE_END);
    (!near.take(at).any(ends)).then_some(at)
}

/// Whether "apply" behind these words is what people do: changes, limits and rules apply, too.
pub(super) fn is_of_applicants(before: &str) -> bool {
    let sentence = before
        .rsplit(['\n', '.', '!', '?', ';', ':', ',', '|', '(', ')', '–', '—'])
        .next()
        .unwrap_or_default();
    let last = sentence.split_whitespace().next_back().unwrap_or_default();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    last.is_empty() || APPLICANTS.contains(&last)
}

/// The date behind a label and nothing but filler words, of which one closes where the label does not.
fn after_label(rest: &str, mut closing: bool, takes_object: bool) -> Option<Written> {
    let words = words_of(rest);
    let begins_clause = rest.trim_start().starts_with(',');
    let next = |at: usize| words.get(at).map_or("", |word| bare(word));
    let mut at = 0;
    let mut passed = 0;
    while let Some(word) = words.get(at) {
        let bare = bare(word);
        let weekday = is_weekday(bare);
        let time = is_time(bare);
        if takes_object
            && matches!(bare, "for" | "für" | "pour" | "op")
            && let Some(taken) = object(words.get(at + 1..)?)
        {
            at += 1 + taken;
            continue;
        }
        // `via our careers' website by 8 December`
        if bare == "via"
            && let Some(way) = way(words.get(at + 1..)?)
        {
            at += 1 + way;
            continue;
        }
        if PERIOD_FROM.contains(&bare)
            && let Some(end) = end_of_period(words.get(at + 1..)?)
        {
            return Some(end);
        }
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
        // `(YYYY-MM-DD)`
        let pattern = bare
            .chars()
            .all(|c| matches!(c, 'y' | 'm' | 'd' | '-' | '/' | '.'));
        // To whom: `to jobs@example.org by 15 December`.
        let filler = weekday || time || pattern || bare.contains('@') || FILLERS.contains(&bare);
        // A sentence ends, and what follows is another one's.
        let ended = word.ends_with(['.', '!', '?', ';']) && !bare.chars().all(|c| c.is_ascii_digit());
        if !filler || (ended && !bare.is_empty() && !weekday && !time) || passed > MOST_FILLERS {
            break;
        }
        at += 1;
        passed += 1;
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
    // `bis 31.12.2026 befristete Stelle`: so long the post lasts.
    if LASTING.iter().any(|word| next.starts_with(word)) {
        return None;
    }
    // `1 December to 15 December 2026`, `1 December and close on 15 December 2026`: the first day opens.
    let rest = words.get(at + taken..).unwrap_or_default();
    if let Some(end) = and_closes(rest) {
        return Some(end);
    }
    let period = rest.first().is_some_and(|word| {
        matches!(bare(word), "to" | "until" | "till" | "through") || matches!(word.as_str(), "-" | "–")
    });
    match rest.get(1..).filter(|_| period).and_then(date_at) {
        Some((end, _)) => Some(end),
        None => closing.then_some(day),
    }
}

/// The closing day of `and close on 15 December 2026`.
fn and_closes(words: &[String]) -> Option<Written> {
    let is_verb = |word: &str| matches!(word, "close" | "closes" | "end" | "ends");
    let closes = bare(words.first()?) == "and" && is_verb(bare(words.get(1)?));
    let on = usize::from(matches!(words.get(2).map(|word| bare(word)), Some("on" | "at")));
    let end = words.get(2 + on..).filter(|_| closes)?;
    date_at(end).map(|(end, _)| end)
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
