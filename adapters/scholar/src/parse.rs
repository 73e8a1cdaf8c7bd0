//! From bytes to items. Pure.

mod crossref;
mod openalex;
mod results;
mod standing;
mod year;

pub use crossref::{crossref, work};
pub use openalex::openalex;
pub use results::answer;

use freshcontext_contract::Item;

/// What one page of results holds.
#[derive(Debug, Default, PartialEq)]
pub struct Page {
    /// The results, in the index's order.
    pub items: Vec<Item>,
    /// Entries without a title.
    pub unreadable: usize,
    /// How many there are in all, as the index says.
    pub total: Option<u64>,
    /// First and last year of the results, where only years are known.
    pub years: Option<(i32, i32)>,
    /// What of the page was not read, as a remark.
    pub cut: Option<String>,
}
