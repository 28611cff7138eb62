//! What this server knows of another one. The accounts of a domain are an index range, and so are
//! the rows of each account.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::DayRange;

use super::{DayCounts, DayRow, IDS_PER_DAY, NamedRow, Ranking, by_day, id_at, ranking};
use crate::{Conn, Result};

/// Rows that belong to the accounts of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceRows {
    Accounts,
    MediaAttachments,
    /// Reports of the accounts.
    Reports,
    Statuses,
    /// Follows of the accounts.
    Follows,
    /// Follows by the accounts.
    Followers,
}

impl InstanceRows {
    /// Returns the table and its column with the account.
    const fn table(self) -> (&'static str, &'static str) {
        match self {
            Self::Accounts => ("accounts", "id"),
            Self::MediaAttachments => ("media_attachments", "account_id"),
            Self::Reports => ("reports", "target_account_id"),
            Self::Statuses => ("statuses", "account_id"),
            Self::Follows => ("follows", "target_account_id"),
            Self::Followers => ("follows", "account_id"),
        }
    }

    /// Returns SQL for the number of all rows of the accounts of the domain `$1`.
    fn total(self) -> String {
        if self == Self::Statuses {
            return "SELECT CAST(COALESCE(SUM(account_stats.statuses_count), 0) AS BIGINT) AS value \
                    FROM accounts AS known \
                    JOIN account_stats ON account_stats.account_id = known.id \
                    WHERE known.domain = $1"
                .to_owned();
        }
        let (table, column) = self.table();
        format!(
            "SELECT COUNT(*) AS value FROM accounts AS known \
             JOIN {table} AS counted ON counted.{column} = known.id WHERE known.domain = $1"
        )
    }
}

#[derive(QueryableByName)]
struct TotalRow {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// Counts the rows of the accounts of a domain: those of each day, and all that there are.
pub fn instance_by_day(
    conn: &mut Conn,
    domain: &str,
    rows: InstanceRows,
    range: DayRange,
) -> Result<(DayCounts, i64)> {
    let (table, column) = rows.table();
    let sql = format!(
        "SELECT counted.id / {IDS_PER_DAY} AS day, COUNT(*) AS value FROM accounts AS known \
         JOIN {table} AS counted ON counted.{column} = known.id \
             AND counted.id >= $1 AND counted.id < $2 \
         WHERE known.domain = $3 GROUP BY counted.id / {IDS_PER_DAY}"
    );
    let days: Vec<DayRow> = sql_query(sql)
        .bind::<BigInt, _>(id_at(range.start()))
        .bind::<BigInt, _>(id_at(range.end()))
        .bind::<Text, _>(domain)
        .load(conn)?;
    let total: TotalRow = sql_query(rows.total()).bind::<Text, _>(domain).get_result(conn)?;
    Ok((by_day(days), total.value))
}

/// Ranks the accounts of a domain by the number of their followers.
pub fn instance_accounts(conn: &mut Conn, domain: &str, limit: i64) -> Result<Ranking> {
    let rows: Vec<NamedRow> = sql_query(
        "SELECT known.username AS name, account_stats.followers_count AS value \
         FROM accounts AS known JOIN account_stats ON account_stats.account_id = known.id \
         WHERE known.domain = $1 ORDER BY value DESC, known.id LIMIT $2",
    )
    .bind::<Text, _>(domain)
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(ranking(rows))
}

/// Counts the statuses of a domain by their language. The empty name stands for those without one.
pub fn instance_languages(
    conn: &mut Conn,
    domain: &str,
    range: DayRange,
    limit: i64,
) -> Result<Ranking> {
    let rows: Vec<NamedRow> = sql_query(
        "SELECT COALESCE(counted.language, '') AS name, COUNT(*) AS value \
         FROM accounts AS known JOIN statuses AS counted ON counted.account_id = known.id \
             AND counted.id >= $1 AND counted.id < $2 AND counted.visibility < 4 \
         WHERE known.domain = $3 \
         GROUP BY COALESCE(counted.language, '') ORDER BY value DESC, name LIMIT $4",
    )
    .bind::<BigInt, _>(id_at(range.start()))
    .bind::<BigInt, _>(id_at(range.end()))
    .bind::<Text, _>(domain)
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(ranking(rows))
}
