//! stdin and stdout as asynchronous streams, without a helper thread where the system supports it.
//!
//! Hosts start a stdio server with pipes (most) or with Unix sockets (Node). The reactor drives both;
//! anything else (a terminal, a file, `/dev/null`) goes through tokio's blocking pool.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Requested pipe capacity, in bytes. It is the maximum for unprivileged processes on Linux, and enough for a large
/// call with its response. With the default of 64 KiB, both sides wake each other for every piece.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// Stream of requests.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
/// Stream of responses.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// An input with a read allowance. When it is used up, a read is pending and is not woken; the owner must
/// also wait for a new allowance.
pub(super) struct Gate<R> {
    input: R,
    /// Bytes left to read. The last read may exceed it by its buffer's content.
    left: usize,
}

impl<R> Gate<R> {
    /// Creates a gate that allows unlimited reading.
    pub(super) const fn new(input: R) -> Self {
        Self {
            input,
            left: usize::MAX,
        }
    }

    /// Sets the allowance, in bytes.
    pub(super) const fn open(&mut self, bytes: usize) {
        self.left = bytes;
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Gate<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left == 0 {
            return Poll::Pending;
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.input).poll_read(cx, buf);
        self.left = self.left.saturating_sub(buf.filled().len() - before);
        read
    }
}

/// Returns the process's stdin.
pub(crate) fn input() -> Input {
    #[cfg(target_os = "linux")]
    {
        // Reopened, so that non-blocking mode does not affect other processes that share the descriptor.
        if let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            widen(&pipe);
            return Box::new(pipe);
        }
        if let Some(socket) = socket(&std::io::stdin()) {
            return Box::new(socket);
        }
    }
    Box::new(tokio::io::stdin())
}

/// Returns the process's stdout.
pub(crate) fn output() -> Output {
    #[cfg(target_os = "linux")]
    {
        if let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            widen(&pipe);
            return Box::new(pipe);
        }
        if let Some(socket) = socket(&std::io::stdout()) {
            return Box::new(socket);
        }
    }
    // tokio's own stdout reports success for writes to a descriptor that is not open for writing.
    #[cfg(unix)]
    if let Ok(stdout) = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned() {
        return Box::new(tokio::fs::File::from_std(std::fs::File::from(stdout)));
    }
    Box::new(tokio::io::stdout())
}

/// Enlarges a pipe. A small pipe also works, but more slowly.
#[cfg(target_os = "linux")]
fn widen(pipe: &impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

#[cfg(target_os = "linux")]
fn socket(handle: &impl std::os::fd::AsFd) -> Option<tokio::net::UnixStream> {
    use std::os::unix::fs::FileTypeExt as _;

    let file = std::fs::File::from(handle.as_fd().try_clone_to_owned().ok()?);
    if !file.metadata().ok()?.file_type().is_socket() {
        return None;
    }
    let socket = std::os::unix::net::UnixStream::from(std::os::fd::OwnedFd::from(file));
    // A socket of another family has no such address.
    socket.local_addr().ok()?;
    socket.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(socket).ok()
}
