//! Reads and deletes the notifications of an account. Which of them the account sees is decided by
//! `siskin_policy::notifications`.

use std::{cmp::Reverse, ops::Range};

use diesel::{dsl::not, prelude::*};
use siskin_entities::{GroupKey, NotificationKind, PageRequest, Timestamp};
use siskin_ids::{AccountId, NotificationId, StatusId};

use super::subject;
use crate::{
    Conn, Error, Result, Tx,
    chunks::owned,
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
    /// Include those that the recipient's policy filtered.
    pub with_filtered: bool,
    /// Exclude these groups. They should be few, because each one adds to the text of the query.
    pub without: Vec<GroupKey>,
}

impl NotificationFilter {
    fn has_every_kind(&self) -> bool {
        NotificationKind::ALL.iter().all(|kind| self.kinds.contains(kind))
    }
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
    /// Id of the record other than a status that it is about.
    pub record: Option<i64>,
    /// Whether the recipient's policy filtered it.
    pub filtered: bool,
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
    subject_id: i64,
    filtered: bool,
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
            record: Some(row.subject_id).filter(|id| row.status_id.is_none() && *id != 0),
            filtered: row.filtered,
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
    let mut rows = read(conn, recipient, filter, false, request)?;
    if filter.with_filtered {
        // In the index, filtered notifications come after the others. One query would have to sort
        // all rows.
        rows.extend(read(conn, recipient, filter, true, request)?);
        rows.sort_by_key(|row| Reverse(row.id));
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let first = if request.cursor.min.is_some() { rows.len().saturating_sub(limit) } else { 0 };
        rows.drain(..first);
        rows.truncate(limit);
    }
    rows.into_iter().map(StoredNotification::try_from).collect()
}

/// Loads rows that the policy filtered, or rows that it did not filter.
fn read(
    conn: &mut Conn,
    recipient: AccountId,
    filter: &NotificationFilter,
    filtered: bool,
    request: PageRequest,
) -> Result<Vec<Row>> {
    let all = notifications::table
        .filter(notifications::account_id.eq(recipient))
        .filter(notifications::filtered.eq(filtered))
        .select(Row::as_select());
    if filter.from.is_none() && filter.without.is_empty() && filter.has_every_kind() {
        // Most clients ask for this. To compare each row with all kinds would take longer than to
        // read the rows.
        let rows: Vec<Row> = cut_rows!(conn, all, notifications::id, request)?;
        return Ok(newest_first(rows, request));
    }
    let kinds = filter.kinds.iter().map(|kind| kind.as_str());
    let query = all.filter(notifications::kind.equals_any_text(kinds));
    let rows: Vec<Row> = match filter.from {
        None if !filter.without.is_empty() => {
            let mut query = query.into_boxed();
            for key in &filter.without {
                let (kind, subject, ids) = columns(*key);
                let of_kind =
                    notifications::kind.eq(kind).and(notifications::subject_id.eq(subject));
                let after = notifications::id.ge(ids.start);
                query = query.filter(not(of_kind.and(after).and(notifications::id.lt(ids.end))));
            }
            cut_rows!(conn, query, notifications::id, request)?
        }
        None => cut_rows!(conn, query, notifications::id, request)?,
        Some(from) => {
            let query = query.filter(notifications::from_account_id.eq(from));
            cut_rows!(conn, query, notifications::id, request)?
        }
    };
    Ok(newest_first(rows, request))
}

/// Returns the kind, the subject and the range of ids of a group's notifications. A notification
/// that is a group on its own has no kind here, so the range alone identifies it.
pub(super) fn columns(key: GroupKey) -> (&'static str, i64, Range<i64>) {
    let (kind, subject) = match key {
        GroupKey::Window { kind, status, .. } => (kind.as_str(), subject(status)),
        GroupKey::Ungrouped(_) => ("", 0),
    };
    (kind, subject, key.ids())
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

/// Deletes up to `limit` notifications of `viewer`, visible or not. Returns `true` if there may be
/// more.
pub fn delete_some(tx: &mut Tx<'_>, viewer: AccountId, limit: usize) -> Result<bool> {
    let all = owned("notifications", "id", "account_id = $1");
    Ok(all.delete_some(tx, viewer.get(), limit)? == limit)
}
