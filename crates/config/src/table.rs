//! The single table of settings. Parsing, help, documentation and error messages all derive from it.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use chrono::DateTime;
use freshcontext_contract::Limits;
use ipnet::IpNet;
use serde_json::Value;
use url::Url;

use crate::host_rule::HostRule;
use crate::oauth;
use crate::settings::{LogFormat, Secret, Settings, StoreMode};
use crate::tokens::named;

/// Minimum length, in characters, of a secret that must resist guessing. Sixteen characters of base64 are 96 bits,
/// which cannot be guessed at one client's rate limit, with any number of clients.
pub const LONG_SECRET: usize = 16;
/// Maximum number of replicas.
const REPLICAS: u32 = 1_000;

/// One setting.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Dotted key in the file, for example `http.addr`.
    pub key: String,
    /// Environment variable name.
    pub env: String,
    /// Kind of its value.
    pub kind: Kind,
    /// One-line description for the documentation.
    pub about: &'static str,
    /// How the value is stored.
    how: How,
}

/// Kind of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Text that is never displayed.
    Secret,
    /// `true` or `false`.
    Bool,
    /// A whole number of 0 or more.
    Integer,
    /// A list of texts; comma-separated in the environment.
    List,
    /// Texts by name, `name=value`, comma-separated in the environment.
    Texts,
    /// Numbers by name, `name=value`, comma-separated in the environment.
    Numbers,
    /// Secrets by name, `name=value`, comma-separated in the environment.
    Secrets,
}

impl Kind {
    /// Returns the kind in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Secret => "text (secret)",
            Self::Bool => "true or false",
            Self::Integer => "whole number",
            Self::List => "list of texts",
            Self::Texts => "table of texts",
            Self::Numbers => "table of numbers",
            Self::Secrets => "table of texts (secret)",
        }
    }

    /// Returns whether the setting's key is itself a table with free names.
    pub const fn is_table(self) -> bool {
        matches!(self, Self::Texts | Self::Numbers | Self::Secrets)
    }
}

#[derive(Debug, Clone, Copy)]
enum How {
    Limit(&'static str),
    Own {
        store: fn(&mut Settings, &Value) -> Result<(), String>,
        show: fn(&Settings) -> String,
    },
}

impl Setting {
    /// Stores a value. The error describes the problem without the key.
    pub fn store(&self, settings: &mut Settings, value: &Value) -> Result<(), String> {
        match self.how {
            How::Limit(name) => super::limits::store(&mut settings.limits, name, value),
            How::Own { store, .. } => store(settings, value),
        }
    }

    /// Parses a text (environment, `--set`) by the setting's kind and stores the value.
    pub fn store_text(&self, settings: &mut Settings, text: &str) -> Result<(), String> {
        self.store(settings, &self.read_text(text)?)
    }

    fn read_text(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let parts = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Ok(match self.kind {
            Kind::Text | Kind::Secret => Value::from(text),
            Kind::Bool => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" | "yes" => Value::from(true),
                "false" | "0" | "off" | "no" => Value::from(false),
                _ => return Err("must be true or false".to_owned()),
            },
            Kind::Integer => Value::from(
                text.parse::<u64>()
                    .map_err(|_| "must be a whole number of 0 or more")?,
            ),
            Kind::List => parts().map(Value::from).collect(),
            Kind::Texts | Kind::Numbers | Kind::Secrets => {
                let mut table = serde_json::Map::new();
                for part in parts() {
                    let (name, value) = part
                        .split_once('=')
                        .ok_or("must have the form name=value,name=value")?;
                    let value = if self.kind == Kind::Numbers {
                        let number: f64 = value.trim().parse().map_err(|_| "must hold numbers")?;
                        Value::from(number)
                    } else {
                        Value::from(value.trim())
                    };
                    // Which of the two is meant, nobody can tell; in a file TOML refuses it, too.
                    if table.insert(name.trim().to_owned(), value).is_some() {
                        return Err(format!("names `{}` twice", name.trim()));
                    }
                }
                Value::Object(table)
            }
        })
    }

