//! Secrets, added to a request last and for their host only.

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

/// Tokens are renewed this long before they expire, so that none expires under way.
const MARGIN: Duration = Duration::from_secs(30);
/// Lifetime of a token whose issuer names no expiry.
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
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("host", &self.credential.host)
            .finish_non_exhaustive()
    }
}

/// A request for a token.
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

    /// The credential of this source for this address, if the operator set one. Secrets travel
    /// encrypted only.
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

    /// Takes a secret out of the query of a redirect's target: a host that repeats the query it was asked
    /// with must not send our key on to another one, nor into the address that is shown.
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

    /// A token that is still good.
    pub(crate) async fn token(&self, key: Key<'_>, now: Instant) -> Option<HeaderValue> {
        let tokens = self.tokens.lock().await;
        let token = tokens
            .get(key.credential.host)
            .filter(|token| token.until > now)?;
        secret_header(&format!("Bearer {}", token.value))
    }

    /// Forgets a token that was refused.
    pub(crate) async fn forget_token(&self, key: Key<'_>) {
        self.tokens.lock().await.remove(key.credential.host);
    }

    /// What to send to get a token.
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

    /// Keeps what the issuer sent.
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
    /// Where the secret itself goes: into the headers, or into the query of the dialled address.
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

    /// The environment name to tell the operator.
    pub(crate) fn env(&self) -> &'static str {
        self.credential.env.first().copied().unwrap_or("the key")
    }
}

/// A header value that is left out of debug output.
fn secret_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
