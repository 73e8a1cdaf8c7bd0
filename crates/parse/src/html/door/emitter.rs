//! What the tokenizer tells of, put together into tokens.

use freshcontext_contract::limits::{HTML_ATTRIBUTES_PER_TAG, HTML_ATTRIBUTES_READ, HTML_TAGS};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Token, TokenSink};
use html5ever::{Attribute, LocalName, Namespace, QualName};
use html5gum::{Emitter, Error, State};

use super::{Door, Full, TEXT_PIECE};

impl Door<'_> {
    fn end_attribute(&mut self) {
        if !std::mem::take(&mut self.has_attribute) {
            return;
        }
        if !self.is_end {
            if self.attributes.len() < HTML_ATTRIBUTES_PER_TAG {
                let name = LocalName::from(&*String::from_utf8_lossy(&self.attribute));
                if self.attributes.iter().any(|known| known.name.local == name) {
                    self.duplicates = true;
                } else {
                    self.attributes.push(Attribute {
                        name: QualName::new(None, Namespace::default(), name),
                        value: tendril(&self.value),
                    });
                }
            } else {
                self.cut.markup = true;
                self.keep_telling_attribute();
            }
        }
        self.attribute.clear();
        self.value.clear();
    }

    /// The tag's attributes in a list of their own, with no room for more: most tags have one or two.
    pub(super) fn take_attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::with_capacity(self.attributes.len());
        attributes.append(&mut self.attributes);
        attributes
    }

    /// What hides an element counts, however many attributes stand before it.
    fn keep_telling_attribute(&mut self) {
        let telling = ["hidden", "aria-hidden", "style"]
            .into_iter()
            .find(|name| self.attribute == name.as_bytes());
        let Some(name) = telling.map(LocalName::from) else {
            return;
        };
        if self.attributes.iter().all(|known| known.name.local != name) {
            self.attributes.pop();
            let name = QualName::new(None, Namespace::default(), name);
            let value = tendril(&self.value);
            self.attributes.insert(0, Attribute { name, value });
        }
    }

    fn begin_tag(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.self_closing = false;
        self.duplicates = false;
        self.begun = 0;
        self.has_attribute = false;
        self.attributes.clear();
        self.attribute.clear();
        self.value.clear();
    }
}

fn tendril(bytes: &[u8]) -> StrTendril {
    StrTendril::from_slice(&String::from_utf8_lossy(bytes))
}

impl Emitter for &mut Door<'_> {
    type Token = Full;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.flush_text();
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Full> {
        self.full.then_some(Full)
    }

    fn emit_string(&mut self, text: &[u8]) {
        if self.skipping.is_some() {
            return;
        }
        for piece in text.chunks(TEXT_PIECE) {
            self.text.extend_from_slice(piece);
            if self.text.len() >= TEXT_PIECE {
                self.flush_text();
            }
        }
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_attribute();
        self.flush_text();
        if self.full {
            return None;
        }
        self.held = 0;
        self.tags += 1;
        let name = LocalName::from(&*String::from_utf8_lossy(&self.name));
        if self.is_end {
            self.end_tag(name);
            self.full |= self.tags >= HTML_TAGS;
            return None;
        }
        self.last_start.clone_from(&self.name);
        let next = self.start_tag(name);
        self.full |= self.tags >= HTML_TAGS;
        next
    }

    fn init_comment(&mut self) {
        self.comment.clear();
    }

    fn push_comment(&mut self, text: &[u8]) {
        self.comment.extend_from_slice(text);
    }

    fn emit_current_comment(&mut self) {
        self.flush_text();
        if self.full || self.skipping.is_some() {
            return;
        }
        self.held = 0;
        let comment = tendril(&self.comment);
        self.give(Token::CommentToken(comment));
    }

    fn init_doctype(&mut self) {
        self.doctype = Doctype::default();
        self.doctype_parts = [None, None, None];
    }

    fn push_doctype_name(&mut self, text: &[u8]) {
        push_part(&mut self.doctype_parts, 0, text);
    }

    fn set_force_quirks(&mut self) {
        self.doctype.force_quirks = true;
    }

    fn set_doctype_public_identifier(&mut self, text: &[u8]) {
        set_part(&mut self.doctype_parts, 1, text);
    }

    fn set_doctype_system_identifier(&mut self, text: &[u8]) {
        set_part(&mut self.doctype_parts, 2, text);
    }

    fn push_doctype_public_identifier(&mut self, text: &[u8]) {
        push_part(&mut self.doctype_parts, 1, text);
    }

    fn push_doctype_system_identifier(&mut self, text: &[u8]) {
        push_part(&mut self.doctype_parts, 2, text);
    }

    fn emit_current_doctype(&mut self) {
        self.flush_text();
        if self.full || self.skipping.is_some() {
            return;
        }
        let [name, public_id, system_id] = std::mem::take(&mut self.doctype_parts);
        let mut doctype = std::mem::take(&mut self.doctype);
        doctype.name = name.as_deref().map(tendril);
        doctype.public_id = public_id.as_deref().map(tendril);
        doctype.system_id = system_id.as_deref().map(tendril);
        self.give(Token::DoctypeToken(doctype));
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn push_tag_name(&mut self, text: &[u8]) {
        self.name.extend_from_slice(text);
    }

    fn init_attribute(&mut self) {
        self.end_attribute();
        self.has_attribute = true;
        self.begun += 1;
        if self.begun > HTML_ATTRIBUTES_READ {
            self.closed.set(true);
        }
    }

    fn push_attribute_name(&mut self, text: &[u8]) {
        self.attribute.extend_from_slice(text);
    }

    fn push_attribute_value(&mut self, text: &[u8]) {
        self.value.extend_from_slice(text);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.last_start == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn part(parts: &mut [Option<Vec<u8>>; 3], which: usize) -> Option<&mut Vec<u8>> {
    parts.get_mut(which).map(Option::get_or_insert_default)
}

fn set_part(parts: &mut [Option<Vec<u8>>; 3], which: usize, text: &[u8]) {
    if let Some(part) = part(parts, which) {
        part.clear();
        part.extend_from_slice(text);
    }
}

fn push_part(parts: &mut [Option<Vec<u8>>; 3], which: usize, text: &[u8]) {
    if let Some(part) = part(parts, which) {
        part.extend_from_slice(text);
    }
}
