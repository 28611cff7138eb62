//! What is told: an event in the words for some readers, on its way to one session.

use std::sync::{Arc, OnceLock};

use crate::SessionId;

/// An event as some readers get it.
#[derive(Debug)]
pub struct News {
    /// The position of what happened: ascends in every stream, and names where to take it up again.
    pub id: i64,
    /// By its name in the interface, such as `update`.
    pub event: &'static str,
    /// JSON or a bare id; None for events that say nothing more.
    pub payload: Option<String>,
    quoted: OnceLock<String>,
}

impl News {
    /// An event with what it says.
    #[must_use]
    pub const fn new(id: i64, event: &'static str, payload: Option<String>) -> Self {
        Self { id, event, payload, quoted: OnceLock::new() }
    }

    /// The payload in quotes, as frames have it: `quote` is asked once, however many readers share
    /// the event.
    pub fn quoted(&self, quote: impl FnOnce(&str) -> String) -> Option<&str> {
        let payload = self.payload.as_deref()?;
        Some(self.quoted.get_or_init(|| quote(payload)))
    }
}

/// News for a session, on one of its streams.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub session: SessionId,
    /// The stream as its listener knows it.
    pub names: Arc<[String]>,
    pub news: Arc<News>,
}
