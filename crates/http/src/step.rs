//! How far a request has come, so that each step has its own time limit and its own name in errors.
//!
//! reqwest has one limit for everything before the request is sent. The steps are seen from inside
//! instead: its connector is wrapped, its resolver is replaced, and its TLS session store is asked for a
//! ticket when the handshake begins.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::NamedGroup;
use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls_pki_types::ServerName;
use tower::{Layer, Service};

use crate::deadline::Deadline;
use crate::ports::Timer;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    /// The connection stands; the head of the answer is awaited.
    Answer = 0,
    Dns = 1,
    Connect = 2,
    Tls = 3,
}

tokio::task_local! {
    static STEP: Arc<AtomicU8>;
}

/// Notes that the request of this task has come to a step.
pub(crate) fn now_at(step: Step) {
    let _ = STEP.try_with(|cell| cell.store(step as u8, Ordering::Relaxed));
}

/// Time limits of the steps; name resolution and connecting share one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepLimits {
    pub(crate) connect: Duration,
    pub(crate) tls: Duration,
    pub(crate) answer: Duration,
}

/// Why a watched request ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// A step took longer than its limit.
    Step(Step),
    /// The deadline of the call came first.
    Deadline(Step),
}

/// Runs a request under the limits of its steps. The output comes with the step that was reached.
pub(crate) async fn watched<F: Future>(
    request: F,
    limits: StepLimits,
    deadline: &Deadline,
    timer: &dyn Timer,
) -> Result<(F::Output, Step), Late> {
    let cell = Arc::new(AtomicU8::new(Step::Answer as u8));
    let read = || match cell.load(Ordering::Relaxed) {
        1 => Step::Dns,
        2 => Step::Connect,
        3 => Step::Tls,
        _ => Step::Answer,
    };
    let mut request = pin!(STEP.scope(Arc::clone(&cell), request));
    let mut over = pin!(deadline.passed(timer));
    let mut phase = None;
    let mut alarm = None;
    poll_fn(|cx| {
        if let Poll::Ready(output) = request.as_mut().poll(cx) {
            return Poll::Ready(Ok((output, read())));
        }
        let step = read();
        let limit = match step {
            Step::Dns | Step::Connect => limits.connect,
            Step::Tls => limits.tls,
            Step::Answer => limits.answer,
        };
        let current = if step == Step::Dns { Step::Connect } else { step };
        if phase != Some(current) {
            phase = Some(current);
            alarm = Some(timer.sleep(limit));
        }
        if let Some(alarm) = alarm.as_mut()
            && alarm.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(Late::Step(step)));
        }
        if over.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(Late::Deadline(step)));
        }
        Poll::Pending
    })
    .await
}

/// Wraps reqwest's connector to see it begin and end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenLayer;

impl<S> Layer<S> for SeenLayer {
    type Service = Seen<S>;

    fn layer(&self, inner: S) -> Seen<S> {
        Seen(inner)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Seen<S>(S);

impl<S, R> Service<R> for Seen<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        now_at(Step::Connect);
        let connecting = self.0.call(request);
        // The pool may finish a connection in a task of its own; the steps still belong to us.
        let cell = STEP.try_with(Arc::clone).unwrap_or_default();
        Box::pin(STEP.scope(cell, async move {
            let connected = connecting.await;
            if connected.is_ok() {
                now_at(Step::Answer);
            }
            connected
        }))
    }
}

/// The usual session store, which also notes that a handshake begins.
pub(crate) struct SeenSessions(ClientSessionMemoryCache);

impl SeenSessions {
    pub(crate) fn new(sessions: usize) -> Self {
        Self(ClientSessionMemoryCache::new(sessions))
    }
}

impl fmt::Debug for SeenSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeenSessions")
    }
}

impl ClientSessionStore for SeenSessions {
    fn set_kx_hint(&self, server_name: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(server_name, group);
    }

    fn kx_hint(&self, server_name: &ServerName<'_>) -> Option<NamedGroup> {
        now_at(Step::Tls);
        self.0.kx_hint(server_name)
    }

    fn set_tls12_session(&self, server_name: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.0.set_tls12_session(server_name, value);
    }

    fn tls12_session(&self, server_name: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        now_at(Step::Tls);
        self.0.tls12_session(server_name)
    }

    fn remove_tls12_session(&self, server_name: &ServerName<'static>) {
        self.0.remove_tls12_session(server_name);
    }

    fn insert_tls13_ticket(&self, server_name: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(server_name, value);
    }

    fn take_tls13_ticket(&self, server_name: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        now_at(Step::Tls);
        self.0.take_tls13_ticket(server_name)
    }
}
