//! Which of the headings with versions are releases.

use std::collections::HashSet;

use super::heading::Heading;
use super::title::Title;
use crate::parse::version;

/// Lines above the first heading, and the longest of them, that may name a version that was not read.
const LINES_ABOVE: usize = 40;
const CHARS_ABOVE: usize = 60;

/// Whether the headings are the sections of a manual: numbers with titles and without dates, each of which follows from
/// the one before it, `4.9`, `4.9.1`, `4.9.2`, `4.10`.
pub(super) fn is_manual(versions: &[(Heading<'_>, Title)]) -> bool {
    let numbers: Option<Vec<Vec<u64>>> = versions
        .iter()
        .map(|(heading, title)| {
            let plain = !title.dated && !title.unreleased && version::titles_a_section(heading.text);
            plain.then(|| version::parse(&title.text)?.section()).flatten()
        })
        .collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() >= 3) else {
        return false;
    };
    let mut deeper = false;
    let follows = numbers.windows(2).all(|pair| {
        let [one, next] = pair else { return false };
        let is_child = next
            .split_last()
            .is_some_and(|(last, above)| *last <= 1 && above == one);
        deeper |= is_child;
        // A chapter has no dot, so its heading is not among these.
        let is_chapter =
            matches!((one.first(), next.as_slice()), (Some(one), [next, 0 | 1]) if *next == one + 1);
        let is_next = next.split_last().is_some_and(|(last, above)| {
            one.get(..above.len()) == Some(above)
                && one.get(above.len()).is_some_and(|before| *last == before + 1)
        });
        is_child || is_chapter || is_next
    });
    follows && deeper
}

/// A version in a short line above the first heading that is higher than all that were read: its heading may have a form
/// that is not known here.
pub(super) fn higher_above(
    lines: &[&str],
    first: usize,
    versions: &[(Heading<'_>, Title)],
) -> Option<String> {
    let highest = versions
        .iter()
        .filter_map(|(_, title)| version::parse(&title.text))
        .max()?;
    let above = lines.get(first.saturating_sub(LINES_ABOVE)..first)?;
    above.iter().find_map(|line| {
        // A sentence names the version of another thing, and a line of code is none of the file's own.
        let is_short = line.chars().count() <= CHARS_ABOVE && !line.trim_end().ends_with('.');
        let is_own = !line.starts_with("    ") && !line.contains("://") && !line.contains('$');
        let span = version::find(line).filter(|_| is_short && is_own)?;
        let named = line.get(span.start..span.end)?;
        version::parse(named)
            .is_some_and(|version| version > highest)
            .then(|| named.to_owned())
    })
}

/// Drops headings such as "Node 10.0" inside the notes of a release: where most versions stand
/// alone, one with a name before it and no date is about something else.
pub(super) fn drop_strangers(versions: &mut Vec<(Heading<'_>, Title)>) {
    let alone = || versions.iter().filter(|(_, title)| title.prefix.is_empty());
    if alone().count() * 2 > versions.len() {
        let top = alone()
            .map(|(heading, _)| heading.level)
            .min()
            .unwrap_or_default();
        // `Overview of changes in Example 1.2` beside `Overview of changes from Example 1.0 to 1.1`.
        let is_own = |heading: &Heading<'_>, title: &Title| title.announced && heading.level <= top;
        versions.retain(|(heading, title)| title.prefix.is_empty() || title.dated || is_own(heading, title));
    }
}

/// Drops the sections of a release's notes, which have deeper headings than the releases: `2.34 Arrays`, `Node 10.0`.
pub(super) fn drop_sections(versions: &mut Vec<(Heading<'_>, Title)>) {
    let is_sure = |title: &Title| title.release || title.dated || title.unreleased;
    let sure = || versions.iter().filter(|(_, title)| is_sure(title));
    let Some(top) = sure().map(|(heading, _)| heading.level).min() else {
        return;
    };
    let names: HashSet<String> = sure()
        .filter(|(heading, _)| heading.level == top)
        .map(|(_, title)| title.prefix.clone())
        .collect();
    let is_list = sure().filter(|(heading, _)| heading.level == top).count() > 1;
    versions.retain(|(heading, title)| {
        let is_own = names.contains(&title.prefix);
        let is_section = !title.release && (!is_own || version::titles_a_section(heading.text));
        let is_stranger = is_list && !is_own && !title.prefix.is_empty();
        heading.level <= top || title.dated || title.unreleased || !(is_section || is_stranger)
    });
}
