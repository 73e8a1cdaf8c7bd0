//! The day until which an advert takes applications, where its text says so plainly.

use freshcontext_contract::chrono::NaiveDate;

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

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Finds it. A date without a year, or one that can be read in two ways, is none.
pub fn find(text: &str) -> Option<NaiveDate> {
    let lower = text.to_lowercase();
    SIGNS.iter().find_map(|sign| {
        let (_, rest) = lower.split_once(sign)?;
        let near: String = rest.chars().take(REACH).collect();
        date_in(&near)
    })
}

fn date_in(text: &str) -> Option<NaiveDate> {
    let parts: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '.'))
        .map(|part| part.trim_matches(['.', '-']))
        .filter(|part| !part.is_empty())
        .collect();
    let single = parts.iter().find_map(|part| {
        NaiveDate::parse_from_str(part, "%Y-%m-%d")
            .or_else(|_| NaiveDate::parse_from_str(part, "%d.%m.%Y"))
            .ok()
    });
    single.or_else(|| {
        parts.windows(3).find_map(|three| {
            let [a, b, c] = three else { return None };
            let year: i32 = c.parse().ok().filter(|year| (2000..=2100).contains(year))?;
            let (day, month) = month(b)
                .map(|month| (a, month))
                .or_else(|| month(a).map(|month| (b, month)))?;
            let day = day
                .trim_end_matches(|c: char| c.is_ascii_alphabetic())
                .parse()
                .ok()?;
            NaiveDate::from_ymd_opt(year, month, day)
        })
    })
}

fn month(word: &str) -> Option<u32> {
    let at = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && month.starts_with(word))?;
    u32::try_from(at + 1).ok()
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
