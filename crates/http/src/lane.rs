//! One published limit of one host: how many requests at once, and how many in any window.
//!
//! A slot counts from the moment the answer's head came in, not from when its request left: a request
//! cannot have reached the host later than that, so the host's own clock proves the pace whatever
//! happened on the way. Requests leave in the order in which they came.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::Pace;
use futures_util::future::{Either, select};
use tokio::sync::Notify;

use crate::Timer;
use crate::deadline::Deadline;

pub(crate) struct Lane {
    pub(crate) path: &'static str,
    pub(crate) keyed: bool,
    pub(crate) pace: Option<Pace>,
    pub(crate) at_once: usize,
    timer: Arc<dyn Timer>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Slot>,
    next_id: u64,
    in_flight: usize,
}

struct Slot {
    id: u64,
    step: Step,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Waiting,
    Sent,
    Reached(Instant),
}

enum Turn {
    Go,
    /// Not before this moment; `certain` where nothing but time is missing.
    NotBefore {
        at: Instant,
        certain: bool,
    },
}

/// A wait for a slot would not fit: this long until the next one, as far as can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoSlot(pub(crate) Duration);

impl Lane {
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
            state: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Waits for a place and then for a slot. `expect` is told the earliest moment while waiting.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        deadline: &Deadline,
        expect: impl Fn(Option<Instant>),
    ) -> Result<Permit, NoSlot> {
        let mut permit = self.join();
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let now = self.timer.now();
            match self.turn(permit.id, now) {
                Turn::Go => {
                    expect(None);
                    permit.dispatched = true;
                    return Ok(permit);
                }
                Turn::NotBefore { at, certain } => {
                    let until = deadline.at();
                    if at >= until || now >= until {
                        return Err(NoSlot(at.saturating_duration_since(now)));
                    }
                    expect(Some(at));
                    let alarm = if certain { at.min(until) } else { until };
                    let sleep = self.timer.sleep(alarm.saturating_duration_since(now));
                    match select(changed, sleep).await {
                        Either::Left(_) | Either::Right(_) => {}
                    }
                }
            }
        }
    }

    /// Requests in flight and waiting.
    pub(crate) fn load(&self) -> (usize, usize) {
        let state = self.lock();
        let waiting = state
            .queue
            .iter()
            .filter(|slot| slot.step == Step::Waiting)
            .count();
        (state.in_flight, waiting)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(self: &Arc<Self>) -> Permit {
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.queue.push_back(Slot {
            id,
            step: Step::Waiting,
        });
        Permit {
            lane: Arc::clone(self),
            id,
            dispatched: false,
            reached: false,
        }
    }

    fn turn(&self, id: u64, now: Instant) -> Turn {
        let mut state = self.lock();
        self.forget_spent(&mut state, now);
        let mut first_waiting = None;
        // Earliest moments of those waiting before us, by position.
        let mut expected: VecDeque<Instant> = VecDeque::new();
        let mut before = now;
        let mut mine = None;
        for (position, slot) in state.queue.iter().enumerate() {
            if slot.step != Step::Waiting {
                continue;
            }
            let first = *first_waiting.get_or_insert(position);
            let (earliest, certain) = self.bound_at(&state, position, first, &expected, now);
            let earliest = earliest.max(before);
            if slot.id == id {
                mine = Some((position, earliest, certain && first == position));
                break;
            }
            before = earliest;
            expected.push_back(earliest);
        }
        let Some((position, at, certain)) = mine else {
            return Turn::NotBefore {
                at: now,
                certain: false,
            };
        };
        let free = state.in_flight < self.at_once;
        if certain && free && at <= now {
            if let Some(slot) = state.queue.get_mut(position) {
                slot.step = Step::Sent;
            }
            state.in_flight += 1;
            drop(state);
            self.changed.notify_waiters();
            return Turn::Go;
        }
        Turn::NotBefore {
            at,
            certain: certain && free,
        }
    }

    /// The earliest moment that the pace allows for a position, and whether it is final.
    fn bound_at(
        &self,
        state: &State,
        position: usize,
        first_waiting: usize,
        expected: &VecDeque<Instant>,
        now: Instant,
    ) -> (Instant, bool) {
        let Some(pace) = self.pace else { return (now, true) };
        let requests = usize::try_from(pace.requests).unwrap_or(usize::MAX);
        let Some(index) = position.checked_sub(requests) else {
            return (now, true);
        };
        match state.queue.get(index).map(|slot| slot.step) {
            Some(Step::Reached(at)) => (at + pace.per, true),
            Some(Step::Sent) => (now + pace.per, false),
            Some(Step::Waiting) => {
                let ahead = state
                    .queue
                    .range(first_waiting..index)
                    .filter(|slot| slot.step == Step::Waiting)
                    .count();
                (expected.get(ahead).copied().unwrap_or(now) + pace.per, false)
            }
            None => (now, true),
        }
    }

    /// Forgets the oldest slots once no window can hold them any more.
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

/// A place in the lane, held until dropped.
pub(crate) struct Permit {
    lane: Arc<Lane>,
    id: u64,
    dispatched: bool,
    reached: bool,
}

impl Permit {
    /// The request has reached the host, at the latest now.
    pub(crate) fn reached(&mut self) {
        if self.dispatched && !self.reached {
            self.reached = true;
            let now = self.lane.timer.now();
            let mut state = self.lane.lock();
            if let Some(slot) = state.queue.iter_mut().find(|slot| slot.id == self.id) {
                slot.step = Step::Reached(now);
            }
            drop(state);
            self.lane.changed.notify_waiters();
        }
    }

    /// Gives the place back without having used it.
    pub(crate) fn unused(self) {
        let mut state = self.lane.lock();
        state.queue.retain(|slot| slot.id != self.id);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let now = self.lane.timer.now();
        let mut state = self.lane.lock();
        if self.dispatched {
            state.in_flight = state.in_flight.saturating_sub(1);
            if !self.reached
                && let Some(slot) = state.queue.iter_mut().find(|slot| slot.id == self.id)
            {
                slot.step = Step::Reached(now);
            }
        } else {
            state.queue.retain(|slot| slot.id != self.id);
        }
        self.lane.forget_spent(&mut state, now);
        drop(state);
        self.lane.changed.notify_waiters();
    }
}
