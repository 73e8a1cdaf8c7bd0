//! Traces and metrics: what a collector gets of a composite, by the semantic conventions for MCP, and that it gets nothing else.

use freshcontext_testkit::{Reply, ScriptedUpstream, SeenRequest};
use libtest_mimic::{Failed, Trial};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value as AnyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

use crate::process::{MODERN, Session, command, signal};
use crate::run::block_on;
use crate::upstreams::{ordinary, reply};
use crate::verdict;
use crate::wire::{HttpServer, rpc, until, version_headers};

/// Texts that must stand in no export.
const CANARIES: [&str; 5] = [
    "canary-words",
    "ghp_canaryKeyOfGithub0123456789abcdefghij",
    "canary-token-0123456789",
    "canary-tool",
    "canary-uri",
];
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const COMPOSITE: &str = "extract_landscape";

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("telemetry::off", || block_on(off()))];
    if cfg!(unix) {
        trials.push(Trial::test("telemetry::trace_of_a_composite", || {
            block_on(composite())
        }));
        trials.push(Trial::test("telemetry::stdio", || block_on(stdio())));
        trials.push(Trial::test(
            "telemetry::no_collector",
            || block_on(no_collector()),
        ));
    }
    trials
}

fn taken(_: &SeenRequest) -> Reply {
    reply(200, "application/x-protobuf", "")
}

/// What a collector got.
#[derive(Default)]
struct Exports {
    spans: Vec<Span>,
    /// Attributes of each point of `mcp.server.operation.duration`, and its count.
    durations: Vec<(Vec<KeyValue>, u64)>,
    service: Vec<KeyValue>,
    raw: Vec<u8>,
}

fn exports(collector: &ScriptedUpstream) -> Result<Exports, Failed> {
    let mut all = Exports::default();
    for request in collector.requests() {
        all.raw.extend_from_slice(&request.body);
        match request.target.as_str() {
            "/v1/traces" => {
                for of_resource in ExportTraceServiceRequest::decode(&*request.body)?.resource_spans {
                    all.service.extend(
                        of_resource
                            .resource
                            .into_iter()
                            .flat_map(|resource| resource.attributes),
                    );
                    let scopes = of_resource.scope_spans.into_iter();
                    all.spans.extend(scopes.flat_map(|scope| scope.spans));
                }
            }
            "/v1/metrics" => {
                for of_resource in ExportMetricsServiceRequest::decode(&*request.body)?.resource_metrics {
                    let scopes = of_resource.scope_metrics.into_iter();
                    for metric in scopes.flat_map(|scope| scope.metrics) {
                        if let (Some(Data::Histogram(histogram)), "mcp.server.operation.duration", "s") =
                            (metric.data, metric.name.as_str(), metric.unit.as_str())
                        {
                            let points = histogram.data_points.into_iter();
                            all.durations
                                .extend(points.map(|point| (point.attributes, point.count)));
                        }
                    }
                }
            }
            other => return Err(format!("{} {other}", request.method).into()),
        }
    }
    Ok(all)
}

