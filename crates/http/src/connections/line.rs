//! The bytes of a connection: cut off where a client neither asks nor reads in time.

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

/// A reader that is slower than [`LEAST`] bytes in this time is cut off.
const READER: Duration = Duration::from_secs(20);
/// The same while many answers wait.
const READER_UNDER_PRESSURE: Duration = Duration::from_secs(2);
/// Bytes that a reader takes in the time that it has.
const LEAST: u64 = 32 << 10;
/// Between two looks at a slow reader.
const LOOK: Duration = Duration::from_secs(1);
/// How long a connection may be open without a request: the time to keep it alive and the time that the
/// head of a request may take. The server has timers of its own for each, but the second one for the
/// first request alone.
const IDLE: Duration =
    Duration::from_secs(super::KEEP_ALIVE.as_secs() + super::HEAD_TIMEOUT.as_secs());

/// What a request is answered whose body breaks the rules of its framing.
const BROKEN_BODY: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A connection with its deadlines.
pub(super) struct Line {
    stream: TcpStream,
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    idle: Option<Pin<Box<Sleep>>>,
    stall: Option<Stall>,
    /// The client has closed its side, or the connection is broken.
    has_ended: bool,
}

/// A reader that does not take what is sent.
struct Stall {
    look: Pin<Box<Sleep>>,
    since: Instant,
    /// Bytes that it took since then.
    taken: u64,
}

impl Line {
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

    /// Ready once no request has come for too long.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.idle.get_or_insert_with(|| Box::pin(sleep(IDLE)));
        loop {
            ready!(timer.as_mut().poll(context));
            let idle = self.connection.idle().unwrap_or_default();
            let Some(left) = IDLE.checked_sub(idle).filter(|left| !left.is_zero()) else {
                return Poll::Ready(());
            };
            timer.as_mut().reset(Instant::now() + left);
        }
    }

    /// Ready once the reader has been too slow for too long.
    fn poll_stall(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.connection.waits();
        let stall = self.stall.get_or_insert_with(|| Stall {
            look: Box::pin(sleep(LOOK)),
            since: Instant::now(),
            taken: 0,
        });
        loop {
            ready!(stall.look.as_mut().poll(context));
            let patience =
                if self.connections.is_pressed() { READER_UNDER_PRESSURE } else { READER };
            if stall.since.elapsed() >= patience {
                if stall.taken < LEAST {
                    return Poll::Ready(());
                }
                (stall.since, stall.taken) = (Instant::now(), 0);
            }
            stall.look.as_mut().reset(Instant::now() + LOOK);
        }
    }
}

impl AsyncRead for Line {
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
                self.connection.watch(context);
                self.check()?;
                match self.poll_idle(context) {
                    Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(Ok(written)) => {
                self.connection.answered();
                if let Some(stall) = &mut self.stall {
                    stall.taken += written as u64;
                }
                Poll::Ready(Ok(written))
            }
            Poll::Ready(Err(error)) => {
                self.has_ended = true;
                Poll::Ready(Err(error))
            }
            Poll::Pending => {
                self.connection.watch(context);
                match self.poll_stall(context) {
                    Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        // All that was to be sent is with the system.
        if self.stall.take().is_some() {
            self.connection.goes_on();
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        // The server drops a connection without a word if the body of a request is not framed as it
        // says (a chunk size that is no number), and its client should hear why.
        if self.connection.is_unanswered() && !self.has_ended && !self.connection.is_closing() {
            let _ = self.stream.try_write(BROKEN_BODY);
        }
        self.connections.remove(&self.connection);
    }
}
