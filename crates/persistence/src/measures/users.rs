//! Sign-ups and activity of users.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::DayRange;
use siskin_ids::AccountId;

use super::{DayCounts, DayRow, IDS_PER_DAY, NamedRow, Ranking, TotalsRow, by_day, id_at, ranking};
use crate::{Conn, Result, Tx, conn::each, schema::active_days};

/// Records that a user is active today. Does nothing if that is recorded already.
pub(crate) fn record_active_day(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let today = tx.now().midnight().unix_ms();
    let row = (active_days::day.eq(today), active_days::account_id.eq(account));
    each!(&mut **tx, conn => diesel::insert_into(active_days::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Counts the users that were active on each day.
pub fn active_by_day(conn: &mut Conn, range: DayRange) -> Result<DayCounts> {
    let rows: Vec<DayRow> = sql_query(
        "SELECT day / 86400000 AS day, COUNT(*) AS value FROM active_days \
         WHERE day >= $1 AND day < $2 GROUP BY active_days.day",
    )
    .bind::<BigInt, _>(range.start().unix_ms())
    .bind::<BigInt, _>(range.end().unix_ms())
    .load(conn)?;
    Ok(by_day(rows))
}

/// Counts the users that were active in the period, and those that were active in the one before.
pub fn active_totals(conn: &mut Conn, range: DayRange) -> Result<(i64, i64)> {
    let start = range.start().unix_ms();
    let row: TotalsRow = sql_query(
        "SELECT COUNT(DISTINCT CASE WHEN day >= $1 THEN account_id END) AS total, \
                COUNT(DISTINCT CASE WHEN day < $2 THEN account_id END) AS previous \
         FROM active_days WHERE day >= $3 AND day < $4",
    )
    .bind::<BigInt, _>(start)
    .bind::<BigInt, _>(start)
    .bind::<BigInt, _>(range.previous().start().unix_ms())
    .bind::<BigInt, _>(range.end().unix_ms())
    .get_result(conn)?;
    Ok((row.total, row.previous))
}

/// Counts the users that signed up on each day of the period and of the one before.
pub fn new_by_day(conn: &mut Conn, range: DayRange) -> Result<DayCounts> {
    let sql = format!(
        "SELECT account_id / {IDS_PER_DAY} AS day, COUNT(*) AS value FROM users \
         WHERE account_id >= $1 AND account_id < $2 GROUP BY account_id / {IDS_PER_DAY}"
    );
    let rows: Vec<DayRow> = sql_query(sql)
        .bind::<BigInt, _>(id_at(range.previous().start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .load(conn)?;
    Ok(by_day(rows))
}

/// Counts the users of each language of the interface that were last active in the period.
pub fn languages(conn: &mut Conn, range: DayRange, limit: i64) -> Result<Ranking> {
    let rows: Vec<NamedRow> = sql_query(
        "SELECT locale AS name, COUNT(*) AS value FROM users \
         WHERE last_active_at >= $1 AND last_active_at < $2 AND locale IS NOT NULL \
         GROUP BY locale ORDER BY value DESC, name LIMIT $3",
    )
    .bind::<BigInt, _>(range.start().unix_ms())
    .bind::<BigInt, _>(range.end().unix_ms())
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(ranking(rows))
}

/// Counts the users that signed up in the period by each application. The empty name stands for the
/// pages of the server.
pub fn sources(conn: &mut Conn, range: DayRange, limit: i64) -> Result<Ranking> {
    let rows: Vec<NamedRow> = sql_query(
        "SELECT COALESCE(applications.name, '') AS name, COUNT(*) AS value FROM users \
         LEFT JOIN applications ON applications.id = users.created_by_application_id \
         WHERE users.account_id >= $1 AND users.account_id < $2 \
         GROUP BY COALESCE(applications.name, '') ORDER BY value DESC, name LIMIT $3",
    )
    .bind::<BigInt, _>(id_at(range.start()))
    .bind::<BigInt, _>(id_at(range.end()))
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(ranking(rows))
}
