//! One MCP request as a span and a duration, by the semantic conventions for MCP (status: Development).
//! <https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md>

use std::collections::HashMap;
use std::time::Instant;

use freshcontext_redact::masked;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::{TELEMETRY, durations};

/// Maximum length of a request's id in a span, in characters.
const ID_CHARS: usize = 64;
/// Maximum length of a header of a trace, in bytes.
const TRACE_BYTES: usize = 512;

/// Returns whether exporters are running.
pub fn is_on() -> bool {
    durations().is_some()
}

/// How a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Standard input and output.
    Pipe,
    /// HTTP.
    Http,
}

impl Transport {
    const fn network(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Http => "tcp",
        }
    }

    const fn protocol(self) -> Option<&'static str> {
        match self {
            Self::Pipe => None,
            Self::Http => Some("http"),
        }
    }
}

/// What is known of a request when it comes. Texts of the caller stand here only where the server knows them.
#[derive(Debug, Clone, Default)]
pub struct Request<'r> {
    /// Method, such as `tools/call`.
    pub method: &'static str,
    /// Name of the tool, if there is such a tool.
    pub tool: Option<&'r str>,
    /// Name of the prompt, if there is such a prompt.
    pub prompt: Option<&'r str>,
    /// The resource, if it is one of the server's fixed ones.
    pub resource: Option<&'r str>,
    /// Id of the request.
    pub id: Option<String>,
    /// Negotiated version of MCP.
    pub protocol: Option<String>,
    /// How it came; HTTP where it is true.
    pub over_http: bool,
    /// Trace of the caller in `_meta`: `traceparent` and `tracestate`.
    pub meta: Trace<'r>,
    /// Trace of the HTTP request: `traceparent` and `tracestate`.
    pub head: Trace<'r>,
}

/// `traceparent` and `tracestate` (W3C Trace Context), as they came.
pub type Trace<'r> = (Option<&'r str>, Option<&'r str>);

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With a result.
    Done,
    /// With the result of a failed tool call.
    ToolError,
    /// With a JSON-RPC error of this code.
    Error(i32),
}

/// A running request. Without an end it counts as cancelled.
#[derive(Debug)]
pub struct Operation {
    span: Span,
    attributes: Vec<KeyValue>,
    begun: Instant,
    ended: bool,
}

impl Operation {
    /// Begins the span of a request. `None` where nothing is exported.
    pub fn begin(request: &Request<'_>) -> Option<Self> {
        durations()?;
        let transport = if request.over_http {
            Transport::Http
        } else {
            Transport::Pipe
        };
        let target = request.tool.or(request.prompt);
        let name = target.map_or_else(
            || request.method.to_owned(),
            |target| format!("{} {target}", request.method),
        );
        let id = request.id.as_deref().map(shown);
        let span = tracing::info_span!(
            target: TELEMETRY,
            parent: None,
            "mcp",
            otel.name = name,
            otel.kind = "server",
            otel.status_code = Empty,
            error.type = Empty,
            rpc.response.status_code = Empty,
            freshcontext.call.id = Empty,
            mcp.method.name = request.method,
            mcp.protocol.version = request.protocol.as_deref(),
            mcp.resource.uri = request.resource,
            gen_ai.tool.name = request.tool,
            gen_ai.prompt.name = request.prompt,
            gen_ai.operation.name = request.tool.map(|_| "execute_tool"),
            jsonrpc.request.id = id,
            network.transport = transport.network(),
            network.protocol.name = transport.protocol(),
        );
        let (meta, head) = (context(request.meta), context(request.head));
        match (meta, head) {
            (Some(parent), head) => {
                let _ = span.set_parent(parent);
                if let Some(head) = head {
                    span.add_link(head.span().span_context().clone());
                }
            }
            (None, Some(parent)) => {
                let _ = span.set_parent(parent);
            }
            (None, None) => {}
        }
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", request.method),
            KeyValue::new("network.transport", transport.network()),
        ];
        let mut also = |name: &'static str, value: Option<&str>| {
            attributes.extend(value.map(|value| KeyValue::new(name, value.to_owned())));
        };
        also("mcp.protocol.version", request.protocol.as_deref());
        also("gen_ai.tool.name", request.tool);
        also("gen_ai.prompt.name", request.prompt);
        also("gen_ai.operation.name", request.tool.map(|_| "execute_tool"));
        also("network.protocol.name", transport.protocol());
        Some(Self {
            span,
            attributes,
            begun: Instant::now(),
            ended: false,
        })
    }

    /// The span, for the work on the request.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Ends the request.
    pub fn end(mut self, ended: Ended) {
        match ended {
            Ended::Done => self.finish(None),
            Ended::ToolError => self.finish(Some("tool_error")),
            Ended::Error(code) => {
                let code = code.to_string();
                self.span.record("rpc.response.status_code", code.as_str());
                self.attributes
                    .push(KeyValue::new("rpc.response.status_code", code.clone()));
                self.finish(Some(&code));
            }
        }
    }

    fn finish(&mut self, error: Option<&str>) {
        self.ended = true;
        if let Some(error) = error {
            self.span.record("error.type", error);
            self.span.record("otel.status_code", "ERROR");
            self.attributes
                .push(KeyValue::new("error.type", error.to_owned()));
        }
        if let Some(durations) = durations() {
            durations.record(self.begun.elapsed().as_secs_f64(), &self.attributes);
        }
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        if !self.ended {
            self.finish(Some("cancelled"));
        }
    }
}

/// Shortens and masks an id, which the caller chose.
fn shown(id: &str) -> String {
    let short: String = id.chars().take(ID_CHARS).collect();
    masked(&short).0.into_owned()
}

/// Reads a trace. `None` without one, and for one that is not valid.
fn context((parent, state): Trace<'_>) -> Option<Context> {
    let parent = parent.filter(|parent| parent.len() <= TRACE_BYTES)?;
    let mut carrier = HashMap::from([("traceparent".to_owned(), parent.to_owned())]);
    if let Some(state) = state.filter(|state| state.len() <= TRACE_BYTES) {
        carrier.insert("tracestate".to_owned(), state.to_owned());
    }
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &carrier);
    context.span().span_context().is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_and_anything_else_is_none() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let read = context((Some(good), Some("rojo=00f067aa0ba902b7"))).unwrap();
        let span = read.span().span_context().clone();
        assert_eq!(span.trace_id().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert!(span.is_remote() && span.is_sampled());
        let long = "x".repeat(10_000);
        for bad in ["", "00-0-0-01", "no trace", &long] {
            assert!(context((Some(bad), None)).is_none(), "{bad}");
        }
        assert!(context((None, Some("rojo=1"))).is_none());
    }

    #[test]
    fn nothing_begins_while_nothing_runs() {
        assert!(!is_on() && Operation::begin(&Request::default()).is_none());
    }
}
