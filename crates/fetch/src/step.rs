//! Progress of a request, so that each step has its own time limit and its own name in errors.
//!
//! reqwest has a single limit for everything before the request is sent. The steps are therefore observed from
//! inside: the connector is wrapped, the resolver is replaced, and the TLS session store notices the handshake, which
//! asks it for a ticket.

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
    /// Connected; waiting for the head of the answer.
    Answer = 0,
    Dns = 1,
    Connect = 2,
    Tls = 3,
}

tokio::task_local! {
    static STEP: Arc<AtomicU8>;
}

/// Records that the request of this task has reached a step.
pub(crate) fn now_at(step: Step) {
    let _ = STEP.try_with(|cell| cell.store(step as u8, Ordering::Relaxed));
}

/// Time limits of the steps. Name resolution and connecting share one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepLimits {
    pub(crate) connect: Duration,
    pub(crate) tls: Duration,
    pub(crate) answer: Duration,
}

/// Reason why a watched request ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// A step exceeded its limit.
    Step(Step),
    /// The deadline of the call passed during this step.
    Deadline(Step),
}

/// Runs a request under the limits of its steps. Returns the output together with the step that was reached.
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

/// Wraps reqwest's connector to observe its start and end.
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
        // The pool may finish a connection in its own task. The steps still belong to this request.
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

/// Standard session store that also records the start of a handshake.
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
