//! Background jobs: rows inserted in the transaction that causes them.
//!
//! A job is claimed for a limited time, run without a connection, and completed in the transaction
//! that stores its result. Retry times and the meaning of kinds are the caller's part.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::Hash,
    time::Duration,
};

use diesel::{
    dsl::{count_star, exists, not},
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, JobId};

use crate::{
    Conn, Error, Result, Tx,
    conn::{OnEngine, each},
    equals_any::{TextExpression as _, list_of, list_of_texts, rows_of_list, rows_of_texts},
    prepared::{prepared, prepared_here},
    schema::jobs,
};

/// A job that this process has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub id: JobId,
    pub kind: String,
    /// Payload in the format of the kind.
    pub payload: String,
    /// Number of claims, including this one.
    pub attempts: u32,
    /// End of the lease. It also distinguishes this claim from a later one.
    locked_until: i64,
}

/// Maximum number of jobs of one host, of any kind, that run at the same time.
const MAX_RUNNING_OF_HOST: i64 = 2;
/// Maximum number of waiting jobs of one owner or host that delay a new job. Further ones add no
/// delay.
const MAX_COUNTED: i64 = 200;
/// Maximum delay that waiting jobs cause. A claim looks no further ahead, so it reads no job that
/// is scheduled for later than that.
const MAX_DELAY: Duration = Duration::from_hours(1);

/// The owner and the host of a job. At most one job of each kind runs for an owner, and few per
/// host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub owner: AccountId,
    /// The remote host that the job waits for, in lower case.
    pub host: Option<String>,
    /// Delay per waiting job of the same owner and kind, or of the same host. It equals the time
    /// that such a job may take.
    pub pace: Duration,
}

/// Numbers of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Due now, or running.
    pub due: i64,
    /// Due later.
    pub later: i64,
    /// Dead letters: failed for good, and stored for the operator.
    pub dead: i64,
}

