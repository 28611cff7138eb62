//! Writes the index of the full-text search, and compares it with the statuses.

use diesel::{
    QueryableByName, RunQueryDsl,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Text},
};
use siskin_ids::{AccountId, StatusId};

use super::document::Document;
use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    equals_any::{IdExpression as _, around_list, list_of},
    prepared::{prepared, prepared_here},
    schema::statuses,
    statuses::is_present,
};

/// Number of statuses that one transaction indexes. On `SQLite`, all other writes wait meanwhile.
const AT_ONCE: i64 = 100;

/// Number of statuses that one statement compares with the index.
const COMPARED: i64 = 10_000;

/// Indexes these statuses as they are now. Removes those from the index that are gone, or whose
/// deletion has begun. Reblogs are not indexed.
///
/// # Errors
/// Storage errors.
pub fn index(tx: &mut Tx<'_>, ids: &[StatusId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let (before, after) = around_list(tx);
    let which = format!("statuses.id{before}$1{after}");
    let select = sql_query(Document::select(&which, tx.is_sqlite()));
    let select = select.bind::<Text, _>(list_of(ids));
    let documents: Vec<Document> = each!(&mut **tx, conn => prepared(select).load(conn))?;
    for document in &documents {
        write(tx, document)?;
    }
    for id in ids {
        if documents.iter().all(|document| document.id != id.get()) {
            remove(tx, *id)?;
        }
    }
    Ok(())
}

fn write(tx: &mut Tx<'_>, document: &Document) -> Result<()> {
    let terms: Vec<String> = document.terms().into_iter().collect();
    match tx.on_engine() {
        OnEngine::Sqlite(sqlite) => {
            let query = "INSERT OR REPLACE INTO status_terms (rowid, terms) VALUES ($1, $2)";
            let query = sql_query(query).bind::<BigInt, _>(document.id);
            prepared_here!(query.bind::<Text, _>(terms.join(" "))).execute(sqlite)?;
        }
        OnEngine::Postgres(pg) => {
            let query = "INSERT INTO status_terms (status_id, terms)
                 VALUES ($1, array_to_tsvector($2))
                 ON CONFLICT (status_id) DO UPDATE SET terms = EXCLUDED.terms";
            let query = sql_query(query).bind::<BigInt, _>(document.id);
            prepared_here!(query.bind::<Array<Text>, _>(terms)).execute(pg)?;
        }
    }
    Ok(())
}

/// Removes a status from the index. A deleted status is removed by itself.
///
/// # Errors
/// Storage errors.
pub fn remove(tx: &mut Tx<'_>, id: StatusId) -> Result<()> {
    let column = key(tx);
    let query = sql_query(format!("DELETE FROM status_terms WHERE {column} = $1"));
    let query = query.bind::<BigInt, _>(id);
    each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(())
}

/// Returns the name of the column with the id of the status.
fn key(conn: &Conn) -> &'static str {
    if conn.is_sqlite() { "rowid" } else { "status_id" }
}

/// Indexes the newest statuses with ids below `before`, of one author or of all. Returns the id of
/// the last one, or `None` if there are no more.
///
/// # Errors
/// Storage errors.
pub fn index_before(
    tx: &mut Tx<'_>,
    author: Option<AccountId>,
    before: StatusId,
) -> Result<Option<StatusId>> {
    let mut query = statuses::table
        .filter(statuses::id.lt(before))
        .filter(statuses::reblog_of_id.is_null())
        .filter(is_present!(visibility: statuses::visibility))
        .order(statuses::id.desc())
        .limit(AT_ONCE)
        .select(statuses::id)
        .into_boxed();
    if let Some(author) = author {
        query = query.filter(statuses::account_id.eq(author));
    }
    let ids: Vec<StatusId> = query.load(&mut **tx)?;
    index_batch(tx, &ids)
}

fn index_batch(tx: &mut Tx<'_>, ids: &[StatusId]) -> Result<Option<StatusId>> {
    // Locked before they are read, so that the terms of a simultaneous edit are not replaced by
    // older ones.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let rows = statuses::table.filter(statuses::id.equals_any(ids)).order(statuses::id);
        rows.select(statuses::id).for_no_key_update().load::<StatusId>(pg)?;
    }
    index(tx, ids)?;
    let is_full = i64::try_from(ids.len()).is_ok_and(|count| count == AT_ONCE);
    Ok(ids.last().copied().filter(|_| is_full))
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// One of the two ends of the statuses, by their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Oldest,
    Newest,
}

/// Returns `true` if the oldest or the newest status is indexed, or if there is none. Statuses that
/// existed before the index are indexed from the newest to the oldest, and new ones when they are
/// written. So the index is complete if the oldest one is indexed.
///
/// # Errors
/// Storage errors.
pub fn is_indexed(conn: &mut Conn, end: End) -> Result<bool> {
    let column = key(conn);
    let order = match end {
        End::Oldest => "ASC",
        End::Newest => "DESC",
    };
    let query = sql_query(format!(
        "SELECT last.id AS id FROM (
             SELECT id FROM statuses WHERE reblog_of_id IS NULL AND visibility < 4
             ORDER BY id {order} LIMIT 1) AS last
         WHERE NOT EXISTS (SELECT 1 FROM status_terms WHERE status_terms.{column} = last.id)"
    ));
    Ok(query.load::<Found>(conn)?.is_empty())
}

/// Returns the statuses that are not indexed.
///
/// # Errors
/// Storage errors.
pub fn unindexed(conn: &mut Conn) -> Result<Vec<StatusId>> {
    let column = key(conn);
    differing(conn, |first, last| {
        format!(
            "SELECT statuses.id AS id FROM statuses
             WHERE statuses.id BETWEEN {first} AND {last} AND reblog_of_id IS NULL
                 AND visibility < 4
                 AND NOT EXISTS (
                     SELECT 1 FROM status_terms WHERE status_terms.{column} = statuses.id)
             ORDER BY statuses.id"
        )
    })
}

/// Returns the statuses of the index that no search may find any more: they are gone, or their
/// deletion has begun.
///
/// # Errors
/// Storage errors.
pub fn orphaned(conn: &mut Conn) -> Result<Vec<StatusId>> {
    let column = key(conn);
    let rows: Vec<Found> = sql_query(format!(
        "SELECT status_terms.{column} AS id FROM status_terms
         WHERE NOT EXISTS (
             SELECT 1 FROM statuses
             WHERE statuses.id = status_terms.{column} AND reblog_of_id IS NULL AND visibility < 4)
         ORDER BY 1"
    ))
    .load(conn)?;
    Ok(rows.into_iter().map(|row| StatusId::new(row.id)).collect())
}

/// Returns the ids that `select` finds in each range of statuses.
fn differing(
    conn: &mut Conn,
    select: impl Fn(StatusId, StatusId) -> String,
) -> Result<Vec<StatusId>> {
    let (mut found, mut after) = (Vec::new(), StatusId::new(i64::MIN));
    loop {
        let ids: Vec<StatusId> = statuses::table
            .filter(statuses::id.gt(after))
            .order(statuses::id)
            .limit(COMPARED)
            .select(statuses::id)
            .load(conn)?;
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(found) };
        let rows: Vec<Found> = sql_query(select(*first, *last)).load(conn)?;
        found.extend(rows.into_iter().map(|row| StatusId::new(row.id)));
        after = *last;
    }
}
