//! Places that an advert leaves out: `worldwide except Germany`, `remote, but not in the US`.

use super::names::{CODES, NAMES, fold};
use super::stated::{LONGEST_NAME, READ, capitals};

/// Words of a stated place, and behind one that leaves places out, that are looked at.
const WORDS: usize = 300;
const WORDS_BEHIND: usize = 40;

/// How far what follows a word is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// To the end of the brackets or of the part: `except California and New York`.
    Part,
    /// To the next comma as well: `no Germany, Berlin only`.
    Comma,
}

/// Words after which places are left out, in lower case.
const MARKERS: [(&str, Reach); 31] = [
    ("except", Reach::Part),
    ("excepting", Reach::Part),
    ("excluding", Reach::Part),
    ("excludes", Reach::Part),
    ("excl", Reach::Part),
    ("outside", Reach::Part),
    ("cannot", Reach::Part),
    ("can't", Reach::Part),
    ("don't", Reach::Part),
    ("minus", Reach::Part),
    ("not", Reach::Comma),
    ("no", Reach::Comma),
    ("non", Reach::Comma),
    ("without", Reach::Comma),
    // German
    ("außer", Reach::Part),
    ("ausser", Reach::Part),
    ("ausgenommen", Reach::Part),
    ("nicht", Reach::Comma),
    ("ohne", Reach::Comma),
    // French
    ("sauf", Reach::Part),
    ("hors", Reach::Part),
    ("excepté", Reach::Part),
    // Spanish, Portuguese
    ("excepto", Reach::Part),
    ("exceto", Reach::Part),
    ("salvo", Reach::Part),
    ("menos", Reach::Part),
    // Italian
    ("tranne", Reach::Part),
    ("eccetto", Reach::Part),
    // Dutch, Polish, Russian
    ("behalve", Reach::Part),
    ("oprócz", Reach::Part),
    ("кроме", Reach::Part),
];

/// Words that may stand between such a word and the place.
const BEFORE: [&str; 36] = [
    "for",
    "in",
    "from",
    "the",
    "of",
    "to",
    "at",
    "any",
    "candidates",
    "candidate",
    "applicants",
    "applications",
    "residents",
    "people",
    "remote",
    "hire",
    "hiring",
    "accept",
    "employ",
    "based",
    "open",
    "currently",
    "available",
    "der",
    "die",
    "den",
    "dem",
    "aus",
    "la",
    "le",
    "les",
    "el",
    "los",
    "l",
    "os",
    "de",
];

/// Words that may stand between places, and behind the last.
const BESIDE: [&str; 11] = [
    "and", "or", "nor", "only", "please", "the", "und", "oder", "et", "ou", "y",
];

/// Longest stretch before the place, in words.
const MOST_BEFORE: usize = 5;

/// A stated place without what it leaves out, and what that is.
pub(super) fn without_excluded(stated: &str) -> (String, Vec<String>) {
    let stated = stated.get(..stated.floor_char_boundary(READ)).unwrap_or(stated);
    let has_small = stated.chars().any(char::is_lowercase);
    let mut kept = String::new();
    let mut excluded = Vec::new();
    let mut from = 0;
    for (at, word) in words(stated).take(WORDS) {
        if at < from || (word == "NO" && has_small) {
            // Among small letters, `NO` is Norway's code.
            continue;
        }
        let lower = word.to_lowercase().replace('’', "'");
        let Some((_, reach)) = MARKERS.iter().find(|(marker, _)| *marker == lower) else {
            continue;
        };
        let before = stated.get(..at).unwrap_or_default().trim_end();
        // Just outside a town is near it.
        if lower == "outside" && !before.to_lowercase().ends_with("anywhere") {
            continue;
        }
        let rest = stated.get(at + word.len()..).unwrap_or_default();
        let Some((begin, end)) = places_in(rest, *reach) else {
            continue;
        };
        let Some(places) = rest.get(begin..end) else {
            continue;
        };
        // `not US-only` is open beyond the US.
        if lower == "not" && words(places).any(|(_, word)| word.eq_ignore_ascii_case("only")) {
            continue;
        }
        excluded.push(places.to_owned());
        kept.push_str(stated.get(from..at).unwrap_or_default());
        kept.push(' ');
        from = at + word.len() + end;
    }
    kept.push_str(stated.get(from..).unwrap_or_default());
    (kept, excluded)
}

