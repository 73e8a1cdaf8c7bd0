//! The reqwest clients, built on first use, so that a server that fetches nothing loads nothing.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use freshcontext_contract::SourceError;
use freshcontext_contract::url::Url;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::dns::{Addrs, Name, Resolving};
use rustls::client::Resumption;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use crate::config::ProxyConfig;
use crate::config_error::ConfigError;
use crate::policy::{PolicyConfig, check_url, fits_dns};
use crate::ports::{Dial, Resolve, ResolveError};
use crate::step::{SeenLayer, SeenSessions, Step, now_at};

/// Maximum number of addresses dialled per name.
const ADDRESSES: usize = 16;
/// Maximum number of idle connections per host, and their lifetime. A reused connection saves a handshake, but
/// conversations rarely return to a host after a minute.
const IDLE_PER_HOST: usize = 2;
const IDLE_TIME: Duration = Duration::from_secs(30);
/// Number of TLS sessions stored for resumption.
const SESSIONS: usize = 32;

/// Way in which a request reaches its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialMode {
    /// Direct; every address is checked.
    Guarded,
    /// To a base that the operator chose; its addresses are not checked.
    Chosen,
    /// Through the operator's proxy; the target was checked before.
    Proxied,
}

pub(crate) struct Clients {
    settings: Settings,
    guarded: OnceLock<Result<Client, String>>,
    chosen: OnceLock<Result<Client, String>>,
    proxied: OnceLock<Result<Client, String>>,
    through_proxy: Option<Matcher>,
}

#[expect(
    clippy::disallowed_types,
    reason = "this is the one place that opens sockets to the outside"
)]
pub(crate) type Client = reqwest::Client;

struct Settings {
    guard: Arc<Guard>,
    extra_ca: Vec<CertificateDer<'static>>,
    proxy: Option<ProxyConfig>,
    user_agent: String,
    header_fields: usize,
}

impl Clients {
    pub(crate) fn new(
        guard: Arc<Guard>,
        extra_ca_pem: Option<&[u8]>,
        proxy: Option<ProxyConfig>,
        user_agent: String,
        header_fields: usize,
    ) -> Result<Self, ConfigError> {
        let extra_ca = extra_ca_pem.map_or_else(|| Ok(Vec::new()), read_pem)?;
        let through_proxy = proxy.as_ref().map(matcher).transpose()?;
        Ok(Self {
            settings: Settings {
                guard,
                extra_ca,
                proxy,
                user_agent,
                header_fields,
            },
            guarded: OnceLock::new(),
            chosen: OnceLock::new(),
            proxied: OnceLock::new(),
            through_proxy,
        })
    }

    /// Returns whether this address is reached through the operator's proxy.
    pub(crate) fn uses_proxy(&self, url: &Url) -> bool {
        self.through_proxy.as_ref().is_some_and(|matcher| {
            url.as_str()
                .parse::<http::Uri>()
                .is_ok_and(|uri| matcher.intercept(&uri).is_some())
        })
    }

    pub(crate) fn get(&self, mode: DialMode) -> Result<&Client, String> {
        let cell = match mode {
            DialMode::Guarded => &self.guarded,
            DialMode::Chosen => &self.chosen,
            DialMode::Proxied => &self.proxied,
        };
        cell.get_or_init(|| self.settings.build(mode))
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl Settings {
    #[expect(
        clippy::disallowed_types,
        reason = "this is the one place that opens sockets to the outside"
    )]
    fn build(&self, mode: DialMode) -> Result<Client, String> {
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls()?)
            .user_agent(&self.user_agent)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .http1_only()
            .http1_max_headers(self.header_fields)
            .pool_max_idle_per_host(IDLE_PER_HOST)
            .pool_idle_timeout(IDLE_TIME)
            .connector_layer(SeenLayer);
        builder = match mode {
            DialMode::Guarded => builder.dns_resolver(Guarded(Arc::clone(&self.guard))),
            DialMode::Chosen | DialMode::Proxied => builder.dns_resolver(Unguarded(Arc::clone(&self.guard))),
        };
        if mode == DialMode::Proxied
            && let Some(proxy) = &self.proxy
        {
            let proxy =
                reqwest::Proxy::all(proxy.url.as_str()).map_err(|_| "the proxy's address is unusable")?;
            builder = builder.proxy(proxy);
        }
        builder
            .build()
            .map_err(|error| format!("the HTTP client cannot be built: {error}"))
    }

    /// Returns the public authorities and those of the operator.
    fn roots(&self) -> Result<rustls::RootCertStore, String> {
        let mut roots = rustls::RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        };
        for certificate in &self.extra_ca {
            roots
                .add(certificate.clone())
                .map_err(|error| format!("extra certificate authority: {error}"))?;
        }
        Ok(roots)
    }

    fn tls(&self) -> Result<rustls::ClientConfig, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(self.roots()?)
            .with_no_client_auth();
        config.resumption = Resumption::store(Arc::new(SeenSessions::new(SESSIONS)));
        Ok(config)
    }
}