fn attribute(attributes: &[KeyValue], name: &str) -> Value {
    let found = attributes.iter().find(|attribute| attribute.key == name);
    match found.and_then(|found| found.value.as_ref()?.value.as_ref()) {
        Some(AnyValue::StringValue(text)) => json!(text),
        Some(AnyValue::IntValue(number)) => json!(number),
        Some(other) => json!(format!("{other:?}")),
        None => Value::Null,
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// One request of the newest revision, whose `_meta` has a trace.
async fn ask(server: &HttpServer, id: i64, method: &str, mut params: Value, trace: &str) -> Value {
    params["_meta"]["traceparent"] = trace.into();
    let head = format!("00-{}-{}-01", "a".repeat(32), "b".repeat(16));
    let mut headers = version_headers(MODERN, method, &params);
    headers.push(("Authorization", "Bearer canary-token-0123456789"));
    headers.push(("traceparent", &head));
    let message = rpc(MODERN, id, method, params.clone());
    server.post(&headers, &message).await.json()
}

/// A composite is a span of the server with a child for each request to a source, below the caller's own span. Failures have their
/// type, and nothing of a caller's or the operator's is exported.
async fn composite() -> Result<(), Failed> {
    let collector = ScriptedUpstream::start(taken).await?;
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let mut server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_OTEL_ENDPOINT", &collector.base()),
        ("FRESHCONTEXT_OTEL_HEADERS", "x-key=key-of-the-collector"),
        ("FRESHCONTEXT_HTTP_TOKEN", CANARIES[2]),
        ("GITHUB_TOKEN", CANARIES[1]),
        ("FRESHCONTEXT_LOG", "info"),
    ])
    .await;
    let trace = format!("00-{TRACE}-{PARENT}-01");
    let called = json!({"name": COMPOSITE, "arguments": {"topic": "canary-words"}});
    let answer = ask(&server, 7, "tools/call", called, &trace).await;
    let mut complaints = Vec::new();
    if !answer["result"]["content"].is_array() {
        complaints.push(format!("no answer: {answer}"));
    }
    let wrong = json!({"name": "extract_hackernews", "arguments": {}});
    ask(&server, 8, "tools/call", wrong, &trace).await;
    ask(
        &server,
        9,
        "tools/call",
        json!({"name": "canary-tool", "arguments": {}}),
        &trace,
    )
    .await;
    ask(
        &server,
        10,
        "resources/read",
        json!({"uri": "canary-uri:x"}),
        &trace,
    )
    .await;
    ask(&server, 11, "tools/list", json!({}), "not a trace").await;
    signal(server.process(), "TERM");
    server.child.wait().await?;
    let exports = exports(&collector)?;
    let mut expect = |what: &str, is: bool| {
        if !is {
            complaints.push(what.to_owned());
        }
    };
    let of_id = |id: &str| {
        let mut spans = exports.spans.iter();
        spans
            .find(|span| attribute(&span.attributes, "jsonrpc.request.id") == id)
            .cloned()
            .unwrap_or_default()
    };
    let span = of_id("7");
    expect("the name", span.name == format!("tools/call {COMPOSITE}"));
    expect("the kind", span.kind == 2);
    expect(
        "the trace",
        hex(&span.trace_id) == TRACE && hex(&span.parent_span_id) == PARENT,
    );
    expect(
        "a link to the HTTP request's trace",
        span.links.len() == 1 && hex(&span.links[0].trace_id) == "a".repeat(32),
    );
    for (name, value) in [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.tool.name", COMPOSITE),
        ("gen_ai.operation.name", "execute_tool"),
        ("mcp.protocol.version", MODERN),
        ("network.transport", "tcp"),
        ("network.protocol.name", "http"),
    ] {
        let is = attribute(&span.attributes, name) == value;
        expect(&format!("{name}: {}", attribute(&span.attributes, name)), is);
    }
    let id = attribute(&span.attributes, "freshcontext.call.id");
    expect(
        &format!("the id of the call: {id}"),
        id.is_string() && answer["result"]["_meta"]["io.github.freshcontext/call"]["id"] == id,
    );
    let log = server.log.text();
    let named = format!("call{{id={} ", id.as_str().unwrap_or_default());
    expect("the id is in the log", log.contains(&named));
    expect(
        "spans are no part of the log",
        !log.contains("mcp.method.name") && !log.contains("server.address"),
    );
    expect(
        "no field without a value is in the log",
        !log.contains("=None") && !log.contains("context=[]"),
    );
    expect("no error", attribute(&span.attributes, "error.type").is_null());
    let below = |parent: &[u8]| -> Vec<&Span> {
        let spans = exports.spans.iter();
        spans.filter(|child| child.parent_span_id == parent).collect()
    };
    let calls = below(&span.span_id);
    expect(
        "one call",
        calls.len() == 1 && calls.iter().all(|call| call.name == "call"),
    );
    let children: Vec<&Span> = calls.iter().flat_map(|call| below(&call.span_id)).collect();
    let asked = upstream.requests();
    expect(
        &format!(
            "a child for each of {} requests, not {}",
            asked.len(),
            children.len()
        ),
        !asked.is_empty() && children.len() == asked.len(),
    );
    for child in &children {
        let host = attribute(&child.attributes, "server.address");
        let is = asked.iter().any(|request| host == request.host.as_str());
        expect(
            &format!("{host} was asked"),
            is && child.kind == 3 && child.name == "GET",
        );
        let status = attribute(&child.attributes, "http.response.status_code");
        expect(&format!("the status of {host}: {status}"), status.is_i64());
    }
    expect(
        "no source sees the trace",
        !asked.iter().any(|request| {
            request
                .headers
                .iter()
                .any(|(name, _)| name == "traceparent" || name == "tracestate")
        }),
    );
    let failed = of_id("8");
    expect(
        "a failed call",
        attribute(&failed.attributes, "error.type") == "tool_error"
            && failed.status.as_ref().is_some_and(|status| status.code == 2),
    );
    let unknown = of_id("9");
    expect(
        "an unknown tool",
        unknown.name == "tools/call"
            && attribute(&unknown.attributes, "error.type") == "-32602"
            && attribute(&unknown.attributes, "rpc.response.status_code") == "-32602"
            && attribute(&unknown.attributes, "gen_ai.tool.name").is_null(),
    );
    let listed = of_id("11");
    expect(
        "without a trace in the message, that of the HTTP request counts",
        listed.name == "tools/list" && hex(&listed.trace_id) == "a".repeat(32) && listed.links.is_empty(),
    );
    let counted: u64 = exports
        .durations
        .iter()
        .filter(|(attributes, _)| attribute(attributes, "mcp.method.name") == "tools/call")
        .map(|(_, count)| *count)
        .sum();
    expect(&format!("three calls are counted, not {counted}"), counted == 3);
    expect(
        "the service",
        attribute(&exports.service, "service.name") == "freshcontext",
    );
    let keyed = |request: &SeenRequest| {
        let mut headers = request.headers.iter();
        headers.any(|(name, value)| name == "x-key" && value == "key-of-the-collector")
    };
    expect("the collector's key", collector.requests().iter().all(keyed));
    let raw = String::from_utf8_lossy(&exports.raw);
    for canary in CANARIES.iter().filter(|canary| raw.contains(*canary)) {
        complaints.push(format!("{canary} was exported"));
    }
    verdict(complaints)
}

