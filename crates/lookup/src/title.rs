//! Whether a thing has another title than the one under which it is cited.

use std::collections::HashSet;

/// Share of common words below which two titles are different ones.
const ALIKE: f64 = 0.5;

/// Whether two titles differ, case, signs, marks before them and subtitles left aside.
pub(crate) fn differs(given: &str, found: &str) -> bool {
    let (given, found) = (words(given), words(found));
    if given.is_empty() || found.is_empty() {
        return false;
    }
    let (one, other) = (given.join(" "), found.join(" "));
    if one.contains(&other) || other.contains(&one) {
        return false;
    }
    let (given, found): (HashSet<_>, HashSet<_>) = (given.iter().collect(), found.iter().collect());
    let common = given.intersection(&found).count();
    let all = given.union(&found).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let share = common as f64 / all as f64;
    share < ALIKE
}

fn words(title: &str) -> Vec<String> {
    let words = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_title_differs() {
        let title = "Attention and memory in graph networks";
        for same in [
            title,
            "ATTENTION & memory, in graph networks.",
            "RETRACTED: Attention and memory in graph networks",
            "Attention and memory",
            "Attention and memory in graph networks: a survey",
            "",
        ] {
            assert!(!differs(same, title), "{same}");
        }
        assert!(differs("On the origin of species", title));
    }
}
