//! Routes of the HTTP service.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{any, get};
use bytes::Bytes;
use freshcontext_contract::Limits;
use freshcontext_core::sanitize::{clean_error, clean_value};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use rmcp::ServerHandler;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::access;
use super::answers::{NOT_NOW, Refused, rpc_error};
use super::auth::{AuthFilter, admit};
use super::body::{Bodies, Unread};
use super::coding::{coding_of, encodings, not_decoded};
use super::listening::{self, Line, Listeners};
use super::operator::{self, PAGE_PATH};
use super::problem::Voice;
use super::rate::Replicas;
use super::reply::{closing, reply, text};
use super::rest::{self, Rest};
use super::unread::unread_body;
use super::{HEALTH_PATH, MCP_PATH, METRICS_PATH, READY_PATH};
use freshcontext_core::unreadable::why_unreadable;
use freshcontext_mcp::caller::Caller;
use freshcontext_mcp::jsonrpc::aside::{
    EvaluationCall, Slot, has_too_many_values, split_arguments, write_answer,
};
use freshcontext_mcp::jsonrpc::frame::{self, Frame, TOO_MANY_VALUES, find_id};
use freshcontext_metrics::{Metrics, Refusal};

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Shared state of the routes.
struct Shared<S> {
    mcp: StreamableHttpService<S, NeverSessionManager>,
    bodies: Arc<Bodies>,
    filter: Arc<AuthFilter>,
    listeners: Arc<Listeners>,
    /// Cancelled when unfinished work is abandoned.
    end: CancellationToken,
}

impl<S> Shared<S> {
    /// Counts a refusal.
    fn refusing(&self, reason: Refusal, response: Response) -> Response {
        self.filter.refused(reason);
        response
    }

    /// Returns the response to a request whose body was not read.
    fn unread(&self, unread: Unread) -> Response {
        unread_body(unread, &self.bodies, &self.filter, &Voice::Rpc)
    }
}

/// Builds the router for a handler. `end` closes open streams.
pub(crate) fn router<S>(
    handler: S,
    interface: Option<Arc<Rest>>,
    filter: Arc<AuthFilter>,
    bodies: Arc<Bodies>,
    limits: &Limits,
    end: CancellationToken,
) -> Router
where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    let mut config = StreamableHttpServerConfig::default()
        // The server's own guard checks Host and Origin, on every path.
        .disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.cancellation_token = end.clone();
    config.max_request_body_bytes = bodies.most;
    config.sse_keep_alive = Some(Duration::from_millis(limits.stream_keep_alive_ms));
    let mcp = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let page = interface.as_ref().map(|interface| Arc::clone(interface.engine()));
    let rest =
        interface.map(|rest| rest::router(rest, Arc::clone(&bodies), Arc::clone(&filter), end.clone()));
    let shared = Arc::new(Shared {
        mcp,
        bodies,
        filter: Arc::clone(&filter),
        listeners: Listeners::new(limits),
        end,
    });
    let mut router = Router::new();
    if let Some(metrics) = filter.metrics() {
        let (metrics, replicas) = (Arc::clone(metrics), filter.replicas().cloned());
        let answer = move || std::future::ready(figures(&metrics, replicas.as_ref()));
        router = router.route(METRICS_PATH, get(answer));
    }
    if let Some(engine) = page {
        let answer = move || std::future::ready(operator::page(&engine));
        router = router.route(PAGE_PATH, get(answer));
    }
    let router = router
        .route(MCP_PATH, any(speak::<S>))
        .route(&format!("{MCP_PATH}/"), any(speak::<S>))
        .route(HEALTH_PATH, get(|| async { text(StatusCode::OK, "ok\n") }))
        .route(READY_PATH, get(ready::<S>))
        .fallback(nothing::<S>)
        .with_state(shared);
    let router = match rest {
        Some(rest) => router.merge(rest),
        None => router,
    };
    router.layer(from_fn_with_state(filter, admit))
}

async fn nothing<S>(State(shared): State<Arc<Shared<S>>>, request: Request) -> Response {
    let oauth = shared.filter.oauth();
    oauth
        .and_then(|oauth| access::metadata(oauth, request.method(), request.uri().path()))
        .unwrap_or_else(|| {
            text(
                StatusCode::NOT_FOUND,
                "there is nothing here; MCP is spoken at /mcp\n",
            )
        })
}

async fn ready<S>(State(shared): State<Arc<Shared<S>>>) -> Response {
    if shared.filter.is_ready() {
        match shared.filter.replicas() {
            None => text(StatusCode::OK, "ready\n"),
            // Ready without Redis, too: each replica then keeps to its share.
            Some(replicas) => reply(
                StatusCode::OK,
                "text/plain; charset=utf-8",
                format!("ready\n{}\n", replicas.state()),
            ),
        }
    } else {
        text(StatusCode::SERVICE_UNAVAILABLE, "draining\n")
    }
}

