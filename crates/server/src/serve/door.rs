//! What every request passes before it is looked at: Host and Origin, the token, the client's rate.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use freshcontext_contract::{ErrorCode, Limits};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use super::guard::{Denied, Guard};
use super::rate::{Client, Rate};
use super::routes::{HEALTH_PATH, METADATA_PATH, METRICS_PATH, rpc_error};
use crate::config::HttpSettings;
use crate::metrics::{Metrics, Refusal};

/// JSON-RPC's code for "not now": of its range for servers, and outside the part that MCP reserves.
pub(crate) const NOT_NOW: i32 = -32_000;

/// The checks, prepared once.
#[derive(Debug)]
pub(crate) struct Door {
    guard: Guard,
    rate: Option<Rate>,
    metrics: Option<Arc<Metrics>>,
}

impl Door {
    pub(crate) fn new(settings: &HttpSettings, limits: &Limits, metrics: Option<Arc<Metrics>>) -> Self {
        Self {
            guard: Guard::new(settings),
            rate: Rate::new(limits, settings.limit_loopback),
            metrics,
        }
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

    /// Host, Origin and token.
    fn judge(&self, request: &Request) -> Result<(), Denied> {
        self.guard.admit(request.uri(), request.headers())?;
        let path = request.uri().path();
        if path == HEALTH_PATH || path.starts_with(METADATA_PATH) {
            return Ok(());
        }
        self.guard.authorise(request.headers())
    }

    /// Counts the request towards its client's rate. Guesses at the token count like all else; a probe
    /// for health, and whoever may read the figures, do not.
    fn pace(&self, request: &Request, judged: Result<(), Denied>) -> Result<(), u64> {
        let (Some(rate), Some(client)) = (&self.rate, request.extensions().get::<Client>()) else {
            return Ok(());
        };
        match request.uri().path() {
            HEALTH_PATH => Ok(()),
            METRICS_PATH if judged.is_ok() => Ok(()),
            _ => rate.admit(*client),
        }
    }
}

/// The middleware.
pub(crate) async fn admit(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let judged = door.judge(&request);
    if let Err(seconds) = door.pace(&request, judged) {
        door.refused(Refusal::Rate);
        return too_often(seconds);
    }
    match judged {
        Ok(()) => next.run(request).await,
        Err(denied) => {
            door.refused(match denied {
                Denied::Host => Refusal::Host,
                Denied::Origin => Refusal::Origin,
                Denied::Token => Refusal::Token,
            });
            refuse(denied, &request)
        }
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
    let mut response = rpc_error(status, json!({"code": -32_600, "message": message}), None);
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

/// The wait is told twice: to HTTP libraries in the header, to whoever reads the body there.
fn too_often(seconds: u64) -> Response {
    let error = json!({
        "code": NOT_NOW,
        "message": format!("too many requests from this address; try again in {seconds} s"),
        "data": {"code": ErrorCode::RateLimited.as_str(), "retry_after_s": seconds},
    });
    let mut response = rpc_error(StatusCode::TOO_MANY_REQUESTS, error, None);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}
