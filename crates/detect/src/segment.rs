//! A text's parts: title, lead, tail, and counts of its shape. One bounded pass for each form.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::form::{self, Form};
use crate::json::{self, Json};
use crate::text::{LEAD, first_line, head, tail};

/// How much of the end is read, in bytes.
pub(crate) const TAIL: usize = 120;

/// How much markup is read, in bytes.
const MARKUP: usize = 48 << 10;

/// How much of one word of a page is read, in bytes.
const WORD: usize = 200;

/// How much of one tag is searched for attributes, in bytes.
const TAG: usize = 400;

/// What a text consists of.
#[derive(Debug)]
pub struct Segments<'a> {
    /// Its form.
    pub form: Form,
    /// The title of a page; the first line of anything else.
    pub title: Cow<'a, str>,
    /// What is seen first, without markup.
    pub lead: Cow<'a, str>,
    /// What plain text ends with, where that is not in the lead.
    pub tail: &'a str,
    /// Counts.
    pub shape: Shape,
    /// What JSON holds.
    pub json: Option<Json>,
}

/// Counts of a text's shape.
#[derive(Debug, Default, Clone, Copy)]
pub struct Shape {
    /// Length as it came, in bytes.
    pub bytes: usize,
    /// Visible bytes, of what was read.
    pub visible: usize,
    /// Visible bytes outside links.
    pub outside_links: usize,
    /// Links.
    pub links: usize,
    /// Scripts.
    pub scripts: usize,
    /// Forms.
    pub forms: usize,
    /// Password fields.
    pub passwords: usize,
    /// Paragraphs, list items, table cells.
    pub blocks: usize,
    /// Whether the page loads another by itself.
    pub refreshes: bool,
    /// Whether it says something to those without scripts.
    pub noscript: bool,
    /// Entries of a feed.
    pub entries: usize,
    /// Whether it is a feed.
    pub feed: bool,
    /// Whether an element is called a fault or an error.
    pub fault: bool,
}

impl<'a> Segments<'a> {
    /// Takes a trimmed text apart.
    pub fn of(text: &'a str) -> Self {
        match form::of(text) {
            Form::Json => json::read(text).map_or_else(
                || plain(text),
                |(json, said)| Self {
                    form: Form::Json,
                    title: Cow::Owned(first_line(&said).0.to_owned()),
                    shape: Shape {
                        bytes: text.len(),
                        visible: said.len(),
                        outside_links: said.len(),
                        ..Shape::default()
                    },
                    lead: Cow::Owned(said),
                    tail: "",
                    json: Some(json),
                },
            ),
            Form::Plain => plain(text),
            form => markup(text, form),
        }
    }
}

fn plain(text: &str) -> Segments<'_> {
    let lead = head(text, LEAD);
    let rest = text.get(lead.len()..).unwrap_or_default();
    let (title, _) = first_line(lead);
    Segments {
        form: Form::Plain,
        title: Cow::Borrowed(title),
        lead: Cow::Borrowed(lead),
        tail: tail(rest, TAIL),
        shape: Shape {
            bytes: text.len(),
            visible: text.len(),
            outside_links: text.len(),
            ..Shape::default()
        },
        json: None,
    }
}

/// Collects what is seen of a page, with single spaces.
#[derive(Default)]
struct Seen {
    text: String,
    bytes: usize,
    spaced: bool,
}

