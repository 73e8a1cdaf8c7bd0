//! A scripted upstream: an HTTP/1.1 server on loopback that stands for all hosts.
//!
//! The pipeline's `upstreams` setting redirects requests here with the original host in `X-Forwarded-Host`;
//! everything between the adapter and the socket is real.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A received request.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    /// Method.
    pub method: String,
    /// Intended host.
    pub host: String,
    /// Path and query, exactly as sent.
    pub target: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Time of arrival.
    pub at: Instant,
}

impl SeenRequest {
    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A scripted response.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// Status code; 0 keeps the connection open without a response.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Delay before the response, in milliseconds.
    pub delay_ms: u64,
}

type Script = dyn Fn(&SeenRequest) -> Reply + Send + Sync;

struct Shared {
    script: Box<Script>,
    log: Mutex<Vec<SeenRequest>>,
}

/// A running scripted upstream; it stops when dropped.
pub struct ScriptedUpstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// Largest stored request body, in bytes.
const BODY_BYTES: usize = 1 << 20;

impl ScriptedUpstream {
    /// Starts on a free port of 127.0.0.1 with this script.
    pub async fn start(
        script: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        Self::bind(SocketAddr::from(([127, 0, 0, 1], 0)), script).await
    }

    /// Starts on this address.
    pub async fn bind(
        address: SocketAddr,
        script: impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            log: Mutex::new(Vec::new()),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            // Ends with the task; an accept error appears as a refused connection in the test.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    /// Returns the listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base address, for `upstreams`.
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared
            .log
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for ScriptedUpstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let at = Instant::now();
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, BODY_BYTES)
        .await
        .map(|bytes| bytes.to_vec())
        .unwrap_or_default();
    let seen = SeenRequest {
        method: parts.method.to_string(),
        host: host(&parts.headers),
        target: parts
            .uri
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default(),
        headers: parts
            .headers
            .iter()
            .map(|(name, value)| {
                (
                    name.to_string(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect(),
        body,
        at,
    };
    let reply = (shared.script)(&seen);
    shared
        .log
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(seen);
    if reply.delay_ms > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(reply.delay_ms)).await;
    }
    if reply.status == 0 {
        std::future::pending::<()>().await;
    }
    let mut response =
        Response::builder().status(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK));
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(reply.body)).unwrap_or_default()
}

fn host(headers: &HeaderMap) -> String {
    let value = headers.get("x-forwarded-host").or_else(|| headers.get("host"));
    value
        .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        .unwrap_or_default()
}
