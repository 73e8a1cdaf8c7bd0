//! From text to a tree whose size and cost are bounded, whatever the text.
//!
//! The tokenizer is html5gum, which leaves to us what becomes of a tag's attributes; the tree builder is
//! html5ever's. Between the two, [`Door`] counts. It observes what the two really do, never the text
//! itself, because a separate scan would disagree with them on the first hostile page.

mod emitter;

use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;

use ego_tree::NodeId;
use freshcontext_contract::limits::{
    HTML_ATTRIBUTES, HTML_DEPTH, HTML_FORMATTING, HTML_NODES, HTML_SCOPES, HTML_STEPS, HTML_TABLE_TEXT_BYTES,
    HTML_TAGS, HTML_TREE_BYTES,
};
use html5ever::interface::{Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, create_element};
use html5ever::{Attribute, LocalName, Namespace, QualName};
use html5gum::{Readable as _, Reader, State, StringReader, Tokenizer, naive_next_state};
use scraper::{Html, Node};

use super::Cut;
use super::sink::{NODE_BYTES, Sink, is_formatting};
use super::walk::{BLOCKS, SILENT, hidden};

/// Text goes to the tree builder in pieces of about this many bytes.
const TEXT_PIECE: usize = 16 << 10;
/// Names of left-out tags that are kept to leave out their end tags, too.
const LEFT_OUT_NAMES: usize = 256;

/// A node needs this much text; `<td>1<td>2` is the least that is in use.
const BYTES_PER_NODE: usize = 3;
/// Nodes that any text may become.
const FEWEST_NODES: usize = 1_000;
/// Maximum ratio of tree size to text length, in addition to the fixed allowance of every text.
const BYTES_PER_BYTE: usize = 18;
/// Bytes that the tree of any text may take.
const FEWEST_BYTES: usize = 6 << 20;

/// Looks at open elements for each byte, beyond what any text may cause. Of 5,000 pages in packages of Debian none took
/// more than 0.6.
const STEPS_PER_BYTE: usize = 16;
/// Looks at open elements that any text may cause.
const FEWEST_STEPS: usize = 200_000;

/// Elements that hold nothing (WHATWG HTML, 13.1.2): they add no depth.
const VOID: [&str; 17] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "link",
    "meta", "param", "source", "track", "wbr",
];
/// Elements that put a marker on the list of active formatting elements, and may leave it there when
/// something around them is closed. (So do cells and captions, which always take theirs along.)
const SCOPES: [&str; 4] = ["applet", "marquee", "object", "template"];

/// Returns the maximum number of nodes for a text of this many bytes. Short tags and repeatedly opened formatting
/// produce more nodes than any real page.
const fn most_nodes(bytes: usize) -> usize {
    let nodes = bytes / BYTES_PER_NODE + FEWEST_NODES;
    if nodes < HTML_NODES { nodes } else { HTML_NODES }
}

/// Returns the maximum tree size, in bytes, for a text of this many bytes.
pub(super) const fn most_bytes(bytes: usize) -> usize {
    let most = bytes.saturating_mul(BYTES_PER_BYTE).saturating_add(FEWEST_BYTES);
    if most < HTML_TREE_BYTES {
        most
    } else {
        HTML_TREE_BYTES
    }
}

/// Returns the maximum number of inspections of open elements for a text of this many bytes.
const fn most_steps(bytes: usize) -> usize {
    let most = bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(FEWEST_STEPS);
    if most < HTML_STEPS { most } else { HTML_STEPS }
}

/// Nodes of a text that there is room for from the start. Without a tag it is one text, however long.
fn room(html: &str) -> usize {
    if html.contains('<') {
        most_nodes(html.len()).min(most_bytes(html.len()) / NODE_BYTES)
    } else {
        0
    }
}

/// What a parse is of.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Page,
    Fragment,
}

/// Parses, and says what was left out.
pub(super) fn parse(html: &str, kind: Kind) -> (Html, Cut) {
    let room = room(html);
    let builder = match kind {
        Kind::Page => {
            let sink = Sink::new(Html::new_document(), Node::Document, room);
            TreeBuilder::new(sink, html5ever::tree_builder::TreeBuilderOpts::default())
        }
        Kind::Fragment => {
            let sink = Sink::new(Html::new_fragment(), Node::Fragment, room);
            let name = QualName::new(
                None,
                Namespace::from("http://www.w3.org/1999/xhtml"),
                "body".into(),
            );
            let context = create_element(&sink, name, Vec::new());
            TreeBuilder::new_for_fragment(
                sink,
                context,
                None,
                html5ever::tree_builder::TreeBuilderOpts::default(),
            )
        }
    };
    let closed = Cell::new(false);
    let mut door = Door::new(&builder, html.len(), &closed);
    let text = Closable {
        text: html.to_reader(),
        closed: &closed,
    };
    let mut tokens = Tokenizer::new_with_emitter(text, &mut door);
    // The only token is the one that says that a limit was reached.
    let stopped = tokens.next().is_some() || closed.get();
    drop(tokens);
    door.end();
    let mut cut = door.cut;
    let sink = builder.sink;
    if stopped {
        cut.stopped_after = Some(sink.nodes());
    }
    cut.markup |= sink.lost_attributes();
    (sink.finish(), cut)
}

