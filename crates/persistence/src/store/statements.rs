//! Counts the SQL statements of every read and write, for tests that hold a page to a fixed
//! number of them. Off unless asked for.

use std::{
    panic::Location,
    sync::{Mutex, PoisonError},
};

use super::{
    session::{Access, Session},
    unit::{Moment, Run, Unit},
};

/// The cost of one read or write.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// Whether it could write.
    pub writes: bool,
    /// Where in the source it was asked for.
    pub at: &'static Location<'static>,
    /// How many statements ran, including savepoints, without BEGIN and COMMIT.
    pub statements: u32,
}

/// What was counted and not yet taken.
#[derive(Debug, Default)]
pub(super) struct Statements(Option<Mutex<Vec<Counted>>>);

impl Statements {
    pub(super) fn new(count: bool) -> Self {
        Self(count.then(Mutex::default))
    }

    pub(super) fn note(&self, access: Access, at: &'static Location<'static>, statements: u32) {
        if let Some(counted) = &self.0 {
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            counted.push(Counted { writes: access == Access::Write, at, statements });
        }
    }

    /// Runs a unit of the writer lane and notes what it cost.
    pub(super) fn write(&self, session: &mut Session, unit: &mut dyn Unit, moment: &Moment) -> Run {
        let before = session.watch().statements();
        let run = unit.run(session, moment);
        self.note(Access::Write, unit.at(), session.watch().statements() - before);
        run
    }

    pub(super) fn take(&self) -> Vec<Counted> {
        let Some(counted) = &self.0 else { return Vec::new() };
        std::mem::take(&mut *counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