impl Seen {
    fn push(&mut self, piece: &str) {
        if self.text.len() >= LEAD {
            // No more is kept, and words need not be cut out to be counted.
            let (words, bytes) = words(piece.as_bytes());
            self.bytes += words + bytes;
            self.spaced = piece.ends_with(|c: char| c.is_ascii_whitespace());
            return;
        }
        let begins = piece.starts_with(char::is_whitespace);
        for word in piece.split_ascii_whitespace() {
            if self.text.len() < LEAD {
                if (self.spaced || begins) && !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push(' ');
                }
                decode(head(word, WORD), &mut self.text);
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

/// How many words there are between ASCII white space, and the bytes in them. Counted so that the compiler can look at
/// many bytes at once.
fn words(text: &[u8]) -> (usize, usize) {
    /// Bytes whose count fits into a byte.
    const SOME: usize = 255;
    /// Fewer bytes than this are counted sooner one by one.
    const FEW: usize = 32;

    let solid = |byte: &u8| !byte.is_ascii_whitespace();
    let Some((first, after)) = text.split_first() else {
        return (0, 0);
    };
    if text.len() < FEW {
        let (mut words, mut bytes, mut inside) = (0, 0, false);
        for byte in text {
            let is = solid(byte);
            words += usize::from(is && !inside);
            bytes += usize::from(is);
            inside = is;
        }
        return (words, bytes);
    }
    let bytes = text.chunks(SOME).map(|some| {
        let count = some
            .iter()
            .fold(0_u8, |sum, byte| sum.wrapping_add(u8::from(solid(byte))));
        usize::from(count)
    });
    let begins = text.chunks(SOME).zip(after.chunks(SOME)).map(|(before, after)| {
        let pairs = before.iter().zip(after);
        let count = pairs.fold(0_u8, |sum, (before, byte)| {
            sum.wrapping_add(u8::from(!solid(before) & solid(byte)))
        });
        usize::from(count)
    });
    (usize::from(solid(first)) + begins.sum::<usize>(), bytes.sum())
}

/// Writes a word with the commonest entities as characters.
fn decode(word: &str, out: &mut String) {
    if memchr(b'&', word.as_bytes()).is_none() {
        out.push_str(word);
        return;
    }
    for (index, piece) in word.split('&').enumerate() {
        let entity = piece
            .split_once(';')
            .filter(|(name, _)| index > 0 && name.len() <= 8);
        let Some((name, rest)) = entity else {
            out.push_str(if index > 0 { "&" } else { "" });
            out.push_str(piece);
            continue;
        };
        let number = name.strip_prefix("#x").map_or_else(
            || name.strip_prefix('#').and_then(|digits| digits.parse().ok()),
            |digits| u32::from_str_radix(digits, 16).ok(),
        );
        match (number.and_then(char::from_u32), name) {
            (Some(c), _) => out.push(c),
            (None, "amp") => out.push('&'),
            (None, "lt") => out.push('<'),
            (None, "gt") => out.push('>'),
            (None, "quot") => out.push('"'),
            (None, "apos" | "rsquo" | "lsquo") => out.push('\''),
            (None, _) => out.push(' '),
        }
        out.push_str(rest);
    }
}

/// Reads HTML or XML: tags are counted, scripts and styles passed over, the rest is what is seen.
fn markup(text: &str, form: Form) -> Segments<'_> {
    let read = head(text, MARKUP);
    let bytes = read.as_bytes();
    let (mut seen, mut title) = (Seen::default(), Seen::default());
    let mut shape = Shape {
        bytes: text.len(),
        ..Shape::default()
    };
    let (mut at, mut in_title, mut in_link, mut in_links) = (0, false, false, 0);
    while at < read.len() {
        let rest = read.get(at..).unwrap_or_default();
        let open = memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
        let piece = rest.get(..open).unwrap_or_default();
        if !piece.is_empty() {
            let sink = if in_title { &mut title } else { &mut seen };
            let before = sink.bytes;
            sink.push(piece);
            in_links += if in_link { sink.bytes - before } else { 0 };
        }
        let rest = rest.get(open..).unwrap_or_default();
        at += open;
        if rest.is_empty() {
            break;
        }
        let declares = rest.as_bytes().get(1) == Some(&b'!');
        if declares && rest.starts_with("<![CDATA[") {
            let end = rest.find("]]>").unwrap_or(rest.len());
            seen.push(rest.get(9..end).unwrap_or_default());
            at += (end + 3).min(rest.len());
            continue;
        }
        let close = if declares && rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 2)
        } else {
            memchr(b'>', rest.as_bytes())
        };
        let close = close.unwrap_or(rest.len().saturating_sub(1));
        let tag = head(rest, (close + 1).min(TAG));
        at += close + 1;
        let inner = tag.get(1..).unwrap_or_default();
        let closing = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let length = inner
            .bytes()
            .take_while(|byte| !matches!(byte, b' ' | b'>' | b'/' | b'\n' | b'\t' | b'\r'))
            .count();
        let name = head(inner, length.min(24));
        if form == Form::Xml {
            seen.line();
            if !closing && !name.starts_with(['?', '!']) {
                let local = name.rsplit(':').next().unwrap_or(name);
                shape.feed |= matches!(local, "feed" | "rss" | "RDF");
                shape.entries += usize::from(matches!(local, "entry" | "item" | "url"));
                shape.fault |= ["fault", "error", "exception", "errors"]
                    .iter()
                    .any(|word| local.eq_ignore_ascii_case(word))
                    && (shape.blocks == 0
                        || shape.blocks < 3 && seen.text.to_ascii_lowercase().starts_with("envelope"));
                shape.blocks += 1;
                seen.push(local);
                seen.push(": ");
            }
            continue;
        }
        match tag::number(name.as_bytes()) {
            number @ (tag::SCRIPT | tag::STYLE | tag::SVG | tag::TEMPLATE) if !closing => {
                shape.scripts += usize::from(number == tag::SCRIPT);
                at = skip_element(bytes, at, name);
            }
            tag::TITLE => in_title = !closing && title.text.is_empty(),
            tag::A => {
                in_link = !closing;
                shape.links += usize::from(!closing);
            }
            tag::FORM => shape.forms += usize::from(!closing),
            tag::NOSCRIPT => shape.noscript = true,
            tag::INPUT => shape.passwords += usize::from(has(tag, "password")),
            tag::META => shape.refreshes |= refreshes(tag.as_bytes()),
            tag::P
            | tag::LI
            | tag::TD
            | tag::TR
            | tag::TH
            | tag::BR
            | tag::HR
            | tag::H1
            | tag::H2
            | tag::H3
            | tag::H4
            | tag::UL
            | tag::DD
            | tag::DT
            | tag::DIV
            | tag::PRE
            | tag::TABLE
            | tag::BUTTON
            | tag::CENTER
            | tag::SECTION
            | tag::ARTICLE => {
                shape.blocks += usize::from(!closing);
                seen.line();
            }
            _ => {}
        }
    }
    shape.visible = seen.bytes;
    shape.outside_links = seen.bytes.saturating_sub(in_links);
    Segments {
        form,
        title: Cow::Owned(if title.text.is_empty() {
            first_line(&seen.text).0.to_owned()
        } else {
            title.text
        }),
        lead: Cow::Owned(seen.text),
        tail: "",
        shape,
        json: None,
    }
}

