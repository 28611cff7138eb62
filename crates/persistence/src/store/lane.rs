//! The writer lane of an embedded database. One thread runs the queued writes, each in a savepoint,
//! and commits them together, so that many writes share one disk sync.
//!
//! A result is returned only after the COMMIT. A panic, a rollback by the engine or a failed COMMIT
//! make the state of the common transaction uncertain. In that case the lane closes the connection
//! and runs the writes of the batch again, each in its own transaction. So every caller gets the
//! result of its own write.

use std::{
    panic::Location,
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{self, Receiver, RecvError, Sender, TryRecvError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    Clock, Committed,
    checkpoint::Checkpoints,
    node::Node,
    session::{Access, Session},
    statements::Statements,
    unit::{Run, RunContext, Unit, unit},
};
use crate::{
    Error, LaneUsage, Result, Tx,
    snapshots::{CacheAccess, SnapshotCaches},
    usage::LaneMeter,
};

/// A batch accepts no further write after this time, so that its first write does not wait long.
const BATCH_TIME: Duration = Duration::from_millis(20);
const BATCH_UNITS: usize = 256;
/// Maximum time for which a batch waits for callers that wrote a moment ago and will probably write
/// again. Their writes then share the disk sync.
const GATHER_TIME: Duration = Duration::from_millis(4);
/// Other processes write to the file too, and `SQLite` has no queue for them. A lane without pauses
/// would starve them. After this time without a pause, the lane releases the lock for a moment.
const PAUSE_AFTER: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(3);

/// Handle of the writer thread and its queue.
pub(super) struct Lane {
    queue: Option<Sender<QueuedWrite>>,
    thread: Option<JoinHandle<()>>,
    meter: Arc<LaneMeter>,
}

/// A queued write and the time of its arrival.
struct QueuedWrite {
    unit: Box<dyn Unit>,
    since: Instant,
}

/// State of the writer thread.
pub(super) struct Writer {
    pub(super) url: String,
    pub(super) clock: Clock,
    pub(super) node: Node,
    pub(super) session: Option<Session>,
    pub(super) checkpoints: Checkpoints,
    pub(super) committed: Arc<Committed>,
    pub(super) statements: Arc<Statements>,
    pub(super) snapshots: Arc<SnapshotCaches>,
    pub(super) meter: Arc<LaneMeter>,
}

impl Lane {
    /// Starts the thread. It ends when the lane is dropped.
    pub(super) fn start(writer: Writer) -> Result<Self> {
        let ((queue, waiting), meter) = (mpsc::channel(), Arc::clone(&writer.meter));
        let thread = thread::Builder::new()
            .name("siskin-writer".to_owned())
            .spawn(move || writer.work(&waiting))
            .map_err(|error| Error::Lost(format!("cannot start the writer: {error}")))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), meter })
    }

    /// Appends a write to the queue and waits for its result.
    pub(super) fn write<T, E, F>(&self, at: &'static Location<'static>, body: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        let (unit, answer) = unit(body, at);
        self.meter.waiting.fetch_add(1, Ordering::Relaxed);
        if let Some(queue) = &self.queue {
            // If the thread is gone, this drops the unit and with it the sender of the result.
            let _ = queue.send(QueuedWrite { unit, since: Instant::now() });
        }
        let gone = || Err(Error::Uncertain("the writer has stopped".to_owned()).into());
        let answer = answer.recv();
        self.meter.waiting.fetch_sub(1, Ordering::Relaxed);
        answer.unwrap_or_else(|_| gone())
    }

    /// Returns the statistics of the lane.
    pub(super) fn usage(&self) -> LaneUsage {
        self.meter.usage()
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return };
        // A write may own the last handle of the store and drop it on the writer thread itself.
        if thread.thread().id() != thread::current().id() {
            let _ = thread.join();
        }
    }
}

impl Writer {
    fn work(mut self, queue: &Receiver<QueuedWrite>) {
        let (mut last_pause, mut estimator) = (Instant::now(), BatchEstimator::new());
        while let Ok(first) = next(queue, &mut last_pause) {
            let begun = Instant::now();
            self.batch(first, queue, &mut estimator);
            self.meter.add_busy_time(begun.elapsed());
        }
        if let Some(session) = &mut self.session {
            self.node.release(session);
        }
    }

    fn batch(
        &mut self,
        first: QueuedWrite,
        queue: &Receiver<QueuedWrite>,
        estimator: &mut BatchEstimator,
    ) {
        let mut context = match self.begin() {
            Ok(context) => context,
            Err(error) => return first.unit.send_error(error),
        };
        let mut units = Vec::new();
        estimator.begin();
        if self.run_together(first, queue, &mut context, &mut units, estimator) {
            estimator.end(units.len());
            self.meter.committed(units.len());
            self.committed.run_hooks();
            units.into_iter().for_each(Unit::answer);
            if let Some(session) = &mut self.session {
                self.checkpoints.after_commit(session);
            }
        } else {
            self.session = None;
            units.into_iter().for_each(|unit| self.run_alone(unit));
        }
    }

