//! Tokens for credentials that are client ids (OAuth 2.0 client credentials).

use bytes::Bytes;
use freshcontext_contract::url::Url;
use freshcontext_contract::{ErrorCode, Method, SourceError};
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};

use crate::attempt::OutboundRequest;
use crate::credentials::Key;
use crate::pipeline::{Inner, Job};
use crate::waits::asked_wait;

/// Maximum size of a token issuer's answer, in bytes.
const TOKEN_BYTES: usize = 64 << 10;

impl Inner {
    /// Returns a token for a credential that is a client id: the cached one, or a new one.
    pub(crate) async fn token(&self, job: &Job, key: Key<'_>) -> Result<HeaderValue, SourceError> {
        if let Some(token) = self.keyring.token(key, self.timer().now()).await {
            return Ok(token);
        }
        let _alone = self.minting.lock().await;
        if let Some(token) = self.keyring.token(key, self.timer().now()).await {
            return Ok(token);
        }
        let misconfigured = |what: &str| {
            SourceError::new(ErrorCode::Misconfigured, format!("{what} ({})", key.env()))
                .hint(format!("get a key at {}", key.credential.obtain))
        };
        let wanted = self
            .keyring
            .token_request(key)
            .ok_or_else(|| misconfigured("the key is unusable"))?;
        let url =
            Url::parse(wanted.url).map_err(|_| misconfigured("the source's token address is unusable"))?;
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, wanted.authorization);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        let outbound = OutboundRequest {
            method: Method::PostQuery,
            headers,
            body: Some(Bytes::from_static(b"grant_type=client_credentials")),
            max_body: Some(TOKEN_BYTES),
        };
        let answer = self.send(job, &url, None, None, outbound).await?;
        match answer.status {
            200..=299 => {
                self.keyring
                    .keep_token(key, &answer.body, self.timer().now())
                    .await
            }
            400 | 401 | 403 => {
                let mut failure = SourceError::new(
                    ErrorCode::AccessDenied,
                    format!("the client id or secret in {} was refused", key.env()),
                )
                .hint(format!("get a key at {}", key.credential.obtain));
                failure.http_status = Some(answer.status);
                Err(failure)
            }
            429 => {
                let mut failure = SourceError::new(
                    ErrorCode::RateLimited,
                    format!(
                        "{} asked us to slow down (429)",
                        url.host_str().unwrap_or_default()
                    ),
                );
                failure.http_status = Some(429);
                let longest = self.wire.limits.retry_after_max_s;
                failure.retry_after = asked_wait(&answer.headers, self.wire.clock.now(), longest);
                failure.wait_stated = failure.retry_after.is_some();
                Err(self.take_note(job, &url, true, &answer, failure))
            }
            status => {
                let host = url.host_str().unwrap_or_default();
                let mut failure = SourceError::new(
                    ErrorCode::UpstreamError,
                    format!("{host} gave no token ({status})"),
                );
                failure.http_status = Some(status);
                if status < 500 {
                    failure = failure.permanent();
                }
                Err(failure)
            }
        }
    }
}
