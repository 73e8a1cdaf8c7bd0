//! MCP over streamable HTTP and REST on one port, with their own accept loop, so that every wait has a timeout.

mod access;
mod answers;
mod auth;
mod body;
mod coding;
mod connections;
mod cors;
mod guard;
pub(crate) mod head;
mod held_body;
mod listening;
mod monitored;
mod operator;
mod peers;
mod places;
mod problem;
mod rate;
mod refused;
mod reply;
mod rest;
mod routes;
#[cfg(test)]
pub(crate) mod tests;
mod tokens;
mod unread;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use freshcontext_contract::Limits;
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode, Version};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use crate::signals;
use auth::{AuthFilter, Seat};
use body::Bodies;
use connections::Activity;
use freshcontext_config::{ConfigError, HttpSettings, LONG_SECRET};
use freshcontext_metrics::{Metrics, Refusal};
use freshcontext_oauth::ResourceServer;
use listening::Line;
use monitored::MonitoredStream;
use places::{Permit, Places};
use problem::Voice;
use rate::Client;
pub use rate::Replicas;
pub use tokens::{TokenChanges, Tokens};

pub use rest::{ClosedTool, Rest, openapi};

/// Path of the MCP endpoint.
pub const MCP_PATH: &str = "/mcp";
/// Path of the liveness probe.
const HEALTH_PATH: &str = "/healthz";
/// Path of the readiness probe.
pub const READY_PATH: &str = "/readyz";
/// Path of the metrics, if enabled.
const METRICS_PATH: &str = "/metrics";

/// Response on a connection without a permit.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
/// Timeout for the first request on a connection that is reserved for probes, which send it immediately.
const FIRST_WORD: Duration = Duration::from_secs(1);
/// Maximum size of the headers of one request, in bytes, and their maximum number.
const HEADER_BYTES: usize = 32 << 10;
const HEADER_FIELDS: usize = 100;

/// Part of the drain time that is reserved for error responses to unfinished calls.
const LAST_WRITES: Duration = Duration::from_millis(300);

/// Rejects unsafe settings: a non-loopback address without a token or with a guessable one, two names for one
/// token, and an issuer without an audience. On a loopback address, only local programs can connect, so any token is accepted.
pub fn check(settings: &HttpSettings) -> Result<(), ConfigError> {
    let key = |name: Option<&str>| {
        name.map_or_else(
            || "`http.token` (FRESHCONTEXT_HTTP_TOKEN)".to_owned(),
            |name| format!("the token of `{name}` in `http.tokens` (FRESHCONTEXT_HTTP_TOKENS)"),
        )
    };
    let figures = settings.metrics_token.iter().map(|token| {
        let key = "`http.metrics_token` (FRESHCONTEXT_HTTP_METRICS_TOKEN)".to_owned();
        (key, token)
    });
    let callers = settings.all_tokens().map(|(name, token)| (key(name), token));
    let tokens: Vec<_> = callers.chain(figures).collect();
    for (at, (key, token)) in tokens.iter().enumerate() {
        if tokens.iter().take(at).any(|(_, other)| other == token) {
            return Err(ConfigError(format!("{key} is the same as another one")));
        }
        if !settings.addr.ip().is_loopback() && token.expose().chars().count() < LONG_SECRET {
            return Err(ConfigError(format!(
                "{key} is shorter than {LONG_SECRET} characters, and `http.addr` is {}, from where others could try \
                 them all: make a long one, for example with `openssl rand -hex 32`, or use a loopback address",
                settings.addr
            )));
        }
    }
    settings.oauth.check()?;
    let closed = settings.all_tokens().next().is_some() || settings.oauth.is_set();
    if !settings.addr.ip().is_loopback() && !closed {
        return Err(ConfigError(format!(
            "`http.addr` is {}, which others can reach: set `http.token` (FRESHCONTEXT_HTTP_TOKEN), `http.tokens` \
             (FRESHCONTEXT_HTTP_TOKENS) or `http.oauth.issuer` (FRESHCONTEXT_HTTP_OAUTH_ISSUER), or use a loopback address",
            settings.addr
        )));
    }
    Ok(())
}

/// Binds the address.
pub async fn bind(addr: SocketAddr) -> Result<TcpListener, ConfigError> {
    TcpListener::bind(addr).await.map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => "the port is in use".to_owned(),
            io::ErrorKind::PermissionDenied => "not permitted".to_owned(),
            io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
            _ => error.to_string(),
        };
        ConfigError(format!("`http.addr`: cannot listen on {addr}: {reason}"))
    })
}

