//! Elements and attributes found by their text alone, so that the rest of the document stays as it is.

#![expect(clippy::string_slice, reason = "cut at signs of ASCII, and this is a test")]

use std::ops::Range;

use super::alter::{Altered, BELOW, WORDS};

struct Element {
    path: String,
    whole: Range<usize>,
    inner: Range<usize>,
    attributes: Vec<Attribute>,
}

struct Attribute {
    name: String,
    whole: Range<usize>,
    value: Range<usize>,
}

/// Elements of HTML that have no end.
const VOID: [&str; 10] = [
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source",
];

/// Every element and attribute gone, emptied, or filled with nonsense: the first of its kind, and all.
pub fn alterations(text: &str) -> Vec<Altered> {
    let elements = elements(text);
    let mut out = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for element in &elements {
        if seen.contains(&element.path.as_str()) {
            continue;
        }
        seen.push(&element.path);
        let alike: Vec<&Element> = elements
            .iter()
            .filter(|other| other.path == element.path)
            .collect();
        let whole: Vec<Range<usize>> = alike.iter().map(|element| element.whole.clone()).collect();
        let inner: Vec<Range<usize>> = alike
            .iter()
            .map(|element| element.inner.clone())
            .filter(|inner| !inner.is_empty())
            .collect();
        let mut add = |what: String, field: &str, spans: &[Range<usize>], to: &'static str| {
            for (whom, spans) in [
                ("first", spans.get(..1)),
                ("all", spans.get(..).filter(|all| all.len() > 1)),
            ] {
                let Some(spans) = spans else { continue };
                out.push(Altered {
                    what: format!("{} {what} ({whom})", element.path),
                    field: field.to_owned(),
                    now: Some(to).filter(|to| !to.is_empty()),
                    // Without an entry, a feed is one in which there is nothing.
                    emptied: what == "gone",
                    body: replaced(text, spans, to).into_bytes(),
                });
            }
        };
        let name = element.path.rsplit('/').next().unwrap_or_default().to_owned();
        add("gone".to_owned(), &name, &whole, "");
        for (what, to) in [("emptied", ""), ("words", WORDS), ("below zero", BELOW)] {
            add(what.to_owned(), &name, &inner, to);
        }
        let mut names: Vec<&str> = Vec::new();
        for attribute in alike.iter().flat_map(|element| &element.attributes) {
            if names.contains(&attribute.name.as_str()) {
                continue;
            }
            names.push(&attribute.name);
            let same: Vec<&Attribute> = alike
                .iter()
                .flat_map(|element| &element.attributes)
                .filter(|other| other.name == attribute.name)
                .collect();
            let whole: Vec<Range<usize>> = same.iter().map(|other| other.whole.clone()).collect();
            let value: Vec<Range<usize>> = same.iter().map(|other| other.value.clone()).collect();
            add(format!("@{} gone", attribute.name), &attribute.name, &whole, "");
            for (what, to) in [("emptied", ""), ("words", WORDS), ("below zero", BELOW)] {
                add(format!("@{} {what}", attribute.name), &attribute.name, &value, to);
            }
        }
    }
    out
}

/// The text with something else at these places; those inside an earlier one are passed over.
fn replaced(text: &str, spans: &[Range<usize>], to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans.iter().filter(|span| !span.is_empty()) {
        if span.start < at {
            continue;
        }
        out.push_str(&text[at..span.start]);
        out.push_str(to);
        at = span.end;
    }
    out.push_str(&text[at..]);
    out
}

/// All elements in the order of their beginnings.
fn elements(text: &str) -> Vec<Element> {
    let mut out: Vec<Element> = Vec::new();
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[start..];
        let passed = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
            .iter()
            .find(|(begin, _)| rest.starts_with(begin))
            .map(|(_, end)| end);
        if let Some(end) = passed {
            at = rest
                .find(end)
                .map_or(text.len(), |found| start + found + end.len());
            continue;
        }
        let Some(end) = rest.find('>').map(|found| start + found + 1) else {
            break;
        };
        at = end;
        let tag = &text[start + 1..end - 1];
        if let Some(name) = tag.strip_prefix('/') {
            let name = name.trim();
            if let Some(depth) = open.iter().rposition(|(opened, _)| opened == name) {
                for (_, index) in open.drain(depth..) {
                    out[index].inner.end = start;
                    out[index].whole.end = end;
                }
            }
            continue;
        }
        let name = tag.split([' ', '\n', '\t', '/']).next().unwrap_or_default();
        if name.is_empty() {
            continue;
        }
        let attributes = attributes(text, start + 1 + name.len()..end - 1);
        let class = attributes
            .iter()
            .find(|attribute| ["class", "rel", "property", "name"].contains(&attribute.name.as_str()))
            .map(|attribute| format!(".{}", &text[attribute.value.clone()]))
            .unwrap_or_default();
        let parent = open
            .last()
            .map(|(_, index)| out[*index].path.clone())
            .unwrap_or_default();
        out.push(Element {
            path: format!("{parent}/{name}{class}"),
            whole: start..end,
            inner: end..end,
            attributes,
        });
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push((name.to_owned(), out.len() - 1));
            if ["script", "style"].contains(&name)
                && let Some(found) = text[end..].find("</")
            {
                at = end + found;
            }
        }
    }
    out
}

/// The attributes of a tag that have a quoted value.
fn attributes(text: &str, within: Range<usize>) -> Vec<Attribute> {
    let mut out = Vec::new();
    let mut at = within.start;
    while let Some(equals) = text[at..within.end].find('=').map(|found| at + found) {
        let name = text[at..equals].trim().rsplit(' ').next().unwrap_or_default();
        let Some(quote) = text[equals + 1..within.end]
            .chars()
            .next()
            .filter(|c| ['"', '\''].contains(c))
        else {
            at = equals + 1;
            continue;
        };
        let start = equals + 2;
        let Some(end) = text[start..within.end].find(quote).map(|found| start + found) else {
            break;
        };
        out.push(Attribute {
            name: name.to_owned(),
            whole: equals - name.len()..end + 1,
            value: start..end,
        });
        at = end + 1;
    }
    out
}
