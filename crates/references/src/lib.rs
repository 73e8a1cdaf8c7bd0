//! References: what a text names by its form alone (a DOI, a version of a package, a tag, an advisory ...), and where texts,
//! bibliographies and lock files hold references. Pure: nothing is asked.

mod bibliography;
mod bibtex;
mod find;
mod forms;
mod gather;
mod invisible;
mod isbn;
mod listed;
mod locks;
mod node_locks;
mod other_locks;
mod recognise;
mod reference;
mod web;
mod yaml;

pub use gather::{Format, Gathered, gather};
pub use recognise::{NotRecognised, recognise};
pub use reference::{Cited, Doubt, Ecosystem, Reference};

#[cfg(test)]
mod tests;
