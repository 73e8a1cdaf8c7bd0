//! Request bodies, read within a timeout, a size limit, and a shared memory budget.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use freshcontext_contract::Limits;
use freshcontext_contract::limits::SMALL_REQUEST;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// Unit of the memory budget, in bytes.
const PIECE: usize = 1 << 10;
/// Memory per byte of a body: the byte itself, and its unescaped text.
const FACTOR: usize = 2;

/// Memory budget and limits for bodies.
#[derive(Debug)]
pub(super) struct Bodies {
    /// Maximum body size, in bytes.
    pub(super) most: usize,
    /// Timeout for receiving one body.
    time: Duration,
    free: Arc<Semaphore>,
    pieces: usize,
    /// Maximum wait for memory.
    wait: Duration,
}

/// A body with its share of the memory budget, held until the response is ready.
pub(super) struct Read {
    pub(super) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Reason why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It exceeded the size limit.
    TooLarge,
    /// It timed out.
    TooSlow,
    /// The connection broke.
    Broken,
    /// Other requests hold the memory. The body was read and discarded, so that the client can read the refusal.
    NoRoom,
}

impl Bodies {
    pub(super) fn new(limits: &Limits) -> Self {
        let pieces = (limits.http_bytes / PIECE).clamp(1, u32::MAX as usize);
        Self {
            most: limits.http_body_bytes,
            time: Duration::from_millis(limits.inbound_header_ms),
            free: Arc::new(Semaphore::new(pieces)),
            pieces,
            wait: Duration::from_millis(limits.queue_wait_ms),
        }
    }

    /// Returns the delay before the client's next attempt, in seconds.
    pub(super) fn retry_after_s(&self) -> u64 {
        self.wait.as_secs().max(1)
    }

    /// Reads a body of the announced length. Memory for a large body is reserved once and as a whole, after
    /// [`SMALL_REQUEST`] bytes have arrived. A waiting request therefore holds no memory that another one waits for,
    /// and a client that merely announces a large body holds none.
    pub(super) async fn read(&self, mut body: Body, announced: Option<u64>) -> Result<Read, Unread> {
        let announced = announced.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced.is_some_and(|length| length > self.most) {
            return Err(Unread::TooLarge);
        }
        let mut until = Instant::now() + self.time;
        let mut read = BytesMut::new();
        let mut room = None;
        while let Some(frame) = timeout_at(until, body.frame())
            .await
            .map_err(|_| Unread::TooSlow)?
        {
            let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else {
                continue;
            };
            let length = read.len() + data.len();
            if length > self.most {
                return Err(Unread::TooLarge);
            }
            if length > SMALL_REQUEST && room.is_none() {
                let whole = announced.unwrap_or(self.most);
                let before = Instant::now();
                let taking = Arc::clone(&self.free).acquire_many_owned(self.pieces(whole));
                let Ok(Ok(taken)) = timeout(self.wait, taking).await else {
                    drop(read);
                    return Err(self.drop_rest(body, until).await);
                };
                room = Some(taken);
                // The wait for memory is not the client's fault.
                until += before.elapsed();
                read.reserve(announced.unwrap_or(length).saturating_sub(read.len()));
            }
            read.extend_from_slice(&data);
        }
        Ok(Read {
            bytes: read.freeze(),
            _room: room,
        })
    }

    /// Returns the pieces for a body. A body larger than the budget takes the whole budget.
    fn pieces(&self, length: usize) -> u32 {
        let pieces = length.saturating_mul(FACTOR).div_ceil(PIECE).min(self.pieces);
        u32::try_from(pieces).unwrap_or(u32::MAX)
    }

    async fn drop_rest(&self, mut body: Body, until: Instant) -> Unread {
        let mut length = 0;
        while let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await {
            length += frame.data_ref().map_or(0, Bytes::len);
            if length > self.most {
                break;
            }
        }
        Unread::NoRoom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(http_bytes: usize) -> Bodies {
        Bodies::new(&Limits {
            http_bytes,
            http_body_bytes: 1 << 20,
            queue_wait_ms: 50,
            inbound_header_ms: 1_000,
            ..Limits::DEFAULT
        })
    }

    async fn read(bodies: &Bodies, length: usize) -> Result<Read, Unread> {
        bodies
            .read(Body::from(vec![b'x'; length]), Some(length as u64))
            .await
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_share_one_budget_and_small_ones_need_none() {
        let bodies = bodies(1 << 20);
        let held = read(&bodies, 400 << 10).await.unwrap();
        assert_eq!(held.bytes.len(), 400 << 10);
        assert_eq!(read(&bodies, 200 << 10).await.err(), Some(Unread::NoRoom));
        assert!(read(&bodies, SMALL_REQUEST).await.is_ok());
        drop(held);
        assert!(
            read(&bodies, 1 << 20).await.is_ok(),
            "more than there is takes all"
        );
        assert_eq!(bodies.free.available_permits(), bodies.pieces);
    }

    #[tokio::test(start_paused = true)]
    async fn too_long_is_refused_whether_announced_or_not() {
        let bodies = bodies(8 << 20);
        let long = (1 << 20) + 1;
        assert_eq!(read(&bodies, long).await.err(), Some(Unread::TooLarge));
        let unannounced = bodies.read(Body::from(vec![b'x'; long]), None).await;
        assert_eq!(unannounced.err(), Some(Unread::TooLarge));
        assert_eq!(bodies.free.available_permits(), bodies.pieces);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_given_up() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        assert_eq!(
            bodies(1 << 20).read(never, None).await.err(),
            Some(Unread::TooSlow)
        );
    }
}
