//! When what an answer shows was published, as one date for clients that sort by it.

use super::source::SourceAnswer;
use crate::date::{Confidence, Resolved};

/// Returns the newest of dates that can be relied on: a structured field or a page signal, never an uncertain one.
pub(crate) fn newest<'d>(dates: impl Iterator<Item = &'d Resolved>) -> Option<&'d Resolved> {
    dates
        .filter(|date| date.confidence >= Confidence::Medium && date.shown.is_some())
        .max_by_key(|date| date.instant)
}

impl SourceAnswer {
    /// The newest publication among the items that it shows, else that of the whole; `None` without a date of medium
    /// confidence or better.
    pub fn newest(&self) -> Option<&Resolved> {
        newest(self.items().map(|(item, _)| &item.date)).or_else(|| {
            let whole = std::iter::once(self.scored().date());
            newest(whole.filter(|_| self.scored().items().is_empty()))
        })
    }
}
