//! Items under another id: a later version of a paper, a work that another route names otherwise, an entry whose title was edited.

use std::collections::{BTreeMap, BTreeSet};

/// What names an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its DOI, or a hash of it.
    pub doi: Option<&'a str>,
    /// Its address, or a hash of it.
    pub url: Option<&'a str>,
}

/// Finds the items of the first list that the second has under another id. Returns pairs of ids. Only what no other item could be
/// is paired.
pub fn successors<'a>(before: &[Names<'a>], after: &[Names<'a>]) -> BTreeMap<&'a str, &'a str> {
    let lost = without(before, after);
    let new = without(after, before);
    let mut found = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let keys: [fn(&Names<'a>) -> Option<&'a str>; 3] =
        [|names| version_of(names.id), |names| names.doi, |names| names.url];
    for key in keys {
        let later = only(&new, key);
        for (name, earlier) in only(&lost, key) {
            if let Some(later) = later.get(name)
                && !found.contains_key(earlier)
                && taken.insert(*later)
            {
                found.insert(earlier, *later);
            }
        }
    }
    found
}

/// The items of one list whose ids the other has not.
fn without<'a>(one: &[Names<'a>], other: &[Names<'a>]) -> Vec<Names<'a>> {
    let known: BTreeSet<&str> = other.iter().map(|names| names.id).collect();
    let unknown = one.iter().filter(|names| !known.contains(names.id));
    unknown.copied().collect()
}

/// Ids by a name that is one item's only.
fn only<'a>(list: &[Names<'a>], key: fn(&Names<'a>) -> Option<&'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut named: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for names in list {
        if let Some(name) = key(names) {
            named
                .entry(name)
                .and_modify(|of_several| *of_several = None)
                .or_insert(Some(names.id));
        }
    }
    let one = named.into_iter().filter_map(|(name, id)| Some((name, id?)));
    one.collect()
}

/// The paper of which an arXiv id names a version: `2401.01234v2`, `hep-th/9901001v3`
/// (<https://info.arxiv.org/help/arxiv_identifier.html>).
fn version_of(id: &str) -> Option<&str> {
    let (paper, version) = id.rsplit_once('v')?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_paper = match paper.rsplit_once(['.', '/']) {
        Some((before, last)) if last.len() >= 4 => number(last) && (number(before) || paper.contains('/')),
        _ => false,
    };
    (number(version) && is_paper).then_some(paper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_papers_are_told_from_those_of_software() {
        assert_eq!(version_of("2401.01234v2"), Some("2401.01234"));
        assert_eq!(version_of("hep-th/9901001v3"), Some("hep-th/9901001"));
        for other in ["v1.2", "2401.01234", "rev2", "1.2v3", "v2024.1", "owner/namev2"] {
            assert_eq!(version_of(other), None, "{other}");
        }
    }
}
