//! Requests: the senders of notifications that the recipient's policy filtered. The filtered
//! notifications of a request wait until the recipient accepts or dismisses it.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};
use siskin_entities::{PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationId, NotificationRequestId, StatusId};

use super::{
    Written,
    sender::{SENDER, Sender},
};
use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    equals_any::{IdExpression as _, around_list, list_of},
    page::newest_first,
    prepared::prepared,
    schema::notification_requests,
};

/// A stored request. Its recipient may not see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequest {
    pub id: NotificationRequestId,
    pub sender: Sender,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Number of filtered notifications.
    pub count: i64,
    /// Status of the newest filtered notification that is about one.
    pub last_status: Option<StatusId>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: NotificationRequestId,
    #[diesel(embed)]
    sender: Sender,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
    #[diesel(sql_type = BigInt)]
    updated_at: i64,
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    last_status: Option<StatusId>,
}

impl From<Row> for StoredRequest {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            sender: row.sender,
            created_at: Timestamp::from_unix_ms(row.created_at),
            updated_at: Timestamp::from_unix_ms(row.updated_at),
            count: row.count,
            last_status: row.last_status,
        }
    }
}

/// Returns the query for [`Row`], for the requests of the account `$1`. Leaves out requests without
/// notifications: their causes were undone.
fn requests_sql() -> String {
    format!(
        "SELECT requests.id, requests.from_account_id AS sender, {SENDER},
        requests.created_at, requests.updated_at,
        (SELECT COUNT(*) FROM notifications AS one
            WHERE one.account_id = requests.account_id
            AND one.from_account_id = requests.from_account_id AND one.filtered) AS count,
        (SELECT one.status_id FROM notifications AS one
            WHERE one.account_id = requests.account_id
            AND one.from_account_id = requests.from_account_id AND one.filtered
            AND one.status_id IS NOT NULL ORDER BY one.id DESC LIMIT 1) AS last_status
    FROM notification_requests AS requests
    JOIN accounts ON accounts.id = requests.from_account_id
    WHERE requests.account_id = $1 AND EXISTS (
        SELECT 1 FROM notifications AS one WHERE one.account_id = requests.account_id
        AND one.from_account_id = requests.from_account_id AND one.filtered)"
    )
}

/// Loads the requests to `recipient`, newest first.
pub fn requests(
    conn: &mut Conn,
    recipient: AccountId,
    request: PageRequest,
) -> Result<Vec<StoredRequest>> {
    let cursor = request.cursor;
    let order = if cursor.min.is_some() { "ASC" } else { "DESC" };
    let query = sql_query(format!(
        "{} AND requests.id < $2 AND requests.id > $3 ORDER BY requests.id {order} LIMIT $4",
        requests_sql()
    ))
    .bind::<BigInt, _>(recipient)
    .bind::<BigInt, _>(cursor.max.unwrap_or(i64::MAX))
    .bind::<BigInt, _>(cursor.min.or(cursor.since).unwrap_or(i64::MIN))
    .bind::<BigInt, _>(request.limit);
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(newest_first(rows, request).into_iter().map(StoredRequest::from).collect())
}

/// Loads those of these requests that are to `recipient`, newest first. Leaves out unknown ids.
pub fn find_requests(
    conn: &mut Conn,
    recipient: AccountId,
    ids: &[NotificationRequestId],
) -> Result<Vec<StoredRequest>> {
    let (before, after) = around_list(conn);
    let query = sql_query(format!(
        "{} AND requests.id{before}$2{after} ORDER BY requests.id DESC",
        requests_sql()
    ))
    .bind::<BigInt, _>(recipient)
    .bind::<Text, _>(list_of(ids));
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(StoredRequest::from).collect())
}

/// Query for up to `limit` of these requests that are to `recipient`, with their senders.
macro_rules! with_senders {
    ($recipient:expr, $ids:expr, $limit:expr) => {
        notification_requests::table
            .filter(notification_requests::account_id.eq($recipient))
            .filter(notification_requests::id.equals_any($ids))
            .order(notification_requests::id)
            .limit($limit)
            .select((notification_requests::id, notification_requests::from_account_id))
    };
}

/// Returns up to `limit` of these requests that are to `recipient`, with their senders, also those
/// without notifications.
pub fn senders(
    conn: &mut Conn,
    recipient: AccountId,
    ids: &[NotificationRequestId],
    limit: i64,
) -> Result<Vec<(NotificationRequestId, AccountId)>> {
    Ok(with_senders!(recipient, ids, limit).load(conn)?)
}

