//! What stands around the content of a page, and the notes within it that look alike.

use scraper::ElementRef;

use crate::html::elements::classes;

/// Roles of what surrounds the content (<https://www.w3.org/TR/wai-aria-1.2/#landmark_roles>).
pub(super) const SIDE_ROLES: [&str; 5] = ["navigation", "complementary", "contentinfo", "search", "banner"];

/// Words in the class or id of a block beside the content.
const SIDE_WORDS: [&str; 40] = [
    "nav",
    "navbar",
    "navigation",
    "menu",
    "footer",
    "masthead",
    "topbar",
    "breadcrumb",
    "breadcrumbs",
    "pagination",
    "pager",
    "sidebar",
    "related",
    "recommended",
    "recommendations",
    "recirculation",
    "popular",
    "trending",
    "mostread",
    "latest",
    "widget",
    "widgets",
    "newsletter",
    "subscribe",
    "subscription",
    "share",
    "sharing",
    "social",
    "cookie",
    "cookies",
    "consent",
    "promo",
    "promos",
    "advert",
    "advertisement",
    "sponsored",
    "comments",
    "commentlist",
    "disqus",
    "teasers",
];

/// Two words in a row with the same meaning: `more-posts`, `read_next`.
const SIDE_PAIRS: [(&str, &str); 14] = [
    ("more", "posts"),
    ("more", "stories"),
    ("more", "articles"),
    ("more", "news"),
    ("more", "from"),
    ("other", "posts"),
    ("other", "articles"),
    ("other", "news"),
    ("recent", "posts"),
    ("recent", "articles"),
    ("read", "next"),
    ("read", "also"),
    ("site", "header"),
    ("up", "next"),
];

/// Classes of a note within the content: of Starlight, MDN, Asciidoctor and Sphinx.
const NOTE_WORDS: [&str; 10] = [
    "note",
    "notecard",
    "tip",
    "hint",
    "caution",
    "warning",
    "danger",
    "admonition",
    "callout",
    "admonitionblock",
];

/// Classes of a note where nothing else stands beside them: `post-info` is about the author.
const NOTES_ALONE: [&str; 2] = ["info", "important"];

/// Whether an `aside` is a note within the content: `<aside class="starlight-aside starlight-aside--caution">`.
pub(super) fn is_note(element: ElementRef<'_>) -> bool {
    let value = element.value();
    let is_marked = || {
        classes(element).any(|class| {
            let class = class.to_ascii_lowercase();
            NOTES_ALONE.contains(&class.as_str())
                || class.split(['-', '_']).any(|word| NOTE_WORDS.contains(&word))
        })
    };
    value.name() == "aside" && (value.attr("role") == Some("note") || is_marked())
}

/// Whether an element says by its role, class or id that it stands beside the content.
pub(super) fn is_beside(element: ElementRef<'_>) -> bool {
    let value = element.value();
    if matches!(
        value.name(),
        "body" | "html" | "main" | "article" | "p" | "h1" | "time"
    ) {
        return false;
    }
    if value.attr("role").is_some_and(|role| SIDE_ROLES.contains(&role)) {
        return true;
    }
    classes(element).chain(value.id()).any(|mark| {
        let lower = mark.to_ascii_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        // A page says of itself that it has a sidebar, or none: `has-sidebar`, `no-comments`.
        let about = words.iter().any(|word| {
            matches!(
                *word,
                "has" | "no" | "with" | "without" | "is" | "layout" | "open" | "closed"
            )
        });
        let pair = |pair: &[&str]| matches!(pair, [one, other] if SIDE_PAIRS.contains(&(*one, *other)));
        !about && (words.iter().any(|word| SIDE_WORDS.contains(word)) || words.windows(2).any(pair))
    })
}
