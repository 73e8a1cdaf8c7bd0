//! The day until which an advert takes applications, where its text says so plainly: a label, nothing but filler
//! words, and a date of its own.

use freshcontext_contract::chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Utc};

/// Phrases that announce a closing day, in lower case, longer ones before what they begin with.
const LABELS: &[&str] = &[
    "application deadline",
    "applications deadline",
    "application closing date",
    "application close date",
    "application end date",
    "application period ends",
    "application window closes",
    "application window will close",
    "applications are due",
    "applications due",
    "applications close",
    "applications will close",
    "deadline for applications",
    "deadline for application",
    "deadline for applying",
    "deadline for submission",
    "deadline for submissions",
    "deadline to apply",
    "submission deadline",
    "apply by",
    "apply before",
    "apply until",
    "apply no later than",
    "apply not later than",
    "closing date for applications",
    "closing date",
    "close date",
    "closes on",
    "last day to apply",
    "last date to apply",
    "last date of application",
    "last date for applications",
    "position closes",
    "vacancy closes",
    "posting closes",
    "job closes",
    "bewerbungsfrist",
    "bewerbungsschluss",
    "bewerbungsende",
    "bewerbung bis",
    "bewerbungen bis",
    "date limite de candidature",
    "date limite",
    "scadenza candidature",
    "scadenza",
    "deadline",
    "fecha límite",
    "sollicitatiedeadline",
    "sista ansökningsdag",
    "ansøgningsfrist",
];

/// Phrases of applications that announce a closing day only where a closing word stands before the date: adverts write
/// the same of the day from which they take applications.
const OPEN_LABELS: &[&str] = &[
    "applications must be submitted",
    "applications must be received",
    "applications will be accepted",
    "applications accepted",
    "applications are accepted",
    "applications are open",
    "applications open",
    "submit your application",
    "please apply",
];

/// Phrases that announce a closing day in place of an earlier one.
const NEW_LABELS: &[&str] = &[
    "new deadline",
    "new application deadline",
    "new closing date",
    "extended deadline",
    "now closes",
    "now close",
    "closing date is now",
    "deadline is now",
    "neue frist",
    "neue bewerbungsfrist",
    "neuer bewerbungsschluss",
    "neues bewerbungsende",
    "nouvelle date limite",
    "nuova scadenza",
    "nueva fecha límite",
];

/// Beginnings of words that move a closing day, in English, German, French, Italian, Spanish, Dutch and the Nordic languages.
const EXTENDED: &[&str] = &[
    "extended",
    "postponed",
    "moved",
    "pushed",
    "changed",
    "verlänger",
    "verschoben",
    "prolong",
    "reporté",
    "prorog",
    "prorrog",
    "ampliad",
    "verlengd",
    "förläng",
    "forlæng",
    "forleng",
];
/// What has to stand before a word of these, in the same sentence: a contract is extended, too.
const SUBJECTS: &[&str] = &[
    "deadline",
    "closing date",
    "close date",
    "application",
    "apply by",
    "bewerbung",
    "einsendeschluss",
    "date limite",
    "candidature",
    "scadenza",
    "fecha límite",
    "plazo",
    "prazo",
    "frist",
    "sollicitati",
    "ansökning",
    "ansøgning",
];
/// Beginnings of words between the two with which something else is extended, or nothing yet.
const NOT_EXTENDED: &[&str] = &[
    "contract",
    "vertrag",
    "contrat",
    "contrato",
    "project",
    "projekt",
    "projet",
    "employment",
    "term",
    "may",
    "might",
    "can",
    "could",
    "kann",
    "könn",
    "peut",
    "pourra",
    "puede",
    "not",
    "nicht",
    "never",
    "if",
    "unless",
];
/// Characters before a word of extension in which its subject is looked for.
const BEFORE: usize = 120;

