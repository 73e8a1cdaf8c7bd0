//! What of an answer fits a length.

use super::Scored;
use super::item::ScoredItem;

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

impl Shown {
    /// The items that are shown, each with its summary as shown.
    pub fn items_of<'s>(
        &'s self,
        scored: &'s Scored,
    ) -> impl ExactSizeIterator<Item = (&'s ScoredItem, &'s str)> {
        let cut = self.cut.as_deref();
        let shown = scored.items.iter().take(self.items);
        shown
            .enumerate()
            .map(move |(at, item)| (item, cut.filter(|_| at == 0).unwrap_or(&item.summary)))
    }
}
