//! The prose of a page: what is left of its content without lists of links, cards, bylines and the headings over these. A failure
//! in the template of an ordinary page is told by its prose alone.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::ElementRef;

use super::furniture::{SIDE_ROLES, is_beside, is_note};
use super::{Main, visible};
use crate::date;
use crate::html::walk;
use crate::text::of_page;

/// Nodes of the content of a short page; of a page with more, no prose is told apart.
const NODES: usize = 5_000;
/// Links that are looked at.
const LINKS: usize = 300;
/// Shortest text of a link that names another page, in bytes without blanks, as an ideograph says as much as three letters: shorter
/// ones are buttons.
const TEASER_BYTES: usize = 16;
/// Pieces of a link's text that are counted.
const PIECES: usize = 20;
/// Most visible characters beside the link in an entry that leads to another page, such as its date.
const BESIDE_LINK: usize = 20;
/// Longest byline, path or line of buttons, in characters.
const LINE_CHARS: usize = 100;

impl Main<'_> {
    /// The prose of a short page, with its headline. Empty where it has none.
    pub fn prose(&self) -> String {
        if self.root.descendants().nth(NODES).is_some() {
            return String::new();
        }
        let mut left_out = HashSet::new();
        let furniture = self.elements().filter(|element| self.is_furniture(*element));
        left_out.extend(furniture.map(|element| element.id()));
        let links = self.elements().filter(|element| element.value().name() == "a");
        let cards = self
            .elements()
            .filter(|element| self.is_card_of_several(*element));
        let cards = cards.map(|card| card.id());
        let others: HashSet<NodeId> = links
            .take(LINKS)
            .filter_map(|link| self.block_of(link))
            .chain(cards)
            .collect();
        left_out.extend(others.iter().copied());
        // What stands below links and cards is said of these.
        let headline = self.headline.map(|headline| headline.id());
        let behind = self
            .elements()
            .skip_while(|element| headline.is_some_and(|headline| headline != element.id()));
        let below = behind.skip_while(|element| !others.contains(&element.id()));
        left_out.extend(below.map(|element| element.id()));
        // Lists of nothing else, then what stands above them.
        let lists: Vec<NodeId> = self
            .elements()
            .filter(|list| matches!(list.value().name(), "ul" | "ol" | "section" | "div"))
            .filter(|list| {
                let mut entries = list.children().filter_map(ElementRef::wrap).peekable();
                entries.peek().is_some() && entries.all(|entry| left_out.contains(&entry.id()))
            })
            .map(|list| list.id())
            .collect();
        left_out.extend(lists);
        let headings: Vec<NodeId> = self
            .elements()
            .filter(|heading| matches!(heading.value().name(), "h2" | "h3" | "h4" | "h5" | "h6"))
            .filter(|heading| {
                let next = heading.next_siblings().find_map(ElementRef::wrap);
                next.is_some_and(|next| left_out.contains(&next.id()))
            })
            .map(|heading| heading.id())
            .collect();
        left_out.extend(headings);
        let text = of_page(&walk::text(self.root, |id| left_out.contains(&id)));
        let lines: Vec<&str> = text.lines().filter(|line| !is_byline(line)).collect();
        lines.join("\n").trim().to_owned()
    }

    fn elements(&self) -> impl Iterator<Item = ElementRef<'_>> {
        self.root.descendants().skip(1).filter_map(ElementRef::wrap)
    }

    fn is_furniture(&self, element: ElementRef<'_>) -> bool {
        let value = element.value();
        let by_tag = matches!(value.name(), "nav" | "footer") || value.name() == "aside" && !is_note(element);
        let by_role = value.attr("role").is_some_and(|role| SIDE_ROLES.contains(&role));
        (by_tag || by_role || is_beside(element)) && !self.around_headline.contains(&element.id())
    }

    /// Whether an article stands beside others, so that it tells of another page.
    fn is_card_of_several(&self, element: ElementRef<'_>) -> bool {
        let is_article = |element: &ElementRef<'_>| element.value().name() == "article";
        if !is_article(&element) || self.around_headline.contains(&element.id()) {
            return false;
        }
        let mut beside = element
            .prev_siblings()
            .take(4)
            .chain(element.next_siblings().take(4));
        beside.any(|node| ElementRef::wrap(node).is_some_and(|node| is_article(&node)))
    }

    /// The block that holds hardly anything but this link to another page.
    fn block_of(&self, link: ElementRef<'_>) -> Option<NodeId> {
        let href = link.value().attr("href")?;
        let pieces = || link.text().take(PIECES);
        let chars: usize = pieces().map(visible).sum();
        let bytes: usize = pieces().flat_map(str::split_whitespace).map(str::len).sum();
        if href.trim_start().starts_with('#') || bytes < TEASER_BYTES {
            return None;
        }
        let blocks = link.ancestors().filter_map(ElementRef::wrap);
        let blocks = blocks.take_while(|block| block.id() != self.root.id());
        let of_link = |block: &ElementRef<'_>| {
            let room = match block.value().name() {
                "li" | "article" | "tr" | "dd" => BESIDE_LINK,
                _ => 0,
            };
            let most = chars + room;
            self.chars(*block, most + 1) <= most && !self.around_headline.contains(&block.id())
        };
        blocks.take_while(of_link).last().map(|block| block.id())
    }
}

