//! One connection, as whoever frames it sees it.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::{Delivery, Hub};

/// Names a connection while it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) u64);

/// Why a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The reader did not keep up.
    TooSlow,
    /// The token was revoked, or the person may not act any more.
    AccessEnded,
    /// The server stops.
    Stopping,
}

/// What a session hears next.
#[derive(Debug)]
pub enum Heard {
    News(Delivery),
    End(End),
}

/// A connection with what waits for it. Dropped, it leaves the hub.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: SessionId,
    pub(crate) hub: Arc<Hub>,
    pub(crate) queue: mpsc::Receiver<Delivery>,
    pub(crate) end: watch::Receiver<Option<End>>,
}

impl Session {
    /// Its name in the hub.
    #[must_use]
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// What comes next; waits for it. Once it has ended, nothing that waited is heard any more.
    pub async fn next(&mut self) -> Heard {
        tokio::select! {
            biased;
            end = ended(&mut self.end) => Heard::End(end),
            delivery = self.queue.recv() => {
                delivery.map_or(Heard::End(End::Stopping), Heard::News)
            }
        }
    }

    /// A watch for the end alone, to be kept beside a write that may take its time.
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

/// The end of a session.
#[derive(Debug, Clone)]
pub struct Ending(watch::Receiver<Option<End>>);

impl Ending {
    /// Waits for the end.
    pub async fn wait(&mut self) -> End {
        ended(&mut self.0).await
    }
}

async fn ended(end: &mut watch::Receiver<Option<End>>) -> End {
    match end.wait_for(Option::is_some).await {
        Ok(end) => (*end).unwrap_or(End::Stopping),
        // The hub is gone.
        Err(_) => End::Stopping,
    }
}