/// A session on stdio is exported, too, as one over pipes.
async fn stdio() -> Result<(), Failed> {
    let collector = ScriptedUpstream::start(taken).await?;
    let mut command = command(&["stdio"]);
    command.env("FRESHCONTEXT_OTEL_ENDPOINT", collector.base());
    let mut session = Session::open(command, MODERN).await;
    session.ask("prompts/list", json!({})).await;
    session.hang_up();
    let ended = session.end().await;
    if !ended.status.success() {
        return Err(ended.log.into());
    }
    let exports = exports(&collector)?;
    let span = exports.spans.iter().find(|span| span.name == "prompts/list");
    let span = span.ok_or("no span of prompts/list")?;
    if attribute(&span.attributes, "network.transport") == "pipe" && span.parent_span_id.is_empty() {
        Ok(())
    } else {
        Err(format!("{span:?}").into())
    }
}

/// Without `otel.endpoint`, nothing is exported, whatever else the environment says.
async fn off() -> Result<(), Failed> {
    let collector = ScriptedUpstream::start(taken).await?;
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.base()),
        ("FRESHCONTEXT_LOG", "info"),
    ])
    .await;
    server.call("extract_hackernews", json!({"url": "rust"})).await;
    until("the call is logged", async || server.log.text().contains("done")).await;
    let log = server.log.text();
    if collector.requests().is_empty() && !log.contains("otel") && !log.contains("mcp.method.name") {
        Ok(())
    } else {
        Err(format!("{} exports, {log}", collector.requests().len()).into())
    }
}

/// A collector that does not answer costs no call anything, and the process ends in time.
async fn no_collector() -> Result<(), Failed> {
    let upstream = ScriptedUpstream::start(ordinary).await?;
    let mut server = HttpServer::start(&[
        ("FRESHCONTEXT_UPSTREAM", &format!("*={}", upstream.base())),
        ("FRESHCONTEXT_OTEL_ENDPOINT", "http://127.0.0.1:1"),
    ])
    .await;
    let outcome = server.call("extract_hackernews", json!({"url": "rust"})).await;
    signal(server.process(), "TERM");
    let ended = tokio::time::timeout(crate::process::PATIENCE, server.child.wait()).await??;
    if ended.success() && !outcome.is_error {
        Ok(())
    } else {
        Err(server.log.text().into())
    }
}
