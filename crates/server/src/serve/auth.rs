//! What every request passes before it is looked at: Host and Origin, the token, the client's rate.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use freshcontext_contract::{ErrorCode, Limits};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use super::answers::rpc_error;
use super::cors;
use super::guard::{Caller, Denied, Guard};
use super::rate::{Client, Rate};
use super::{HEALTH_PATH, METRICS_PATH, READY_PATH};
use crate::config::HttpSettings;
use crate::metrics::{Metrics, Refusal};

/// JSON-RPC's code for "not now": of its range for servers, and outside the part that MCP reserves.
pub(crate) const NOT_NOW: i32 = -32_000;

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

/// The checks, prepared once.
#[derive(Debug)]
pub(crate) struct AuthFilter {
    guard: Guard,
    rate: Option<Rate>,
    metrics: Option<Arc<Metrics>>,
    /// Set once no new work shall come.
    draining: AtomicBool,
}

impl AuthFilter {
    pub(crate) fn new(settings: &HttpSettings, limits: &Limits, metrics: Option<Arc<Metrics>>) -> Self {
        Self {
            guard: Guard::new(settings),
            rate: Rate::new(limits, settings.limit_loopback),
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

    /// Whose requests come from this peer, where they count. To be put into the extensions of each.
    pub(crate) fn client(&self, peer: IpAddr) -> Option<Client> {
        self.rate.as_ref()?.client(peer)
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

    /// Host, Origin and token; who holds the token, where it has a name.
    fn authenticate(&self, request: &Request) -> Result<Option<Caller>, Denied> {
        let path = request.uri().path();
        if !is_probe(path) {
            self.guard.host(request.uri(), request.headers())?;
        }
        self.guard.origin(request.headers())?;
        if is_probe(path) || is_login(path) || cors::is_preflight(request) {
            return Ok(None);
        }
        self.guard.authorise(request.headers())
    }

    /// Counts the request towards its client's rate. Guesses at the token count like all else; a probe, and whoever
    /// may read the figures, do not.
    fn pace(&self, request: &Request, caller_or_denial: &Result<Option<Caller>, Denied>) -> Result<(), u64> {
        let Some(rate) = &self.rate else { return Ok(()) };
        let path = request.uri().path();
        if is_probe(path) || path == METRICS_PATH && caller_or_denial.is_ok() {
            return Ok(());
        }
        match (caller_or_denial, request.extensions().get::<Client>()) {
            (Ok(Some(caller)), _) => rate.admit(Client::Holder(caller.number)),
            (_, Some(client)) => rate.admit(*client),
            (_, None) => Ok(()),
        }
    }

    /// Turns a request away, or lets it in.
    async fn answer(&self, mut request: Request, next: Next) -> Response {
        let caller_or_denial = self.authenticate(&request);
        // Pages that may call may also read why they were refused.
        let origin = match &caller_or_denial {
            Err(Denied::Host | Denied::Origin) => None,
            Ok(_) | Err(Denied::Token) => request.headers().get(header::ORIGIN).cloned(),
        };
        let mut response = match (self.pace(&request, &caller_or_denial), caller_or_denial) {
            (Err(seconds), caller_or_denial) => {
                self.refused(Refusal::Rate);
                let caller = caller_or_denial.ok().flatten();
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
            (Ok(()), Ok(caller)) => {
                if let Some(caller) = caller {
                    request.extensions_mut().insert(caller);
                }
                next.run(request).await
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
