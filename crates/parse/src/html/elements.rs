//! Elements of a page: those that a selector finds, their text and their classes.

use scraper::{ElementRef, Html, Selector};

use crate::text;

/// Elements that one selector looks at.
const ELEMENTS: usize = 500;
/// Maximum length of a name, a label or a date.
const SHORT_BYTES: usize = 4_000;

/// The text of an element on one line, its pieces set apart by `between`. Elements nest, and each may hold
/// the whole page: of a long text only the beginning is read.
pub fn line_of(element: ElementRef<'_>, between: &str) -> String {
    let mut out = String::new();
    for piece in element.text() {
        if !out.is_empty() {
            out.push_str(between);
        }
        out.push_str(piece);
        if out.len() > SHORT_BYTES {
            out.truncate(out.floor_char_boundary(SHORT_BYTES));
            break;
        }
    }
    text::one_line(&out)
}

/// The classes of an element, from its attribute: `scraper`'s own list keeps each name in a global table.
pub fn classes(element: ElementRef<'_>) -> impl Iterator<Item = &str> {
    element
        .value()
        .attr("class")
        .unwrap_or_default()
        .split_ascii_whitespace()
}

/// The first element that a selector finds.
pub fn first<'d>(document: &'d Html, css: &str) -> Option<ElementRef<'d>> {
    let selector = Selector::parse(css).ok()?;
    document.select(&selector).next()
}

/// The elements that a selector finds, up to a bound.
pub fn all<'d>(document: &'d Html, css: &str) -> Vec<ElementRef<'d>> {
    Selector::parse(css)
        .map(|selector| document.select(&selector).take(ELEMENTS).collect())
        .unwrap_or_default()
}
