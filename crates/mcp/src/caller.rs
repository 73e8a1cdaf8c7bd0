//! Caller identity over HTTP. The transport puts these types into the extensions of a request.

use std::sync::Arc;

/// Holder of a named token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Index of the token, used in metrics.
    pub number: usize,
    /// Name of the token in the settings.
    pub name: Arc<str>,
}

/// Index of the caller's token where several are configured. Each token has its own share of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share(pub usize);
