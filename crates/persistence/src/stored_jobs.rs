//! Background jobs as staff see them: without payloads.

use diesel::prelude::*;
use siskin_entities::{JobState, Page, PageRequest, StoredJob, Timestamp};
use siskin_ids::JobId;

use crate::{
    Conn, Error, Result, Tx,
    conn::OnEngine,
    page::{cut_rows, page},
    schema::jobs,
};

/// Columns of a [`JobRow`].
const COLUMNS: (
    jobs::id,
    jobs::kind,
    jobs::attempts,
    jobs::locked_until,
    jobs::last_error,
    jobs::host,
    jobs::run_at,
    jobs::dead_at,
    jobs::created_at,
) = (
    jobs::id,
    jobs::kind,
    jobs::attempts,
    jobs::locked_until,
    jobs::last_error,
    jobs::host,
    jobs::run_at,
    jobs::dead_at,
    jobs::created_at,
);

#[derive(Queryable)]
struct JobRow {
    id: JobId,
    kind: String,
    attempts: i32,
    locked_until: Option<i64>,
    last_error: Option<String>,
    host: Option<String>,
    run_at: i64,
    dead_at: Option<i64>,
    created_at: i64,
}

/// Loads a page of the jobs in this state at `now`, newest first.
pub fn list(
    conn: &mut Conn,
    state: JobState,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StoredJob>> {
    let rows: Vec<JobRow> = match state {
        JobState::Dead => {
            let dead = jobs::table.filter(jobs::dead_at.is_not_null()).select(COLUMNS);
            cut_rows!(conn, dead, jobs::id, request)?
        }
        JobState::Waiting => {
            let waiting = jobs::table.filter(jobs::dead_at.is_null()).select(COLUMNS);
            cut_rows!(conn, waiting, jobs::id, request)?
        }
    };
    let listed = rows.into_iter().map(|row| row.into_job(now)).collect::<Result<Vec<_>>>()?;
    Ok(page(listed, request, |job| job.id.get()))
}

/// Counts the dead jobs, up to `most`.
pub fn count_dead(conn: &mut Conn, most: i64) -> Result<usize> {
    let some: Vec<JobId> = jobs::table
        .filter(jobs::dead_at.is_not_null())
        .order(jobs::id)
        .limit(most)
        .select(jobs::id)
        .load(conn)?;
    Ok(some.len())
}

/// Loads a job and locks it until the transaction ends.
pub fn lock(tx: &mut Tx<'_>, id: JobId) -> Result<Option<StoredJob>> {
    let now = tx.now();
    let query = jobs::table.find(id).select(COLUMNS);
    let row: Option<JobRow> = match tx.on_engine() {
        OnEngine::Postgres(pg) => query.for_update().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => query.first(sqlite).optional()?,
    };
    row.map(|row| row.into_job(now)).transpose()
}

/// Loads a job.
pub fn find(conn: &mut Conn, id: JobId, now: Timestamp) -> Result<Option<StoredJob>> {
    let row: Option<JobRow> = jobs::table.find(id).select(COLUMNS).first(conn).optional()?;
    row.map(|row| row.into_job(now)).transpose()
}

/// Lets a job run now, with all its attempts.
pub fn retry(tx: &mut Tx<'_>, id: JobId) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(jobs::table.find(id))
        .set((
            jobs::run_at.eq(now),
            jobs::turn_at.eq(now),
            jobs::attempts.eq(0),
            jobs::locked_until.eq(None::<i64>),
            jobs::dead_at.eq(None::<i64>),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes a job.
pub fn delete(tx: &mut Tx<'_>, id: JobId) -> Result<()> {
    diesel::delete(jobs::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

impl JobRow {
    fn into_job(self, now: Timestamp) -> Result<StoredJob> {
        Ok(StoredJob {
            id: self.id,
            kind: self.kind,
            state: if self.dead_at.is_some() { JobState::Dead } else { JobState::Waiting },
            is_running: self.locked_until.is_some_and(|until| until > now.unix_ms()),
            attempts: u32::try_from(self.attempts).map_err(|_| Error::Damaged("jobs.attempts"))?,
            error: self.last_error,
            host: self.host,
            run_at: Timestamp::from_unix_ms(self.run_at),
            created_at: Timestamp::from_unix_ms(self.created_at),
            dead_at: self.dead_at.map(Timestamp::from_unix_ms),
        })
    }
}
