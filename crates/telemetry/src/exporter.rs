//! The HTTP client of the exporters. They run on threads of their own, without a runtime, so each request is sent on the
//! service's runtime.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use freshcontext_fetch::OperatorClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

/// Timeout of one export.
pub(crate) const EXPORT: Duration = Duration::from_secs(5);

/// Sends exports to the operator's collector.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    client: Arc<OperatorClient>,
    runtime: Arc<OnceLock<Handle>>,
}

impl Sender {
    pub(crate) fn new(client: OperatorClient, runtime: Arc<OnceLock<Handle>>) -> Self {
        Self {
            client: Arc::new(client),
            runtime,
        }
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let Some(runtime) = self.runtime.get() else {
            return Err("the service has not started yet".into());
        };
        let client = Arc::clone(&self.client);
        let sending = async move {
            let sent = tokio::time::timeout(EXPORT, client.send(request)).await;
            sent.unwrap_or_else(|_| Err(format!("no answer within {} s", EXPORT.as_secs())))
        };
        Ok(runtime.spawn(sending).await??)
    }
}
