//! Memory limit for bodies: the bytes that all calls together may hold. A body reserves memory before it grows, and
//! keeps what it needs until its last reader is done. Shares are taken in a fixed order (as received, then decoded),
//! so that two requests never wait for each other.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use freshcontext_contract::limits::SMALL_BODY;
use freshcontext_contract::{ErrorCode, Limits, SourceError};
use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::deadline::Deadline;
use crate::ports::Timer;

/// Initial reservation for a body of unknown length, in bytes.
const FIRST: usize = 64 << 10;
/// Unit of memory accounting, in bytes.
const PIECE: usize = 1 << 10;

/// All shares of the memory for bodies.
#[derive(Debug)]
pub(crate) struct Holding {
    small: Share,
    coming: Share,
    unpacked: Share,
    /// Large bodies are decoded one at a time, because the window of a coding alone takes up to 16 MiB.
    pub(crate) unpacking: Arc<Semaphore>,
    wait: Duration,
}

#[derive(Debug)]
struct Share {
    free: Arc<Semaphore>,
    pieces: usize,
}

impl Share {
    fn new(bytes: usize) -> Self {
        let pieces = (bytes / PIECE).clamp(1, u32::MAX as usize);
        Self {
            free: Arc::new(Semaphore::new(pieces)),
            pieces,
        }
    }

    /// Returns the pieces for a body. A body larger than the share takes the whole share.
    fn pieces(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(PIECE).min(self.pieces)).unwrap_or(u32::MAX)
    }
}

/// Deadline of a wait for memory, and the timer that measures it.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'p> {
    pub(crate) deadline: &'p Deadline,
    pub(crate) timer: &'p dyn Timer,
}

/// The memory held for a body while it is read. All readers of the body share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(Option<Arc<OwnedSemaphorePermit>>);

impl Held {
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Attaches the memory to the body, until its last reader is done.
    pub(crate) fn attached(self, body: Bytes) -> Bytes {
        struct Kept(
            Bytes,
            #[expect(dead_code, reason = "held, and given back on drop")] Held,
        );

        impl AsRef<[u8]> for Kept {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        if self.is_none() || body.is_empty() {
            return body;
        }
        Bytes::from_owner(Kept(body, self))
    }
}

impl Holding {
    pub(crate) fn new(limits: &Limits) -> Self {
        let shares = limits.reading_shares();
        Self {
            small: Share::new(shares.small_bodies),
            coming: Share::new(shares.coming_bodies),
            unpacked: Share::new(shares.unpacked_bodies),
            unpacking: Arc::new(Semaphore::new(1)),
            wait: Duration::from_millis(limits.queue_wait_ms),
        }
    }

    /// Begins to receive a body. `announced` is its stated length, `most` its maximum length, both in bytes.
    pub(crate) async fn begin(
        &self,
        announced: Option<usize>,
        most: usize,
        patience: Patience<'_>,
    ) -> Result<Coming<'_>, SourceError> {
        let mut coming = Coming {
            holding: self,
            most: announced.unwrap_or(most),
            covered: 0,
            small: None,
            large: None,
        };
        coming
            .cover(announced.unwrap_or(FIRST).min(most), patience)
            .await?;
        Ok(coming)
    }

    /// Reserves memory for a complete body of known length, such as one from the cache.
    pub(crate) async fn hold(&self, length: usize, patience: Patience<'_>) -> Result<Held, SourceError> {
        let share = if length <= SMALL_BODY {
            &self.small
        } else {
            &self.unpacked
        };
        let taken = self.take(share, length, patience).await?;
        Ok(Held(Some(Arc::new(taken))))
    }

    /// Reserves memory for a body that decodes to at most `most` bytes.
    pub(crate) async fn unpacked(
        &self,
        most: usize,
        patience: Patience<'_>,
    ) -> Result<OwnedSemaphorePermit, SourceError> {
        self.take(&self.unpacked, most, patience).await
    }

    async fn take(
        &self,
        share: &Share,
        bytes: usize,
        patience: Patience<'_>,
    ) -> Result<OwnedSemaphorePermit, SourceError> {
        let pieces = share.pieces(bytes);
        if let Ok(taken) = Arc::clone(&share.free).try_acquire_many_owned(pieces) {
            return Ok(taken);
        }
        let wait = self.wait.min(patience.deadline.left(patience.timer));
        let taking = pin!(Arc::clone(&share.free).acquire_many_owned(pieces));
        match select(taking, patience.timer.sleep(wait)).await {
            Either::Left((Ok(taken), _)) => Ok(taken),
            _ => Err(self.full()),
        }
    }

    fn full(&self) -> SourceError {
        let mut failure = SourceError::new(
            ErrorCode::Overloaded,
            "this server holds as much of other answers as it may at once (limits.reading_bytes)",
        )
        .detail("memory")
        .hint("try again in a few seconds, with fewer calls at once");
        failure.retry_after = Some(self.wait.max(Duration::from_secs(1)));
        failure
    }

    #[cfg(test)]
    pub(crate) fn is_whole(&self) -> bool {
        [&self.small, &self.coming, &self.unpacked]
            .iter()
            .all(|share| share.free.available_permits() == share.pieces)
            && self.unpacking.available_permits() == 1
    }
}

/// A body that is being received.
pub(crate) struct Coming<'h> {
    holding: &'h Holding,
    most: usize,
    covered: usize,
    small: Option<OwnedSemaphorePermit>,
    large: Option<OwnedSemaphorePermit>,
}

impl Coming<'_> {
    /// Reserves memory for the given number of bytes from the start. A small body reserves in two steps; a larger
    /// body reserves its maximum at once.
    pub(crate) async fn cover(&mut self, bytes: usize, patience: Patience<'_>) -> Result<(), SourceError> {
        if bytes <= self.covered {
            return Ok(());
        }
        let holding = self.holding;
        if bytes > SMALL_BODY {
            self.large = Some(
                holding
                    .take(&holding.coming, self.most.max(bytes), patience)
                    .await?,
            );
            self.small = None;
            self.covered = usize::MAX;
            return Ok(());
        }
        let step = if bytes <= FIRST { bytes } else { SMALL_BODY };
        let taken = holding
            .take(&holding.small, step - self.covered, patience)
            .await?;
        match &mut self.small {
            Some(small) => small.merge(taken),
            None => self.small = Some(taken),
        }
        self.covered = step;
        Ok(())
    }

    /// Returns whether the body still fits the share for small bodies.
    pub(crate) fn is_small(&self) -> bool {
        self.large.is_none()
    }

    /// Keeps the memory for a body of this length and releases the rest. `unpacked` is the memory reserved for
    /// decoding, if any.
    pub(crate) fn settle(mut self, length: usize, unpacked: Option<OwnedSemaphorePermit>) -> Held {
        let taken = unpacked.or(self.large.take()).or(self.small.take());
        Held(taken.map(|mut taken| {
            let needed = length.div_ceil(PIECE);
            drop(taken.split(taken.num_permits().saturating_sub(needed)));
            Arc::new(taken)
        }))
    }
}
