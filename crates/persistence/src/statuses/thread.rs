//! Threads: ancestors and descendants of a status. A separate function checks visibility.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable},
};
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, conn::each, prepared::prepared};

/// A status with its parent and author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct ThreadNode {
    #[diesel(sql_type = BigInt)]
    pub id: StatusId,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub in_reply_to_id: Option<StatusId>,
    #[diesel(sql_type = BigInt)]
    pub account_id: AccountId,
}

const UPWARDS: &str = "WITH RECURSIVE thread (id, in_reply_to_id, account_id, distance) AS (
        SELECT id, in_reply_to_id, account_id, 0 FROM statuses WHERE id = $1
        UNION ALL
        SELECT statuses.id, statuses.in_reply_to_id, statuses.account_id, thread.distance + 1
        FROM thread JOIN statuses ON statuses.id = thread.in_reply_to_id
        WHERE thread.distance < $2
    )
    SELECT id, in_reply_to_id, account_id FROM thread WHERE distance > 0 ORDER BY distance DESC";

/// LIMIT stops the recursion on both engines. Both yield the nearer generations first.
const DOWNWARDS: &str = "WITH RECURSIVE thread (id, in_reply_to_id, account_id, distance) AS (
        SELECT id, in_reply_to_id, account_id, 0 FROM statuses WHERE id = $1
        UNION ALL
        SELECT statuses.id, statuses.in_reply_to_id, statuses.account_id, thread.distance + 1
        FROM thread JOIN statuses ON statuses.in_reply_to_id = thread.id
        WHERE thread.distance < $2
    )
    SELECT id, in_reply_to_id, account_id FROM thread WHERE distance > 0 LIMIT $3";

/// Returns the ancestors of a status, the root of the thread first: at most the `limit` nearest.
pub fn ancestors(conn: &mut Conn, id: StatusId, limit: usize) -> Result<Vec<ThreadNode>> {
    let query = sql_query(UPWARDS).bind::<BigInt, _>(id).bind::<BigInt, _>(number(limit));
    Ok(each!(conn, conn => prepared(query).load(conn))?)
}

/// Returns at most `limit` descendants of a status in no particular order. Prefers the nearest
/// generations, and descends at most `depth` generations.
pub fn descendants(
    conn: &mut Conn,
    id: StatusId,
    limit: usize,
    depth: Option<usize>,
) -> Result<Vec<ThreadNode>> {
    let query = sql_query(DOWNWARDS)
        .bind::<BigInt, _>(id)
        .bind::<BigInt, _>(depth.map_or(i64::MAX, number))
        .bind::<BigInt, _>(number(limit));
    Ok(each!(conn, conn => prepared(query).load(conn))?)
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
