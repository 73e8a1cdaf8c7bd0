//! Microdata (<https://html.spec.whatwg.org/multipage/microdata.html>): whether an element is the page's or stands in something
//! within it, such as a review, a film or an answer.

use scraper::ElementRef;

use crate::html::{Main, line_of};

/// Properties by which an item is the page itself.
const OF_PAGE: [&str; 4] = ["mainEntity", "mainEntityOfPage", "mainContentOfPage", "blogPost"];
/// Types around bylines: a date beside an author's name is the page's.
const BYLINES: [&str; 3] = ["Person", "Organization", "NewsMediaOrganization"];
/// Elements of an item that are looked through for its name.
const NAMES: usize = 200;

/// Whether an element belongs to an item that is not the page: to a property of another one, to one that is no article, or to
/// an article beside that of the headline. What holds the headline, or has the page's title as its name, is the page.
pub(super) fn is_of_a_part(element: ElementRef<'_>, main: &Main<'_>, title: &str) -> bool {
    let Some(scope) = scope_of(element) else {
        return false;
    };
    let headline = main.headline();
    if headline.is_some_and(|headline| headline.ancestors().any(|node| node.id() == scope.id())) {
        return false;
    }
    let property = scope.value().attr("itemprop");
    if property.is_some_and(|property| !OF_PAGE.contains(&property)) {
        return true;
    }
    let beside = headline
        .and_then(scope_of)
        .filter(|own| is_article(*own) && !is_page(*own));
    !is_page(scope) && !is_named(scope, title) && (!is_article(scope) || beside.is_some())
}

/// The item in which an element stands.
fn scope_of(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    std::iter::once(element)
        .chain(element.ancestors().filter_map(ElementRef::wrap))
        .find(|ancestor| ancestor.value().attr("itemscope").is_some() && !BYLINES.contains(&kind(*ancestor)))
}

/// Whether the name of an item is in the page's title.
fn is_named(scope: ElementRef<'_>, title: &str) -> bool {
    let mut elements = scope.descendants().filter_map(ElementRef::wrap).take(NAMES);
    elements.any(|element| {
        let names = matches!(element.value().attr("itemprop"), Some("name" | "headline"));
        let is_own = || scope_of(element).is_some_and(|own| own.id() == scope.id());
        let text = || match element.value().attr("content") {
            Some(text) => text.trim().to_owned(),
            None => line_of(element, " "),
        };
        names && is_own() && Some(text()).is_some_and(|text| !text.is_empty() && title.contains(&text))
    })
}

/// Whether an item is an article, a page, or of no type.
fn is_article(scope: ElementRef<'_>) -> bool {
    let kind = kind(scope);
    let ends = ["Article", "Posting", "CreativeWork", "Blog"];
    kind.is_empty() || is_page(scope) || ends.iter().any(|end| kind.ends_with(end))
}

fn is_page(scope: ElementRef<'_>) -> bool {
    kind(scope).ends_with("Page")
}

/// The last part of an item's type.
fn kind(scope: ElementRef<'_>) -> &str {
    let kind = scope.value().attr("itemtype").unwrap_or_default();
    kind.rsplit(['/', '#']).next().unwrap_or_default()
}
