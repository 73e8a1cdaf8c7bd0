//! What of a page is its own text: not its furniture, and not the side blocks that lead to other pages.
//!
//! The tree is not copied: a reader of articles that rewrites the page (Mozilla's Readability, in Rust
//! `dom_smoothie`) builds a tree of its own past the bounded door, and clones it for each of up to four attempts.

mod furniture;
mod prose;

use std::collections::HashSet;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Html, Node};
use url::Url;

use self::furniture::{is_beside, is_note};
use super::elements::{all, first};
use super::walk::{self, SILENT, hidden};
use crate::link;
use crate::text::{of_page, paragraphs};

/// A `main` element with fewer characters is taken for the content only where the page has hardly any other.
const MAIN_CHARS: usize = 200;
/// Blocks of one page that are looked at as furniture.
const BLOCKS: usize = 5_000;
/// A block with more characters is no card about another page.
const CARD_CHARS: usize = 1_000;
/// A block of more nodes is no card either.
const CARD_NODES: usize = 100;
/// Inline elements around a link that are looked through for the block that it stands in.
const INLINE_DEPTH: usize = 3;
/// A list entry with more characters is no link to another page.
const ENTRY_CHARS: usize = 300;
/// Steps through a tree for each character that is looked for.
const STEPS: usize = 16;
/// Shortest text of a link that names another page.
const LINK_CHARS: usize = 8;

/// The part of a page that holds its own text.
#[derive(Debug)]
pub struct Main<'d> {
    root: ElementRef<'d>,
    headline: Option<ElementRef<'d>>,
    /// Blocks that are not the page's own text.
    aside: HashSet<NodeId>,
    /// The headline and what it stands in.
    around_headline: HashSet<NodeId>,
    /// Headings that lead to other pages, and what they stand in.
    around_others: HashSet<NodeId>,
    /// Names of entries about other pages: headings, and links that name a version.
    entries: HashSet<NodeId>,
}

impl<'d> Main<'d> {
    /// Finds the content of the page at `address`.
    pub fn of(document: &'d Html, address: &Url) -> Self {
        let body = first(document, "body").unwrap_or_else(|| document.root_element());
        let (page, in_page) = survey(body, true);
        let (root, aside) = match chosen(document, page) {
            Some(root) => (root, survey(root, false).1),
            None => (body, in_page),
        };
        let outside = |element: ElementRef<'_>| element.ancestors().any(|node| aside.contains(&node.id()));
        let within = |element: ElementRef<'_>| element.ancestors().any(|node| node.id() == root.id());
        let headings = |css| {
            all(document, css)
                .into_iter()
                .filter(|heading| !outside(*heading))
        };
        let headline = headings("h1")
            .find(|heading| within(*heading))
            .or_else(|| headings("h1").next())
            .or_else(|| headings("h2").find(|heading| within(*heading)));
        let mut main = Self {
            root,
            headline,
            aside,
            around_headline: HashSet::new(),
            around_others: HashSet::new(),
            entries: HashSet::new(),
        };
        if let Some(headline) = headline {
            mark(headline, &mut main.around_headline);
            main.narrow(body, page);
        }
        for heading in all(document, "h1, h2, h3, h4, h5, h6") {
            if Some(heading.id()) == headline.map(|headline| headline.id()) {
                continue;
            }
            if leads_away(heading, address) {
                mark(heading, &mut main.around_others);
                main.entries.insert(heading.id());
            } else if main.is_card(heading, address) {
                main.entries.insert(heading.id());
            }
        }
        for link in all(document, "a[href]") {
            if names_version(link) && leads_to_another(link, address) && begins_a_block(link) {
                main.entries.insert(link.id());
            }
        }
        main
    }

