//! Credentials. A secret is added to a request last, and only for its own host.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use freshcontext_contract::url::Url;
use freshcontext_contract::{Apply, Credential, Descriptor, SourceError};
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::Deserialize;
use tokio::sync::Mutex;

/// Margin before a token's expiry at which it is renewed, so that no token expires in transit.
const MARGIN: Duration = Duration::from_secs(30);
/// Lifetime of a token whose issuer states no expiry.
const UNSTATED: Duration = Duration::from_mins(10);

pub(crate) struct Keyring {
    secrets: HashMap<String, String>,
    tokens: Mutex<HashMap<&'static str, Token>>,
}

struct Token {
    value: String,
    until: Instant,
}

/// A credential that applies to a request.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) credential: &'static Credential,
    secret: &'a str,
}

impl fmt::Debug for Key<'_> {
    /// Omits the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("host", &self.credential.host)
            .finish_non_exhaustive()
    }
}

/// Request for a token.
pub(crate) struct TokenRequest {
    pub(crate) url: &'static str,
    pub(crate) authorization: HeaderValue,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: Option<u64>,
}

impl Keyring {
    pub(crate) fn new(secrets: HashMap<String, String>) -> Self {
        let secrets = secrets
            .into_iter()
            .map(|(env, secret)| (env, secret.trim().to_owned()))
            .filter(|(_, secret)| !secret.is_empty())
            .collect();
        Self {
            secrets,
            tokens: Mutex::default(),
        }
    }

    pub(crate) fn has(&self, env: &str) -> bool {
        self.secrets.contains_key(env)
    }

    /// Returns this source's credential for this address, if the operator configured one. Secrets are sent over https
    /// only.
    pub(crate) fn find(&self, descriptor: &'static Descriptor, url: &Url) -> Option<Key<'_>> {
        if url.scheme() != "https" {
            return None;
        }
        let host = url.host_str()?;
        descriptor
            .credentials
            .iter()
            .filter(|credential| credential.host == host)
            .find_map(|credential| {
                let secret = credential.env.iter().find_map(|env| self.secrets.get(*env))?;
                let complete = match credential.apply {
                    Apply::ClientCredentials { secret_env, .. } => self.secrets.contains_key(secret_env),
                    _ => true,
                };
                complete.then_some(Key { credential, secret })
            })
    }

    /// Removes secrets from the query of a redirect's target. A host that echoes its query must not pass the key on
    /// to another host, nor into the address that callers see.
    pub(crate) fn remove_echo(&self, descriptor: &Descriptor, url: &mut Url) {
        let secrets: Vec<&str> = descriptor
            .credentials
            .iter()
            .filter(|credential| matches!(credential.apply, Apply::Query(_)))
            .flat_map(|credential| credential.env)
            .filter_map(|env| self.secrets.get(*env))
            .map(String::as_str)
            .collect();
        if !url
            .query_pairs()
            .any(|(_, value)| secrets.contains(&value.as_ref()))
        {
            return;
        }
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(_, value)| !secrets.contains(&value.as_ref()))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    }

    /// Returns a cached token that is still valid.
    pub(crate) async fn token(&self, key: Key<'_>, now: Instant) -> Option<HeaderValue> {
        let tokens = self.tokens.lock().await;
        let token = tokens
            .get(key.credential.host)
            .filter(|token| token.until > now)?;
        secret_header(&format!("Bearer {}", token.value))
    }

    /// Discards a refused token.
    pub(crate) async fn forget_token(&self, key: Key<'_>) {
        self.tokens.lock().await.remove(key.credential.host);
    }

    /// Returns the request for a new token.
    pub(crate) fn token_request(&self, key: Key<'_>) -> Option<TokenRequest> {
        let Apply::ClientCredentials {
            secret_env,
            token_url,
        } = key.credential.apply
        else {
            return None;
        };
        let pair = format!("{}:{}", key.secret, self.secrets.get(secret_env)?);
        let authorization = secret_header(&format!("Basic {}", STANDARD.encode(pair)))?;
        Some(TokenRequest {
            url: token_url,
            authorization,
        })
    }

    /// Stores the token that the issuer sent.
    pub(crate) async fn keep_token(
        &self,
        key: Key<'_>,
        body: &[u8],
        now: Instant,
    ) -> Result<HeaderValue, SourceError> {
        let unusable = || {
            SourceError::malformed(format!("{} sent no usable token", key.credential.host)).detail("token")
        };
        let granted: Granted = serde_json::from_slice(body).map_err(|_| unusable())?;
        let header = secret_header(&format!("Bearer {}", granted.access_token)).ok_or_else(unusable)?;
        let lasts = granted
            .expires_in
            .map_or(UNSTATED, Duration::from_secs)
            .min(Duration::from_hours(24));
        let token = Token {
            value: granted.access_token,
            until: now + lasts.saturating_sub(MARGIN),
        };
        self.tokens.lock().await.insert(key.credential.host, token);
        Ok(header)
    }
}

impl Key<'_> {
    /// Adds the secret to the headers or to the query of the dialled address.
    pub(crate) fn apply(&self, url: &mut Url, headers: &mut http::HeaderMap) -> Result<(), SourceError> {
        let unusable = || {
            SourceError::new(
                freshcontext_contract::ErrorCode::Misconfigured,
                format!(
                    "the key in {} holds characters that no header can carry",
                    self.env()
                ),
            )
        };
        match self.credential.apply {
            Apply::Bearer => {
                headers.insert(
                    AUTHORIZATION,
                    secret_header(&format!("Bearer {}", self.secret)).ok_or_else(unusable)?,
                );
            }
            Apply::Header(name) => {
                let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
                headers.insert(name, secret_header(self.secret).ok_or_else(unusable)?);
            }
            Apply::Query(name) => {
                url.query_pairs_mut().append_pair(name, self.secret);
            }
            Apply::ClientCredentials { .. } => {}
        }
        Ok(())
    }

    pub(crate) fn needs_token(&self) -> bool {
        matches!(self.credential.apply, Apply::ClientCredentials { .. })
    }

    /// Returns the environment variable to name in messages to the operator.
    pub(crate) fn env(&self) -> &'static str {
        self.credential.env.first().copied().unwrap_or("the key")
    }
}

/// Creates a header value that debug output omits.
fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
