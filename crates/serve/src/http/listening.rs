//! Streams of `subscriptions/listen`: how many there are, in all and for each caller, and how long their connections last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::response::Response;
use freshcontext_contract::{ErrorCode, Limits};
use freshcontext_mcp::caller::Caller;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use serde_json::{Value, json};

use super::answers::{NOT_NOW, rpc_error};
use super::connections::Activity;
use super::held_body::HeldBody;

/// Method that opens a stream, as the header `Mcp-Method` names it. rmcp refuses a request whose body differs.
const METHOD: &str = "subscriptions/listen";
/// Delay before the next attempt after a refusal, in seconds.
const AGAIN_S: u64 = 5;

/// The connection of a request.
#[derive(Debug, Clone)]
pub(crate) struct Line(pub(crate) Arc<Activity>);

/// Counts open streams.
#[derive(Debug)]
pub(crate) struct Listeners {
    open: Mutex<Open>,
    most: usize,
    most_by_caller: usize,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    /// By the name of the token; `None` for callers without a named one.
    by_caller: HashMap<Option<Arc<str>>, usize>,
}

/// One open stream, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Listener {
    listeners: Arc<Listeners>,
    caller: Option<Arc<str>>,
}

impl Listeners {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            open: Mutex::default(),
            most: limits.listeners,
            most_by_caller: limits.listeners_per_caller,
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a stream of this caller; `None` if it or the server has as many as allowed.
    pub(crate) fn take(self: &Arc<Self>, caller: Option<&Caller>) -> Option<Listener> {
        let caller = caller.map(|caller| Arc::clone(&caller.name));
        let mut open = self.open();
        let own = open.by_caller.get(&caller).copied().unwrap_or(0);
        if open.all >= self.most || own >= self.most_by_caller {
            return None;
        }
        open.all += 1;
        open.by_caller.insert(caller.clone(), own + 1);
        Some(Listener {
            listeners: Arc::clone(self),
            caller,
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut open = self.listeners.open();
        open.all = open.all.saturating_sub(1);
        if let Some(own) = open.by_caller.get_mut(&self.caller) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.by_caller.remove(&self.caller);
            }
        }
    }
}

/// Returns whether a request opens a stream.
pub(crate) fn is_listening(headers: &HeaderMap) -> bool {
    headers
        .get("mcp-method")
        .is_some_and(|method| method.as_bytes().trim_ascii() == METHOD.as_bytes())
}

/// Builds the refusal of a stream beyond the limits.
pub(crate) fn too_many(id: Option<Value>) -> Response {
    let message = "as many subscriptions are open as the server, or one caller, may have (limits.listeners, \
                   limits.listeners_per_caller); end one, or try again in 5 s";
    let data = json!({"code": ErrorCode::Overloaded.as_str(), "retry_after_s": AGAIN_S});
    let error = json!({"code": NOT_NOW, "message": message, "data": data});
    let mut response = rpc_error(StatusCode::SERVICE_UNAVAILABLE, error, id);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(AGAIN_S));
    response
}

/// Attaches the count to the response until its last byte is written or its client is gone.
pub(crate) fn streamed(response: Response, listener: Listener, line: Option<Line>) -> Response {
    let (parts, body) = response.into_parts();
    if let Some(Line(activity)) = &line {
        activity.stream_begins();
    }
    let kept = KeptOpen {
        line,
        _listener: listener,
    };
    Response::from_parts(parts, Body::new(HeldBody::new(body, kept)))
}

/// What keeps a connection open, however long its stream is silent.
struct KeptOpen {
    line: Option<Line>,
    _listener: Listener,
}

impl Drop for KeptOpen {
    fn drop(&mut self) {
        if let Some(Line(activity)) = &self.line {
            activity.stream_ends();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(name: &str) -> Caller {
        Caller { name: name.into() }
    }

    #[test]
    fn streams_are_bounded_in_all_and_for_each_caller_and_come_back() {
        let listeners = Listeners::new(&Limits {
            listeners: 3,
            listeners_per_caller: 2,
            ..Limits::DEFAULT
        });
        let anna: Vec<_> = (0..1_000)
            .filter_map(|_| listeners.take(Some(&caller("anna"))))
            .collect();
        assert_eq!(anna.len(), 2);
        let ben = listeners.take(Some(&caller("ben"))).unwrap();
        assert!(listeners.take(None).is_none(), "full");
        drop(ben);
        assert!(listeners.take(None).is_some());
        drop(anna);
        let open = listeners.open();
        assert!(open.all == 0 && open.by_caller.is_empty());
    }
}