/// Inserts a job to run at `run_at` or soon after.
pub fn insert(tx: &mut Tx<'_>, kind: &str, payload: &str, run_at: Timestamp) -> Result<JobId> {
    let id = JobId::new(tx.next_id());
    let row = (
        jobs::id.eq(id),
        jobs::kind.eq(kind),
        jobs::payload.eq(payload),
        jobs::run_at.eq(run_at.unix_ms()),
        jobs::turn_at.eq(run_at.unix_ms()),
        jobs::created_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(jobs::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// Inserts up to a thousand jobs of a kind to run at `run_at` or soon after, with one statement.
pub fn insert_many(
    tx: &mut Tx<'_>,
    kind: &str,
    payloads: &[String],
    run_at: Timestamp,
) -> Result<()> {
    if payloads.is_empty() {
        return Ok(());
    }
    let now = tx.now().unix_ms();
    let row = |payload: &String| {
        (
            jobs::id.eq(JobId::new(tx.next_id())),
            jobs::kind.eq(kind.to_owned()),
            jobs::payload.eq(payload.clone()),
            jobs::run_at.eq(run_at.unix_ms()),
            jobs::turn_at.eq(run_at.unix_ms()),
            jobs::created_at.eq(now),
        )
    };
    let rows: Vec<_> = payloads.iter().map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(jobs::table).values(rows).execute(conn))?;
    Ok(())
}

/// Inserts a job to run when its turn comes.
pub fn insert_in_turn(tx: &mut Tx<'_>, kind: &str, payload: &str, turn: &Turn) -> Result<JobId> {
    let id = JobId::new(tx.next_id());
    let now = tx.now();
    let not_dead = || jobs::table.filter(jobs::dead_at.is_null()).select(jobs::id);
    let of_owner: Vec<JobId> = not_dead()
        .filter(jobs::owner_id.eq(turn.owner.get()))
        .filter(jobs::kind.eq(kind))
        .limit(MAX_COUNTED)
        .load(&mut **tx)?;
    let of_host: Vec<JobId> = match &turn.host {
        Some(host) => not_dead().filter(jobs::host.eq(host)).limit(MAX_COUNTED).load(&mut **tx)?,
        None => Vec::new(),
    };
    let before = u32::try_from(of_owner.len().max(of_host.len())).unwrap_or(u32::MAX);
    let delay = turn.pace.saturating_mul(before).min(MAX_DELAY);
    let row = (
        jobs::id.eq(id),
        jobs::kind.eq(kind),
        jobs::payload.eq(payload),
        jobs::run_at.eq(now.unix_ms()),
        jobs::turn_at.eq(now.after(delay).unix_ms()),
        jobs::owner_id.eq(turn.owner.get()),
        jobs::host.eq(turn.host.as_deref()),
        jobs::created_at.eq(now.unix_ms()),
    );
    diesel::insert_into(jobs::table).values(row).execute(&mut **tx)?;
    Ok(id)
}

/// A job for [`insert_many_in_turn`], with an owner or a host, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedJob {
    /// Payload in the format of the kind.
    pub payload: String,
    /// `None` if the job is for many accounts.
    pub owner: Option<AccountId>,
    /// The remote host that the job waits for, in lower case.
    pub host: Option<String>,
}

/// Number of the waiting jobs of an owner or a host in a list.
#[derive(QueryableByName)]
struct Waiting {
    /// Position in the list.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = BigInt)]
    waiting: i64,
}

/// Inserts jobs of a kind that run at `run_at` or later, each when its turn comes: as
/// [`insert_in_turn`], with three statements for all. Takes at most a thousand jobs.
pub fn insert_many_in_turn(
    tx: &mut Tx<'_>,
    kind: &str,
    pace: Duration,
    run_at: Timestamp,
    new: &[OwnedJob],
) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let owners = distinct(new.iter().filter_map(|job| job.owner));
    let hosts = distinct(new.iter().filter_map(|job| job.host.clone()));
    let mut before_owner = waiting_of_owners(tx, kind, owners)?;
    let mut before_host = waiting_of_hosts(tx, hosts)?;
    let now = tx.now();
    let mut rows = Vec::with_capacity(new.len());
    for job in new {
        let mut before = 0;
        if let Some(owner) = job.owner {
            let of_owner = before_owner.entry(owner).or_default();
            before = *of_owner;
            *of_owner += 1;
        }
        if let Some(host) = &job.host {
            let of_host = before_host.entry(host.clone()).or_default();
            before = before.max(*of_host);
            *of_host += 1;
        }
        let before = u32::try_from(before.min(MAX_COUNTED)).unwrap_or_default();
        let turn_at = now.after(pace.saturating_mul(before).min(MAX_DELAY)).max(run_at);
        rows.push((
            jobs::id.eq(JobId::new(tx.next_id())),
            jobs::kind.eq(kind),
            jobs::payload.eq(job.payload.as_str()),
            jobs::run_at.eq(run_at.unix_ms()),
            jobs::turn_at.eq(turn_at.unix_ms()),
            jobs::owner_id.eq(job.owner.map(AccountId::get)),
            jobs::host.eq(job.host.as_deref()),
            jobs::created_at.eq(now.unix_ms()),
        ));
    }
    each!(&mut **tx, conn => diesel::insert_into(jobs::table).values(rows).execute(conn))?;
    Ok(())
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<BTreeSet<T>>().into_iter().collect()
}

/// Counts the waiting jobs of a kind for each owner, up to [`MAX_COUNTED`].
fn waiting_of_owners(
    conn: &mut Conn,
    kind: &str,
    owners: Vec<AccountId>,
) -> Result<HashMap<AccountId, i64>> {
    // SQLite numbers parameters by their first appearance.
    let listed = rows_of_list(conn, "$2");
    let query = sql_query(format!(
        "SELECT listed.place AS place, (
            SELECT COUNT(*) FROM (
                SELECT 1 FROM jobs
                WHERE jobs.owner_id = listed.id AND jobs.kind = $1 AND jobs.dead_at IS NULL
                LIMIT {MAX_COUNTED}
            ) AS counted
        ) AS waiting FROM ({listed}) AS listed"
    ))
    .bind::<Text, _>(kind)
    .bind::<Text, _>(list_of(&owners));
    let rows: Vec<Waiting> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(by_value(owners, &rows))
}

/// Counts the waiting jobs of each host, up to [`MAX_COUNTED`].
fn waiting_of_hosts(conn: &mut Conn, hosts: Vec<String>) -> Result<HashMap<String, i64>> {
    let listed = rows_of_texts(conn, "$1");
    let query = sql_query(format!(
        "SELECT listed.place AS place, (
            SELECT COUNT(*) FROM (
                SELECT 1 FROM jobs WHERE jobs.host = listed.text AND jobs.dead_at IS NULL
                LIMIT {MAX_COUNTED}
            ) AS counted
        ) AS waiting FROM ({listed}) AS listed"
    ))
    .bind::<Text, _>(list_of_texts(&hosts));
    let rows: Vec<Waiting> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(by_value(hosts, &rows))
}

