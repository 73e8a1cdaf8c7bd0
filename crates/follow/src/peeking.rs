//! A source that is asked the cheap question first, and everything only where that does not settle it.

use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_contract::{
    AnyAdapter, BoxFuture, Cx, Descriptor, Earlier, EarlierRequest, Evidence, Peeked, SourceError,
    SourceResult,
};
use serde_json::{Map, Value};
use url::Url;

/// Whether the cheap question settled it, and by what.
#[derive(Debug, Default)]
pub(super) struct Settled(Mutex<Option<Vec<Evidence>>>);

impl Settled {
    pub(super) fn take(&self) -> Option<Vec<Evidence>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) struct Peeking {
    pub(super) inner: Arc<dyn AnyAdapter>,
    pub(super) earlier: Earlier,
    pub(super) settled: Arc<Settled>,
}

impl Peeking {
    fn has_several_hosts(&self) -> bool {
        let host = |asked: &EarlierRequest| Url::parse(&asked.url).ok()?.host_str().map(str::to_owned);
        let mut hosts = self.earlier.asked.iter().map(host);
        let first = hosts.next();
        first.is_some_and(|first| hosts.any(|host| host != first))
    }
}

impl AnyAdapter for Peeking {
    fn descriptor(&self) -> &'static Descriptor {
        self.inner.descriptor()
    }

    fn input_schema(&self) -> Value {
        self.inner.input_schema()
    }

    fn collect<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<SourceResult, SourceError>> {
        Box::pin(async move {
            match self.inner.peek(cx, arguments.clone(), &self.earlier).await {
                // Of several hosts, one that fails says nothing of the others.
                Err(_) if self.has_several_hosts() => self.inner.collect(cx, arguments).await,
                Err(error) => Err(error),
                Ok(Peeked::Unchanged(evidence)) => {
                    *self.settled.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(evidence);
                    // Never shown: whoever reads this looks at `settled` first.
                    Ok(SourceResult::new(nowhere()?, Vec::new()))
                }
                Ok(Peeked::Moved | Peeked::Untold) => self.inner.collect(cx, arguments).await,
            }
        })
    }

    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        self.inner.peek(cx, arguments, earlier)
    }
}

fn nowhere() -> Result<Url, SourceError> {
    Url::parse("https://unchanged.invalid/")
        .map_err(|error| SourceError::malformed("a built-in address does not parse").caused_by(error))
}
