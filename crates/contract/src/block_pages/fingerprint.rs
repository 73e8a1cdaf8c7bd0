//! What one mark of a block page is.

use crate::failure::FailureKind;

/// How much a mark proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Also occurs on pages that carry content (a vendor's script runs on good pages too). Counts
    /// only together with a refusing status or a page without content.
    Hint,
    /// Occurs on the block page only; still needs a page without a document of its own, because anything
    /// can be quoted.
    Proof,
}

/// One mark of one vendor's block page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Whose block page it is.
    pub vendor: &'static str,
    /// The mark, in lower-case ASCII; compared with ASCII case ignored.
    pub needle: &'static str,
    /// What the block page is.
    pub kind: FailureKind,
    /// How much the mark proves.
    pub strength: Strength,
}
