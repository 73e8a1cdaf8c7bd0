//! A text that keeps the addresses of its links, so that a part of it can be read with the words of a link or with its
//! address.

use std::collections::HashSet;

use ego_tree::NodeId;

use crate::html::walk::{Side, marked};
use crate::html::{Document, all, fragment};
use crate::text::paragraphs;

/// Where the words of a link begin and end, and where the number of its address ends: characters without a meaning of their
/// own, which are taken out of the text before.
const BEGIN: char = '\u{e000}';
const NUMBER: char = '\u{e001}';
const END: char = '\u{e002}';
/// Links whose addresses are kept.
const LINKS: usize = 1_000;

/// A readable text with its links.
#[derive(Debug, Default)]
pub struct Linked {
    text: String,
    addresses: Vec<String>,
}

impl Linked {
    /// Reads a document. Preformatted blocks are left out: what stands there is shown, not said.
    pub fn of(document: &Document) -> Self {
        let mut addresses = Vec::new();
        let mut open = 0_usize;
        let blocks: HashSet<NodeId> = all(document, "pre").iter().map(|block| block.id()).collect();
        let leaves_out = |id| blocks.contains(&id);
        let text = marked(document.root_element(), leaves_out, |out, tag, side| {
            if tag.name() != "a" {
                return;
            }
            match side {
                Side::Begin if open == 0 && addresses.len() < LINKS => {
                    addresses.push(tag.attr("href").unwrap_or_default().trim().to_owned());
                    out.push(BEGIN);
                    open = 1;
                }
                Side::Begin => open += usize::from(open > 0),
                Side::End if open == 1 => {
                    out.push(NUMBER);
                    out.push_str(&(addresses.len() - 1).to_string());
                    out.push(END);
                    open = 0;
                }
                Side::End => open = open.saturating_sub(1),
            }
        });
        Self {
            text: paragraphs(&text),
            addresses,
        }
    }

    /// Reads Markdown, which may hold HTML.
    pub fn of_markdown(source: &str) -> Self {
        let source = source.replace([BEGIN, NUMBER, END], "");
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&source));
        Self::of(&fragment(&html))
    }

    /// Takes a text without links.
    pub fn plain(text: &str) -> Self {
        Self {
            text: text.replace([BEGIN, NUMBER, END], ""),
            addresses: Vec::new(),
        }
    }

    /// The text with its marks; a part of it is for [`words`](Self::words) and [`addressed`](Self::addressed).
    pub fn marked(&self) -> &str {
        &self.text
    }

    /// A part of the text with the words of its links.
    pub fn words(&self, part: &str) -> String {
        self.read(part, |words, _| words.to_owned())
    }

    /// A part of the text with the web addresses of its links in place of their words.
    pub fn addressed(&self, part: &str) -> String {
        self.read(part, |words, address| {
            let is_web = address.starts_with("https://") || address.starts_with("http://");
            if is_web { address } else { words }.to_owned()
        })
    }

    fn read(&self, part: &str, show: impl Fn(&str, &str) -> String) -> String {
        let mut out = String::with_capacity(part.len());
        let mut rest = part;
        while let Some((before, behind)) = rest.split_once(BEGIN) {
            out.push_str(before);
            // A part may end within a link.
            let (words, behind) = behind.split_once(NUMBER).unwrap_or((behind, ""));
            let (number, behind) = behind.split_once(END).unwrap_or(("", behind));
            let address = number
                .parse()
                .ok()
                .and_then(|number: usize| self.addresses.get(number));
            out.push_str(&show(words, address.map_or("", String::as_str)));
            rest = behind;
        }
        // Nor does it have to begin before one.
        let ends = rest.split_once(NUMBER).and_then(|(words, behind)| {
            let (_, behind) = behind.split_once(END)?;
            Some((words, behind))
        });
        match ends {
            Some((words, behind)) => out.extend([words, behind]),
            None => out.push_str(rest),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_with_words_or_with_addresses() {
        let linked = Linked::of_markdown(
            "# [![badge](https://example.com/b.svg)](https://example.com/ci)\n\nMoved to the [new *home*](https://example.com/new),\n\
             see <a href='https://example.com/why'>why</a> and [the notes](notes.md).",
        );
        let line = linked.marked().lines().last().unwrap();
        assert_eq!(
            linked.words(line),
            "Moved to the new home, see why and the notes."
        );
        assert_eq!(
            linked.addressed(line),
            "Moved to the https://example.com/new, see https://example.com/why and the notes."
        );
    }

    #[test]
    fn marks_of_the_text_itself_mean_nothing() {
        let linked = Linked::of_markdown("a \u{e000}b\u{e001}0\u{e002} [c](https://example.com/)");
        assert_eq!(linked.words(linked.marked()), "a b0 c");
        for part in [
            "\u{e000}a",
            "a\u{e001}7",
            "\u{e000}a\u{e001}7\u{e002}b",
            "a\u{e001}0\u{e002} b",
        ] {
            let _ = linked.addressed(part);
        }
    }
}
