//! Carries events from the relay to whoever listens in this process.
//!
//! The channel may drop events for a listener that is slow. A listener that finds a hole in the
//! positions reads the table, so it misses nothing and hears nothing twice.

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
/// How many events are read from the table at once.
pub(crate) const CHUNK: u32 = 500;

/// The sending end.
pub(crate) struct Bus {
    sender: broadcast::Sender<Arc<Event>>,
    position: AtomicI64,
    /// Of the last event that got its position here.
    placed: watch::Sender<i64>,
}

impl Bus {
    /// A bus on which everything up to `position` counts as said.
    pub(crate) fn new(position: i64) -> Self {
        Self {
            sender: broadcast::Sender::new(CAPACITY),
            position: AtomicI64::new(position),
            placed: watch::Sender::new(position),
        }
    }

    /// The position of the last event that was said.
    pub(crate) fn position(&self) -> i64 {
        self.position.load(Ordering::SeqCst)
    }

    /// What other processes are told, where there are any.
    pub(crate) fn placed(&self) -> watch::Receiver<i64> {
        self.placed.subscribe()
    }

    /// Has other processes be told of what got its position here and was said.
    pub(crate) fn share(&self) {
        self.placed.send_replace(self.position());
    }

    pub(crate) fn say(&self, event: Event) {
        let position = event.position;
        // Nobody may be listening.
        let _ = self.sender.send(Arc::new(event));
        self.position.store(position, Ordering::SeqCst);
    }
}

/// Hears every event after the moment of [`App::subscribe`], in order.
pub struct Subscription {
    app: App,
    receiver: broadcast::Receiver<Arc<Event>>,
    heard: i64,
    read: VecDeque<Arc<Event>>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("heard", &self.heard).finish_non_exhaustive()
    }
}

impl App {
    /// Listens to the events from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        // In this order: what is said in between is heard, or found in the table.
        let receiver = self.inner.bus.sender.subscribe();
        let heard = self.inner.bus.position();
        Subscription { app: self.clone(), receiver, heard, read: VecDeque::new() }
    }
}

impl Subscription {
    /// The next event; waits for it. None when the instance has ended.
    ///
    /// # Errors
    /// Whatever the database meets while a hole is filled: calling again tries again.
    pub async fn next(&mut self) -> Result<Option<Arc<Event>>> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.heard = event.position;
                return Ok(Some(event));
            }
            match self.app.unless_stopped(self.receiver.recv()).await {
                Some(Ok(event)) if event.position <= self.heard => {}
                Some(Ok(event)) if event.position == self.heard + 1 => self.read.push_back(event),
                Some(Ok(_) | Err(RecvError::Lagged(_))) => self.read_on().await?,
                Some(Err(RecvError::Closed)) | None => return Ok(None),
            }
        }
    }

    /// The next event with those that were said by then, at most `most`; waits for the first. None
    /// when the instance has ended.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn next_some(&mut self, most: usize) -> Result<Option<Vec<Arc<Event>>>> {
        let Some(first) = self.next().await? else { return Ok(None) };
        let mut events = vec![first];
        while events.len() < most {
            if self.read.is_empty() {
                match self.receiver.try_recv() {
                    Ok(event) if event.position <= self.heard => continue,
                    Ok(event) if event.position == self.heard + 1 => self.read.push_back(event),
                    Ok(_) | Err(TryRecvError::Lagged(_)) => self.read_on().await?,
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            let Some(event) = self.read.pop_front() else { break };
            self.heard = event.position;
            events.push(event);
        }
        Ok(Some(events))
    }

    async fn read_on(&mut self) -> Result<()> {
        let heard = self.heard;
        let events = self.app.read(move |conn| Ok(events::since(conn, heard, CHUNK)?)).await?;
        self.read.extend(events.into_iter().map(Arc::new));
        Ok(())
    }
}
