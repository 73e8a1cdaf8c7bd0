//! State of a connection, and its timeouts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// State of a connection, with a timeout for each state. hyper has only one timer for incomplete headers,
/// whether the peer is idle or slow.
#[derive(Debug)]
pub(crate) struct Activity {
    now: Mutex<(Phase, Instant)>,
    /// Whether the peer supports interim responses (HTTP/1.1 or later).
    may_ask: AtomicBool,
    /// Signalled when another connection needs this one's permit.
    given_up: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing has been received.
    Silent,
    Idle,
    Headers,
    Busy,
    /// A stream of notifications is open, which may be silent for long.
    Streaming,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self {
            now: Mutex::new((Phase::Silent, Instant::now())),
            may_ask: AtomicBool::new(false),
            given_up: Notify::new(),
        }
    }

    /// Records complete request headers; `may_ask` if the client supports interim responses.
    pub(crate) fn request_begins(&self, may_ask: bool) {
        self.may_ask.store(may_ask, Ordering::Relaxed);
        self.set(Phase::Busy);
    }

    /// Records that the response has begun or was dropped.
    pub(crate) fn request_ends(&self) {
        if self.get().0 != Phase::Streaming {
            self.set(Phase::Idle);
        }
    }

    /// Records that the response is a stream of notifications. The end of the input then ends it at once.
    pub(crate) fn stream_begins(&self) {
        self.set(Phase::Streaming);
    }

    /// Records the end of that stream.
    pub(crate) fn stream_ends(&self) {
        self.set(Phase::Idle);
    }

    /// Records received bytes.
    pub(crate) fn bytes_came(&self) {
        if matches!(self.get().0, Phase::Silent | Phase::Idle) {
            self.set(Phase::Headers);
        }
    }

    /// Returns whether the peer supports interim responses.
    pub(crate) fn may_ask(&self) -> bool {
        self.may_ask.load(Ordering::Relaxed)
    }

    /// Returns whether a request is in progress.
    pub(crate) fn is_busy(&self) -> bool {
        self.get().0 == Phase::Busy
    }

    /// Returns the time since which a request head has been incomplete, or since which the connection has been
    /// silent, if that is longer than a head may take.
    pub(crate) fn waits_since(&self, longest: Duration) -> Option<Instant> {
        let (phase, since) = self.get();
        let waits = match phase {
            Phase::Headers => true,
            Phase::Silent => since.elapsed() >= longest,
            Phase::Idle | Phase::Busy | Phase::Streaming => false,
        };
        waits.then_some(since)
    }

    /// Closes the connection in favour of another one.
    pub(crate) fn give_up(&self) {
        self.given_up.notify_one();
    }

    /// Completes when the connection must close in favour of another one.
    pub(crate) async fn given_up(&self) {
        self.given_up.notified().await;
    }

    fn set(&self, phase: Phase) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = (phase, Instant::now());
    }

    fn get(&self) -> (Phase, Instant) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when the peer has exceeded its timeout. Must be polled in the task that serves the
    /// connection, because every state change wakes that task.
    pub(crate) async fn too_slow(&self, headers: Duration, idle: Duration) {
        let sleep = tokio::time::sleep(idle);
        tokio::pin!(sleep);
        std::future::poll_fn(|cx| {
            loop {
                let (phase, since) = self.get();
                let deadline = match phase {
                    Phase::Silent | Phase::Idle => since + idle,
                    Phase::Headers => since + headers,
                    // Checks again later, since running work and streams have limits of their own.
                    Phase::Busy | Phase::Streaming => Instant::now() + idle,
                };
                if deadline < sleep.deadline() {
                    sleep.as_mut().reset(deadline);
                }
                if sleep.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                if deadline <= Instant::now() {
                    return Poll::Ready(());
                }
                sleep.as_mut().reset(deadline);
            }
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test(start_paused = true)]
    async fn idle_and_dribbling_have_different_limits_and_work_has_none() {
        let (headers, idle) = (Duration::from_secs(10), Duration::from_mins(1));
        let started = Instant::now();
        let activity = Activity::new();
        activity.too_slow(headers, idle).await;
        assert_eq!(started.elapsed().as_secs(), 60);

        let started = Instant::now();
        activity.bytes_came();
        activity.too_slow(headers, idle).await;
        assert_eq!(started.elapsed().as_secs(), 10);

        let activity = Arc::new(Activity::new());
        activity.request_begins(true);
        let watched = Arc::clone(&activity);
        let waiting = tokio::spawn(async move { watched.too_slow(headers, idle).await });
        tokio::time::sleep(Duration::from_secs(500)).await;
        assert!(!waiting.is_finished());
        activity.stream_begins();
        activity.request_ends();
        tokio::time::sleep(Duration::from_secs(500)).await;
        assert!(!waiting.is_finished());
        activity.stream_ends();
        let started = Instant::now();
        waiting.await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 60);
    }
}
