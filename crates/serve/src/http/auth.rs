//! What every request passes before it is looked at: Host and Origin, the token, the client's rate.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use freshcontext_contract::{ErrorCode, Limits};
use http::{HeaderValue, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use serde_json::json;

use super::answers::{NOT_NOW, overloaded, rpc_error};
use super::cors;
use super::guard::{Admitted, Denied, Guard};
use super::peers::Peers;
use super::places::{Permit, Serving};
use super::rate::{Client, Rate};
use super::{HEALTH_PATH, METRICS_PATH, READY_PATH};
use freshcontext_config::HttpSettings;
use freshcontext_metrics::{Metrics, Refusal};

/// Where clients look for a login server before they send a token (RFC 8414, RFC 9728 and OpenID Connect discovery,
/// and the paths that MCP's first revisions took for granted).
const DISCOVERY: &[&str] = &["/.well-known/", "/mcp/.well-known/"];
const LOGIN: &[&str] = &["/register", "/authorize", "/token"];

/// Whether a path is asked for by a client that looks for a login server. None is configured, so all these are 404:
/// to a 401, some clients begin a login that cannot end; after a 404 they send the token they were given.
fn is_login(path: &str) -> bool {
    LOGIN.contains(&path) || DISCOVERY.iter().any(|known| path.starts_with(known))
}

/// Whether a supervisor asks. It knows our address and not our names, and has no token.
fn is_probe(path: &str) -> bool {
    matches!(path, HEALTH_PATH | READY_PATH)
}

/// Whether a place is kept for who asks for this, also where there is none for others.
pub(crate) fn is_kept(path: &str) -> bool {
    is_probe(path) || path == METRICS_PATH
}

/// The place of the connection that a request came on.
#[derive(Debug, Clone)]
pub(crate) struct Seat(pub(crate) Arc<Permit>);

/// The checks, prepared once.
#[derive(Debug)]
pub(crate) struct AuthFilter {
    guard: Guard,
    peers: Peers,
    rate: Option<Rate>,
    metrics: Option<Arc<Metrics>>,
    /// Set once no new work shall come.
    draining: AtomicBool,
}

impl AuthFilter {
    pub(crate) fn new(settings: &HttpSettings, limits: &Limits, metrics: Option<Arc<Metrics>>) -> Self {
        Self {
            guard: Guard::new(settings),
            peers: Peers::new(settings),
            rate: Rate::new(limits),
            metrics,
            draining: AtomicBool::new(false),
        }
    }

    /// From now on `/readyz` says no.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Whether new work may come.
    pub(crate) fn is_ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed)
    }

    /// Whose requests and connections come from this peer, where they count. To be put into the extensions of each
    /// request.
    pub(crate) fn client(&self, peer: IpAddr) -> Option<Client> {
        self.peers.client(peer)
    }

    /// Where refusals are counted, and what `/metrics` shows.
    pub(crate) fn metrics(&self) -> Option<&Arc<Metrics>> {
        self.metrics.as_ref()
    }

    /// Counts somebody turned away.
    pub(crate) fn refused(&self, reason: Refusal) {
        if let Some(metrics) = &self.metrics {
            metrics.refused(reason);
        }
    }

    /// Host, Origin and token; who holds the token.
    fn authenticate(&self, request: &Request) -> Result<Admitted, Denied> {
        let path = request.uri().path();
        if !is_probe(path) {
            self.guard.host(request.uri(), request.headers())?;
        }
        self.guard.origin(request.headers())?;
        if is_probe(path) || is_login(path) || cors::is_preflight(request) {
            return Ok(Admitted::default());
        }
        self.guard.authorise(request.headers())
    }

    /// Counts the request towards its client's rate. Guesses at the token count like all else; a probe, and whoever
    /// may read the figures, do not.
    fn pace(&self, request: &Request, admitted: &Result<Admitted, Denied>) -> Result<(), u64> {
        let Some(rate) = &self.rate else { return Ok(()) };
        let path = request.uri().path();
        if is_probe(path) || path == METRICS_PATH && admitted.is_ok() {
            return Ok(());
        }
        let caller = admitted
            .as_ref()
            .ok()
            .and_then(|admitted| admitted.caller.as_ref());
        match (caller, request.extensions().get::<Client>()) {
            (Some(caller), _) => rate.admit(Client::Holder(caller.number)),
            (None, Some(client)) => rate.admit(*client),
            (None, None) => Ok(()),
        }
    }

    /// Turns a request away, or lets it in.
    async fn answer(&self, mut request: Request, next: Next) -> Response {
        // Not with the request, whose work may outlast the connection.
        let seat = request.extensions_mut().remove::<Seat>();
        let admitted = self.authenticate(&request);
        // Pages that may call may also read why they were refused.
        let origin = match &admitted {
            Err(Denied::Host | Denied::Origin) => None,
            Ok(_) | Err(Denied::Token) => request.headers().get(header::ORIGIN).cloned(),
        };
        let mut response = match (self.pace(&request, &admitted), admitted) {
            (Err(seconds), admitted) => {
                self.refused(Refusal::Rate);
                let caller = admitted.ok().and_then(|admitted| admitted.caller);
                let name = caller.as_ref().map(|caller| &*caller.name);
                tracing::info!(caller = name, seconds, "refused: too many requests");
                too_often(name, seconds)
            }
            (Ok(()), Err(denied)) => {
                self.refused(match denied {
                    Denied::Host => Refusal::Host,
                    Denied::Origin => Refusal::Origin,
                    Denied::Token => Refusal::Token,
                });
                refuse(denied)
            }
            (Ok(()), Ok(_)) if cors::is_preflight(&request) => cors::preflight(request.headers()),
            (Ok(()), Ok(Admitted { caller, share })) => {
                if let Some(caller) = caller {
                    request.extensions_mut().insert(caller);
                }
                match share {
                    Some(share) => {
                        request.extensions_mut().insert(share);
                        let serving = seat.as_ref().map(|seat| seat.0.serve(share.0));
                        match serving {
                            Some(None) => {
                                self.refused(Refusal::Connections);
                                too_many()
                            }
                            Some(Some(serving)) => held(next.run(request).await, serving),
                            None => next.run(request).await,
                        }
                    }
                    None => next.run(request).await,
                }
            }
        };
        if let Some(origin) = origin {
            cors::open(&mut response, origin);
        }
        response
    }
}

