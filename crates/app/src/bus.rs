//! Broadcasts events from the relay to the listeners in this process.
//!
//! The channel may drop events for a slow listener. A listener that finds a gap in the positions
//! reads the table instead. So it receives every event exactly once.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use siskin_persistence::events::{self, Event};
use siskin_services::Result;
use tokio::sync::{
    broadcast::{
        self,
        error::{RecvError, TryRecvError},
    },
    watch,
};

use crate::App;

/// How many events a listener may lag behind before it reads them from the table.
const CAPACITY: usize = 1024;
/// Number of events that are read from the table at once.
pub(crate) const CHUNK: u32 = 500;

/// Sending end of the bus.
pub(crate) struct Bus {
    sender: broadcast::Sender<Arc<Event>>,
    position: AtomicI64,
    /// Position of the last event that got its position from this process.
    assigned: watch::Sender<i64>,
}

impl Bus {
    /// Creates a bus that treats every event up to `position` as already published.
    pub(crate) fn new(position: i64) -> Self {
        Self {
            sender: broadcast::Sender::new(CAPACITY),
            position: AtomicI64::new(position),
            assigned: watch::Sender::new(position),
        }
    }

    /// Position of the last published event.
    pub(crate) fn position(&self) -> i64 {
        self.position.load(Ordering::SeqCst)
    }

    /// Returns the positions to announce to other processes, if there are any.
    pub(crate) fn assigned(&self) -> watch::Receiver<i64> {
        self.assigned.subscribe()
    }

    /// Announces the current position to other processes, after this process assigned and published
    /// it.
    pub(crate) fn announce(&self) {
        self.assigned.send_replace(self.position());
    }

    pub(crate) fn publish(&self, event: Event) {
        let position = event.position;
        // Sending fails if there are no listeners, which is no error.
        let _ = self.sender.send(Arc::new(event));
        self.position.store(position, Ordering::SeqCst);
    }
}

/// Receives every event after the call of [`App::subscribe`], in order.
pub struct Subscription {
    app: App,
    receiver: broadcast::Receiver<Arc<Event>>,
    position: i64,
    read: VecDeque<Arc<Event>>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("heard", &self.position).finish_non_exhaustive()
    }
}

impl App {
    /// Subscribes to all events from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        // This order matters: an event that is published in between is received, or found in the
        // table.
        let receiver = self.inner.bus.sender.subscribe();
        let position = self.inner.bus.position();
        Subscription { app: self.clone(), receiver, position, read: VecDeque::new() }
    }
}

impl Subscription {
    /// Waits for the next event. Returns `None` after the instance has stopped.
    ///
    /// # Errors
    /// Storage errors while a gap is filled. The caller may call again to retry.
    pub async fn next(&mut self) -> Result<Option<Arc<Event>>> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.position = event.position;
                return Ok(Some(event));
            }
            match self.app.unless_stopped(self.receiver.recv()).await {
                Some(Ok(event)) if event.position <= self.position => {}
                Some(Ok(event)) if event.position == self.position + 1 => {
                    self.read.push_back(event);
                }
                Some(Ok(_) | Err(RecvError::Lagged(_))) => self.read_missed().await?,
                Some(Err(RecvError::Closed)) | None => return Ok(None),
            }
        }
    }

    /// Waits for the next event, and returns it with further events that are already available, at
    /// most `most`. Returns `None` after the instance has stopped.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn next_some(&mut self, most: usize) -> Result<Option<Vec<Arc<Event>>>> {
        let Some(first) = self.next().await? else { return Ok(None) };
        let mut events = vec![first];
        while events.len() < most {
            if self.read.is_empty() {
                match self.receiver.try_recv() {
                    Ok(event) if event.position <= self.position => continue,
                    Ok(event) if event.position == self.position + 1 => self.read.push_back(event),
                    Ok(_) | Err(TryRecvError::Lagged(_)) => self.read_missed().await?,
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            let Some(event) = self.read.pop_front() else { break };
            self.position = event.position;
            events.push(event);
        }
        Ok(Some(events))
    }

    async fn read_missed(&mut self) -> Result<()> {
        let position = self.position;
        let events = self.app.read(move |conn| Ok(events::since(conn, position, CHUNK)?)).await?;
        self.read.extend(events.into_iter().map(Arc::new));
        Ok(())
    }
}
