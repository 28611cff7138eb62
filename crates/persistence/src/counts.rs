//! Instance statistics. Each count is one statement over accounts and their counters, never over
//! statuses. Callers should cache the result all the same.

use std::time::Duration;

use diesel::{
    dsl::{count, count_star, sql},
    prelude::*,
    sql_types::BigInt,
};
use siskin_entities::{InstanceCounts, Timestamp};

use crate::{
    Conn, Result,
    schema::{account_stats, accounts, users},
};

const DAY: u64 = 24 * 3600;

/// Counts users, statuses and domains of the instance at `now`.
pub fn load(conn: &mut Conn, now: Timestamp) -> Result<InstanceCounts> {
    let since = |days| now.before(Duration::from_secs(days * DAY));
    Ok(InstanceCounts {
        users: users(conn, None)?,
        active_month: users(conn, Some(since(30)))?,
        active_half_year: users(conn, Some(since(180)))?,
        local_statuses: local_statuses(conn)?,
        domains: accounts::table
            .select(count(accounts::domain).aggregate_distinct())
            .first(conn)?,
    })
}

/// Counts users that can use their accounts; with `active_since`, only those active since then.
fn users(conn: &mut Conn, active_since: Option<Timestamp>) -> Result<i64> {
    let usable = users::table
        .inner_join(accounts::table)
        .filter(users::disabled.eq(false))
        .filter(accounts::reachable.eq(true))
        .filter(accounts::suspended_at.is_null())
        .select(count_star());
    Ok(match active_since {
        None => usable.first(conn)?,
        Some(since) => usable.filter(users::last_active_at.ge(since.unix_ms())).first(conn)?,
    })
}

fn local_statuses(conn: &mut Conn) -> Result<i64> {
    // PostgreSQL returns NUMERIC for the sum of BIGINT.
    let sum = sql::<BigInt>("CAST(COALESCE(SUM(account_stats.statuses_count), 0) AS BIGINT)");
    Ok(users::table
        .inner_join(account_stats::table.on(account_stats::account_id.eq(users::account_id)))
        .select(sum)
        .first(conn)?)
}
