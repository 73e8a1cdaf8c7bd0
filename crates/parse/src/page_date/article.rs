//! Which of the articles that a page's JSON-LD describes is the page itself.

use scraper::Html;
use url::Url;

use super::jsonld::{self, Described, Entities};
use crate::html::{Main, all, first, line_of, same_page};
use crate::link;

/// Shortest headline that a longer title may hold as a part, in characters.
const PART_CHARS: usize = 10;

/// What the JSON-LD of a page says of its dates, as written.
#[derive(Debug, Default)]
pub(super) struct Linked {
    /// What says so, when it was published, and whether it is certainly of this page.
    pub(super) published: Vec<(&'static str, String, bool)>,
    /// When it was changed, the article's first.
    pub(super) modified: Vec<String>,
}

/// What an entity says of where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Its address and its headline are another page's.
    Elsewhere,
    /// It does not say, or its address alone is another one.
    Unsaid,
    /// Its address or its headline is the page's.
    Here,
    /// Both are.
    Surely,
}

/// Names and addresses of the page.
struct Own {
    addresses: Vec<Url>,
    titles: Vec<String>,
}

/// Reads the JSON-LD of a page. A page also describes what it leads to: where several articles stand there, the page's
/// address and headline choose. What does not parse is skipped: pages break it often.
pub(super) fn of(document: &Html, main: &Main<'_>, address: &Url) -> Linked {
    let mut found = Entities::default();
    for script in all(document, "script[type^='application/ld+json']") {
        let source: String = script.text().collect();
        jsonld::read(&source, &mut found);
    }
    if found.articles.is_empty() && found.pages.is_empty() {
        return Linked::default();
    }
    let own = Own::of(document, main, address);
    let mut linked = Linked::default();
    for entities in [found.articles, found.pages] {
        for (entity, sure) in own.choose(entities) {
            let what = if sure {
                "JSON-LD datePublished"
            } else {
                "JSON-LD datePublished of an article at another address"
            };
            linked
                .published
                .extend(entity.published.map(|text| (what, text, sure)));
            linked.modified.extend(entity.modified);
        }
    }
    // What is certain comes first.
    linked.published.sort_by_key(|(_, _, sure)| !sure);
    linked
}

impl Own {
    fn of(document: &Html, main: &Main<'_>, address: &Url) -> Self {
        let attribute = |css: &str, name: &str| {
            let found = first(document, css).and_then(|element| element.value().attr(name));
            found.map(str::to_owned)
        };
        let canonical = attribute("link[rel=canonical]", "href");
        let shared = attribute("meta[property='og:url']", "content");
        let others = [canonical, shared].into_iter().flatten();
        let others = others.filter_map(|href| link::absolute(address, &href));
        let headline = main.headline().map(|headline| line_of(headline, " "));
        let title = first(document, "title").map(|title| line_of(title, ""));
        let shared = attribute("meta[property='og:title']", "content");
        let titles = [headline, title, shared].into_iter().flatten();
        Self {
            addresses: std::iter::once(address.clone()).chain(others).collect(),
            titles: titles
                .map(|title| plain(&title))
                .filter(|title| !title.is_empty())
                .collect(),
        }
    }

    fn place(&self, entity: &Described) -> Place {
        let base = self.addresses.first();
        let addresses: Vec<Url> = entity
            .addresses
            .iter()
            .filter(|address| !address.starts_with('#'))
            .filter_map(|address| link::absolute(base?, address))
            .collect();
        let here = addresses
            .iter()
            .any(|address| self.addresses.iter().any(|own| same_page(own, address)));
        let headline = entity
            .headline
            .as_deref()
            .map(plain)
            .filter(|headline| !headline.is_empty());
        let titled = headline
            .as_deref()
            .map(|headline| self.titles.iter().any(|title| alike(title, headline)));
        match (here, titled) {
            (true, Some(true)) => Place::Surely,
            (true, _) | (_, Some(true)) => Place::Here,
            (false, Some(false)) if !addresses.is_empty() => Place::Elsewhere,
            _ => Place::Unsaid,
        }
    }

    /// The entities that may be the page, and whether each certainly is. One alone is the page unless all that it says
    /// of itself is another page's; then it is only a signal.
    fn choose(&self, entities: Vec<Described>) -> Vec<(Described, bool)> {
        let alone = entities.len() == 1;
        let placed: Vec<_> = entities
            .into_iter()
            .map(|entity| (self.place(&entity), entity))
            .collect();
        let Some(best) = placed.iter().map(|(place, _)| *place).max() else {
            return Vec::new();
        };
        if best == Place::Elsewhere && !alone {
            return Vec::new();
        }
        let chosen = placed.into_iter().filter(|(place, _)| *place == best);
        chosen
            .map(|(place, entity)| (entity, place != Place::Elsewhere))
            .collect()
    }
}

/// Letters and digits alone, in lower case.
fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a title is a headline, with the site's name beside it or without.
fn alike(title: &str, headline: &str) -> bool {
    let long = |text: &str| text.chars().count() >= PART_CHARS;
    title == headline || long(headline) && title.contains(headline) || long(title) && headline.contains(title)
}
