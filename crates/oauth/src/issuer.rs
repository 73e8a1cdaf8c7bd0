//! An issuer and its keys: requested at most once a minute, and kept while the issuer cannot be reached.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use freshcontext_contract::BoxFuture;
use freshcontext_contract::limits::{
    OAUTH_DOCUMENT_BYTES, OAUTH_FRESH_S, OAUTH_INTERVAL_S, OAUTH_KEPT_S, OAUTH_WAIT_MS,
};
use freshcontext_contract::url::Url;
use freshcontext_fetch::{NamedBy, Pipeline, Timer};
use jsonwebtoken::Algorithm;

use crate::discovery;
use crate::keys::KeySet;

/// Where the documents of an issuer come from.
pub trait Documents: Send + Sync + 'static {
    /// Requests a document until this moment of the monotonic clock. The error is one line for the operator.
    fn document<'a>(
        &'a self,
        url: &'a Url,
        named: NamedBy,
        until: Instant,
    ) -> BoxFuture<'a, Result<Bytes, String>>;
}

/// Requests documents through the server's pipeline, which applies the egress policy.
pub struct IssuerDocuments(pub Arc<Pipeline>);

impl Documents for IssuerDocuments {
    fn document<'a>(
        &'a self,
        url: &'a Url,
        named: NamedBy,
        until: Instant,
    ) -> BoxFuture<'a, Result<Bytes, String>> {
        Box::pin(async move {
            let answer = self.0.document(url, named, OAUTH_DOCUMENT_BYTES, until).await;
            answer.map_err(|failure| failure.message)
        })
    }
}

/// What the operator may know of an issuer's keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Names of the algorithms of the usable keys, one for each key.
    pub algorithms: Vec<String>,
}

/// One issuer.
pub(crate) struct Issuer {
    name: String,
    address: Url,
    documents: Arc<dyn Documents>,
    timer: Arc<dyn Timer>,
    known: Mutex<Known>,
    /// Held while the issuer is asked.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    keys: Option<(Arc<KeySet>, Instant)>,
    /// When the issuer was last asked.
    asked: Option<Instant>,
}