    /// Returns the current value as text; a secret only as set or not set.
    pub fn show(&self, settings: &Settings) -> String {
        match self.how {
            How::Limit(name) => super::limits::show(&settings.limits, name),
            How::Own { show, .. } => show(settings),
        }
    }
}

/// Returns all settings, in the order of the documentation.
pub fn settings() -> Vec<Setting> {
    let own = |key: &'static str, kind, about, store, show| Setting {
        key: key.to_owned(),
        env: format!("FRESHCONTEXT_{}", key.replace('.', "_").to_ascii_uppercase()),
        kind,
        about,
        how: How::Own { store, show },
    };
    let mut all = vec![
        own(
            "contact",
            Kind::Text,
            "Who to write to about our requests (an e-mail address or a page). Sent in the user agent; SEC EDGAR asks for it.",
            |settings, value| {
                let text = text(value)?;
                if text.chars().any(char::is_control) || text.len() > 200 {
                    return Err("must be one line of at most 200 characters".to_owned());
                }
                settings.contact = filled(text);
                Ok(())
            },
            |settings| settings.contact.clone().unwrap_or_default(),
        ),
        own(
            "data_dir",
            Kind::Text,
            "Folder for files of the server's own: the database of the toolset `time`. It is made, or narrowed, so that only its owner can read it.",
            |settings, value| {
                settings.data_dir = filled(text(value)?).map(PathBuf::from);
                Ok(())
            },
            |settings| {
                settings
                    .data_dir
                    .as_ref()
                    .map(|dir| dir.display().to_string())
                    .unwrap_or_default()
            },
        ),
        own(
            "cursor_secret",
            Kind::Secret,
            "What the key that seals page cursors is made of, at least 16 characters. Processes with the same one read each other's cursors. Without it the key is made of the HTTP tokens; without those either it is random, and cursors end with the process, which is one call for `freshcontext call`.",
            |settings, value| {
                let text = text(value)?;
                if !text.is_empty() && text.chars().count() < LONG_SECRET {
                    return Err(format!("must have at least {LONG_SECRET} characters"));
                }
                settings.cursor_secret = filled(text).map(Secret::new);
                Ok(())
            },
            |settings| set(settings.cursor_secret.is_some()),
        ),
        own(
            "log",
            Kind::Text,
            "What to log on stderr: error, warn, info, debug, trace or off, or a filter such as `warn,freshcontext_fetch=debug`.",
            |settings, value| {
                let text = text(value)?;
                if tracing_subscriber::EnvFilter::try_new(&text).is_err() {
                    return Err(
                        "must be a level (error, warn, info, debug, trace, off) or a filter".to_owned(),
                    );
                }
                settings.log = text;
                Ok(())
            },
            |settings| settings.log.clone(),
        ),
        own(
            "log_format",
            Kind::Text,
            "Form of the log's lines: text, or json with one object for each line.",
            |settings, value| {
                let given = text(value)?;
                let named = LogFormat::NAMES.iter().find(|(name, _)| *name == given);
                settings.log_format = named.ok_or("must be text or json")?.1;
                Ok(())
            },
            |settings| {
                let named = LogFormat::NAMES
                    .iter()
                    .find(|(_, format)| *format == settings.log_format);
                named.map_or("", |(name, _)| name).to_owned()
            },
        ),
        own(
            "disable_sources",
            Kind::List,
            "Adapters whose tools are not offered at all.",
            |settings, value| {
                settings.disable_sources = list(value)?;
                Ok(())
            },
            |settings| settings.disable_sources.join(","),
        ),
        own(
            "decay",
            Kind::Numbers,
            "Decay per hour by class, in place of the built-in value (half-life in hours = 0.693 / decay).",
            |settings, value| {
                let table = value.as_object().ok_or("must be a table of numbers")?;
                for (name, value) in table {
                    let number = value
                        .as_f64()
                        .filter(|number| number.is_finite() && *number > 0.0);
                    let number =
                        number.ok_or_else(|| format!("must hold numbers above 0 (`{name}` does not)"))?;
                    settings.decay.insert(name.clone(), number);
                }
                Ok(())
            },
            |settings| {
                pairs(
                    settings
                        .decay
                        .iter()
                        .map(|(name, value)| (name, value.to_string())),
                )
            },
        ),
        own(
            "cache",
            Kind::Bool,
            "Whether answers of sources are kept in memory for as long as the source allows.",
            |settings, value| {
                settings.cache = boolean(value)?;
                Ok(())
            },
            |settings| settings.cache.to_string(),
        ),
        own(
            "proxy",
            Kind::Bool,
            "Whether HTTPS_PROXY, HTTP_PROXY and NO_PROXY count.",
            |settings, value| {
                settings.proxy = boolean(value)?;
                Ok(())
            },
            |settings| settings.proxy.to_string(),
        ),
        own(
            "egress.deny",
            Kind::List,
            "Addresses (`192.0.2.1`), networks (`192.0.2.0/24`) and hosts (`example.com`, all below it with `*.example.com`) that are never reached, beside the private and special ones, which never are. Redirects and what names resolve to count.",
            |settings, value| {
                let entries = list(value)?;
                freshcontext_fetch::Deny::parse(&entries)
                    .map_err(|error| format!("holds a wrong entry: {error}"))?;
                settings.egress_deny = entries;
                Ok(())
            },
            |settings| settings.egress_deny.join(","),
        ),
        own(
            "extra_ca",
            Kind::Text,
            "PEM file of certificate authorities to trust beside the built-in ones.",
            |settings, value| {
                settings.extra_ca = filled(text(value)?).map(PathBuf::from);
                Ok(())
            },
            |settings| {
                settings
                    .extra_ca
                    .as_ref()
                    .map(|file| file.display().to_string())
                    .unwrap_or_default()
            },
        ),
        Setting {
            key: "upstreams".to_owned(),
            env: "FRESHCONTEXT_UPSTREAM".to_owned(),
            kind: Kind::Texts,
            about: "Sends requests for a host (or `*`) to a base address of yours: a mirror, a recording proxy. Only these addresses may be private ones.",
            how: How::Own {
                store: store_upstreams,
                show: |settings| pairs(settings.upstreams.iter().map(|(host, base)| (host, base.clone()))),
            },
        },
        own(
            "replay_at",
            Kind::Text,
            "The moment at which time stands while answers are replayed, such as 2026-11-21T20:15:00Z. Only with an upstream of yours for every host (`*`).",
            |settings, value| {
                settings.replay_at = filled(text(value)?)
                    .map(|moment| {
                        moment
                            .parse()
                            .map_err(|_| format!("is no moment like 2026-11-21T20:15:00Z: {moment}"))
                    })
                    .transpose()?;
                Ok(())
            },
            |settings| {
                settings
                    .replay_at
                    .map(|moment| moment.to_rfc3339())
                    .unwrap_or_default()
            },
        ),
        own(
            "toolsets",
            Kind::List,
            "Groups of tools: `default` (always there), `time`, whose answers have ids and which offers `recheck`, `references`, which offers `check_references`, and `all`.",
            |settings, value| {
                let names = list(value)?;
                if let Some(name) = names
                    .iter()
                    .find(|name| !["default", "time", "references", "all"].contains(&name.as_str()))
                {
                    return Err(format!(
                        "must hold `default`, `time`, `references` or `all` (`{name}` is none of these)"
                    ));
                }
                settings.toolsets = names;
                Ok(())
            },
            |settings| settings.toolsets.join(","),
        ),
        own(
            "store",
            Kind::Text,
            "Where the toolset `time` keeps marks of answers, with the arguments (what was searched for): `folder` (the data folder, or `database_url`), `memory` (until the process ends) or `off`.",
            |settings, value| {
                let given = text(value)?;
                let named = StoreMode::NAMES.iter().find(|(name, _)| *name == given);
                settings.store = named.ok_or("must be folder, memory or off")?.1;
                Ok(())
            },
            |settings| {
                let named = StoreMode::NAMES.iter().find(|(_, mode)| *mode == settings.store);
                named.map_or("", |(name, _)| name).to_owned()
            },
        ),
        own(
            "database_url",
            Kind::Secret,
            "Postgres database of the toolset `time`, as `postgres://user:password@host/database`, for several machines; `sslmode` (prefer, require, verify-ca, verify-full) and `sslrootcert` as in libpq.",
            |settings, value| {
                let address = filled(text(value)?);
                if address
                    .as_deref()
                    .is_some_and(|address| !freshcontext_store::check_address(address))
                {
                    return Err(
                        "must be an address such as postgres://user:password@host/database".to_owned(),
                    );
                }
                settings.database_url = address.map(Secret::new);
                Ok(())
            },
            |settings| {
                if settings.database_url.is_some() {
                    "(set)".to_owned()
                } else {
                    String::new()
                }
            },
        ),
        own(
            "redis_url",
            Kind::Secret,
            "Redis or Valkey through which replicas share the pace of each host, suspensions, the cache and the rates of callers, as `redis://user:password@host:6379/0`, or `rediss://` with TLS. See scale.md.",
            |settings, value| {
                let address = filled(text(value)?);
                if address.as_deref().is_some_and(|address| !is_redis(address)) {
                    return Err(
                        "must be an address such as redis://host:6379 or rediss://host:6379".to_owned(),
                    );
                }
                settings.redis_url = address.map(Secret::new);
                Ok(())
            },
            |settings| set(settings.redis_url.is_some()),
        ),
        own(
            "replicas",
            Kind::Integer,
            "Number of replicas that share `redis_url`. A process that has never reached Redis keeps to this share of each limit; the others know the number from Redis.",
            |settings, value| {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                settings.replicas = number
                    .filter(|number| (1..=REPLICAS).contains(number))
                    .ok_or_else(|| format!("must be a whole number from 1 to {REPLICAS}"))?;
                Ok(())
            },
            |settings| settings.replicas.to_string(),
        ),
        own(
            "webhook.secret",
            Kind::Secret,
            "Secret that signs what is posted to webhooks (`deliverable add --notify`), as `whsec_` and the base64 of 24 to 64 bytes. Without it each webhook gets one of its own, shown once.",
            |settings, value| {
                settings.webhook.secret = filled(word(value)?).map(Secret::new);
                Ok(())
            },
            |settings| set(settings.webhook.secret.is_some()),
        ),
        own(
            "webhook.allow_http",
            Kind::Bool,
            "Whether changes may be posted to `http` addresses, which anybody on the way can read. Private addresses are refused either way.",
            |settings, value| {
                settings.webhook.allow_http = boolean(value)?;
                Ok(())
            },
            |settings| settings.webhook.allow_http.to_string(),
        ),
        own(
            "signing.keys",
            Kind::Secrets,
            "Private Ed25519 keys by id, which sign verdicts and answers: 32 bytes in base64 (`openssl rand -base64 32`), or `file:` and the name of a file that holds them.",
            |settings, value| {
                for (name, key) in value.as_object().ok_or("must be a table of texts")? {
                    let key = filled(text(key)?).ok_or_else(|| format!("has no key for `{name}`"))?;
                    settings.signing.keys.insert(name.clone(), Secret::new(key));
                }
                Ok(())
            },
            |settings| pairs(settings.signing.keys.keys().map(|name| (name, set(true)))),
        ),
        own(
            "signing.key",
            Kind::Text,
            "Id of the key that signs. The default is the last one by id that is not retired.",
            |settings, value| {
                settings.signing.key = filled(word(value)?);
                Ok(())
            },
            |settings| settings.signing.key.clone().unwrap_or_default(),
        ),
        own(
            "signing.retired",
            Kind::Texts,
            "When a key stopped signing, by id, for example `2026-11-01T00:00:00Z`. It stays in the key document, for what it signed before.",
            |settings, value| {
                for (name, moment) in value.as_object().ok_or("must be a table of texts")? {
                    let moment = DateTime::parse_from_rfc3339(&text(moment)?).map_err(|_| {
                        format!("must map ids to moments such as 2026-11-01T00:00:00Z (`{name}` does not)")
                    })?;
                    settings.signing.retired.insert(name.clone(), moment.to_utc());
                }
                Ok(())
            },
            |settings| {
                let retired = settings.signing.retired.iter();
                pairs(retired.map(|(name, moment)| (name, moment.to_rfc3339())))
            },
        ),
        own(
            "otel.endpoint",
            Kind::Text,
            "Base address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: traces go to `/v1/traces` below it, metrics to `/v1/metrics`. Without it nothing is exported.",
            |settings, value| {
                settings.otel.endpoint = filled(text(value)?);
                match &settings.otel.endpoint {
                    Some(address) if !is_collector(address) => Err(
                        "must be an http or https address without a user, a query or a fragment, such as http://127.0.0.1:4318"
                            .to_owned(),
                    ),
                    _ => Ok(()),
                }
            },
            |settings| settings.otel.endpoint.clone().unwrap_or_default(),
        ),
        own(
            "otel.headers",
            Kind::Secrets,
            "Headers of each export by name, such as a key of the collector.",
            |settings, value| {
                let table = value.as_object().ok_or("must be a table of texts")?;
                for (name, value) in table {
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
                    if name.is_empty() || !name.chars().all(plain) {
                        return Err("must have names of headers".to_owned());
                    }
                    let value = text(value)?;
                    if value.is_empty() || !value.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
                        return Err(format!("must have a value of one line of ASCII for `{name}`"));
                    }
                    settings
                        .otel
                        .headers
                        .insert(name.to_ascii_lowercase(), Secret::new(value));
                }
                Ok(())
            },
            |settings| pairs(settings.otel.headers.keys().map(|name| (name, set(true)))),
        ),
        own(
            "http.addr",
            Kind::Text,
            "Address and port of `freshcontext http`. Anything but a loopback address needs `http.token`, `http.tokens` or `http.oauth.issuer`.",
            |settings, value| {
                let text = text(value)?;
                let text = text
                    .strip_prefix("localhost:")
                    .map_or(text.clone(), |port| format!("127.0.0.1:{port}"));
                settings.http.addr = text
                    .parse::<SocketAddr>()
                    .map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8787 or [::1]:8787")?;
                Ok(())
            },
            |settings| settings.http.addr.to_string(),
        ),
        own(
            "http.token",
            Kind::Secret,
            "Bearer token that HTTP callers must send.",
            |settings, value| {
                settings.http.token = filled(word(value)?).map(Secret::new);
                Ok(())
            },
            |settings| set(settings.http.token.is_some()),
        ),
        own(
            "http.tokens",
            Kind::Secrets,
            "Bearer tokens by name, one for each caller: each is taken as `http.token` is, its name stands in the log, and its rate is counted by itself.",
            store_tokens,
            |settings| pairs(settings.http.tokens.keys().map(|name| (name, set(true)))),
        ),
        own(
            "http.oauth.issuer",
            Kind::Text,
            "OAuth 2.1 issuer whose access tokens are accepted, beside the tokens above: an https address, exactly as its tokens name it in `iss`.",
            |settings, value| {
                let issuer = filled(word(value)?);
                issuer.as_deref().map(oauth::issuer).transpose()?;
                settings.http.oauth.issuer = issuer;
                Ok(())
            },
            |settings| settings.http.oauth.issuer.clone().unwrap_or_default(),
        ),
        own(
            "http.oauth.audience",
            Kind::List,
            "Values of `aud`, one of which an access token must have. Usually the address of this server as clients write it, such as https://mcp.example.com/mcp.",
            |settings, value| {
                settings.http.oauth.audience = oauth::audiences(value)?;
                Ok(())
            },
            |settings| settings.http.oauth.audience.join(","),
        ),
        own(
            "http.oauth.resource",
            Kind::Text,
            "Address of `/mcp` as clients write it, for the protected resource metadata. The default is the first `http.oauth.audience`.",
            |settings, value| {
                let resource = filled(word(value)?);
                resource.as_deref().map(oauth::address).transpose()?;
                settings.http.oauth.resource = resource;
                Ok(())
            },
            |settings| settings.http.oauth.resource.clone().unwrap_or_default(),
        ),
        own(
            "http.oauth.scopes",
            Kind::List,
            "Scopes that an access token must have, all of them. A token without one gets 403.",
            |settings, value| {
                settings.http.oauth.scopes = oauth::scopes(value)?;
                Ok(())
            },
            |settings| settings.http.oauth.scopes.join(","),
        ),
        own(
            "http.tokens_file",
            Kind::Text,
            "File of more named tokens, `name = token` on each line. The running service reads it again when it changes, and at SIGHUP.",
            |settings, value| {
                settings.http.tokens_file = filled(text(value)?).map(PathBuf::from);
                Ok(())
            },
            |settings| {
                let file = settings.http.tokens_file.as_ref();
                file.map(|file| file.display().to_string()).unwrap_or_default()
            },
        ),
        own(
            "http.allowed_hosts",
            Kind::List,
            "Values of the Host header that are answered: names and addresses with or without a port, `*.example.com` for every name below it, networks such as `10.0.0.0/8`; all others get 403.",
            |settings, value| {
                let hosts = list(value)?;
                settings.http.allowed_hosts = hosts
                    .iter()
                    .map(|entry| HostRule::parse(entry))
                    .collect::<Result<_, _>>()?;
                Ok(())
            },
            |settings| {
                let hosts: Vec<String> = settings
                    .http
                    .allowed_hosts
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                hosts.join(",")
            },
        ),
        own(
            "http.allowed_origins",
            Kind::List,
            "Values of the Origin header that are answered, `https://example.com:*` for any port; all others get 403.",
            |settings, value| {
                let origins = list(value)?;
                for origin in &origins {
                    let base = origin.strip_suffix(":*").unwrap_or(origin);
                    if origin != "null" && !Url::parse(base).is_ok_and(|url| url.has_host()) {
                        return Err(format!(
                            "must hold origins such as https://example.com:* (`{origin}` is none)"
                        ));
                    }
                }
                settings.http.allowed_origins = origins;
                Ok(())
            },
            |settings| settings.http.allowed_origins.join(","),
        ),
        own(
            "http.limit_loopback",
            Kind::Bool,
            "Whether callers on this machine count towards `limits.inbound_rate_per_minute` and `limits.inbound_connections_per_peer`. Off, because a proxy on this machine is one address for all its clients.",
            |settings, value| {
                settings.http.limit_loopback = boolean(value)?;
                Ok(())
            },
            |settings| settings.http.limit_loopback.to_string(),
        ),
        own(
            "http.proxies",
            Kind::List,
            "Addresses (`192.0.2.1`) and networks (`172.30.0.0/24`) of proxies on other machines. As callers on this machine do, each speaks for many, and counts towards neither `limits.inbound_rate_per_minute` nor `limits.inbound_connections_per_peer`.",
            |settings, value| {
                let networks = list(value)?.into_iter().map(|entry| {
                    let address = entry.parse::<IpAddr>().map(IpNet::from).ok();
                    let network =
                        address.or_else(|| entry.parse::<IpNet>().map(|network| network.trunc()).ok());
                    network.ok_or_else(|| {
                        format!(
                            "must hold addresses and networks such as 172.30.0.0/24 (`{entry}` is neither)"
                        )
                    })
                });
                settings.http.proxies = networks.collect::<Result<_, _>>()?;
                Ok(())
            },
            |settings| {
                let proxies: Vec<String> = settings.http.proxies.iter().map(ToString::to_string).collect();
                proxies.join(",")
            },
        ),
        own(
            "http.metrics",
            Kind::Bool,
            "Whether `GET /metrics` answers, in Prometheus' text format, under the same Host, Origin and token rules as everything else.",
            |settings, value| {
                settings.http.metrics = boolean(value)?;
                Ok(())
            },
            |settings| settings.http.metrics.to_string(),
        ),
        own(
            "http.metrics_token",
            Kind::Secret,
            "Bearer token for `GET /metrics` alone: for whoever collects figures and must not call tools. It switches `http.metrics` on.",
            |settings, value| {
                settings.http.metrics_token = filled(word(value)?).map(Secret::new);
                Ok(())
            },
            |settings| set(settings.http.metrics_token.is_some()),
        ),
    ];
    all.extend(Limits::ABOUT.iter().map(|(name, about)| Setting {
        key: format!("limits.{name}"),
        env: format!("FRESHCONTEXT_LIMIT_{}", name.to_ascii_uppercase()),
        kind: Kind::Integer,
        about,
        how: How::Limit(name),
    }));
    all
}

