//! Periodic upkeep in the background: deletes expired rows and unreferenced files, and enqueues
//! jobs for the rest. `services/src/housekeeping.rs` defines how long each kind of row is kept.
//!
//! Several processes may do this at the same time: what one deletes, the other does not find.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use siskin_media::{FileName, Listed};
use siskin_persistence::Tx;
use siskin_services::{Error, Result, housekeeping, media};
use tokio::time::sleep;

use crate::{App, workers::log_error};

/// Delay of the first round, because the start of the server is busy.
const FIRST: Duration = Duration::from_secs(60);
const ROUND: Duration = Duration::from_secs(3600);
/// Pause between two transactions, so that other writers get their turn.
const PAUSE: Duration = Duration::from_millis(100);
/// Minimum age of a file that may be deleted. The row of a younger file may not be written yet.
const MIN_AGE: Duration = Duration::from_secs(24 * 3600);
/// Number of file names in one query.
const NAMES: usize = 200;
/// Number of the 256 name prefixes that a round checks, so that a day covers all of them.
const PREFIXES_PER_ROUND: i64 = 11;

/// Runs until the instance stops.
pub(crate) async fn run(app: App) {
    let mut pause = FIRST;
    while app.unless_stopped(sleep(pause)).await.is_some() {
        pause = ROUND;
        if app.unless_stopped(round(&app)).await.is_none() {
            return;
        }
    }
}

/// Runs all tasks one after the other. A failed task is retried in the next round.
async fn round(app: &App) {
    let rows = app.sweep_rows().await;
    report("old rows", rows);
    report("maintenance jobs", app.write(housekeeping::enqueue_upkeep_jobs).await);
    let staging_dir =
        app.media().sweep_staging_dir().await.map_err(|error| Error::Unavailable(error.into()));
    report("abandoned uploads", staging_dir.map(drop));
    for prefix in app.prefixes_to_list().await {
        report("unreferenced files", app.sweep_files(prefix).await.map(drop));
    }
    report("daily numbers", app.count_days().await);
}

fn report(what: &str, done: Result<()>) {
    if let Err(error) = done {
        log_error(&format!("maintenance failed: {what}"), &error);
    }
}

/// Returns the name prefixes to check in this hour.
fn prefixes(now_ms: i64) -> impl Iterator<Item = u8> {
    let hour = now_ms.div_euclid(3_600_000);
    (0..PREFIXES_PER_ROUND).filter_map(move |number| {
        u8::try_from((hour.wrapping_mul(PREFIXES_PER_ROUND) + number).rem_euclid(256)).ok()
    })
}

impl App {
    /// Deletes expired rows, a few in each transaction.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn sweep_rows(&self) -> Result<()> {
        let (now, settings) = (self.now(), self.settings());
        let due = {
            let settings = Arc::clone(&settings);
            self.read(move |conn| housekeeping::due(conn, &settings, now)).await?
        };
        for stale in due {
            let settings = Arc::clone(&settings);
            let sweep = move |tx: &mut Tx<'_>| housekeeping::sweep_rows(tx, &settings, stale);
            while self.write(sweep.clone()).await? {
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// Returns the name prefixes to check now, and those that were never checked.
    async fn prefixes_to_list(&self) -> BTreeSet<u8> {
        let unlisted = self.unlisted_prefixes().await.unwrap_or_else(|error| {
            report("sizes of files", Err(error));
            Vec::new()
        });
        prefixes(self.now().unix_ms()).chain(unlisted).collect()
    }

    /// Deletes files with names that start with this byte, if they are a day old and no row refers
    /// to them. A process leaves such files if it dies between storing a file and writing its row.
    /// Also stores the sizes of these files. Returns how many files were deleted.
    ///
    /// # Errors
    /// Those of the database and of the storage.
    pub async fn sweep_files(&self, prefix: u8) -> Result<usize> {
        let listed = self.media().storage().list_prefix(prefix).await;
        let listed = listed.map_err(|error| Error::Unavailable(Box::new(error)))?;
        self.save_sizes(prefix, &listed).await?;
        let old: Vec<FileName> =
            listed.into_iter().filter(|file| self.is_old(file)).map(|file| file.name).collect();
        let mut removed = 0;
        for some in old.chunks(NAMES) {
            removed += self.sweep_some(some).await?;
        }
        Ok(removed)
    }

    fn is_old(&self, file: &Listed) -> bool {
        let latest = self.now().before(MIN_AGE).unix_ms();
        let modified = file.modified.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(modified.as_millis()).is_ok_and(|modified| modified < latest)
    }

    /// Deletes the files that no row needs. Files are kept a while longer than their rows, so no
    /// row will refer to an unneeded file later.
    async fn sweep_some(&self, files: &[FileName]) -> Result<usize> {
        let names: Vec<String> = files.iter().map(ToString::to_string).collect();
        let needed = self.read(move |conn| media::needed(conn, &names)).await?;
        let mut removed = 0;
        for file in files.iter().filter(|file| !needed.contains(file.as_str())) {
            let deleted = self.media().delete(file.as_str()).await;
            deleted.map_err(|error| Error::Unavailable(Box::new(error)))?;
            log::info!("removed an unreferenced file: file={file}");
            removed += 1;
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_covers_all_prefixes() {
        let some_hour = 495_000;
        let seen: BTreeSet<u8> = (some_hour..some_hour + 24)
            .flat_map(|hour| prefixes(hour * 3_600_000 + 1234))
            .collect();
        assert_eq!(seen.len(), 256);
    }
}
