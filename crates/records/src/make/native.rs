//! Ids of other protocols that a request comes with.

use super::Occasion;
use super::PRODUCER;
use crate::bundle::SCHEMAS;
use crate::limits::TRACE_CHARS;
use crate::objects::{JsonSchemaIds, Mappings, Mcp, OpenTelemetry, Telemetry};

/// The host of an address.
pub(super) fn authority(uri: &str) -> Option<String> {
    let rest = uri
        .strip_prefix("https://")
        .or_else(|| uri.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    (!host.is_empty()).then(|| host.to_owned())
}

/// Trace and span of the request, and what the caller names besides.
pub(super) fn telemetry(occasion: &Occasion<'_>) -> Option<Telemetry> {
    let native = occasion.native;
    let (trace, span) = native.trace().unzip();
    let refs = &occasion.options.context.telemetry_refs;
    if trace.is_none() && refs.is_empty() {
        return None;
    }
    let short = |text: &Option<String>| text.clone().filter(|text| text.len() <= TRACE_CHARS);
    Some(Telemetry {
        traceparent: trace.and_then(|_| short(&native.traceparent)),
        tracestate: trace.and_then(|_| short(&native.tracestate)),
        trace_id: trace.map(str::to_owned),
        span_id: span.map(str::to_owned),
        refs: refs.clone(),
    })
}

/// The ids that this server sees, over those that the caller names.
pub(super) fn mappings(occasion: &Occasion<'_>) -> Mappings {
    let native = occasion.native;
    let mut all = occasion
        .options
        .context
        .external_mappings
        .clone()
        .unwrap_or(Mappings {
            mcp: None,
            a2a: None,
            opentelemetry: None,
            model_api: None,
            web_annotation: None,
            w3c_prov: None,
            cloudevents: None,
            json_schema: None,
        });
    let mcp = all.mcp.get_or_insert(Mcp {
        server_id: None,
        mcp_session_id: None,
        resource_uri: None,
        resource_template: None,
        prompt_name: None,
        root_uri: None,
        jsonrpc_request_id: None,
    });
    mcp.server_id = Some(format!("{PRODUCER}/{}", occasion.version));
    if native.request_id.is_some() {
        mcp.jsonrpc_request_id.clone_from(&native.request_id);
    }
    if let Some((trace, span)) = native.trace() {
        let open = all.opentelemetry.get_or_insert(OpenTelemetry {
            trace_id: None,
            span_id: None,
            event_name: None,
            conversation_id: None,
            system: None,
            operation_name: None,
            token_usage: None,
        });
        open.trace_id = Some(trace.to_owned());
        open.span_id = Some(span.to_owned());
    }
    let schema = all.json_schema.get_or_insert(JsonSchemaIds {
        id: None,
        dialect: None,
        reference: None,
        kind: None,
        properties: None,
        additional_properties: None,
        required: Vec::new(),
    });
    schema.id = Some(format!("{SCHEMAS}bundle.json"));
    schema.dialect = Some("https://json-schema.org/draft/2020-12/schema".to_owned());
    all
}
