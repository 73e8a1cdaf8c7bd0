//! From a tree to readable text.

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{ElementRef, Node};

/// Elements whose text is never content.
pub(super) const SILENT: [&str; 14] = [
    "script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object", "select",
    "textarea", "canvas", "audio", "video",
];

/// Elements that begin and end a line.
pub(super) const BLOCKS: [&str; 37] = [
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
pub(super) const SPACED: [&str; 13] = [
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

/// Whether a tag begins or ends an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Begin,
    End,
}

/// The text of one element as it is walked: lines are not yet trimmed. `mark` goes before each heading; elements that
/// `leaves_out` names are skipped.
pub(super) fn text(element: ElementRef<'_>, mark: &str, leaves_out: impl Fn(NodeId) -> bool) -> String {
    marked(element, leaves_out, |out, tag, side| {
        let is_heading = matches!(tag.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        if is_heading && side == Side::Begin {
            out.push_str(mark);
        }
    })
}

/// As [`text`]. `at` may write where each element that is seen begins and ends.
pub(crate) fn marked(
    element: ElementRef<'_>,
    leaves_out: impl Fn(NodeId) -> bool,
    mut at: impl FnMut(&mut String, &Element, Side),
) -> String {
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
                        let unseen = SILENT.contains(&name) || hidden(|attribute| tag.attr(attribute));
                        if unseen || leaves_out(node.id()) {
                            skip = Some(node.id());
                            continue;
                        }
                        if name == "pre" {
                            preformatted += 1;
                        }
                        break_for(&mut out, name);
                        at(&mut out, tag, Side::Begin);
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
                    at(&mut out, tag, Side::End);
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
    out
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
pub(super) fn hidden<'t>(attribute: impl Fn(&str) -> Option<&'t str>) -> bool {
    if attribute("hidden").is_some() || attribute("aria-hidden").is_some_and(|value| value == "true") {
        return true;
    }
    attribute("style").is_some_and(|style| {
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
