//! Creates and deletes notifications in the transaction of their cause.

use std::collections::{BTreeMap, HashSet};

use diesel::{
    dsl::not,
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, list_of, rows_of_list},
    events::DomainEvent,
    prepared::prepared,
    schema::{accounts, notifications, users},
    statuses::{accepts_notifications, blocks_account, follows, regarded, row_exists},
};

/// Maximum number of rows per statement, because both engines limit the number of bind values.
const ROWS_AT_ONCE: usize = 1000;

/// A notification to create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewNotification {
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
}

/// Inserts notifications for local accounts and returns their ids, in order.
///
/// An account gets none about:
/// - its own actions, except the end of its own poll;
/// - actions of accounts that it blocks, mutes with notifications, or blocks by domain, and of
///   accounts that block it;
/// - actions of a silenced account that it does not follow;
/// - a mention in a status that also mentions, or replies to, an account that it blocks or mutes
///   with notifications;
/// - statuses of a conversation that it muted;
/// - the same thing twice.
///
/// Publishes an event about the new notifications. Runs four statements for each thousand
/// recipients of one sender.
pub fn create(
    tx: &mut Tx<'_>,
    new_notifications: &[NewNotification],
) -> Result<Vec<NotificationId>> {
    let mut recipients: BTreeMap<AccountId, Vec<AccountId>> = BTreeMap::new();
    let is_notifiable =
        |new: &&NewNotification| new.recipient != new.from || new.kind.notifies_actor();
    for new in new_notifications.iter().filter(is_notifiable) {
        recipients.entry(new.from).or_default().push(new.recipient);
    }
    let mut accepting = HashSet::new();
    for (from, recipients) in recipients {
        for some in recipients.chunks(ROWS_AT_ONCE) {
            accepting.extend(
                accepting_recipients(tx, from, some)?
                    .into_iter()
                    .map(|recipient| (from, recipient)),
            );
        }
    }
    let rejected = rejected(tx, new_notifications)?;
    let is_accepted = |new: &&NewNotification| {
        let is_about = |status| rejected.contains(&(new.recipient, status));
        accepting.contains(&(new.from, new.recipient)) && !new.status.is_some_and(is_about)
    };
    let accepted: Vec<&NewNotification> = new_notifications.iter().filter(is_accepted).collect();
    let mut ids = Vec::new();
    for some in accepted.chunks(ROWS_AT_ONCE) {
        let written = insert(tx, some)?;
        ids.extend(written.iter().map(|(_, id)| *id));
        if !written.is_empty() {
            DomainEvent::Notified(written).write(tx)?;
        }
    }
    ids.sort_unstable();
    Ok(ids)
}

