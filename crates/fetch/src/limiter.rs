//! Rate limiter for one published limit of one host: concurrent requests, and requests in any window.
//!
//! A slot counts from the arrival of the answer's head, not from the departure of its request. A request cannot have
//! reached the host later than that, so the limit holds on the host's own clock, whatever the network delay. Requests
//! leave in the order of their arrival.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::Pace;
use futures_util::future::{Either, select};
use tokio::sync::Notify;

use crate::coordination::{Grant, Lease, Missing, Progress, SharedLimit};
use crate::deadline::Deadline;
use crate::ports::Timer;

pub(crate) struct RateLimiter {
    pub(crate) path: &'static str,
    pub(crate) keyed: bool,
    pub(crate) pace: Option<Pace>,
    pub(crate) at_once: usize,
    timer: Arc<dyn Timer>,
    /// The same limit, shared with other replicas.
    shared: Option<SharedLimit>,
    state: Mutex<State>,
}

/// Slots in the order in which they were requested. Requests leave in that order, so sent requests come first and
/// waiting requests last.
#[derive(Default)]
struct State {
    queue: VecDeque<Slot>,
    next_id: u64,
    in_flight: usize,
}

struct Slot {
    id: u64,
    step: Step,
    /// Wakes the waiting request; `None` once it has left.
    wake: Option<Arc<Notify>>,
}

impl State {
    fn position(&self, id: u64) -> Option<usize> {
        self.queue.binary_search_by_key(&id, |slot| slot.id).ok()
    }

    fn first_waiting(&self) -> usize {
        self.queue.partition_point(|slot| slot.step != Step::Waiting)
    }

    fn reached(&mut self, id: u64, now: Instant) {
        if let Some(slot) = self.position(id).and_then(|at| self.queue.get_mut(at))
            && slot.step == Step::Sent
        {
            slot.step = Step::Reached(now);
        }
    }

    fn forget(&mut self, id: u64) {
        if let Some(at) = self.position(id) {
            self.queue.remove(at);
        }
    }

    /// Wakes the first waiting request, since no other can take a slot.
    fn wake_first(&self) {
        let first = self.queue.get(self.first_waiting());
        if let Some(wake) = first.and_then(|slot| slot.wake.as_ref()) {
            wake.notify_one();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Waiting,
    Sent,
    Reached(Instant),
}

enum Turn {
    Go,
    /// Not before this instant. `certain` means that only time is missing.
    NotBefore {
        at: Instant,
        certain: bool,
    },
}

/// What a waiting request waits for, and until when at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaited {
    pub(crate) at: Instant,
    pub(crate) missing: Missing,
}

/// Reason why a request may not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    /// No slot is available before the deadline. Holds the estimated time until the next one, and what is missing.
    NoSlot(Duration, Missing),
    /// The host asked another replica to wait.
    Suspended {
        time: Duration,
        stated: bool,
        whole: bool,
    },
    /// The host fails for another replica.
    Open(Duration),
}

impl RateLimiter {
    pub(crate) fn new(
        path: &'static str,
        keyed: bool,
        pace: Option<Pace>,
        at_once: usize,
        timer: Arc<dyn Timer>,
    ) -> Self {
        Self {
            path,
            keyed,
            pace: pace.filter(|pace| pace.requests > 0 && !pace.per.is_zero()),
            at_once: at_once.max(1),
            timer,
            shared: None,
            state: Mutex::default(),
        }
    }

    /// Shares this limit with other replicas.
    pub(crate) fn sharing(mut self, shared: Option<SharedLimit>) -> Self {
        self.shared = shared;
        self
    }

