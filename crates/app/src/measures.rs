//! Statistics for staff: few at the same time, and numbers of days that upkeep counts once.

use std::{future::Future, sync::Arc};

use siskin_entities::{
    StorageUsage, Timestamp,
    usage::{DatabaseUsage, FileKind, FilesOfKind, JobNumbers, TableRows},
};
use siskin_media::Listed;
use siskin_persistence::{Conn, jobs, space};
use siskin_services::{
    Error, Result,
    measures::{self, Programs},
};
use tokio::sync::{Mutex, Semaphore};

use crate::App;

/// Number of statistics that are computed at the same time, so that the other requests keep the
/// connections to the database.
const AT_ONCE: usize = 2;
/// Maximum age of cached numbers of rows.
const ROWS_MAX_AGE: std::time::Duration = std::time::Duration::from_hours(1);

/// Turns of statistics, and the cached numbers of rows with their time.
pub(crate) struct Statistics {
    turns: Arc<Semaphore>,
    rows: Mutex<Option<(Timestamp, Vec<TableRows>)>>,
}

impl Default for Statistics {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(AT_ONCE)), rows: Mutex::default() }
    }
}

impl App {
    /// Runs a statistic as [`App::read`] does, when it is its turn.
    ///
    /// # Errors
    /// What `body` returns.
    #[track_caller]
    pub fn measure<T, F>(&self, body: F) -> impl Future<Output = Result<T>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    {
        let (turns, read) = (Arc::clone(&self.inner.statistics.turns), self.read(body));
        async move {
            let _turn = turns.acquire_owned().await.map_err(Error::internal)?;
            read.await
        }
    }

    /// Returns what rankings need of this process.
    #[must_use]
    pub fn programs(&self) -> Programs {
        Programs {
            domain: self.urls().domain().to_owned(),
            ffmpeg: self.media().tools_version().map(str::to_owned),
        }
    }

    /// Returns what the server uses. Counts the rows of tables at most once an hour.
    ///
    /// # Errors
    /// Those of the database and of the storage.
    pub async fn storage_usage(&self) -> Result<StorageUsage> {
        let now = self.now();
        let tables = self.table_rows(now).await?;
        let free = self.media().storage().free_bytes().await;
        let free_bytes = free.map_err(|error| Error::Unavailable(Box::new(error)))?;
        self.measure(move |conn| {
            let jobs::Counts { due, later, dead } = jobs::counts(conn, now)?;
            let mut media = space::files(conn)?;
            media.free_bytes = free_bytes;
            Ok(StorageUsage {
                database: DatabaseUsage {
                    software: space::software(conn)?,
                    bytes: space::database_bytes(conn)?,
                    tables,
                },
                media,
                jobs: JobNumbers { due, later, dead },
            })
        })
        .await
    }

    /// Returns the numbers of rows. The first caller that finds them stale counts while the others
    /// wait.
    async fn table_rows(&self, now: Timestamp) -> Result<Vec<TableRows>> {
        let mut last = self.inner.statistics.rows.lock().await;
        if let Some((at, rows)) = &*last
            && now < at.after(ROWS_MAX_AGE)
        {
            return Ok(rows.clone());
        }
        let rows = self.measure(|conn| Ok(space::table_rows(conn)?)).await?;
        *last = Some((now, rows.clone()));
        Ok(rows)
    }

    /// Counts days that are over, each in its own transaction. A round counts a limited number.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn count_days(&self) -> Result<()> {
        let now = self.now();
        for day in self.read(move |conn| measures::uncounted_days(conn, now)).await? {
            let value = self.measure(move |conn| measures::count_day(conn, day)).await?;
            self.write(move |tx| measures::insert_day(tx, day, value)).await?;
        }
        Ok(())
    }

    /// Stores the sizes of the files with names that start with this byte.
    pub(crate) async fn save_sizes(&self, prefix: u8, listed: &[Listed]) -> Result<()> {
        let sizes = sizes(listed);
        self.write(move |tx| Ok(space::save_files(tx, prefix, &sizes)?)).await
    }

    /// Returns the first bytes of file names that were never listed.
    pub(crate) async fn unlisted_prefixes(&self) -> Result<Vec<u8>> {
        self.read(|conn| Ok(space::unlisted_prefixes(conn)?)).await
    }
}

/// Adds up the sizes of files by kind.
fn sizes(listed: &[Listed]) -> Vec<FilesOfKind> {
    let of_kind = |kind| {
        let files = listed.iter().filter(move |file| file.name.file_type().kind() == kind);
        let bytes: u64 = files.clone().map(|file| file.bytes).sum();
        FilesOfKind {
            kind,
            files: i64::try_from(files.count()).unwrap_or(i64::MAX),
            bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
        }
    };
    FileKind::ALL.map(of_kind).into()
}
