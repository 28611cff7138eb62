//! Keeps the write-ahead log of an embedded database from growing without end.
//!
//! `SQLite` moves the log into the database by itself, but starts it anew only in a moment when
//! nobody reads from it. Under constant reading that moment never comes by chance.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;

use super::session::{BUSY_ATTEMPT, Session};

/// The log is left alone up to this size, in bytes.
const LARGE: u64 = 32 << 20;
/// How often the size is looked at.
const PERIOD: Duration = Duration::from_millis(200);
/// Waits up to 20 ms for those who are reading; those who come later read from the database.
const START_ANEW: &str = "PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(TRUNCATE);";

/// When the log was looked at last.
pub(super) struct Checkpoints {
    log: PathBuf,
    looked: Instant,
}

impl Checkpoints {
    pub(super) fn new(database: &Path) -> Self {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        Self { log: log.into(), looked: Instant::now() }
    }

    /// To be called between transactions of the writer.
    pub(super) fn after_commit(&mut self, session: &mut Session) {
        if self.looked.elapsed() < PERIOD {
            return;
        }
        self.looked = Instant::now();
        if !fs::metadata(&self.log).is_ok_and(|log| log.len() > LARGE) {
            return;
        }
        let sql = format!("{START_ANEW} {BUSY_ATTEMPT}");
        if let Err(error) = session.conn().batch_execute(&sql) {
            log::warn!("the write-ahead log cannot be moved into the database: {error}");
        }
    }
}
