//! The same story in two sources: said, not counted twice.

use std::collections::HashMap;

use crate::address::same_page_key;
use crate::answer::{Scored, ScoredItem};

/// Shortest normalised title that identifies a story, in characters: "Release notes" is too general.
const TITLE_MIN: usize = 20;

/// Gives later items the field `also_in`, naming the section where the same page, or the same long
/// title, stood first.
pub(super) fn mark<'a>(sections: impl Iterator<Item = (&'a str, &'a mut Scored)>) {
    let mut first_seen: HashMap<String, String> = HashMap::new();
    for (label, scored) in sections {
        let mut own: Vec<String> = Vec::new();
        for item in scored.items_mut() {
            let keys = keys(item);
            if let Some(elsewhere) = keys.iter().find_map(|key| first_seen.get(key)) {
                item.fields
                    .insert("also_in".to_owned(), elsewhere.as_str().into());
            }
            own.extend(keys);
        }
        for key in own {
            first_seen.entry(key).or_insert_with(|| label.to_owned());
        }
    }
}

fn keys(item: &ScoredItem) -> Vec<String> {
    let mut keys = Vec::new();
    keys.extend(item.url.as_deref().and_then(same_page_key));
    // The page that a post is about, where the source names it beside its own.
    let about = ["link", "target", "story_url", "external_url"];
    keys.extend(
        about
            .iter()
            .filter_map(|name| item.fields.get(*name)?.as_str())
            .filter_map(same_page_key),
    );
    let title: String = item
        .title
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if title.chars().count() >= TITLE_MIN {
        keys.push(format!("title {title}"));
    }
    keys
}
