//! HTML to readable text, without what a visitor would not see.
//!
//! The parser is html5ever through `scraper`; its tree is an arena, so depth costs no stack. The
//! walk is ours because the renderers at hand keep text that pages hide (`hidden`, `display:none`),
//! which is where instructions to machines are planted.

use std::borrow::Cow;
use std::collections::HashMap;

use ego_tree::iter::Edge;
use scraper::{ElementRef, Html, Node};

use crate::text::paragraphs;

/// Elements whose text is never content.
const SILENT: [&str; 14] = [
    "script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object", "select",
    "textarea", "canvas", "audio", "video",
];

/// Elements that begin and end a line.
const BLOCKS: [&str; 37] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "legend",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tr",
    "ul",
];

/// Elements set apart by a blank line.
const SPACED: [&str; 13] = [
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "pre",
    "blockquote",
    "table",
    "hr",
];

/// Tags left open at once. HTML's tree builder looks through the open elements for many a tag, so
/// its time grows with depth times tags; real pages stay far below this.
const OPEN_TAGS: usize = 400;
/// Longest single tag. The parser compares each attribute of a tag with all before it.
const TAG_BYTES: usize = 64 << 10;
/// Elements that others close for them, or that cannot hold anything: they add no depth.
const SHALLOW: [&str; 24] = [
    "p", "li", "br", "hr", "img", "input", "meta", "link", "td", "th", "tr", "tbody", "thead", "tfoot", "dd",
    "dt", "option", "wbr", "source", "col", "base", "area", "embed", "param",
];

/// Parses a whole page in time linear in its length.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the bounded door that the ban points to"
)]
pub fn document(html: &str) -> Html {
    Html::parse_document(&bounded(html))
}

/// Parses a fragment in time linear in its length.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the bounded door that the ban points to"
)]
pub fn fragment(html: &str) -> Html {
    Html::parse_fragment(&bounded(html))
}

/// Drops the tags that only an attack has: beyond [`OPEN_TAGS`] left open, or longer than [`TAG_BYTES`].
fn bounded(html: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(start) = html
        .get(at..)
        .and_then(|rest| rest.find('<'))
        .map(|found| at + found)
    {
        let Some(rest) = html.get(start + 1..) else { break };
        let closing = rest.starts_with('/');
        let name = rest.trim_start_matches('/');
        let name = name.get(
            ..name
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(name.len()),
        );
        let name = name
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
            .unwrap_or_default();
        at = start + 1;
        if name.is_empty() {
            continue;
        }
        let end = rest.find('>').map_or(html.len(), |found| start + 2 + found);
        let mut drop = end - start > TAG_BYTES;
        if closing {
            if let Some(count) = open.get_mut(name).filter(|count| **count > 0) {
                *count -= 1;
                depth -= 1;
            }
        } else if !SHALLOW.iter().any(|shallow| shallow.eq_ignore_ascii_case(name)) {
            drop |= depth >= OPEN_TAGS;
            if !drop {
                *open.entry(name).or_default() += 1;
                depth += 1;
            }
        }
        if drop {
            out.push_str(html.get(kept..start).unwrap_or_default());
            kept = end;
        }
        at = if drop { end } else { start + 1 + name.len() };
    }
    if kept == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(html.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// The readable text of a page or fragment. Plain text passes through with its entities decoded.
pub fn to_text(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return paragraphs(html);
    }
    let lower = html
        .get(..html.floor_char_boundary(2_000))
        .unwrap_or_default()
        .to_ascii_lowercase();
    let page = ["<html", "<head", "<body", "<!doctype"]
        .iter()
        .any(|tag| lower.contains(tag));
    text_of(if page { document(html) } else { fragment(html) }.root_element())
}

/// The text of a fragment on one line, for titles.
pub fn to_line(html: &str) -> String {
    crate::text::one_line(&to_text(html))
}

/// The readable text of one element, hidden parts left out.
pub fn text_of(element: ElementRef<'_>) -> String {
    let mut out = String::new();
    let mut preformatted = 0_usize;
    let mut skip = None;
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) => {
                if skip.is_some() {
                    continue;
                }
                match node.value() {
                    Node::Text(text) if preformatted > 0 => out.push_str(text),
                    Node::Text(text) => push_words(&mut out, text),
                    Node::Element(tag) => {
                        let name = tag.name();
                        if SILENT.contains(&name) || is_hidden(tag) {
                            skip = Some(node.id());
                            continue;
                        }
                        if name == "pre" {
                            preformatted += 1;
                        }
                        break_for(&mut out, name);
                        if name == "li" {
                            out.push_str("- ");
                        }
                    }
                    _ => {}
                }
            }
            Edge::Close(node) => {
                if let Some(hidden) = skip {
                    if hidden == node.id() {
                        skip = None;
                    }
                    continue;
                }
                if let Node::Element(tag) = node.value() {
                    let name = tag.name();
                    if name == "pre" {
                        preformatted = preformatted.saturating_sub(1);
                    }
                    if matches!(name, "td" | "th") {
                        out.push(' ');
                    }
                    if name != "br" {
                        break_for(&mut out, name);
                    }
                }
            }
        }
    }
    paragraphs(&out)
}

