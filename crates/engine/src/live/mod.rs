//! Live state of the sources, for the operator: one type for `GET /v1/sources`, the resource `freshcontext://sources`,
//! `freshcontext sources --live` and the operator's page.
//!
//! A report names only the hosts that descriptors name. Hosts of pages that a caller named, the arguments of calls, and the
//! values of keys have no place in it.

mod rows;
mod seen;

use std::time::Duration;

use chrono::{DateTime, SubsecRound as _, Utc};
use freshcontext_contract::{Apply, Descriptor, Key, Pace, Transport};
use freshcontext_fetch::{BreakerState, HostStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Engine;
use crate::about;
pub use rows::{Row, Tone, sharing_words, since_words};
pub(crate) use seen::SeenSources;

/// What the engine asks for a report: the state of the hosts, and of what replicas share.
pub trait Watch: Send + Sync {
    /// Returns the state of every host that was contacted or has a published limit.
    fn hosts(&self) -> Vec<HostStatus>;

    /// Returns the state of what replicas share.
    fn sharing(&self) -> Sharing;
}

/// State of the sources at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When the report was made.
    pub at: DateTime<Utc>,
    /// When the process started. Nothing before this moment is known.
    pub since: DateTime<Utc>,
    /// State of what replicas share.
    pub sharing: Sharing,
    /// The sources that are on, by tool name.
    pub sources: Vec<Source>,
}

/// State of what replicas share through Redis.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Sharing {
    /// Redis is not configured: this process counts for itself.
    #[default]
    Off,
    /// Limits are shared.
    Shared {
        /// Number of replicas.
        replicas: u64,
        /// Seconds since the state changed.
        for_s: u64,
    },
    /// Redis is out of reach: this process keeps to its share, 1/`replicas` of each limit.
    OwnShare {
        /// Number of replicas that the share is counted by.
        replicas: u64,
        /// Seconds since the state changed.
        for_s: u64,
        /// Reason why Redis does not answer.
        why: String,
    },
}

/// One source with its live state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Adapter id.
    pub id: String,
    /// Name of its tool.
    pub tool: String,
    /// Title for people.
    pub title: String,
    /// What is known of it since the start.
    pub live: Live,
}

/// State of a source in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It answered last time.
    Answering,
    /// No call asked it since the start.
    Untried,
    /// It failed last time.
    Failing,
    /// One of its hosts is left alone for a while.
    Suspended,
    /// No route is open without a key that is not set.
    Unusable,
}

impl State {
    /// The state as it stands in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answering => "answering",
            Self::Untried => "untried",
            Self::Failing => "failing",
            Self::Suspended => "suspended",
            Self::Unusable => "unusable",
        }
    }
}

/// What is known of a source since the start of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// The state in one word.
    pub state: State,
    /// When its newest answer left it.
    pub last_success: Option<DateTime<Utc>>,
    /// The last failed retrieval.
    pub last_failure: Option<Failed>,
    /// When it last sent a block page or a captcha in place of content.
    pub block_page: Option<DateTime<Utc>>,
    /// Id of the route that gave the last answer.
    pub route: Option<String>,
    /// Keys that are not set.
    pub missing_keys: Vec<MissingKey>,
    /// Its hosts with their limits, as this process counts them.
    pub hosts: Vec<Host>,
}

/// A failed retrieval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// When it failed.
    pub at: DateTime<Utc>,
    /// Error code.
    pub code: String,
    /// HTTP status, if the source sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
}

/// A key that is not set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingKey {
    /// Environment variable to set.
    pub env: String,
    /// Whether the source answers nothing without it.
    pub required: bool,
    /// Where to get one.
    pub obtain: String,
}

/// One limit of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Host name.
    pub host: String,
    /// Path prefix of the limit; empty for the whole host.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Published pace, if there is one.
    pub pace: Option<Paced>,
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests that wait for a slot or a place, of all callers.
    pub waiting: usize,
    /// Estimated wait of a further request, in seconds.
    pub next_in_s: u64,
    /// The suspension, if the host is left alone.
    pub suspended: Option<Suspension>,
}

/// At most `requests` in any window of `per_s` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paced {
    /// Requests in the window.
    pub requests: u32,
    /// Length of the window in seconds.
    pub per_s: u64,
}

/// Why and until when a host is left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspension {
    /// When it ends.
    pub until: DateTime<Utc>,
    /// Reason.
    pub why: Why,
    /// Error code of the last failed request to the host, where it kept failing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// Reason of a suspension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The host asked to be left alone for this time.
    Asked,
    /// The host refused and stated no time.
    Refused,
    /// The host failed repeatedly.
    FailedRepeatedly,
}