/// Words that say that a date closes.
const CLOSING: &[&str] = &[
    "by",
    "until",
    "till",
    "before",
    "through",
    "later",
    "latest",
    "bis",
    "spätestens",
    "jusqu'au",
    "hasta",
    "deadline",
    "close",
];
/// Words that say that a date opens.
const OPENING: &[&str] = &[
    "from",
    "starting",
    "beginning",
    "since",
    "after",
    "opens",
    "opening",
    "ab",
    "frühestens",
    "desde",
    "dal",
    "vanaf",
];
/// Words between the two days of a period.
const PERIOD: &[&str] = &[
    "until", "till", "to", "through", "bis", "zum", "auf", "au", "jusqu'au", "al", "hasta", "até",
];

/// Words that may stand between a label and its date.
const FILLERS: &[&str] = &[
    "is",
    "the",
    "on",
    "by",
    "until",
    "till",
    "before",
    "no",
    "not",
    "later",
    "than",
    "of",
    "date",
    "this",
    "position",
    "role",
    "job",
    "vacancy",
    "for",
    "at",
    "end",
    "close",
    "business",
    "midnight",
    "latest",
    "and",
    "including",
    "through",
    "to",
    "will",
    "be",
    "apply",
    "and",
    "application",
    "applications",
    "now",
    "up",
    "ist",
    "der",
    "die",
    "das",
    "den",
    "am",
    "bis",
    "zum",
    "spätestens",
    "einschließlich",
    "endet",
    "läuft",
    "le",
    "au",
    "jusqu'au",
    "est",
    "el",
    "es",
    "hasta",
    "är",
    "er",
    "den",
    "deadline",
    "submitted",
    "received",
    "as",
    "soon",
    "in",
];
/// Filler words that are passed over.
const MOST_FILLERS: usize = 7;
/// Days of the week and times of day, before a date.
const WEEKDAYS: [&str; 14] = [
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
];

/// Months by the beginnings of their names, in English, German, French, Spanish, Dutch and the Nordic languages.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "mrz", "maa"],
    &["apr", "avr", "abr"],
    &["may", "mai", "maj", "mei", "mayo"],
    &["jun", "juin"],
    &["jul", "juil"],
    &["aug", "aoû", "aou", "ago"],
    &["sep"],
    &["oct", "okt"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// A closing day lies at most so far from now, in days: before, for adverts that stayed; ahead, for those of a year.
const PLAUSIBLE: std::ops::RangeInclusive<i64> = -1_100..=800;
/// Labels of one text that are looked at.
const MOST_LABELS: usize = 40;

/// An advert without a year in its deadline closes at most so many days after it was posted.
const MOST_DAYS_OPEN: i64 = 120;

/// A closing day as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Day(NaiveDate),
    /// A month and a day of it.
    WithoutYear(u32, u32),
}

/// A closing day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// The day.
    pub day: NaiveDate,
    /// Whether its year is worked out from the day on which the advert was posted.
    pub year_inferred: bool,
}

impl Written {
    /// The day, where it is plausible. A day without a year is the first one after the advert was posted, if that is soon.
    fn day(self, posted: Option<NaiveDate>, today: NaiveDate) -> Option<Deadline> {
        let (day, year_inferred) = match self {
            Self::Day(day) => (day, false),
            Self::WithoutYear(month, day) => {
                let posted = posted?;
                let next = (posted.year()..=posted.year().checked_add(1)?)
                    .filter_map(|year| ymd(year, month, day))
                    .find(|day| *day >= posted)?;
                ((next - posted).num_days() <= MOST_DAYS_OPEN).then_some((next, true))?
            }
        };
        PLAUSIBLE
            .contains(&(day - today).num_days())
            .then_some(Deadline { day, year_inferred })
    }
}