/// Returns the counts by the values of the list.
fn by_value<T: Eq + Hash>(values: Vec<T>, rows: &[Waiting]) -> HashMap<T, i64> {
    let counts: HashMap<i64, i64> = rows.iter().map(|row| (row.place, row.waiting)).collect();
    (0..)
        .zip(values)
        .map(|(place, value)| (value, counts.get(&place).copied().unwrap_or(0)))
        .collect()
}

/// Deletes the jobs of a kind with this payload and this time. A job that is running stays.
pub fn withdraw(tx: &mut Tx<'_>, kind: &str, payload: &str, run_at: Timestamp) -> Result<()> {
    let waiting = jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::turn_at.eq(run_at.unix_ms()))
        .filter(jobs::run_at.eq(run_at.unix_ms()))
        .filter(jobs::locked_until.is_null())
        .filter(jobs::kind.eq(kind))
        .filter(jobs::payload.eq(payload));
    diesel::delete(waiting).execute(&mut **tx)?;
    Ok(())
}

diesel::alias!(jobs as running: Running);

/// Selects the jobs of these kinds that can start at `now`, in the order of their turns: due, not
/// claimed, and neither their owner nor their host has too many running. The index `jobs_turns`
/// finds the first one.
macro_rules! startable {
    ($kinds:expr, $now:expr) => {{
        let now: Timestamp = $now;
        let (horizon, now) = (now.after(MAX_DELAY).unix_ms(), now.unix_ms());
        let claimed = || running.filter(running.field(jobs::locked_until).gt(now));
        let of_owner = claimed()
            .filter(running.field(jobs::owner_id).eq(jobs::owner_id))
            .filter(running.field(jobs::kind).eq(jobs::kind));
        // Read once for the statement, not for each of the jobs that wait for a busy host.
        let busy_hosts = claimed()
            .filter(running.field(jobs::host).is_not_null())
            .group_by(running.field(jobs::host))
            .having(count_star().ge(MAX_RUNNING_OF_HOST))
            .select(running.field(jobs::host));
        jobs::table
            .filter(jobs::dead_at.is_null())
            .filter(jobs::turn_at.le(horizon))
            .filter(jobs::run_at.le(now))
            .filter(jobs::locked_until.is_null().or(jobs::locked_until.le(now)))
            .filter(jobs::kind.equals_any_text($kinds))
            .filter(jobs::owner_id.is_null().or(not(exists(of_owner))))
            .filter(jobs::host.is_null().or(jobs::host.ne_all(busy_hosts)))
            .order((jobs::turn_at, jobs::id))
    }};
}

/// Columns that a claim needs. The last one says whether the job has to wait for its turn.
type Found = (JobId, String, String, i32, bool);

/// Finds the job that starts next, and locks its row.
fn next(tx: &mut Tx<'_>, kinds: &[&str]) -> Result<Option<Found>> {
    let due = startable!(kinds, tx.now()).limit(1).select((
        jobs::id,
        jobs::kind,
        jobs::payload,
        jobs::attempts,
        jobs::owner_id.is_not_null().or(jobs::host.is_not_null()),
    ));
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => due.for_update().skip_locked().first(pg).optional()?,
        OnEngine::Sqlite(sqlite) => due.first(sqlite).optional()?,
    })
}

/// Claims the startable job of these kinds with the earliest turn, if any. `lease` returns the
/// duration of the claim for its kind.
pub fn claim(
    tx: &mut Tx<'_>,
    kinds: &[&str],
    lease: impl Fn(&str) -> Duration,
) -> Result<Option<Claim>> {
    let mut found = next(tx, kinds)?;
    if matches!(found, Some((.., true))) && lock_turns(tx)? {
        found = next(tx, kinds)?;
    }
    let Some((id, kind, payload, attempts, _)) = found else { return Ok(None) };
    let locked_until = tx.now().after(lease(&kind)).unix_ms();
    let attempts = attempts.saturating_add(1);
    let claimed = (jobs::locked_until.eq(locked_until), jobs::attempts.eq(attempts));
    let update = diesel::update(jobs::table.find(id)).set(claimed);
    each!(&mut **tx, conn => prepared_here!(update).execute(conn))?;
    let attempts = u32::try_from(attempts).map_err(|_| Error::Damaged("jobs.attempts"))?;
    Ok(Some(Claim { id, kind, payload, attempts, locked_until }))
}

