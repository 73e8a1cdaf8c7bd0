//! Whose call it is.

use std::sync::Arc;

/// Whose answers these are: no operation crosses owners.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner(Arc<str>);

impl Owner {
    /// An owner of this name: a token's name, or a JWT's issuer and subject.
    pub fn named(name: &str) -> Self {
        Self(name.into())
    }

    /// Whoever calls over HTTP with the token of this name.
    pub fn of_token(name: &str) -> Self {
        Self::named(&format!("token:{name}"))
    }

    /// The name that the store knows.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Owner {
    /// Whoever calls on stdio, or over HTTP where no token is asked for.
    fn default() -> Self {
        Self::named("local")
    }
}
