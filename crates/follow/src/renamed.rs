//! Facts whose names changed: an answer that was kept under the old name is compared under the new one.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Old and new names of facts of items. Each old one had two meanings.
const RENAMED: [(&str, &str); 2] = [
    // An arXiv paper's `published_at` is of the version shown.
    ("fields.published", "fields.first_submitted"),
    // An item's `score` is that of its age.
    ("fields.score", "fields.points"),
];

/// The parts of an item that was kept, under the names of today. A name is replaced where the item of today has the new one alone.
pub(super) fn under_names_of<'k>(
    now: &BTreeMap<String, String>,
    then: &'k BTreeMap<String, String>,
) -> Cow<'k, BTreeMap<String, String>> {
    let mut out = Cow::Borrowed(then);
    for (old, new) in RENAMED {
        let is_renamed = then.contains_key(old)
            && !then.contains_key(new)
            && now.contains_key(new)
            && !now.contains_key(old);
        if is_renamed && let Some(value) = then.get(old) {
            let parts = out.to_mut();
            parts.remove(old);
            parts.insert(new.to_owned(), value.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(names: &[&str]) -> BTreeMap<String, String> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), "x".to_owned()))
            .collect()
    }

    #[test]
    fn an_old_name_is_read_as_the_new_one_where_only_that_is_there() {
        for (then, now, wanted) in [
            (["fields.score"], ["fields.points"], ["fields.points"]),
            (["fields.score"], ["fields.score"], ["fields.score"]),
            // A source that still has the old name, with its one meaning.
            (["fields.published"], ["fields.year"], ["fields.published"]),
        ] {
            assert_eq!(*under_names_of(&parts(&now), &parts(&then)), parts(&wanted));
        }
    }
}