/// A limit was reached: the rest of the text is not read.
pub(super) struct Full;

/// A text that ends where the door is closed. Within a tag the tokenizer asks for no token, so only its text
/// can stop it.
struct Closable<'h> {
    text: StringReader<'h>,
    closed: &'h Cell<bool>,
}

impl Reader for Closable<'_> {
    type Error = Infallible;

    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        if self.closed.get() {
            return Ok(None);
        }
        self.text.read_byte()
    }

    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        buffer: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Infallible> {
        if self.closed.get() {
            return Ok(None);
        }
        self.text.read_until(needle, buffer)
    }

    fn try_read_string(&mut self, text: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        if self.closed.get() {
            return Ok(false);
        }
        self.text.try_read_string(text, case_sensitive)
    }
}

/// What is left out until its end tag: its name, and how many of that name are open in it.
struct LeftOut {
    name: LocalName,
    open: usize,
}

struct Door<'b> {
    builder: &'b TreeBuilder<NodeId, Sink>,
    cut: Cut,
    full: bool,
    most_nodes: usize,
    most_bytes: usize,
    most_steps: usize,
    tags: usize,
    scopes: usize,
    /// Open elements at the last exact look, without formatting ones.
    depth: usize,
    /// Formatting elements at the last exact look: those open and those to be opened again.
    formatting: usize,
    /// Whether something may have been closed since.
    changed: bool,
    skipping: Option<LeftOut>,
    flattened: HashMap<LocalName, usize>,
    /// Text that the tree builder holds back, as it does with text between the rows of a table.
    held: usize,
    text: Vec<u8>,
    comment: Vec<u8>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_end: bool,
    self_closing: bool,
    attributes: Vec<Attribute>,
    /// Attributes of the tag so far, those that are not kept included.
    begun: usize,
    closed: &'b Cell<bool>,
    duplicates: bool,
    attribute: Vec<u8>,
    value: Vec<u8>,
    has_attribute: bool,
    doctype: Doctype,
    doctype_parts: [Option<Vec<u8>>; 3],
}

impl<'b> Door<'b> {
    fn new(builder: &'b TreeBuilder<NodeId, Sink>, length: usize, closed: &'b Cell<bool>) -> Self {
        Self {
            builder,
            most_nodes: most_nodes(length),
            most_bytes: most_bytes(length),
            most_steps: most_steps(length),
            changed: true,
            cut: Cut::default(),
            full: false,
            tags: 0,
            scopes: 0,
            depth: 0,
            formatting: 0,
            skipping: None,
            flattened: HashMap::new(),
            held: 0,
            text: Vec::new(),
            comment: Vec::new(),
            name: Vec::new(),
            last_start: Vec::new(),
            is_end: false,
            self_closing: false,
            attributes: Vec::new(),
            begun: 0,
            closed,
            duplicates: false,
            attribute: Vec::new(),
            value: Vec::new(),
            has_attribute: false,
            doctype: Doctype::default(),
            doctype_parts: [None, None, None],
        }
    }

    /// The end of the text, or of what is read of it: the tree builder closes what is open.
    fn end(&mut self) {
        if std::mem::take(&mut self.full) {
            self.text.clear();
        }
        self.flush_text();
        self.give(Token::EOFToken);
        self.builder.end();
    }

