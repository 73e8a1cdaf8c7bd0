//! Counts source requests where the engine hands them to the pipeline.

use std::sync::Arc;

use freshcontext_contract::{
    BoxFuture, CallScope, ErrorCode, Provenance, Request, Response, SourceError, Transport,
};

use super::{Metrics, OK, add};

/// A transport that counts requests.
pub struct Metered {
    inner: Arc<dyn Transport>,
    metrics: Arc<Metrics>,
}

impl Metered {
    /// Wraps a transport.
    pub fn new(inner: Arc<dyn Transport>, metrics: Arc<Metrics>) -> Self {
        Self { inner, metrics }
    }
}

impl Transport for Metered {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            let mut asked = MeteredRequest {
                metrics: &self.metrics,
                host: self.metrics.host(&request),
                result: Some(ErrorCode::Cancelled.as_str()),
            };
            let answer = self.inner.send(scope, request).await;
            let cached = match &answer {
                Ok(response) => match response.provenance {
                    Provenance::Cached { .. } => Some("hit"),
                    Provenance::Revalidated => Some("revalidated"),
                    Provenance::Live => Some("miss"),
                },
                Err(_) => None,
            };
            if let Some(cached) = cached {
                add(&self.metrics.cache, &[cached], 1);
            }
            asked.result = match &answer {
                Ok(_) if cached == Some("hit") => None,
                Ok(_) => Some(OK),
                Err(error) => Some(error.code.as_str()),
            };
            answer
        })
    }

    fn configured(&self, env: &str) -> bool {
        self.inner.configured(env)
    }
}

/// A request in flight. Also counted if its call ends first.
struct MeteredRequest<'m> {
    metrics: &'m Metrics,
    host: &'static str,
    result: Option<&'static str>,
}

impl Drop for MeteredRequest<'_> {
    fn drop(&mut self) {
        if let Some(result) = self.result {
            add(&self.metrics.upstream, &[self.host, result], 1);
        }
    }
}
