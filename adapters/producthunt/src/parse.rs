//! From bytes to items. Pure.

mod api;
mod atom;

pub use api::{Posts, posts, topics};
pub use atom::{Board, board};
