//! Deletes the rows that belong to an account or a status in chunks. A cascade would delete all of
//! them in one transaction, and on `SQLite` all other writes wait for it.

use diesel::{prelude::*, sql_query, sql_types::BigInt};

use crate::{Conn, Result, Tx, conn::each, prepared::prepared};

/// Rows of a table that belong to an owner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnedRows {
    pub(crate) table: &'static str,
    /// Columns that identify a row, separated by commas.
    pub(crate) key: &'static str,
    /// SQL condition that selects the rows of the owner `$1`. An index serves it.
    pub(crate) condition: &'static str,
}

/// Describes the rows of `table` for which `condition` holds.
pub(crate) const fn owned(
    table: &'static str,
    key: &'static str,
    condition: &'static str,
) -> OwnedRows {
    OwnedRows { table, key, condition }
}

impl OwnedRows {
    /// Deletes at most `limit` rows of `owner` and returns their number.
    pub(crate) fn delete_some(self, tx: &mut Tx<'_>, owner: i64, limit: usize) -> Result<usize> {
        let Self { table, key, condition } = self;
        let query = sql_query(format!(
            "DELETE FROM {table} WHERE ({key}) IN (
                 SELECT {key} FROM {table} WHERE {condition} LIMIT $2)"
        ));
        let query = query.bind::<BigInt, _>(owner).bind::<BigInt, _>(number(limit));
        Ok(each!(&mut **tx, conn => prepared(query).execute(conn))?)
    }
}

/// Deletes at most `limit` rows of `owner` from these tables, in their order. Returns the number of
/// deleted rows. It is less than `limit` only if no row is left.
pub(crate) fn delete_some(
    tx: &mut Tx<'_>,
    tables: &[OwnedRows],
    owner: i64,
    limit: usize,
) -> Result<usize> {
    let mut deleted = 0;
    for rows in tables {
        if deleted >= limit {
            break;
        }
        deleted += rows.delete_some(tx, owner, limit - deleted)?;
    }
    Ok(deleted)
}

/// Counts the rows of `owner` in these tables, at most `limit` in each.
pub(crate) fn count_up_to(
    conn: &mut Conn,
    tables: &[OwnedRows],
    owner: i64,
    limit: usize,
) -> Result<usize> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = BigInt)]
        found: i64,
    }
    let count = |rows: &OwnedRows| {
        let OwnedRows { table, condition, .. } = rows;
        format!(
            "(SELECT COUNT(*) FROM (SELECT 1 FROM {table} WHERE {condition} LIMIT $2) AS limited)"
        )
    };
    let counts: Vec<String> = tables.iter().map(count).collect();
    let query = sql_query(format!("SELECT {} AS found", counts.join(" + ")));
    let query = query.bind::<BigInt, _>(owner).bind::<BigInt, _>(number(limit));
    let rows: Vec<Found> = each!(conn, conn => prepared(query).load(conn))?;
    let found = rows.first().map_or(0, |row| row.found);
    Ok(usize::try_from(found).unwrap_or(usize::MAX))
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
