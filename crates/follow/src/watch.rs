//! Looking on at the requests of one call: what was asked, and marks of what came.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use freshcontext_contract::{
    BoxFuture, CallScope, EarlierRequest, Method, Provenance, Request, Response, SourceError, Transport,
};

/// Exchanges kept of one answer; one that took more has no cheap question.
const EXCHANGES: usize = 24;

/// What makes two requests of one call the same.
type Key = (Method, String, Vec<u8>);

/// A transport that remembers.
pub struct Watch {
    inner: Arc<dyn Transport>,
    /// `None` once there were too many, or one that cannot be compared.
    asked: Mutex<Option<Vec<EarlierRequest>>>,
    /// Whole answers to conditional requests, so that nobody asks for them twice.
    whole: Mutex<HashMap<Key, Response>>,
    requests: AtomicU32,
    bytes: AtomicUsize,
}

impl Watch {
    pub fn new(inner: Arc<dyn Transport>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            asked: Mutex::new(Some(Vec::new())),
            whole: Mutex::default(),
            requests: AtomicU32::new(0),
            bytes: AtomicUsize::new(0),
        })
    }

    /// The exchanges so far; none where they cannot all be asked about.
    pub fn asked(&self) -> Vec<EarlierRequest> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone().unwrap_or_default()
    }

    /// Earlier exchanges with the validators that came with the same bytes now: a source that gives another ETag each time
    /// it is asked is then asked with its last one.
    pub fn renewed(&self, earlier: &[EarlierRequest]) -> Vec<EarlierRequest> {
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let renew = |asked: &EarlierRequest| {
            let request = asked.conditional().ok()?;
            let now = EarlierRequest::of(&request, whole.get(&key(&request))?)?;
            (now.body_hash == asked.body_hash).then(|| EarlierRequest {
                etag: now.etag,
                last_modified: now.last_modified,
                ..asked.clone()
            })
        };
        earlier
            .iter()
            .map(|asked| renew(asked).unwrap_or_else(|| asked.clone()))
            .collect()
    }

    /// Requests that left this machine.
    pub fn requests(&self) -> u32 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes of bodies that came, unpacked.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn note(&self, request: &Request, answer: &Result<Response, SourceError>) {
        let attempts = answer
            .as_ref()
            .map_or_else(|error| error.attempts, |response| response.attempts);
        self.requests.fetch_add(attempts, Ordering::Relaxed);
        if let Ok(response) = answer
            && response.provenance == Provenance::Live
        {
            self.bytes.fetch_add(response.body.len(), Ordering::Relaxed);
        }
        if request.condition.is_some() {
            if let Ok(response) = answer
                && response.status == 200
            {
                let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
                whole.insert(key(request), response.clone());
            }
            return;
        }
        self.keep(request, answer.as_ref().ok());
    }

    /// Keeps an exchange to ask about later; one that cannot be asked about ends that for all.
    fn keep(&self, request: &Request, response: Option<&Response>) {
        let kept = response.and_then(|response| EarlierRequest::of(request, response));
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked = match (asked.take(), kept) {
            (Some(mut asked), Some(kept)) if asked.len() < EXCHANGES => {
                asked.push(kept);
                Some(asked)
            }
            _ => None,
        };
    }
}

fn key(request: &Request) -> Key {
    let body = request.body.as_ref().map(|body| body.to_vec());
    (request.method, request.url.to_string(), body.unwrap_or_default())
}

impl Transport for Watch {
    fn send<'a>(
        &'a self,
        scope: &'a CallScope,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, SourceError>> {
        Box::pin(async move {
            if request.condition.is_none() {
                let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(mut response) = whole.remove(&key(&request)) {
                    // It was counted when it came.
                    response.attempts = 0;
                    drop(whole);
                    self.keep(&request, Some(&response));
                    return Ok(response);
                }
            }
            let answer = self.inner.send(scope, request.clone()).await;
            self.note(&request, &answer);
            answer
        })
    }

    fn configured(&self, env: &str) -> bool {
        self.inner.configured(env)
    }
}
