//! Metrics in the Prometheus text format.
//!
//! Every label value comes from a closed set: the tools, the error codes, the hosts that the sources name,
//! and the reasons below. No text from a caller or a source becomes a label, so traffic cannot increase the
//! number of series. Metrics exist only if the operator enables them.

mod transport;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use freshcontext_contract::{Descriptor, ErrorCode, Request};
use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TEXT_FORMAT, TextEncoder,
};

pub use transport::Metered;

/// Label value for everything outside a set.
const OTHER: &str = "other";
/// Outcome of a successful call, and of a request with a response.
const OK: &str = "ok";
/// Outcome of a call to an unknown tool.
const UNKNOWN_TOOL: &str = "unknown_tool";
/// Upper bounds of the duration buckets, in seconds: from a cache hit to a composite that used its whole
/// deadline.
const BUCKETS: [f64; 11] = [0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0];

/// Reason why a request did not reach a tool or a call was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The connection limit is reached.
    Connections,
    /// The Host header is not accepted.
    Host,
    /// The Origin header is not accepted.
    Origin,
    /// The bearer token is missing or wrong.
    Token,
    /// The issuer's keys are not known, so no access token can be checked.
    Issuer,
    /// The client exceeds its rate limit.
    Rate,
    /// The body is too large.
    BodySize,
    /// Reading the body timed out or ended early.
    BodyRead,
    /// The method, media type or message violates the specification.
    Protocol,
    /// The limit on concurrent calls is reached.
    Busy,
}

impl Refusal {
    const ALL: [Self; 10] = [
        Self::Connections,
        Self::Host,
        Self::Origin,
        Self::Token,
        Self::Issuer,
        Self::Rate,
        Self::BodySize,
        Self::BodyRead,
        Self::Protocol,
        Self::Busy,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Host => "host",
            Self::Origin => "origin",
            Self::Token => "token",
            Self::Issuer => "issuer",
            Self::Rate => "rate_limit",
            Self::BodySize => "body_too_large",
            Self::BodyRead => "body_unread",
            Self::Protocol => "protocol",
            Self::Busy => "busy",
        }
    }
}

/// All metrics of one process.
pub struct Metrics {
    registry: Registry,
    hosts: HashSet<&'static str>,
    calls: IntCounterVec,
    durations: HistogramVec,
    in_flight: IntGauge,
    connections: IntGauge,
    refused: IntCounterVec,
    upstream: IntCounterVec,
    cache: IntCounterVec,
}

