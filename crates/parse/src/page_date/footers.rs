//! What footers say of a page's dates.
//!
//! The footer of an article is about that article
//! (<https://html.spec.whatwg.org/multipage/sections.html#the-footer-element>). That of the page tells when the page was last
//! changed, in Docusaurus, Sphinx and MediaWiki; what it calls published may be another page.

use freshcontext_contract::DateValue;
use scraper::{ElementRef, Html};

use super::labels::{self, Meaning};
use super::{LABELLED_CHARS, has_more_chars, is_of_another};
use crate::date;
use crate::html::{Main, all, line_of};

/// Footers, and the line that Material for MkDocs sets below a page
/// (<https://squidfunk.github.io/mkdocs-material/setup/adding-a-git-repository/#document-dates>).
const FOOTERS: &str = "footer, [role=contentinfo], .md-source-file";
/// Elements of all footers that are looked at.
const ELEMENTS: usize = 500;
/// Nodes of an element that is no more than a line.
const NODES: usize = 60;
/// Words of what else a site says to have updated in its footer.
const OTHER_DOCUMENTS: [&str; 10] = [
    "policy",
    "privacy",
    "terms",
    "cookie",
    "agreement",
    "datenschutz",
    "politique",
    "conditions",
    "privacidad",
    "informativa",
];

/// What footers say.
#[derive(Debug, Default)]
pub(super) struct Footers {
    pub(super) published: Option<DateValue>,
    pub(super) changed: Option<DateValue>,
}

/// Reads the footers of a page and of the article that holds its headline.
pub(super) fn read(document: &Html, main: &Main<'_>) -> Footers {
    let mut found = Footers::default();
    let footers = all(document, FOOTERS);
    let elements = footers.iter().flat_map(|footer| footer.descendants());
    for element in elements.filter_map(ElementRef::wrap).take(ELEMENTS) {
        if found.changed.is_some() && found.published.is_some() {
            break;
        }
        let is_large = element.descendants().nth(NODES).is_some() || has_more_chars(element, LABELLED_CHARS);
        if is_large || is_beside(element) || holds_another(element) {
            continue;
        }
        let line = line_of(element, " ");
        let lower = line.to_lowercase();
        if OTHER_DOCUMENTS.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let written = element.value().attr("datetime").and_then(date::machine);
        let classes = element.value().attr("class").unwrap_or_default().to_lowercase();
        let marked = written.is_some()
            && ["entry-date", "dt-published", "pubdate"]
                .iter()
                .any(|mark| classes.contains(mark));
        let is_changed = ["updated", "modified"].iter().any(|word| classes.contains(word));
        for (at, said) in labels::statements(&line).into_iter().enumerate() {
            let outside = || match at {
                0 => title_before(element).unwrap_or_else(|| labels::meaning(&labels::before(element))),
                _ => Meaning::Unknown,
            };
            let meaning = match said.meaning {
                Meaning::Unknown if marked && !is_changed => Meaning::Published,
                Meaning::Unknown => outside(),
                meaning => meaning,
            };
            let value = || {
                written
                    .clone()
                    .filter(|_| at == 0)
                    .unwrap_or(DateValue::Day(said.day))
            };
            match meaning {
                Meaning::Changed if is_of_the_article(element, main) != Some(false) => {
                    found.changed = found.changed.take().or_else(|| Some(value()));
                }
                Meaning::Published if is_of_the_article(element, main) == Some(true) => {
                    found.published = found.published.take().or_else(|| Some(value()));
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether an element of a footer is or stands in what tells of something else.
fn is_beside(element: ElementRef<'_>) -> bool {
    std::iter::once(element)
        .chain(element.ancestors().filter_map(ElementRef::wrap))
        .take_while(|above| above.value().name() != "footer")
        .any(tells_of_another)
}

/// Whether it is a link, a list of links, a quote, a comment or a block about other pages.
fn tells_of_another(element: ElementRef<'_>) -> bool {
    matches!(element.value().name(), "nav" | "blockquote" | "a") || is_of_another(element)
}

/// Whether it holds something of that kind; a link only where its text has a date.
fn holds_another(element: ElementRef<'_>) -> bool {
    let mut inside = element.descendants().skip(1).filter_map(ElementRef::wrap);
    inside.any(|inner| {
        let is_plain_link = inner.value().name() == "a" && date::find(&line_of(inner, " ")).is_none();
        tells_of_another(inner) && !is_plain_link
    })
}

/// Whether the innermost article around an element is that of the page's headline; `None` where it stands in none.
fn is_of_the_article(element: ElementRef<'_>, main: &Main<'_>) -> Option<bool> {
    let article = element
        .ancestors()
        .filter_map(ElementRef::wrap)
        .find(|above| above.value().name() == "article")?;
    let headline = main.headline();
    Some(headline.is_some_and(|headline| headline.ancestors().any(|above| above.id() == article.id())))
}

/// What the title of an icon before an element makes of its date.
fn title_before(element: ElementRef<'_>) -> Option<Meaning> {
    let icon = element.prev_siblings().find_map(ElementRef::wrap)?;
    icon.value().attr("title").map(labels::meaning)
}