fn figures(metrics: &Metrics, replicas: Option<&Arc<dyn Replicas>>) -> Response {
    match metrics.text() {
        Ok((text, kind)) => {
            let shared = replicas.map(|replicas| replicas.figures()).unwrap_or_default();
            reply(StatusCode::OK, kind, text + &shared)
        }
        Err(error) => {
            tracing::error!(%error, "the figures cannot be written");
            text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the figures cannot be written\n",
            )
        }
    }
}

async fn speak<S>(State(shared): State<Arc<Shared<S>>>, request: Request) -> Response
where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    if request.method() != Method::POST {
        let response = clean_refusal(shared.mcp.handle(request).await.map(Body::new)).await;
        return shared.refusing(Refusal::Protocol, response);
    }
    if let Some(coding) = coding_of(request.headers()) {
        let error = json!({"code": -32_600, "message": not_decoded(&coding)});
        let response = rpc_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, error, None);
        return shared.refusing(Refusal::Protocol, encodings(response));
    }
    let length = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    let (mut parts, body) = request.into_parts();
    let read = match shared.bodies.read(body, length).await {
        Ok(read) => read,
        Err(unread) => return shared.unread(unread),
    };
    // Holds its memory until the response is ready.
    let body = match read.bytes.strip_prefix(BYTE_ORDER_MARK) {
        // RFC 8259, section 8.1: a parser may ignore the mark. The other door ignores it, too.
        Some(rest) => {
            parts.headers.insert(header::CONTENT_LENGTH, rest.len().into());
            &read.bytes.slice_ref(rest)
        }
        None => &read.bytes,
    };
    let judged = split_arguments(body);
    if has_too_many_values(judged.as_ref().map_or(body, |(rest, _)| rest)) {
        let error = json!({"code": -32_600, "message": TOO_MANY_VALUES});
        let response = rpc_error(StatusCode::BAD_REQUEST, error, id_of(body));
        return shared.refusing(Refusal::Protocol, response);
    }
    let json = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    // serde_json validates only the strings that are kept.
    if json && std::str::from_utf8(body).is_err() {
        return shared.refusing(Refusal::Protocol, unreadable(body));
    }
    let listener = if listening::is_listening(&parts.headers) {
        let Some(listener) = shared.listeners.take(parts.extensions.get::<Caller>()) else {
            return shared.refusing(Refusal::Connections, listening::too_many(id_of(body)));
        };
        Some((listener, parts.extensions.get::<Line>().cloned()))
    } else {
        None
    };
    let only_stream = settle_accept(&mut parts.headers);
    let (mut rest, mut structure) = (body.clone(), Slot::default());
    if let Some((message, arguments)) = judged {
        let evaluation = EvaluationCall::new(arguments);
        structure = evaluation.structure.clone();
        parts.headers.insert(header::CONTENT_LENGTH, message.len().into());
        parts.extensions.insert(evaluation);
        rest = message;
    }
    let request = Request::from_parts(parts, Full::new(rest));
    let response = tokio::select! {
        // Ordered: at shutdown rmcp gives up as well, with a less specific response.
        biased;
        () = shared.end.cancelled() => return going_away(body),
        response = shared.mcp.handle(request) => response.map(Body::new),
    };
    if let Some((listener, line)) = listener
        && response.status().is_success()
    {
        return listening::streamed(response, listener, line);
    }
    let response = match structure.take() {
        Some(structure) => with_structure(response, &structure).await,
        None => clean_refusal(response).await,
    };
    let response = if only_stream {
        as_stream(response).await
    } else {
        response
    };
    match response.status() {
        // rmcp reports unreadable JSON as 415, although the media type is right.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if json => shared.refusing(Refusal::Protocol, unreadable(body)),
        StatusCode::BAD_REQUEST | StatusCode::NOT_ACCEPTABLE | StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            shared.refusing(Refusal::Protocol, response)
        }
        _ => response,
    }
}

/// Inserts the separately serialised result into a response.
async fn with_structure(response: Response, structure: &RawValue) -> Response {
    #[derive(Deserialize)]
    struct Answer {
        id: Value,
        result: Map<String, Value>,
    }

    let (mut parts, body) = response.into_parts();
    let broken = || closing(text(StatusCode::INTERNAL_SERVER_ERROR, "the answer broke off\n"));
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return broken();
    };
    let Ok(answer) = serde_json::from_slice::<Answer>(&body) else {
        return Response::from_parts(parts, Body::from(body));
    };
    let mut whole = Vec::with_capacity(body.len() + structure.get().len() + 64);
    if write_answer(&mut whole, &answer.id, &answer.result, structure).is_err() {
        return broken();
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(whole))
}

