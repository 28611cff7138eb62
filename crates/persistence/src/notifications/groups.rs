//! Groups of notifications: their members, and the deletion of a group.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Integer, Nullable, Text},
};
use serde_json::json;
use siskin_entities::GroupKey;
use siskin_ids::{AccountId, NotificationId};

use super::{
    list::columns,
    sender::{SENDER, Sender},
};
use crate::{Conn, Result, Tx, conn::each, prepared::prepared};

/// Members of a group, visible to the recipient or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Members {
    /// Number of all members.
    pub count: i64,
    /// The newest members, the newest first.
    pub newest: Vec<Member>,
}

/// A notification of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub id: NotificationId,
    pub sender: Sender,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Integer)]
    place: i32,
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = BigInt)]
    id: NotificationId,
    #[diesel(embed)]
    sender: Sender,
}

/// Loads up to `limit` members with ids up to `last` of each of these groups of `recipient`, with
/// one statement: all, or those that the account `from` caused. Returns one value for each key, in
/// the order of `keys`. Leaves out filtered notifications.
pub fn members(
    conn: &mut Conn,
    recipient: AccountId,
    keys: &[GroupKey],
    from: Option<AccountId>,
    last: i64,
    limit: i64,
) -> Result<Vec<Members>> {
    let group = |(place, key): (usize, &GroupKey)| {
        let (kind, subject, ids) = columns(*key);
        // Numbers of this size are not exact in every JSON parser, so they are texts.
        json!([place, kind, subject.to_string(), ids.start.to_string(), ids.end.to_string()])
    };
    let groups: Vec<_> = keys.iter().enumerate().map(group).collect();
    let query = sql_query(members_sql(conn))
        .bind::<Text, _>(json!(groups).to_string())
        .bind::<BigInt, _>(recipient)
        .bind::<BigInt, _>(last)
        .bind::<Nullable<BigInt>, _>(from)
        .bind::<BigInt, _>(limit);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    let mut found = vec![Members::default(); keys.len()];
    for Row { place, count, id, sender } in rows {
        if let Some(group) = usize::try_from(place).ok().and_then(|place| found.get_mut(place)) {
            group.count = count;
            group.newest.push(Member { id, sender });
        }
    }
    Ok(found)
}

/// Returns the SQL of [`members`]. Parameters: `$1` groups, `$2` recipient, `$3` the last id, `$4`
/// the sender, `$5` the limit.
fn members_sql(conn: &Conn) -> String {
    let groups = if conn.is_sqlite() {
        "SELECT CAST(value ->> 0 AS INTEGER) AS place, value ->> 1 AS kind,
            CAST(value ->> 2 AS INTEGER) AS subject, CAST(value ->> 3 AS INTEGER) AS first,
            CAST(value ->> 4 AS INTEGER) AS beyond
         FROM json_each($1)"
    } else {
        "SELECT CAST(value ->> 0 AS INTEGER) AS place, value ->> 1 AS kind,
            CAST(value ->> 2 AS BIGINT) AS subject, CAST(value ->> 3 AS BIGINT) AS first,
            CAST(value ->> 4 AS BIGINT) AS beyond
         FROM json_array_elements(CAST($1 AS json))"
    };
    let of_group = "FROM notifications AS one
        WHERE one.account_id = $2 AND one.kind = listed.kind AND one.subject_id = listed.subject
        AND NOT one.filtered AND one.id >= listed.first AND one.id < listed.beyond AND one.id <= $3
        AND (CAST($4 AS BIGINT) IS NULL OR one.from_account_id = $4)";
    let newest = format!("SELECT one.id {of_group} ORDER BY one.id DESC LIMIT $5");
    // Only PostgreSQL has LATERAL; it would run a correlated IN for every pair of rows.
    let newest = if conn.is_sqlite() {
        format!("CROSS JOIN notifications AS member ON member.id IN ({newest})")
    } else {
        format!(
            "CROSS JOIN LATERAL ({newest}) AS newest
             JOIN notifications AS member ON member.id = newest.id"
        )
    };
    format!(
        "WITH listed AS ({groups}), counted AS MATERIALIZED (
            SELECT listed.*, (SELECT COUNT(*) {of_group}) AS count FROM listed
        )
        SELECT listed.place, listed.count, member.id, member.from_account_id AS sender, {SENDER}
        FROM counted AS listed {newest}
        JOIN accounts ON accounts.id = member.from_account_id
        ORDER BY listed.place, member.id DESC"
    )
}

/// Deletes up to `limit` notifications of a group. Returns `true` if there may be more.
pub fn delete_some_of_group(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    key: GroupKey,
    limit: i64,
) -> Result<bool> {
    if let GroupKey::Ungrouped(id) = key {
        super::delete(tx, recipient, id)?;
        return Ok(false);
    }
    let (kind, subject, ids) = columns(key);
    let query = sql_query(
        "DELETE FROM notifications WHERE id IN (
            SELECT id FROM notifications
            WHERE account_id = $1 AND kind = $2 AND subject_id = $3 AND NOT filtered
            AND id >= $4 AND id < $5 LIMIT $6)",
    )
    .bind::<BigInt, _>(recipient)
    .bind::<Text, _>(kind)
    .bind::<BigInt, _>(subject)
    .bind::<BigInt, _>(ids.start)
    .bind::<BigInt, _>(ids.end)
    .bind::<BigInt, _>(limit);
    let deleted = each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(i64::try_from(deleted).is_ok_and(|deleted| deleted >= limit))
}
