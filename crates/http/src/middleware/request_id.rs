//! The id of a request, which ties an answer to its lines in the log.

use std::fmt;

use snowflake::ProcessUniqueId;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The id of a request; it dies with the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(ProcessUniqueId);

impl RequestId {
    pub(super) fn new() -> Self {
        Self(ProcessUniqueId::new())
    }

    /// The id of the request that is being answered; a new one outside of any.
    pub(crate) fn current() -> Self {
        CURRENT.try_with(|id| *id).unwrap_or_else(|_| Self::new())
    }

    /// Makes this the current id while `future` runs.
    pub(super) fn during<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, future)
    }

    /// Makes this the current id while `body` runs.
    pub(super) fn now<T>(self, body: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, body)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