    /// Waits for a place and then for a slot. During the wait, it calls `expect` with the earliest possible start.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        deadline: &Deadline,
        expect: impl Fn(Option<Awaited>),
    ) -> Result<Permit, Denied> {
        let (mut permit, wake) = self.join();
        loop {
            let now = self.timer.now();
            match self.turn(permit.id, now) {
                Turn::Go => {
                    permit.dispatched = true;
                    return match &self.shared {
                        None => {
                            expect(None);
                            Ok(permit)
                        }
                        Some(shared) => self.enter_shared(shared, permit, deadline, expect).await,
                    };
                }
                Turn::NotBefore { at, certain } => {
                    let until = deadline.at();
                    let missing = if at > now { Missing::Slot } else { Missing::Place };
                    if at >= until || now >= until {
                        return Err(Denied::NoSlot(at.saturating_duration_since(now), missing));
                    }
                    expect(Some(Awaited { at, missing }));
                    let alarm = if certain { at } else { until };
                    let sleep = self.timer.sleep(alarm.saturating_duration_since(now));
                    match select(pin!(wake.notified()), sleep).await {
                        Either::Left(_) | Either::Right(_) => {}
                    }
                }
            }
        }
    }

    /// Waits until the other replicas leave a slot, too. The request keeps its place in this process meanwhile, so
    /// later requests stay behind it. The deadline holds while the port is asked, too.
    async fn enter_shared(
        &self,
        shared: &SharedLimit,
        mut permit: Permit,
        deadline: &Deadline,
        expect: impl Fn(Option<Awaited>),
    ) -> Result<Permit, Denied> {
        let mut next = Awaited {
            at: self.timer.now(),
            missing: Missing::Agreement,
        };
        expect(Some(next));
        loop {
            let asked = shared.port.acquire(&shared.limit);
            let passed = pin!(deadline.passed(self.timer.as_ref()));
            let grant = match select(asked, passed).await {
                Either::Left((grant, _)) => Some(grant),
                Either::Right(_) => None,
            };
            let Some(grant) = grant else {
                permit.unused();
                let time = next.at.saturating_duration_since(self.timer.now());
                return Err(Denied::NoSlot(time, next.missing));
            };
            let refused = match grant {
                Grant::Go(lease) => {
                    expect(None);
                    permit.lease = Some(lease);
                    return Ok(permit);
                }
                Grant::Wait { time, again, missing } => {
                    let at = self.timer.now() + time;
                    if at < deadline.at() {
                        next = Awaited { at, missing };
                        expect(Some(next));
                        self.timer.sleep(again.min(time)).await;
                        continue;
                    }
                    Denied::NoSlot(time, missing)
                }
                Grant::Suspended { time, stated, whole } => Denied::Suspended { time, stated, whole },
                Grant::Open(time) => Denied::Open(time),
            };
            permit.unused();
            return Err(refused);
        }
    }

    /// Returns the number of requests in flight and the number waiting.
    pub(crate) fn load(&self) -> (usize, usize) {
        let state = self.lock();
        let waiting = state.queue.len() - state.first_waiting();
        (state.in_flight, waiting)
    }

    /// Returns the estimated wait of a further request for its slot.
    pub(crate) fn next(&self, now: Instant) -> Duration {
        let mut state = self.lock();
        self.forget_spent(&mut state, now);
        let (first, last) = (state.first_waiting(), state.queue.len());
        self.expected(&state, first, last, now)
            .saturating_duration_since(now)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(self: &Arc<Self>) -> (Permit, Arc<Notify>) {
        let wake = Arc::new(Notify::new());
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.queue.push_back(Slot {
            id,
            step: Step::Waiting,
            wake: Some(Arc::clone(&wake)),
        });
        let permit = Permit {
            limiter: Arc::clone(self),
            id,
            dispatched: false,
            reached: false,
            lease: None,
        };
        (permit, wake)
    }

    fn turn(&self, id: u64, now: Instant) -> Turn {
        let mut state = self.lock();
        self.forget_spent(&mut state, now);
        let first = state.first_waiting();
        let Some(position) = state.position(id) else {
            return Turn::NotBefore {
                at: now,
                certain: false,
            };
        };
        if position > first {
            let at = self.expected(&state, first, position, now);
            return Turn::NotBefore { at, certain: false };
        }
        let (at, certain) = self.bound(&state, position, now);
        let free = state.in_flight < self.at_once;
        if !(certain && free && at <= now) {
            return Turn::NotBefore {
                at,
                certain: certain && free,
            };
        }
        if let Some(slot) = state.queue.get_mut(position) {
            slot.step = Step::Sent;
            slot.wake = None;
            #[cfg(test)]
            if crate::simulation::planted(crate::simulation::Fault::SlotFromSending) {
                slot.step = Step::Reached(now);
            }
        }
        state.in_flight += 1;
        state.wake_first();
        Turn::Go
    }

    /// Returns the earliest instant that the pace allows the first waiting request, and whether it is final.
    fn bound(&self, state: &State, position: usize, now: Instant) -> (Instant, bool) {
        let Some(pace) = self.pace else { return (now, true) };
        let before = position
            .checked_sub(window(pace))
            .and_then(|index| state.queue.get(index));
        match before.map(|slot| slot.step) {
            Some(Step::Reached(at)) => ((at + pace.per).max(now), true),
            // That request has not arrived, so its window has not started.
            Some(Step::Sent | Step::Waiting) => (now + pace.per, false),
            None => (now, true),
        }
    }

    /// Returns the earliest instant for a request further back, if all requests before it leave as early as possible.
    fn expected(&self, state: &State, first: usize, position: usize, now: Instant) -> Instant {
        let Some(pace) = self.pace else { return now };
        let mut ahead: Vec<Instant> = Vec::with_capacity(position - first);
        let mut at = now;
        for index in first..=position {
            let before = index.checked_sub(window(pace));
            let bound = match before.and_then(|before| before.checked_sub(first)) {
                Some(waiting) => ahead.get(waiting).map_or(now, |earlier| *earlier + pace.per),
                None => self.bound(state, index, now).0,
            };
            at = at.max(bound);
            ahead.push(at);
        }
        at
    }

    /// Removes the oldest slots when no window can contain them any more.
    fn forget_spent(&self, state: &mut State, now: Instant) {
        let per = self.pace.map_or(Duration::ZERO, |pace| pace.per);
        while let Some(Slot {
            step: Step::Reached(at),
            ..
        }) = state.queue.front()
        {
            if self.pace.is_some() && *at + per > now {
                break;
            }
            state.queue.pop_front();
        }
    }
}