/// Maximum size of a body, in bytes, that is examined as a refusal. Results are larger or contain no error. rmcp's
/// refusals repeat headers.
const REFUSAL_BYTES: u64 = 16 << 10;

/// Cleans rmcp's own error responses, which may repeat a header or a protocol version.
async fn clean_refusal(response: Response) -> Response {
    let small = response
        .body()
        .size_hint()
        .upper()
        .is_some_and(|most| most <= REFUSAL_BYTES);
    if !small {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return closing(text(StatusCode::INTERNAL_SERVER_ERROR, "the answer broke off\n"));
    };
    let cleaned = match serde_json::from_slice::<Value>(&body) {
        Ok(mut message) if message.get("error").is_some() => {
            if let Some(error) = message.get_mut("error") {
                clean_value(error);
            }
            // JSON-RPC wants one; null where the request's is not known.
            if let Some(message) = message.as_object_mut() {
                message.entry("id").or_insert(Value::Null);
            }
            Bytes::from(message.to_string())
        }
        Err(_) if !parts.status.is_success() => {
            let said = clean_error(&String::from_utf8_lossy(&body));
            let message = if said.trim().is_empty() {
                parts.status.to_string()
            } else {
                said
            };
            let error = json!({"code": -32_600, "message": message});
            Bytes::from(json!({"jsonrpc": "2.0", "error": error, "id": null}).to_string())
        }
        _ => body,
    };
    if !parts.status.is_success() {
        let kind = HeaderValue::from_static("application/json");
        parts.headers.insert(header::CONTENT_TYPE, kind);
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(cleaned))
}

/// Names both media types of this transport where a request takes one of them, or says nothing (RFC 9110, section 12.5.1):
/// rmcp looks for both by name, and clients of all kinds send one, or none. Returns whether only a stream is taken.
fn settle_accept(headers: &mut HeaderMap) -> bool {
    let (mut json, mut stream) = (false, false);
    let mut named = false;
    for value in headers.get_all(header::ACCEPT) {
        for range in value.to_str().unwrap_or_default().split(',') {
            let mut parts = range.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            named |= !kind.is_empty();
            let refused = parts.any(|parameter| {
                let weight = parameter
                    .strip_prefix("q=")
                    .or_else(|| parameter.strip_prefix("Q="));
                weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0_f32))
            });
            if refused {
                continue;
            }
            json |= matches!(kind.as_str(), "*/*" | "application/*" | "application/json");
            stream |= matches!(kind.as_str(), "*/*" | "text/*" | "text/event-stream");
        }
    }
    if json || stream || !named {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
    stream && !json
}

/// A JSON answer as the one event of a stream, for who takes nothing else.
async fn as_stream(response: Response) -> Response {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !is_json || !response.status().is_success() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return closing(text(StatusCode::INTERNAL_SERVER_ERROR, "the answer broke off\n"));
    };
    // JSON as it is written here has no line breaks.
    let mut event = Vec::with_capacity(body.len() + 32);
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(&body);
    event.extend_from_slice(b"\n\n");
    parts.headers.remove(header::CONTENT_LENGTH);
    let kind = HeaderValue::from_static("text/event-stream");
    parts.headers.insert(header::CONTENT_TYPE, kind);
    Response::from_parts(parts, Body::from(event))
}

fn unreadable(body: &Bytes) -> Response {
    // The reader of the other door decides, so that both answer with the same code in the same words.
    let error = match frame::read(body) {
        Frame::Wrong(_, error) => json!({"code": error.code.0, "message": error.message}),
        _ => match why_unreadable(body) {
            Some(why) => json!({"code": ErrorCode::PARSE_ERROR.0, "message": format!("the message {why}")}),
            None => json!({"code": -32_600, "message": "the body is not a JSON-RPC message"}),
        },
    };
    rpc_error(StatusCode::BAD_REQUEST, error, id_of(body))
}

/// Builds the response to a call that is unfinished at shutdown.
fn going_away(body: &Bytes) -> Response {
    let error = json!({"code": NOT_NOW, "message": "the server is going away; this was not finished"});
    closing(rpc_error(StatusCode::SERVICE_UNAVAILABLE, error, id_of(body)))
}

fn id_of(body: &Bytes) -> Option<Value> {
    find_id(body).and_then(|id| serde_json::to_value(id).ok())
}

/// Builds the response to an oversized head.
pub(crate) fn head_too_large(status: StatusCode, message: &str, voice: &Voice) -> Response {
    closing(Refused::new(status, -32_600, message).said(voice))
}
