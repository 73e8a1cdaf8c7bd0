//! What the name of a release says of its standing: a channel that is not stable, a mark that it was pulled.

use freshcontext_contract::{StandingEvidence, StandingState};
use freshcontext_parse::{date, text};

use super::version;

/// What a heading's mark says, in brackets or in capitals: <https://keepachangelog.com/en/1.1.0/#yanked>.
const PULLED: &str = "yanked";
/// Most words between a version and the mark that are no part of a date; more make a sentence about something else.
const WORDS_BETWEEN: usize = 2;
/// Longest name that is repeated as evidence, in characters.
const NAME_CHARS: usize = 200;

/// The sign of a pre-release by its name.
pub fn early(field: &'static str, name: &str) -> StandingEvidence {
    StandingEvidence::mark(StandingState::Prerelease, field, text::said(name, NAME_CHARS)).by("owner")
}

/// The same, where the title of a release names a channel.
pub fn early_name(field: &'static str, name: &str) -> Option<StandingEvidence> {
    version::names_prerelease(name).then(|| early(field, name))
}

/// The same, where a tag or a version names one.
pub fn early_tag(field: &'static str, tag: &str) -> Option<StandingEvidence> {
    version::is_prerelease(tag).then(|| early(field, tag))
}

/// The sign that a heading or a name marks its own version as pulled: `1.2.2 - 2024-04-01 [YANKED]`. A mark behind a
/// sentence or with a version of its own is about another release.
pub fn pulled(field: &'static str, name: &str) -> Option<StandingEvidence> {
    // Of these letters alone, so that places in both texts are the same.
    let lower = name.to_ascii_lowercase();
    let found = lower
        .match_indices(PULLED)
        .any(|(at, _)| is_mark(name, &lower, at));
    found.then(|| {
        StandingEvidence::mark(StandingState::Yanked, field, text::said(name, NAME_CHARS)).by("owner")
    })
}

fn is_mark(name: &str, lower: &str, at: usize) -> bool {
    let (Some(before), Some(rest)) = (name.get(..at), name.get(at + PULLED.len()..)) else {
        return false;
    };
    if before.ends_with(char::is_alphanumeric) || rest.starts_with(char::is_alphanumeric) {
        return false;
    }
    let opened = before.trim_end().strip_suffix(['[', '(']);
    // `[YANKED]`, `(yanked: broken on Windows)`; else `1.2.2 - 2024-04-01 - YANKED`, `1.2.2 (2024-04-01, yanked)`.
    let (before, behind) = if let Some(before) = opened {
        let (inner, behind) = rest.split_once([']', ')']).unwrap_or((rest, ""));
        if version::find(inner).is_some() {
            return false;
        }
        (before, behind)
    } else {
        if rest.contains(char::is_alphanumeric) {
            return false;
        }
        (before, rest)
    };
    let is_sure = opened.is_some() || name.get(at..at + PULLED.len()) == Some("YANKED");
    match version::find(before) {
        Some(span) => before
            .get(span.end..)
            .is_some_and(|between| match words_beside_dates(between) {
                // In small letters and without brackets it is one behind a date alone.
                0 => is_sure || between.contains(|c: char| c.is_ascii_digit()),
                // A sentence goes on: `1.2.3 - reads [YANKED] headings`.
                words => is_sure && words <= WORDS_BETWEEN && words_beside_dates(behind) == 0,
            }),
        // `[YANKED] 1.2.2`
        None => !before.contains(char::is_alphanumeric) && version::find(lower).is_some(),
    }
}

/// The number of words that are no part of a date.
fn words_beside_dates(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let other = words.filter(|word| {
        word.len() > 1
            && !word.contains(|c: char| c.is_ascii_digit())
            && date::month_number(&word.to_lowercase()).is_none()
    });
    other.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_about_the_version_of_its_heading() {
        for name in [
            "[1.2.2] - 2024-04-01 [YANKED]",
            "0.99.4 - 2020-03-28 [yanked]",
            "1.1.1 — 22 February 2026 (yanked)",
            "v2.0.0 / 2020/06/24 / [YANKED]",
            "[YANKED] v2.0.0",
            "v2.0.0 (yanked: broken on Windows)",
            "2.0.1 (2024-01-02) - YANKED",
            "Release 1.0.0 [YANKED]",
            "1.0.11 (2026-03-11, yanked)",
            "1.0.11 - 11 March 2026 - yanked",
            "1.0.9 Lucky Cat [YANKED] - 2026-03-09",
        ] {
            let sign = pulled("heading", name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!((sign.state, sign.value.as_str()), (StandingState::Yanked, name));
        }
        for name in [
            "1.2.3 - 2024-04-02",
            "1.2.3 - mark releases in the list as [YANKED]",
            "1.2.3 (replaces 1.2.2, which was yanked)",
            "1.2.3 (yanked 1.2.2)",
            "1.2.3: yanked crates are skipped",
            "1.2.3 - unyanked",
            "1.2.3 - 2026-03-11 - unyanked",
            "1.2.3 (2026-02-01) - reads [YANKED] headings",
            "1.2.3 - 2026-03-11 - no longer yanked",
            "1.2.3 is yanked",
            "[YANKED]",
        ] {
            assert_eq!(pulled("heading", name), None, "{name}");
        }
    }
}