fn has(tag: &str, needle: &str) -> bool {
    let needle = needle.as_bytes();
    tag.as_bytes()
        .windows(needle.len())
        .any(|window| window.eq_ignore_ascii_case(needle))
}

/// Whether a tag says `http-equiv=refresh`, its value in quotation marks or not.
fn refreshes(tag: &[u8]) -> bool {
    const NAME: &[u8] = b"http-equiv";
    const VALUE: &[u8] = b"refresh";

    memchr_iter(b'=', tag).any(|at| {
        let (name, value) = tag.split_at_checked(at).unwrap_or_default();
        let value = match value {
            [_, b'"' | b'\'', rest @ ..] | [_, rest @ ..] => rest,
            [] => &[],
        };
        let name = name
            .get(name.len().saturating_sub(NAME.len())..)
            .unwrap_or_default();
        let begin = value.get(..VALUE.len()).unwrap_or_default();
        name.eq_ignore_ascii_case(NAME) && begin.eq_ignore_ascii_case(VALUE)
    })
}

/// Where the element of this name ends whose opening tag ends at `at`.
fn skip_element(bytes: &[u8], at: usize, name: &str) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    for open in memchr_iter(b'<', rest) {
        let close = rest.get(open + 1..).unwrap_or_default();
        let close = close.strip_prefix(b"/").unwrap_or_default();
        if close
            .get(..name.len())
            .is_some_and(|close| close.eq_ignore_ascii_case(name.as_bytes()))
        {
            return at + open;
        }
    }
    bytes.len()
}

/// Names of tags as numbers, each told from all others by one comparison.
mod tag {
    /// The letters of a name, in any case; 0 where there are more than eight, as no tag that counts has.
    pub(super) const fn number(name: &[u8]) -> u64 {
        let (mut number, mut rest) = (0, name);
        if name.len() > 8 {
            return 0;
        }
        while let [letter, after @ ..] = rest {
            number = number << 8 | letter.to_ascii_lowercase() as u64;
            rest = after;
        }
        number
    }

    macro_rules! names {
        ($($constant:ident = $name:literal,)*) => {
            $(pub(super) const $constant: u64 = number($name);)*
        };
    }

    names! {
        A = b"a", ARTICLE = b"article", BR = b"br", BUTTON = b"button", CENTER = b"center", DD = b"dd", DIV = b"div",
        DT = b"dt", FORM = b"form", H1 = b"h1", H2 = b"h2", H3 = b"h3", H4 = b"h4", HR = b"hr", INPUT = b"input",
        LI = b"li", META = b"meta", NOSCRIPT = b"noscript", P = b"p", PRE = b"pre", SCRIPT = b"script",
        SECTION = b"section", STYLE = b"style", SVG = b"svg", TABLE = b"table", TD = b"td", TEMPLATE = b"template",
        TH = b"th", TITLE = b"title", TR = b"tr", UL = b"ul",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_as_they_are_split() {
        for text in [
            "",
            " ",
            "a",
            " a",
            "a ",
            "one\ttwo\x0c three\r\n",
            "\u{a0}x \u{e9}",
            &"ab  c ".repeat(200),
        ] {
            let split: Vec<&str> = text.split_ascii_whitespace().collect();
            let expected = (split.len(), split.iter().map(|word| word.len()).sum());
            assert_eq!(words(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn pages_that_load_another_say_so_in_one_attribute() {
        for (tag, expected) in [
            ("<META HTTP-EQUIV=\"Refresh\" content=1>", true),
            ("<meta content=\"a=b\" http-equiv='refresh'", true),
            ("<meta http-equiv=refreshing", true),
            ("<meta http-equiv = refresh>", false),
            ("<meta http-equiv=\"'refresh\">", false),
            ("<meta name=\"refresh\">", false),
            ("=refresh", false),
            ("http-equiv=", false),
        ] {
            let before = [
                "http-equiv=\"refresh",
                "http-equiv='refresh",
                "http-equiv=refresh",
            ];
            assert_eq!(before.iter().any(|needle| has(tag, needle)), expected, "{tag}");
            assert_eq!(refreshes(tag.as_bytes()), expected, "{tag}");
        }
    }
}