fn read_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ConfigError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match found {
        Ok(certificates) if !certificates.is_empty() => {
            let mut store = rustls::RootCertStore::empty();
            for certificate in &certificates {
                store.add(certificate.clone()).map_err(|error| {
                    ConfigError(format!(
                        "the extra CA file holds an unusable certificate: {error}"
                    ))
                })?;
            }
            Ok(certificates)
        }
        _ => Err(ConfigError(
            "the extra CA file holds no PEM certificate".to_owned(),
        )),
    }
}

fn matcher(proxy: &ProxyConfig) -> Result<Matcher, ConfigError> {
    let usable = matches!(proxy.url.scheme(), "http" | "https") && proxy.url.host_str().is_some();
    if !usable || reqwest::Proxy::all(proxy.url.as_str()).is_err() {
        return Err(ConfigError(
            "the proxy's address must be http:// or https://, a host and a port".to_owned(),
        ));
    }
    Ok(Matcher::builder()
        .all(proxy.url.as_str().to_owned())
        .no(proxy.no_proxy.as_str())
        .build())
}

/// Reason why the guarded resolver returned no addresses.
#[derive(Debug, Clone)]
pub(crate) enum Refused {
    /// The name could not be resolved.
    Dns(ResolveError),
    /// One of its addresses belongs to this denied class.
    Class(&'static str),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dns(error) => error.fmt(f),
            Self::Class(class) => write!(f, "denied address ({class})"),
        }
    }
}

impl std::error::Error for Refused {}

/// A resolver that checks every address.
pub(crate) struct Guard {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) dial: Arc<dyn Dial>,
    pub(crate) policy: std::sync::RwLock<PolicyConfig>,
}

impl Guard {
    /// Checks an address itself, before any name lookup.
    pub(crate) fn check(&self, url: &Url) -> Result<(), SourceError> {
        let policy = self
            .policy
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        check_url(url, &policy)
    }

    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, Refused> {
        if !fits_dns(name) {
            return Err(Refused::Dns(ResolveError::Failed(
                "not a name that DNS can hold".to_owned(),
            )));
        }
        let found = self.resolver.resolve(name).await.map_err(Refused::Dns)?;
        if found.is_empty() {
            return Err(Refused::Dns(ResolveError::NoSuchName));
        }
        Ok(found)
    }

    /// Returns the addresses of a name if all of them may be dialled. One denied address refuses the whole name,
    /// since an honest public name has none.
    pub(crate) async fn permitted(&self, name: &str) -> Result<Vec<IpAddr>, Refused> {
        let mut found = self.resolve(name).await?;
        let policy = self
            .policy
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for address in &found {
            policy.check(*address).map_err(Refused::Class)?;
        }
        found.truncate(ADDRESSES);
        Ok(found)
    }
}

struct Guarded(Arc<Guard>);

impl reqwest::dns::Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            now_at(Step::Dns);
            let checked = guard.permitted(name.as_str()).await?;
            now_at(Step::Connect);
            let sockets = guard.dial.sockets(name.as_str(), &checked);
            Ok(Box::new(sockets.into_iter()) as Addrs)
        })
    }
}

struct Unguarded(Arc<Guard>);

impl reqwest::dns::Resolve for Unguarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.0);
        Box::pin(async move {
            now_at(Step::Dns);
            let found = guard.resolve(name.as_str()).await?;
            now_at(Step::Connect);
            let sockets: Vec<_> = found
                .into_iter()
                .map(|address| std::net::SocketAddr::new(address, 0))
                .collect();
            Ok(Box::new(sockets.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};

    use super::*;
    use crate::testing::{Names, TestClock};

    #[test]
    fn b23_an_authority_of_the_operators_comes_beside_the_public_ones() {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let config = crate::config::Config::new(TestClock::new());
        let guard = Arc::new(Guard {
            resolver: Arc::new(Names::default()),
            dial: config.dial,
            policy: std::sync::RwLock::default(),
        });
        let pem = authority.pem();
        let clients = Clients::new(guard, Some(pem.as_bytes()), None, String::new(), 10).unwrap();
        let roots = clients.settings.roots().unwrap().roots;
        assert!(webpki_roots::TLS_SERVER_ROOTS.len() > 100);
        assert_eq!(roots.len(), webpki_roots::TLS_SERVER_ROOTS.len() + 1);
        for public in webpki_roots::TLS_SERVER_ROOTS {
            assert!(roots.contains(public), "{public:?}");
        }
    }
}