/// The interfaces that one port serves.
pub struct Interfaces<S> {
    /// MCP.
    pub mcp: S,
    /// REST, if it is served.
    pub rest: Option<Arc<Rest>>,
    /// Counts refusals and serves `GET /metrics`, if metrics are enabled.
    pub metrics: Option<Arc<Metrics>>,
    /// What callers' rates are shared through, if there are several replicas.
    pub replicas: Option<Arc<dyn Replicas>>,
    /// Checks access tokens, if an issuer is configured. Where the settings name one and this is `None`, no access token
    /// is accepted.
    pub oauth: Option<Arc<ResourceServer>>,
    /// The tokens, where they may be replaced while the service runs. Without them, those of the settings stay.
    pub tokens: Option<Tokens>,
    /// Cancelled when the service begins to drain: open subscriptions then end.
    pub ending: CancellationToken,
}

impl<S> Interfaces<S> {
    /// MCP alone.
    pub fn only(mcp: S) -> Self {
        Self {
            mcp,
            rest: None,
            metrics: None,
            replicas: None,
            oauth: None,
            tokens: None,
            ending: CancellationToken::new(),
        }
    }
}

/// Serves until a signal arrives. Running calls may then take `drain_ms`; a second signal ends them immediately.
pub async fn serve<S>(
    interfaces: Interfaces<S>,
    listener: TcpListener,
    settings: &HttpSettings,
    limits: &Limits,
) where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    let (first, second) = (signals::end(), signals::end());
    serve_until(interfaces, listener, settings, limits, first, second).await;
}

/// Like [`serve`], with the two signals supplied by the caller.
pub async fn serve_until<S>(
    interfaces: Interfaces<S>,
    listener: TcpListener,
    settings: &HttpSettings,
    limits: &Limits,
    first: impl Future<Output = ()>,
    second: impl Future<Output = ()>,
) where
    S: ServerHandler + Clone + Send + Sync + 'static,
{
    let Interfaces {
        mcp,
        rest,
        metrics,
        replicas,
        oauth,
        tokens,
        ending,
    } = interfaces;
    let tokens = tokens.unwrap_or_else(|| Tokens::new(settings));
    let end = CancellationToken::new();
    let filter = Arc::new(
        AuthFilter::new(settings, tokens, limits, metrics)
            .sharing(replicas)
            .accepting(oauth),
    );
    let router = routes::router(
        mcp,
        rest,
        Arc::clone(&filter),
        Arc::new(Bodies::new(limits)),
        limits,
        end.clone(),
    );
    let places = Places::new(limits);
    let waits = Waits::new(limits);
    let connections = TaskTracker::new();
    let drain = CancellationToken::new();
    tokio::pin!(first);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut first => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or the peer disconnected: the service continues.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (client, activity) = (filter.client(peer.ip()), Arc::new(Activity::new()));
        places.read_first(client).await;
        let Some(permit) = places.permit(client, &activity) else {
            filter.refused(Refusal::Connections);
            let _ = stream.try_write(FULL);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = Service {
            router: router.clone(),
            filter: Arc::clone(&filter),
            client,
            permit: Arc::new(permit),
        };
        let connected = filter.metrics().map(Metrics::connected);
        let serving = connection(stream, activity, service, waits, drain.clone());
        connections.spawn(async move {
            let _connected = connected;
            serving.await;
        });
    }
    drop(listener);
    tracing::info!("draining");
    filter.drain();
    ending.cancel();
    drain.cancel();
    connections.close();
    let drain_time = Duration::from_millis(limits.drain_ms);
    let last_writes = LAST_WRITES.min(drain_time / 4);
    let leaving = async {
        if tokio::time::timeout(drain_time.saturating_sub(last_writes), connections.wait())
            .await
            .is_err()
        {
            // Unfinished calls get an error response.
            end.cancel();
            let _ = tokio::time::timeout(last_writes, connections.wait()).await;
        }
    };
    tokio::select! {
        () = leaving => {}
        () = second => {}
    }
    end.cancel();
}

/// Timeouts of a connection.
#[derive(Debug, Clone, Copy)]
struct Waits {
    headers: Duration,
    idle: Duration,
}

