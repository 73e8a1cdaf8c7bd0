//! The operator's configuration of outgoing requests.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use freshcontext_contract::url::Url;
use freshcontext_contract::{Clock, Descriptor, Limits};

use crate::config_error::ConfigError;
use crate::coordination::Coordinate;
use crate::deny::Deny;
use crate::ports::{
    Dial, DirectDial, Jitter, Observe, Resolve, SpreadJitter, SystemResolver, Timer, TokioTimer,
};

/// Configuration of a [`Pipeline`](crate::pipeline::Pipeline).
#[derive(Clone)]
pub struct Config {
    /// Limits on time, size and concurrency.
    pub limits: Limits,
    /// Hosts whose requests go to a base address that the operator chose.
    pub upstreams: Vec<Upstream>,
    /// Proxy for outgoing requests. The proxy variables of the environment have an effect only if the server copies
    /// them here.
    pub proxy: Option<ProxyConfig>,
    /// Additional trusted certificate authorities, as PEM.
    pub extra_ca_pem: Option<Vec<u8>>,
    /// Secrets by environment variable name. A blank value counts as unset.
    pub secrets: HashMap<String, String>,
    /// The operator's contact address for the user agent (SEC requires one).
    pub contact: Option<String>,
    /// Whether NAT64 addresses are checked by the IPv4 address that they contain instead of being refused. For
    /// IPv6-only networks.
    pub allow_nat64: bool,
    /// Addresses and names that the operator denies.
    pub deny: Deny,
    /// Addresses of the server's own listeners, which are never a valid target.
    pub own_addresses: Vec<SocketAddr>,
    /// All sources. A source's published limits apply to its hosts, whichever tool sends the request.
    pub descriptors: Vec<&'static Descriptor>,
    /// Wall clock, for `retrieved_at`.
    pub clock: Arc<dyn Clock>,
    /// Monotonic clock.
    pub timer: Arc<dyn Timer>,
    /// Name resolver.
    pub resolver: Arc<dyn Resolve>,
    /// Mapping from checked addresses to sockets.
    pub dial: Arc<dyn Dial>,
    /// Source of randomness.
    pub jitter: Arc<dyn Jitter>,
    /// Optional observer of every exchange.
    pub observer: Option<Arc<dyn Observe>>,
    /// What other replicas of this server share, if there are any.
    pub shared: Option<Arc<dyn Coordinate>>,
}

impl Config {
    /// Returns the default configuration: direct connections, public certificate authorities, no secrets, no sources.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            limits: Limits::DEFAULT,
            upstreams: Vec::new(),
            proxy: None,
            extra_ca_pem: None,
            secrets: HashMap::new(),
            contact: None,
            allow_nat64: false,
            deny: Deny::default(),
            own_addresses: Vec::new(),
            descriptors: Vec::new(),
            clock,
            timer: Arc::new(TokioTimer),
            resolver: Arc::new(SystemResolver),
            dial: Arc::new(DirectDial),
            jitter: Arc::new(SpreadJitter::new()),
            observer: None,
            shared: None,
        }
    }
}

impl fmt::Debug for Config {
    /// Shows which settings are present; never shows secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("upstreams", &self.upstreams)
            .field("proxy", &self.proxy.is_some())
            .field("secrets", &self.secrets.len())
            .field("descriptors", &self.descriptors.len())
            .finish_non_exhaustive()
    }
}

/// A proxy for outgoing requests.
#[derive(Clone)]
pub struct ProxyConfig {
    /// Address of the proxy (`http://` or `https://`), with credentials if the proxy requires them.
    pub url: Url,
    /// Hosts that are reached directly, as in `NO_PROXY`: names, `.suffixes`, addresses, networks, `*`.
    pub no_proxy: String,
}

impl fmt::Debug for ProxyConfig {
    /// Omits the proxy's credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyConfig")
            .field("host", &self.url.host_str())
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

/// Redirection of a host's requests to a base address that the operator chose (a mirror, a recording proxy). Only
/// that base is exempt from the egress guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// The host, in lower case; `None` for every host.
    pub host: Option<String>,
    /// Base address. A request keeps its path and query, appended to the base's own path.
    pub base: Url,
}

impl Upstream {
    /// Parses `host=base` or `*=base`.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let wrong = |why: &str| ConfigError(format!("upstream `{}` {why}", text.trim()));
        let (host, base) = text.trim().split_once('=').ok_or_else(|| {
            wrong("is not of the form host=base, for example example.org=http://127.0.0.1:9000")
        })?;
        let base = Url::parse(base.trim()).map_err(|_| wrong("has a base that is not an address"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong("has a base that is not http or https"));
        }
        if base.query().is_some() || base.fragment().is_some() || !base.username().is_empty() {
            return Err(wrong("has a base with a query, fragment or user name"));
        }
        let host = host.trim().trim_end_matches('.').to_ascii_lowercase();
        match host.as_str() {
            "" => Err(wrong("names no host")),
            "*" => Ok(Self { host: None, base }),
            _ => Ok(Self {
                host: Some(host),
                base,
            }),
        }
    }

    /// Parses a comma-separated list of entries in the form of [`parse`](Self::parse). Skips blank entries.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ConfigError> {
        text.split(',')
            .filter(|entry| !entry.trim().is_empty())
            .map(Self::parse)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upstreams_are_read() {
        let list =
            Upstream::parse_list("API.example.org=http://127.0.0.1:9000, *=https://mirror.test/x,").unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].host.as_deref(), Some("api.example.org"));
        assert_eq!(list[0].base.as_str(), "http://127.0.0.1:9000/");
        assert_eq!(list[1].host, None);
    }

    #[test]
    fn upstreams_that_cannot_work_are_refused_with_the_entry_named() {
        for bad in [
            "example.org",
            "=http://a.test",
            "a.test=ftp://b.test",
            "a.test=nonsense",
            "a.test=http://u@b.test",
        ] {
            let error = Upstream::parse(bad).unwrap_err();
            assert!(error.to_string().contains(bad), "{error}");
        }
    }
}
