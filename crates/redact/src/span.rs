//! A stretch of a text.

/// A stretch of a text that is a secret, and what found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) name: &'static str,
}
