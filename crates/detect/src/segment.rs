//! Segments of a text: title, lead, tail, and counts of its shape. One bounded pass per format.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::form::{self, Form};
use crate::json::{self, Json};
use crate::text::{LEAD, MORE, begins, first_line, head, tail};

/// How much of the end is read, in bytes.
pub(crate) const TAIL: usize = 120;

/// How much markup is read, in bytes.
const MARKUP: usize = 48 << 10;

/// How much of a word in markup is read, in bytes.
const WORD: usize = 200;

/// How much of a tag name is read, in bytes.
const NAME: usize = 24;

/// Length of the longest relevant tag name.
const COUNTED: usize = 8;

/// How much of a tag is searched for attributes, in bytes.
const TAG: usize = 400;

/// Segments of a text.
#[derive(Debug, Default)]
pub struct Segments<'a> {
    /// Its form.
    pub form: Form,
    /// The title of a page; the first line of anything else.
    pub title: Cow<'a, str>,
    /// The first visible text, without markup.
    pub lead: Cow<'a, str>,
    /// The visible text after the lead, for plain text and pages.
    pub more: Cow<'a, str>,
    /// The end of a plain text, if it is not in the lead.
    pub tail: &'a str,
    /// Counts.
    pub shape: Shape,
    /// What JSON holds.
    pub json: Option<Json>,
}

/// Counts of a text's shape.
#[derive(Debug, Default, Clone, Copy)]
pub struct Shape {
    /// Original length, in bytes.
    pub bytes: usize,
    /// Visible bytes in the part that was read.
    pub visible: usize,
    /// Scripts.
    pub scripts: usize,
    /// Forms.
    pub forms: usize,
    /// Password fields.
    pub passwords: usize,
    /// Paragraphs, list items, table cells.
    pub blocks: usize,
    /// Entries of a feed.
    pub entries: usize,
    /// Whether it is a feed.
    pub feed: bool,
    /// Whether an element is named fault or error.
    pub fault: bool,
}

impl Shape {
    fn new(text: &str, visible: usize) -> Self {
        Self {
            bytes: text.len(),
            visible,
            ..Self::default()
        }
    }
}

impl<'a> Segments<'a> {
    /// Segments a trimmed text.
    pub fn of(text: &'a str) -> Self {
        match form::of(text) {
            Form::Json => {
                json::read(text).map_or_else(|| plain(text), |(json, said)| of_json(text, json, said))
            }
            Form::Plain => plain(text),
            form => markup(text, form),
        }
    }
}

fn of_json(text: &str, json: Json, said: String) -> Segments<'_> {
    Segments {
        form: Form::Json,
        title: Cow::Owned(first_line(&said).0.to_owned()),
        shape: Shape::new(text, said.len()),
        lead: Cow::Owned(said),
        json: Some(json),
        ..Segments::default()
    }
}

fn plain(text: &str) -> Segments<'_> {
    let lead = head(text, LEAD);
    let rest = text.get(lead.len()..).unwrap_or_default();
    Segments {
        title: Cow::Borrowed(first_line(lead).0),
        lead: Cow::Borrowed(lead),
        more: Cow::Borrowed(head(rest, MORE)),
        tail: tail(rest, TAIL),
        shape: Shape::new(text, text.len()),
        ..Segments::default()
    }
}

/// Collects the visible text of a page, with single spaces.
#[derive(Default)]
struct VisibleText {
    text: String,
    bytes: usize,
    spaced: bool,
}

impl VisibleText {
    fn push(&mut self, piece: &str) {
        if self.text.len() >= LEAD + MORE {
            // The buffer is full; counting needs no separation of words.
            let seen = piece.trim_ascii().len();
            self.bytes += seen + usize::from(seen > 0);
            return;
        }
        self.spaced |= piece.starts_with(|c: char| c.is_ascii_whitespace());
        for word in piece.split_ascii_whitespace() {
            if self.text.len() < LEAD + MORE {
                if self.spaced && !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push(' ');
                }
                self.text
                    .push_str(&html_escape::decode_html_entities(head(word, WORD)));
            }
            self.bytes += word.len() + 1;
            self.spaced = true;
        }
        self.spaced = piece.ends_with(|c: char| c.is_ascii_whitespace());
    }

    fn line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.spaced = false;
    }
}

/// State of the page reader.
#[derive(Default)]
struct Page {
    seen: VisibleText,
    title: VisibleText,
    shape: Shape,
    in_title: bool,
}

impl Page {
    fn text(&mut self, piece: &str) {
        let sink = if self.in_title {
            &mut self.title
        } else {
            &mut self.seen
        };
        sink.push(piece);
    }

