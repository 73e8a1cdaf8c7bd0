//! A small tree of an XML document: names with their namespaces, bounded in depth and size. Entities
//! other than the five of XML are left as they are; nothing is expanded or fetched.

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

/// Deeper than any feed.
const MAX_DEPTH: usize = 32;
/// More than the largest page of results has.
const MAX_ELEMENTS: usize = 400_000;

/// One element.
#[derive(Debug, Default, Clone)]
pub struct Element {
    /// Namespace; empty for none.
    pub space: String,
    /// Local name.
    pub name: String,
    /// Attributes by local name, values decoded.
    pub attributes: Vec<(String, String)>,
    /// Child elements.
    pub children: Vec<Element>,
    /// All character data directly inside, in one piece, decoded.
    pub text: String,
}

impl Element {
    /// The first child of this name.
    pub fn child(&self, space: &str, name: &str) -> Option<&Element> {
        self.children
            .iter()
            .find(|child| child.name == name && child.space == space)
    }

    /// The children of this name.
    pub fn children<'e>(&'e self, space: &'e str, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children
            .iter()
            .filter(move |child| child.name == name && child.space == space)
    }

    /// The text of the first child of this name, unless it is blank.
    pub fn text_of(&self, space: &str, name: &str) -> Option<&str> {
        self.child(space, name)
            .map(|child| child.text.as_str())
            .filter(|text| !text.trim().is_empty())
    }

    /// An attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Reads a document; the error says what is wrong with it.
pub fn parse(text: &str) -> Result<Element, String> {
    let mut reader = NsReader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut elements = 0;
    loop {
        let (space, event) = reader.read_resolved_event().map_err(|error| error.to_string())?;
        match event {
            Event::Start(start) => {
                elements += 1;
                if open.len() >= MAX_DEPTH || elements > MAX_ELEMENTS {
                    return Err("nested too deep or too large".to_owned());
                }
                let element = element(&space, &start);
                open.push(element);
            }
            Event::Empty(start) => {
                elements += 1;
                if elements > MAX_ELEMENTS {
                    return Err("too large".to_owned());
                }
                let element = element(&space, &start);
                close(element, &mut open, &mut root)?;
            }
            Event::End(_) => {
                let element = open.pop().ok_or("an end without a start")?;
                close(element, &mut open, &mut root)?;
            }
            Event::Text(text) => {
                if let Some(parent) = open.last_mut() {
                    parent.text.push_str(&text.xml10_content());
                }
            }
            Event::CData(data) => {
                if let Some(parent) = open.last_mut() {
                    parent.text.push_str(&data.xml10_content());
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(parent) = open.last_mut() {
                    let name = reference.xml10_content();
                    match reference.resolve_char_ref().map_err(|error| error.to_string())? {
                        Some(character) => parent.text.push(character),
                        None => {
                            if let Some(known) = quick_xml::escape::resolve_predefined_entity(&name) {
                                parent.text.push_str(known);
                            } else {
                                parent.text.extend(["&", &name, ";"]);
                            }
                        }
                    }
                }
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if !open.is_empty() {
        return Err("the document is cut off".to_owned());
    }
    root.ok_or_else(|| "there is no element".to_owned())
}

fn element(space: &ResolveResult<'_>, start: &BytesStart<'_>) -> Element {
    let space = match space {
        ResolveResult::Bound(namespace) => namespace.into_inner().to_owned(),
        _ => String::new(),
    };
    let attributes = start
        .attributes()
        .flatten()
        .filter_map(|attribute| {
            let name = attribute.key.local_name().into_inner().to_owned();
            let value = attribute
                .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                .ok()?
                .into_owned();
            Some((name, value))
        })
        .collect();
    Element {
        space,
        name: start.local_name().into_inner().to_owned(),
        attributes,
        ..Element::default()
    }
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), String> {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None if root.is_none() => *root = Some(element),
        None => return Err("more than one root element".to_owned()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAMPLE: &str = "<?xml version='1.0'?><f:feed xmlns:f='urn:a' xmlns='urn:b'><entry term='a&amp;b'/>\
        <f:t>x &lt; y &amp;amp; &#233;<![CDATA[<z>]]> &unknown;</f:t></f:feed>";

    #[test]
    fn names_are_resolved_and_entities_decoded_once() {
        let root = parse(SAMPLE).unwrap();
        assert_eq!((root.space.as_str(), root.name.as_str()), ("urn:a", "feed"));
        assert_eq!(
            root.child("urn:b", "entry").unwrap().attribute("term"),
            Some("a&b")
        );
        assert_eq!(root.text_of("urn:a", "t"), Some("x < y &amp; é<z> &unknown;"));
        assert!(root.child("urn:b", "t").is_none());
    }

    #[test]
    fn entities_of_the_document_are_not_expanded_and_depth_is_bounded() {
        let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>]><x>&a;&a;</x>";
        assert!(
            !parse(bomb)
                .map(|root| root.text)
                .unwrap_or_default()
                .contains("aa")
        );
        assert!(parse(&"<a>".repeat(100_000)).is_err());
        for broken in ["", "plain", "<a>", "<a></b>", "<a/><b/>", "</a>"] {
            assert!(parse(broken).is_err(), "{broken}");
        }
    }

    proptest! {
        #[test]
        fn any_prefix_is_survived(cut in 0usize..200) {
            let _ = parse(&SAMPLE.chars().take(cut).collect::<String>());
        }
    }
}
