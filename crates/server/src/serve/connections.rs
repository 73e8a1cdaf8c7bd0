//! How many connections, from whom, and how long each may keep us waiting.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

/// Counts connections in all and by peer.
#[derive(Debug)]
pub(crate) struct ConnectionLimiter {
    by_peer: Mutex<HashMap<IpAddr, usize>>,
    most: usize,
    most_by_peer: usize,
}

/// One connection's place; free again when dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limiter: Arc<ConnectionLimiter>,
    peer: IpAddr,
}

impl ConnectionLimiter {
    pub(crate) fn new(most: usize, most_by_peer: usize) -> Arc<Self> {
        Arc::new(Self {
            by_peer: Mutex::default(),
            most,
            most_by_peer,
        })
    }

    /// A place for a connection from this peer, unless there is none.
    pub(crate) fn permit(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPermit> {
        let peer = peer.to_canonical();
        let mut by_peer = self.by_peer.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = by_peer.values().sum();
        let own = by_peer.get(&peer).copied().unwrap_or(0);
        if all >= self.most || own >= self.most_by_peer {
            return None;
        }
        by_peer.insert(peer, own + 1);
        Some(ConnectionPermit {
            limiter: Arc::clone(self),
            peer,
        })
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut by_peer = self
            .limiter
            .by_peer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_peer.get_mut(&self.peer) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                by_peer.remove(&self.peer);
            }
        }
    }
}

/// What a connection is doing, so that each kind of waiting has its own limit: hyper knows only one
/// timer for "no complete headers yet", whether the peer is idle or dribbling.
#[derive(Debug)]
pub(crate) struct Activity {
    now: Mutex<(Phase, Instant)>,
    /// Whether the peer knows interim answers: from HTTP/1.1 on.
    may_ask: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Headers,
    Busy,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self {
            now: Mutex::new((Phase::Idle, Instant::now())),
            may_ask: AtomicBool::new(false),
        }
    }

    /// The headers of a request are complete; `may_ask` where its sender knows interim answers.
    pub(crate) fn request_begins(&self, may_ask: bool) {
        self.may_ask.store(may_ask, Ordering::Relaxed);
        self.set(Phase::Busy);
    }

    /// Its answer is under way, or dropped.
    pub(crate) fn request_ends(&self) {
        self.set(Phase::Idle);
    }

    /// Bytes came in.
    pub(crate) fn bytes_came(&self) {
        if self.get().0 == Phase::Idle {
            self.set(Phase::Headers);
        }
    }

    /// Whether the peer knows interim answers.
    pub(crate) fn may_ask(&self) -> bool {
        self.may_ask.load(Ordering::Relaxed)
    }

    /// Whether a request is being answered.
    pub(crate) fn is_busy(&self) -> bool {
        self.get().0 == Phase::Busy
    }

    fn set(&self, phase: Phase) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = (phase, Instant::now());
    }

    fn get(&self) -> (Phase, Instant) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when the peer has kept us waiting too long. To be polled in the task that serves the
    /// connection: whatever changes the phase wakes that task anyway.
    pub(crate) async fn too_slow(&self, headers: Duration, idle: Duration) {
        let sleep = tokio::time::sleep(idle);
        tokio::pin!(sleep);
        std::future::poll_fn(|cx| {
            loop {
                let (phase, since) = self.get();
                let deadline = match phase {
                    Phase::Idle => since + idle,
                    Phase::Headers => since + headers,
                    // Look again later; work has limits of its own.
                    Phase::Busy => Instant::now() + idle,
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
    use std::net::Ipv4Addr;

    #[test]
    fn places_are_limited_in_all_and_by_peer_and_come_back() {
        let limiter = ConnectionLimiter::new(3, 2);
        let one = IpAddr::from(Ipv4Addr::new(192, 0, 2, 1));
        let mapped = IpAddr::from(Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped());
        let other = IpAddr::from(Ipv4Addr::new(192, 0, 2, 2));
        let first = limiter.permit(one).unwrap();
        let _second = limiter.permit(mapped).unwrap();
        assert!(limiter.permit(one).is_none(), "the same peer in either notation");
        let _third = limiter.permit(other).unwrap();
        assert!(limiter.permit(other).is_none(), "full");
        drop(first);
        assert!(limiter.permit(other).is_some());
    }

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
        activity.request_ends();
        let started = Instant::now();
        waiting.await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 60);
    }
}
