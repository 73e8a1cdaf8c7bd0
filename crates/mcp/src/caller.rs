//! Caller identity over HTTP. The transport puts these types into the extensions of a request.

use std::sync::Arc;

/// Holder of a named token, or subject of an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Name of the token in the settings, or `oauth:` and a hash of issuer and subject.
    pub name: Arc<str>,
}

/// Number of the caller where several are told apart: the index of its token, or a number of its subject. Each caller
/// has its own share of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(pub usize);
