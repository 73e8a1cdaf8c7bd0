//! One reader of outside bytes.

use bytes::Bytes;

use crate::shapes::Format;

/// A reader: what it is tried on, and how it is asked.
pub struct Reader {
    /// Its name in the report.
    pub name: String,
    /// The tool, or the part of ours that it belongs to.
    pub group: String,
    /// What it takes.
    pub format: Format,
    /// A good body.
    pub seed: Vec<u8>,
    /// Whether it is tried at every check; those that are not differ from one that is only in their body.
    pub often: bool,
    /// Reads a body; whether something came of it.
    pub read: Box<dyn Fn(&Bytes) -> bool>,
}
