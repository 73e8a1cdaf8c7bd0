//! Time and memory as laws, not only panics: every reader of outside bytes on bodies that were made to hurt
//! it, in counted instructions (the same on every machine) and allocated bytes.

mod adapters;
pub mod count;
pub mod laws;
pub mod meter;
pub mod reader;
pub mod readers;
pub mod report;
pub mod screen;
pub mod shapes;
