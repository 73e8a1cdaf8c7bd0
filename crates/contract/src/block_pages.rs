//! Block pages that stand in for content: challenge vendors, proxies, CDNs, hosting pages. One table.
//!
//! The table ([`FINGERPRINTS`]) is shared: [`recognise`] judges a whole HTTP answer, and the core
//! crate's inspector judges text alone by the same marks.

mod fingerprint;
mod recognise;
mod search;
mod table;
#[cfg(test)]
mod tests;

pub use fingerprint::{Fingerprint, Strength};
pub use recognise::{BlockPage, best, fingerprints_in, recognise};
pub use table::FINGERPRINTS;

/// The response headers (lower case) by which block pages are known.
pub fn header_names() -> impl Iterator<Item = &'static str> {
    table::HEADER_MARKS.iter().map(|mark| mark.name)
}
