//! Reads and deletes the notifications of an account. Which of them the account sees is decided by
//! `siskin_policy::notifications`.

use diesel::prelude::*;
use siskin_entities::{NotificationKind, PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Conn, Error, Result, Tx,
    equals_any::{IdExpression as _, TextExpression as _},
    page::{cut_rows, newest_first},
    schema::notifications,
};

/// Filter for a list of notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationFilter {
    /// Include only these kinds.
    pub kinds: Vec<NotificationKind>,
    /// Include only notifications caused by this account.
    pub from: Option<AccountId>,
}

/// A stored notification, without the account and status it refers to. Its recipient may not see
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredNotification {
    pub id: NotificationId,
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
    pub created_at: Timestamp,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = notifications)]
struct Row {
    id: NotificationId,
    account_id: AccountId,
    from_account_id: AccountId,
    kind: String,
    status_id: Option<StatusId>,
    created_at: i64,
}

impl TryFrom<Row> for StoredNotification {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let kind = NotificationKind::from_name(&row.kind);
        Ok(Self {
            id: row.id,
            recipient: row.account_id,
            from: row.from_account_id,
            kind: kind.ok_or(Error::Damaged("notifications.kind"))?,
            status: row.status_id,
            created_at: Timestamp::from_unix_ms(row.created_at),
        })
    }
}

/// Loads the notifications of `recipient` that match the filter, newest first.
pub fn candidates(
    conn: &mut Conn,
    recipient: AccountId,
    filter: &NotificationFilter,
    request: PageRequest,
) -> Result<Vec<StoredNotification>> {
    let kinds = filter.kinds.iter().map(|kind| kind.as_str());
    let query = notifications::table
        .filter(notifications::account_id.eq(recipient))
        .filter(notifications::kind.equals_any_text(kinds))
        .select(Row::as_select());
    let rows: Vec<Row> = match filter.from {
        None => cut_rows!(conn, query, notifications::id, request)?,
        Some(from) => {
            let query = query.filter(notifications::from_account_id.eq(from));
            cut_rows!(conn, query, notifications::id, request)?
        }
    };
    newest_first(rows, request).into_iter().map(StoredNotification::try_from).collect()
}

/// Loads the notifications with these ids, in the order of the ids. Leaves out unknown ids.
pub fn load(conn: &mut Conn, ids: &[NotificationId]) -> Result<Vec<StoredNotification>> {
    let rows: Vec<Row> = notifications::table
        .filter(notifications::id.equals_any(ids))
        .order(notifications::id)
        .select(Row::as_select())
        .load(conn)?;
    rows.into_iter().map(StoredNotification::try_from).collect()
}

/// Deletes one notification of `viewer`. Returns `false` if there was none with this id.
pub fn delete(tx: &mut Tx<'_>, viewer: AccountId, id: NotificationId) -> Result<bool> {
    let deleted = diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(viewer))
        .filter(notifications::id.eq(id))
        .execute(&mut **tx)?;
    Ok(deleted == 1)
}

/// Deletes up to `limit` notifications of `viewer`, visible or not, the oldest first. Returns
/// `true` if there are more.
pub fn delete_some(tx: &mut Tx<'_>, viewer: AccountId, limit: i64) -> Result<bool> {
    let all = notifications::table.filter(notifications::account_id.eq(viewer));
    let next: Option<NotificationId> = all
        .order(notifications::id)
        .offset(limit)
        .select(notifications::id)
        .first(&mut **tx)
        .optional()?;
    match next {
        Some(next) => diesel::delete(all.filter(notifications::id.lt(next))).execute(&mut **tx)?,
        None => diesel::delete(all).execute(&mut **tx)?,
    };
    Ok(next.is_some())
}
