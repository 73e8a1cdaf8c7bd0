//! The settings of one run, as typed values.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{Clock, FixedClock, Limits};
use freshcontext_store::{Bounds, Place, Retention, Store};
use ipnet::IpNet;

use crate::SystemClock;

/// A day in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// Everything an operator can set. Built by [`load`](super::load); the defaults are safe ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The table of limits.
    pub limits: Limits,
    /// Where requests for a host go instead: `(host or *, base address)`.
    pub upstreams: Vec<(String, String)>,
    /// The moment at which a replay's time stands: answers are dated and scored as of then. None: the real time.
    pub replay_at: Option<DateTime<Utc>>,
    /// Who to write to about our requests; some sources ask for it in the user agent.
    pub contact: Option<String>,
    /// Folder for files of the server's own. None are kept at present.
    pub data_dir: Option<PathBuf>,
    /// What the key that seals cursors is made of, so that several processes can share one.
    pub cursor_secret: Option<Secret>,
    /// Filter of the log on stderr.
    pub log: String,
    /// Adapter ids whose tools are not offered.
    pub disable_sources: Vec<String>,
    /// Decay per hour by class, in place of the built-in table's.
    pub decay: BTreeMap<String, f64>,
    /// Whether the proxy variables of the environment count.
    pub proxy: bool,
    /// Addresses, networks and names that are never reached, beside those that nobody may reach.
    pub egress_deny: Vec<String>,
    /// PEM file of certificate authorities to trust beside the built-in ones.
    pub extra_ca: Option<PathBuf>,
    /// Whether answers of sources are cached in memory.
    pub cache: bool,
    /// Groups of tools beside the usual ones: `time`.
    pub toolsets: Vec<String>,
    /// Where the toolset `time` keeps what it must remember.
    pub store: StoreMode,
    /// Address of a Postgres database in place of the data folder.
    pub database_url: Option<Secret>,
    /// The HTTP service.
    pub http: HttpSettings,
}

/// Where things are kept between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreMode {
    /// In the data folder, or in the database of `database_url`.
    #[default]
    Folder,
    /// In memory, for the life of the process.
    Memory,
    /// Nowhere.
    Off,
}

impl StoreMode {
    /// All, with their names in the settings.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("folder", Self::Folder),
        ("memory", Self::Memory),
        ("off", Self::Off),
    ];
}

/// Settings of the HTTP service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Address and port to listen on.
    pub addr: SocketAddr,
    /// Bearer token that callers must send. Required where the address is not a loopback one.
    pub token: Option<Secret>,
    /// Further tokens by the name of who holds each.
    pub tokens: BTreeMap<String, Secret>,
    /// Values of `Host` that are answered, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// Values of `Origin` that are answered, `https://example.com:*` for any port.
    pub allowed_origins: Vec<String>,
    /// Whether callers on this machine are one client, too.
    pub limit_loopback: bool,
    /// Networks of proxies, each of which speaks for many callers.
    pub proxies: Vec<IpNet>,
    /// Whether `GET /metrics` answers.
    pub metrics: bool,
}

/// A secret: never printed, not even by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(set)")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::DEFAULT,
            upstreams: Vec::new(),
            replay_at: None,
            contact: None,
            data_dir: None,
            cursor_secret: None,
            log: "warn".to_owned(),
            disable_sources: Vec::new(),
            decay: BTreeMap::new(),
            proxy: false,
            egress_deny: Vec::new(),
            extra_ca: None,
            cache: true,
            toolsets: vec!["default".to_owned()],
            store: StoreMode::default(),
            database_url: None,
            http: HttpSettings::default(),
        }
    }
}

impl Default for HttpSettings {
    fn default() -> Self {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        Self {
            addr: SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)),
            token: None,
            tokens: BTreeMap::new(),
            allowed_hosts: names(&["localhost", "127.0.0.1", "::1"]),
            allowed_origins: names(&["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]),
            limit_loopback: false,
            proxies: Vec::new(),
            metrics: false,
        }
    }
}

impl HttpSettings {
    /// Every token that is taken, with the name of who holds it where it has one.
    pub fn all_tokens(&self) -> impl Iterator<Item = (Option<&str>, &Secret)> {
        let one = self.token.iter().map(|token| (None, token));
        one.chain(
            self.tokens
                .iter()
                .map(|(name, token)| (Some(name.as_str()), token)),
        )
    }
}

impl Settings {
    /// What the key that seals cursors is made of; nothing where it is random.
    pub fn cursor_secrets(&self) -> Vec<&Secret> {
        match &self.cursor_secret {
            Some(secret) => vec![secret],
            None => self.http.all_tokens().map(|(_, token)| token).collect(),
        }
    }

    /// What tells the time: the system, or a replay's one moment.
    pub fn clock(&self) -> Arc<dyn Clock> {
        match self.replay_at {
            Some(moment) => Arc::new(FixedClock(moment)),
            None => Arc::new(SystemClock),
        }
    }

    /// Whether the toolset `time` is on.
    pub fn with_time(&self) -> bool {
        self.toolsets.iter().any(|name| name == "time")
    }

    /// The store as it is set; nothing is opened yet. `None` where nothing is to be kept.
    pub fn store(&self) -> Option<Store> {
        let place = match (self.store, &self.database_url) {
            (StoreMode::Off, _) => return None,
            (StoreMode::Memory, _) => Place::Memory,
            (StoreMode::Folder, Some(address)) => Place::Postgres(address.expose().to_owned()),
            // Without a folder there is nowhere else.
            (StoreMode::Folder, None) => self.data_folder().map_or(Place::Memory, Place::Folder),
        };
        let days = i64::try_from(self.limits.answers_days).unwrap_or(i64::MAX);
        let retention = Retention {
            answers: self.limits.answers_kept,
            age_ms: days.saturating_mul(DAY_MS),
            deliverables: i64::try_from(self.limits.deliverables_kept).unwrap_or(i64::MAX),
            versions: i64::try_from(self.limits.versions_kept).unwrap_or(i64::MAX),
            records: i64::try_from(self.limits.records_kept).unwrap_or(i64::MAX),
        };
        let limits = &self.limits;
        let bounds = Bounds {
            wait: Duration::from_millis(limits.store_wait_ms),
            operation: Duration::from_millis(limits.store_operation_ms),
            retry: Duration::from_millis(limits.store_retry_ms),
            most_retry: Duration::from_millis(limits.store_max_retry_ms),
        };
        let store = Store::bounded(place, retention, bounds);
        Some(if self.replay_at.is_some() {
            store.in_replay()
        } else {
            store
        })
    }

    /// The folder for the server's own files, where one is known.
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.data_dir.clone().or_else(|| {
            directories::ProjectDirs::from("", "", "freshcontext").map(|dirs| dirs.data_dir().to_path_buf())
        })
    }
}
