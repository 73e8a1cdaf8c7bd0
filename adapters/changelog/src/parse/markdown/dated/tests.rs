use super::*;

fn meaning_of(text: &str) -> (Meaning, String) {
    let found = dated(text).unwrap_or_else(|| panic!("{text}"));
    (
        found.meaning,
        date::find(&found.text)
            .and_then(|found| found.day(None))
            .unwrap()
            .to_string(),
    )
}

#[test]
fn words_beside_a_date_say_what_it_is_of() {
    for text in [
        " (planned 2026-11-20)",
        " - Expected: November 20, 2026",
        " ETA 2026-11-20",
        " (planned for release on Friday, 20 November 2026)",
        " (release planned: 2026-11-20)",
        " - 2026-11-20 (tentative)",
        " (2026-11-20, planned)",
        " 2026-11-20?",
        " (~2026-11-20)",
        " (to be released on 2026-11-20)",
        " (voraussichtlich am 20.11.2026)",
        " prévue pour le 20 novembre 2026",
        "Expected release date: 2026-11-20",
    ] {
        assert_eq!(
            meaning_of(text),
            (Meaning::Coming, "2026-11-20".to_owned()),
            "{text}"
        );
    }
    for text in [
        " - end of support November 20, 2026",
        ": end-of-life 2026-11-20",
        " (EOL: 2026-11-20)",
        " - EOL - 2026-11-20",
        " (supported until November 20th, 2026)",
        " (maintained through 2026-11-20)",
        " deprecated since 2026-11-20",
        " (last updated on 2026-11-20)",
        " support ended on November 20, 2026",
        " (yanked 2026-11-20)",
        " (unterstützt bis 20.11.2026)",
    ] {
        assert_eq!(
            meaning_of(text),
            (Meaning::Other, "2026-11-20".to_owned()),
            "{text}"
        );
    }
    for text in [
        " (released 2026-11-20)",
        " (release date: 2026-11-20)",
        " (20261120)",
        " [20261120]",
        " (2026 Nov 20)",
        " LTS 2026-11-20",
        " 2026-11-20, codename \"Planned Parrot\"",
        " “Expected” 2026-11-20",
        " (2026-11-20): planned maintenance mode",
        " (2026-11-20) removes the deprecated form",
        " Target practice (2026-11-20)",
        " (released 2026-11-20, supported until 2029-11-20)",
        " (EOL 2029-11-20, released 2026-11-20)",
        " (2026-11-20) [YANKED]",
        " (on CRAN 20 Nov 2026)",
        " - 2026-11-20 10:00 EST",
    ] {
        assert_eq!(
            meaning_of(text),
            (Meaning::Release, "2026-11-20".to_owned()),
            "{text}"
        );
    }
    for text in ["", " 20261120", " (12345678)", " (build 7)"] {
        assert_eq!(dated(text), None, "{text}");
    }
}
