//! Second factors of users, and their recovery codes. Secrets are stored encrypted, recovery codes
//! as hashes.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    schema::{recovery_codes, second_factors},
};

/// The second factor of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret, encrypted by the caller.
    pub sealed_secret: String,
    /// Number of the last time step with a used code.
    pub last_step: i64,
    pub enabled_at: Timestamp,
}

/// Loads the second factor of an account.
pub fn find(conn: &mut Conn, account: AccountId) -> Result<Option<SecondFactor>> {
    let row: Option<(String, i64, i64)> = second_factors::table
        .find(account)
        .select((
            second_factors::sealed_secret,
            second_factors::last_step,
            second_factors::enabled_at,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(sealed_secret, last_step, enabled_at)| SecondFactor {
        sealed_secret,
        last_step,
        enabled_at: Timestamp::from_unix_ms(enabled_at),
    }))
}

/// Returns `true` if the account has a second factor.
pub fn exists(conn: &mut Conn, account: AccountId) -> Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(second_factors::table.find(account))).get_result(conn)?)
}

/// Inserts the second factor of an account that has none. The code of `step` counts as used.
pub fn insert(tx: &mut Tx<'_>, account: AccountId, sealed_secret: &str, step: i64) -> Result<()> {
    let row = (
        second_factors::account_id.eq(account),
        second_factors::sealed_secret.eq(sealed_secret),
        second_factors::last_step.eq(step),
        second_factors::enabled_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(second_factors::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Marks the code of a time step as used. Returns `true` for exactly one of several concurrent
/// callers, and `false` if this or a later code was used.
pub fn use_step(tx: &mut Tx<'_>, account: AccountId, step: i64) -> Result<bool> {
    let used = diesel::update(second_factors::table.find(account))
        .filter(second_factors::last_step.lt(step))
        .set(second_factors::last_step.eq(step))
        .execute(&mut **tx)?;
    Ok(used == 1)
}

/// Records that the user is warned of wrong codes now. Returns `true` for exactly one of several
/// concurrent callers, and `false` if there was a warning at or after `since`.
pub fn begin_warning(tx: &mut Tx<'_>, account: AccountId, since: Timestamp) -> Result<bool> {
    let is_old =
        second_factors::warned_at.is_null().or(second_factors::warned_at.lt(since.unix_ms()));
    let begun = diesel::update(second_factors::table.find(account).filter(is_old))
        .set(second_factors::warned_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(begun == 1)
}

/// Deletes the second factor of an account and its recovery codes. Returns `true` if there was one.
pub fn delete(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(account)))
        .execute(&mut **tx)?;
    Ok(diesel::delete(second_factors::table.find(account)).execute(&mut **tx)? == 1)
}

/// Replaces the recovery codes of an account by those with these hashes.
pub fn replace_recovery_codes(
    tx: &mut Tx<'_>,
    account: AccountId,
    hashes: &[String],
) -> Result<()> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(account)))
        .execute(&mut **tx)?;
    for hash in hashes {
        let row = (recovery_codes::account_id.eq(account), recovery_codes::code_hash.eq(hash));
        diesel::insert_into(recovery_codes::table).values(row).execute(&mut **tx)?;
    }
    Ok(())
}

/// Uses up a recovery code. Returns `true` for exactly one of several concurrent callers.
pub fn take_recovery_code(tx: &mut Tx<'_>, account: AccountId, hash: &str) -> Result<bool> {
    Ok(diesel::delete(recovery_codes::table.find((account, hash))).execute(&mut **tx)? == 1)
}

/// Counts the recovery codes of an account that are left.
pub fn count_recovery_codes(conn: &mut Conn, account: AccountId) -> Result<i64> {
    Ok(recovery_codes::table
        .filter(recovery_codes::account_id.eq(account))
        .count()
        .get_result(conn)?)
}
