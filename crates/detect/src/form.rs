//! Format of a text, by its beginning.

use crate::text::begins;

/// Formats with different readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// An HTML page or fragment.
    Html,
    /// Other markup.
    Xml,
    /// An object or a list.
    Json,
    /// Anything else.
    #[default]
    Plain,
}

/// HTML elements at the beginning of a page or fragment.
const HTML: &str = "html head body title meta link script style div p h1 h2 h3 h4 table tr td tbody thead span center \
    section article main header footer nav aside form ul ol li dl a b i u br hr img iframe noscript font \
    blockquote pre strong em input button label base details figure picture frameset small big \
    code h5 h6 dialog address";

/// XML elements at the beginning of a document, in addition to namespaced ones.
const XML: &str = "feed rss rdf:rdf error urlset sitemapindex response svg";

/// How much of the beginning is examined, in bytes.
const SNIFFED: usize = 2048;

/// How much is searched for the tags of a fragment, in bytes.
const PIECE: usize = 600;

/// Start of a document type declaration.
const DOCTYPE: &str = "!doctype";

/// Returns the format of a trimmed text.
pub(crate) fn of(text: &str) -> Form {
    let start = crate::text::head(text, SNIFFED);
    if start.starts_with(['{', '[']) {
        return Form::Json;
    }
    if start.starts_with('<') {
        return of_markup(start);
    }
    let start = crate::text::head(start, PIECE);
    // A fragment may begin in the middle of a page.
    let ends = || start.matches("</").count() + start.matches("<br").count();
    page_where(is_mostly_tags(start) && ends() >= 2 && !start.contains("```"))
}

fn page_where(holds: bool) -> Form {
    if holds { Form::Html } else { Form::Plain }
}

fn of_markup(start: &str) -> Form {
    let declared = begins(start, "<?xml");
    let mut rest = start;
    // The first element that is neither a comment nor a declaration.
    while let Some((_, after)) = rest.split_once('<') {
        rest = after;
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let doctype = after.get(DOCTYPE.len()..).filter(|_| begins(after, DOCTYPE));
        if doctype.is_some_and(|names| begins(names.trim_start(), "html")) {
            return Form::Html;
        }
        if after.starts_with(['?', '!']) {
            continue;
        }
        let tag = after.trim_start_matches('/');
        let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.');
        let name = tag.split(|c| !in_name(c)).next().unwrap_or_default();
        let next = tag.get(name.len()..).and_then(|behind| behind.chars().next());
        if name.is_empty() || next.is_some_and(|next| !(next.is_whitespace() || matches!(next, '>' | '/'))) {
            return if declared { Form::Xml } else { Form::Plain };
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        // A framework's component is code.
        if is("template") {
            return Form::Plain;
        }
        if HTML.split(' ').any(is) && (!declared || is("html")) {
            return Form::Html;
        }
        let lower = start.to_ascii_lowercase();
        let attributes = lower.split('>').next().unwrap_or_default();
        if declared
            || XML.split(' ').any(is)
            || name.contains(':')
            || attributes.contains("xmlns")
            || lower.contains(&format!("</{}>", name.to_ascii_lowercase()))
        {
            return Form::Xml;
        }
        break;
    }
    if declared {
        return Form::Xml;
    }
    page_where(is_mostly_tags(start))
}

/// Whether at least a quarter of a text is inside angle brackets.
fn is_mostly_tags(text: &str) -> bool {
    let tags = text.split('<').skip(1);
    let bytes = tags.map(|tag| tag.find('>').unwrap_or(tag.len()) + 2);
    bytes.sum::<usize>() * 4 >= text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_distinguished() {
        for (text, form) in [
            ("<!DOCTYPE html><p>x", Form::Html),
            ("<!-- c --><div>x</div>", Form::Html),
            ("<?xml version=\"1.0\"?><html><body/></html>", Form::Html),
            ("<?xml version=\"1.0\"?><Error><Code>x</Code></Error>", Form::Xml),
            ("<feed xmlns=\"http://www.w3.org/2005/Atom\">", Form::Xml),
            ("<S:Envelope xmlns:S=\"x\">", Form::Xml),
            ("<svg viewBox=\"0 0 9 9\"><path d=\"M0 0\"/>", Form::Xml),
            ("{\"a\":1}", Form::Json),
            ("Plain <b>words</b> with a tag", Form::Plain),
            ("Sorry</h1><p>Blocked</p></div></body></html>", Form::Html),
            ("<user@example.org> wrote: hello", Form::Plain),
            ("x < y", Form::Plain),
        ] {
            assert_eq!(of(text), form, "{text}");
        }
    }
}
