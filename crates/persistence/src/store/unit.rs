//! A write as it waits for its turn: the closure, its result, and who waits for the answer.

use std::{
    panic::{AssertUnwindSafe, Location, catch_unwind},
    sync::{Arc, mpsc},
    time::Instant,
};

use siskin_entities::Timestamp;
use siskin_ids::Generator;

use super::{SLOW, session::Session, writing};
use crate::{Error, Result, Tx};

/// What a unit needs to run, the same for every unit of a batch.
pub(super) struct Moment {
    pub(super) ids: Arc<Generator>,
    pub(super) now: Timestamp,
}

/// What became of one run of a unit.
#[derive(Debug)]
pub(super) enum Run {
    /// It returned, and the transaction is as it should be: with the unit's rows where it
    /// succeeded, as if it had never run where it failed.
    Sound,
    /// It returned an error and took the whole transaction with it.
    Failed,
    /// It said that it succeeded, but the transaction is gone.
    Void(String),
    /// It panicked.
    Panicked(String),
}

/// A closure in the queue of the writer lane.
pub(super) trait Unit: Send {
    /// Where the write was asked for.
    fn at(&self) -> &'static Location<'static>;
    /// Runs it in a savepoint and keeps the result for [`Unit::answer`].
    fn run(&mut self, session: &mut Session, moment: &Moment) -> Run;
    /// Hands over the result of the last run: to be called once COMMIT has returned.
    fn answer(self: Box<Self>);
    /// Says that nothing was written.
    fn lose(self: Box<Self>, error: Error);
}

/// A unit and the receiver of its answer.
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
    (Box::new(Waiting { body, at, result: None, reply }), answer)
}

struct Waiting<T, E, F> {
    body: F,
    at: &'static Location<'static>,
    result: Option<Result<T, E>>,
    reply: mpsc::SyncSender<Result<T, E>>,
}

impl<T, E, F> Unit for Waiting<T, E, F>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
{
    fn at(&self) -> &'static Location<'static> {
        self.at
    }

    fn run(&mut self, session: &mut Session, moment: &Moment) -> Run {
        self.result = None;
        let outer = session.depth();
        let body = &self.body;
        let start = Instant::now();
        let caught =
            catch_unwind(AssertUnwindSafe(|| writing::during(|| savepoint(session, moment, body))));
        if start.elapsed() > SLOW {
            log::warn!("a write of {} held the writer for {:?}", self.at, start.elapsed());
        }
        let result = match caught {
            Ok(result) => result,
            Err(panic) => return Run::Panicked(panic_message(&*panic)),
        };
        let (sound, failed) = (session.depth() == outer, result.is_err());
        self.result = Some(result);
        match (sound, failed) {
            (true, _) => Run::Sound,
            (false, true) => Run::Failed,
            (false, false) => {
                Run::Void("it left a transaction open, or closed one too many".to_owned())
            }
        }
    }

    fn answer(self: Box<Self>) {
        let unanswered = || Err(Error::Lost("it never ran".to_owned()).into());
        let result = self.result.unwrap_or_else(unanswered);
        // Nobody may be waiting any more; the rows are there all the same.
        let _ = self.reply.send(result);
    }

    fn lose(self: Box<Self>, error: Error) {
        let _ = self.reply.send(Err(error.into()));
    }
}

/// Like diesel's `transaction`, but where the engine ended the transaction by itself, the answer
/// is the error of the body and not the complaint that there is no savepoint to go back to.
fn savepoint<T, E: From<Error>>(
    session: &mut Session,
    moment: &Moment,
    body: &impl Fn(&mut Tx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    session.begin_savepoint()?;
    let done = body(&mut Tx::new(session.conn(), &moment.ids, moment.now));
    match done {
        Ok(value) => session.commit().map(|()| value).map_err(|error| Error::from(error).into()),
        Err(error) => {
            session.rollback();
            Err(error)
        }
    }
}

/// The text of a panic, for the log and the error of the caller.
pub(super) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the code inside it panicked: {}", text.unwrap_or("without a message"))
}
