//! Reports to the staff.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::DayRange;

use super::{DayCounts, DayRow, IDS_PER_DAY, by_day, id_at};
use crate::{Conn, Result};

/// Counts the reports of each day of the period and of the one before.
pub fn opened_by_day(conn: &mut Conn, range: DayRange) -> Result<DayCounts> {
    let sql = format!(
        "SELECT id / {IDS_PER_DAY} AS day, COUNT(*) AS value FROM reports \
         WHERE id >= $1 AND id < $2 GROUP BY id / {IDS_PER_DAY}"
    );
    let rows: Vec<DayRow> = sql_query(sql)
        .bind::<BigInt, _>(id_at(range.previous().start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .load(conn)?;
    Ok(by_day(rows))
}

/// Counts the reports that were resolved on each day of the period and of the one before.
pub fn resolved_by_day(conn: &mut Conn, range: DayRange) -> Result<DayCounts> {
    let rows: Vec<DayRow> = sql_query(
        "SELECT action_taken_at / 86400000 AS day, COUNT(*) AS value FROM reports \
         WHERE action_taken_at >= $1 AND action_taken_at < $2 \
         GROUP BY action_taken_at / 86400000",
    )
    .bind::<BigInt, _>(range.previous().start().unix_ms())
    .bind::<BigInt, _>(range.end().unix_ms())
    .load(conn)?;
    Ok(by_day(rows))
}
