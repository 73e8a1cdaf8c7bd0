//! The answer of one source, fitted to a length and not written yet.

use serde_json::{Map, Value};

use super::{Kept, MAX_CONTENT_CHARS, Scored, ScoredItem, json, layout};

/// What of an answer fits a length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// The text between the header and the closing delimiter.
    pub content: String,
    /// Items shown, from the first.
    pub items: usize,
    /// What is left of the first item's summary, where that had to be cut.
    pub cut: Option<String>,
    /// Items left out to fit.
    pub truncated: usize,
}

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
        let cut = self.shown.cut.as_deref();
        let shown = self.scored.items.iter().take(self.shown.items);
        shown
            .enumerate()
            .map(move |(at, item)| (item, cut.filter(|_| at == 0).unwrap_or(&item.summary)))
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
        let mut out = json::structured(self);
        self.kept.put_fields(&mut out);
        out
    }
}
