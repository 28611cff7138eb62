//! Logs the start and the end of a database outage once each, however many threads notice it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Error;

/// Number of outages that began and ended. It is odd during an outage.
#[derive(Debug, Default)]
pub(super) struct Outage(AtomicU64);

/// The state before an attempt to connect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt(u64);

impl Outage {
    /// Call before an attempt to connect, and [`end`](Self::end) after its success.
    pub(super) fn attempt(&self) -> Attempt {
        Attempt(self.0.load(Ordering::Relaxed))
    }

    /// Records a failed attempt to connect.
    pub(super) fn begin(&self, error: &Error) {
        let now = self.attempt();
        if !now.is_in_outage() && self.change(now) {
            log::error!(
                "the database is unreachable, requests are answered with 503 until it responds: \
                 {error}"
            );
        }
    }

    /// Records a successful attempt. It proves nothing about an outage that began during the
    /// attempt. Neither do connections from before the outage: they may work while the database
    /// accepts no new ones.
    pub(super) fn end(&self, attempt: Attempt) {
        if attempt.is_in_outage() && self.change(attempt) {
            log::warn!("the database is reachable again");
        }
    }

    /// Returns `true` if the last attempt failed.
    pub(super) fn is_on(&self) -> bool {
        self.attempt().is_in_outage()
    }

    /// Begins or ends an outage, unless another thread has done so since `seen`.
    fn change(&self, seen: Attempt) -> bool {
        let Attempt(seen) = seen;
        self.0.compare_exchange(seen, seen + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

impl Attempt {
    const fn is_in_outage(self) -> bool {
        self.0 % 2 == 1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_attempt_that_began_during_the_outage_ends_it() {
        let outage = Outage::default();
        let before = outage.attempt();
        outage.begin(&Error::Nested);
        outage.end(before);
        assert!(outage.is_on());
        let during = outage.attempt();
        outage.end(during);
        assert!(!outage.is_on());
        outage.begin(&Error::Nested);
        outage.end(during);
        assert!(outage.is_on());
    }
}
