//! The servers that write most.

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use siskin_entities::DayRange;

use super::{NamedRow, Ranking, id_at, ranking};
use crate::{Conn, Result};

/// Counts statuses by the servers of their authors, among the newest `most` statuses of the period.
/// The empty name stands for this server.
pub fn servers(conn: &mut Conn, range: DayRange, most: i64, limit: i64) -> Result<Ranking> {
    let rows: Vec<NamedRow> = sql_query(
        "SELECT COALESCE(accounts.domain, '') AS name, COUNT(*) AS value \
         FROM (SELECT account_id FROM statuses \
               WHERE id >= $1 AND id < $2 AND visibility < 4 \
               ORDER BY id DESC LIMIT $3) AS limited \
         JOIN accounts ON accounts.id = limited.account_id \
         GROUP BY COALESCE(accounts.domain, '') ORDER BY value DESC, name LIMIT $4",
    )
    .bind::<BigInt, _>(id_at(range.start()))
    .bind::<BigInt, _>(id_at(range.end()))
    .bind::<BigInt, _>(most)
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(ranking(rows))
}