/// Waits until no other process claims jobs with turns, for the rest of the transaction. Two
/// concurrent claims would not see each other. Returns `true` if earlier query results may be
/// outdated.
fn lock_turns(tx: &mut Tx<'_>) -> Result<bool> {
    /// Key of the advisory lock; an arbitrary number that has no other use.
    const KEY: i64 = 0x7475_726e_5f61_7400;
    match tx.on_engine() {
        OnEngine::Postgres(pg) => {
            sql_query("SELECT pg_advisory_xact_lock($1)").bind::<BigInt, _>(KEY).execute(pg)?;
            Ok(true)
        }
        // SQLite has one writer at a time.
        OnEngine::Sqlite(_) => Ok(false),
    }
}

/// Deletes a completed job. Call it in the transaction that stores the result.
///
/// # Errors
/// [`Error::NotFound`] if the lease expired and another worker has the job. The transaction must
/// not be committed then.
pub fn complete(tx: &mut Tx<'_>, claim: &Claim) -> Result<()> {
    let own_claim = jobs::id.eq(claim.id).and(jobs::locked_until.eq(claim.locked_until));
    match diesel::delete(jobs::table.filter(own_claim)).execute(&mut **tx)? {
        0 => Err(Error::NotFound),
        _ => Ok(()),
    }
}

/// Records that a job failed. It runs again at `retry_at`, or becomes a dead letter if that is
/// `None`. Changes nothing if the lease expired.
pub fn fail(
    tx: &mut Tx<'_>,
    claim: &Claim,
    error: &str,
    retry_at: Option<Timestamp>,
) -> Result<()> {
    let now = tx.now();
    let own_claim = jobs::id.eq(claim.id).and(jobs::locked_until.eq(claim.locked_until));
    let dead_at = if retry_at.is_some() { None } else { Some(now.unix_ms()) };
    diesel::update(jobs::table.filter(own_claim))
        .set((
            jobs::locked_until.eq(None::<i64>),
            jobs::run_at.eq(retry_at.unwrap_or(now).unix_ms()),
            jobs::turn_at.eq(retry_at.unwrap_or(now).unix_ms()),
            jobs::last_error.eq(error),
            jobs::dead_at.eq(dead_at),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns `true` if [`claim`] would find a job at `now`. It is cheaper than a claim because it
/// writes nothing.
pub fn any_due(conn: &mut Conn, kinds: &[&str], now: Timestamp) -> Result<bool> {
    let due = startable!(kinds, now);
    Ok(diesel::select(exists(due)).get_result(conn)?)
}

/// Releases all claimed jobs. The single server of an embedded database calls this at start,
/// because the claiming process is gone.
pub fn release_all(tx: &mut Tx<'_>) -> Result<usize> {
    let claimed = jobs::table.filter(jobs::locked_until.is_not_null());
    Ok(diesel::update(claimed).set(jobs::locked_until.eq(None::<i64>)).execute(&mut **tx)?)
}

/// Returns the payloads of the unfinished jobs of a kind.
pub fn payloads(conn: &mut Conn, kind: &str) -> Result<Vec<String>> {
    Ok(jobs::table
        .filter(jobs::dead_at.is_null())
        .filter(jobs::kind.eq(kind))
        .select(jobs::payload)
        .load(conn)?)
}

/// Counts the jobs of all kinds at `now`.
pub fn counts(conn: &mut Conn, now: Timestamp) -> Result<Counts> {
    let not_dead = jobs::table.filter(jobs::dead_at.is_null());
    let due = not_dead.filter(jobs::run_at.le(now.unix_ms())).count().get_result(conn)?;
    let later = not_dead.filter(jobs::run_at.gt(now.unix_ms())).count().get_result(conn)?;
    let dead = jobs::table.filter(jobs::dead_at.is_not_null()).count().get_result(conn)?;
    Ok(Counts { due, later, dead })
}

/// Counts the jobs of each kind at `now`: due, later and dead.
pub fn counts_by_kind(conn: &mut Conn, now: Timestamp) -> Result<Vec<(String, Counts)>> {
    let not_dead = jobs::table.filter(jobs::dead_at.is_null()).group_by(jobs::kind);
    let due: Vec<(String, i64)> = not_dead
        .filter(jobs::run_at.le(now.unix_ms()))
        .select((jobs::kind, count_star()))
        .load(conn)?;
    let later: Vec<(String, i64)> = not_dead
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

/// A job that failed, and waits for a retry or is dead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub id: JobId,
    pub kind: String,
    pub error: String,
    /// Time at which it became a dead letter.
    pub dead_at: Option<Timestamp>,
}

/// Loads up to `limit` jobs with a failed last attempt, oldest first.
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
