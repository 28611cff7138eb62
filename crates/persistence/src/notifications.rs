//! Notifications: written with what causes them, read by their recipient.

use diesel::prelude::*;
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Result, Tx,
    conn::each,
    schema::{accounts, blocks, mutes, notifications, users},
};

/// What happened, to whom, by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewNotification {
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
}

/// Tells local accounts what happened and returns the ids of the notifications made, in order.
/// Nobody is told of their own deeds, of the deeds of someone whom they block or whose
/// notifications they muted, or of the same thing twice.
pub fn create(tx: &mut Tx<'_>, news: &[NewNotification]) -> Result<Vec<NotificationId>> {
    let mut made = Vec::new();
    for new in news {
        if new.recipient != new.from && wants(tx, *new)? {
            made.extend(insert(tx, *new)?);
        }
    }
    Ok(made)
}

/// Takes back a notification whose cause is gone (an undone favourite, reblog or follow).
pub fn withdraw(tx: &mut Tx<'_>, what: NewNotification) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(what.recipient))
        .filter(notifications::from_account_id.eq(what.from))
        .filter(notifications::kind.eq(what.kind.as_str()))
        .filter(notifications::subject_id.eq(what.status.map_or(0, StatusId::get)))
        .execute(&mut **tx)?;
    Ok(())
}

fn wants(tx: &mut Tx<'_>, new: NewNotification) -> Result<bool> {
    let now = tx.now().unix_ms();
    let blocking = blocks::table
        .filter(blocks::account_id.eq(new.recipient))
        .filter(blocks::target_account_id.eq(new.from));
    let muting = mutes::table
        .filter(mutes::account_id.eq(new.recipient))
        .filter(mutes::target_account_id.eq(new.from))
        .filter(mutes::hide_notifications.eq(true))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now)));
    let local = users::table
        .inner_join(accounts::table)
        .filter(users::account_id.eq(new.recipient))
        .filter(accounts::suspended_at.is_null())
        .filter(diesel::dsl::not(diesel::dsl::exists(blocking)))
        .filter(diesel::dsl::not(diesel::dsl::exists(muting)));
    Ok(diesel::select(diesel::dsl::exists(local)).get_result(&mut **tx)?)
}

fn insert(tx: &mut Tx<'_>, new: NewNotification) -> Result<Option<NotificationId>> {
    let id = NotificationId::new(tx.next_id());
    let row = (
        notifications::id.eq(id),
        notifications::account_id.eq(new.recipient),
        notifications::from_account_id.eq(new.from),
        notifications::kind.eq(new.kind.as_str()),
        notifications::status_id.eq(new.status),
        notifications::subject_id.eq(new.status.map_or(0, StatusId::get)),
        notifications::created_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(notifications::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok((inserted == 1).then_some(id))
}