/// Returns the table as a Markdown page for the documentation.
pub fn settings_markdown() -> String {
    let defaults = Settings::default();
    let mut page = String::from(
        "| Key in the file | Environment | Kind | Default | What it does |\n|---|---|---|---|---|\n",
    );
    for setting in settings() {
        let default = setting.show(&defaults);
        let default = if default.is_empty() {
            "–".to_owned()
        } else {
            format!("`{default}`")
        };
        let _ = writeln!(
            page,
            "| `{}` | `{}` | {} | {} | {} |",
            setting.key,
            setting.env,
            setting.kind.words(),
            default,
            setting.about.replace('|', "\\|"),
        );
    }
    page
}

fn store_upstreams(settings: &mut Settings, value: &Value) -> Result<(), String> {
    let table = value.as_object().ok_or("must be a table of texts")?;
    for (host, base) in table {
        let base = base.as_str().ok_or("must be a table of texts")?;
        let usable = Url::parse(base).is_ok_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
        });
        if !usable {
            return Err(format!("must map hosts to http(s) addresses (`{host}` does not)"));
        }
        settings.upstreams.retain(|(known, _)| known != host);
        settings
            .upstreams
            .push((host.to_ascii_lowercase(), base.trim_end_matches('/').to_owned()));
    }
    Ok(())
}

