//! Typed settings of one run.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use freshcontext_contract::{Clock, FixedClock, Limits};
use freshcontext_store::{Bounds, Place, Retention, Store};
use ipnet::IpNet;

use crate::clock::SystemClock;
use crate::host_rule::HostRule;
use crate::oauth::OAuthSettings;

/// A day in milliseconds.
const DAY_MS: i64 = 86_400_000;

/// Everything an operator can configure. Built by [`load`](super::load); the defaults are safe.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Limits on time, size and concurrency.
    pub limits: Limits,
    /// Upstream routes: `(host or *, base address)`.
    pub upstreams: Vec<(String, String)>,
    /// Fixed time of a replay: results are dated and scored as of this moment. `None` means real time.
    pub replay_at: Option<DateTime<Utc>>,
    /// Contact of the operator for the user agent; some sources require one.
    pub contact: Option<String>,
    /// Folder for the server's own files.
    pub data_dir: Option<PathBuf>,
    /// Key material for sealing cursors, shared by several processes.
    pub cursor_secret: Option<Secret>,
    /// Log filter for stderr.
    pub log: String,
    /// Form of the lines of the log.
    pub log_format: LogFormat,
    /// Ids of disabled adapters; their tools are not offered.
    pub disable_sources: Vec<String>,
    /// Decay rates per hour by class, in place of the built-in ones.
    pub decay: BTreeMap<String, f64>,
    /// Whether the environment's proxy variables apply.
    pub proxy: bool,
    /// Addresses, networks and names to block in addition to the built-in list.
    pub egress_deny: Vec<String>,
    /// PEM file of additional certificate authorities.
    pub extra_ca: Option<PathBuf>,
    /// Whether source responses are cached in memory.
    pub cache: bool,
    /// Additional toolsets: `time`, `references`, or `all`.
    pub toolsets: Vec<String>,
    /// Storage mode of the toolset `time`.
    pub store: StoreMode,
    /// Address of a Postgres database, used instead of the data folder.
    pub database_url: Option<Secret>,
    /// Address of a Redis server through which replicas share limits and the cache.
    pub redis_url: Option<Secret>,
    /// Number of replicas, for a process that has not learned it from Redis.
    pub replicas: u32,
    /// Keys that sign verdicts and answers.
    pub signing: SigningSettings,
    /// Where traces and metrics are exported to.
    pub otel: OtelSettings,
    /// Settings of webhooks.
    pub webhook: WebhookSettings,
    /// Settings of the HTTP service.
    pub http: HttpSettings,
}

/// Settings of webhooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookSettings {
    /// Secret of the signatures, instead of a generated one for each webhook.
    pub secret: Option<Secret>,
    /// Whether changes may be posted to `http` addresses.
    pub allow_http: bool,
}

/// Storage mode between calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoreMode {
    /// Stores in the data folder, or in the database of `database_url`.
    #[default]
    Folder,
    /// Stores in memory for the lifetime of the process.
    Memory,
    /// Stores nothing.
    Off,
}

/// Form of the lines of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object for each line.
    Json,
}

impl LogFormat {
    /// All forms with their names in the settings.
    pub const NAMES: [(&'static str, Self); 2] = [("text", Self::Text), ("json", Self::Json)];
}

impl StoreMode {
    /// All modes with their names in the settings.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("folder", Self::Folder),
        ("memory", Self::Memory),
        ("off", Self::Off),
    ];
}

/// Settings of the HTTP service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Listening address and port.
    pub addr: SocketAddr,
    /// Bearer token that callers must send. Required unless the address is a loopback address.
    pub token: Option<Secret>,
    /// Additional tokens by the names of their holders.
    pub tokens: BTreeMap<String, Secret>,
    /// Access tokens of an issuer, beside these tokens.
    pub oauth: OAuthSettings,
    /// File of more named tokens. [`load`](super::load) adds them to `tokens`.
    pub tokens_file: Option<PathBuf>,
    /// Accepted `Host` values.
    pub allowed_hosts: Vec<HostRule>,
    /// Accepted `Origin` values; `https://example.com:*` accepts any port.
    pub allowed_origins: Vec<String>,
    /// Whether all callers on this machine share one client's limits.
    pub limit_loopback: bool,
    /// Networks of proxies. A proxy's address stands for many callers.
    pub proxies: Vec<IpNet>,
    /// Whether `GET /metrics` is served.
    pub metrics: bool,
    /// Token that opens `GET /metrics` and nothing else.
    pub metrics_token: Option<Secret>,
}