    /// Opens the connection if it was closed, and begins a transaction.
    fn begin(&mut self) -> Result<RunContext> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::open(&self.url, Access::Write)?),
        };
        let now = (self.clock)();
        let begun = self.node.ids(session, now).and_then(|ids| {
            session.begin_write(Some(CacheAccess::lookup(&self.snapshots, now)))?;
            Ok(RunContext { ids, now })
        });
        if begun.is_err() {
            self.session = None;
        }
        begun
    }

    /// Runs units until the batch is full or no further write is expected, and commits. Returns
    /// `false` if the common transaction failed. Then `units` contains the units that got no result
    /// yet.
    fn run_together(
        &mut self,
        first: QueuedWrite,
        queue: &Receiver<QueuedWrite>,
        context: &mut RunContext,
        units: &mut Vec<Box<dyn Unit>>,
        estimator: &mut BatchEstimator,
    ) -> bool {
        let Some(session) = &mut self.session else { return false };
        let start = Instant::now();
        let mut next = Some(first);
        while let Some(QueuedWrite { mut unit, since }) = next {
            estimator.record(since);
            // A write that joins late must not be dated before its caller asked for it.
            context.now = (self.clock)();
            match self.statements.write(session, unit.as_mut(), context) {
                Run::Intact => units.push(unit),
                Run::Failed | Run::TransactionLost(_) => {
                    units.push(unit);
                    return false;
                }
                Run::Panicked(why) => {
                    unit.send_error(Error::Lost(why));
                    return false;
                }
            }
            let open = units.len() < BATCH_UNITS && start.elapsed() < BATCH_TIME;
            next = if open { estimator.next(queue, units.len(), start) } else { None };
        }
        session
            .commit()
            .inspect_err(|error| log::warn!("a batch COMMIT failed, retrying singly: {error}"))
            .is_ok()
    }

    /// Runs one unit in its own transaction and sends the result to its caller.
    fn run_alone(&mut self, mut unit: Box<dyn Unit>) {
        let context = match self.begin() {
            Ok(context) => context,
            Err(error) => return unit.send_error(error),
        };
        let Some(session) = &mut self.session else { return };
        match self.statements.write(session, unit.as_mut(), &context) {
            Run::Intact => match session.commit() {
                Ok(()) => {
                    self.meter.committed(1);
                    self.committed.run_hooks();
                    return unit.answer();
                }
                Err(error) => unit.send_error(Error::Lost(format!("COMMIT failed: {error}"))),
            },
            Run::Failed => unit.answer(),
            Run::TransactionLost(why) | Run::Panicked(why) => unit.send_error(Error::Lost(why)),
        }
        self.session = None;
    }
}

/// Estimates how many callers will write at about the same time: those that shared the last batch,
/// and those that arrived during its commit. A single caller never waits.
struct BatchEstimator {
    /// Time of the last commit.
    committed: Instant,
    /// Number of units in the last batch.
    shared: usize,
    /// Number of units in this batch that arrived before the last commit.
    overlapping: usize,
}

impl BatchEstimator {
    fn new() -> Self {
        Self { committed: Instant::now(), shared: 0, overlapping: 0 }
    }

    fn begin(&mut self) {
        self.overlapping = 0;
    }

    /// Records a unit of this batch that has waited since `since`.
    fn record(&mut self, since: Instant) {
        self.overlapping += usize::from(since < self.committed);
    }

    fn end(&mut self, shared: usize) {
        (self.committed, self.shared) = (Instant::now(), shared);
    }

    /// Returns `true` if more units are expected in a batch with `units` units.
    fn is_incomplete(&self, units: usize) -> bool {
        units < self.shared + self.overlapping
    }

    /// Returns the next unit for a batch of `units` units that began at `start`.
    fn next(
        &self,
        queue: &Receiver<QueuedWrite>,
        units: usize,
        start: Instant,
    ) -> Option<QueuedWrite> {
        let left = GATHER_TIME.saturating_sub(start.elapsed());
        if self.is_incomplete(units) && !left.is_zero() {
            queue.recv_timeout(left).ok()
        } else {
            queue.try_recv().ok()
        }
    }
}

/// Returns the next write. Pauses first if a pause is due.
fn next(queue: &Receiver<QueuedWrite>, last_pause: &mut Instant) -> Result<QueuedWrite, RecvError> {
    match queue.try_recv() {
        Ok(waiting) => {
            if last_pause.elapsed() > PAUSE_AFTER {
                thread::sleep(PAUSE);
                *last_pause = Instant::now();
            }
            Ok(waiting)
        }
        Err(TryRecvError::Disconnected) => Err(RecvError),
        Err(TryRecvError::Empty) => {
            let waiting = queue.recv();
            *last_pause = Instant::now();
            waiting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of units for which `estimator` waits in a batch. `earlier` units arrived
    /// before the last commit, `later` ones after it.
    fn expected(estimator: &mut BatchEstimator, earlier: usize, later: usize) -> usize {
        estimator.begin();
        let before = estimator.committed.checked_sub(Duration::from_millis(1)).unwrap();
        (0..earlier).for_each(|_| estimator.record(before));
        (0..later).for_each(|_| estimator.record(estimator.committed));
        (0..).find(|units| !estimator.is_incomplete(*units)).unwrap()
    }

    #[test]
    fn a_batch_waits_only_for_recent_writers() {
        let mut estimator = BatchEstimator::new();
        assert_eq!(expected(&mut estimator, 0, 1), 0);
        estimator.end(1);
        assert_eq!(expected(&mut estimator, 0, 1), 1);
        // Another caller arrived during the commit, so there are two.
        assert_eq!(expected(&mut estimator, 1, 0), 2);
        estimator.end(2);
        assert_eq!(expected(&mut estimator, 3, 0), 5);
        // One of them is alone again.
        estimator.end(1);
        assert_eq!(expected(&mut estimator, 0, 1), 1);
    }
}