impl Issuer {
    pub(crate) fn new(
        name: String,
        address: Url,
        documents: Arc<dyn Documents>,
        timer: Arc<dyn Timer>,
    ) -> Arc<Self> {
        Arc::new(Self {
            name,
            address,
            documents,
            timer,
            known: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns keys among which that of a token is, if the issuer has it; `None` if no keys are known.
    pub(crate) async fn keys(
        self: &Arc<Self>,
        algorithm: Algorithm,
        id: Option<&str>,
    ) -> Option<Arc<KeySet>> {
        if let Some((keys, age)) = self.current()
            && !keys.of(algorithm, id).is_empty()
        {
            if age >= Duration::from_secs(OAUTH_FRESH_S) && self.may_ask() {
                // Nobody waits for it: these keys serve meanwhile.
                let own = Arc::clone(self);
                tokio::spawn(async move { own.ask().await });
            }
            return Some(keys);
        }
        if self.may_ask() || self.asking.try_lock().is_err() {
            let own = Arc::clone(self);
            // A task of its own: a caller that leaves must not end what others wait for.
            let _ = tokio::spawn(async move { own.ask().await }).await;
        }
        self.current().map(|(keys, _)| keys)
    }

    /// Returns the keys that may serve, with their age.
    fn current(&self) -> Option<(Arc<KeySet>, Duration)> {
        let known = self.known();
        let (keys, since) = known.keys.as_ref()?;
        let age = self.timer.now().saturating_duration_since(*since);
        (age < Duration::from_secs(OAUTH_KEPT_S)).then(|| (Arc::clone(keys), age))
    }

    fn may_ask(&self) -> bool {
        self.wait().is_zero()
    }

    /// Returns the time until the issuer may be asked again.
    pub(crate) fn wait(&self) -> Duration {
        let asked = self.known().asked;
        asked.map_or(Duration::ZERO, |asked| {
            let passed = self.timer.now().saturating_duration_since(asked);
            Duration::from_secs(OAUTH_INTERVAL_S).saturating_sub(passed)
        })
    }

    /// Asks the issuer, one task at a time, and not again within the interval.
    async fn ask(&self) {
        let _alone = self.asking.lock().await;
        if !self.may_ask() {
            return;
        }
        self.known().asked = Some(self.timer.now());
        let usable = self
            .fetch()
            .await
            .and_then(|keys| match keys.algorithms().count() {
                // An issuer that starts or fails may serve an empty set. The known keys stay, as after any other failure.
                0 => Err("its key document has no usable key".to_owned()),
                count => Ok((keys, count)),
            });
        match usable {
            Ok((keys, count)) => {
                tracing::info!(issuer = self.name, keys = count, "read the issuer's keys");
                self.known().keys = Some((Arc::new(keys), self.timer.now()));
            }
            Err(reason) => tracing::warn!(
                issuer = self.name,
                reason,
                "cannot read the keys of the issuer of access tokens; asked again after 60 s"
            ),
        }
    }

    /// Requests the metadata and the keys, without regard to the interval.
    async fn fetch(&self) -> Result<KeySet, String> {
        let until = self.timer.now() + Duration::from_millis(OAUTH_WAIT_MS);
        let keys = self.key_address(until).await?;
        let own = keys.origin() == self.address.origin();
        let named = if own { NamedBy::Operator } else { NamedBy::Document };
        let document = self.documents.document(&keys, named, until).await?;
        KeySet::read(&document)
    }

    /// Asks the well-known addresses in turn. The error is that of the first one, unless another one answered.
    async fn key_address(&self, until: Instant) -> Result<Url, String> {
        let mut failed: Option<String> = None;
        let mut misread: Option<String> = None;
        for url in discovery::addresses(&self.address) {
            match self.documents.document(&url, NamedBy::Operator, until).await {
                Ok(document) => match discovery::read(&document, &self.name) {
                    Ok(keys) => return Ok(keys),
                    Err(reason) => misread = misread.or(Some(reason)),
                },
                Err(reason) => failed = failed.or(Some(reason)),
            }
        }
        Err(misread.or(failed).unwrap_or_default())
    }

    /// Asks now, for the operator.
    pub(crate) async fn report(&self) -> Result<Report, String> {
        let keys = self.fetch().await?;
        let algorithms = keys
            .algorithms()
            .map(|algorithm| format!("{algorithm:?}"))
            .collect();
        Ok(Report { algorithms })
    }
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issuer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    const NAME: &str = "https://login.example.com";

    /// An issuer whose key document can be replaced.
    #[derive(Default)]
    struct Scripted(Mutex<String>);

    impl Documents for Scripted {
        fn document<'a>(
            &'a self,
            url: &'a Url,
            _: NamedBy,
            _: Instant,
        ) -> BoxFuture<'a, Result<Bytes, String>> {
            let document = if url.path() == "/jwks" {
                self.0.lock().unwrap().clone()
            } else {
                json!({"issuer": NAME, "jwks_uri": format!("{NAME}/jwks")}).to_string()
            };
            Box::pin(async move { Ok(Bytes::from(document)) })
        }
    }

    /// A monotonic clock that only tests advance.
    struct StepTimer(Instant, Mutex<Duration>);

    impl StepTimer {
        fn step(&self, seconds: u64) {
            *self.1.lock().unwrap() += Duration::from_secs(seconds);
        }
    }

    impl Timer for StepTimer {
        fn now(&self) -> Instant {
            self.0 + *self.1.lock().unwrap()
        }

        fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
            Box::pin(tokio::time::sleep(time))
        }
    }

    #[test]
    fn a_document_without_a_usable_key_is_a_failed_request() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let documents = Arc::new(Scripted::default());
            let timer = Arc::new(StepTimer(Instant::now(), Mutex::default()));
            let set = |keys: serde_json::Value| {
                *documents.0.lock().unwrap() = json!({"keys": keys}).to_string();
            };
            let address = Url::parse(NAME).unwrap();
            let issuer = Issuer::new(NAME.to_owned(), address, documents.clone(), timer.clone());
            let find = async |id: &'static str| {
                let keys = issuer.keys(Algorithm::EdDSA, Some(id)).await?;
                Some(keys.of(Algorithm::EdDSA, Some(id)).len())
            };
            let x = URL_SAFE_NO_PAD.encode([7; 32]);
            let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": x});
            let empty = [json!([]), json!([{"kty": "oct", "k": "AAAA"}])];
            for none in &empty {
                set(none.clone());
                assert_eq!(find("one").await, None, "no key is known");
                timer.step(OAUTH_INTERVAL_S);
            }
            set(json!([key]));
            assert_eq!(find("one").await, Some(1));
            for none in &empty {
                set(none.clone());
                timer.step(OAUTH_INTERVAL_S);
                assert_eq!(find("two").await, Some(0), "asked for an unknown key");
                assert_eq!(find("one").await, Some(1), "the known key is kept");
            }
            timer.step(OAUTH_KEPT_S);
            assert_eq!(find("one").await, None, "as long as after any failure");
        });
    }
}
