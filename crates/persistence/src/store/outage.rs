//! Logs the start and the end of a database outage once each, however many threads notice it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// Whether the last attempt to connect failed.
#[derive(Debug, Default)]
pub(super) struct Outage(AtomicBool);

impl Outage {
    /// Records a failed attempt to connect.
    pub(super) fn begin(&self, error: &Error) {
        if !self.0.swap(true, Ordering::Relaxed) {
            log::error!(
                "the database is unreachable, requests are answered with 503 until it responds: \
                 {error}"
            );
        }
    }

    /// Records a new connection. Connections from before the outage prove nothing: they may work
    /// while the database accepts no new ones.
    pub(super) fn end(&self) {
        if self.0.swap(false, Ordering::Relaxed) {
            log::warn!("the database is reachable again");
        }
    }

    /// Returns `true` if the last attempt failed.
    pub(super) fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Reports errors of the pool's own threads.
#[derive(Debug)]
pub(super) struct OutageReporter(pub(super) std::sync::Arc<Outage>);

impl r2d2::HandleError<Error> for OutageReporter {
    fn handle_error(&self, error: Error) {
        self.0.begin(&error);
    }
}