impl Metrics {
    /// Creates the series of these sources. The engine adds the tools.
    pub fn new<'a>(
        descriptors: impl IntoIterator<Item = &'a &'static Descriptor>,
    ) -> Result<Self, prometheus::Error> {
        let registry = Registry::new_custom(Some("freshcontext".to_owned()), None)?;
        let calls = counters(
            &registry,
            "calls_total",
            "Tool calls that ended, by tool and outcome: ok, an error code, or unknown_tool.",
            &["tool", "outcome"],
        )?;
        let about = HistogramOpts::new(
            "call_duration_seconds",
            "Time from a call's arrival to its outcome, the wait for a place included.",
        )
        .buckets(BUCKETS.to_vec());
        let durations = register(&registry, HistogramVec::new(about, &["tool"])?)?;
        let refused = counters(
            &registry,
            "refused_total",
            "Connections, requests and calls turned away, by reason.",
            &["reason"],
        )?;
        let upstream = counters(
            &registry,
            "upstream_requests_total",
            "Requests of sources that the cache did not answer, by host and result: ok or an error code.",
            &["host", "result"],
        )?;
        let cache = counters(
            &registry,
            "cache_answers_total",
            "Answers to requests of sources: from the cache (hit), confirmed by the source (revalidated), or new (miss).",
            &["result"],
        )?;
        build_info(&registry)?.set(1);
        let metrics = Self {
            in_flight: gauge(
                &registry,
                "calls_in_flight",
                "Tool calls being worked on or waiting for a place.",
            )?,
            connections: gauge(&registry, "http_connections", "Open connections of HTTP clients.")?,
            hosts: descriptors
                .into_iter()
                .flat_map(|descriptor| descriptor.hosts.named())
                .copied()
                .collect(),
            registry,
            calls,
            durations,
            refused,
            upstream,
            cache,
        };
        // Series start at zero: a rate needs an earlier value.
        metrics.add_calls(OTHER, UNKNOWN_TOOL, 0);
        for reason in Refusal::ALL {
            add(&metrics.refused, &[reason.as_str()], 0);
        }
        for result in ["hit", "revalidated", "miss"] {
            add(&metrics.cache, &[result], 0);
        }
        for host in &metrics.hosts {
            add(&metrics.upstream, &[host, OK], 0);
        }
        Ok(metrics)
    }

    /// Creates the series of a tool.
    pub fn know_tool(&self, tool: &str) {
        self.add_calls(tool, OK, 0);
        let _ = self.durations.get_metric_with_label_values(&[tool]);
    }

    /// Counts the start of a call to a known tool.
    pub fn call(self: &Arc<Self>, tool: &str) -> CallMeter {
        self.in_flight.inc();
        CallMeter {
            metrics: Arc::clone(self),
            tool: tool.to_owned(),
            began: Instant::now(),
            outcome: None,
        }
    }

    /// Counts a call to an unknown tool, without its name.
    pub fn unknown_tool(&self) {
        self.add_calls(OTHER, UNKNOWN_TOOL, 1);
    }

    /// Counts a rejected request.
    pub fn refused(&self, reason: Refusal) {
        add(&self.refused, &[reason.as_str()], 1);
    }

    /// Counts an HTTP connection until the returned guard is dropped.
    pub fn connected(self: &Arc<Self>) -> Connected {
        self.connections.inc();
        Connected(Arc::clone(self))
    }

    /// Returns all metrics as text, with the media type.
    pub fn text(&self) -> Result<(String, &'static str), prometheus::Error> {
        let text = TextEncoder::new().encode_to_string(&self.registry.gather())?;
        Ok((text, TEXT_FORMAT))
    }

    fn add_calls(&self, tool: &str, outcome: &str, by: u64) {
        add(&self.calls, &[tool, outcome], by);
    }

    /// Returns the host's label: a host that a source names, or `other`.
    fn host(&self, request: &Request) -> &'static str {
        let host = request.url.host_str().unwrap_or_default();
        self.hosts.get(host).copied().unwrap_or(OTHER)
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

fn counters(
    registry: &Registry,
    name: &str,
    help: &str,
    labels: &[&str],
) -> Result<IntCounterVec, prometheus::Error> {
    register(registry, IntCounterVec::new(Opts::new(name, help), labels)?)
}

fn gauge(registry: &Registry, name: &str, help: &str) -> Result<IntGauge, prometheus::Error> {
    register(registry, IntGauge::new(name, help)?)
}

fn build_info(registry: &Registry) -> Result<IntGauge, prometheus::Error> {
    let about = Opts::new("build_info", "What is running; always 1.")
        .const_label("version", env!("CARGO_PKG_VERSION"));
    register(registry, IntGauge::with_opts(about)?)
}

fn register<C: Collector + Clone + 'static>(
    registry: &Registry,
    collector: C,
) -> Result<C, prometheus::Error> {
    registry.register(Box::new(collector.clone()))?;
    Ok(collector)
}

fn add(counters: &IntCounterVec, labels: &[&str], by: u64) {
    // Fails only for a wrong number of labels.
    if let Ok(counter) = counters.get_metric_with_label_values(labels) {
        counter.inc_by(by);
    }
}

/// One running call. Dropped without an outcome, it counts as `cancelled`: its caller has disconnected.
pub struct CallMeter {
    metrics: Arc<Metrics>,
    tool: String,
    began: Instant,
    outcome: Option<&'static str>,
}

impl CallMeter {
    /// Records the outcome: success, or this error code.
    pub fn settle(mut self, failed: Option<ErrorCode>) {
        if failed == Some(ErrorCode::Overloaded) {
            self.metrics.refused(Refusal::Busy);
        }
        self.outcome = Some(failed.map_or(OK, ErrorCode::as_str));
    }
}

impl Drop for CallMeter {
    fn drop(&mut self) {
        let metrics = &self.metrics;
        metrics.in_flight.dec();
        let outcome = self.outcome.unwrap_or(ErrorCode::Cancelled.as_str());
        metrics.add_calls(&self.tool, outcome, 1);
        if let Ok(durations) = metrics.durations.get_metric_with_label_values(&[&self.tool]) {
            durations.observe(self.began.elapsed().as_secs_f64());
        }
    }
}

/// Guard of one client connection.
pub struct Connected(Arc<Metrics>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.dec();
    }
}
