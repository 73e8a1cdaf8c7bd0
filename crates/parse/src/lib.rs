//! Small shared readers for sources. All of them are pure, take untrusted bytes, work in bounded
//! time and never panic.

pub mod charset;
pub mod date;
pub mod feed;
pub mod github;
pub mod html;
pub mod json;
pub mod link;
mod linked;
pub mod npm;
pub mod page_date;
pub mod prose;
pub mod registry;
pub mod surrogates;
pub mod table;
pub mod text;

pub use scraper;
