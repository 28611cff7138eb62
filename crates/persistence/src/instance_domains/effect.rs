//! What a new domain block would change.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{DomainBlockEffect, DomainSeverity};

use crate::{
    Conn, Result,
    conn::each,
    equals_any::{list_of_texts, rows_of_texts},
    prepared::prepared,
};

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    accounts: i64,
    #[diesel(sql_type = BigInt)]
    statuses: i64,
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    many: i64,
}

/// Counts the accounts of these domains. For a suspension, it also counts what it would end and
/// hide: statuses and follows of the accounts that are not suspended yet. The time grows with the
/// number of accounts and follows.
pub fn effect(
    conn: &mut Conn,
    domains: &[String],
    severity: DomainSeverity,
) -> Result<DomainBlockEffect> {
    let list = list_of_texts(domains);
    let Counted { accounts, statuses } = accounts(conn, &list)?;
    if severity < DomainSeverity::Suspend {
        return Ok(DomainBlockEffect { accounts, ..DomainBlockEffect::default() });
    }
    Ok(DomainBlockEffect {
        accounts,
        follows: follows(conn, &list, "target_account_id", "account_id")?,
        followers: follows(conn, &list, "account_id", "target_account_id")?,
        statuses,
    })
}

fn accounts(conn: &mut Conn, list: &str) -> Result<Counted> {
    let hosts = rows_of_texts(conn, "$1");
    let query = sql_query(format!(
        "SELECT COUNT(*) AS accounts, CAST(COALESCE(SUM(
             CASE WHEN accounts.suspended_at IS NULL THEN account_stats.statuses_count ELSE 0 END
         ), 0) AS BIGINT) AS statuses
         FROM ({hosts}) AS hosts CROSS JOIN accounts CROSS JOIN account_stats
         WHERE accounts.domain = hosts.text
         AND account_stats.account_id = accounts.id"
    ))
    .bind::<Text, _>(list);
    Ok(each!(conn, conn => prepared(query).get_result(conn))?)
}

/// Counts follows between accounts of these domains, in the column `theirs`, and accounts of this
/// server, in the column `ours`.
fn follows(conn: &mut Conn, list: &str, theirs: &str, ours: &str) -> Result<i64> {
    let hosts = rows_of_texts(conn, "$1");
    let query = sql_query(format!(
        "SELECT COUNT(*) AS many
         FROM ({hosts}) AS hosts CROSS JOIN accounts CROSS JOIN follows
         CROSS JOIN accounts AS own
         WHERE accounts.domain = hosts.text AND accounts.suspended_at IS NULL
         AND follows.{theirs} = accounts.id AND own.id = follows.{ours} AND own.domain IS NULL"
    ))
    .bind::<Text, _>(list);
    let counted: Count = each!(conn, conn => prepared(query).get_result(conn))?;
    Ok(counted.many)
}