    /// Counts an HTML tag. Returns whether the element's content is invisible.
    fn html(&mut self, tag: &str, name: &str, closing: bool) -> bool {
        let opens = usize::from(!closing);
        match lower(name).get(..name.len()).unwrap_or_default() {
            b"script" => {
                self.shape.scripts += opens;
                return !closing;
            }
            b"style" | b"svg" | b"template" => return !closing,
            b"title" => self.in_title = !closing && self.title.text.is_empty(),
            b"form" => self.shape.forms += opens,
            b"input" => {
                let password = tag.to_ascii_lowercase().contains("password");
                self.shape.passwords += usize::from(password);
            }
            b"p" | b"li" | b"td" | b"tr" | b"th" | b"br" | b"hr" | b"h1" | b"h2" | b"h3" | b"h4" | b"ul"
            | b"dd" | b"dt" | b"div" | b"pre" | b"table" | b"button" | b"center" | b"section"
            | b"article" => {
                self.shape.blocks += opens;
                self.seen.line();
            }
            _ => {}
        }
        false
    }

    /// Counts an XML element and adds its name to the text.
    fn xml(&mut self, name: &str, closing: bool) {
        self.seen.line();
        if closing || name.starts_with(['?', '!']) {
            return;
        }
        let (shape, seen) = (&mut self.shape, &mut self.seen);
        let name = name.rsplit(':').next().unwrap_or(name);
        let faulty = ["fault", "error", "exception", "errors"];
        let first = || shape.blocks == 0 || shape.blocks < 3 && begins(&seen.text, "envelope");
        shape.fault |= faulty.iter().any(|word| name.eq_ignore_ascii_case(word)) && first();
        shape.feed |= matches!(name, "feed" | "rss" | "RDF");
        shape.entries += usize::from(matches!(name, "entry" | "item" | "url"));
        shape.blocks += 1;
        seen.push(name);
        seen.push(": ");
    }
}

/// Reads HTML or XML: counts tags, skips scripts and styles, and collects the visible rest.
fn markup(text: &str, form: Form) -> Segments<'_> {
    let mut page = Page::default();
    let mut rest = head(text, MARKUP);
    while !rest.is_empty() {
        let open = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let (piece, markup) = rest.split_at_checked(open).unwrap_or_default();
        if !piece.is_empty() {
            page.text(piece);
        }
        rest = if let Some(data) = markup.strip_prefix("<![CDATA[") {
            let (data, after) = data.split_once("]]>").unwrap_or((data, ""));
            page.seen.push(data);
            after
        } else if markup.starts_with("<!--") {
            markup.split_once("-->").map_or("", |(_, after)| after)
        } else {
            let end = memchr(b'>', markup.as_bytes()).map_or(markup.len(), |at| at + 1);
            let (tag, after) = markup.split_at_checked(end).unwrap_or_default();
            let tag = head(tag.strip_prefix('<').unwrap_or_default(), TAG);
            let (closing, inner) = tag.strip_prefix('/').map_or((false, tag), |inner| (true, inner));
            let ends = |byte: &u8| matches!(byte, b' ' | b'>' | b'/' | b'\n' | b'\t' | b'\r');
            let length = inner.bytes().take(NAME).take_while(|byte| !ends(byte)).count();
            let name = head(inner, length);
            if form == Form::Xml {
                page.xml(name, closing);
                after
            } else if page.html(tag, name, closing) {
                behind_element(after, name)
            } else {
                after
            }
        };
    }
    if page.title.text.is_empty() {
        page.title.text.push_str(first_line(&page.seen.text).0);
    }
    page.shape.bytes = text.len();
    page.shape.visible = page.seen.bytes;
    let mut lead = page.seen.text;
    let more = lead.split_off(lead.ceil_char_boundary(LEAD));
    Segments {
        form,
        title: Cow::Owned(page.title.text),
        lead: Cow::Owned(lead),
        more: Cow::Owned(more),
        shape: page.shape,
        ..Segments::default()
    }
}

/// Returns the text from the closing tag on, if an element of this name contains the beginning.
fn behind_element<'a>(rest: &'a str, name: &str) -> &'a str {
    let mut tags = memchr_iter(b'<', rest.as_bytes()).filter_map(|at| rest.get(at..));
    let closing = tags.find(|tag| tag.strip_prefix("</").is_some_and(|tag| begins(tag, name)));
    closing.unwrap_or_default()
}

/// Returns a tag name in lower case, up to the length of the longest relevant name.
fn lower(name: &str) -> [u8; COUNTED] {
    let mut lower = [0; COUNTED];
    for (letter, byte) in lower.iter_mut().zip(name.bytes()) {
        *letter = byte.to_ascii_lowercase();
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_fields_are_counted_by_their_attributes() {
        for (page, passwords) in [
            ("<input type=PassWord><input name=password>", 2),
            ("<input type=text>", 0),
            ("<p>password</p>", 0),
        ] {
            assert_eq!(Segments::of(page).shape.passwords, passwords, "{page}");
        }
    }
}