impl Engine {
    /// Reports the live state of the sources that are on. Makes no request.
    pub fn live(&self) -> Report {
        let at = self.clock().now().trunc_subsecs(0);
        let watch = self.watch.as_deref();
        let hosts = watch.map(Watch::hosts).unwrap_or_default();
        let transport = self.transport().as_ref();
        let sources = self.descriptors().map(|descriptor| {
            let seen = self.seen.of(descriptor.id);
            let mut live = Live {
                state: State::Untried,
                last_success: seen.success,
                last_failure: seen.failure,
                block_page: seen.block_page,
                route: seen.route.map(str::to_owned),
                missing_keys: missing_keys(transport, descriptor),
                hosts: hosts_of(transport, descriptor, &hosts, at),
            };
            live.state = state(descriptor, transport, &live, seen.failing);
            Source {
                id: descriptor.id.to_owned(),
                tool: descriptor.tool.to_owned(),
                title: descriptor.title.to_owned(),
                live,
            }
        });
        Report {
            at,
            since: self.since.trunc_subsecs(0),
            sharing: watch.map(Watch::sharing).unwrap_or_default(),
            sources: sources.collect(),
        }
    }
}

/// The report as JSON, each source with its facts beside its live state.
pub fn described(engine: &Engine) -> Value {
    let report = engine.live();
    let facts = about::sources(engine);
    let sources = report.sources.iter().zip(facts).map(|(source, facts)| {
        let mut described: Map<String, Value> = facts.as_object().cloned().unwrap_or_default();
        described.insert("live".to_owned(), json!(source.live));
        Value::Object(described)
    });
    json!({
        "at": report.at,
        "since": report.since,
        "sharing": report.sharing,
        "sources": sources.collect::<Vec<_>>(),
    })
}

fn state(descriptor: &Descriptor, transport: &dyn Transport, live: &Live, failing: bool) -> State {
    let mut needs = descriptor.routes.iter().map(|route| route.needs);
    let open =
        descriptor.routes.is_empty() || needs.any(|needs| needs.is_none_or(|env| transport.configured(env)));
    if !open {
        State::Unusable
    } else if live.hosts.iter().any(|host| host.suspended.is_some()) {
        State::Suspended
    } else if failing {
        State::Failing
    } else if live.last_success.is_some() {
        State::Answering
    } else {
        State::Untried
    }
}

fn missing_keys(transport: &dyn Transport, descriptor: &'static Descriptor) -> Vec<MissingKey> {
    let required = descriptor.key() == Key::Required;
    let missing = |env: &str, obtain: &str| MissingKey {
        env: env.to_owned(),
        required,
        obtain: obtain.to_owned(),
    };
    let mut out = Vec::new();
    for credential in descriptor.distinct_credentials() {
        let set = credential.env.iter().any(|env| transport.configured(env));
        if !set && let Some(env) = credential.env.first() {
            out.push(missing(env, credential.obtain));
        }
        if let Apply::ClientCredentials { secret_env, .. } = credential.apply
            && !transport.configured(secret_env)
        {
            out.push(missing(secret_env, credential.obtain));
        }
    }
    let of_credentials: Vec<&str> = descriptor
        .credentials
        .iter()
        .flat_map(|credential| credential.env.iter().copied())
        .collect();
    for route in descriptor.routes {
        if let Some(env) = route.needs
            && !of_credentials.contains(&env)
            && !transport.configured(env)
        {
            out.push(missing(env, ""));
        }
    }
    out
}

/// Returns the limits that hold for this source's own hosts: with a key, those of requests with a key.
fn hosts_of(
    transport: &dyn Transport,
    descriptor: &Descriptor,
    hosts: &[HostStatus],
    at: DateTime<Utc>,
) -> Vec<Host> {
    let mut out = Vec::new();
    for name in descriptor.hosts.named() {
        let has_key = descriptor.credentials.iter().any(|credential| {
            credential.host == *name && credential.env.iter().any(|env| transport.configured(env))
        });
        let of_host = || hosts.iter().filter(|status| status.host == *name);
        for status in of_host() {
            let twin = of_host().any(|other| other.path == status.path && other.keyed != status.keyed);
            if !twin || status.keyed == has_key {
                out.push(host(status, at));
            }
        }
    }
    out
}

fn host(status: &HostStatus, at: DateTime<Utc>) -> Host {
    let until = |left: Duration| {
        // A suspension lasts a day at most.
        let left = chrono::TimeDelta::from_std(left).unwrap_or_default();
        (at + left).trunc_subsecs(0)
    };
    let suspended = match (status.suspended, status.breaker) {
        (Some(left), _) => Some(Suspension {
            until: until(left),
            why: if status.suspension_stated {
                Why::Asked
            } else {
                Why::Refused
            },
            last: None,
        }),
        (None, BreakerState::Open(left)) => Some(Suspension {
            until: until(left),
            why: Why::FailedRepeatedly,
            last: status.last_failure.map(|code| code.as_str().to_owned()),
        }),
        (None, _) => None,
    };
    Host {
        host: status.host.clone(),
        path: status.path.clone(),
        pace: status.pace.map(|Pace { requests, per }| Paced {
            requests,
            per_s: per.as_secs(),
        }),
        in_flight: status.in_flight,
        waiting: status.waiting,
        next_in_s: status.next.as_secs() + u64::from(status.next.subsec_nanos() > 0),
        suspended,
    }
}