fn window(pace: Pace) -> usize {
    usize::try_from(pace.requests).unwrap_or(usize::MAX)
}

/// A place in the limiter, held until dropped.
pub(crate) struct Permit {
    limiter: Arc<RateLimiter>,
    id: u64,
    dispatched: bool,
    reached: bool,
    /// The permission that all replicas share.
    lease: Option<Lease>,
}

impl Permit {
    /// Returns whether this request decides for all replicas whether the host is asked again.
    pub(crate) fn is_shared_probe(&self) -> bool {
        self.lease.is_some_and(|lease| lease.probe)
    }

    fn tell(&self, progress: Progress) {
        if let (Some(shared), Some(lease)) = (&self.limiter.shared, self.lease) {
            shared.port.progress(&shared.limit, lease, progress);
        }
    }

    /// Records that the request has reached the host, now at the latest.
    pub(crate) fn reached(&mut self) {
        if !self.dispatched || self.reached {
            return;
        }
        self.reached = true;
        self.tell(Progress::Reached);
        let now = self.limiter.timer.now();
        let mut state = self.limiter.lock();
        state.reached(self.id, now);
        state.wake_first();
    }

    /// Gives up the place without having used it.
    pub(crate) fn unused(mut self) {
        self.tell(Progress::Unused);
        self.lease = None;
        self.limiter.lock().forget(self.id);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.dispatched && !self.reached {
            self.tell(Progress::Reached);
        }
        self.tell(Progress::Ended);
        let now = self.limiter.timer.now();
        let mut state = self.limiter.lock();
        if self.dispatched {
            state.in_flight = state.in_flight.saturating_sub(1);
            if !self.reached {
                state.reached(self.id, now);
            }
        } else {
            state.forget(self.id);
        }
        self.limiter.forget_spent(&mut state, now);
        #[cfg(test)]
        if crate::simulation::planted(crate::simulation::Fault::LostWaiter) {
            return;
        }
        state.wake_first();
    }
}
