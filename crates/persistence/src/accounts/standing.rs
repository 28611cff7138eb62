//! What staff decides about an account: columns that every sign-in and every read look at.

use diesel::{dsl::exists, prelude::*};
use siskin_ids::{AccountId, RoleId};

use crate::{
    Result, Tx,
    access::{self, Ended},
    schema::{accounts, users},
};

use super::listing;

/// One decision about an account or its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The e-mail address is known to be the person's.
    Confirm,
    /// The person is admitted.
    Approve,
    /// Whether the person may not sign in.
    Disabled(bool),
    /// Whether the account is frozen and shown as an empty shell.
    Suspended(bool),
    /// Whether the account is limited to those who follow it or ask for it.
    Silenced(bool),
}

/// Writes a decision. Codes and streams of an account that may no longer act end. A decision that was
/// taken before keeps its time, and one about a person changes nothing if the account has none.
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

/// Gives a person a role, or takes it.
pub fn set_role(tx: &mut Tx<'_>, account: AccountId, role: Option<RoleId>) -> Result<()> {
    diesel::update(users::table.find(account)).set(users::role_id.eq(role)).execute(&mut **tx)?;
    refresh(tx, account)
}

/// Replaces a person's password.
pub fn set_password_hash(tx: &mut Tx<'_>, account: AccountId, hash: &str) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(users::table.find(account))
        .set((users::password_hash.eq(hash), users::updated_at.eq(now)))
        .execute(&mut **tx)?;
    Ok(())
}

/// A local account is reachable once its person is confirmed and admitted; and what is shown of
/// it may have changed.
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