    /// Hands a token over and says how the text goes on.
    fn give(&mut self, token: Token) -> Option<State> {
        // Text closes nothing that counts.
        self.changed |= !matches!(token, Token::CharacterTokens(_));
        let next = match self.builder.process_token(token, 1) {
            TokenSinkResult::RawData(RawKind::Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(RawKind::Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(RawKind::ScriptData | RawKind::ScriptDataEscaped(_)) => {
                Some(State::ScriptData)
            }
            TokenSinkResult::Plaintext => Some(State::PlainText),
            // Scripts are not run, and the charset is known by now.
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => None,
        };
        let sink = &self.builder.sink;
        self.full |= sink.nodes() >= self.most_nodes
            || sink.bytes() >= self.most_bytes
            || sink.steps() >= self.most_steps
            || sink.attributes() >= HTML_ATTRIBUTES
            || self.tags >= HTML_TAGS;
        next
    }

    fn flush_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        if self.skipping.is_some() || self.full {
            self.text.clear();
            return;
        }
        let mut bytes = std::mem::take(&mut self.text);
        // A piece may end within a character; that part waits for the rest.
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        let rest = bytes.split_off(whole);
        let text = String::from_utf8_lossy(&bytes);
        let mut pieces = text.split('\0').peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                self.give_text(piece);
            }
            if pieces.peek().is_some() {
                self.give(Token::NullCharacterToken);
            }
        }
        self.text = rest;
    }

    fn give_text(&mut self, text: &str) {
        if self.held > HTML_TABLE_TEXT_BYTES {
            self.cut.content = true;
            return;
        }
        let _ = self.builder.sink.take_wrote_text();
        self.give(Token::CharacterTokens(StrTendril::from_slice(text)));
        if self.builder.sink.take_wrote_text() {
            self.held = 0;
        } else {
            self.held += text.len();
        }
    }

    /// Whether an element of that name may be opened here.
    fn has_room(&mut self, name: &str) -> bool {
        let (formatting, others) = self.builder.sink.take_made();
        // What was made is open at most once, and stands on the list of formatting elements at most once.
        self.formatting += 2 * formatting;
        self.depth += others;
        if self.changed && (self.formatting >= HTML_FORMATTING || self.depth >= HTML_DEPTH) {
            self.changed = false;
            let look = Look {
                sink: &self.builder.sink,
                formatting: Cell::new(0),
                others: Cell::new(0),
            };
            self.builder.trace_handles(&look);
            (self.formatting, self.depth) = (look.formatting.get(), look.others.get());
        }
        if is_formatting(name) {
            self.formatting < HTML_FORMATTING
        } else {
            self.depth < HTML_DEPTH || VOID.contains(&name)
        }
    }

    fn start_tag(&mut self, name: LocalName) -> Option<State> {
        let tag = Tag {
            kind: TagKind::StartTag,
            name,
            self_closing: self.self_closing,
            attrs: self.take_attributes(),
            had_duplicate_attributes: self.duplicates,
        };
        if let Some(left_out) = &mut self.skipping {
            if left_out.name == tag.name && !tag.self_closing {
                left_out.open += 1;
            }
            return naive_next_state(tag.name.as_bytes());
        }
        let scope = SCOPES.contains(&&*tag.name);
        self.scopes += usize::from(scope);
        if self.has_room(&tag.name) && (!scope || self.scopes <= HTML_SCOPES) {
            if !self.flattened.is_empty() && !is_formatting(&tag.name) && !VOID.contains(&&*tag.name) {
                self.flattened.clear();
            }
            return self.give(Token::TagToken(tag));
        }
        self.leave_out(tag)
    }

    /// A tag that would nest too deep: its text goes to what is open, unless a visitor would not see it.
    fn leave_out(&mut self, tag: Tag) -> Option<State> {
        self.cut.markup = true;
        if is_formatting(&tag.name) {
            return None;
        }
        let raw = naive_next_state(tag.name.as_bytes());
        let attribute = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
            found.map(|attribute| &*attribute.value)
        };
        if raw.is_some() || SILENT.contains(&&*tag.name) || &*tag.name == "noframes" || hidden(attribute) {
            self.cut.content = true;
            if !tag.self_closing {
                self.skipping = Some(LeftOut {
                    name: tag.name,
                    open: 1,
                });
            }
            return raw;
        }
        if BLOCKS.contains(&&*tag.name) {
            self.text.push(b'\n');
        }
        if let Some(count) = self.flattened.get_mut(&tag.name) {
            *count += 1;
        } else if self.flattened.len() < LEFT_OUT_NAMES {
            self.flattened.insert(tag.name, 1);
        }
        None
    }

    fn end_tag(&mut self, name: LocalName) {
        if let Some(left_out) = &mut self.skipping {
            if left_out.name == name {
                left_out.open -= 1;
                if left_out.open == 0 {
                    self.skipping = None;
                }
            }
            return;
        }
        if let Some(count) = self.flattened.get_mut(&name).filter(|count| **count > 0) {
            *count -= 1;
            if BLOCKS.contains(&&*name) {
                self.text.push(b'\n');
            }
            return;
        }
        self.give(Token::TagToken(Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: self.self_closing,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        }));
    }
}

/// Counts what the tree builder holds on to.
struct Look<'s> {
    sink: &'s Sink,
    formatting: Cell<usize>,
    others: Cell<usize>,
}

impl Tracer for Look<'_> {
    type Handle = NodeId;

    fn trace_handle(&self, node: &NodeId) {
        let count = match self.sink.is_formatting_node(*node) {
            Some(true) => &self.formatting,
            Some(false) => &self.others,
            None => return,
        };
        count.set(count.get() + 1);
    }
}
