//! Uses of one hashtag: public statuses of accounts that are active and not silenced, as in the
//! history that all viewers see.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::DayRange;
use siskin_ids::TagId;

use super::{DayCounts, DayRow, IDS_PER_DAY, NamedRow, Ranking, TotalsRow, by_day, id_at, ranking};
use crate::{Conn, Result};

/// What is counted of the uses of a hashtag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagCount {
    /// The statuses.
    Uses,
    /// Their authors.
    Accounts,
    /// The servers of the authors, also this one.
    Servers,
}

impl TagCount {
    /// Returns SQL for what must differ to be counted.
    const fn counted(self) -> &'static str {
        match self {
            Self::Uses => "used.status_id",
            Self::Accounts => "accounts.id",
            Self::Servers => "COALESCE(accounts.domain, '')",
        }
    }
}

/// The uses of a hashtag. The conditions on `used` are still to come.
const USES: &str = "\
    FROM statuses_tags AS used \
    JOIN statuses ON statuses.id = used.status_id AND statuses.visibility = 0 \
    JOIN accounts ON accounts.id = statuses.account_id \
        AND accounts.suspended_at IS NULL AND accounts.silenced_at IS NULL AND accounts.reachable";

/// Counts by the day on which the statuses arrived.
pub fn tag_by_day(
    conn: &mut Conn,
    tag: TagId,
    what: TagCount,
    range: DayRange,
) -> Result<DayCounts> {
    let sql = format!(
        "SELECT used.status_id / {IDS_PER_DAY} AS day, COUNT(DISTINCT {}) AS value {USES} \
         WHERE used.tag_id = $1 AND used.status_id >= $2 AND used.status_id < $3 \
         GROUP BY used.status_id / {IDS_PER_DAY}",
        what.counted()
    );
    let rows: Vec<DayRow> = sql_query(sql)
        .bind::<BigInt, _>(tag)
        .bind::<BigInt, _>(id_at(range.start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .load(conn)?;
    Ok(by_day(rows))
}

/// Counts for the period and for the one before.
pub fn tag_totals(
    conn: &mut Conn,
    tag: TagId,
    what: TagCount,
    range: DayRange,
) -> Result<(i64, i64)> {
    let counted = what.counted();
    let start = id_at(range.start());
    let sql = format!(
        "SELECT COUNT(DISTINCT CASE WHEN used.status_id >= $1 THEN {counted} END) AS total, \
                COUNT(DISTINCT CASE WHEN used.status_id < $2 THEN {counted} END) AS previous \
         {USES} WHERE used.tag_id = $3 AND used.status_id >= $4 AND used.status_id < $5"
    );
    let row: TotalsRow = sql_query(sql)
        .bind::<BigInt, _>(start)
        .bind::<BigInt, _>(start)
        .bind::<BigInt, _>(tag)
        .bind::<BigInt, _>(id_at(range.previous().start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .get_result(conn)?;
    Ok((row.total, row.previous))
}

/// Counts the statuses with a hashtag by the servers of their authors. The empty name stands for
/// this server.
pub fn tag_servers(conn: &mut Conn, tag: TagId, range: DayRange, limit: i64) -> Result<Ranking> {
    ranked(conn, "COALESCE(accounts.domain, '')", tag, range, limit)
}

/// Counts the statuses with a hashtag by their language. The empty name stands for those without
/// one.
pub fn tag_languages(conn: &mut Conn, tag: TagId, range: DayRange, limit: i64) -> Result<Ranking> {
    ranked(conn, "COALESCE(statuses.language, '')", tag, range, limit)
}

fn ranked(conn: &mut Conn, name: &str, tag: TagId, range: DayRange, limit: i64) -> Result<Ranking> {
    let sql = format!(
        "SELECT {name} AS name, COUNT(*) AS value {USES} \
         WHERE used.tag_id = $1 AND used.status_id >= $2 AND used.status_id < $3 \
         GROUP BY {name} ORDER BY value DESC, name LIMIT $4"
    );
    let rows: Vec<NamedRow> = sql_query(sql)
        .bind::<BigInt, _>(tag)
        .bind::<BigInt, _>(id_at(range.start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .bind::<BigInt, _>(limit)
        .load(conn)?;
    Ok(ranking(rows))
}
