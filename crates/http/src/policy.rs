//! Which URLs may be requested.

use std::net::SocketAddr;

use freshcontext_contract::SourceError;
use freshcontext_contract::url::Url;

/// What the policy must know of the configuration.
#[derive(Debug, Clone, Default)]
pub struct PolicyConfig {
    /// Judge NAT64 addresses by the IPv4 address inside.
    pub allow_nat64: bool,
    /// Our own listeners.
    pub own_addresses: Vec<SocketAddr>,
}

/// Judges a URL before any name is looked up.
pub fn check_url(_url: &Url, _config: &PolicyConfig) -> Result<(), SourceError> {
    Ok(())
}
