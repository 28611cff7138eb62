//! Background jobs, for staff. This is an extension of the REST interface.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::JobId;

use crate::time::Instant;

/// A background job.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminJob {
    /// Id.
    pub id: JobId,
    /// Kind, such as `emails.send`.
    pub kind: String,
    /// `waiting` or `dead`.
    pub state: String,
    /// Whether it runs now.
    pub running: bool,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Why the last attempt failed; null if it did not.
    pub last_error: Option<String>,
    /// The remote host that it waits for.
    pub host: Option<String>,
    /// Time of the next attempt; for a dead letter, of the last one.
    pub run_at: Instant,
    /// Time at which it was enqueued.
    pub created_at: Instant,
    /// Time at which it failed for good; null while it waits.
    pub dead_at: Option<Instant>,
}

/// Renders a job.
#[must_use]
pub fn render(job: &view::StoredJob) -> AdminJob {
    AdminJob {
        id: job.id,
        kind: job.kind.clone(),
        state: job.state.as_str().to_owned(),
        running: job.is_running,
        attempts: job.attempts,
        last_error: job.error.clone(),
        host: job.host.clone(),
        run_at: Instant(job.run_at),
        created_at: Instant(job.created_at),
        dead_at: job.dead_at.map(Instant),
    }
}
