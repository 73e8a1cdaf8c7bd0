//! Who calls over HTTP: the transport puts these into the extensions of a request.

use std::sync::Arc;

/// Who holds a token that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Which of the tokens, for counting.
    pub number: usize,
    /// The name that the settings give the token.
    pub name: Arc<str>,
}

/// Which of several tokens a caller holds: each has a share of the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(pub usize);
