//! HTML to readable text, without what a visitor would not see.
//!
//! All of it goes through one door ([`document`], [`fragment`]), which reads any text in time linear in its
//! length into a tree of bounded size, and says what it left out. The walk is ours because the renderers
//! at hand keep text that pages hide (`hidden`, `display:none`), which is where instructions to machines
//! are planted. The tree is an arena, so depth costs no stack.

mod door;
mod elements;
mod main_content;
mod sink;
mod time;
pub(crate) mod walk;

use std::ops::Deref;

use ego_tree::iter::Edge;
use freshcontext_contract::limits::HTML_DEPTH;
use scraper::{ElementRef, Html, Selector};

use crate::text::{of_page, paragraphs};
pub use elements::{all, classes, first, line_of};
pub use main_content::{Main, same_page};

/// What a tree lacks of its text. The default: nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cut {
    /// The text was read up to a limit on nodes (elements, texts, comments); the rest is missing.
    pub stopped_after: Option<usize>,
    /// Content within the part that was read is missing: it stood too deep, or between the cells of a table.
    pub content: bool,
    /// Tags or attributes are missing; what stood in them was read as part of what is around them.
    pub markup: bool,
}

impl Cut {
    /// Whether nothing is missing.
    pub fn is_whole(self) -> bool {
        self == Self::default()
    }

    /// Whether text is missing, not only its structure.
    pub fn lacks_text(self) -> bool {
        self.stopped_after.is_some() || self.content
    }

    /// A remark for the reader about `what` (for example `page`), where something is missing.
    pub fn note(self, what: &str) -> Option<String> {
        if let Some(nodes) = self.stopped_after {
            Some(format!(
                "only the first {nodes} elements and texts of the {what} were read; the rest is missing"
            ))
        } else if self.content {
            Some(format!(
                "parts of the {what} nest deeper than {HTML_DEPTH} elements and were left out"
            ))
        } else if self.markup {
            Some(format!(
                "the {what} has more nested elements or attributes than are read; its text is whole, its structure is not"
            ))
        } else {
            None
        }
    }
}

/// A parsed page or fragment. It derefs to `scraper`'s tree for selectors.
#[derive(Debug)]
pub struct Document {
    html: Html,
    cut: Cut,
}

impl Deref for Document {
    type Target = Html;

    fn deref(&self) -> &Html {
        &self.html
    }
}

impl Document {
    /// What is missing.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// The elements that a selector matches and that stand in no other such element, in the order of the
    /// page. What reads each of them through stays linear, however they nest.
    pub fn outermost<'d>(&'d self, selector: &'d Selector) -> impl Iterator<Item = ElementRef<'d>> {
        let mut inside = None;
        self.html
            .tree
            .root()
            .traverse()
            .filter_map(move |edge| match edge {
                Edge::Open(node) if inside.is_none() => {
                    let element = ElementRef::wrap(node).filter(|element| selector.matches(element))?;
                    inside = Some(node.id());
                    Some(element)
                }
                Edge::Close(node) if inside == Some(node.id()) => {
                    inside = None;
                    None
                }
                _ => None,
            })
    }

    /// Its readable text, as [`text_of`] its root.
    pub fn text(&self) -> String {
        text_of(self.html.root_element())
    }

    /// As [`text`](Self::text), with `## ` before each heading of any rank, so that it reads like a
    /// Markdown file.
    pub fn outline(&self) -> String {
        paragraphs(&walk::outline(self.html.root_element(), |_| false))
    }
}

/// Parses a whole page.
pub fn document(html: &str) -> Document {
    let (html, cut) = door::parse(html, door::Kind::Page);
    Document { html, cut }
}

/// Parses a fragment, as if it stood in a page's body.
pub fn fragment(html: &str) -> Document {
    let (html, cut) = door::parse(html, door::Kind::Fragment);
    Document { html, cut }
}

/// The readable text of a page or fragment. Plain text passes through with its entities decoded. Ends
/// with an ellipsis where text is missing.
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
    let document = if page { document(html) } else { fragment(html) };
    let text = walk::text(document.root_element(), |_| false);
    let cut = document.cut();
    drop(document);
    let mut text = of_page(&text);
    if cut.lacks_text() {
        text.push('…');
    }
    text
}

/// The text of a fragment on one line, for titles.
pub fn to_line(html: &str) -> String {
    crate::text::one_line(&to_text(html))
}

/// The readable text of one element, hidden parts left out.
pub fn text_of(element: ElementRef<'_>) -> String {
    of_page(&walk::text(element, |_| false))
}

