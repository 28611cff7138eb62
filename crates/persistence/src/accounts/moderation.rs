//! Moderation state of accounts and users. Every sign-in and every read checks these columns.

use diesel::{dsl::exists, prelude::*};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, RoleId};

use crate::{
    Conn, Result, Tx,
    access::{self, Ended},
    instance_domains,
    schema::{accounts, users},
};

use super::listing;

/// A change of the state of an account or its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The email address is confirmed.
    Confirm,
    /// The user is approved.
    Approve,
    /// Whether the user may not sign in.
    Disabled(bool),
    /// Whether the account is suspended: frozen and shown as an empty shell.
    Suspended(bool),
    /// Whether the account is silenced: limited to its followers and to viewers that request it.
    Silenced(bool),
    /// Whether all media of the account are shown as sensitive.
    Sensitized(bool),
}

/// Writes a decision. Ends the authorization codes and streams of an account that may no longer
/// act. Returns `false` if the account was in this state already; then it keeps its first timestamp.
/// A decision about the user changes nothing if the account has no user.
pub fn decide(tx: &mut Tx<'_>, account: AccountId, decision: Decision) -> Result<bool> {
    let now = tx.now().unix_ms();
    let person = users::table.find(account);
    let profile = accounts::table.find(account);
    // If a domain block limits the account too, its row combines both.
    let own = instance_domains::decide_own(tx, account, decision)?;
    let changed = match decision {
        _ if own.is_some() => own.unwrap_or_default(),
        Decision::Confirm => diesel::update(person.filter(users::confirmed_at.is_null()))
            .set(users::confirmed_at.eq(now))
            .execute(&mut **tx)?,
        Decision::Approve => diesel::update(person.filter(users::approved.eq(false)))
            .set(users::approved.eq(true))
            .execute(&mut **tx)?,
        Decision::Disabled(disabled) => diesel::update(person.filter(users::disabled.ne(disabled)))
            .set(users::disabled.eq(disabled))
            .execute(&mut **tx)?,
        Decision::Suspended(true) => {
            diesel::update(profile.filter(accounts::suspended_at.is_null()))
                .set(accounts::suspended_at.eq(now))
                .execute(&mut **tx)?
        }
        Decision::Suspended(false) => {
            diesel::update(profile.filter(accounts::suspended_at.is_not_null()))
                .set(accounts::suspended_at.eq(None::<i64>))
                .execute(&mut **tx)?
        }
        Decision::Silenced(true) => diesel::update(profile.filter(accounts::silenced_at.is_null()))
            .set(accounts::silenced_at.eq(now))
            .execute(&mut **tx)?,
        Decision::Silenced(false) => {
            diesel::update(profile.filter(accounts::silenced_at.is_not_null()))
                .set(accounts::silenced_at.eq(None::<i64>))
                .execute(&mut **tx)?
        }
        Decision::Sensitized(true) => {
            diesel::update(profile.filter(accounts::sensitized_at.is_null()))
                .set(accounts::sensitized_at.eq(now))
                .execute(&mut **tx)?
        }
        Decision::Sensitized(false) => {
            diesel::update(profile.filter(accounts::sensitized_at.is_not_null()))
                .set(accounts::sensitized_at.eq(None::<i64>))
                .execute(&mut **tx)?
        }
    };
    if changed == 0 {
        return Ok(false);
    }
    if matches!(decision, Decision::Disabled(true) | Decision::Suspended(true)) {
        access::end(tx, Ended::Account(account))?;
    }
    refresh(tx, account)?;
    Ok(true)
}

/// Since when an account is suspended, and since when it is being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ending {
    pub suspended_at: Option<Timestamp>,
    pub deleting_since: Option<Timestamp>,
}

/// Returns whether an account is suspended or being deleted. A suspension by a domain block does not
/// count, because it only hides accounts. Returns the default if the account is gone.
pub fn ending(conn: &mut Conn, account: AccountId) -> Result<Ending> {
    let row: Option<(Option<i64>, Option<i64>)> = accounts::table
        .find(account)
        .select((accounts::suspended_at, accounts::deleting_since))
        .first(conn)
        .optional()?;
    let (suspended_at, deleting_since) = row.unwrap_or_default();
    let suspended_at = instance_domains::own_suspended_at(conn, account)?.unwrap_or(suspended_at);
    let time = |ms: Option<i64>| ms.map(Timestamp::from_unix_ms);
    Ok(Ending { suspended_at: time(suspended_at), deleting_since: time(deleting_since) })
}

/// Stores that the account is being deleted. Keeps the time if it is already.
pub fn begin_deletion(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(accounts::table.find(account).filter(accounts::deleting_since.is_null()))
        .set(accounts::deleting_since.eq(now))
        .execute(&mut **tx)?;
    Ok(())
}

/// Sets the role of a user. `None` removes it.
pub fn set_role(tx: &mut Tx<'_>, account: AccountId, role: Option<RoleId>) -> Result<()> {
    diesel::update(users::table.find(account)).set(users::role_id.eq(role)).execute(&mut **tx)?;
    refresh(tx, account)
}

/// Replaces the password hash of a user.
pub fn set_password_hash(tx: &mut Tx<'_>, account: AccountId, hash: &str) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(users::table.find(account))
        .set((users::password_hash.eq(hash), users::updated_at.eq(now)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Recomputes `reachable` and raises the version of the account. A local account is reachable once
/// its user is confirmed and approved. The version changes because the rendered account may differ.
fn refresh(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let waiting = users::table
        .find(account)
        .filter(users::confirmed_at.is_null().or(users::approved.eq(false)));
    let waits: bool = diesel::select(exists(waiting)).get_result(&mut **tx)?;
    diesel::update(accounts::table.find(account))
        .set((
            accounts::reachable.eq(!waits),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    listing::refresh(tx, account)
}
