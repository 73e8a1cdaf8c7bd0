//! Lines that are queued until the session has capacity, in order.

use std::collections::BTreeMap;

use bytes::Bytes;
use rmcp::model::{ErrorData, RequestId};

/// Memory overhead of a queued line in addition to its text, in bytes: its entries here and among the open requests.
const PLACE: usize = 256;
/// Shorter lines are copied, because a slice would keep the whole read buffer alive.
const COPIED: usize = 64 << 10;

/// A queued action.
#[derive(Debug)]
pub(super) enum Later {
    /// Forward this request.
    Line(RequestId, Bytes),
    /// Send this error response.
    Refusal(Option<RequestId>, ErrorData),
}

impl Later {
    /// Queues a request with its line.
    pub(super) fn line(id: RequestId, line: Bytes) -> Self {
        let line = if line.len() <= COPIED {
            Bytes::copy_from_slice(&line)
        } else {
            line
        };
        Self::Line(id, line)
    }

    fn bytes(&self) -> usize {
        let text = match self {
            Self::Line(_, line) => line.len(),
            Self::Refusal(_, error) => error.message.len(),
        };
        let id = match self {
            Self::Line(RequestId::String(id), _) | Self::Refusal(Some(RequestId::String(id)), _) => id.len(),
            _ => 0,
        };
        PLACE + text + id
    }
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    by_number: BTreeMap<u64, Later>,
    bytes: usize,
}

impl Backlog {
    /// Appends an entry; `number` is higher than all earlier numbers.
    pub(super) fn push(&mut self, number: u64, later: Later) {
        self.bytes += later.bytes();
        self.by_number.insert(number, later);
    }

    /// Removes the first entry.
    pub(super) fn pop(&mut self) -> Option<Later> {
        let (_, later) = self.by_number.pop_first()?;
        self.bytes = self.bytes.saturating_sub(later.bytes());
        Some(later)
    }

    /// Removes an entry by number.
    pub(super) fn remove(&mut self, number: u64) {
        if let Some(later) = self.by_number.remove(&number) {
            self.bytes = self.bytes.saturating_sub(later.bytes());
        }
    }

    /// Returns whether the queue is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// Returns the memory of the queue, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}
