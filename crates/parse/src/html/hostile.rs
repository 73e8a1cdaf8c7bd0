//! Pages that were made to cost more than they are worth. What is asserted is counted, never timed.

use freshcontext_contract::limits::{
    HTML_ATTRIBUTES_PER_TAG, HTML_ATTRIBUTES_READ, HTML_DEPTH, HTML_FORMATTING, HTML_NODES, HTML_TREE_BYTES,
};

use super::*;

/// More nodes than one token makes, as when formatting is opened again.
const SPARE: usize = 512;
/// The elements that every page has around its content, and those that one token opens again.
const AROUND: usize = 4 + 2 * HTML_FORMATTING;

fn depth(document: &Document) -> usize {
    let depths = document.tree.nodes().map(|node| node.ancestors().count());
    depths.max().unwrap_or_default()
}

/// Asserts that a text becomes a bounded tree, as a page and as a fragment, and that anything missing is reported.
fn bounded(name: &str, text: &str, whole: bool) {
    for document in [document(text), fragment(text)] {
        let nodes = document.tree.nodes().len();
        assert!(nodes <= HTML_NODES + SPARE, "{name}: {nodes} nodes");
        assert!(nodes <= text.len() / 3 + 1_000 + SPARE, "{name}: {nodes} nodes");
        let depth = depth(&document);
        assert!(depth <= HTML_DEPTH + AROUND, "{name}: {depth} deep");
        for node in document.tree.nodes() {
            let attributes = node.value().as_element().map_or(0, |element| element.attrs.len());
            assert!(
                attributes <= HTML_ATTRIBUTES_PER_TAG,
                "{name}: {attributes} attributes"
            );
        }
        assert_eq!(document.cut().is_whole(), whole, "{name}: {:?}", document.cut());
        assert_eq!(document.cut().note("page").is_none(), whole, "{name}");
    }
}

