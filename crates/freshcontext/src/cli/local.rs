//! Requests of the command line to the service of its own configuration.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use freshcontext_contract::limits::OWN_ANSWER_BYTES;
use http::{HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use freshcontext_config::{ConfigError, HttpSettings, Secret};

/// Timeout of a request, shorter than the usual timeout of a supervisor.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why the service gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// Nothing listens at the address.
    NotRunning(String),
    /// Something answered, or began to.
    Failed(String),
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotRunning(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

/// Returns the address at which the service of these settings is reached on this machine.
pub(super) fn address(settings: &HttpSettings) -> Result<SocketAddr, ConfigError> {
    let address = reachable(settings.addr);
    if address.port() == 0 {
        let problem = "`http.addr` has port 0, which is another one at each start: name the port";
        return Err(ConfigError(problem.to_owned()));
    }
    Ok(address)
}

/// Returns a local address of a service that listens on all addresses.
fn reachable(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Sends a GET with this Host and token, within [`PATIENCE`]. Returns the status and the body.
pub(super) async fn get(
    address: SocketAddr,
    host: &str,
    path: &str,
    token: Option<&Secret>,
) -> Result<(StatusCode, Bytes), NoAnswer> {
    let late = |_| {
        Err(NoAnswer::Failed(format!(
            "no answer within {} s",
            PATIENCE.as_secs()
        )))
    };
    tokio::time::timeout(PATIENCE, ask(address, host, path, token))
        .await
        .unwrap_or_else(late)
}

async fn ask(
    address: SocketAddr,
    host: &str,
    path: &str,
    token: Option<&Secret>,
) -> Result<(StatusCode, Bytes), NoAnswer> {
    let failed = |error: &dyn std::fmt::Display| NoAnswer::Failed(error.to_string());
    let stream = TcpStream::connect(address)
        .await
        .map_err(|error| NoAnswer::NotRunning(error.to_string()))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error))?;
    let mut request = Request::get(path).header(header::HOST, host);
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
            .map_err(|_| NoAnswer::Failed("the token cannot be sent in a header".to_owned()))?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    let request = request
        .body(Empty::<Bytes>::new())
        .map_err(|error| failed(&error))?;
    let exchange = async move {
        let answer = sender
            .send_request(request)
            .await
            .map_err(|error| failed(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), OWN_ANSWER_BYTES).collect().await;
        let body = body.map_err(|error| NoAnswer::Failed(error.to_string()))?;
        Ok((status, body.to_bytes()))
    };
    tokio::pin!(exchange, connection);
    tokio::select! {
        answer = &mut exchange => answer,
        _ = &mut connection => exchange.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_asked_at_this_machine() {
        for (listening, asked) in [
            ("0.0.0.0:8787", "127.0.0.1:8787"),
            ("[::]:8787", "[::1]:8787"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            let listening: SocketAddr = listening.parse().unwrap();
            assert_eq!(reachable(listening).to_string(), asked);
        }
    }
}
