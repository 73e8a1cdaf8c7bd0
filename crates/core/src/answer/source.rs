//! The answer of one source, fitted to a length and not written yet.

use serde_json::{Map, Value};

use super::item::ScoredItem;
use super::kept::Kept;
use super::shown::Shown;
use super::{MAX_CONTENT_CHARS, Scored, json, layout};

/// The answer of one source, fitted to a length. Text and structure are written from it.
#[derive(Debug, Clone)]
pub struct SourceAnswer {
    pub(super) scored: Scored,
    pub(super) shown: Shown,
    /// What it says about being kept.
    pub kept: Kept,
}

impl SourceAnswer {
    /// Fits the content into `max_length` characters (and [`MAX_CONTENT_CHARS`]).
    pub fn fit(&mut self, max_length: usize) {
        self.shown = layout::lay_out(&self.scored, max_length.min(MAX_CONTENT_CHARS));
    }

    pub(crate) fn scored_mut(&mut self) -> &mut Scored {
        &mut self.scored
    }

    /// The whole of it, before anything was cut to a length.
    pub fn scored(&self) -> &Scored {
        &self.scored
    }

    /// The items that it shows, each with its summary as shown.
    pub fn items(&self) -> impl ExactSizeIterator<Item = (&ScoredItem, &str)> {
        self.shown.items_of(&self.scored)
    }

    /// What it shows between its header and its closing delimiter.
    pub fn content(&self) -> &str {
        &self.shown.content
    }

    /// Items left out to fit the length.
    pub fn truncated(&self) -> usize {
        self.shown.truncated
    }

    /// The text form: the envelope.
    pub fn text(&self) -> String {
        layout::envelope(&self.scored, &self.shown.content, &self.kept)
    }

    /// The structured form.
    pub fn structured(&self) -> Map<String, Value> {
        let mut out = json::structured(&self.scored, &self.shown);
        self.kept.put_fields(&mut out);
        out
    }
}
