//! Lines that were read and wait for room, in their order.

use std::collections::BTreeMap;

use bytes::Bytes;
use rmcp::model::{ErrorData, RequestId};

/// What one of them takes beside its text, in bytes: its places here and among the open requests.
const PLACE: usize = 256;
/// A shorter line is copied: it would keep the memory of all that was read with it.
const COPIED: usize = 64 << 10;

/// What is to be done later.
#[derive(Debug)]
pub(super) enum Later {
    /// This request is to be handed on.
    Line(RequestId, Bytes),
    /// This answers a message that is wrong.
    Refusal(Option<RequestId>, ErrorData),
}

impl Later {
    /// A request and its line.
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

/// What waits.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    by_number: BTreeMap<u64, Later>,
    bytes: usize,
}

impl Backlog {
    /// Puts something at its end: `number` is higher than all before.
    pub(super) fn push(&mut self, number: u64, later: Later) {
        self.bytes += later.bytes();
        self.by_number.insert(number, later);
    }

    /// Takes the first.
    pub(super) fn pop(&mut self) -> Option<Later> {
        let (_, later) = self.by_number.pop_first()?;
        self.bytes = self.bytes.saturating_sub(later.bytes());
        Some(later)
    }

    /// Takes one out of the middle.
    pub(super) fn remove(&mut self, number: u64) {
        if let Some(later) = self.by_number.remove(&number) {
            self.bytes = self.bytes.saturating_sub(later.bytes());
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// What it takes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}