fn break_for(out: &mut String, name: &str) {
    let wanted = if SPACED.contains(&name) {
        "\n\n"
    } else if BLOCKS.contains(&name) {
        "\n"
    } else {
        return;
    };
    while !out.is_empty() && !out.ends_with(wanted) {
        out.push('\n');
    }
}

/// Collapses white space as a browser does, keeping one space at the seams.
fn push_words(out: &mut String, text: &str) {
    let mut gap = text.starts_with(char::is_whitespace);
    for word in text.split_whitespace() {
        if gap && !out.is_empty() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        out.push_str(word);
        gap = true;
    }
    if text.ends_with(char::is_whitespace) && !out.ends_with(char::is_whitespace) {
        out.push(' ');
    }
}

/// Hidden by attribute or inline style. Style sheets are not evaluated.
fn is_hidden(tag: &scraper::node::Element) -> bool {
    if tag.attr("hidden").is_some() || tag.attr("aria-hidden").is_some_and(|value| value == "true") {
        return true;
    }
    tag.attr("style").is_some_and(|style| {
        let style: String = style
            .chars()
            .filter(|c| !c.is_whitespace())
            .flat_map(char::to_lowercase)
            .take(2_000)
            .collect();
        [
            "display:none",
            "visibility:hidden",
            "opacity:0;",
            "font-size:0;",
            "font-size:0px",
        ]
        .iter()
        .any(|rule| style.contains(rule))
            || style.ends_with("opacity:0")
            || style.ends_with("font-size:0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_become_lines_and_entities_are_decoded_once() {
        assert_eq!(
            to_text("<p>One &amp; two<p>Three<br>four &#x27;x&#x27;"),
            "One & two\n\nThree\nfour 'x'"
        );
        assert_eq!(to_text("a &amp;amp; b"), "a &amp; b");
        assert_eq!(to_text("<ul><li>x</li><li>y <b>z</b></li></ul>"), "- x\n- y z");
        assert_eq!(to_line("A<br>\n B"), "A B");
        assert_eq!(to_text("no markup\n\n\nhere"), "no markup\n\nhere");
    }

    #[test]
    fn what_a_visitor_does_not_see_is_left_out() {
        let page = "<html><head><title>t</title><style>p{}</style></head><body><!-- note --><p>seen</p>\
            <script>var x = '<p>no</p>'</script><div hidden>planted</div><p style='display: NONE'>planted</p>\
            <span aria-hidden=true>icon</span><noscript>enable it</noscript></body></html>";
        assert_eq!(to_text(page), "seen");
    }

    #[test]
    fn preformatted_text_keeps_its_lines() {
        assert_eq!(
            to_text("<pre>let a = 1;\nlet b = 2;</pre>"),
            "let a = 1;\nlet b = 2;"
        );
    }

    #[test]
    fn depth_costs_neither_stack_nor_quadratic_time() {
        for tag in ["<div>", "<b id=a>", "<DIV></x>", "<table>", "<font a=1>"] {
            let deep = format!("{}x", tag.repeat(200_000));
            assert_eq!(to_text(&deep), "x", "{tag}");
        }
        let attributes = format!("<p {}>x</p>", "a=1 ".repeat(200_000));
        assert_eq!(to_text(&attributes), "x");
    }

    #[test]
    fn ordinary_pages_are_parsed_as_they_are() {
        let page = "<div><p>a<p>b<img></div>".repeat(1_000);
        assert!(matches!(bounded(&page), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn any_text_is_survived_and_markup_free_text_is_kept(text in "[a-z <>&;/\"'=]{0,200}") {
            let out = to_text(&text);
            prop_assert!(!out.contains("<script"));
        }
    }
}
