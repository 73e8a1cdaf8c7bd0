//! One reader of outside bytes.

use bytes::Bytes;

use crate::shapes::Format;

/// A reader, its input format, and a valid body.
pub struct Reader {
    /// Name in the report.
    pub name: String,
    /// The tool, or the part of this project that the reader belongs to.
    pub group: String,
    /// Format of its input.
    pub format: Format,
    /// A valid body.
    pub seed: Vec<u8>,
    /// Whether every check runs this reader. The others differ only in their body from a reader that runs.
    pub often: bool,
    /// Reads a body and returns whether the result is usable.
    pub read: Box<dyn Fn(&Bytes) -> bool>,
}
