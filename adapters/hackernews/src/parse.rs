//! Answers into items, purely. One module per route.

pub mod algolia;
pub mod firebase;
pub mod page;
mod post;
pub mod thread;

pub use post::date_text;

/// What was read from a list, before it becomes a result.
#[derive(Debug, Default)]
pub struct Listing {
    /// The items, in the source's order.
    pub items: Vec<freshcontext_contract::Item>,
    /// Entries that could not be read, were deleted or had no title.
    pub unreadable: usize,
    /// Hits in all, and whether that number is exact.
    pub total: Option<(u64, bool)>,
    /// Page shown and pages in all.
    pub pages: Option<(u64, u64)>,
    /// What of the page was not read, as a remark.
    pub cut: Option<String>,
}
