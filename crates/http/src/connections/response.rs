//! Responses that take a while to send: each counts for its connection until it is sent or dropped.
//! Responses that are in memory as a whole are sent in pieces.

use std::{
    error::Error,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use actix_web::{
    HttpRequest, HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    http::header::{CONTENT_TYPE, HeaderValue},
    web::{Bytes, Data},
};

use super::{Connection, Connections};

/// Size up to which a response goes to the operating system nearly at once, in bytes.
const UNTRACKED_BYTES: u64 = 64 << 10;
/// Size of the pieces of a longer response, in bytes.
const CHUNK_BYTES: usize = 32 << 10;

/// A request in progress, until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestInProgress {
    connections: Arc<Connections>,
    connection: Option<Arc<Connection>>,
    /// Client address that a trusted proxy names.
    forwarded: Option<IpAddr>,
}

impl RequestInProgress {
    /// Begins a request. `client` is the address that a trusted proxy forwards it for, if one does.
    ///
    /// Returns `None` if that address already has the maximum number of requests in progress.
    pub(crate) fn begin(
        connections: &Data<Connections>,
        request: &HttpRequest,
        client: Option<IpAddr>,
    ) -> Option<Self> {
        if client.is_some_and(|client| !connections.forward(client)) {
            return None;
        }
        let connection = request.conn_data::<Arc<Connection>>().cloned();
        if let Some(connection) = &connection {
            connection.begin();
        }
        let connections = Arc::clone(connections);
        Some(Self { connections, connection, forwarded: client })
    }

    /// Records the address of the client, so that an IP block that begins now closes the connection.
    /// `None` if no block may.
    pub(crate) fn serve(&self, client: Option<IpAddr>) {
        if let Some(connection) = &self.connection {
            connection.serve(client);
        }
    }

    /// Marks the connection as a stream. Streams have limits of their own, for each account.
    fn mark_as_stream(&mut self) {
        if let Some(connection) = &self.connection {
            connection.mark_as_stream();
        }
        self.release_forwarded();
    }

    fn release_forwarded(&mut self) {
        if let Some(client) = self.forwarded.take() {
            self.connections.forwarded(client);
        }
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        if let Some(connection) = &self.connection {
            connection.end();
        }
        self.release_forwarded();
    }
}

/// Gives the response a body that reports when it is sent or dropped.
///
/// Returns `None` if too many responses wait for slow clients.
pub(crate) fn track_response(
    mut in_progress: RequestInProgress,
    response: HttpResponse<BoxBody>,
) -> Option<HttpResponse<BoxBody>> {
    let size = response.body().size();
    if matches!(size, BodySize::None | BodySize::Sized(..=UNTRACKED_BYTES)) {
        return Some(response);
    }
    if size == BodySize::Stream && is_stream_of_events(&response) {
        in_progress.mark_as_stream();
    }
    let (head, body) = response.into_parts();
    let (content, reserved) = match body.try_into_bytes() {
        Ok(bytes) => {
            let reserved = bytes.len();
            if !in_progress.connections.reserve(reserved) {
                return None;
            }
            (Content::Whole(bytes), reserved)
        }
        Err(body) => (Content::Stream(body), 0),
    };
    Some(head.set_body(BoxBody::new(TrackedBody { content, reserved, in_progress })))
}

fn is_stream_of_events(response: &HttpResponse<BoxBody>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    response.upgrade() || kind == Some(b"text/event-stream")
}

struct TrackedBody {
    content: Content,
    /// Number of bytes reserved for the response.
    reserved: usize,
    in_progress: RequestInProgress,
}

enum Content {
    Whole(Bytes),
    Stream(BoxBody),
}

impl MessageBody for TrackedBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        match &self.content {
            Content::Whole(bytes) => BodySize::Sized(bytes.len() as u64),
            Content::Stream(body) => body.size(),
        }
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        match &mut self.content {
            Content::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Content::Whole(bytes) => {
                let chunk = bytes.split_to(CHUNK_BYTES.min(bytes.len()));
                Poll::Ready(Some(Ok(chunk)))
            }
            Content::Stream(body) => Pin::new(body).poll_next(context),
        }
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.in_progress.connections.release(self.reserved);
    }
}
