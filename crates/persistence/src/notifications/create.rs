//! Notifications are made and taken back in the transaction of their cause.

use std::collections::{BTreeMap, HashSet};

use diesel::{dsl::not, prelude::*};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Result, Tx,
    among::IdExpression as _,
    conn::each,
    events::Happened,
    schema::{accounts, muted_conversations, notifications, statuses, users},
    statuses::{avoids, wants_to_hear},
};

/// Rows in one statement: both engines limit how many values can be bound.
const ROWS_AT_ONCE: usize = 1000;

/// What happened, to whom, by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewNotification {
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
}

/// Tells local accounts what happened and returns the ids of the notifications made, in order.
/// Nobody is told of their own deeds (but of the end of their own poll), of the deeds of someone whom they block or are blocked by
/// (themselves or their server) or whose notifications they muted, of a conversation that they
/// muted, or of the same thing twice.
///
/// Streams hear of what was made. Costs four statements for each thousand recipients of one sender.
pub fn create(tx: &mut Tx<'_>, news: &[NewNotification]) -> Result<Vec<NotificationId>> {
    let mut recipients: BTreeMap<AccountId, Vec<AccountId>> = BTreeMap::new();
    let is_news =
        |new: &&NewNotification| new.recipient != new.from || new.kind.is_for_its_cause_too();
    for new in news.iter().filter(is_news) {
        recipients.entry(new.from).or_default().push(new.recipient);
    }
    let mut told = HashSet::new();
    for (from, recipients) in recipients {
        for some in recipients.chunks(ROWS_AT_ONCE) {
            told.extend(wanting(tx, from, some)?.into_iter().map(|recipient| (from, recipient)));
        }
    }
    let muted = in_muted_conversations(tx, news)?;
    let is_wanted = |new: &&NewNotification| {
        told.contains(&(new.from, new.recipient))
            && !new.status.is_some_and(|status| muted.contains(&(new.recipient, status)))
    };
    let wanted: Vec<&NewNotification> = news.iter().filter(is_wanted).collect();
    let mut made = Vec::new();
    for some in wanted.chunks(ROWS_AT_ONCE) {
        let written = insert(tx, some)?;
        made.extend(written.iter().map(|(_, id)| *id));
        if !written.is_empty() {
            Happened::Notified(written).write(tx)?;
        }
    }
    made.sort_unstable();
    Ok(made)
}

/// Takes back a notification whose cause is gone (an undone favourite, reblog or follow).
pub fn withdraw(tx: &mut Tx<'_>, what: NewNotification) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(what.recipient))
        .filter(notifications::from_account_id.eq(what.from))
        .filter(notifications::kind.eq(what.kind.as_str()))
        .filter(notifications::subject_id.eq(subject(what.status)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Takes back all notifications of a kind about a status, whoever got them.
pub fn withdraw_all(tx: &mut Tx<'_>, kind: NotificationKind, status: StatusId) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::status_id.eq(status))
        .filter(notifications::kind.eq(kind.as_str()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Those of `recipients` who are local, in use, and want to hear of `from`.
fn wanting(tx: &mut Tx<'_>, from: AccountId, recipients: &[AccountId]) -> Result<Vec<AccountId>> {
    let now = tx.now();
    Ok(users::table
        .inner_join(accounts::table)
        .filter(users::account_id.among(recipients))
        .filter(accounts::suspended_at.is_null())
        .filter(wants_to_hear!(users::account_id, now, account: from))
        .filter(not(avoids!(from, account: users::account_id)))
        .select(users::account_id)
        .load(&mut **tx)?)
}

/// The recipients who muted the conversation of the status that they would be told of, with that
/// status.
fn in_muted_conversations(
    tx: &mut Tx<'_>,
    news: &[NewNotification],
) -> Result<HashSet<(AccountId, StatusId)>> {
    let mut found = HashSet::new();
    let about: Vec<(AccountId, StatusId)> =
        news.iter().filter_map(|new| Some((new.recipient, new.status?))).collect();
    for some in about.chunks(ROWS_AT_ONCE) {
        let (recipients, of): (Vec<AccountId>, HashSet<StatusId>) = some.iter().copied().unzip();
        let rows: Vec<(AccountId, StatusId)> = muted_conversations::table
            .inner_join(
                statuses::table
                    .on(statuses::conversation_id.eq(muted_conversations::conversation_id)),
            )
            .filter(statuses::id.among(of))
            .filter(muted_conversations::account_id.among(recipients))
            .select((muted_conversations::account_id, statuses::id))
            .load(&mut **tx)?;
        found.extend(rows);
    }
    Ok(found)
}

fn insert(tx: &mut Tx<'_>, news: &[&NewNotification]) -> Result<Vec<(AccountId, NotificationId)>> {
    let now = tx.now().unix_ms();
    let row = |new: &&NewNotification| {
        (
            notifications::id.eq(NotificationId::new(tx.next_id())),
            notifications::account_id.eq(new.recipient),
            notifications::from_account_id.eq(new.from),
            notifications::kind.eq(new.kind.as_str()),
            notifications::status_id.eq(new.status),
            notifications::subject_id.eq(subject(new.status)),
            notifications::created_at.eq(now),
        )
    };
    let rows: Vec<_> = news.iter().map(row).collect();
    Ok(each!(&mut **tx, conn => diesel::insert_into(notifications::table)
        .values(rows)
        .on_conflict_do_nothing()
        .returning((notifications::account_id, notifications::id))
        .get_results(conn))?)
}

/// What makes a notification the same as another one of its kind between the same two.
fn subject(status: Option<StatusId>) -> i64 {
    status.map_or(0, StatusId::get)
}
