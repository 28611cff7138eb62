//! The policy of an account about notifications, and the senders that it permits in spite of it.

use diesel::prelude::*;
use siskin_entities::{NotificationPolicy, PolicyAction, PolicyRule};
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{notification_permissions, notification_policies},
};

/// Loads the policy of an account.
pub fn load(conn: &mut Conn, account: AccountId) -> Result<NotificationPolicy> {
    let rows: Vec<(i16, i16)> = notification_policies::table
        .filter(notification_policies::account_id.eq(account))
        .select((notification_policies::rule, notification_policies::action))
        .load(conn)?;
    let mut policy = NotificationPolicy::default();
    for (rule, action) in rows {
        if let Some(rule) = PolicyRule::from_number(rule) {
            policy.set(rule, PolicyAction::from_number(action));
        }
    }
    Ok(policy)
}

/// Stores the actions of these rules. Other rules keep theirs.
pub fn set(
    tx: &mut Tx<'_>,
    account: AccountId,
    actions: &[(PolicyRule, PolicyAction)],
) -> Result<()> {
    for (rule, action) in actions {
        let row = (
            notification_policies::account_id.eq(account),
            notification_policies::rule.eq(rule.number()),
            notification_policies::action.eq(action.number()),
        );
        each!(&mut **tx, conn => diesel::insert_into(notification_policies::table)
            .values(row)
            .on_conflict((notification_policies::account_id, notification_policies::rule))
            .do_update()
            .set(notification_policies::action.eq(action.number()))
            .execute(conn))?;
    }
    Ok(())
}

/// Permits these senders. Does nothing for those that are permitted already.
pub fn permit(tx: &mut Tx<'_>, account: AccountId, senders: &[AccountId]) -> Result<()> {
    let now = tx.now().unix_ms();
    let row = |sender: &AccountId| {
        (
            notification_permissions::account_id.eq(account),
            notification_permissions::from_account_id.eq(*sender),
            notification_permissions::created_at.eq(now),
        )
    };
    let rows: Vec<_> = senders.iter().map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(notification_permissions::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}
