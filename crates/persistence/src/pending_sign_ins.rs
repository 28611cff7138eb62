//! Sign-ins that wait for a code, after the password was correct or a provider knew the person.
//! Their secrets are stored as hashes only.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, schema::pending_sign_ins};

/// A sign-in that waits for a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSignIn {
    pub account: AccountId,
    /// Identifier of the external provider at which the person signed in. `None` after a password.
    pub issuer: Option<String>,
}

/// Inserts a sign-in that nothing was tried for, and deletes the expired ones of the same account.
/// `issuer` is as in [`PendingSignIn`].
pub fn insert(
    tx: &mut Tx<'_>,
    hash: &str,
    account: AccountId,
    issuer: Option<&str>,
    expires_at: Timestamp,
) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::delete(pending_sign_ins::table)
        .filter(pending_sign_ins::account_id.eq(account))
        .filter(pending_sign_ins::expires_at.le(now))
        .execute(&mut **tx)?;
    let row = (
        pending_sign_ins::token_hash.eq(hash),
        pending_sign_ins::account_id.eq(account),
        pending_sign_ins::tries.eq(0_i64),
        pending_sign_ins::expires_at.eq(expires_at.unix_ms()),
        pending_sign_ins::issuer.eq(issuer),
    );
    diesel::insert_into(pending_sign_ins::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Returns the sign-in with this hash, if fewer than `max_tries` codes were tried and it has not
/// expired at `now`.
pub fn find(
    conn: &mut Conn,
    hash: &str,
    max_tries: i64,
    now: Timestamp,
) -> Result<Option<PendingSignIn>> {
    let row: Option<(AccountId, Option<String>)> = pending_sign_ins::table
        .find(hash)
        .filter(pending_sign_ins::tries.lt(max_tries))
        .filter(pending_sign_ins::expires_at.gt(now.unix_ms()))
        .select((pending_sign_ins::account_id, pending_sign_ins::issuer))
        .first(conn)
        .optional()?;
    Ok(row.map(|(account, issuer)| PendingSignIn { account, issuer }))
}

/// Counts a try. Of several concurrent callers, `true` is returned to no more than are left of
/// `max_tries`.
pub fn count_try(tx: &mut Tx<'_>, hash: &str, max_tries: i64) -> Result<bool> {
    let now = tx.now().unix_ms();
    let counted = diesel::update(pending_sign_ins::table.find(hash))
        .filter(pending_sign_ins::tries.lt(max_tries))
        .filter(pending_sign_ins::expires_at.gt(now))
        .set(pending_sign_ins::tries.eq(pending_sign_ins::tries + 1))
        .execute(&mut **tx)?;
    Ok(counted == 1)
}

/// Deletes a sign-in. Returns `true` if it existed.
pub fn delete(tx: &mut Tx<'_>, hash: &str) -> Result<bool> {
    Ok(diesel::delete(pending_sign_ins::table.find(hash)).execute(&mut **tx)? == 1)
}

/// Deletes all sign-ins of an account. What was proven for them does not count any more.
pub fn delete_of_account(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    diesel::delete(pending_sign_ins::table.filter(pending_sign_ins::account_id.eq(account)))
        .execute(&mut **tx)?;
    Ok(())
}
