//! Checks before a request is processed: Host and Origin, the token, the client's rate.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use freshcontext_contract::{ErrorCode, Limits};
use http::{HeaderValue, StatusCode, header};

use super::access::{self, Presented};
use super::answers::{NOT_NOW, Refused};
use super::cors;
use super::guard::{Admitted, Denied, Guard};
use super::held_body::HeldBody;
use super::operator::PAGE_PATH;
use super::peers::Peers;
use super::places::{Permit, Serving};
use super::problem::Voice;
use super::rate::{Client, Rate, Replicas};
use super::refused::RefusedLog;
use super::tokens::Tokens;
use super::{HEALTH_PATH, METRICS_PATH, READY_PATH};
use freshcontext_config::HttpSettings;
use freshcontext_metrics::{Metrics, Refusal};
use freshcontext_oauth::{Refused as NoAccess, ResourceServer};

/// Discovery paths that clients request before they send a token (RFC 8414, RFC 9728, OpenID Connect, and the
/// paths of MCP's first revisions).
const DISCOVERY: &[&str] = &["/.well-known/", "/mcp/.well-known/"];
const LOGIN: &[&str] = &["/register", "/authorize", "/token"];

/// Returns whether a path belongs to login discovery. No login server stands here, so these paths return 404, except
/// the protected resource metadata where an issuer is configured. After a 401 some clients begin a login that cannot
/// finish; after a 404 they send their token.
fn is_login(path: &str) -> bool {
    LOGIN.contains(&path) || DISCOVERY.iter().any(|known| path.starts_with(known))
}

/// Returns whether the path is a health probe. A supervisor knows the server's address but not its host names, and
/// has no token.
fn is_probe(path: &str) -> bool {
    matches!(path, HEALTH_PATH | READY_PATH)
}

/// Returns whether a reserved connection may serve this path when all others are taken.
pub(crate) fn is_kept(path: &str) -> bool {
    is_probe(path) || path == METRICS_PATH
}

/// Permit of the connection that carries the request.
#[derive(Debug, Clone)]
pub(crate) struct Seat(pub(crate) Arc<Permit>);

/// The checks, prepared from the settings.
#[derive(Debug)]
pub(crate) struct AuthFilter {
    guard: Guard,
    peers: Peers,
    rate: Option<Rate>,
    replicas: Option<Arc<dyn Replicas>>,
    oauth: Option<Arc<ResourceServer>>,
    metrics: Option<Arc<Metrics>>,
    log: RefusedLog,
    /// Set when new work is refused.
    draining: AtomicBool,
}

impl AuthFilter {
    pub(crate) fn new(
        settings: &HttpSettings,
        tokens: Tokens,
        limits: &Limits,
        metrics: Option<Arc<Metrics>>,
    ) -> Self {
        Self {
            guard: Guard::new(settings, tokens),
            peers: Peers::new(settings),
            rate: Rate::new(limits),
            replicas: None,
            oauth: None,
            metrics,
            log: RefusedLog::default(),
            draining: AtomicBool::new(false),
        }
    }

    /// Shares the rates of clients with other replicas.
    pub(crate) fn sharing(mut self, replicas: Option<Arc<dyn Replicas>>) -> Self {
        self.replicas = replicas;
        self
    }

    /// Accepts access tokens of an issuer, too.
    pub(crate) fn accepting(mut self, oauth: Option<Arc<ResourceServer>>) -> Self {
        self.oauth = oauth;
        self
    }

    /// Returns the checks of access tokens, if an issuer is configured.
    pub(crate) fn oauth(&self) -> Option<&Arc<ResourceServer>> {
        self.oauth.as_ref()
    }

    /// Returns what replicas share, if anything.
    pub(crate) fn replicas(&self) -> Option<&Arc<dyn Replicas>> {
        self.replicas.as_ref()
    }

    /// Makes `/readyz` report that the server is not ready.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Returns whether new work is accepted.
    pub(crate) fn is_ready(&self) -> bool {
        !self.draining.load(Ordering::Relaxed)
    }

    /// Returns the client that this peer's requests and connections count for, if they count. Stored in the
    /// extensions of each request.
    pub(crate) fn client(&self, peer: IpAddr) -> Option<Client> {
        self.peers.client(peer)
    }

    /// Returns the metrics, which also count refusals.
    pub(crate) fn metrics(&self) -> Option<&Arc<Metrics>> {
        self.metrics.as_ref()
    }

    /// Counts a refused request.
    pub(crate) fn refused(&self, reason: Refusal) {
        if let Some(metrics) = &self.metrics {
            metrics.refused(reason);
        }
    }

    /// Checks Host, Origin and token. Returns the token's holder.
    fn authenticate(&self, request: &Request) -> Result<Admitted, Denied> {
        let path = request.uri().path();
        if !is_probe(path) {
            self.guard.host(request.uri(), request.headers())?;
        }
        self.guard.origin(request.headers())?;
        if is_probe(path) || is_login(path) || cors::is_preflight(request) {
            return Ok(Admitted::default());
        }
        if path == METRICS_PATH {
            return self.guard.authorise_figures(request.headers());
        }
        if path == PAGE_PATH {
            return self.guard.authorise_page(request.headers());
        }
        self.guard.authorise(request.headers())
    }

    /// Returns the client whose rate limit the request counts for. Failed token attempts count; probes, and authorised
    /// requests for the metrics, do not.
    fn counted(request: &Request, admitted: &Result<Admitted, Denied>) -> Option<(Client, Option<Arc<str>>)> {
        let path = request.uri().path();
        if is_probe(path) || path == METRICS_PATH && admitted.is_ok() {
            return None;
        }
        if let Ok(Admitted {
            client: Some(client),
            caller,
            ..
        }) = admitted
        {
            return Some((*client, caller.as_ref().map(|caller| Arc::clone(&caller.name))));
        }
        let client = request.extensions().get::<Client>();
        client.map(|client| (*client, None))
    }