/// Whether a line names an author, a day, a path or buttons, and says nothing: `By Ann · 12 May 2026 · 4 min read`.
fn is_byline(line: &str) -> bool {
    let line = line.trim();
    let is_sentence = line.ends_with(['.', '!', '?', '。', '！', '？', ':', '：']);
    let separators = [" · ", " | ", " › ", " » ", " / ", " • ", " > "];
    line.chars().nth(LINE_CHARS).is_none()
        && !is_sentence
        && (separators.iter().any(|separator| line.contains(separator)) || date::find(line).is_some())
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::html::document;

    #[test]
    fn prose_is_what_is_neither_a_link_nor_a_byline() {
        let teasers = "<ul><li><a href=/1>Council approves the new cycle lane</a></li><li><a href=/2>Bakery wins a national prize</a> \
            12 May</li></ul>";
        let cards = "<section><article><h3>Council approves</h3></article><article><h3>Bakery wins</h3></article></section>";
        for body in [
            format!(
                "<main><h1>Roadmap</h1><p>By Dana · 12 May 2026 · 4 min read</p><p>Sign in to read.</p>{teasers}</main>"
            ),
            format!("<main><h1>Roadmap</h1><p>Sign in to read.</p><h3>More from us</h3>{teasers}</main>"),
            format!("<main><article><h1>Roadmap</h1><p>Sign in to read.</p></article>{cards}</main>"),
            format!(
                "<main><p>Home › Blog › Roadmap</p><h1>Roadmap</h1><p>Sign in to read.</p><nav>{teasers}</nav></main>"
            ),
            format!("<main><h1>Roadmap</h1><p>Sign in to read.</p><div class=related>{teasers}</div></main>"),
        ] {
            let page = document(&format!("<!doctype html><title>Roadmap</title>{body}"));
            let main = Main::of(&page, &Url::parse("https://example.com/road").unwrap());
            let words: Vec<String> = main
                .prose()
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect();
            assert_eq!(words, ["Roadmap", "Sign in to read."], "{body}");
        }
    }

    /// A page whose content is a list of links says something of that list below it.
    #[test]
    fn what_stands_below_a_list_of_links_is_no_prose_of_the_page() {
        for list in [
            "<ul><li><a href=/1>Council of the northern towns</a></li></ul>",
            "<article><h3>Northern towns</h3></article><article><h3>Southern towns</h3></article>",
        ] {
            let body = format!("<main><h1>Members</h1>{list}<p>Log in to see all members.</p></main>");
            let page = document(&format!("<!doctype html><title>Members</title>{body}"));
            let main = Main::of(&page, &Url::parse("https://example.com/members").unwrap());
            assert_eq!(main.prose(), "Members", "{list}");
        }
    }

    #[test]
    fn links_in_sentences_and_notes_are_prose() {
        let body = "<main><h1>Roadmap</h1><p>We moved to <a href=/new>the new building at the quay</a> in May.</p>\
            <aside class=note>Bring a <a href=/m>map</a>.</aside><p><a href=/in>Sign in</a></p></main>";
        let page = document(&format!("<!doctype html><title>Roadmap</title>{body}"));
        let main = Main::of(&page, &Url::parse("https://example.com/road").unwrap());
        let prose = main.prose();
        for words in ["the new building at the quay in May.", "Bring a map.", "Sign in"] {
            assert!(prose.contains(words), "{prose}");
        }
    }
}
