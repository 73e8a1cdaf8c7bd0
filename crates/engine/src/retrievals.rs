//! Retrieval failures in the operator's log, at its default level: the specification asks to "log
//! retrieval errors". A source that is down fails with every call, so each source has a line a minute;
//! the rest is told from `info` on, where each request and call says what became of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::{
    AnyAdapter, BoxFuture, CallScope, Cx, Descriptor, Earlier, ErrorCode, Identity, Peeked, Request,
    Response, SourceError, SourceResult, Transport,
};
use serde_json::{Map, Value};

/// How long a source is quiet after a line.
const QUIET: Duration = Duration::from_mins(1);

/// Which sources have failed lately.
#[derive(Debug, Default)]
pub struct FailureLog(Mutex<HashMap<&'static str, Lately>>);

#[derive(Debug)]
struct Lately {
    told: Instant,
    untold: u32,
}

impl FailureLog {
    /// Whether this failure of a source is told, and how many before it were not.
    fn due(&self, source: &'static str, now: Instant) -> Option<u32> {
        let mut sources = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(lately) = sources.get_mut(source) else {
            sources.insert(source, Lately { told: now, untold: 0 });
            return Some(0);
        };
        if now.saturating_duration_since(lately.told) < QUIET {
            lately.untold += 1;
            return None;
        }
        lately.told = now;
        Some(std::mem::take(&mut lately.untold))
    }

    fn note(&self, source: &'static str, code: ErrorCode, message: &str, status: Option<u16>) {
        if !is_of_retrieval(code) {
            return;
        }
        let Some(untold) = self.due(source, Instant::now()) else {
            return;
        };
        let code = code.as_str();
        tracing::warn!(source, code, status, message = ?message, untold, "retrieval failed");
    }
}

/// Whether it says that a source could not be read. That something does not exist is an answer; what the
/// caller got wrong, and what we are too busy for, is no news about the source.
pub(crate) const fn is_of_retrieval(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::RateLimited
            | ErrorCode::AccessDenied
            | ErrorCode::Challenge
            | ErrorCode::Timeout
            | ErrorCode::Unreachable
            | ErrorCode::Malformed
            | ErrorCode::TooLarge
            | ErrorCode::UpstreamError
            | ErrorCode::Misconfigured
            | ErrorCode::CircuitOpen
    )
}

/// A transport whose failures are told, those that another route makes up for included.
pub struct Told {
    /// The transport that sends.
    pub inner: Arc<dyn Transport>,
    /// Where failures go.
    pub log: Arc<FailureLog>,
}

impl Transport for Told {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            let answer = self.inner.send(scope, request).await;
            if let Err(error) = &answer {
                self.log
                    .note(scope.descriptor.id, error.code, &error.message, error.http_status);
            }
            answer
        })
    }

    fn configured(&self, env: &str) -> bool {
        self.inner.configured(env)
    }
}

/// A source whose failures are told, those that it finds in an answer included.
pub struct ToldSource {
    /// The source.
    pub inner: Box<dyn AnyAdapter>,
    /// Where failures go.
    pub log: Arc<FailureLog>,
}

impl AnyAdapter for ToldSource {
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
            let collected = self.inner.collect(cx, arguments).await;
            let source = self.descriptor().id;
            match &collected {
                Err(error) => self
                    .log
                    .note(source, error.code, &error.message, error.http_status),
                Ok(result) => {
                    for part in &result.failures {
                        self.log.note(
                            source,
                            part.error.code,
                            &part.error.message,
                            part.error.http_status,
                        );
                    }
                }
            }
            collected
        })
    }

    fn identify<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        name: Option<&'a str>,
        ticker: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Identity>, SourceError>> {
        // Its failures are told by the transport.
        self.inner.identify(cx, name, ticker)
    }

    fn peek<'a>(
        &'a self,
        cx: &'a Cx<'_>,
        arguments: Map<String, Value>,
        earlier: &'a Earlier,
    ) -> BoxFuture<'a, Result<Peeked, SourceError>> {
        // Its failures are told by the transport.
        self.inner.peek(cx, arguments, earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_one_line_a_minute() {
        let log = FailureLog::default();
        let begun = Instant::now();
        let due = |source, seconds| log.due(source, begun + Duration::from_secs(seconds));
        assert_eq!(due("gdelt", 0), Some(0));
        assert_eq!(due("gdelt", 1), None);
        assert_eq!(due("gdelt", 59), None);
        assert_eq!(due("reddit", 59), Some(0), "each source has its own");
        assert_eq!(due("gdelt", 60), Some(2), "what was not told is counted");
        assert_eq!(due("gdelt", 61), None);
        assert_eq!(due("gdelt", 121), Some(1));
    }

    #[test]
    fn an_answer_is_no_failure() {
        for code in ErrorCode::ALL {
            let answered = matches!(
                code,
                ErrorCode::InvalidInput
                    | ErrorCode::BlockedAddress
                    | ErrorCode::NotFound
                    | ErrorCode::Overloaded
                    | ErrorCode::Cancelled
                    | ErrorCode::Internal
            );
            assert_eq!(is_of_retrieval(code), !answered, "{code}");
        }
    }
}
