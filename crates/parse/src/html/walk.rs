//! From a tree to readable text.

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::time;

/// Elements whose text is never content.
pub(super) const SILENT: [&str; 15] = [
    "script",
    "style",
    "noscript",
    "template",
    "head",
    "svg",
    "annotation",
    "annotation-xml",
    "iframe",
    "object",
    "select",
    "textarea",
    "canvas",
    "audio",
    "video",
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

/// Elements that begin on the line of the item in which they stand.
const FIRST_OF_ITEM: [&str; 5] = ["article", "div", "header", "p", "section"];

/// Elements that style sheets set apart from the number before them: `<h2>1.2<small>2026-11-20</small></h2>`.
const APART: [&str; 4] = ["small", "span", "em", "time"];

/// Whether a tag begins or ends an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Begin,
    End,
}

/// Longest term of a list of terms that is marked as a heading, in bytes.
const TERM_BYTES: usize = 100;
/// Cells of a row that share a line: a version and its date.
const CELLS_OF_LINE: usize = 2;

/// The text of one element as it is walked: lines are not yet trimmed. Elements that `leaves_out` names are skipped.
pub(super) fn text(element: ElementRef<'_>, leaves_out: impl Fn(NodeId) -> bool) -> String {
    marked(element, leaves_out, |_, _, _| {})
}

/// As [`text`], with `## ` before each heading of any rank and each short term with a number, and with the rows of tables apart,
/// so that it reads like a Markdown file.
pub(super) fn outline(element: ElementRef<'_>, leaves_out: impl Fn(NodeId) -> bool) -> String {
    const MARK: &str = "## ";
    let mut term = None;
    let mut cells = 0_usize;
    marked(element, leaves_out, |out, tag, side| match (tag.name(), side) {
        ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", Side::Begin) => out.push_str(MARK),
        ("dt", Side::Begin) => term = Some(out.len()),
        ("dt", Side::End) => {
            let text = |at: &usize| out.get(*at..).unwrap_or_default();
            if let Some(at) = term.take().filter(|at| is_title(text(at))) {
                out.insert_str(at, MARK);
            }
        }
        ("tr", Side::Begin) => {
            cells = 0;
            out.push_str("\n\n");
        }
        ("td" | "th", Side::Begin) => {
            cells += 1;
            if cells > CELLS_OF_LINE {
                out.push('\n');
            }
        }
        _ => {}
    })
}

/// Whether a term of a list names what has a number, such as a version. One that begins with a year is a date, under which the
/// side lists of many pages name other pages.
fn is_title(term: &str) -> bool {
    let digits = term.trim_start().bytes().take_while(u8::is_ascii_digit).count();
    let is_short = term.len() <= TERM_BYTES && !term.contains(['\n', '#']);
    is_short && digits < 4 && term.contains(|c: char| c.is_ascii_digit())
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
                        if let Some(day) = ElementRef::wrap(node).and_then(time::day_of) {
                            push_words(&mut out, &format!(" {day} "));
                            skip = Some(node.id());
                            continue;
                        }
                        if name == "pre" {
                            preformatted += 1;
                        }
                        if APART.contains(&name)
                            && out.ends_with(|c: char| c.is_ascii_digit())
                            && begins_a_word(node)
                        {
                            out.push(' ');
                        }
                        // The first paragraph of an item stands behind its mark.
                        let begins_item = out.ends_with("\n- ") || out == "- ";
                        if !(begins_item && FIRST_OF_ITEM.contains(&name)) {
                            break_for(&mut out, name);
                        }
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
                    if matches!(name, "td" | "th") && !out.ends_with(char::is_whitespace) {
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

/// Whether the text of an element begins with a letter or a digit.
fn begins_a_word(node: NodeRef<'_, Node>) -> bool {
    let first = node.first_child().and_then(|child| child.value().as_text());
    first.is_some_and(|text| text.starts_with(char::is_alphanumeric))
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
