//! The same thing in two sources: said, not counted twice. One page, one long title, or one website.

use std::collections::HashMap;

use url::Url;

use crate::address::same_page_key;
use crate::answer::{Scored, ScoredItem};

/// Shortest normalised title that identifies a story, in characters: "Release notes" is too general.
const TITLE_MIN: usize = 20;

/// Fields that name the website of what an item is about.
const WEBSITES: [&str; 2] = ["website", "homepage"];

/// Registrable domains under which many have their pages: a page there is nobody's website.
const SHARED: [&str; 34] = [
    "apple.com",
    "bitbucket.org",
    "bsky.app",
    "codeberg.org",
    "crates.io",
    "discord.com",
    "discord.gg",
    "docs.rs",
    "facebook.com",
    "github.com",
    "gitlab.com",
    "google.com",
    "huggingface.co",
    "instagram.com",
    "linkedin.com",
    "linktr.ee",
    "medium.com",
    "microsoft.com",
    "npmjs.com",
    "producthunt.com",
    "pypi.org",
    "reddit.com",
    "sourceforge.net",
    "substack.com",
    "t.me",
    "telegram.me",
    "tiktok.com",
    "twitter.com",
    "wikipedia.org",
    "x.com",
    "ycombinator.com",
    "youtu.be",
    "youtube.com",
    "zenodo.org",
];

/// Gives later items the field `also_in`, naming the section where the same page, the same long title, or the same website
/// stood first.
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
    keys.extend(
        WEBSITES
            .iter()
            .filter_map(|name| site(item.fields.get(*name)?.as_str()?)),
    );
    // The first page of a site is the site.
    let pages = about.iter().filter_map(|name| item.fields.get(*name)?.as_str());
    keys.extend(pages.chain(item.url.as_deref()).filter_map(front_page));
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

/// The key of the website that an address belongs to, by its registrable domain in the public suffix list.
fn site(address: &str) -> Option<String> {
    let url = Url::parse(address)
        .or_else(|_| Url::parse(&format!("https://{address}")))
        .ok()?;
    let host = url.domain()?.trim_end_matches('.');
    let domain = psl::domain_str(host)?;
    (!SHARED.contains(&domain)).then(|| format!("site {domain}"))
}

/// The same of the address of a site's first page; of no other page.
fn front_page(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    (url.path() == "/").then(|| site(address)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{front_page, site};

    #[test]
    fn a_website_is_its_registrable_domain() {
        for same in [
            "https://acme.dev",
            "http://www.acme.dev/?ref=x",
            "https://app.acme.dev/start",
            "acme.dev",
        ] {
            assert_eq!(site(same).as_deref(), Some("site acme.dev"), "{same}");
        }
        assert_eq!(
            site("https://shop.acme.co.uk/").as_deref(),
            Some("site acme.co.uk")
        );
        assert_eq!(
            site("https://acme.github.io/").as_deref(),
            Some("site acme.github.io")
        );
        assert_ne!(site("https://acme.github.io/"), site("https://other.github.io/"));
        for nobodys in [
            "https://github.com/acme/acme",
            "https://play.google.com/x",
            "https://co.uk/",
            "https://192.0.2.1/",
            "no",
        ] {
            assert_eq!(site(nobodys), None, "{nobodys}");
        }
        assert_eq!(front_page("https://news.example/story"), None);
        assert_eq!(
            front_page("https://acme.dev/?utm_source=x").as_deref(),
            Some("site acme.dev")
        );
    }
}
