//! What an answer says about itself being kept, where answers are kept.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Whether an answer is kept, as both of its forms say it. The default says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// Its id, where it is kept: a later `recheck` names it.
    pub answer_id: Option<String>,
    /// Hash of what it says, where it can be compared without being kept.
    pub answer_hash: Option<String>,
    /// Why it is not kept although it was to be.
    pub not_kept: Option<String>,
}

impl Kept {
    /// The header of the text: its name and its value.
    pub(crate) fn header(&self) -> Option<(&'static str, Cow<'_, str>)> {
        if let Some(id) = &self.answer_id {
            return Some(("Answer-Id", id.into()));
        }
        let why = self.not_kept.as_ref()?;
        let value = format!("{why}; there is no id to recheck it by");
        Some(("Not-Kept", value.into()))
    }

    /// Appends the fields of the structure.
    pub(crate) fn put_fields(&self, out: &mut Map<String, Value>) {
        if let Some(id) = &self.answer_id {
            out.insert("answer_id".to_owned(), id.as_str().into());
        }
        if let Some(hash) = &self.answer_hash {
            out.insert("answer_hash".to_owned(), hash.as_str().into());
        }
    }
}