    /// Counts a request towards a client's rate limit.
    async fn pace(&self, counted: Option<(Client, Option<Arc<str>>)>) -> Result<(), u64> {
        let (Some(rate), Some((client, name))) = (&self.rate, counted) else {
            return Ok(());
        };
        match &self.replicas {
            Some(replicas) => rate.admit_shared(replicas, client, name.as_deref()).await,
            None => rate.admit(client),
        }
    }

    /// Refuses or forwards a request.
    async fn answer(&self, mut request: Request, next: Next) -> Response {
        // Removed from the request, whose work may outlast the connection.
        let seat = request.extensions_mut().remove::<Seat>();
        let voice = Voice::of(request.uri(), request.headers());
        let mut admitted = self.authenticate(&request);
        if let (Err(Denied::Token), Some(oauth)) = (&admitted, &self.oauth) {
            let presented = Presented::of(request.headers());
            admitted = access::admit(oauth, presented).await;
        }
        // An allowed origin may also read the refusal.
        let origin = match &admitted {
            Err(Denied::Host | Denied::Origin) => None,
            Ok(_) | Err(Denied::Token | Denied::Access(_)) => request.headers().get(header::ORIGIN).cloned(),
        };
        let mut response = match (self.pace(Self::counted(&request, &admitted)).await, admitted) {
            (Err(seconds), admitted) => {
                self.refused(Refusal::Rate);
                let caller = admitted.ok().and_then(|admitted| admitted.caller);
                let name = caller.as_ref().map(|caller| &*caller.name);
                tracing::info!(caller = name, seconds, "refused: too many requests");
                too_often(&voice, name, seconds)
            }
            (Ok(()), Err(denied)) => {
                self.refused(match denied {
                    Denied::Host => Refusal::Host,
                    Denied::Origin => Refusal::Origin,
                    Denied::Access(NoAccess::Unavailable) => Refusal::Issuer,
                    Denied::Token | Denied::Access(_) => Refusal::Token,
                });
                self.log
                    .tell(request.extensions().get::<Client>().copied(), denied);
                let mut response = match denied {
                    Denied::Access(refused) => access::refuse(&voice, refused, self.oauth.as_ref()),
                    denied => refuse(&voice, denied),
                };
                if request.uri().path() == PAGE_PATH && self.guard.takes_password() {
                    offer_password(&mut response);
                }
                response
            }
            (Ok(()), Ok(_)) if cors::is_preflight(&request) => cors::preflight(request.headers()),
            (Ok(()), Ok(Admitted { caller, share, .. })) => {
                if let Voice::Problem(id) = &voice {
                    request.extensions_mut().insert(id.clone());
                }
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
                                too_many(&voice)
                            }
                            Some(Some(serving)) => held(next.run(request).await, serving),
                            None => next.run(request).await,
                        }
                    }
                    None => next.run(request).await,
                }
            }
        };
        if let Voice::Problem(id) = &voice {
            id.mark(&mut response);
        }
        if let Some(origin) = origin {
            cors::open(&mut response, origin);
        }
        response
    }
}

/// Admits or refuses a request, as middleware.
pub(crate) async fn admit(State(filter): State<Arc<AuthFilter>>, request: Request, next: Next) -> Response {
    filter.answer(request, next).await
}

/// Attaches the caller's request permit to the response until its last byte is written.
fn held(response: Response, serving: Serving) -> Response {
    let (mut parts, body) = response.into_parts();
    if serving.has_too_many() {
        let close = HeaderValue::from_static("close");
        parts.headers.insert(header::CONNECTION, close);
    }
    Response::from_parts(parts, Body::new(HeldBody::new(body, serving)))
}

/// Builds the refusal for a caller with too many concurrent requests.
fn too_many(voice: &Voice) -> Response {
    let what = "as many requests with this token are open as one caller may have (limits.caller_share); try again in 1 s";
    let mut response = Refused::overloaded(what, 1).said(voice);
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

/// Builds the refusal for a full server: no unreserved connection is left.
pub(crate) fn no_place(voice: &Voice) -> Response {
    let what = "this server has no place for another connection, or for one more from this address; try again in 1 s";
    Refused::overloaded(what, 1).said(voice)
}

/// Adds the challenge for which a browser asks its user for a name, which is not read, and a password.
fn offer_password(response: &mut Response) {
    if response.status() == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("Basic realm=\"freshcontext\", charset=\"UTF-8\"");
        response.headers_mut().append(header::WWW_AUTHENTICATE, challenge);
    }
}

fn refuse(voice: &Voice, denied: Denied) -> Response {
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
        Denied::Token | Denied::Access(_) => (
            StatusCode::UNAUTHORIZED,
            "a bearer token is needed: send `Authorization: Bearer` and the token that the operator gave you",
        ),
    };
    let mut response = Refused::new(status, -32_600, message).said(voice);
    if denied == Denied::Token {
        let challenge = HeaderValue::from_static("Bearer realm=\"freshcontext\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Builds the refusal for an exceeded rate.
fn too_often(voice: &Voice, caller: Option<&str>, seconds: u64) -> Response {
    let whose = caller.map_or_else(
        || "from this address".to_owned(),
        |name| format!("with the token `{name}`"),
    );
    let message = format!("too many requests {whose}; try again in {seconds} s");
    let refused = Refused {
        code: Some(ErrorCode::RateLimited),
        retry_after_s: Some(seconds),
        ..Refused::new(StatusCode::TOO_MANY_REQUESTS, NOT_NOW, message)
    };
    refused.said(voice)
}