/// Where the places begin and end that stand behind such a word, where nothing else does: `no US visa` leaves out no place.
fn places_in(rest: &str, reach: Reach) -> Option<(usize, usize)> {
    let stops = |c: char| match c {
        ')' | ']' | ';' | '|' | '\n' | '—' | '–' => true,
        ',' => reach == Reach::Comma,
        _ => false,
    };
    if rest.starts_with(',') {
        return None;
    }
    let all = rest.get(..rest.find(stops).unwrap_or(rest.len()))?;
    let list: Vec<(usize, &str)> = words(all).take(WORDS_BEHIND).collect();
    let is_before = |(_, word): &&(usize, &str)| BEFORE.contains(&word.to_lowercase().as_str());
    let first = list.iter().take_while(is_before).count();
    let (begin, _) = *list.get(first).filter(|_| first <= MOST_BEFORE)?;
    let (mut next, mut end) = (first, begin);
    // Where the places before the last comma end.
    let mut before_comma = None;
    while let Some((at, word)) = list.get(next) {
        if next > first && all.get(end..*at).is_some_and(|gap| gap.contains(',')) {
            before_comma = Some(end);
        }
        let taken = name_at(all, list.get(next..).unwrap_or_default());
        let is_beside = next > first && BESIDE.contains(&word.to_lowercase().as_str());
        if taken == 0 && !is_beside {
            // Behind a comma, something else may follow.
            return before_comma.map(|end| (begin, end));
        }
        next += taken.max(1);
        if let Some((at, word)) = list.get(next - 1) {
            end = at + word.len();
        }
    }
    (list.len() < WORDS_BEHIND).then_some((begin, all.len()))
}

/// How many words the name or code takes that they begin with.
fn name_at(text: &str, list: &[(usize, &str)]) -> usize {
    let Some((at, first)) = list.first() else {
        return 0;
    };
    let named = (1..=LONGEST_NAME.min(list.len())).rev().find(|count| {
        let end = list.get(count - 1).map(|(at, word)| at + word.len());
        let name = end.and_then(|end| text.get(*at..end)).map(fold);
        name.is_some_and(|name| NAMES.contains_key(name.as_str()))
    });
    let is_code = first.len() > 1 && CODES.contains_key(first) || capitals(first).is_some();
    named.unwrap_or(usize::from(is_code))
}

/// The words of a text, and where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let left = text.get(rest..)?;
        let begin = left.find(char::is_alphanumeric)?;
        let word = left.get(begin..)?;
        let end = word.find(|c| !is_inner(c)).unwrap_or(word.len());
        let at = rest + begin;
        rest = at + end;
        Some((at, word.get(..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told_from_what_is_not() {
        for (stated, left_out) in [
            ("REMOTE (worldwide except Germany)", ["Germany"].as_slice()),
            ("Worldwide (excl. US)", &["US"]),
            ("Remote - Not UK", &["UK"]),
            ("REMOTE (anywhere outside the USA)", &["USA"]),
            ("Remote, non-US only", &["US only"]),
            ("REMOTE, but no candidates from India please", &["India please"]),
            ("REMOTE (no Germany, no Austria)", &["Germany", "Austria"]),
            (
                "Remote — sorry, we cannot hire in California or New York",
                &["California or New York"],
            ),
            ("Remote (US, except CA and NY)", &["CA and NY"]),
            ("Weltweit remote, außer Deutschland", &["Deutschland"]),
            ("Télétravail, sauf France", &["France"]),
            ("Remote, we don’t hire in New York", &["New York"]),
            ("Worldwide except Germany, Berlin office optional", &["Germany"]),
            ("REMOTE (NO GERMANY)", &["GERMANY"]),
        ] {
            assert_eq!(without_excluded(stated).1, left_out, "{stated}");
        }
        for stated in [
            "Berlin, no remote",
            "Just outside London",
            "Onsite, no relocation from outside Germany",
            "Contract outside IR35, London",
            "Remote, no agencies, Berlin",
            "Nottingham",
            "San Francisco, no US visa sponsorship",
            "London, £40k excluding London weighting",
            "Remote, not US-only",
            "Remote, not just US",
            "Oslo NO / Berlin",
            "Salvo, NC",
            "Remote (open to non-US citizens)",
            "Not remote — Munich",
        ] {
            let (kept, left_out) = without_excluded(stated);
            assert!(left_out.is_empty() && kept == stated, "{stated}: {left_out:?}");
        }
        assert_eq!(
            without_excluded("Remote (no Germany), Vienna").0,
            "Remote ( ), Vienna"
        );
    }
}
