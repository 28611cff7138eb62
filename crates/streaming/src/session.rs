//! One streaming connection, as seen by the code that writes its frames.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::{Delivery, Hub};

/// Identifies a connection while it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) u64);

/// Reason why a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client did not read fast enough, so its queue was full.
    TooSlow,
    /// The token was revoked, or the account may not act any more.
    AccessEnded,
    /// The network of the client lost its access.
    NetworkBlocked,
    /// The server is shutting down.
    Stopping,
}

/// Next item of a session: a delivery or the end.
#[derive(Debug)]
pub enum SessionEvent {
    Message(Delivery),
    End(End),
}

/// Connection with its delivery queue. Leaves the hub when it is dropped.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: SessionId,
    pub(crate) hub: Arc<Hub>,
    pub(crate) queue: mpsc::Receiver<Delivery>,
    pub(crate) end: watch::Receiver<Option<End>>,
}

impl Session {
    /// Id of the session in the hub.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// Waits for the next delivery. After the end of the session, deliveries that are still queued
    /// are discarded.
    pub async fn next(&mut self) -> SessionEvent {
        tokio::select! {
            biased;
            end = ended(&mut self.end) => SessionEvent::End(end),
            delivery = self.queue.recv() => {
                delivery.map_or(SessionEvent::End(End::Stopping), SessionEvent::Message)
            }
        }
    }

    /// Returns a handle that only waits for the end, for use during a write that may take long.
    #[must_use]
    pub fn end(&self) -> Ending {
        Ending(self.end.clone())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.hub.leave(self.id);
    }
}

/// Handle that waits for the end of a session.
#[derive(Debug, Clone)]
pub struct Ending(watch::Receiver<Option<End>>);

impl Ending {
    /// Waits until the session ends, and returns the reason.
    pub async fn wait(&mut self) -> End {
        ended(&mut self.0).await
    }
}

async fn ended(end: &mut watch::Receiver<Option<End>>) -> End {
    match end.wait_for(Option::is_some).await {
        Ok(end) => (*end).unwrap_or(End::Stopping),
        // The hub was dropped.
        Err(_) => End::Stopping,
    }
}
