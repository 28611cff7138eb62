//! Background jobs as staff see them.

use siskin_ids::JobId;

use crate::{
    named::{names, parses},
    time::Timestamp,
};

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobState {
    /// It runs now or later, perhaps again.
    Waiting,
    /// It failed for good: a dead letter.
    Dead,
}

names!(JobState { Waiting = "waiting", Dead = "dead" });
parses!(
    /// Error for a name that is no state of a job.
    JobState, UnknownJobState: "unknown state of a job"
);

/// A job without its payload, which may contain private data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    /// Id.
    pub id: JobId,
    /// Kind, such as `emails.send`.
    pub kind: String,
    /// State.
    pub state: JobState,
    /// Whether a worker runs it now.
    pub is_running: bool,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Why the last attempt failed. `None` if it did not.
    pub error: Option<String>,
    /// The remote host that the job waits for.
    pub host: Option<String>,
    /// Time of the next attempt; for a dead letter, of its end.
    pub run_at: Timestamp,
    /// Time at which it was enqueued.
    pub created_at: Timestamp,
    /// Time at which it failed for good.
    pub dead_at: Option<Timestamp>,
}

impl StoredJob {
    /// Returns `true` if its last attempt failed, so that staff may retry or discard it.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.error.is_some() || matches!(self.state, JobState::Dead)
    }
}
