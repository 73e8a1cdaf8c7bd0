//! The stream of a connection. Reports received bytes, rejects ambiguous requests, and distinguishes a
//! half-closed peer from a disconnected one.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::connections::Activity;
use super::head::SmugglingFilter;

/// Time for which a call continues after its caller closed the sending direction, before the caller is probed. Most
/// responses are sent by then, so the call of a disconnected caller costs no more than this.
const PATIENCE: Duration = Duration::from_millis(50);
/// First interval between two checks for the result of the probe, doubled up to [`LONGEST_LOOK`].
const FIRST_LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_secs(1);
/// The probe: an interim response, which every HTTP/1.1 client must ignore (RFC 9110, section 15.2). Received
/// data cannot distinguish a half-closed peer from a disconnected one, but a disconnected peer's host resets
/// the connection when it receives data.
const STILL_THERE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Connection state that is available without reading.
pub(super) trait Link: AsyncRead + AsyncWrite + Unpin {
    /// Returns whether the peer has reset the connection.
    fn is_broken(&self) -> bool;
}

impl Link for TcpStream {
    fn is_broken(&self) -> bool {
        !matches!(self.take_error(), Ok(None))
    }
}

/// The monitored stream.
pub(super) struct MonitoredStream<S> {
    stream: S,
    activity: Arc<Activity>,
    scan: SmugglingFilter,
    half_closed: Option<HalfClosed>,
    /// Whether part of a response has been sent since the last request.
    answering: bool,
    /// Whether written data may still be buffered.
    writing: bool,
}

/// A peer that has closed its sending direction during a request.
struct HalfClosed {
    look: Pin<Box<Sleep>>,
    pause: Duration,
    /// Unsent part of the probe; `None` before it is started.
    question: Option<&'static [u8]>,
}

impl<S> MonitoredStream<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            scan: SmugglingFilter::default(),
            half_closed: None,
            answering: false,
            writing: false,
        }
    }
}

impl<S: Link> MonitoredStream<S> {
    /// Hides the end of the input from hyper, which would cancel the request, while the request is in
    /// progress and the peer is connected.
    fn hold(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let waited_for = self.activity.is_busy() && self.scan.is_between_requests();
            if !waited_for && !self.writing {
                return Poll::Ready(Ok(()));
            }
            // A probe would become part of a response that has begun; writing the rest of it serves as the
            // probe.
            let may_ask = !self.answering && !self.writing && self.activity.may_ask();
            let half_closed = self.half_closed.get_or_insert_with(|| HalfClosed {
                look: Box::pin(tokio::time::sleep(PATIENCE)),
                pause: FIRST_LOOK,
                question: None,
            });
            ready!(half_closed.look.as_mut().poll(cx));
            if self.stream.is_broken() {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            if may_ask && half_closed.question.is_none() {
                half_closed.question = Some(STILL_THERE);
            }
            ready!(ask(&mut self.stream, &mut half_closed.question, cx))?;
            let next = tokio::time::Instant::now() + half_closed.pause;
            half_closed.pause = (half_closed.pause * 2).min(LONGEST_LOOK);
            half_closed.look.as_mut().reset(next);
        }
    }

    /// Sends the rest of the probe before anything else is written.
    fn finish_question(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.half_closed {
            Some(half_closed) => ask(&mut self.stream, &mut half_closed.question, cx),
            None => Poll::Ready(Ok(())),
        }
    }
}

/// Writes the rest of the probe.
fn ask<S: Link>(
    stream: &mut S,
    question: &mut Option<&'static [u8]>,
    cx: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while let Some(left) = question.filter(|left| !left.is_empty()) {
        let written = ready!(Pin::new(&mut *stream).poll_write(cx, left))?;
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        *question = left.get(written..);
    }
    Poll::Ready(Ok(()))
}

impl<S: Link> AsyncRead for MonitoredStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.half_closed.is_some() {
            return self.hold(cx);
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let Some(new) = buf.filled_mut().get_mut(before..).filter(|new| !new.is_empty()) else {
            return if buf.remaining() == 0 {
                Poll::Ready(Ok(()))
            } else {
                self.hold(cx)
            };
        };
        self.activity.bytes_came();
        self.answering = false;
        self.scan.take(new);
        Poll::Ready(Ok(()))
    }
}

impl<S: Link> AsyncWrite for MonitoredStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.finish_question(cx))?;
        self.answering = true;
        self.writing = true;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.writing = false;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.finish_question(cx))?;
        self.answering = true;
        self.writing = true;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
