//! Memory for bodies: what all calls together may hold. A body takes its place before it grows into it, and
//! keeps what it takes for as long as anybody reads it. The shares are asked for in one order (as it comes,
//! then unpacked), so that no two requests wait for each other.

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

/// What a body takes at first, where its length is not known.
const FIRST: usize = 64 << 10;
/// Memory is counted in pieces of this many bytes.
const PIECE: usize = 1 << 10;

/// All there is.
#[derive(Debug)]
pub(crate) struct Holding {
    small: Share,
    coming: Share,
    unpacked: Share,
    /// Large bodies are unpacked one at a time: the window of a coding alone takes up to 16 MiB.
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

    /// A body larger than the whole share takes all of it.
    fn pieces(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(PIECE).min(self.pieces)).unwrap_or(u32::MAX)
    }
}

/// The time that a wait for memory may take.
#[derive(Clone, Copy)]
pub(crate) struct Patience<'p> {
    pub(crate) deadline: &'p Deadline,
    pub(crate) timer: &'p dyn Timer,
}

/// The memory that a body holds while it is read. All readers of one body share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(Option<Arc<OwnedSemaphorePermit>>);

impl Held {
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The body, holding its memory until its last reader is done with it.
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

    /// A body that begins to come; `announced` is how long it says it is, `most` how long it may become.
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

    /// Memory for a body of which only the length is new to us, such as one from the cache.
    pub(crate) async fn hold(&self, length: usize, patience: Patience<'_>) -> Result<Held, SourceError> {
        let share = if length <= SMALL_BODY {
            &self.small
        } else {
            &self.unpacked
        };
        let taken = self.take(share, length, patience).await?;
        Ok(Held(Some(Arc::new(taken))))
    }

    /// Memory for a body that is unpacked to at most `most` bytes.
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

/// A body that is coming in.
pub(crate) struct Coming<'h> {
    holding: &'h Holding,
    most: usize,
    covered: usize,
    small: Option<OwnedSemaphorePermit>,
    large: Option<OwnedSemaphorePermit>,
}

impl Coming<'_> {
    /// Reserves memory for the given number of bytes from the start. A small body reserves in two steps, a
    /// larger one reserves at once all that it may need.
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

    /// Whether it is still among the small ones.
    pub(crate) fn is_small(&self) -> bool {
        self.large.is_none()
    }

    /// Keeps what a body of this length takes, and gives back the rest. `unpacked` is what it took beside.
    pub(crate) fn settle(mut self, length: usize, unpacked: Option<OwnedSemaphorePermit>) -> Held {
        let taken = unpacked.or(self.large.take()).or(self.small.take());
        Held(taken.map(|mut taken| {
            let needed = length.div_ceil(PIECE);
            drop(taken.split(taken.num_permits().saturating_sub(needed)));
            Arc::new(taken)
        }))
    }
}
