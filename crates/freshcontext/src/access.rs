//! Access tokens: from the settings to the checks of the HTTP service.

use std::sync::Arc;

use freshcontext_config::{ConfigError, OAuthSettings, SystemClock};
use freshcontext_fetch::{Pipeline, TokioTimer};
use freshcontext_oauth::{IssuerDocuments, Options, ResourceServer};

/// Prepares the checks of access tokens, if an issuer is configured. Makes no request: the first token does.
///
/// Tokens expire by the system's time, also in a replay, whose fixed time is that of answers.
pub(crate) fn resource_server(
    settings: &OAuthSettings,
    pipeline: &Arc<Pipeline>,
) -> Result<Option<Arc<ResourceServer>>, ConfigError> {
    settings.check()?;
    let (Some(issuer), Some(resource)) = (&settings.issuer, settings.resource()) else {
        return Ok(None);
    };
    let options = Options {
        issuer: issuer.clone(),
        audiences: settings.audience.clone(),
        resource: resource.to_owned(),
        scopes: settings.scopes.clone(),
    };
    let documents = Arc::new(IssuerDocuments(Arc::clone(pipeline)));
    ResourceServer::new(options, documents, Arc::new(SystemClock), Arc::new(TokioTimer))
        .map(|server| Some(Arc::new(server)))
        .map_err(|error| ConfigError(format!("`http.oauth`: {error}")))
}