/// Finds it. A date that can be read in two ways, of an implausible year, or of two that differ, is none; one without a
/// year takes it from the day on which the advert was posted. An extension counts in place of what it extends.
pub fn find(text: &str, posted: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<Deadline> {
    let lower = text.to_lowercase();
    let today = now.date_naive();
    let posted = posted.map(|posted| posted.date_naive());
    let read = |written: Written| written.day(posted, today);
    let mut extended: Option<Deadline> = None;
    // What stands before an extension that cannot be read is no longer the day.
    let mut superseded = 0;
    let moved = extensions(&lower).chain(labelled(&lower, NEW_LABELS, true));
    for (at, written) in moved {
        match written.and_then(read) {
            // Of several extensions the last one holds.
            Some(day) if extended.is_none_or(|known| known.day < day.day) => extended = Some(day),
            Some(_) => {}
            None => superseded = superseded.max(at),
        }
    }
    if extended.is_some() {
        return extended;
    }
    let mut found: Option<Deadline> = None;
    let closing = labelled(&lower, LABELS, true).chain(labelled(&lower, OPEN_LABELS, false));
    for (at, written) in closing {
        let Some(day) = written.and_then(read).filter(|_| at >= superseded) else {
            continue;
        };
        match found {
            Some(found) if found.day != day.day => return None,
            // The same day with its year is no guess.
            Some(found) if !found.year_inferred => {}
            _ => found = Some(day),
        }
    }
    found
}

/// The dates behind labels, with where each label stands. `closing` says whether the labels announce a closing day by
/// themselves.
fn labelled<'a>(
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

/// The days to which a closing day is moved, with where that is written; `None` where the day cannot be read.
fn extensions(lower: &str) -> impl Iterator<Item = (usize, Option<Written>)> + '_ {
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
                            || matches!(bare, "fino" | "en" | "tot" | "til" | "back")
                    })
                    .count();
                let written = rest.get(to..).and_then(date_at).map(|(written, _)| written);
                let written = written.or_else(|| day_before(lower.get(..at).unwrap_or_default()));
                // `Extended parental leave` extends something else.
                let ended = first.ends_with(['.', '!', ')', ';', LINE_END]);
                let said = to > 0 || ended || rest.first().is_none_or(|next| VAGUE.contains(&bare(next)));
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

/// Labels that are of anything, and of applications only where they begin a sentence or a line.
const GENERAL: [&str; 4] = ["deadline", "date limite", "scadenza", "close date"];

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
    !GENERAL.contains(&label)
        || words.is_empty()
        || words.ends_with(['\n', '.', '!', '?', '|', ';', ')'])
        || words.ends_with(" the")
}

/// The end of a line, on the word before it.
const LINE_END: char = '\u{1f}';

