//! Requests: the senders of notifications that the recipient's policy filtered. The filtered
//! notifications of a request wait until the recipient accepts or dismisses it.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, Nullable, Text},
};
use siskin_entities::{AccountState, PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationRequestId, StatusId};
use siskin_policy::visibility::AccountFacts;

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, around_list, list_of},
    page::newest_first,
    prepared::prepared,
    schema::notification_requests,
};

/// A stored request. Its recipient may not see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequest {
    pub id: NotificationRequestId,
    pub sender: AccountId,
    domain: Option<String>,
    state: AccountState,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Number of filtered notifications.
    pub count: i64,
    /// Status of the newest filtered notification that is about one.
    pub last_status: Option<StatusId>,
}

impl StoredRequest {
    /// Returns the facts about the sender.
    #[must_use]
    pub fn sender_facts(&self) -> AccountFacts<'_> {
        AccountFacts { id: self.sender, domain: self.domain.as_deref(), state: self.state }
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: NotificationRequestId,
    #[diesel(sql_type = BigInt)]
    sender: AccountId,
    #[diesel(sql_type = Nullable<Text>)]
    domain: Option<String>,
    #[diesel(sql_type = Bool)]
    suspended: bool,
    #[diesel(sql_type = Bool)]
    silenced: bool,
    #[diesel(sql_type = Bool)]
    reachable: bool,
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
        let Row { suspended, silenced, reachable, .. } = row;
        Self {
            id: row.id,
            sender: row.sender,
            domain: row.domain,
            state: AccountState { suspended, silenced, reachable },
            created_at: Timestamp::from_unix_ms(row.created_at),
            updated_at: Timestamp::from_unix_ms(row.updated_at),
            count: row.count,
            last_status: row.last_status,
        }
    }
}

/// Columns of [`Row`] and their tables, for the requests of the account `$1`. Requests without
/// notifications are left out: their causes were undone.
const REQUESTS: &str = "
    SELECT requests.id, requests.from_account_id AS sender, accounts.domain,
        accounts.suspended_at IS NOT NULL AS suspended,
        accounts.silenced_at IS NOT NULL AS silenced, accounts.reachable,
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
        AND one.from_account_id = requests.from_account_id AND one.filtered)";

/// Loads the requests to `recipient`, newest first.
pub fn requests(
    conn: &mut Conn,
    recipient: AccountId,
    request: PageRequest,
) -> Result<Vec<StoredRequest>> {
    let cursor = request.cursor;
    let order = if cursor.min.is_some() { "ASC" } else { "DESC" };
    let query = sql_query(format!(
        "{REQUESTS} AND requests.id < $2 AND requests.id > $3
         ORDER BY requests.id {order} LIMIT $4"
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
    let query =
        sql_query(format!("{REQUESTS} AND requests.id{before}$2{after} ORDER BY requests.id DESC"))
            .bind::<BigInt, _>(recipient)
            .bind::<Text, _>(list_of(ids));
    let rows: Vec<Row> = each!(conn, conn => prepared(query).load(conn))?;
    Ok(rows.into_iter().map(StoredRequest::from).collect())
}

/// Returns up to `limit` of these requests that are to `recipient`, with their senders, also those
/// without notifications.
pub fn senders(
    conn: &mut Conn,
    recipient: AccountId,
    ids: &[NotificationRequestId],
    limit: i64,
) -> Result<Vec<(NotificationRequestId, AccountId)>> {
    Ok(notification_requests::table
        .filter(notification_requests::account_id.eq(recipient))
        .filter(notification_requests::id.equals_any(ids))
        .order(notification_requests::id)
        .limit(limit)
        .select((notification_requests::id, notification_requests::from_account_id))
        .load(conn)?)
}

/// Inserts a request of the sender to each of these recipients, or notes the time if there is one.
/// Runs one statement.
pub fn add_requests(tx: &mut Tx<'_>, sender: AccountId, recipients: &[AccountId]) -> Result<()> {
    let now = tx.now().unix_ms();
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

/// Moves up to `limit` filtered notifications of a sender to the others. Returns `true` if there
/// may be more.
pub fn release_some(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    sender: AccountId,
    limit: i64,
) -> Result<bool> {
    let query = sql_query(
        "UPDATE notifications SET filtered = FALSE WHERE id IN (
            SELECT id FROM notifications
            WHERE account_id = $1 AND from_account_id = $2 AND filtered LIMIT $3)",
    )
    .bind::<BigInt, _>(recipient)
    .bind::<BigInt, _>(sender)
    .bind::<BigInt, _>(limit);
    let released = each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(i64::try_from(released).is_ok_and(|released| released >= limit))
}

/// Deletes up to `limit` filtered notifications of a sender. Returns `true` if there may be more.
pub fn discard_some(
    tx: &mut Tx<'_>,
    recipient: AccountId,
    sender: AccountId,
    limit: i64,
) -> Result<bool> {
    let query = sql_query(
        "DELETE FROM notifications WHERE id IN (
            SELECT id FROM notifications
            WHERE account_id = $1 AND from_account_id = $2 AND filtered LIMIT $3)",
    )
    .bind::<BigInt, _>(recipient)
    .bind::<BigInt, _>(sender)
    .bind::<BigInt, _>(limit);
    let discarded = each!(&mut **tx, conn => prepared(query).execute(conn))?;
    Ok(i64::try_from(discarded).is_ok_and(|discarded| discarded >= limit))
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
