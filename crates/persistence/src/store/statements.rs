//! Counts the SQL statements of every read and write, for tests that require a fixed number per
//! page. Disabled by default.

use std::{
    panic::Location,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    session::{Access, Session},
    unit::{Run, RunContext, Unit},
};

/// Cost of one read or write.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// Whether it was a write.
    pub writes: bool,
    /// Source location of the caller.
    pub at: &'static Location<'static>,
    /// Number of statements, including savepoints, without BEGIN and COMMIT.
    pub statements: u32,
    /// Time with the connection, without waiting for one.
    pub took: Duration,
}

/// Costs that were recorded and not taken yet.
#[derive(Debug, Default)]
pub(super) struct Statements(Option<Mutex<Vec<Counted>>>);

impl Statements {
    pub(super) fn new(count: bool) -> Self {
        Self(count.then(Mutex::default))
    }

    /// Records an operation with this number of statements that began at `begun`.
    pub(super) fn record(
        &self,
        access: Access,
        at: &'static Location<'static>,
        statements: u32,
        begun: Instant,
    ) {
        if let Some(counted) = &self.0 {
            let (writes, took) = (access == Access::Write, begun.elapsed());
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            counted.push(Counted { writes, at, statements, took });
        }
    }

    /// Runs a unit of the writer lane and records its cost.
    pub(super) fn write(
        &self,
        session: &mut Session,
        unit: &mut dyn Unit,
        context: &RunContext,
    ) -> Run {
        let (before, begun) = (session.tx_state().statements(), Instant::now());
        let run = unit.run(session, context);
        self.record(Access::Write, unit.at(), session.tx_state().statements() - before, begun);
        run
    }

    pub(super) fn take(&self) -> Vec<Counted> {
        let Some(counted) = &self.0 else { return Vec::new() };
        std::mem::take(&mut *counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