    /// Where nothing marks the content: the smallest element that holds the headline and half of the page's text.
    fn narrow(&mut self, body: ElementRef<'d>, page: usize) {
        let Some(headline) = self.headline.filter(|_| self.root.id() == body.id()) else {
            return;
        };
        let holders = headline.ancestors().filter_map(ElementRef::wrap);
        let mut inner = holders.take_while(|holder| holder.id() != body.id());
        if let Some(holder) = inner.find(|holder| self.chars(*holder, page) * 2 > page) {
            self.root = holder;
        }
    }

    /// The headline: the first `h1` of the content, else of the page, else the first `h2` of the content.
    pub fn headline(&self) -> Option<ElementRef<'d>> {
        self.headline
    }

    /// The element that holds the content.
    pub fn root(&self) -> ElementRef<'d> {
        self.root
    }

    /// Its readable text, without furniture and side blocks.
    pub fn text(&self) -> String {
        of_page(&walk::text(self.root, |id| self.aside.contains(&id)))
    }

    /// As [`text`](Self::text), with `## ` before each heading of any rank.
    pub fn outline(&self) -> String {
        paragraphs(&walk::outline(self.root, |id| self.aside.contains(&id)))
    }

    /// As [`outline`](Self::outline), without the names of entries that lead to other pages.
    pub fn own_outline(&self) -> String {
        let left_out = |id| self.aside.contains(&id) || self.entries.contains(&id);
        paragraphs(&walk::outline(self.root, left_out))
    }

    /// Whether a heading without a link stands in a card about another page: a small block of its own with a link that
    /// is a line by itself, such as "Read more".
    fn is_card(&self, heading: ElementRef<'_>, address: &Url) -> bool {
        let Some(card) = heading.parent().and_then(ElementRef::wrap) else {
            return false;
        };
        if card.id() == self.root.id() || self.around_headline.contains(&card.id()) {
            return false;
        }
        // Counted first: a parent of many headings is looked through for each of them.
        let (mut headings, mut nodes) = (0, 0);
        for node in card.descendants().take(CARD_NODES) {
            nodes += 1;
            let name = ElementRef::wrap(node).map(|element| element.value().name());
            headings += usize::from(matches!(name, Some("h1" | "h2" | "h3" | "h4" | "h5" | "h6")));
        }
        if headings != 1 || nodes == CARD_NODES || self.chars(card, CARD_CHARS) >= CARD_CHARS {
            return false;
        }
        let mut links = card
            .descendants()
            .filter_map(ElementRef::wrap)
            .filter(|element| element.value().name() == "a");
        links.any(|link| leads_to_another(link, address) && is_a_line(link))
    }

    /// Whether an element stands in a side block or in a card about another page, so that it says nothing of this one.
    pub fn is_of_another(&self, element: ElementRef<'_>) -> bool {
        let ancestors = || std::iter::once(*element).chain(element.ancestors());
        if ancestors().any(|node| self.aside.contains(&node.id())) {
            return true;
        }
        // Elements nest: of those that lead elsewhere only the smallest can be a card.
        let (mut card, mut entry) = (None, None);
        for ancestor in ancestors().filter_map(ElementRef::wrap) {
            let name = ancestor.value().name();
            if self.around_headline.contains(&ancestor.id()) || matches!(name, "body" | "html") {
                break;
            }
            if self.around_others.contains(&ancestor.id()) {
                card = card.or(Some(ancestor));
            }
            if name == "li" {
                entry = entry.or(Some(ancestor));
            }
        }
        card.is_some_and(|card| self.chars(card, CARD_CHARS) < CARD_CHARS)
            || entry.is_some_and(|entry| self.names_another(entry, element))
    }

    /// Whether an element belongs to the content or to the block of its headline.
    pub fn holds(&self, element: ElementRef<'_>) -> bool {
        if self.is_of_another(element) {
            return false;
        }
        let mut ancestors = std::iter::once(*element)
            .chain(element.ancestors())
            .map(|node| node.id());
        let shared = |id: &NodeId| *id == self.root.id() || self.around_headline.contains(id);
        let Some(near) = ancestors.find(shared) else {
            return false;
        };
        // What holds the whole content holds the rest of the page, too.
        near == self.root.id() || !self.root.ancestors().any(|node| node.id() == near)
    }

    /// Whether a list entry is a link to something else, with a date beside it.
    fn names_another(&self, entry: ElementRef<'_>, date: ElementRef<'_>) -> bool {
        let links = entry.descendants().filter_map(ElementRef::wrap).take(50);
        self.chars(entry, ENTRY_CHARS) < ENTRY_CHARS
            && links
                .filter(|link| link.value().name() == "a" && link.value().attr("href").is_some())
                .any(|link| {
                    let holds_it = date.ancestors().any(|node| node.id() == link.id());
                    let is_author = link.value().attr("rel") == Some("author");
                    !holds_it && !is_author && self.chars(link, LINK_CHARS) >= LINK_CHARS
                })
    }

    /// Visible characters of an element, counted up to `most`.
    fn chars(&self, element: ElementRef<'_>, most: usize) -> usize {
        let mut count = 0;
        let mut skip = None;
        for edge in element.traverse().take(most.saturating_mul(STEPS)) {
            match edge {
                Edge::Open(node) if skip.is_none() => match node.value() {
                    Node::Text(text) => count += visible(text),
                    Node::Element(tag) if SILENT.contains(&tag.name()) || self.aside.contains(&node.id()) => {
                        skip = Some(node.id());
                    }
                    _ => {}
                },
                Edge::Close(node) if skip == Some(node.id()) => skip = None,
                _ => {}
            }
            if count >= most {
                break;
            }
        }
        count
    }
}

