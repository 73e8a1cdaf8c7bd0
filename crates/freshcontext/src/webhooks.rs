//! Webhooks of deliverables: the courier with the settings of a run, and the pipeline that it posts through.

use std::sync::Arc;
use std::time::Duration;

use freshcontext_config::{ConfigError, Settings};
use freshcontext_contract::url::Url;
use freshcontext_contract::{BoxFuture, SourceError};
use freshcontext_fetch::{Pipeline, Post};
use freshcontext_follow::{Answered, Courier, Follow, Poster, WebhookSecret};
use tokio_util::sync::CancellationToken;

/// Posts through the pipeline, whose egress policy holds.
pub(crate) struct WebhookPoster {
    pipeline: Arc<Pipeline>,
    allow_http: bool,
}

impl WebhookPoster {
    pub(crate) fn new(pipeline: &Arc<Pipeline>, settings: &Settings) -> Self {
        Self {
            pipeline: Arc::clone(pipeline),
            allow_http: settings.webhook.allow_http,
        }
    }
}

impl Poster for WebhookPoster {
    fn check(&self, url: &Url) -> Result<(), SourceError> {
        self.pipeline.check_webhook(url, self.allow_http)
    }

    fn post(
        &self,
        url: Url,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> BoxFuture<'_, Result<Answered, SourceError>> {
        Box::pin(async move {
            let post = Post {
                url,
                headers,
                body: body.into(),
                allow_http: self.allow_http,
            };
            let posted = self.pipeline.post(post).await?;
            Ok(Answered {
                status: posted.status,
                retry_after: posted.retry_after,
            })
        })
    }
}

/// Time that a running post gets after the end of a process was asked for.
const LAST_POST: Duration = Duration::from_secs(2);

/// Posts changes as they come, until `stop`. A post that takes longer than [`LAST_POST`] beyond that is repeated by the
/// next process, under the same id.
pub(crate) async fn post_until(courier: Option<&Courier>, stop: &CancellationToken) {
    let Some(courier) = courier else {
        return;
    };
    let late = async {
        stop.cancelled().await;
        tokio::time::sleep(LAST_POST).await;
    };
    tokio::select! {
        () = courier.run(stop) => {}
        () = late => {}
    }
}

/// Returns the operator's secret, if one is set.
pub(crate) fn own_secret(settings: &Settings) -> Result<Option<WebhookSecret>, ConfigError> {
    let Some(secret) = &settings.webhook.secret else {
        return Ok(None);
    };
    let wrong = "`webhook.secret` must be whsec_ and the base64 of 24 to 64 bytes, for example \
                 `echo whsec_$(openssl rand -base64 32)`";
    WebhookSecret::parse(secret.expose())
        .map(Some)
        .ok_or_else(|| ConfigError(wrong.to_owned()))
}

/// Returns the courier of a run; `None` if nothing is stored.
pub(crate) fn courier(
    follow: Option<&Follow>,
    pipeline: &Arc<Pipeline>,
    settings: &Settings,
) -> Result<Option<Courier>, ConfigError> {
    let secret = own_secret(settings)?;
    let poster = Arc::new(WebhookPoster::new(pipeline, settings));
    Ok(follow.and_then(|follow| Courier::new(follow.clone(), poster, secret)))
}
