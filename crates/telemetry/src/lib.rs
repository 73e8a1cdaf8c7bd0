//! Traces and metrics over OTLP/HTTP, by OpenTelemetry's semantic conventions for MCP. Off until [`start`] is called.
//!
//! Only spans of the target [`freshcontext_fetch::TELEMETRY`] and the spans of calls are exported, and no events: the log stays the log. No span holds
//! an argument, a key, a token, or the path or query of an address.

mod exporter;
mod operation;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use freshcontext_fetch::{OperatorClient, TELEMETRY};
use opentelemetry::metrics::{Histogram, MeterProvider as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use exporter::{EXPORT, Sender};
pub use operation::{Ended, Operation, Request, Transport, is_on};

/// Upper bounds of the buckets of a duration, in seconds, as the convention recommends them.
/// <https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md>
const DURATIONS: [f64; 14] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];

/// Name of the service and of the instrumentation.
const NAME: &str = "freshcontext";

/// Where and as what to export.
#[derive(Debug)]
pub struct Options {
    /// Base address of the collector, such as `http://127.0.0.1:4318`; the paths of OTLP/HTTP are added to it.
    pub endpoint: String,
    /// Headers of each export, with their values.
    pub headers: HashMap<String, String>,
    /// Version of the service.
    pub version: &'static str,
}

/// What is running.
struct Running {
    traces: SdkTracerProvider,
    metrics: SdkMeterProvider,
    durations: Histogram<f64>,
    runtime: Arc<OnceLock<Handle>>,
}

static RUNNING: OnceLock<Running> = OnceLock::new();

/// Starts the exporters of this process, each on a thread of its own. A second call has no effect.
///
/// # Errors
/// If an exporter cannot be built, for example because the address is not one.
pub fn start(options: Options, client: OperatorClient) -> Result<(), String> {
    let Options {
        endpoint,
        headers,
        version,
    } = options;
    let runtime = Arc::new(OnceLock::new());
    let sender = Sender::new(client, Arc::clone(&runtime));
    let base = endpoint.trim_end_matches('/');
    let spans = SpanExporter::builder()
        .with_http()
        .with_http_client(sender.clone())
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{base}/v1/traces"))
        .with_timeout(EXPORT)
        .with_headers(headers.clone())
        .build()
        .map_err(|error| error.to_string())?;
    let figures = MetricExporter::builder()
        .with_http()
        .with_http_client(sender)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(format!("{base}/v1/metrics"))
        .with_timeout(EXPORT)
        .with_headers(headers)
        .build()
        .map_err(|error| error.to_string())?;
    let mut resource = Resource::builder();
    // The variable of the specification wins: several services may run on one machine.
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name(NAME);
    }
    let resource = resource
        .with_attribute(KeyValue::new("service.version", version))
        .build();
    let traces = SdkTracerProvider::builder()
        .with_batch_exporter(spans)
        .with_resource(resource.clone())
        .build();
    let metrics = SdkMeterProvider::builder()
        .with_periodic_exporter(figures)
        .with_resource(resource)
        .build();
    let scope = InstrumentationScope::builder(NAME).with_version(version).build();
    let durations = metrics
        .meter_with_scope(scope)
        .f64_histogram("mcp.server.operation.duration")
        .with_unit("s")
        .with_description("MCP request duration as observed by the server")
        .with_boundaries(DURATIONS.to_vec())
        .build();
    let _ = RUNNING.set(Running {
        traces,
        metrics,
        durations,
        runtime,
    });
    Ok(())
}

/// Returns the layer that exports the spans, if exporters are running.
pub fn layer<S>() -> Option<Box<dyn Layer<S> + Send + Sync>>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let tracer = RUNNING.get()?.traces.tracer(NAME);
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_level(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(filter_fn(is_exported));
    Some(Box::new(layer))
}

/// Returns whether a span is exported: those of requests, and the engine's span of a call, which is current on every thread that
/// works on the call and so hands its trace on.
fn is_exported(meta: &Metadata<'_>) -> bool {
    let is_call = || meta.name() == "call" && meta.target().starts_with("freshcontext_engine");
    meta.is_span() && (meta.target() == TELEMETRY || is_call())
}

/// Sends exports on the current runtime from now on.
pub fn attach() {
    if let (Some(running), Ok(runtime)) = (RUNNING.get(), Handle::try_current()) {
        let _ = running.runtime.set(runtime);
    }
}

/// Exports what is left and ends the exporters, within seconds. The runtime must be running.
pub async fn shut_down() {
    let Some(running) = RUNNING.get() else { return };
    let (traces, metrics) = (running.traces.clone(), running.metrics.clone());
    let ended = tokio::task::spawn_blocking(move || {
        let of_traces = traces.shutdown_with_timeout(EXPORT);
        let of_metrics = metrics.shutdown_with_timeout(EXPORT);
        of_traces.and(of_metrics)
    });
    if let Ok(Err(error)) = ended.await {
        tracing::warn!(%error, "the collector of otel.endpoint did not take the last traces or metrics");
    }
}

fn durations() -> Option<&'static Histogram<f64>> {
    RUNNING.get().map(|running| &running.durations)
}
