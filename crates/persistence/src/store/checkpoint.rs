//! Limits the size of an embedded database's write-ahead log.
//!
//! `SQLite` copies the log into the database by itself, but restarts the log only at a moment
//! without readers. Under constant load that moment does not come by chance.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;

use super::session::{BUSY_ATTEMPT, Session};

/// Size in bytes up to which no checkpoint is forced.
const LARGE: u64 = 32 << 20;
/// Interval between checks of the size.
const PERIOD: Duration = Duration::from_millis(200);
/// Waits up to 20 ms for current readers. Later readers read from the database file.
const TRUNCATE_LOG: &str = "PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(TRUNCATE);";

/// Path of the log, and the time of the last check.
pub(super) struct Checkpoints {
    log: PathBuf,
    checked_at: Instant,
}

impl Checkpoints {
    pub(super) fn new(database: &Path) -> Self {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        Self { log: log.into(), checked_at: Instant::now() }
    }

    /// Runs a checkpoint if the log is large. Called between transactions of the writer.
    pub(super) fn after_commit(&mut self, session: &mut Session) {
        if self.checked_at.elapsed() < PERIOD {
            return;
        }
        self.checked_at = Instant::now();
        if !fs::metadata(&self.log).is_ok_and(|log| log.len() > LARGE) {
            return;
        }
        let sql = format!("{TRUNCATE_LOG} {BUSY_ATTEMPT}");
        if let Err(error) = session.conn().batch_execute(&sql) {
            log::warn!("cannot checkpoint the write-ahead log: {error}");
        }
    }
}
