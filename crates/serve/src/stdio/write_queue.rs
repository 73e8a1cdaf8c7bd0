//! The only writer of stdout. Messages are queued as a whole and written in batches.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use freshcontext_files::write::reader_has_gone;

/// Maximum size of a buffer that is kept for the next message, in bytes. A released buffer would have to be mapped by
/// the system again, page by page.
const SPARE: usize = 256 << 10;
/// Size up to which messages are joined into one write, in bytes. The queue grows by batches, so that it is
/// not moved as it grows.
const BATCH: usize = 64 << 10;

/// The queue, and the task that writes it.
#[derive(Debug, Clone)]
pub(crate) struct WriteQueue {
    shared: Arc<Shared>,
}

/// Consecutive messages, each with its line terminator.
#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    messages: usize,
}

#[derive(Debug)]
struct Shared {
    queued: Mutex<VecDeque<Batch>>,
    /// Empty buffer, reused for the next message.
    spare: Mutex<Vec<u8>>,
    /// Number of bytes and of messages that are queued or being written.
    unwritten: AtomicUsize,
    messages: AtomicUsize,
    more: Notify,
    written: Arc<Notify>,
    closing: AtomicBool,
    broken: CancellationToken,
    /// Error that ended the writer early, unless the reader disconnected.
    failure: Mutex<Option<io::Error>>,
}

impl Shared {
    /// Keeps a message's buffer for the next one.
    fn keep(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = buffer;
    }
}

impl WriteQueue {
    /// Starts the writer. `broken` is cancelled when writing becomes impossible.
    pub(crate) fn start(
        output: impl AsyncWrite + Unpin + Send + 'static,
        broken: CancellationToken,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let shared = Arc::new(Shared {
            queued: Mutex::default(),
            spare: Mutex::default(),
            unwritten: AtomicUsize::new(0),
            messages: AtomicUsize::new(0),
            more: Notify::new(),
            written: Arc::default(),
            closing: AtomicBool::new(false),
            broken,
            failure: Mutex::default(),
        });
        let task = tokio::spawn(write_all(Arc::clone(&shared), output));
        (Self { shared }, task)
    }

    /// Returns an empty buffer with this capacity in bytes, for a message.
    pub(crate) fn buffer(&self, room: usize) -> Vec<u8> {
        let mut buffer =
            std::mem::take(&mut *self.shared.spare.lock().unwrap_or_else(PoisonError::into_inner));
        buffer.reserve(room);
        buffer
    }

    /// Queues one message and adds the line terminator.
    pub(crate) fn push(&self, mut message: Vec<u8>) -> io::Result<()> {
        if self.shared.broken.is_cancelled() || self.shared.closing.load(Ordering::Acquire) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.shared
            .unwritten
            .fetch_add(message.len() + 1, Ordering::AcqRel);
        self.shared.messages.fetch_add(1, Ordering::AcqRel);
        message.push(b'\n');
        {
            let mut queued = self.shared.queued.lock().unwrap_or_else(PoisonError::into_inner);
            match queued.back_mut() {
                Some(last) if last.bytes.len() + message.len() <= BATCH => {
                    last.bytes.extend_from_slice(&message);
                    last.messages += 1;
                }
                Some(_) if message.capacity() <= SPARE => {
                    // A message behind others is stored without spare capacity.
                    queued.push_back(Batch {
                        bytes: message.as_slice().to_vec(),
                        messages: 1,
                    });
                    self.shared.keep(message);
                }
                // Large messages form batches of their own and are not copied.
                _ => queued.push_back(Batch {
                    bytes: message,
                    messages: 1,
                }),
            }
        }
        self.shared.more.notify_one();
        Ok(())
    }

    /// Returns the number of messages and bytes that are not written yet; zero if the reader disconnected.
    pub(crate) fn unwritten(&self) -> (usize, usize) {
        if self.shared.broken.is_cancelled() {
            return (0, 0);
        }
        let messages = self.shared.messages.load(Ordering::Acquire);
        (messages, self.shared.unwritten.load(Ordering::Acquire))
    }