/// Keys that sign verdicts and answers. Without any, nothing is signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SigningSettings {
    /// Private keys by id: a seed in base64, or `file:` and the name of a file that holds it.
    pub keys: BTreeMap<String, Secret>,
    /// Id of the key that signs; by default the last one by id that is not retired.
    pub key: Option<String>,
    /// When retired keys ended, by id.
    pub retired: BTreeMap<String, DateTime<Utc>>,
}

/// Export of traces and metrics. Without an endpoint, nothing is exported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtelSettings {
    /// Base address of a collector that takes OTLP over HTTP.
    pub endpoint: Option<String>,
    /// Headers of each export by name.
    pub headers: BTreeMap<String, Secret>,
}

/// A secret: never printed, not even by `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Returns the plain secret.
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
            log_format: LogFormat::default(),
            disable_sources: Vec::new(),
            decay: BTreeMap::new(),
            proxy: false,
            egress_deny: Vec::new(),
            extra_ca: None,
            cache: true,
            toolsets: vec!["default".to_owned()],
            store: StoreMode::default(),
            database_url: None,
            redis_url: None,
            replicas: 2,
            signing: SigningSettings::default(),
            otel: OtelSettings::default(),
            webhook: WebhookSettings::default(),
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
            oauth: OAuthSettings::default(),
            tokens_file: None,
            allowed_hosts: ["localhost", "127.0.0.1", "::1"]
                .map(|host| HostRule::Exact(host.to_owned(), None))
                .to_vec(),
            allowed_origins: names(&["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"]),
            limit_loopback: false,
            proxies: Vec::new(),
            metrics: false,
            metrics_token: None,
        }
    }
}

impl HttpSettings {
    /// Returns whether `GET /metrics` is served: it is switched on, or has a token of its own.
    pub const fn serves_metrics(&self) -> bool {
        self.metrics || self.metrics_token.is_some()
    }

    /// Returns every accepted token, with its holder's name if it has one.
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
    /// Returns the key material for sealing cursors; empty if the key is random.
    pub fn cursor_secrets(&self) -> Vec<&Secret> {
        match &self.cursor_secret {
            Some(secret) => vec![secret],
            None => self.http.all_tokens().map(|(_, token)| token).collect(),
        }
    }

    /// Returns the clock: the system's, or the fixed time of a replay.
    pub fn clock(&self) -> Arc<dyn Clock> {
        match self.replay_at {
            Some(moment) => Arc::new(FixedClock(moment)),
            None => Arc::new(SystemClock),
        }
    }

    /// Returns whether the toolset `time` is enabled.
    pub fn with_time(&self) -> bool {
        self.has_toolset("time")
    }

    /// Returns whether the toolset `references` is enabled.
    pub fn with_references(&self) -> bool {
        self.has_toolset("references")
    }

    fn has_toolset(&self, wanted: &str) -> bool {
        self.toolsets.iter().any(|name| name == wanted || name == "all")
    }

    /// Returns the configured store, unopened. `None` if storage is off.
    pub fn store(&self) -> Option<Store> {
        let place = match (self.store, &self.database_url) {
            (StoreMode::Off, _) => return None,
            (StoreMode::Memory, _) => Place::Memory,
            (StoreMode::Folder, Some(address)) => Place::Postgres(address.expose().to_owned()),
            // Without a data folder, the store uses memory.
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
            read_bytes: limits.store_read_bytes,
        };
        let store = Store::bounded(place, retention, bounds);
        Some(if self.replay_at.is_some() {
            store.in_replay()
        } else {
            store
        })
    }

    /// Returns the folder for the server's own files, if one is known.
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.data_dir.clone().or_else(|| {
            directories::ProjectDirs::from("", "", "freshcontext").map(|dirs| dirs.data_dir().to_path_buf())
        })
    }
}
