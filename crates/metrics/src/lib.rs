//! Figures for a monitoring system, in Prometheus' text format.
//!
//! Every label value comes from a closed set: our tools, our error codes, the hosts that our sources
//! name, the reasons below. Nothing that a caller or a source writes becomes a label, so no traffic can
//! make the series many. Nothing of this exists where the operator has not asked for it.

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

/// What stands for everything that has no name of its own in a set.
const OTHER: &str = "other";
/// The outcome of a call that answered, and of a request that a source answered.
const OK: &str = "ok";
/// The outcome of a call to a tool that does not exist.
const UNKNOWN_TOOL: &str = "unknown_tool";
/// Upper bounds of the duration's buckets, in seconds: from an answer out of memory to a composite that
/// used all its time.
const BUCKETS: [f64; 11] = [0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0];

/// Why a request did not reach a tool, or a call found no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No place for another connection.
    Connections,
    /// The Host header is not ours.
    Host,
    /// The Origin header names a page that may not call us.
    Origin,
    /// No bearer token, or a wrong one.
    Token,
    /// The client asks more often than it may.
    Rate,
    /// The body is larger than allowed.
    BodySize,
    /// The body took too long, or ended early.
    BodyRead,
    /// Method, media type or message are not as specified.
    Protocol,
    /// The gate for calls is full.
    Busy,
}

impl Refusal {
    const ALL: [Self; 9] = [
        Self::Connections,
        Self::Host,
        Self::Origin,
        Self::Token,
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
            Self::Rate => "rate_limit",
            Self::BodySize => "body_too_large",
            Self::BodyRead => "body_unread",
            Self::Protocol => "protocol",
            Self::Busy => "busy",
        }
    }
}

/// All figures of one process.
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
    /// Figures for these sources; the tools are added by the engine that knows them.
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
        // Zeros from the start: a rate is only seen where there was a value before.
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

    /// Makes the series of a tool.
    pub fn know_tool(&self, tool: &str) {
        self.add_calls(tool, OK, 0);
        let _ = self.durations.get_metric_with_label_values(&[tool]);
    }

    /// A call to a tool of ours begins.
    pub fn call(self: &Arc<Self>, tool: &str) -> CallMeter {
        self.in_flight.inc();
        CallMeter {
            metrics: Arc::clone(self),
            tool: tool.to_owned(),
            began: Instant::now(),
            outcome: None,
        }
    }

    /// A call named a tool that does not exist. The name is not kept.
    pub fn unknown_tool(&self) {
        self.add_calls(OTHER, UNKNOWN_TOOL, 1);
    }

    /// Somebody was turned away.
    pub fn refused(&self, reason: Refusal) {
        add(&self.refused, &[reason.as_str()], 1);
    }

    /// An HTTP client is connected, until this is dropped.
    pub fn connected(self: &Arc<Self>) -> Connected {
        self.connections.inc();
        Connected(Arc::clone(self))
    }

    /// All figures as text, and its media type.
    pub fn text(&self) -> Result<(String, &'static str), prometheus::Error> {
        let text = TextEncoder::new().encode_to_string(&self.registry.gather())?;
        Ok((text, TEXT_FORMAT))
    }

    fn add_calls(&self, tool: &str, outcome: &str, by: u64) {
        add(&self.calls, &[tool, outcome], by);
    }

    /// The host as a label: one that a source names, or `other`.
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

/// One call at work. Dropped without an outcome, its caller has gone: `cancelled`.
pub struct CallMeter {
    metrics: Arc<Metrics>,
    tool: String,
    began: Instant,
    outcome: Option<&'static str>,
}

impl CallMeter {
    /// How the call ended: with an answer, or with this code.
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

/// One connection of a client.
pub struct Connected(Arc<Metrics>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.dec();
    }
}
