//! Posting to an address that a user named: a webhook. The egress policy holds as for every request. Redirects are not
//! followed, and nothing of the answer's body is read.

use std::time::Duration;

use bytes::Bytes;
use freshcontext_contract::url::{Host as UrlHost, Url};
use freshcontext_contract::{ErrorCode, SourceError};
use http::HeaderMap;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};

use crate::clients::DialMode;
use crate::deadline::Deadline;
use crate::fault;
use crate::pipeline::{Inner, Pipeline};
use crate::policy::fits_dns;
use crate::step::{Late, StepLimits, watched};
use crate::waits::retry_after_of;

/// What is posted.
#[derive(Debug, Clone)]
pub struct Post {
    /// The address.
    pub url: Url,
    /// Headers besides `content-type: application/json`, in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// A JSON document.
    pub body: Bytes,
    /// Whether the address may be `http`.
    pub allow_http: bool,
}

/// What the receiver answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    /// HTTP status.
    pub status: u16,
    /// Wait that the receiver asks for, at most `limits.retry_after_max_s`.
    pub retry_after: Option<Duration>,
}

impl Pipeline {
    /// Checks the address of a webhook before any name lookup. Errors are [`ErrorCode::BlockedAddress`].
    pub fn check_webhook(&self, url: &Url, allow_http: bool) -> Result<(), SourceError> {
        self.inner().check_webhook(url, allow_http)
    }

    /// Posts once. Only a request whose head did not come back is an error; every status is an answer.
    pub async fn post(&self, post: Post) -> Result<Posted, SourceError> {
        self.inner().post(post).await
    }
}

impl Inner {
    fn check_webhook(&self, url: &Url, allow_http: bool) -> Result<(), SourceError> {
        self.guard.check(url)?;
        if url.scheme() != "https" && !allow_http {
            return Err(SourceError::new(
                ErrorCode::BlockedAddress,
                "changes are posted to https addresses only",
            )
            .detail("scheme"));
        }
        match url.host() {
            Some(UrlHost::Domain(name)) if !fits_dns(name) => Err(SourceError::new(
                ErrorCode::BlockedAddress,
                "the address names a host that cannot exist",
            )
            .detail("dns")),
            _ => Ok(()),
        }
    }

    async fn post(&self, post: Post) -> Result<Posted, SourceError> {
        self.check_webhook(&post.url, post.allow_http)?;
        let host = post.url.host_str().unwrap_or_default().to_owned();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &post.headers {
            let value = HeaderValue::from_str(value).map_err(|_| {
                SourceError::new(ErrorCode::Internal, format!("the header {name} cannot be sent"))
            })?;
            headers.insert(HeaderName::from_static(name), value);
        }
        let (mode, dialled) = self.route(&post.url, &mut headers);
        if let (DialMode::Proxied, Some(UrlHost::Domain(name))) = (mode, post.url.host()) {
            // The proxy resolves the name itself, so the addresses that it has here are checked first.
            self.check_name(name, Duration::MAX).await?;
        }
        let client = self
            .wire
            .clients
            .get(mode)
            .map_err(|why| SourceError::new(ErrorCode::Misconfigured, why))?;
        let limits = &self.wire.limits;
        let steps = StepLimits {
            connect: Duration::from_millis(limits.connect_ms),
            tls: Duration::from_millis(limits.tls_ms),
            answer: Duration::from_millis(limits.first_byte_ms),
        };
        let deadline = Deadline::new(self.timer().now() + steps.connect + steps.tls + steps.answer);
        let request = client.post(dialled).headers(headers).body(post.body);
        let response = match watched(request.send(), steps, &deadline, self.timer().as_ref()).await {
            Ok((Ok(response), _)) => response,
            Ok((Err(error), step)) => return Err(fault::of_head(&error, step, &host)),
            Err(Late::Step(step)) => return Err(fault::of_late_step(step, &host)),
            Err(Late::Deadline(step)) => return Err(fault::of_deadline(step, &host)),
        };
        let longest = limits.retry_after_max_s;
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry_after_of(value, self.wire.clock.now(), longest));
        let status = response.status().as_u16();
        // Without the path, which may hold a secret of the receiver.
        tracing::debug!(host, status, "a webhook answered");
        Ok(Posted { status, retry_after })
    }
}
