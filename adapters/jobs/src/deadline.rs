//! The day until which an advert takes applications, where its text says so plainly.

use freshcontext_contract::chrono::NaiveDate;
use freshcontext_parse::date;

/// Phrases that announce a closing day.
const SIGNS: [&str; 9] = [
    "application deadline",
    "deadline for applications",
    "deadline to apply",
    "apply by",
    "apply before",
    "applications close",
    "closing date",
    "bewerbungsfrist",
    "bewerbungsschluss",
];

/// How far behind the phrase the date may stand, in characters.
const REACH: usize = 40;

/// Finds it. A date without a year, or one that can be read in two ways, is none.
pub fn find(text: &str) -> Option<NaiveDate> {
    let lower = text.to_lowercase();
    SIGNS.iter().find_map(|sign| {
        let (_, rest) = lower.split_once(sign)?;
        let near: String = rest.chars().take(REACH).collect();
        dotted(&near).or_else(|| date::find(&near)?.day(None))
    })
}

/// `01.11.2026`: between dots the day comes first.
fn dotted(text: &str) -> Option<NaiveDate> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_ascii_digit());
        NaiveDate::parse_from_str(word, "%d.%m.%Y").ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Option<String> {
        find(text).map(|day| day.to_string())
    }

    #[test]
    fn plain_dates_behind_the_phrase_are_found() {
        assert_eq!(
            found("Application deadline: 2026-12-01.").as_deref(),
            Some("2026-12-01")
        );
        assert_eq!(
            found("Apply by December 1st, 2026!").as_deref(),
            Some("2026-12-01")
        );
        assert_eq!(found("Closing date 3 Dec 2026").as_deref(), Some("2026-12-03"));
        assert_eq!(
            found("Bewerbungsfrist: 31.12.2026").as_deref(),
            Some("2026-12-31")
        );
        assert_eq!(found("Bewerbungsfrist 01.11.2026").as_deref(), Some("2026-11-01"));
    }

    #[test]
    fn vague_ones_are_not() {
        for text in [
            "Apply by Friday",
            "deadline: 03/04/2026",
            "apply by 1 December",
            "founded on 2026-12-01",
            "apply by 2026-13-40",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,80}") {
            let _ = find(&format!("apply by {text}"));
        }
    }
}