/// Deletes a notification after its cause was undone (a favourite, reblog or follow).
pub fn withdraw(tx: &mut Tx<'_>, notification: NewNotification) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(notification.recipient))
        .filter(notifications::from_account_id.eq(notification.from))
        .filter(notifications::kind.eq(notification.kind.as_str()))
        .filter(notifications::subject_id.eq(subject(notification.status)))
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

/// Returns those of `recipients` that are local, active, and accept notifications from `from`. A
/// silenced account notifies its followers only.
fn accepting_recipients(
    tx: &mut Tx<'_>,
    from: AccountId,
    recipients: &[AccountId],
) -> Result<Vec<AccountId>> {
    let now = tx.now();
    let silenced = regarded
        .filter(regarded.field(accounts::id).eq(from))
        .filter(regarded.field(accounts::silenced_at).is_not_null());
    Ok(users::table
        .inner_join(accounts::table)
        .filter(users::account_id.equals_any(recipients))
        .filter(accounts::suspended_at.is_null())
        .filter(accepts_notifications!(users::account_id, now, account: from))
        .filter(not(blocks_account!(from, account: users::account_id)))
        .filter(
            not(row_exists!(silenced))
                .or(users::account_id.eq(from))
                .or(follows!(users::account_id, account: from)),
        )
        .select(users::account_id)
        .load(&mut **tx)?)
}

/// Returns pairs of a recipient and a status about which the recipient gets no notification. Either
/// the status is in a muted conversation, or it is a mention beside a participant that the
/// recipient blocks or mutes with notifications. Runs one statement for each thousand.
fn rejected(
    tx: &mut Tx<'_>,
    new_notifications: &[NewNotification],
) -> Result<HashSet<(AccountId, StatusId)>> {
    let about: Vec<(AccountId, StatusId, bool)> = new_notifications
        .iter()
        .filter_map(|new| Some((new.recipient, new.status?, new.kind == NotificationKind::Mention)))
        .collect();
    let mut found = HashSet::new();
    for some in about.chunks(ROWS_AT_ONCE) {
        let recipients: HashSet<AccountId> =
            some.iter().map(|(recipient, ..)| *recipient).collect();
        let statuses: HashSet<StatusId> = some.iter().map(|(_, status, _)| *status).collect();
        let mentioning = some.iter().filter(|(.., mentions)| *mentions);
        let mentioning: HashSet<StatusId> = mentioning.map(|(_, status, _)| *status).collect();
        let query = sql_query(rejected_sql(tx))
            .bind::<Text, _>(list_of(recipients))
            .bind::<Text, _>(list_of(statuses))
            .bind::<Text, _>(list_of(mentioning))
            .bind::<BigInt, _>(tx.now().unix_ms());
        let rows: Vec<Rejected> = each!(&mut **tx, conn => prepared(query).load(conn))?;
        found.extend(rows.into_iter().map(|row| (row.recipient, row.status)));
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Rejected {
    #[diesel(sql_type = BigInt)]
    recipient: AccountId,
    #[diesel(sql_type = BigInt)]
    status: StatusId,
}

/// Returns the SQL of [`rejected`]. Parameters: `$1` recipients, `$2` statuses, `$3` the mentioning
/// ones among them, `$4` the present time. CROSS JOIN makes SQLite read the tables in this order.
fn rejected_sql(conn: &Conn) -> String {
    let (recipients, about, mentioning) =
        (rows_of_list(conn, "$1"), rows_of_list(conn, "$2"), rows_of_list(conn, "$3"));
    format!(
        "WITH recipients AS ({recipients}), about AS ({about}), mentioning AS ({mentioning}),
        participants AS (
            SELECT mentions.status_id, mentions.account_id FROM mentioning CROSS JOIN mentions
            WHERE mentions.status_id = mentioning.id AND NOT mentions.silent
            UNION
            SELECT statuses.id, statuses.in_reply_to_account_id
            FROM mentioning CROSS JOIN statuses
            WHERE statuses.id = mentioning.id AND statuses.in_reply_to_account_id IS NOT NULL
        )
        SELECT recipients.id AS recipient, statuses.id AS status
        FROM about CROSS JOIN statuses CROSS JOIN recipients CROSS JOIN muted_conversations
        WHERE statuses.id = about.id AND muted_conversations.account_id = recipients.id
        AND muted_conversations.conversation_id = statuses.conversation_id
        UNION ALL
        SELECT recipients.id, participants.status_id
        FROM participants CROSS JOIN recipients CROSS JOIN blocks
        WHERE blocks.account_id = recipients.id
        AND blocks.target_account_id = participants.account_id
        UNION ALL
        SELECT recipients.id, participants.status_id
        FROM participants CROSS JOIN recipients CROSS JOIN mutes
        WHERE mutes.account_id = recipients.id
        AND mutes.target_account_id = participants.account_id
        AND mutes.hide_notifications AND (mutes.expires_at IS NULL OR mutes.expires_at > $4)
        UNION ALL
        SELECT recipients.id, participants.status_id
        FROM participants CROSS JOIN accounts CROSS JOIN recipients
        CROSS JOIN account_domain_blocks
        WHERE accounts.id = participants.account_id AND accounts.domain IS NOT NULL
        AND account_domain_blocks.account_id = recipients.id
        AND account_domain_blocks.domain = accounts.domain"
    )
}

fn insert(
    tx: &mut Tx<'_>,
    new_notifications: &[&NewNotification],
) -> Result<Vec<(AccountId, NotificationId)>> {
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
    let rows: Vec<_> = new_notifications.iter().map(row).collect();
    Ok(each!(&mut **tx, conn => diesel::insert_into(notifications::table)
        .values(rows)
        .on_conflict_do_nothing()
        .returning((notifications::account_id, notifications::id))
        .get_results(conn))?)
}

/// Returns the value that identifies duplicates among notifications of one kind, sender and
/// recipient.
fn subject(status: Option<StatusId>) -> i64 {
    status.map_or(0, StatusId::get)
}