/// The middleware.
pub(crate) async fn admit(State(filter): State<Arc<AuthFilter>>, request: Request, next: Next) -> Response {
    filter.answer(request, next).await
}

/// The answer, with its place among the caller's requests until the last of it is written.
fn held(response: Response, serving: Serving) -> Response {
    let (mut parts, body) = response.into_parts();
    if serving.has_too_many() {
        let close = HeaderValue::from_static("close");
        parts.headers.insert(header::CONNECTION, close);
    }
    let body = Held {
        body,
        _serving: serving,
    };
    Response::from_parts(parts, Body::new(body))
}

/// A body, and what ends with it.
struct Held {
    body: Body,
    _serving: Serving,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// One caller has as many requests at once as they may.
fn too_many() -> Response {
    let what = "as many requests with this token are open as one caller may have (limits.caller_share); try again in 1 s";
    let mut response = overloaded(what, 1);
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// No place is left for a connection on which anything may be asked.
pub(crate) fn no_place() -> Response {
    overloaded(
        "this server has no place for another connection, or for one more from this address; try again in 1 s",
        1,
    )
}

fn refuse(denied: Denied) -> Response {
    let (status, message) = match denied {
        Denied::Host => (
            StatusCode::FORBIDDEN,
            "this Host is not answered here; the operator can add it to http.allowed_hosts \
             (FRESHCONTEXT_HTTP_ALLOWED_HOSTS)",
        ),
        Denied::Origin => (
            StatusCode::FORBIDDEN,
            "pages of this Origin may not call this server; the operator can add it to http.allowed_origins \
             (FRESHCONTEXT_HTTP_ALLOWED_ORIGINS)",
        ),
        Denied::Token => (
            StatusCode::UNAUTHORIZED,
            "a bearer token is needed: send `Authorization: Bearer` and the token that the operator gave you",
        ),
    };
    let mut response = rpc_error(status, json!({"code": -32_600, "message": message}), None);
    if denied == Denied::Token {
        let challenge = HeaderValue::from_static("Bearer realm=\"freshcontext\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// The wait is told twice: to HTTP libraries in the header, to whoever reads the body there.
fn too_often(caller: Option<&str>, seconds: u64) -> Response {
    let whose = caller.map_or_else(
        || "from this address".to_owned(),
        |name| format!("with the token `{name}`"),
    );
    let error = json!({
        "code": NOT_NOW,
        "message": format!("too many requests {whose}; try again in {seconds} s"),
        "data": {"code": ErrorCode::RateLimited.as_str(), "retry_after_s": seconds},
    });
    let mut response = rpc_error(StatusCode::TOO_MANY_REQUESTS, error, None);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}