fn store_tokens(settings: &mut Settings, value: &Value) -> Result<(), String> {
    let table = value.as_object().ok_or("must be a table of texts")?;
    for (name, token) in table {
        let token = named(name, &text(token)?)?;
        settings.http.tokens.insert(name.clone(), token);
    }
    Ok(())
}

/// Returns whether a text has the form of an address of Redis. The crate that connects checks the rest.
fn is_redis(address: &str) -> bool {
    if ["unix://", "redis+unix://"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
    {
        return true;
    }
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "redis" | "rediss") && url.has_host())
}

/// Returns whether a text is the base address of a collector.
fn is_collector(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}

/// Displays whether a secret is set.
fn set(is_set: bool) -> String {
    if is_set { "(set)".to_owned() } else { String::new() }
}

fn pairs<'a>(entries: impl Iterator<Item = (&'a String, String)>) -> String {
    entries
        .map(|(name, value)| format!("{name}={value}"))
        .collect::<Vec<_>>()
        .join(",")
}

fn filled(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn text(value: &Value) -> Result<String, String> {
    value
        .as_str()
        .map(|text| text.trim().to_owned())
        .ok_or_else(|| "must be text".to_owned())
}

/// Accepts text that can be sent in a header unchanged.
fn word(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("must be one word without spaces".to_owned());
    }
    Ok(text)
}

fn boolean(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "must be true or false".to_owned())
}

fn list(value: &Value) -> Result<Vec<String>, String> {
    let values = value.as_array().ok_or("must be a list of texts")?;
    values
        .iter()
        .map(|value| value.as_str().map(|text| text.trim().to_owned()))
        .collect::<Option<Vec<_>>>()
        .ok_or_else(|| "must be a list of texts".to_owned())
}
