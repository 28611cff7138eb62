//! Numbers of days that are over, counted once and stored.

use std::{
    collections::{BTreeMap, HashSet},
    iter,
};

use diesel::{dsl::min, prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::{DayRange, MeasureKey, Timestamp};
use siskin_ids::{AccountId, unix_ms_of};

use super::{DAY_MS, DayCounts, DayRow, IDS_PER_DAY, id_at, midnight};
use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{daily_counts, users},
};

/// Counts the favourites, reblogs and replies to others by local accounts, for each day from
/// `start` until `end`.
pub fn count_interactions(conn: &mut Conn, start: Timestamp, end: Timestamp) -> Result<DayCounts> {
    let mut counts = BTreeMap::<Timestamp, i64>::new();
    // Without COALESCE, SQLite would read all reblogs and replies by their indexes.
    let interacts = "AND statuses.visibility < 4 AND (COALESCE(statuses.reblog_of_id, 0) > 0 OR \
         COALESCE(statuses.in_reply_to_account_id, statuses.account_id) <> statuses.account_id)";
    for (table, condition) in [("favourites", ""), ("statuses", interacts)] {
        let sql = format!(
            "SELECT {table}.id / {IDS_PER_DAY} AS day, COUNT(*) AS value FROM {table} \
             JOIN accounts ON accounts.id = {table}.account_id AND accounts.domain IS NULL \
             WHERE {table}.id >= $1 AND {table}.id < $2 {condition} \
             GROUP BY {table}.id / {IDS_PER_DAY}"
        );
        let rows: Vec<DayRow> = sql_query(sql)
            .bind::<BigInt, _>(id_at(start))
            .bind::<BigInt, _>(id_at(end))
            .load(conn)?;
        for row in rows {
            *counts.entry(midnight(row.day)).or_default() += row.value;
        }
    }
    Ok(counts.into_iter().collect())
}

/// Loads the stored numbers of the period and of the one before.
pub fn stored_counts(conn: &mut Conn, key: MeasureKey, range: DayRange) -> Result<DayCounts> {
    let rows: Vec<(i64, i64)> = daily_counts::table
        .filter(daily_counts::key.eq(key.as_str()))
        .filter(daily_counts::day.ge(range.previous().start().unix_ms()))
        .filter(daily_counts::day.lt(range.end().unix_ms()))
        .select((daily_counts::day, daily_counts::value))
        .load(conn)?;
    let count = |(day, value)| (Timestamp::from_unix_ms(day), value);
    Ok(rows.into_iter().map(count).collect())
}

/// Returns the latest `most` days from `first` until `end` that have no stored number, the latest
/// first.
pub fn uncounted_days(
    conn: &mut Conn,
    key: MeasureKey,
    (first, end): (Timestamp, Timestamp),
    most: usize,
) -> Result<Vec<Timestamp>> {
    let counted: HashSet<i64> = daily_counts::table
        .filter(daily_counts::key.eq(key.as_str()))
        .filter(daily_counts::day.ge(first.unix_ms()))
        .filter(daily_counts::day.lt(end.unix_ms()))
        .select(daily_counts::day)
        .load::<i64>(conn)?
        .into_iter()
        .collect();
    let first = first.unix_ms() / DAY_MS;
    let last = end.unix_ms() / DAY_MS - 1;
    let days = iter::successors(Some(last), |day| Some(day - 1)).take_while(|day| *day >= first);
    let uncounted = days.map(midnight).filter(|day| !counted.contains(&day.unix_ms()));
    Ok(uncounted.take(most).collect())
}

/// Returns the day on which the first of all users signed up. `None` without users.
pub fn first_day(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let first: Option<AccountId> = users::table.select(min(users::account_id)).first(conn)?;
    Ok(first.map(|id| Timestamp::from_unix_ms(unix_ms_of(id.get())).midnight()))
}

/// Stores the number of a day. Does nothing if it is stored already.
pub fn insert_count(tx: &mut Tx<'_>, key: MeasureKey, day: Timestamp, value: i64) -> Result<()> {
    let row = (
        daily_counts::key.eq(key.as_str()),
        daily_counts::day.eq(day.midnight().unix_ms()),
        daily_counts::value.eq(value),
    );
    each!(&mut **tx, conn => diesel::insert_into(daily_counts::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}