    /// Completes when something has been written since the call, or the reader disconnects.
    pub(crate) fn written(&self) -> impl Future<Output = ()> + use<> {
        Arc::clone(&self.shared.written).notified_owned()
    }

    /// Takes the error of a write that failed while the reader was connected.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        let mut failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Ends the writer once everything is written.
    pub(crate) fn close(&self) {
        self.shared.closing.store(true, Ordering::Release);
        self.shared.more.notify_one();
    }
}

async fn write_all(shared: Arc<Shared>, mut output: impl AsyncWrite + Unpin) {
    loop {
        let next = shared
            .queued
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        let Some(batch) = next else {
            if shared.closing.load(Ordering::Acquire) {
                return;
            }
            shared.more.notified().await;
            continue;
        };
        let result = async {
            output.write_all(&batch.bytes).await?;
            output.flush().await
        };
        if let Err(error) = result.await {
            if !reader_has_gone(&error) {
                *shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            shared.broken.cancel();
            shared.written.notify_waiters();
            return;
        }
        let count = batch.bytes.len();
        shared.messages.fetch_sub(batch.messages, Ordering::AcqRel);
        if batch.bytes.capacity() <= SPARE {
            shared.keep(batch.bytes);
        } else {
            drop(batch);
        }
        shared.unwritten.fetch_sub(count, Ordering::AcqRel);
        shared.written.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    #[tokio::test]
    async fn messages_come_out_whole_in_order_and_all_before_the_end() {
        let (mut theirs, ours) = tokio::io::duplex(7);
        let (queue, task) = WriteQueue::start(ours, CancellationToken::new());
        for number in 0..100 {
            queue.push(format!("message {number}").into_bytes()).unwrap();
        }
        queue.close();
        let mut text = String::new();
        theirs.read_to_string(&mut text).await.unwrap();
        task.await.unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 100);
        assert!((0..100).all(|number| lines[number] == format!("message {number}")));
    }

    #[tokio::test]
    async fn a_gone_reader_is_noticed() {
        let (theirs, ours) = tokio::io::duplex(4);
        let broken = CancellationToken::new();
        let (queue, task) = WriteQueue::start(ours, broken.clone());
        drop(theirs);
        queue.push(b"anyone there?".to_vec()).unwrap();
        broken.cancelled().await;
        task.await.unwrap();
        assert!(queue.push(b"no".to_vec()).is_err());
        assert_eq!(queue.unwritten(), (0, 0));
    }

    /// Waits until everything is written.
    async fn drained(queue: &WriteQueue) {
        loop {
            let written = queue.written();
            if queue.unwritten() == (0, 0) {
                return;
            }
            written.await;
        }
    }

    #[tokio::test]
    async fn waiting_for_room_ends_when_it_is_written() {
        let (mut theirs, ours) = tokio::io::duplex(16);
        let (queue, _task) = WriteQueue::start(ours, CancellationToken::new());
        queue.push(vec![b'x'; 1000]).unwrap();
        assert_eq!(queue.unwritten(), (1, 1001));
        let reading = async {
            let mut buffer = vec![0; 1001];
            theirs.read_exact(&mut buffer).await.unwrap();
        };
        tokio::join!(drained(&queue), reading);
    }

    #[tokio::test]
    async fn a_buffer_serves_again_unless_it_is_very_large() {
        let (mut theirs, ours) = tokio::io::duplex(SPARE);
        let (queue, _task) = WriteQueue::start(ours, CancellationToken::new());
        let reading = async move { tokio::io::copy(&mut theirs, &mut tokio::io::sink()).await };
        let reading = tokio::spawn(reading);
        for (room, kept) in [(1000, true), (SPARE + 1, false)] {
            let mut message = queue.buffer(room);
            message.push(b'x');
            queue.push(message).unwrap();
            drained(&queue).await;
            let next = queue.buffer(0);
            assert!(next.is_empty());
            assert_eq!(next.capacity() >= room, kept, "{room}");
        }
        reading.abort();
    }
}
