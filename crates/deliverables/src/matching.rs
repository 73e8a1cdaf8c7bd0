//! The same item in two lists, also under another id: a later version of a paper, a work that another route names otherwise, an entry whose
//! title was edited.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// What names an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its DOI, or a hash of it.
    pub doi: Option<Cow<'a, str>>,
    /// Where its source gives no id, its title and its address, or hashes of them. Two things with ids of their own may link to
    /// one page.
    pub page: Option<(&'a str, &'a str)>,
}

/// A name of an item, if it has one of this kind.
type Key<'a> = fn(&Names<'a>) -> Option<Cow<'a, str>>;

/// Finds the items of the first list in the second. Returns pairs of ids; most are twice the same. Items without an id of their own
/// are known by their address, and by their title only where no other has it. Only names that one item of each list has tell
/// anything.
pub fn matches<'a>(before: &[Names<'a>], after: &[Names<'a>]) -> BTreeMap<&'a str, &'a str> {
    let keys: [Key<'a>; 4] = [
        |names| names.page.map(|(_, url)| url.into()),
        |names| match names.page {
            Some((title, _)) => Some(format!("title {title}").into()),
            None => Some(names.id.into()),
        },
        |names| version_of(names.id).map(Cow::Borrowed),
        |names| names.doi.clone(),
    ];
    let mut found = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for key in keys {
        let later = only(after, key);
        for (name, earlier) in only(before, key) {
            if let Some(later) = later.get(&name)
                && !found.contains_key(earlier)
                && taken.insert(*later)
            {
                found.insert(earlier, *later);
            }
        }
    }
    found
}

/// Ids by a name that is one item's only.
fn only<'a>(list: &[Names<'a>], key: Key<'a>) -> BTreeMap<Cow<'a, str>, &'a str> {
    let mut named: BTreeMap<Cow<'a, str>, Option<&str>> = BTreeMap::new();
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
