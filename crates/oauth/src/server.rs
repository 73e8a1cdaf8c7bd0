//! The resource server: one issuer, and what its tokens must be for.

use std::sync::Arc;
use std::time::Duration;

use freshcontext_contract::Clock;
use freshcontext_contract::url::Url;
use freshcontext_fetch::Timer;
use sha2::{Digest as _, Sha256};

use crate::issuer::{Documents, Issuer, Report};
use crate::refused::Refused;
use crate::token::{self, Claims, Expected, Flaw};
use crate::{provider, resource};

/// Bytes of the hash in a caller's name: enough that no two callers ever have the same one.
const NAME_BYTES: usize = 16;

/// What the operator set.
#[derive(Debug, Clone)]
pub struct Options {
    /// The issuer, exactly as its metadata and its tokens name it.
    pub issuer: String,
    /// Accepted values of `aud`.
    pub audiences: Vec<String>,
    /// Address of the resource, as clients write it.
    pub resource: String,
    /// Scopes that every token must have.
    pub scopes: Vec<String>,
}

/// A caller with a valid token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Hash of the issuer and the subject: the same for all tokens of a subject.
    pub hash: [u8; NAME_BYTES],
    /// Name of the caller in the log and in the store: `oauth:` and the hash in hexadecimal digits. No named token has
    /// a colon in its name.
    pub name: String,
}

/// Checks access tokens.
pub struct ResourceServer {
    options: Options,
    issuer: Arc<Issuer>,
    metadata_address: Url,
    resource_path: String,
    clock: Arc<dyn Clock>,
}

impl ResourceServer {
    /// Prepares the checks, without any request. The error names the setting that is no address.
    ///
    /// `clock` must be the real time, also while answers are replayed: a token expires by it.
    pub fn new(
        options: Options,
        documents: Arc<dyn Documents>,
        clock: Arc<dyn Clock>,
        timer: Arc<dyn Timer>,
    ) -> Result<Self, String> {
        provider::install();
        let address = Url::parse(&options.issuer).map_err(|_| "the issuer is no address".to_owned())?;
        let resource = Url::parse(&options.resource).map_err(|_| "the resource is no address".to_owned())?;
        Ok(Self {
            issuer: Issuer::new(options.issuer.clone(), address, documents, timer),
            metadata_address: resource::address(&resource),
            resource_path: resource.path().to_owned(),
            options,
            clock,
        })
    }

    /// Checks a token. Asks the issuer for its keys only where the token's key is unknown, at most once a minute.
    pub async fn check(&self, token: &[u8]) -> Result<Accepted, Refused> {
        let header = token::header(token).map_err(Refused::Invalid)?;
        let id = header.kid.as_deref();
        let keys = self.issuer.keys(header.alg, id).await;
        let keys = keys.ok_or(Refused::Unavailable)?;
        let expected = Expected {
            issuer: &self.options.issuer,
            audiences: &self.options.audiences,
            now: self.clock.now(),
        };
        let keys = keys.of(header.alg, id);
        let claims = token::verify(token, &keys, &expected).map_err(Refused::Invalid)?;
        let caller = self.caller(&claims).ok_or(Refused::Invalid(Flaw::Subject))?;
        if !claims.has(&self.options.scopes) {
            return Err(Refused::Scope);
        }
        tracing::debug!(
            caller = caller.name,
            client = claims.client(),
            "access token accepted"
        );
        Ok(caller)
    }

    /// Returns the caller: the subject at this issuer, whatever client it uses, because clients that register
    /// dynamically get a new id each time. A token without a subject belongs to its client.
    fn caller(&self, claims: &Claims) -> Option<Accepted> {
        let subject = claims.sub.as_deref().filter(|subject| !subject.is_empty());
        let (kind, id) = match (subject, claims.client()) {
            (Some(subject), _) => ("sub", subject),
            (None, Some(client)) => ("client", client),
            (None, None) => return None,
        };
        // An issuer is an address, so it holds no line break.
        let digest = Sha256::digest(format!("{}\n{kind}:{id}", self.options.issuer));
        let hash = *digest.first_chunk()?;
        let name = format!("oauth:{}", base16ct::lower::encode_string(&hash));
        Some(Accepted { hash, name })
    }

    /// Returns the value of `WWW-Authenticate` for a refusal.
    pub fn challenge(&self, refused: Refused) -> String {
        resource::challenge(refused, &self.metadata_address, &self.options.scopes)
    }

    /// Returns the time until the issuer's keys may be requested again, at least a second.
    pub fn retry_after(&self) -> Duration {
        self.issuer.wait().max(Duration::from_secs(1))
    }

    /// Returns the protected resource metadata as JSON.
    pub fn metadata(&self) -> String {
        resource::metadata(&self.options.resource, self.issuer.name(), &self.options.scopes)
    }

    /// Returns whether the metadata is served at this path, where `endpoint` is the path of the endpoint: at the
    /// well-known path alone, and with the path of the endpoint, or of the resource as clients write it.
    pub fn has_metadata_at(&self, path: &str, endpoint: &str) -> bool {
        path.strip_prefix(resource::WELL_KNOWN)
            .is_some_and(|rest| rest.is_empty() || rest == endpoint || rest == self.resource_path)
    }

    /// Asks the issuer for its keys now. The error is one line for the operator.
    pub async fn report(&self) -> Result<Report, String> {
        self.issuer.report().await
    }
}

impl std::fmt::Debug for ResourceServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceServer")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
