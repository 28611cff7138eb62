//! The byte stream of a connection, closed if its client neither sends requests nor reads in time.

use std::{
    io::{self, ErrorKind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

use super::register::{Connection, Connections};

/// A client that reads fewer than [`MIN_BYTES_READ`] bytes in this time is disconnected.
const READ_TIMEOUT: Duration = Duration::from_secs(20);
/// The same limit while many responses wait for clients.
const READ_TIMEOUT_UNDER_PRESSURE: Duration = Duration::from_secs(2);
/// Minimum number of bytes that a client must read within the limit.
const MIN_BYTES_READ: u64 = 32 << 10;
/// Interval between two checks of a slow client.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time without a request: the keep-alive time plus the time that the head of a request may
/// take. The server has timers of its own for each, but the second one for the first request alone.
const IDLE_TIMEOUT: Duration =
    Duration::from_secs(super::KEEP_ALIVE.as_secs() + super::HEAD_TIMEOUT.as_secs());

/// Response to a request with invalid framing of its body.
const BROKEN_BODY: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A connection with its timeouts.
pub(super) struct TimedConnection {
    stream: TcpStream,
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    idle: Option<Pin<Box<Sleep>>>,
    stall: Option<Stall>,
    /// `true` if the client has closed its side, or the connection is broken.
    has_ended: bool,
}

/// State of a client that does not read what the server sends.
struct Stall {
    next_check: Pin<Box<Sleep>>,
    since: Instant,
    /// Number of bytes that the client has read since then.
    bytes_read: u64,
}

impl TimedConnection {
    pub(super) fn new(
        stream: TcpStream,
        connections: Arc<Connections>,
        connection: Arc<Connection>,
    ) -> Self {
        Self { stream, connections, connection, idle: None, stall: None, has_ended: false }
    }

    pub(super) const fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    fn check(&self) -> io::Result<()> {
        if self.connection.is_closing() { Err(ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }

    /// Becomes ready once the client has sent no request for too long.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.idle.get_or_insert_with(|| Box::pin(sleep(IDLE_TIMEOUT)));
        loop {
            ready!(timer.as_mut().poll(context));
            let idle = self.connection.idle().unwrap_or_default();
            let Some(remaining) =
                IDLE_TIMEOUT.checked_sub(idle).filter(|remaining| !remaining.is_zero())
            else {
                return Poll::Ready(());
            };
            timer.as_mut().reset(Instant::now() + remaining);
        }
    }

    /// Becomes ready once the client has read too slowly for too long.
    fn poll_stall(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.connection.waits();
        let stall = self.stall.get_or_insert_with(|| Stall {
            next_check: Box::pin(sleep(CHECK_INTERVAL)),
            since: Instant::now(),
            bytes_read: 0,
        });
        loop {
            ready!(stall.next_check.as_mut().poll(context));
            let timeout = if self.connections.is_under_pressure() {
                READ_TIMEOUT_UNDER_PRESSURE
            } else {
                READ_TIMEOUT
            };
            if stall.since.elapsed() >= timeout {
                if stall.bytes_read < MIN_BYTES_READ {
                    return Poll::Ready(());
                }
                (stall.since, stall.bytes_read) = (Instant::now(), 0);
            }
            stall.next_check.as_mut().reset(Instant::now() + CHECK_INTERVAL);
        }
    }
}

impl AsyncRead for TimedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check()?;
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(read) => {
                self.has_ended |= read.is_err() || buffer.filled().len() == before;
                Poll::Ready(read)
            }
            Poll::Pending => {
                self.connection.register_task(context);
                self.check()?;
                match self.poll_idle(context) {
                    Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

impl AsyncWrite for TimedConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(Ok(written)) => {
                self.connection.mark_answered();
                if let Some(stall) = &mut self.stall {
                    stall.bytes_read += written as u64;
                }
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => {
                self.has_ended = true;
                Poll::Ready(Err(error))
            }
            Poll::Pending => {
                self.connection.register_task(context);
                match self.poll_stall(context) {
                    Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        // The operating system has accepted all bytes.
        if self.stall.take().is_some() {
            self.connection.stops_waiting();
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for TimedConnection {
    fn drop(&mut self) {
        // The server drops a connection silently if the framing of a request body is invalid (a
        // chunk size that is not a number). The client should get an error instead.
        if self.connection.is_unanswered() && !self.has_ended && !self.connection.is_closing() {
            let _ = self.stream.try_write(BROKEN_BODY);
        }
        self.connections.remove(&self.connection);
    }
}
