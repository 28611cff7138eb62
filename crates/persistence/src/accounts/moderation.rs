//! Moderation state of accounts and users. Every sign-in and every read checks these columns.

use diesel::{dsl::exists, prelude::*};
use siskin_ids::{AccountId, RoleId};

use crate::{
    Result, Tx,
    access::{self, Ended},
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
}

/// Writes a decision. Ends the authorization codes and streams of an account that may no longer
/// act. Repeating a decision keeps the first timestamp. A decision about the user changes nothing
/// if the account has no user.
pub fn decide(tx: &mut Tx<'_>, account: AccountId, decision: Decision) -> Result<()> {
    let now = tx.now().unix_ms();
    let person = users::table.find(account);
    let profile = accounts::table.find(account);
    match decision {
        Decision::Confirm => diesel::update(person.filter(users::confirmed_at.is_null()))
            .set(users::confirmed_at.eq(now))
            .execute(&mut **tx)?,
        Decision::Approve => {
            diesel::update(person).set(users::approved.eq(true)).execute(&mut **tx)?
        }
        Decision::Disabled(disabled) => {
            diesel::update(person).set(users::disabled.eq(disabled)).execute(&mut **tx)?
        }
        Decision::Suspended(true) => {
            diesel::update(profile.filter(accounts::suspended_at.is_null()))
                .set(accounts::suspended_at.eq(now))
                .execute(&mut **tx)?
        }
        Decision::Suspended(false) => diesel::update(profile)
            .set(accounts::suspended_at.eq(None::<i64>))
            .execute(&mut **tx)?,
        Decision::Silenced(true) => diesel::update(profile.filter(accounts::silenced_at.is_null()))
            .set(accounts::silenced_at.eq(now))
            .execute(&mut **tx)?,
        Decision::Silenced(false) => {
            diesel::update(profile).set(accounts::silenced_at.eq(None::<i64>)).execute(&mut **tx)?
        }
    };
    if matches!(decision, Decision::Disabled(true) | Decision::Suspended(true)) {
        access::end(tx, Ended::Account(account))?;
    }
    refresh(tx, account)
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