impl Waits {
    fn new(limits: &Limits) -> Self {
        // A connection counts as idle during a streamed response, so the longest call must fit in.
        let longest_call =
            limits.composite_deadline_ms.max(limits.call_deadline_ms) + limits.queue_wait_ms + 5_000;
        Self {
            headers: Duration::from_millis(limits.inbound_header_ms),
            idle: Duration::from_millis(limits.inbound_idle_ms.max(longest_call)),
        }
    }
}

/// Returns the refusal of a head larger than [`HEADER_BYTES`]. hyper only limits its buffer, which a single large
/// read may exceed.
fn too_large<B>(request: &hyper::Request<B>) -> Option<axum::response::Response> {
    let line = request.method().as_str().len() + request.uri().to_string().len() + " HTTP/1.1 \r\n".len();
    let fields: usize = request
        .headers()
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum();
    let voice = || Voice::of(request.uri(), request.headers());
    if line > HEADER_BYTES {
        Some(routes::head_too_large(
            StatusCode::URI_TOO_LONG,
            "the address is too long",
            &voice(),
        ))
    } else if line + fields > HEADER_BYTES {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        Some(routes::head_too_large(
            status,
            "the headers are too large",
            &voice(),
        ))
    } else {
        None
    }
}

/// Handles the requests of a connection.
struct Service {
    router: Router,
    filter: Arc<AuthFilter>,
    client: Option<Client>,
    permit: Arc<Permit>,
}

impl Service {
    /// Returns the refusal of a request for which this connection has no permit.
    fn no_place<B>(&self, request: &hyper::Request<B>) -> Option<axum::response::Response> {
        let refused = self.permit.is_kept() && !auth::is_kept(request.uri().path());
        refused.then(|| {
            self.filter.refused(Refusal::Connections);
            auth::no_place(&Voice::of(request.uri(), request.headers()))
        })
    }

    fn request(&self, request: hyper::Request<hyper::body::Incoming>, line: Line) -> axum::extract::Request {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(line);
        if let Some(client) = self.client {
            request.extensions_mut().insert(client);
        }
        request.extensions_mut().insert(Seat(Arc::clone(&self.permit)));
        request
    }
}

async fn connection(
    stream: TcpStream,
    activity: Arc<Activity>,
    service: Service,
    mut waits: Waits,
    drain: CancellationToken,
) {
    let kept = service.permit.is_kept();
    if kept {
        let mut first = [0];
        let said = tokio::select! {
            said = tokio::time::timeout(FIRST_WORD, stream.peek(&mut first)) => said.is_ok(),
            () = activity.given_up() => false,
        };
        if !said {
            service.filter.refused(Refusal::Connections);
            let _ = stream.try_write(FULL);
            return;
        }
        waits.idle = waits.headers;
    }
    let service = {
        let activity = Arc::clone(&activity);
        hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            activity.request_begins(request.version() >= Version::HTTP_11);
            let line = Line(Arc::clone(&activity));
            let ended = Ended(Arc::clone(&activity));
            let too_large = too_large(&request);
            if too_large.is_some() {
                service.filter.refused(Refusal::Protocol);
            }
            let refused = too_large.or_else(|| service.no_place(&request));
            let answer = service.router.clone().call(service.request(request, line));
            async move {
                let mut answer = match refused {
                    Some(refused) => Ok(refused),
                    None => answer.await,
                };
                if kept && let Ok(answer) = &mut answer {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(CONNECTION, close);
                }
                drop(ended);
                answer
            }
        })
    };
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(waits.idle)
        .max_headers(HEADER_FIELDS)
        .max_buf_size(HEADER_BYTES.max(8 << 10));
    let io = TokioIo::new(MonitoredStream::new(stream, Arc::clone(&activity)));
    let serving = builder.serve_connection(io, service);
    tokio::pin!(serving);
    let mut draining = false;
    loop {
        tokio::select! {
            // The timeout check must see the result of serving.
            biased;
            result = &mut serving => {
                if let Err(error) = result {
                    tracing::debug!(%error, "connection ended");
                }
                return;
            }
            () = activity.too_slow(waits.headers, waits.idle) => return,
            () = activity.given_up() => return,
            () = drain.cancelled(), if !draining => {
                draining = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Records the end of a request, also when it is dropped with its connection.
struct Ended(Arc<Activity>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.request_ends();
    }
}
