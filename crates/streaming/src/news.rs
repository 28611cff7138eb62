//! What is told: an event in the words for some readers, on its way to one session.

use std::sync::Arc;

use crate::SessionId;

/// An event as some readers get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The position of what happened: ascends in every stream, and names where to take it up again.
    pub id: i64,
    /// By its name in the interface, such as `update`.
    pub event: &'static str,
    /// JSON or a bare id; None for events that say nothing more.
    pub payload: Option<String>,
}

/// News for a session, on one of its streams.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub session: SessionId,
    /// The stream as its listener knows it.
    pub names: Arc<[String]>,
    pub news: Arc<News>,
}
