//! The id of a request, which links a response to its lines in the log.

use std::{
    fmt,
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};

use snowflake::ProcessUniqueId;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// Start of this process, in milliseconds. Request numbers restart with each process, so the id
/// needs both to identify one request in a bug report.
static STARTED: LazyLock<u128> = LazyLock::new(|| {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
});

/// The id of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(ProcessUniqueId);

impl RequestId {
    pub(super) fn new() -> Self {
        Self(ProcessUniqueId::new())
    }

    /// Returns the id of the current request, or a new one outside of any request.
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
        write!(f, "{:x}-{}", *STARTED, self.0)
    }
}
