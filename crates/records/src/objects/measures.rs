//! Numbers of tokens, and stretches of texts.

use super::record::record;

record! {
    /// A number of tokens, and what counted it.
    Tokens
    needs {
        /// How many.
        tokens: u64,
        /// The tokenizer, or `estimate: bytes / 4`.
        counted_by: String,
    }
}

record! {
    /// A stretch, `end` not included.
    Span
    needs {
        /// The first.
        start: u64,
        /// The one after the last.
        end: u64,
    }
}
