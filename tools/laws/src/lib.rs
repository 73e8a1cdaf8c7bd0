//! Laws of time and memory for every reader of outside bytes. The readers run on bodies that are built to be
//! expensive, and the check counts instructions (the same on every machine) and allocated bytes.

mod adapters;
pub mod count;
pub mod laws;
pub mod meter;
pub mod reader;
pub mod readers;
pub mod report;
pub mod screen;
pub mod shapes;
