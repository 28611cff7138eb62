//! Work for later, as rows inserted in the transaction of what caused it.
//!
//! A job is claimed for a limited time, run with no connection held, and completed in the
//! transaction that stores its result. When to try again, and what a kind means, is not known
//! here.

use std::{collections::BTreeMap, time::Duration};

use diesel::{dsl::count_star, prelude::*};
use siskin_entities::Timestamp;
use siskin_ids::JobId;

use crate::{
    Conn, Error, Result, Tx,
    among::TextExpression as _,
    conn::{OnEngine, each},
    prepared::prepared_here,
    schema::jobs,
};

/// A job that this process holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub id: JobId,
    pub kind: String,
    /// In the form that the kind lays down.
    pub payload: String,
    /// How often it was claimed, this time included.
    pub attempts: u32,
    /// Until when nobody else takes it; tells this claim from a later one.
    locked_until: i64,
}

/// How many jobs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Due now, or being run.
    pub due: i64,
    /// Due later.
    pub later: i64,
    /// Given up: kept for the operator to see.
    pub dead: i64,
}

/// Adds a job to be run at `run_at` or soon after.
pub fn insert(tx: &mut Tx<'_>, kind: &str, payload: &str, run_at: Timestamp) -> Result<JobId> {
    let id = JobId::new(tx.next_id());
    let row = (
        jobs::id.eq(id),
        jobs::kind.eq(kind),
        jobs::payload.eq(payload),
        jobs::run_at.eq(run_at.unix_ms()),
        jobs::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(jobs::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// Removes the jobs of a kind with this payload that wait for this time; one that somebody runs stays.
pub fn withdraw(tx: &mut Tx<'_>, kind: &str, payload: &str, run_at: Timestamp) -> Result<()> {
    let waiting = jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::run_at.eq(run_at.unix_ms()))
        .filter(jobs::locked_until.is_null())
        .filter(jobs::kind.eq(kind))
        .filter(jobs::payload.eq(payload));
    diesel::delete(waiting).execute(&mut **tx)?;
    Ok(())
}

/// Takes the job of these kinds that is due for longest, if any, and holds it for `lease`.
pub fn claim(tx: &mut Tx<'_>, kinds: &[&str], lease: Duration) -> Result<Option<Claim>> {
    let (now, locked_until) = (tx.now().unix_ms(), tx.now().after(lease).unix_ms());
    let free = jobs::locked_until.is_null().or(jobs::locked_until.le(now));
    let due = jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::run_at.le(now))
        .filter(free)
        .filter(jobs::kind.among_texts(kinds))
        .order((jobs::run_at, jobs::id))
        .limit(1)
        .select((jobs::id, jobs::kind, jobs::payload, jobs::attempts));
    let found: Option<(JobId, String, String, i32)> = match tx.on_engine() {
        OnEngine::Postgres(pg) => due.for_update().skip_locked().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => due.first(sqlite).optional()?,
    };
    let Some((id, kind, payload, attempts)) = found else { return Ok(None) };
    let attempts = attempts.saturating_add(1);
    let held = (jobs::locked_until.eq(locked_until), jobs::attempts.eq(attempts));
    let hold = diesel::update(jobs::table.find(id)).set(held);
    each!(&mut **tx, conn => prepared_here!(hold).execute(conn))?;
    let attempts = u32::try_from(attempts).map_err(|_| Error::Damaged("jobs.attempts"))?;
    Ok(Some(Claim { id, kind, payload, attempts, locked_until }))
}

/// Ends a job that is done; to be called in the transaction that stores its result.
///
/// # Errors
/// [`Error::NotFound`] where the claim ran out and somebody else has the job: the transaction
/// must not be committed then.
pub fn complete(tx: &mut Tx<'_>, claim: &Claim) -> Result<()> {
    let mine = jobs::id.eq(claim.id).and(jobs::locked_until.eq(claim.locked_until));
    match diesel::delete(jobs::table.filter(mine)).execute(&mut **tx)? {
        0 => Err(Error::NotFound),
        _ => Ok(()),
    }
}

/// Puts a job back that failed, to be tried again at `retry_at`, or never where that is None. A
/// claim that ran out changes nothing.
pub fn fail(
    tx: &mut Tx<'_>,
    claim: &Claim,
    error: &str,
    retry_at: Option<Timestamp>,
) -> Result<()> {
    let now = tx.now();
    let mine = jobs::id.eq(claim.id).and(jobs::locked_until.eq(claim.locked_until));
    let dead_at = if retry_at.is_some() { None } else { Some(now.unix_ms()) };
    diesel::update(jobs::table.filter(mine))
        .set((
            jobs::locked_until.eq(None::<i64>),
            jobs::run_at.eq(retry_at.unwrap_or(now).unix_ms()),
            jobs::last_error.eq(error),
            jobs::dead_at.eq(dead_at),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Whether [`claim`] would find a job at `now`: cheaper to ask, as it writes nothing.
pub fn any_due(conn: &mut Conn, kinds: &[&str], now: Timestamp) -> Result<bool> {
    let now = now.unix_ms();
    let free = jobs::locked_until.is_null().or(jobs::locked_until.le(now));
    let due = jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::run_at.le(now))
        .filter(free)
        .filter(jobs::kind.among_texts(kinds));
    Ok(diesel::select(diesel::dsl::exists(due)).get_result(conn)?)
}

/// Frees every job that is held: for the one server of an embedded database when it starts, as
/// whoever held them is gone.
pub fn release_all(tx: &mut Tx<'_>) -> Result<usize> {
    let held = jobs::table.filter(jobs::locked_until.is_not_null());
    Ok(diesel::update(held).set(jobs::locked_until.eq(None::<i64>)).execute(&mut **tx)?)
}

/// The payloads of the jobs of a kind that are still to be done.
pub fn payloads(conn: &mut Conn, kind: &str) -> Result<Vec<String>> {
    Ok(jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::kind.eq(kind))
        .select(jobs::payload)
        .load(conn)?)
}

/// How many jobs there are at `now`, whatever their kind.
pub fn counts(conn: &mut Conn, now: Timestamp) -> Result<Counts> {
    let alive = jobs::table.filter(jobs::dead_at.is_null());
    let due = alive.filter(jobs::run_at.le(now.unix_ms())).count().get_result(conn)?;
    let later = alive.filter(jobs::run_at.gt(now.unix_ms())).count().get_result(conn)?;
    let dead = jobs::table.filter(jobs::dead_at.is_not_null()).count().get_result(conn)?;
    Ok(Counts { due, later, dead })
}

/// Returns how many jobs of each kind there are at `now`: due, later and given up.
pub fn counts_by_kind(conn: &mut Conn, now: Timestamp) -> Result<Vec<(String, Counts)>> {
    let alive = jobs::table.filter(jobs::dead_at.is_null()).group_by(jobs::kind);
    let due: Vec<(String, i64)> = alive
        .filter(jobs::run_at.le(now.unix_ms()))
        .select((jobs::kind, count_star()))
        .load(conn)?;
    let later: Vec<(String, i64)> = alive
        .filter(jobs::run_at.gt(now.unix_ms()))
        .select((jobs::kind, count_star()))
        .load(conn)?;
    let dead: Vec<(String, i64)> = jobs::table
        .filter(jobs::dead_at.is_not_null())
        .group_by(jobs::kind)
        .select((jobs::kind, count_star()))
        .load(conn)?;
    let mut counts = BTreeMap::<String, Counts>::new();
    for (kind, count) in due {
        counts.entry(kind).or_default().due = count;
    }
    for (kind, count) in later {
        counts.entry(kind).or_default().later = count;
    }
    for (kind, count) in dead {
        counts.entry(kind).or_default().dead = count;
    }
    Ok(counts.into_iter().collect())
}

/// A job that failed, and waits for another attempt or was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub id: JobId,
    pub kind: String,
    pub error: String,
    /// When it was given up.
    pub dead_at: Option<Timestamp>,
}

/// Up to `limit` jobs whose last attempt failed, oldest first.
pub fn failures(conn: &mut Conn, limit: u32) -> Result<Vec<Failure>> {
    let rows: Vec<(JobId, String, Option<String>, Option<i64>)> = jobs::table
        .filter(jobs::last_error.is_not_null())
        .order(jobs::id)
        .limit(i64::from(limit))
        .select((jobs::id, jobs::kind, jobs::last_error, jobs::dead_at))
        .load(conn)?;
    let failure = |(id, kind, error, dead_at): (_, _, Option<String>, Option<i64>)| {
        let dead_at = dead_at.map(Timestamp::from_unix_ms);
        Failure { id, kind, error: error.unwrap_or_default(), dead_at }
    };
    Ok(rows.into_iter().map(failure).collect())
}
