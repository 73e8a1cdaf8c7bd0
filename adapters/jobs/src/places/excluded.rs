//! Places that an advert leaves out: `worldwide except Germany`, `remote, but not in the US`.

use super::names::{CODES, NAMES, fold};
use super::stated::LONGEST_NAME;

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
const BETWEEN: [&str; 38] = [
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
    "in",
    "o",
    "os",
    "de",
];

/// Longest stretch between, in words.
const MOST_BETWEEN: usize = 5;

/// A stated place without what it leaves out, and what that is.
pub(super) fn without_excluded(stated: &str) -> (String, Vec<String>) {
    let mut kept = String::new();
    let mut excluded = Vec::new();
    let mut from = 0;
    for (at, word) in words(stated) {
        if at < from {
            continue;
        }
        let lower = word.to_lowercase();
        let Some((_, reach)) = MARKERS.iter().find(|(marker, _)| *marker == lower) else {
            continue;
        };
        let before = stated.get(..at).unwrap_or_default();
        // Just outside a town is near it.
        if lower == "outside" && !before.trim_end().to_lowercase().ends_with("anywhere") {
            continue;
        }
        let rest = stated.get(at + word.len()..).unwrap_or_default();
        let stops = |c: char| match c {
            ')' | ']' | ';' | '|' | '\n' | '—' | '–' => true,
            ',' => *reach == Reach::Comma,
            _ => false,
        };
        let end = rest.find(stops).unwrap_or(rest.len());
        let rest = rest.get(..end).unwrap_or_default();
        let Some(place) = first_place(rest) else {
            continue;
        };
        excluded.extend(rest.get(place..).map(str::to_owned));
        kept.push_str(stated.get(from..at).unwrap_or_default());
        kept.push(' ');
        from = at + word.len() + end;
    }
    kept.push_str(stated.get(from..).unwrap_or_default());
    (kept, excluded)
}

/// Where the place begins, if it stands there after a few words that lead to it.
fn first_place(text: &str) -> Option<usize> {
    let all: Vec<(usize, &str)> = words(text).collect();
    let between = all
        .iter()
        .take_while(|(_, word)| BETWEEN.contains(&word.to_lowercase().as_str()))
        .count();
    let from = all.get(between..).filter(|_| between <= MOST_BETWEEN)?;
    let (at, first) = from.first()?;
    let is_code = first.len() > 1 && CODES.contains_key(first) || super::stated::capitals(first).is_some();
    let is_name = (1..=LONGEST_NAME.min(from.len())).any(|count| {
        let end = from.get(count - 1).map(|(at, word)| at + word.len());
        let name = end.and_then(|end| text.get(*at..end)).map(fold);
        name.is_some_and(|name| NAMES.contains_key(name.as_str()))
    });
    (is_code || is_name).then_some(*at)
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
