//! Paths of the HTTP service and what is answered there.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{any, get};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::guard::{Denied, Guard};

/// Where MCP is spoken.
pub const MCP_PATH: &str = "/mcp";
/// Where RFC 9728 looks for what this resource is.
const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// What the routes share.
struct Shared<S> {
    mcp: StreamableHttpService<S, NeverSessionManager>,
    body_bytes: usize,
    body_time: Duration,
}

/// The router for a handler. `end` closes open streams.
pub(crate) fn router<S>(
    handler: S,
    guard: Guard,
    body_bytes: usize,
    body_time: Duration,
    end: CancellationToken,
) -> Router
where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    let mut config = StreamableHttpServerConfig::default()
        // Host and Origin are judged by our own guard, on every path.
        .disable_allowed_hosts();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.cancellation_token = end;
    config.max_request_body_bytes = body_bytes;
    let mcp = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let shared = Arc::new(Shared {
        mcp,
        body_bytes,
        body_time,
    });
    Router::new()
        .route(MCP_PATH, any(speak::<S>))
        .route("/healthz", get(|| async { text(StatusCode::OK, "ok\n") }))
        .route(METADATA_PATH, get(metadata))
        .route("/.well-known/oauth-protected-resource/mcp", get(metadata))
        .fallback(|| async {
            text(
                StatusCode::NOT_FOUND,
                "there is nothing here; MCP is spoken at /mcp\n",
            )
        })
        .with_state(shared)
        .layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let open = matches!(request.uri().path(), "/healthz") || request.uri().path().starts_with(METADATA_PATH);
    let judged = guard.admit(request.uri(), request.headers()).and_then(|()| {
        if open {
            Ok(())
        } else {
            guard.authorise(request.headers())
        }
    });
    match judged {
        Ok(()) => next.run(request).await,
        Err(denied) => refuse(denied, &request),
    }
}

fn refuse(denied: Denied, request: &Request) -> Response {
    let (status, message) = match denied {
        Denied::Host => (StatusCode::FORBIDDEN, "this Host is not answered here"),
        Denied::Origin => (
            StatusCode::FORBIDDEN,
            "pages of this Origin may not call this server",
        ),
        Denied::Token => (StatusCode::UNAUTHORIZED, "a bearer token is needed"),
    };
    let mut response = rpc_error(status, -32600, message, None);
    if denied == Denied::Token {
        let host = request
            .headers()
            .get(header::HOST)
            .and_then(|host| host.to_str().ok())
            .unwrap_or("localhost");
        let challenge =
            format!("Bearer realm=\"freshcontext\", resource_metadata=\"http://{host}{METADATA_PATH}\"");
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
    }
    response
}

/// What this resource is, for clients that ask before they log in. Tokens are given out by the
/// operator, so no authorization server is named.
async fn metadata(request: Request) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or("localhost");
    let body = json!({
        "resource": format!("http://{host}{MCP_PATH}"),
        "resource_name": "FreshContext",
        "bearer_methods_supported": ["header"],
    });
    reply(StatusCode::OK, "application/json", body.to_string())
}

async fn speak<S>(State(shared): State<Arc<Shared<S>>>, request: Request) -> Response
where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    if request.method() != Method::POST {
        return shared.mcp.handle(request).await.map(Body::new);
    }
    let length = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| {
        usize::try_from(length).is_ok_and(|length| length > shared.body_bytes)
            || usize::try_from(length).is_err()
    }) {
        return closing(too_large(shared.body_bytes));
    }
    let (parts, body) = request.into_parts();
    let body =
        match tokio::time::timeout(shared.body_time, Limited::new(body, shared.body_bytes).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return closing(too_large(shared.body_bytes)),
            Ok(Err(_)) => {
                return closing(rpc_error(
                    StatusCode::BAD_REQUEST,
                    -32700,
                    "the body could not be read",
                    None,
                ));
            }
            Err(_) => {
                return closing(rpc_error(
                    StatusCode::REQUEST_TIMEOUT,
                    -32600,
                    "the body took too long",
                    None,
                ));
            }
        };
    let json = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    let request = Request::from_parts(parts, Full::new(body.clone()));
    let response = shared.mcp.handle(request).await;
    if json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        // rmcp says 415 for JSON that it cannot read; the media type is right, the text is not.
        return unreadable(&body);
    }
    response.map(Body::new)
}

fn unreadable(body: &Bytes) -> Response {
    match serde_json::from_slice::<Value>(body) {
        Err(_) => rpc_error(StatusCode::BAD_REQUEST, -32700, "the body is not JSON", None),
        Ok(Value::Array(_)) => rpc_error(StatusCode::BAD_REQUEST, -32600, "batches are not supported", None),
        Ok(value) => {
            let id = value
                .get("id")
                .filter(|id| id.is_string() || id.is_i64())
                .cloned();
            rpc_error(
                StatusCode::BAD_REQUEST,
                -32600,
                "the body is not a JSON-RPC message",
                id,
            )
        }
    }
}

fn too_large(most: usize) -> Response {
    rpc_error(
        StatusCode::PAYLOAD_TOO_LARGE,
        -32600,
        &format!("the body is larger than {most} bytes"),
        None,
    )
}

/// An answer after which the connection is of no more use: the rest of the body is not read.
fn closing(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn rpc_error(status: StatusCode, code: i32, message: &str, id: Option<Value>) -> Response {
    let mut body = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let (Some(id), Some(body)) = (id, body.as_object_mut()) {
        body.insert("id".to_owned(), id);
    }
    reply(status, "application/json", body.to_string())
}

fn text(status: StatusCode, body: &'static str) -> Response {
    reply(status, "text/plain; charset=utf-8", body.to_owned())
}

fn reply(status: StatusCode, kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