fn numbered(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

#[test]
fn depth_is_bounded_whatever_hides_it() {
    for (name, tag) in [
        ("plain", "<div>"),
        ("an end tag in an attribute", "<div a='</div>'>"),
        ("an end tag in a comment", "<div><!--</div>-->"),
        ("upper case", "<DIV></x>"),
        ("own names", "<x-y>"),
        ("lists", "<ul><li>"),
        ("tables", "<table><tr><td>"),
        ("captions", "<table><caption>"),
        ("foreign", "<svg><g>"),
        ("formulas", "<math><mrow>"),
        ("foreign and back", "<svg><foreignObject><div>"),
        ("templates", "<template><div>"),
        ("annotations", "<ruby><rt>"),
        ("hidden", "<div hidden>"),
        ("links in drawings", "<svg><a>"),
    ] {
        bounded(name, &tag.repeat(5_000), false);
    }
}

#[test]
fn nodes_are_bounded() {
    for (name, text) in [
        ("paragraphs", "<p>".repeat(1_400_000)),
        ("paragraphs with text", "<p>x".repeat(2 << 20)),
        ("end tags that open", format!("<body>{}", "</p>".repeat(150_000))),
        ("comments", "<!---->".repeat(200_000)),
        ("comments of their own kind", "<?x?>".repeat(200_000)),
        ("items", "<li>".repeat(300_000)),
        ("tables beside each other", "<table>x".repeat(200_000)),
        ("scripts", "<script></script>".repeat(200_000)),
        ("end tags of nothing", "</x>".repeat(410_000)),
    ] {
        bounded(name, &text, false);
    }
}

#[test]
fn formatting_is_not_opened_again_without_end() {
    for (name, text) in [
        (
            "closed with the paragraph",
            numbered(4_000, |n| format!("<p><b a={n}></p>")),
        ),
        ("left open", numbered(4_000, |n| format!("<b a={n}>"))),
        (
            "left open with text",
            numbered(4_000, |n| format!("<font color={n}><p>t")),
        ),
        (
            "left in cells",
            numbered(4_000, |n| format!("<table><td><b a={n}><object></table>")),
        ),
        (
            "with many attributes",
            numbered(200, |n| {
                format!("<p><b {}></p>", numbered(60, |m| format!("a{n}-{m} ")))
            }),
        ),
        ("crossing", "<a><b><i></a><p></b>".repeat(20_000)),
        ("around blocks", "<b><div></b>".repeat(20_000)),
    ] {
        bounded(name, &text, false);
    }
}

#[test]
fn attributes_are_bounded() {
    let distinct = numbered(100_000, |n| format!("a{n} "));
    bounded("distinct", &format!("<p {distinct}>x"), false);
    bounded("again and again", &format!("<p {}>x", "a=1 ".repeat(100)), true);
    for (name, attribute) in [
        ("in double quotes", "a=\"1\" "),
        ("in single quotes", "a='1' "),
        ("close together", "a=\"1\""),
        ("without a value", "a "),
    ] {
        // On the stack that a thread has by default: the tokenizer calls itself.
        bounded(name, &format!("<p>x<p {}>y", attribute.repeat(100_000)), false);
        bounded(
            name,
            &format!("<p>x<p {}>y", attribute.repeat(HTML_ATTRIBUTES_READ)),
            true,
        );
    }
    bounded(
        "of the root",
        &numbered(4_000, |n| format!("<html a{n}><body b{n}>")),
        false,
    );
    bounded("of an end tag", &format!("<p>x</p {distinct}>"), false);
    let distinct = numbered(100, |n| format!("a{n} "));
    // What hides an element is seen behind any number of others.
    for hiding in ["hidden", "style=display:none", "aria-hidden=true"] {
        let text = to_text(&format!("<p {distinct} {hiding}>planted</p>seen"));
        assert_eq!(text, "seen", "{hiding}");
    }
}

#[test]
fn what_is_no_tag_costs_no_node() {
    for (name, text) in [
        ("openers", "<H".repeat(100_000)),
        ("ampersands", "&".repeat(300_000)),
        ("references", "&amp".repeat(100_000)),
        ("an open comment", "<!--".repeat(100_000)),
        ("an open section", "<![CDATA[".repeat(100_000)),
        ("an open instruction", "<?x ".repeat(100_000)),
        ("an open script", "<script>".repeat(100_000)),
        ("an open attribute", format!("<p a='{}", "<p>".repeat(100_000))),
    ] {
        bounded(name, &text, true);
        assert!(document(&text).tree.nodes().len() < 10, "{name}");
    }
}

#[test]
fn text_in_a_table_is_held_back_only_so_far() {
    let text = format!("<table>{}<tr><td>cell</table>after", "a ".repeat(1 << 20));
    bounded("words", &text, false);
    let read = to_text(&text);
    assert!(read.len() < 200_000 && read.contains("cell") && read.contains("after"));
    assert!(read.ends_with('…'));
}

#[test]
fn what_nests_too_deep_keeps_its_text_but_not_what_is_hidden() {
    let deep = |inner: &str| format!("{}{inner}{}end", "<div>".repeat(400), "</div>".repeat(400));
    assert_eq!(to_text(&deep("one<p>two")), "one two\nend");
    for hidden in [
        "<div hidden>planted</div>",
        "<p style='display:none'>planted</p>",
        "<script>planted('</div>')</script>",
        "<div hidden><div>planted</div>planted</div>",
        "<style>planted</style>",
    ] {
        assert_eq!(to_text(&deep(hidden)), "end…", "{hidden}");
    }
    // The end tags of what was left out close nothing else.
    let page = format!(
        "<main>{}x{}<p>still inside</main>",
        "<div>".repeat(400),
        "</div>".repeat(400)
    );
    let main = scraper::Selector::parse("main").unwrap();
    let document = document(&page);
    assert!(text_of(document.select(&main).next().unwrap()).ends_with("still inside"));
}

#[test]
fn a_cut_text_ends_with_an_ellipsis() {
    let text = to_text(&"<p>x".repeat(200_000));
    assert!(text.starts_with("x\n\nx") && text.ends_with("x…"));
    assert!(!to_text(&"<p>x".repeat(200)).contains('…'));
    let note = document(&"<p>x".repeat(200_000)).cut().note("page").unwrap();
    assert!(note.starts_with("only the first 100"), "{note}");
}

#[test]
fn trees_have_a_most_size() {
    assert_eq!(tree_bytes(8 << 20), HTML_TREE_BYTES);
    assert!(tree_bytes(64 << 10) < 9 << 20 && tree_bytes(usize::MAX) == HTML_TREE_BYTES);
}
