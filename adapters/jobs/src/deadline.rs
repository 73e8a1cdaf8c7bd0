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
    "applications must be submitted",
    "applications must be received",
    "applications will be accepted",
    "applications accepted",
    "applications are accepted",
    "applications are due",
    "applications are open",
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
    "submit your application",
    "please apply",
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
    "from",
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

/// Finds it. A date without a year, one that can be read in two ways, of an implausible year, or of two that differ, is
/// none.
pub fn find(text: &str, now: DateTime<Utc>) -> Option<NaiveDate> {
    let lower = text.to_lowercase();
    let today = now.date_naive();
    let mut found: Option<NaiveDate> = None;
    for label in LABELS {
        let places = lower
            .match_indices(label)
            .filter(|(at, _)| stands_alone(&lower, *at, label));
        for (at, _) in places.take(MOST_LABELS) {
            let rest = lower.get(at + label.len()..).unwrap_or_default();
            // A plural or another word begins with the label; or the sentence ends with it.
            if rest.starts_with(|c: char| (c.is_alphabetic() && c != 's') || matches!(c, '.' | '!' | '?')) {
                continue;
            }
            let Some(day) = after_label(rest.strip_prefix('s').unwrap_or(rest)) else {
                continue;
            };
            if !PLAUSIBLE.contains(&(day - today).num_days()) {
                continue;
            }
            if found.is_some_and(|found| found != day) {
                return None;
            }
            found = Some(day);
        }
    }
    found
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
    !GENERAL.contains(&label)
        || words.is_empty()
        || words.ends_with(['\n', '.', '!', '?', '|', ';', ')'])
        || words.ends_with(" the")
}

/// The date behind a label and nothing but filler words; an extension of it counts in its place.
fn after_label(rest: &str) -> Option<NaiveDate> {
    let near: String = rest.chars().take(160).collect();
    let words: Vec<&str> = near.split_whitespace().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let weekday =
            WEEKDAYS.iter().any(|day| bare.starts_with(day)) && bare.chars().all(char::is_alphabetic);
        let time = bare.contains(':')
            || matches!(bare, "am" | "pm" | "uhr" | "noon" | "cet" | "est" | "utc" | "gmt");
        let filler = bare.is_empty() || weekday || time || FILLERS.contains(&bare);
        // A sentence ends, and what follows is another one's.
        let ended = word.ends_with(['.', '!', '?', ';']) && !bare.chars().all(|c| c.is_ascii_digit());
        if !filler || (ended && !bare.is_empty() && !weekday) || at > MOST_FILLERS {
            break;
        }
        at += 1;
    }
    let (day, taken) = date_at(words.get(at..)?)?;
    let extended = words.get(at + taken..).and_then(|rest| {
        let from = rest.iter().take(4).position(|word| word.contains("extended"))?;
        let to = rest.get(from + 1)?;
        let skip = usize::from(matches!(*to, "to" | "until" | "till" | "by"));
        Some(date_at(rest.get(from + 1 + skip..)?)?.0)
    });
    Some(extended.unwrap_or(day))
}

/// The date that words begin with, and how many of them it takes.
fn date_at(words: &[&str]) -> Option<(NaiveDate, usize)> {
    let bare = |at: usize| -> Option<&str> {
        let word = words.get(at)?;
        Some(word.trim_matches(|c: char| !c.is_alphanumeric()))
    };
    let first = bare(0)?;
    if let Some(day) = numeric(first) {
        return Some((day, 1));
    }
    // `15. 10. 2026`
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(month), Some(year)) = (bare(1), bare(2))
        && words.get(..2)?.iter().all(|word| word.ends_with('.'))
        && [first, month, year].into_iter().all(all_digits)
    {
        return Some((ymd(year_of(year)?, month.parse().ok()?, first.parse().ok()?)?, 3));
    }
    // `1st of December 2026`, `December 1, 2026`, `2026 December 1`.
    let skip = usize::from(bare(1) == Some("of") || bare(1) == Some("de"));
    let again = usize::from(bare(2 + skip) == Some("de") || bare(2 + skip) == Some("of"));
    let (second, third) = (bare(1 + skip)?, bare(2 + skip + again)?);
    let taken = 3 + skip + again;
    if let (Some(day), Some(month)) = (day_of(first), month_of(second)) {
        return Some((ymd(four(third)?, month, day)?, taken));
    }
    if let (Some(month), Some(day)) = (month_of(first), day_of(second)) {
        return Some((ymd(four(third)?, month, day)?, taken));
    }
    None
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
        find(text, now()).map(|day| day.to_string())
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
                find(text, now).map(|day| day.to_string()).as_deref(),
                day,
                "{text}"
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
            let _ = find(&format!("apply by {text}"), now());
        }

        // Every form that says a day plainly gives that day.
        #[test]
        fn every_plain_form_of_a_day_is_read(days in -300_i64..700, form in 0_usize..9) {
            let day = now().date_naive() + TimeDelta::days(days);
            let forms = ["%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%-d.%-m.%Y", "%-d %B %Y", "%B %-d, %Y", "%b %-d, %Y", "%-d. %B %Y", "%d-%b-%Y"];
            let text = format!("Application deadline: {}", day.format(forms[form]));
            prop_assert_eq!(find(&text, now()), Some(day));
        }
    }
}
