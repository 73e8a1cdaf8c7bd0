//! The slots that this process has used itself, so that a Redis that forgot them can be told.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Maximum number of slots of one limit that are told to Redis.
const TOLD: usize = 1_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) id: u64,
    pub(crate) at: Instant,
    pub(crate) reached: Option<Instant>,
    /// Whether Redis granted it.
    pub(crate) shared: bool,
}

/// The used slots of one limit, oldest first.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) per: Duration,
    head: Duration,
    slots: VecDeque<Slot>,
}

impl Own {
    pub(crate) fn new(per: Duration, head: Duration) -> Self {
        Self {
            per,
            head,
            slots: VecDeque::new(),
        }
    }

    pub(crate) fn add(&mut self, id: u64, at: Instant, shared: bool) {
        self.forget_spent(at);
        self.slots.push_back(Slot {
            id,
            at,
            reached: None,
            shared,
        });
    }

    pub(crate) fn reached(&mut self, id: u64, at: Instant) {
        if let Some(slot) = self.slots.iter_mut().rev().find(|slot| slot.id == id) {
            slot.reached.get_or_insert(at);
        }
    }

    pub(crate) fn forget(&mut self, id: u64) {
        self.slots.retain(|slot| slot.id != id);
    }

    /// Returns the end of a slot: the pace after its request has reached the host.
    fn end(&self, slot: &Slot) -> Instant {
        slot.reached.unwrap_or(slot.at + self.head) + self.per
    }

    pub(crate) fn forget_spent(&mut self, now: Instant) {
        while self.slots.front().is_some_and(|slot| self.end(slot) <= now) {
            self.slots.pop_front();
        }
    }

    /// Returns the ends of the active slots that this process took from its own share, earliest first.
    pub(crate) fn of_share(&self, now: Instant) -> Vec<Instant> {
        let taken = self.slots.iter().filter(|slot| !slot.shared);
        let mut ends: Vec<Instant> = taken
            .map(|slot| self.end(slot))
            .filter(|end| *end > now)
            .collect();
        ends.sort_unstable();
        ends
    }

    /// Returns when this process last took a slot from its own share.
    pub(crate) fn last_of_share(&self) -> Option<Instant> {
        self.slots
            .iter()
            .rev()
            .find(|slot| !slot.shared)
            .map(|slot| slot.at)
    }

    /// Returns the active slots with the milliseconds until their ends.
    pub(crate) fn active(&self, now: Instant) -> Vec<(u64, u64)> {
        let active = self.slots.iter().rev().filter(|slot| self.end(slot) > now);
        active
            .take(TOLD)
            .map(|slot| {
                let left = self.end(slot).saturating_duration_since(now).as_millis();
                (slot.id, u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1))
            })
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