fn visible(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

fn mark(element: ElementRef<'_>, marked: &mut HashSet<NodeId>) {
    for node in std::iter::once(*element).chain(element.ancestors()) {
        if !marked.insert(node.id()) {
            break;
        }
    }
}

/// Whether a heading is or holds a link to another page.
fn leads_away(heading: ElementRef<'_>, address: &Url) -> bool {
    let inside = heading.descendants().filter_map(ElementRef::wrap).take(20);
    let around = heading.ancestors().filter_map(ElementRef::wrap).take(3);
    inside
        .chain(around)
        .filter(|element| element.value().name() == "a")
        .filter_map(|link| link.value().attr("href"))
        .filter(|href| !href.trim_start().starts_with('#'))
        .filter_map(|href| link::absolute(address, href))
        .any(|target| !same_page(&target, address))
}

/// Whether a link leads to another page.
fn leads_to_another(link: ElementRef<'_>, address: &Url) -> bool {
    let href = link.value().attr("href").map(str::trim_start);
    href.filter(|href| !href.starts_with('#'))
        .and_then(|href| link::absolute(address, href))
        .is_some_and(|target| !same_page(&target, address))
}

/// Whether a node shows nothing before or behind another: a blank or a comment.
fn is_blank(node: NodeRef<'_, Node>) -> bool {
    match node.value() {
        Node::Text(text) => text.trim().is_empty(),
        Node::Element(_) => false,
        _ => true,
    }
}

/// The block that an element stands in, and whether text within it stands before the element and behind it.
fn within_block(element: ElementRef<'_>) -> (bool, bool) {
    let (mut before, mut behind) = (false, false);
    let mut inner = *element;
    for _ in 0..INLINE_DEPTH {
        before |= inner.prev_siblings().any(|node| !is_blank(node));
        behind |= inner.next_siblings().any(|node| !is_blank(node));
        let Some(outer) = inner.parent().and_then(ElementRef::wrap) else {
            break;
        };
        if walk::BLOCKS.contains(&outer.value().name()) {
            break;
        }
        inner = *outer;
    }
    (before, behind)
}

/// Whether the text of a link begins as a version does. Other links begin the notes of a release as well.
fn names_version(link: ElementRef<'_>) -> bool {
    let Some(text) = link.text().map(str::trim_start).find(|text| !text.is_empty()) else {
        return false;
    };
    let word = text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let number = word.strip_prefix('v').unwrap_or(&word);
    number.starts_with(|c: char| c.is_ascii_digit()) || matches!(word.as_str(), "version" | "release")
}

/// Whether a block begins with this element.
fn begins_a_block(element: ElementRef<'_>) -> bool {
    !within_block(element).0
}

/// Whether a block holds nothing but this element.
fn is_a_line(element: ElementRef<'_>) -> bool {
    // A link straight in a card stands beside blocks, which end their lines.
    let is_block = |node: Option<NodeRef<'_, Node>>| {
        node.is_none_or(|node| {
            ElementRef::wrap(node).is_some_and(|element| walk::BLOCKS.contains(&element.value().name()))
        })
    };
    let mut before = element.prev_siblings().filter(|node| !is_blank(*node));
    let mut behind = element.next_siblings().filter(|node| !is_blank(*node));
    within_block(element) == (false, false) || is_block(before.next()) && is_block(behind.next())
}

