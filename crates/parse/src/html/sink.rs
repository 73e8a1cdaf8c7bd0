//! The end of the door at which nodes are made: `scraper`'s sink, counted.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use ego_tree::{NodeId, Tree};
use freshcontext_contract::limits::{HTML_ATTRIBUTES, HTML_ATTRIBUTES_PER_TAG};
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName};
use scraper::{Html, HtmlTreeSink, Node};

/// Whether elements of this name enter the list of active formatting elements, which HTML's tree builder
/// opens again in every later block until they are closed (WHATWG HTML, 13.2.4.3).
pub(super) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// More nodes than one token makes once a limit is reached.
const SPARE_NODES: usize = 512;
/// What a node takes in the arena: its value, its parent, its two neighbours, its first and last child.
pub(super) const NODE_BYTES: usize = size_of::<Node>() + 5 * size_of::<NodeId>();
/// What an attribute takes, and its share of the list it stands in.
const ATTRIBUTE_BYTES: usize = size_of::<(QualName, StrTendril)>() + ALLOCATION_BYTES;
/// What an allocation takes beyond its content.
const ALLOCATION_BYTES: usize = 16;
/// Text up to this many bytes lies within its tendril.
const INLINE_BYTES: usize = 8;
/// Longer text has grown piece by piece, and may have as much room again.
const GROWN_BYTES: usize = 4 << 10;

/// What the content of a tendril takes on the heap.
fn heap_bytes(text: &str) -> usize {
    match text.len() {
        ..=INLINE_BYTES => 0,
        short @ ..GROWN_BYTES => short + 2 * ALLOCATION_BYTES,
        long => 2 * long,
    }
}

/// What a name takes in the global table of names; those that HTML knows, and short ones, take nothing.
fn name_bytes(name: &LocalName) -> usize {
    if name.is_dynamic() {
        name.len() + 5 * ALLOCATION_BYTES
    } else {
        0
    }
}

/// A tree that grows under a count.
pub(super) struct Sink {
    inner: HtmlTreeSink,
    attributes: Cell<usize>,
    lost_attributes: Cell<bool>,
    bytes: Cell<usize>,
    steps: Cell<usize>,
    formatting: Cell<usize>,
    others: Cell<usize>,
    wrote_text: Cell<bool>,
}

impl Sink {
    /// A sink into a tree for `nodes` nodes. It has its room from the start (untouched memory costs
    /// nothing): a list that doubles would for a moment be there three times.
    pub(super) fn new(mut html: Html, root: Node, nodes: usize) -> Self {
        html.tree = Tree::with_capacity(root, nodes + SPARE_NODES);
        Self {
            inner: HtmlTreeSink::new(html),
            attributes: Cell::new(0),
            lost_attributes: Cell::new(false),
            bytes: Cell::new(0),
            steps: Cell::new(0),
            formatting: Cell::new(0),
            others: Cell::new(0),
            wrote_text: Cell::new(false),
        }
    }

    /// Nodes made so far, those that hang nowhere included.
    pub(super) fn nodes(&self) -> usize {
        self.inner.0.borrow().tree.nodes().len()
    }

    /// Bytes of the tree so far, estimated from above.
    pub(super) fn bytes(&self) -> usize {
        self.nodes() * NODE_BYTES + self.bytes.get()
    }

    /// Attributes that were offered so far, whether or not they came into the tree.
    pub(super) fn attributes(&self) -> usize {
        self.attributes.get()
    }

    /// Whether attributes were too many for their element or for the tree, and are not in it.
    pub(super) fn lost_attributes(&self) -> bool {
        self.lost_attributes.get()
    }

    /// Looks at the stack of open elements and at the list of formatting elements so far.
    pub(super) fn steps(&self) -> usize {
        self.steps.get()
    }

    /// Elements made since the last call: formatting ones, others.
    pub(super) fn take_made(&self) -> (usize, usize) {
        (self.formatting.take(), self.others.take())
    }

    /// Whether text came into the tree since the last call.
    pub(super) fn take_wrote_text(&self) -> bool {
        self.wrote_text.take()
    }

    /// Whether a node is a formatting element; `None` if it is not an element.
    pub(super) fn is_formatting_node(&self, id: NodeId) -> Option<bool> {
        self.step();
        let html = self.inner.0.borrow();
        let element = html.tree.get(id)?.value().as_element()?;
        Some(is_formatting(element.name()))
    }

    fn step(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    fn weigh(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    fn note_text(&self, child: &NodeOrText<NodeId>) {
        if let NodeOrText::AppendText(text) = child {
            self.wrote_text.set(true);
            self.weigh(heap_bytes(text));
        }
    }

    fn admit(&self, attributes: &mut Vec<Attribute>, room: usize) {
        let all = self.attributes.get() + attributes.len();
        self.attributes.set(all);
        let keep = room.min(
            attributes
                .len()
                .saturating_sub(all.saturating_sub(HTML_ATTRIBUTES)),
        );
        self.lost_attributes
            .set(self.lost_attributes.get() | (keep < attributes.len()));
        attributes.truncate(keep);
        for attribute in attributes {
            self.weigh(ATTRIBUTE_BYTES + name_bytes(&attribute.name.local) + heap_bytes(&attribute.value));
        }
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Html;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Html {
        self.inner.finish()
    }

    // Nobody reads them, and a hostile page has millions.
    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.inner.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.step();
        self.inner.elem_name(target)
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.step();
        x == y
    }

    fn create_element(&self, name: QualName, mut attrs: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let count = if is_formatting(&name.local) {
            &self.formatting
        } else {
            &self.others
        };
        count.set(count.get() + 1);
        self.admit(&mut attrs, HTML_ATTRIBUTES_PER_TAG);
        self.weigh(name_bytes(&name.local));
        self.inner.create_element(name, attrs, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.weigh(heap_bytes(&text));
        self.inner.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.weigh(heap_bytes(&target) + heap_bytes(&data));
        self.inner.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.note_text(&child);
        self.inner.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        prev_element: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        self.note_text(&child);
        self.inner
            .append_based_on_parent_node(element, prev_element, child);
    }

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        self.note_text(&new_node);
        self.inner.append_before_sibling(sibling, new_node);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.inner.append_doctype_to_document(name, public_id, system_id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.inner.get_template_contents(target)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    // `<html a>` and `<body b>` may come again and again; each time, their attributes are added.
    fn add_attrs_if_missing(&self, target: &NodeId, mut attrs: Vec<Attribute>) {
        let there = self
            .inner
            .0
            .borrow()
            .tree
            .get(*target)
            .and_then(|node| node.value().as_element().map(|element| element.attrs.len()))
            .unwrap_or(HTML_ATTRIBUTES_PER_TAG);
        self.admit(&mut attrs, HTML_ATTRIBUTES_PER_TAG.saturating_sub(there));
        self.inner.add_attrs_if_missing(target, attrs);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.inner.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.inner.reparent_children(node, new_parent);
    }
}
