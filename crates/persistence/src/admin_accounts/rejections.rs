//! Rejected sign-ups. Such an account keeps its rows for a while, so that a mistake can be undone,
//! but its name and its email address are free at once.

use diesel::{prelude::*, sql_types::Text};
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    fixed::fixed,
    schema::{accounts, notifications, users},
};

/// What identifies a local account and its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'a> {
    /// Folded user name.
    pub username_key: &'a str,
    /// Folded email address.
    pub email_key: &'a str,
    pub uri: &'a str,
}

/// Marks a sign-up as rejected and frees its name and its email address: no name or address is
/// equal to what replaces them. Deletes the notifications about it.
pub fn reject(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let now = tx.now().unix_ms();
    let placeholder = format!("#{account}");
    diesel::update(users::table.find(account))
        .set((users::rejected_at.eq(now), users::email_key.eq(&placeholder)))
        .execute(&mut **tx)?;
    diesel::update(accounts::table.find(account))
        .set((
            accounts::username_key.eq(&placeholder),
            accounts::uri.eq(fixed!(Text, "accounts.uri || '#' || accounts.id")),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    diesel::delete(notifications::table.filter(notifications::from_account_id.eq(account)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Undoes [`reject`]. The name and the address must be free.
pub fn restore(tx: &mut Tx<'_>, account: AccountId, identity: &Identity<'_>) -> Result<()> {
    diesel::update(users::table.find(account))
        .set((users::rejected_at.eq(None::<i64>), users::email_key.eq(identity.email_key)))
        .execute(&mut **tx)?;
    diesel::update(accounts::table.find(account))
        .set((
            accounts::username_key.eq(identity.username_key),
            accounts::uri.eq(identity.uri),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Returns the first sign-ups that were rejected before `before`, the earliest first.
pub fn overdue(conn: &mut Conn, before: Timestamp, limit: i64) -> Result<Vec<AccountId>> {
    Ok(users::table
        .filter(users::rejected_at.lt(before.unix_ms()))
        .order((users::rejected_at, users::account_id))
        .limit(limit)
        .select(users::account_id)
        .load(conn)?)
}

/// Returns the sign-up with this user name that was rejected last. Compares the case, too.
pub fn rejected_named(conn: &mut Conn, username: &str) -> Result<Option<AccountId>> {
    Ok(users::table
        .inner_join(accounts::table)
        .filter(users::rejected_at.gt(0_i64))
        .filter(accounts::username.eq(username))
        .order((users::rejected_at.desc(), users::account_id.desc()))
        .select(users::account_id)
        .first(conn)
        .optional()?)
}
