//! A queued write: the closure, its result, and the channel to its caller.

use std::{
    panic::{AssertUnwindSafe, Location, catch_unwind},
    sync::{Arc, mpsc},
    time::Instant,
};

use siskin_entities::Timestamp;
use siskin_ids::Generator;

use super::{SLOW, session::Session, writing};
use crate::{Error, Result, Tx};

/// Context of a run: what generates its ids, and the time at which it begins.
pub(super) struct RunContext {
    pub(super) ids: Arc<Generator>,
    pub(super) now: Timestamp,
}

/// Outcome of one run of a unit.
#[derive(Debug)]
pub(super) enum Run {
    /// It returned, and the transaction is intact. On success it contains the rows of the unit, on
    /// failure none of them.
    Intact,
    /// It returned an error, and the engine rolled back the whole transaction.
    Failed,
    /// It returned success, but the transaction is gone.
    TransactionLost(String),
    /// It panicked.
    Panicked(String),
}

/// A closure in the queue of the writer lane.
pub(super) trait Unit: Send {
    /// Returns the source location of the caller.
    fn at(&self) -> &'static Location<'static>;
    /// Runs the unit in a savepoint and stores the result for [`Unit::answer`].
    fn run(&mut self, session: &mut Session, context: &RunContext) -> Run;
    /// Sends the result of the last run to the caller. Call it after COMMIT has returned.
    fn answer(self: Box<Self>);
    /// Sends the error to the caller: nothing was written.
    fn send_error(self: Box<Self>, error: Error);
}

/// Builds a unit and the receiver of its result.
pub(super) fn unit<T, E, F>(
    body: F,
    at: &'static Location<'static>,
) -> (Box<dyn Unit>, mpsc::Receiver<Result<T, E>>)
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
{
    let (reply, answer) = mpsc::sync_channel(1);
    (Box::new(WriteUnit { body, at, result: None, reply }), answer)
}

struct WriteUnit<T, E, F> {
    body: F,
    at: &'static Location<'static>,
    result: Option<Result<T, E>>,
    reply: mpsc::SyncSender<Result<T, E>>,
}

impl<T, E, F> Unit for WriteUnit<T, E, F>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
{
    fn at(&self) -> &'static Location<'static> {
        self.at
    }

    fn run(&mut self, session: &mut Session, context: &RunContext) -> Run {
        self.result = None;
        let outer = session.depth();
        let body = &self.body;
        let start = Instant::now();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            writing::during(|| savepoint(session, context, body))
        }));
        if start.elapsed() > SLOW {
            log::warn!("a write of {} occupied the writer for {:?}", self.at, start.elapsed());
        }
        let result = match caught {
            Ok(result) => result,
            Err(panic) => return Run::Panicked(panic_message(&*panic)),
        };
        let (is_intact, failed) = (session.depth() == outer, result.is_err());
        self.result = Some(result);
        match (is_intact, failed) {
            (true, _) => Run::Intact,
            (false, true) => Run::Failed,
            (false, false) => Run::TransactionLost(
                "the code left a transaction open, or closed one too many".to_owned(),
            ),
        }
    }

    fn answer(self: Box<Self>) {
        let unanswered = || Err(Error::Lost("the code did not run".to_owned()).into());
        let result = self.result.unwrap_or_else(unanswered);
        // The caller may be gone; the rows are written all the same.
        let _ = self.reply.send(result);
    }

    fn send_error(self: Box<Self>, error: Error) {
        let _ = self.reply.send(Err(error.into()));
    }
}

/// Runs the body in a savepoint, like diesel's `transaction`. If the engine ended the transaction
/// by itself, it returns the error of the body instead of the error about the missing savepoint.
fn savepoint<T, E: From<Error>>(
    session: &mut Session,
    context: &RunContext,
    body: &impl Fn(&mut Tx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    session.begin_savepoint()?;
    let done = body(&mut Tx::new(session.conn(), &context.ids, context.now));
    match done {
        Ok(value) => session.commit().map(|()| value).map_err(|error| Error::from(error).into()),
        Err(error) => {
            session.rollback();
            Err(error)
        }
    }
}

/// Returns the message of a panic, for the log and for the caller's error.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the code inside the transaction panicked: {}", text.unwrap_or("no message"))
}