/// The next words of a text.
fn words_of(text: &str) -> Vec<String> {
    let near: String = text.chars().take(160).collect();
    let near = near.replace('\n', "\u{1f} ");
    near.split_whitespace().map(str::to_owned).collect()
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// The date behind a label and nothing but filler words, of which one closes where the label does not.
fn after_label(rest: &str, mut closing: bool) -> Option<Written> {
    let words = words_of(rest);
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
fn end_of_period(words: &[String]) -> Option<Written> {
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

/// Whether a year may follow this word: the phrase does not end with it. `December.` ends a sentence, `Dec.` does not.
fn goes_on(word: &str) -> bool {
    let month_name =
        |word: &str| bare(word).chars().all(char::is_alphabetic) && bare(word).chars().count() <= 4;
    match word.chars().next_back() {
        Some('.') => {
            month_name(word)
                && !matches!(
                    bare(word),
                    "may" | "june" | "july" | "juni" | "juli" | "mai" | "juin" | "mayo"
                )
        }
        Some(c) => !matches!(c, ')' | ']' | '!' | '?' | ';' | ':' | LINE_END),
        None => true,
    }
}

/// The date that words begin with, and how many of them it takes.
fn date_at(words: &[String]) -> Option<(Written, usize)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let bare_at = |at: usize| word(at).map(bare);
    let first = bare_at(0)?;
    if let Some(day) = numeric(first) {
        return Some((Written::Day(day), 1));
    }
    // `15. 10. 2026`
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(month), Some(year)) = (bare_at(1), bare_at(2))
        && words.get(..2)?.iter().all(|word| word.ends_with('.'))
        && [first, month, year].into_iter().all(all_digits)
    {
        let day = ymd(year_of(year)?, month.parse().ok()?, first.parse().ok()?)?;
        return Some((Written::Day(day), 3));
    }
    if let Some((day, month)) = day_and_month(word(0)?) {
        return without_year(month, day, 1);
    }
    // `1st of December 2026`, `December 1, 2026`.
    let of = |at: usize| usize::from(matches!(bare_at(at), Some("of" | "de")));
    let skip = of(1);
    let second = bare_at(1 + skip)?;
    let (month, day, month_first) = match (day_of(first), month_of(second)) {
        (Some(day), Some(month)) => (month, day, false),
        _ => (month_of(first)?, day_of(second)?, true),
    };
    let last = word(1 + skip)?;
    // A full stop behind the day ends the sentence where the day comes last.
    let same_phrase = goes_on(last) && !(month_first && last.ends_with('.'));
    let again = of(2 + skip);
    let next = word(2 + skip + again).filter(|next| same_phrase && !next.starts_with(['(', '[']));
    match next {
        Some(next)
            if bare(next).starts_with(|c: char| c.is_ascii_digit()) && again == 0 && !four_digits(next) =>
        {
            // `1 December 26`, or an hour: a time leaves the day as it is.
            if next.contains(':') {
                without_year(month, day, 2 + skip)
            } else {
                None
            }
        }
        Some(next) if four_digits(next) => {
            let day = ymd(four(bare(next))?, month, day)?;
            Some((Written::Day(day), 3 + skip + again))
        }
        _ => without_year(month, day, 2 + skip),
    }
}

fn four_digits(word: &str) -> bool {
    let word = bare(word);
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day that is in the calendar of a leap year.
fn without_year(month: u32, day: u32, taken: usize) -> Option<(Written, usize)> {
    ymd(2_028, month, day).map(|_| (Written::WithoutYear(month, day), taken))
}

/// `15.12.`: with its second dot, a day and a month.
fn day_and_month(word: &str) -> Option<(u32, u32)> {
    let (day, month) = word
        .trim_end_matches([',', '!', ')', LINE_END])
        .strip_suffix('.')?
        .split_once('.')?;
    let short = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    (short(day) && short(month)).then_some(())?;
    Some((day.parse().ok()?, month.parse().ok()?))
}

/// `2026-12-31`, `31.12.2026`, `31.12.26`, and with slashes or dashes what can be read in one way only.
fn numeric(word: &str) -> Option<NaiveDate> {
    // Of a moment, the day.
    let is_moment = word
        .get(..4)
        .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let word = word.split('t').next().filter(|_| is_moment).unwrap_or(word);
    let mark = ['-', '.', '/'].into_iter().find(|mark| word.contains(*mark))?;
    let parts: Vec<&str> = word.split(mark).filter(|part| !part.is_empty()).collect();
    let [a, b, c] = parts.as_slice() else {
        // `31-dec-2026` has three parts, too.
        return None;
    };
    if let (Some(day), Some(month)) = (day_of(a), month_of(b)) {
        return ymd(year_of(c)?, month, day);
    }
    if [a, b, c]
        .into_iter()
        .any(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return None;
    }
    if a.len() == 4 {
        return ymd(a.parse().ok()?, b.parse().ok()?, c.parse().ok()?);
    }
    let (first, second): (u32, u32) = (a.parse().ok()?, b.parse().ok()?);
    let year = year_of(c)?;
    // Between dots the day comes first.
    if mark == '.' || first > 12 || first == second {
        ymd(year, second, first)
    } else if second > 12 {
        ymd(year, first, second)
    } else {
        None
    }
}

fn ymd(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).filter(|day| (2000..2100).contains(&day.year()))
}

fn year_of(text: &str) -> Option<i32> {
    match text.len() {
        2 => text.parse::<i32>().ok().map(|year| 2000 + year),
        _ => four(text),
    }
}

fn four(text: &str) -> Option<i32> {
    (text.len() == 4).then(|| text.parse().ok()).flatten()
}

fn day_of(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let ending = text.get(digits.len()..)?;
    let fits = matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er") && (1..=2).contains(&digits.len());
    fits.then(|| digits.parse().ok())
        .flatten()
        .filter(|day| (1..=31).contains(day))
}

fn month_of(text: &str) -> Option<u32> {
    if !text.chars().all(char::is_alphabetic) || text.chars().count() > 10 {
        return None;
    }
    let named = |starts: &&[&str]| starts.iter().any(|start| text.starts_with(start));
    let at = MONTHS.iter().position(named)?;
    u32::try_from(at + 1).ok()
}

/// Whether a closing day has passed, in every time zone.
pub fn passed(deadline: NaiveDate, now: DateTime<Utc>) -> bool {
    deadline < (now - TimeDelta::hours(12)).date_naive()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> DateTime<Utc> {
        "2026-11-21T12:00:00Z".parse().unwrap()
    }

    fn found(text: &str) -> Option<String> {
        find(text, None, now()).map(|found| found.day.to_string())
    }

    #[test]
    fn plain_dates_behind_the_phrase_are_found() {
        for (text, day) in [
            ("Application deadline: 2026-12-01.", "2026-12-01"),
            ("Apply by December 1st, 2026!", "2026-12-01"),
            (
                "Please apply by Friday, 4 December 2026 at the latest",
                "2026-12-04",
            ),
            ("Closing date 3 Dec 2026", "2026-12-03"),
            ("Closing date: 17:00 GMT on 3rd of December 2026", "2026-12-03"),
            ("Applications close on 12/31/2026", "2026-12-31"),
            ("Applications are accepted until 31/12/26.", "2026-12-31"),
            ("The deadline for applications is 15-Dec-2026", "2026-12-15"),
            ("Bewerbungsfrist: 31.12.2026", "2026-12-31"),
            ("Bewerbungsfrist 01.11.2026", "2026-11-01"),
            ("Bewerbungsschluss ist der 15.12.26", "2026-12-15"),
            ("Bewerbungsschluss ist der 15. Dezember 2026", "2026-12-15"),
            ("Bewerbungen bis zum 5. 1. 2027 an", "2027-01-05"),
            ("Date limite de candidature : le 5 décembre 2026", "2026-12-05"),
            ("Fecha límite: 5 de enero de 2027", "2027-01-05"),
            (
                "Apply by email.\nApplication deadline: 5 January 2027",
                "2027-01-05",
            ),
            (
                "Application deadline: 1 December 2026 (extended to 15 December 2026)",
                "2026-12-15",
            ),
            (
                "Application deadline: 2026-12-01. We close: apply by 1 December 2026.",
                "2026-12-01",
            ),
        ] {
            assert_eq!(found(text).as_deref(), Some(day), "{text}");
        }
    }

    #[test]
    fn vague_ones_are_not() {
        for text in [
            "Apply by Friday",
            "deadline: 03/04/2026",
            "Application deadline: 03/04/2026",
            "apply by 1 December",
            "founded on 2026-12-01",
            "apply by 2026-13-40",
            "Apply by email. Start date: 2026-12-01",
            "Apply by email before our start on 1 December 2026",
            "Application deadline: ongoing. Posted 2026-10-01",
            "Application deadline: rolling, start 1 January 2027",
            "Application deadline: none. The project ends 2027-01-01",
            "Application deadline. 1 January 2027 is the first day of work",
            "Bewerbungsfrist: keine, Start ab 01.01.2027",
            "Apply by 15.10.0026",
            "Application deadline: 1 December 1926",
            "Application deadline: 1 December 2036",
            "Application deadline: 1 December 2026. Application deadline: 5 December 2026",
            "We met tight deadlines in 2026",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    /// Sentences as public repositories have them in tests and pages of adverts and programmes (a golden table of dates in
    /// four languages, a reader of bund.de, lists of vacancies), read on a day near them: the day that is meant, or none
    /// where the year is not written.
    #[test]
    fn sentences_of_public_tables() {
        let table = [
            (
                "2026-10-06",
                "Deadline: 1st November 2026. We review applications on a rolling basis.",
                Some("2026-11-01"),
            ),
            (
                "2026-10-06",
                "Scadenza candidature: 31/10/2026. Il programma si svolge dal 13 aprile 2027.",
                Some("2026-10-31"),
            ),
            (
                "2026-10-06",
                "Bewerbungsschluss ist der 18.10.2026.",
                Some("2026-10-18"),
            ),
            ("2026-10-06", "Date limite : 30 novembre 2026", Some("2026-11-30")),
            (
                "2026-10-06",
                "Applications close October 31st, 2026",
                Some("2026-10-31"),
            ),
            (
                "2026-10-06",
                "Applications close on 15 November 2026 and are reviewed on a rolling basis.",
                Some("2026-11-15"),
            ),
            ("2026-10-06", "Deadline 31/06/2027", None),
            ("2026-10-06", "Deadline 10/25/2026", Some("2026-10-25")),
            ("2026-10-06", "Apply by 15 Nov", None),
            ("2026-10-06", "Applications close on 5 October.", None),
            (
                "2026-04-23",
                "Veröffentlicht 23.04.26 Bewerbungsfrist 24.05.26",
                Some("2026-05-24"),
            ),
            (
                "2022-02-01",
                "Bewerbungsschluss ist der 24.02.2022, trotzdem möchten wir euch dazu aufrufen",
                Some("2022-02-24"),
            ),
            (
                "2023-12-01",
                "Bewerbungsfrist\n28. Januar 2024",
                Some("2024-01-28"),
            ),
            (
                "2022-07-01",
                "Submission Email: work@example.com\nApplication Deadline: July 29, 2022\nCompany",
                Some("2022-07-29"),
            ),
            (
                "2026-11-01",
                "LOCATION: Mwanza | APPLICATION DEADLINE: 15 Dec 2026 | RESPONSIBILITIES:",
                Some("2026-12-15"),
            ),
            (
                "2026-11-01",
                "Application Deadline: Rolling basis, apply 3-6 months before intended start date",
                None,
            ),
            ("2026-11-01", "Application deadline: Aug 01", None),
            (
                "2024-03-01",
                "$20,000 - $30,000 | Part-Time\nApplication Deadline: March 19, 2024",
                Some("2024-03-19"),
            ),
            (
                "2025-03-01",
                "Application deadline is April 30, 2025. The following",
                Some("2025-04-30"),
            ),
            (
                "2026-09-01",
                "The application deadline is September 30, 2026.",
                Some("2026-09-30"),
            ),
            (
                "2026-09-01",
                "the application deadline is the 1st of September, while the one for summer is the 1st of March.",
                None,
            ),
            (
                "2026-09-01",
                "The application deadline is 31 May. IELTS is accepted",
                None,
            ),
            (
                "2024-08-01",
                "Deadline for applications is August 31, 2024.",
                Some("2024-08-31"),
            ),
            (
                "2017-01-01",
                "Deadline for applications is January 15, 2017.",
                Some("2017-01-15"),
            ),
            (
                "2024-01-01",
                "The deadline for applications is the 14th January, and we will be inviting candidates",
                None,
            ),
            ("2024-01-01", "The deadline for applications is Friday.", None),
            (
                "2026-11-01",
                "Two years if you apply by 31 December 2026, 18 months from 1 January 2027",
                Some("2026-12-31"),
            ),
            (
                "2026-11-01",
                "USA-Austausch: Bewerbungsschluss Mi, 8.03.! AJ",
                None,
            ),
        ];
        for (today, text, day) in table {
            let now = format!("{today}T12:00:00Z").parse().unwrap();
            assert_eq!(
                find(text, None, now)
                    .map(|found| found.day.to_string())
                    .as_deref(),
                day,
                "{text}"
            );
        }
    }

    #[test]
    fn only_a_closing_word_makes_a_deadline() {
        for (text, day) in [
            ("Applications are open from 1 December 2026.", None),
            ("Applications open from 1 December 2026", None),
            ("Applications are accepted as of 1 December 2026", None),
            ("Applications accepted starting 1 December 2026", None),
            ("Applications will be accepted on 1 December 2026", None),
            ("Please apply not before 1 December 2026", None),
            ("Do not apply before 1 December 2026", None),
            ("Please don't apply before 1 December 2026", None),
            ("Applications are accepted after 1 December 2026", None),
            ("Application deadline: from 1 December 2026", None),
            (
                "Applications are accepted from 1 November 2026 until 15 December 2026",
                Some("2026-12-15"),
            ),
            (
                "Applications are open from 1 November to 15 December 2026.",
                Some("2026-12-15"),
            ),
            ("Applications are open until 15 December 2026", Some("2026-12-15")),
            (
                "Applications are open from now until 15 December 2026",
                Some("2026-12-15"),
            ),
            ("Please apply no later than 15 December 2026", Some("2026-12-15")),
        ] {
            assert_eq!(found(text).as_deref(), day, "{text}");
        }
    }

    #[test]
    fn an_extended_day_counts_in_every_wording() {
        for (text, day) in [
            (
                "Application deadline: 1 December 2026, extended to 15 December 2026",
                Some("2026-12-15"),
            ),
            (
                "Application deadline: 1 December 2026. Extended until 15 December 2026.",
                Some("2026-12-15"),
            ),
            (
                "The application deadline has been extended to December 15, 2026.",
                Some("2026-12-15"),
            ),
            (
                "Bewerbungsfrist: 01.12.2026, verlängert bis 15.12.2026",
                Some("2026-12-15"),
            ),
            (
                "Die Bewerbungsfrist wurde bis zum 1.12.2026 gesetzt und verlängert bis zum 15. Dezember 2026",
                Some("2026-12-15"),
            ),
            (
                "Date limite de candidature : 1er décembre 2026, prolongée jusqu'au 15 décembre 2026",
                Some("2026-12-15"),
            ),
            (
                "Candidatures : le délai est prolongé jusqu'au 15 décembre 2026",
                Some("2026-12-15"),
            ),
            (
                "Scadenza: 01/12/2026 - prorogata al 15/12/2026",
                Some("2026-12-15"),
            ),
            (
                "Closing date: 1 December 2026. This vacancy now closes on 15 December 2026.",
                Some("2026-12-15"),
            ),
            (
                "Apply by 1 December 2026. New deadline: 15 December 2026",
                Some("2026-12-15"),
            ),
            (
                "Neue Bewerbungsfrist: 15.12.2026 (alte Bewerbungsfrist: 1.12.2026)",
                Some("2026-12-15"),
            ),
            ("Deadline extended! Apply by 15 December 2026", Some("2026-12-15")),
            (
                "Application deadline: 15 November 2026, extended to 1 May 2027. It was 3 May 2026, extended to 15 November 2026",
                Some("2027-05-01"),
            ),
            (
                "Die Bewerbungsfrist wurde auf den 15.12.2026 verschoben",
                Some("2026-12-15"),
            ),
            (
                "Bewerbungsfrist: 1.12.2026. Die Frist wurde bis zum 15. Dezember 2026 verlängert.",
                Some("2026-12-15"),
            ),
            ("Bewerbungsfrist: 1.12.2026. Die Frist wurde verlängert.", None),
            ("Bewerbungsfrist verlängert auf 15.12.2026", Some("2026-12-15")),
            (
                "The closing date has been moved to 15 December 2026",
                Some("2026-12-15"),
            ),
            (
                "Plazo de solicitud ampliado hasta el 15 de diciembre de 2026",
                Some("2026-12-15"),
            ),
            ("Prazo prorrogado até 15 de dezembro de 2026", Some("2026-12-15")),
            (
                "Apply by 1 December 2026. Extended parental leave from day one.",
                Some("2026-12-01"),
            ),
            // The old day is over, and the new one is not said.
            (
                "Application deadline: 1 December 2026, extended by two weeks",
                None,
            ),
            // Something else is extended, or nothing is yet.
            (
                "Apply by 1 December 2026. The contract may be extended until 31 December 2027",
                Some("2026-12-01"),
            ),
            (
                "Application deadline 1 December 2026, contract extended until 31 December 2027",
                Some("2026-12-01"),
            ),
            (
                "Application deadline 1 December 2026; it may be extended to 15 December 2026",
                Some("2026-12-01"),
            ),
            (
                "Der Vertrag wird verlängert bis 31.12.2027. Bewerbungsfrist: 1.12.2026",
                Some("2026-12-01"),
            ),
        ] {
            assert_eq!(found(text).as_deref(), day, "{text}");
        }
    }

    #[test]
    fn a_year_is_of_the_same_phrase_or_of_the_posting() {
        let posted: DateTime<Utc> = "2026-11-19T08:00:00Z".parse().unwrap();
        for (text, alone, with_posting) in [
            (
                "Apply by 15 December. 2027 is our year.",
                None,
                Some("2026-12-15"),
            ),
            ("Apply by 15 December (2027 intake)", None, Some("2026-12-15")),
            (
                "Apply by December 15. 2027 will be great",
                None,
                Some("2026-12-15"),
            ),
            (
                "Application deadline: 15 December\n2027 budget: large",
                None,
                Some("2026-12-15"),
            ),
            ("Apply by 15 Dec. 2026", Some("2026-12-15"), Some("2026-12-15")),
            ("Apply by 15 December", None, Some("2026-12-15")),
            ("Apply by January 9th", None, Some("2027-01-09")),
            ("Bewerbungsfrist: 15.12.", None, Some("2026-12-15")),
            ("Apply by 15 December 12:00", None, Some("2026-12-15")),
            // A year away: the advert was posted again, more likely.
            ("Apply by 15 November", None, None),
            ("Apply by 30 February", None, None),
            ("Apply by 15 December 1926", None, None),
            ("Apply by 15 December 26", None, None),
            // Two days.
            (
                "Apply by 15 December. Application deadline: 15 December 2027",
                Some("2027-12-15"),
                None,
            ),
        ] {
            assert_eq!(found(text).as_deref(), alone, "{text}");
            let found = find(text, Some(posted), now());
            assert_eq!(
                found.map(|found| found.day.to_string()).as_deref(),
                with_posting,
                "{text}"
            );
            assert_eq!(
                found.is_some_and(|found| found.year_inferred),
                alone.is_none() && with_posting.is_some()
            );
        }
    }

    #[test]
    fn a_day_has_passed_when_it_is_over_everywhere() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        assert!(!passed(day, "2026-11-21T11:00:00Z".parse().unwrap()));
        assert!(passed(day, "2026-11-21T12:00:00Z".parse().unwrap()));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,80}") {
            let _ = find(&format!("apply by {text}"), Some(now()), now());
            let _ = find(&format!("deadline extended {text} verlängert bis {text}"), Some(now()), now());
        }

        // Every form that says a day plainly gives that day.
        #[test]
        fn every_plain_form_of_a_day_is_read(days in -300_i64..700, form in 0_usize..9) {
            let day = now().date_naive() + TimeDelta::days(days);
            let forms = ["%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%-d.%-m.%Y", "%-d %B %Y", "%B %-d, %Y", "%b %-d, %Y", "%-d. %B %Y", "%d-%b-%Y"];
            let text = format!("Application deadline: {}", day.format(forms[form]));
            let found = find(&text, None, now());
            prop_assert_eq!(found, Some(Deadline { day, year_inferred: false }));
        }
    }
}
