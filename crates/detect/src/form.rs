//! What form a text has, by its beginning.

use memchr::{memchr, memchr_iter};

/// The forms that are read differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page or a piece of one.
    Html,
    /// Other markup.
    Xml,
    /// An object or a list.
    Json,
    /// Anything else.
    Plain,
}

/// Elements of HTML with which a page or a piece of one begins.
const HTML: &str = "html head body title meta link script style div p h1 h2 h3 h4 table tr td tbody thead span center \
    section article main header footer nav aside form ul ol li dl a b i u br hr img iframe noscript font \
    blockquote pre strong em input button label base details figure picture frameset small big \
    code h5 h6 dialog template address";

/// How much of the beginning is looked at, in bytes.
const SNIFFED: usize = 2048;

/// Where tags show that a text is a piece of a page, in bytes.
const PIECE: usize = 600;

/// Tags that stand in the middle of a page; none is the beginning of another.
const CLOSINGS: [&str; 12] = [
    "</p>", "</div>", "</h1>", "</a>", "</td>", "</body>", "</html>", "</li>", "<br>", "<br/>", "<br />",
    "</title>",
];

/// What a document's type is declared with.
const DOCTYPE: &str = "!doctype";

/// The form of a trimmed text.
pub(crate) fn of(text: &str) -> Form {
    let start = crate::text::head(text, SNIFFED);
    if start.starts_with(['{', '[']) {
        return Form::Json;
    }
    if start.starts_with('<') {
        // a comment above code that writes markup
        let below = start.strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
        if below.is_some_and(|(_, code)| {
            ["const ", "import ", "export "]
                .iter()
                .any(|word| code.trim_start().starts_with(word))
        }) {
            return Form::Plain;
        }
        return of_markup(start);
    }
    let start = crate::text::head(start, PIECE);
    // Most plain text has no tag at all, and the search below takes longer than the rest of its judging.
    if memchr(b'<', start.as_bytes()).is_none() {
        return Form::Plain;
    }
    // a component that renders markup is code
    let ahead = start.split('<').next().unwrap_or_default();
    if ["=>", "() {", ") {\n", "return (", "import "]
        .iter()
        .any(|sign| ahead.contains(sign))
    {
        return Form::Plain;
    }
    // pieces of pages begin in the middle of one
    let tags = memchr_iter(b'<', start.as_bytes()).filter_map(|at| start.as_bytes().get(at..));
    let closes = |tag: &[u8]| {
        CLOSINGS.iter().any(|closing| {
            let begin = tag.get(..closing.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(closing.as_bytes()))
        })
    };
    let found = tags.filter(|tag| closes(tag)).count();
    let markup = tag_bytes(start);
    if found >= 2 && markup * 4 >= start.len() && !start.contains("```") {
        Form::Html
    } else {
        Form::Plain
    }
}

fn of_markup(start: &str) -> Form {
    let declared = begins(start, "<?xml");
    let mut rest = start;
    // the first element that is neither a comment nor a declaration
    while let Some((_, after)) = rest.split_once('<') {
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let doctype = after.get(DOCTYPE.len()..).filter(|_| begins(after, DOCTYPE));
        if doctype.is_some_and(|names| begins(names.trim_start(), "html")) {
            return Form::Html;
        }
        if after.starts_with(['?', '!']) {
            rest = after;
            continue;
        }
        let tag = after.trim_start_matches('/');
        let length = tag
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_' | b'.'));
        let (name, behind) = tag.split_at_checked(length.count()).unwrap_or_default();
        let next = behind.chars().next();
        if name.is_empty() || next.is_some_and(|next| !(next.is_whitespace() || matches!(next, '>' | '/'))) {
            return if declared { Form::Xml } else { Form::Plain };
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        // a component of a framework, which is code
        if is("template") {
            let lower = start.to_ascii_lowercase();
            if ["v-if", "v-for", "v-else", "</template>\n\n<script", ":key", "{{"]
                .iter()
                .any(|sign| lower.contains(sign))
            {
                return Form::Plain;
            }
        }
        if HTML.split(' ').any(is) && (!declared || is("html")) {
            return Form::Html;
        }
        let known = "feed rss rdf:rdf error urlset sitemapindex response";
        if declared || known.split(' ').any(is) || name.contains(':') {
            return Form::Xml;
        }
        let lower = start.to_ascii_lowercase();
        let element = tag.split('>').next().unwrap_or_default();
        if element.to_ascii_lowercase().contains("xmlns")
            || lower.contains(&format!("</{}>", name.to_ascii_lowercase()))
        {
            return Form::Xml;
        }
        break;
    }
    if declared {
        Form::Xml
    } else if tag_bytes(start) * 4 >= start.len() {
        Form::Html
    } else {
        Form::Plain
    }
}

/// Whether a text begins with this, whatever the case of its letters.
fn begins(text: &str, with: &str) -> bool {
    let begin = text.as_bytes().get(..with.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(with.as_bytes()))
}

/// Bytes between angle brackets.
fn tag_bytes(text: &str) -> usize {
    let mut inside = false;
    text.bytes()
        .filter(|byte| {
            match byte {
                b'<' => inside = true,
                b'>' => {
                    inside = false;
                    return true;
                }
                _ => {}
            }
            inside
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        for (text, form) in [
            ("<!DOCTYPE html><p>x", Form::Html),
            ("<!-- c --><div>x</div>", Form::Html),
            ("<?xml version=\"1.0\"?><html><body/></html>", Form::Html),
            ("<?xml version=\"1.0\"?><Error><Code>x</Code></Error>", Form::Xml),
            ("<feed xmlns=\"http://www.w3.org/2005/Atom\">", Form::Xml),
            ("<S:Envelope xmlns:S=\"x\">", Form::Xml),
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