/// Whether two addresses are one page: host without `www.`, and path; queries and fragments do not count.
pub fn same_page(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    let path = |url: &Url| url.path().trim_end_matches('/').to_ascii_lowercase();
    host(one) == host(other) && path(one) == path(other)
}

/// The element that the page marks as its content, where it holds most of it.
fn chosen(document: &Html, page: usize) -> Option<ElementRef<'_>> {
    let enough = |element: &ElementRef<'_>| {
        let (chars, _) = survey(*element, false);
        chars >= MAIN_CHARS || chars * 2 > page
    };
    if let Some(main) = all(document, "main, [role=main]").into_iter().find(enough) {
        return Some(main);
    }
    let articles = all(document, "article");
    let outer = |article: &&ElementRef<'_>| {
        let mut above = article.ancestors().filter_map(ElementRef::wrap);
        !above.any(|above| above.value().name() == "article")
    };
    let mut outer = articles.iter().filter(outer);
    let first = outer.next()?;
    let only = outer.next().is_none();
    // One among several is the page's own where it alone bears the page's headline.
    let own = || {
        let headline = all(document, "article h1");
        let [headline] = headline.as_slice() else {
            return None;
        };
        let holders = headline.ancestors().filter_map(ElementRef::wrap);
        holders.filter(|holder| holder.value().name() == "article").last()
    };
    let found = if only { Some(*first) } else { own() };
    found.filter(enough)
}

