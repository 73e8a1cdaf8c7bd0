//! Documents at an address that the operator configured: an issuer's metadata and keys. They belong to no source, so
//! no cache, pace or suspension applies; the caller limits how often it asks.

use std::time::Instant;

use bytes::Bytes;
use freshcontext_contract::url::{Host as UrlHost, Url};
use freshcontext_contract::{ErrorCode, Method, SourceError};
use http::HeaderMap;
use http::header::{ACCEPT, HeaderName, HeaderValue};

use crate::clients::DialMode;
use crate::deadline::Deadline;
use crate::exchange::Outgoing;
use crate::pipeline::{Inner, Pipeline};
use crate::policy::fits_dns;

/// Who named the address of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The operator, as in an upstream: a private address and any port are allowed.
    Operator,
    /// A document of another party: only public addresses on the ports 80 and 443 are allowed.
    Document,
}

impl Pipeline {
    /// Requests a JSON document once. Only a response with status 200 counts, and redirects are not followed, so that
    /// no other party chooses where it comes from. An upstream that names the host applies; one for `*` does not.
    ///
    /// `max_bytes` limits the decoded body, and `until` the time of this pipeline's timer.
    pub async fn document(
        &self,
        url: &Url,
        named: NamedBy,
        max_bytes: usize,
        until: Instant,
    ) -> Result<Bytes, SourceError> {
        self.inner.document(url, named, max_bytes, until).await
    }
}

impl Inner {
    async fn document(
        &self,
        url: &Url,
        named: NamedBy,
        max_bytes: usize,
        until: Instant,
    ) -> Result<Bytes, SourceError> {
        let host = url.host_str().unwrap_or_default();
        let deadline = Deadline::new(until);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let led = self.upstreams.lead_named(url);
        let mode = if led.is_some() {
            DialMode::Chosen
        } else if self.wire.clients.uses_proxy(url) {
            DialMode::Proxied
        } else {
            match named {
                NamedBy::Operator => DialMode::Chosen,
                NamedBy::Document => DialMode::Guarded,
            }
        };
        if led.is_some()
            && let Ok(host) = HeaderValue::from_str(host)
        {
            headers.insert(HeaderName::from_static("x-forwarded-host"), host);
        }
        if named == NamedBy::Document && led.is_none() {
            self.check_document(url, mode, &deadline).await?;
        }
        let out = Outgoing {
            mode,
            method: Method::Get,
            url: led.unwrap_or_else(|| url.clone()),
            headers,
            body: None,
            host,
            max_body: Some(max_bytes),
        };
        let answer = self.wire.exchange(out, &deadline, || {}).await?;
        if answer.status != 200 {
            let message = format!("{host} answered with status {}", answer.status);
            let mut failure = SourceError::new(ErrorCode::UpstreamError, message);
            failure.http_status = Some(answer.status);
            return Err(failure);
        }
        // The caller keeps it, so it must not count towards the memory of answers.
        Ok(Bytes::copy_from_slice(&answer.body))
    }

    /// Checks an address that another party named. A guarded connection checks what the name resolves to; a proxy
    /// resolves the name itself, so it is checked here.
    async fn check_document(
        &self,
        url: &Url,
        mode: DialMode,
        deadline: &Deadline,
    ) -> Result<(), SourceError> {
        self.guard.check(url)?;
        let Some(UrlHost::Domain(name)) = url.host() else {
            return Ok(());
        };
        if !fits_dns(name) {
            let message = "the address names a host that cannot exist";
            return Err(SourceError::unreachable("dns", message).permanent());
        }
        if mode != DialMode::Proxied {
            return Ok(());
        }
        self.check_name(name, deadline.left(self.timer().as_ref())).await
    }
}
