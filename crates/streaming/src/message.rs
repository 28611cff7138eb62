//! Outgoing stream messages: a rendered event on its way to one session.

use std::sync::{Arc, OnceLock};

use crate::SessionId;

/// Event as rendered for some viewers.
#[derive(Debug)]
pub struct Message {
    /// Position of the event. It increases within every stream, and a client resumes a stream from
    /// it.
    pub id: i64,
    /// Event name in the API, such as `update`.
    pub event: &'static str,
    /// JSON or a bare id. `None` for events without a payload.
    pub payload: Option<String>,
    quoted: OnceLock<String>,
}

impl Message {
    /// Creates a message with its payload.
    #[must_use]
    pub const fn new(id: i64, event: &'static str, payload: Option<String>) -> Self {
        Self { id, event, payload, quoted: OnceLock::new() }
    }

    /// Returns the payload as a quoted string, as frames need it. Calls `quote` once, however many
    /// viewers share the message.
    pub fn quoted(&self, quote: impl FnOnce(&str) -> String) -> Option<&str> {
        let payload = self.payload.as_deref()?;
        Some(self.quoted.get_or_init(|| quote(payload)))
    }
}

/// Message for one session, on one of its streams.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub session: SessionId,
    /// Stream name as the client subscribed to it.
    pub names: Arc<[String]>,
    pub message: Arc<Message>,
}