/// Counts the visible characters of an element without its furniture, and lists that. A block that holds half of the
/// text or the first headline is none, whatever it is called. `whole` is for a page, whose header counts, too.
fn survey(root: ElementRef<'_>, whole: bool) -> (usize, HashSet<NodeId>) {
    struct Open {
        id: NodeId,
        before: usize,
        headlines: usize,
        by_tag: bool,
    }
    let mut chars = 0;
    let mut headlines = 0;
    let mut open: Vec<Open> = Vec::new();
    let mut blocks: Vec<(NodeId, usize)> = Vec::new();
    let mut skip = None;
    for edge in root.traverse() {
        match edge {
            Edge::Open(node) if skip.is_none() => match node.value() {
                Node::Text(text) => chars += visible(text),
                Node::Element(tag) => {
                    let name = tag.name();
                    if SILENT.contains(&name) || hidden(|attribute| tag.attr(attribute)) {
                        skip = Some(node.id());
                        continue;
                    }
                    headlines += usize::from(name == "h1");
                    let by_tag = matches!(name, "nav" | "aside" | "footer")
                        && !ElementRef::wrap(node).is_some_and(is_note);
                    let side =
                        by_tag || whole && name == "header" || ElementRef::wrap(node).is_some_and(is_beside);
                    if side && node.id() != root.id() && blocks.len() < BLOCKS {
                        open.push(Open {
                            id: node.id(),
                            before: chars,
                            headlines,
                            by_tag,
                        });
                    }
                }
                _ => {}
            },
            Edge::Close(node) if skip == Some(node.id()) => skip = None,
            Edge::Close(node) if open.last().is_some_and(|block| block.id == node.id()) => {
                if let Some(block) = open.pop()
                    && (block.by_tag || block.headlines == headlines)
                {
                    blocks.push((block.id, chars - block.before));
                }
            }
            _ => {}
        }
    }
    let aside: HashSet<NodeId> = blocks
        .iter()
        .filter(|(_, size)| size * 2 <= chars)
        .map(|(id, _)| *id)
        .collect();
    (chars, aside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::document;

    const PROSE: &str = "<p>The harbour was dredged in spring, and ships of any size may enter it again. \
        The pilots ask for a day's notice, since two of their boats are still in the yard.</p>";

    fn text(page: &str) -> String {
        let document = document(page);
        let address = Url::parse("https://example.org/a").unwrap();
        Main::of(&document, &address).text()
    }

    #[test]
    fn furniture_and_side_blocks_are_left_out() {
        let prose = PROSE.repeat(3);
        for page in [
            format!("<nav>Menu</nav><main><h1>Head</h1>{prose}</main><section><h2>Beside</h2></section>"),
            format!("<header>Menu</header><div><h1>Head</h1>{prose}</div><div><h2>Beside</h2></div>"),
            format!("<article><h1>Head</h1>{prose}</article><article><h2>Beside</h2></article>"),
            format!("<h1>Head</h1>{prose}<div class='more-posts'><h2>Beside</h2></div><footer>Menu</footer>"),
            format!("<main><h1>Head</h1>{prose}<aside>Beside</aside><div id=related>Beside</div></main>"),
        ] {
            let text = text(&page);
            assert!(text.starts_with("Head"), "{page}: {text}");
            assert!(
                text.contains("harbour") && !text.contains("Beside") && !text.contains("Menu"),
                "{page}: {text}"
            );
        }
    }

    #[test]
    fn what_holds_the_content_is_no_side_block_whatever_it_is_called() {
        let prose = PROSE.repeat(3);
        for page in [
            format!("<body class='has-sidebar'><div class='widget'><h1>Head</h1>{prose}</div>"),
            format!("<div class='latest'>{prose}</div><nav>Menu</nav>"),
            "<main><p>We moved.</p></main>".to_owned(),
            "<p>We moved.</p>".to_owned(),
        ] {
            let text = text(&page);
            assert!(
                text.contains("harbour") || text.contains("We moved."),
                "{page}: {text}"
            );
        }
    }

    #[test]
    fn a_date_in_a_card_is_of_another_page() {
        let prose = PROSE.repeat(3);
        let page = format!(
            "<div><div><h1>Head</h1><time id=own></time></div>{prose}</div>\
             <div><div><h2><a href='/other'>Other</a></h2><time id=card></time></div></div>\
             <ul><li><a href='/next'>The next page</a> <time id=entry></time></li></ul>\
             <p><time id=loose></time></p>"
        );
        let document = document(&page);
        let main = Main::of(&document, &Url::parse("https://example.org/a").unwrap());
        let element = |css| first(&document, css).unwrap();
        assert!(main.holds(element("#own")) && !main.is_of_another(element("#own")));
        for css in ["#card", "#entry"] {
            assert!(main.is_of_another(element(css)), "{css}");
        }
        assert!(!main.holds(element("#loose")));
    }

    #[test]
    fn one_page_has_many_addresses() {
        let url = |text| Url::parse(text).unwrap();
        assert!(same_page(
            &url("https://www.example.org/A/?x=1#y"),
            &url("http://example.org/a")
        ));
        assert!(!same_page(
            &url("https://example.org/a"),
            &url("https://example.org/b")
        ));
    }
}