/// As [`senders`], and locks the requests until the transaction ends. A transaction that stores a
/// filtered notification [locks its request](add_requests), too. So the statements after this one
/// see the notification, or that transaction waits, and inserts a new request if this one is gone.
pub fn lock_requests(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    ids: &[NotificationRequestId],
    limit: i64,
) -> Result<Vec<(NotificationRequestId, AccountId)>> {
    let query = with_senders!(recipient, ids, limit);
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => query.for_update().load(pg)?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => query.load(sqlite)?,
    })
}

/// Inserts a request of the sender to each of these recipients, or notes the time if there is one.
/// Locks the requests until the transaction ends. Runs one statement.
pub fn add_requests(tx: &mut Tx<'_>, sender: AccountId, recipients: &[AccountId]) -> Result<()> {
    let now = tx.now().unix_ms();
    // In one order, so that two transactions do not deadlock.
    let mut recipients = recipients.to_vec();
    recipients.sort_unstable();
    let row = |recipient: &AccountId| {
        (
            notification_requests::id.eq(NotificationRequestId::new(tx.next_id())),
            notification_requests::account_id.eq(*recipient),
            notification_requests::from_account_id.eq(sender),
            notification_requests::created_at.eq(now),
            notification_requests::updated_at.eq(now),
        )
    };
    let rows: Vec<_> = recipients.iter().map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(notification_requests::table)
        .values(rows)
        .on_conflict((
            notification_requests::account_id,
            notification_requests::from_account_id,
        ))
        .do_update()
        .set(notification_requests::updated_at.eq(now))
        .execute(conn))?;
    Ok(())
}

#[derive(QueryableByName)]
struct Released {
    #[diesel(sql_type = BigInt)]
    account_id: AccountId,
    #[diesel(sql_type = BigInt)]
    id: NotificationId,
}

/// Moves those of these new filtered notifications to the others that are by permitted senders, and
/// returns them. Their recipients permitted the sender after this transaction read the permissions.
/// Call it after [`add_requests`], which waits for such a recipient.
pub fn release_permitted(tx: &mut Tx<'_>, ids: &[NotificationId]) -> Result<Vec<Written>> {
    let (before, after) = around_list(tx);
    let OnEngine::Postgres(pg) = tx.on_engine() else {
        // SQLite has one writer at a time, so the permissions are those that were read.
        return Ok(Vec::new());
    };
    let query = sql_query(format!(
        "UPDATE notifications SET filtered = FALSE
         WHERE id{before}$1{after} AND EXISTS (
             SELECT 1 FROM notification_permissions AS permissions
             WHERE permissions.account_id = notifications.account_id
             AND permissions.from_account_id = notifications.from_account_id)
         RETURNING account_id, id"
    ))
    .bind::<Text, _>(list_of(ids));
    let rows: Vec<Released> = prepared(query).load(pg)?;
    let released =
        |row: Released| Written { recipient: row.account_id, id: row.id, filtered: false };
    Ok(rows.into_iter().map(released).collect())
}

/// Moves up to `limit` filtered notifications of a sender to the others. Returns `true` if there
/// may be more.
pub fn release_some(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    sender: AccountId,
    limit: i64,
) -> Result<bool> {
    for_some_filtered(tx, "UPDATE notifications SET filtered = FALSE", recipient, sender, limit)
}

/// Deletes up to `limit` filtered notifications of a sender. Returns `true` if there may be more.
pub fn discard_some(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    sender: AccountId,
    limit: i64,
) -> Result<bool> {
    for_some_filtered(tx, "DELETE FROM notifications", recipient, sender, limit)
}

/// Runs a statement for up to `limit` filtered notifications of a sender. Returns `true` if there
/// may be more.
fn for_some_filtered(
    tx: &mut Tx<'_>,
    statement: &str,
    recipient: AccountId,
    sender: AccountId,
    limit: i64,
) -> Result<bool> {
    let query = sql_query(format!(
        "{statement} WHERE id IN (
            SELECT id FROM notifications
            WHERE account_id = $1 AND from_account_id = $2 AND filtered LIMIT $3)"
    ))
    .bind::<BigInt, _>(recipient)
    .bind::<BigInt, _>(sender)
    .bind::<BigInt, _>(limit);
    let changed = each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(i64::try_from(changed).is_ok_and(|changed| changed >= limit))
}

/// Deletes these requests of `recipient`, without their notifications.
pub fn remove_requests(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    ids: &[NotificationRequestId],
) -> Result<()> {
    diesel::delete(notification_requests::table)
        .filter(notification_requests::account_id.eq(recipient))
        .filter(notification_requests::id.equals_any(ids))
        .execute(&mut **tx)?;
    Ok(())
}
