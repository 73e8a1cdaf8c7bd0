//! Masking of secrets and e-mail addresses, and removal of what the caller marks, before anything is hashed, exported,
//! logged or drawn. The one place where that is decided.
//!
//! A secret is known by its form (`rules`: the rules of gitleaks, kept as data, and a few of our own), by the name
//! beside it (`pairs` in a text, `fields` in JSON), or as an address (`mail`). A text is searched as it is written and
//! as its reader will have it (`view`). A password in prose stays.

mod fields;
mod mail;
mod marks;
mod names;
mod pairs;
mod rules;
mod scan;
mod span;
mod structure;
mod view;

pub use fields::{Touched, joined, masked_value, sweep};
pub use marks::REMOVED;
pub use names::is_secret_name;
pub use scan::{holds_secret, masked};
pub use structure::is_structure;

#[cfg(test)]
mod tests;
