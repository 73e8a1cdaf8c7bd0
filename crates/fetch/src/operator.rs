//! Client for an address that the operator chose, such as a collector of telemetry. It is no source: no cache, no pace, no
//! check of addresses, no proxy, no redirects.

use std::fmt;
use std::sync::{Arc, RwLock};

use bytes::{Bytes, BytesMut};

use crate::clients::{Clients, DialMode, Guard};
use crate::config_error::ConfigError;
use crate::outgoing::user_agent;
use crate::policy::PolicyConfig;
use crate::ports::{DirectDial, SystemResolver};

/// Maximum size of an answer, in bytes.
const ANSWER: usize = 64 << 10;
/// Maximum number of headers of an answer.
const FIELDS: usize = 100;

/// Sends requests to the operator's own address.
pub struct OperatorClient {
    clients: Clients,
}

impl OperatorClient {
    /// Prepares the client. `extra_ca_pem` holds additional certificate authorities.
    pub fn new(extra_ca_pem: Option<&[u8]>) -> Result<Self, ConfigError> {
        let guard = Guard {
            resolver: Arc::new(SystemResolver),
            dial: Arc::new(DirectDial),
            policy: RwLock::new(PolicyConfig::default()),
        };
        let clients = Clients::new(Arc::new(guard), extra_ca_pem, None, user_agent(None), FIELDS)?;
        Ok(Self { clients })
    }

    /// Sends a request and reads the answer, whatever its status.
    ///
    /// # Errors
    /// If there is no answer, or one over 64 KiB. The text names no address.
    pub async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>, String> {
        let client = self.clients.get(DialMode::Chosen)?;
        let told = |error: reqwest::Error| error.without_url().to_string();
        let (parts, body) = request.into_parts();
        let mut answer = client
            .request(parts.method, parts.uri.to_string())
            .headers(parts.headers)
            .body(body)
            .send()
            .await
            .map_err(told)?;
        let mut response = http::Response::builder().status(answer.status());
        if let Some(headers) = response.headers_mut() {
            headers.clone_from(answer.headers());
        }
        let mut read = BytesMut::new();
        while let Some(piece) = answer.chunk().await.map_err(told)? {
            if read.len() + piece.len() > ANSWER {
                return Err(format!("the answer is larger than {ANSWER} bytes"));
            }
            read.extend_from_slice(&piece);
        }
        response.body(read.freeze()).map_err(|error| error.to_string())
    }
}

impl fmt::Debug for OperatorClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorClient").finish_non_exhaustive()
    }
}
