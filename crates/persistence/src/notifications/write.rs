//! Inserts and deletes notifications in the transaction of their cause.

use diesel::prelude::*;
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, NotificationId, StatusId};

use super::subject;
use crate::{Result, Tx, conn::each, schema::notifications};

/// What happened: the part of a notification that all its recipients have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// Account that caused the notifications.
    pub from: AccountId,
    pub kind: NotificationKind,
    /// Status that they are about; `None` if they are about the account only.
    pub status: Option<StatusId>,
    /// Id of the record other than a status that they are about.
    pub record: Option<i64>,
}

impl Cause {
    /// Returns the cause of notifications that are about a status, or about the account only.
    #[must_use]
    pub const fn new(from: AccountId, kind: NotificationKind, status: Option<StatusId>) -> Self {
        Self { from, kind, status, record: None }
    }

    /// Returns the stored number for what the notifications are about.
    fn subject(&self) -> i64 {
        self.record.unwrap_or_else(|| subject(self.status))
    }
}

/// A new notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    pub recipient: AccountId,
    pub id: NotificationId,
    /// Whether the recipient's policy filtered it.
    pub filtered: bool,
}

/// Inserts a notification for each of these local accounts, with one statement. The flag says
/// whether the recipient's policy filters it. Skips accounts that already have the same one.
///
/// Takes at most [`MAX_RECIPIENTS`](super::MAX_RECIPIENTS), because both engines limit the number
/// of bind values.
pub fn insert(
    tx: &mut Tx<'_>,
    cause: Cause,
    recipients: &[(AccountId, bool)],
) -> Result<Vec<Written>> {
    if recipients.is_empty() {
        return Ok(Vec::new());
    }
    let now = tx.now().unix_ms();
    let row = |(recipient, filtered): &(AccountId, bool)| {
        (
            notifications::id.eq(NotificationId::new(tx.next_id())),
            notifications::account_id.eq(*recipient),
            notifications::from_account_id.eq(cause.from),
            notifications::kind.eq(cause.kind.as_str()),
            notifications::status_id.eq(cause.status),
            notifications::subject_id.eq(cause.subject()),
            notifications::created_at.eq(now),
            notifications::filtered.eq(*filtered),
        )
    };
    let rows: Vec<_> = recipients.iter().map(row).collect();
    let written: Vec<(AccountId, NotificationId, bool)> = each!(&mut **tx, conn => diesel::insert_into(notifications::table)
            .values(rows)
            .on_conflict_do_nothing()
            .returning((notifications::account_id, notifications::id, notifications::filtered))
            .get_results(conn))?;
    let written = written.into_iter();
    Ok(written.map(|(recipient, id, filtered)| Written { recipient, id, filtered }).collect())
}

/// Deletes the notification of `recipient` after its cause was undone (a favourite, reblog or
/// follow).
pub fn withdraw(tx: &mut Tx<'_>, cause: Cause, recipient: AccountId) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(recipient))
        .filter(notifications::from_account_id.eq(cause.from))
        .filter(notifications::kind.eq(cause.kind.as_str()))
        .filter(notifications::subject_id.eq(cause.subject()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes all notifications of a kind about a status, for all recipients.
pub fn withdraw_all(tx: &mut Tx<'_>, kind: NotificationKind, status: StatusId) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::status_id.eq(status))
        .filter(notifications::kind.eq(kind.as_str()))
        .execute(&mut **tx)?;
    Ok(())
}