/// The most bytes that the tree of a text of `bytes` bytes takes, at most
/// [`HTML_TREE_BYTES`](freshcontext_contract::limits::HTML_TREE_BYTES). The text itself and what is made of
/// the tree are not counted. Whoever shares out memory reserves by this.
pub const fn tree_bytes(bytes: usize) -> usize {
    door::most_bytes(bytes)
}

/// Declares the selectors of a page, each a constant that parses: a struct of them, and `new` that makes it.
#[macro_export]
macro_rules! selectors {
    ($(#[$about:meta])* struct $name:ident { $($(#[$what:meta])* $part:ident: $css:expr,)+ }) => {
        $(#[$about])*
        struct $name { $($(#[$what])* $part: $crate::scraper::Selector,)+ }

        impl $name {
            fn new() -> Result<Self, freshcontext_contract::SourceError> {
                let of = |css| {
                    $crate::scraper::Selector::parse(css).map_err(|_| {
                        freshcontext_contract::SourceError::internal("a built-in selector does not parse")
                    })
                };
                Ok(Self { $($part: of($css)?,)+ })
            }
        }
    };
}

#[cfg(test)]
mod hostile;

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
        assert_eq!(
            to_text("<ul><li><p>x</p><p>y</p></li><li><div>z</div></li><li></li></ul>a"),
            "- x\n\ny\n\n- z\n-\n\na"
        );
        assert_eq!(to_line("A<br>\n B"), "A B");
        assert_eq!(to_line("<h2>1.2<small>2026-11-20</small></h2>"), "1.2 2026-11-20");
        assert_eq!(
            to_line("v<span>1</span><span>.2</span> of 1<sup>st</sup> <span>H</span>igh"),
            "v1.2 of 1st High"
        );
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
    fn a_time_without_a_whole_date_shows_its_day() {
        for (shown, day) in [
            ("2 days ago", "2026-11-20"),
            ("<span>Nov</span> 20", "2026-11-20"),
            ("", "2026-11-20"),
            ("03/04/2026", "2026-11-20"),
            ("November 19, 2026", "November 19, 2026"),
            ("November 2026", "November 2026"),
            ("10:30", "10:30"),
        ] {
            for datetime in ["2026-11-20", "2026-11-20T23:00:00Z"] {
                let html = format!("v1.2<time datetime='{datetime}'>{shown}</time>by Ann");
                let text = to_text(&html);
                let words = text
                    .strip_prefix("v1.2")
                    .and_then(|text| text.strip_suffix("by Ann"));
                assert_eq!(words.map(str::trim), Some(day), "{html}: {text}");
            }
        }
        for datetime in ["2026-11", "P2D", "2026-13-01", "0001-01-01", "2026-11-201", ""] {
            assert_eq!(
                to_text(&format!("<time datetime='{datetime}'>2 days ago</time>")),
                "2 days ago"
            );
        }
    }

    #[test]
    fn an_outline_marks_its_headings() {
        let page = document(
            "<title>t</title><H1>One</H1><p>a<h2>\n <a>Two</a></h2><h3 hidden>x</h3><!--<h1>--><h7>b",
        );
        assert_eq!(page.outline(), "## One\n\na\n\n## Two\n\nb");
        assert_eq!(page.text(), "One\n\na\n\nTwo\n\nb");
        let terms = document(
            "<dl><dt>1.2 (May)</dt><dd>a</dd><dt>2026/11/20</dt><dd>b</dd><dt>Name</dt><dd>c</dd></dl>",
        );
        assert_eq!(terms.outline(), "## 1.2 (May)\na\n2026/11/20\nb\nName\nc");
    }

    #[test]
    fn elements_within_their_like_are_not_outermost() {
        let page = document("<i id=1><i id=2></i></i><b><i id=3></i></b>");
        let selector = Selector::parse("i").unwrap();
        let ids: Vec<_> = page
            .outermost(&selector)
            .filter_map(|found| found.attr("id"))
            .collect();
        assert_eq!(ids, ["1", "3"]);
    }

    #[test]
    fn preformatted_text_keeps_its_lines() {
        assert_eq!(
            to_text("<p>On:</p><pre>on:\n  push:\n\tx</pre> <p> then"),
            "On:\n\non:\n  push:\n\tx\n\nthen"
        );
        assert_eq!(
            to_text(
                "a <math><semantics><mi>E</mi><mo>=</mo><mn>2</mn><annotation>E=2</annotation></semantics></math>"
            ),
            "a E=2"
        );
        assert_eq!(
            to_text("<pre>let a = 1;\nlet b = 2;</pre>"),
            "let a = 1;\nlet b = 2;"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_survived_and_markup_free_text_is_kept(text in "[a-z <>&;/\"'=]{0,200}") {
            let out = to_text(&text);
            prop_assert!(!out.contains("<script"));
        }
    }
}
