//! `freshcontext healthcheck`: checks whether the service of this configuration is ready. Container images contain no
//! other program that could check it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http::{Request, header};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{FAILED, with_runtime};
use crate::output;
use freshcontext_config::{ConfigError, HttpSettings};
use freshcontext_serve::http::READY_PATH;

/// Timeout of the check, shorter than the usual timeout of a supervisor.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn run(settings: &HttpSettings) -> Result<u8, ConfigError> {
    let address = reachable(settings.addr);
    if address.port() == 0 {
        let problem = "`http.addr` has port 0, which is another one at each start: name the port";
        return Err(ConfigError(problem.to_owned()));
    }
    let asked = with_runtime(1, async {
        tokio::time::timeout(PATIENCE, ask(address))
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {} s", PATIENCE.as_secs())))
    })?;
    Ok(match asked {
        Ok(()) => {
            output::line(&format!("ready: http://{address}{READY_PATH}"));
            0
        }
        Err(problem) => {
            output::error(
                &format!("not ready: http://{address}{READY_PATH}: {problem}"),
                None,
            );
            FAILED
        }
    })
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

async fn ask(address: SocketAddr) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let stream = TcpStream::connect(address)
        .await
        .map_err(|error| failed(&error))?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error))?;
    let request = Request::get(READY_PATH)
        .header(header::HOST, address.to_string())
        .body(Empty::<Bytes>::new())
        .map_err(|error| failed(&error))?;
    let sending = sender.send_request(request);
    tokio::pin!(sending, connection);
    let answer = tokio::select! {
        answer = &mut sending => answer,
        _ = &mut connection => sending.await,
    };
    match answer.map_err(|error| failed(&error))?.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("status {}", status.as_u16())),
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
