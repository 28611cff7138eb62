//! Logins at external providers by which users sign in.

use diesel::prelude::*;
use siskin_entities::{ExternalIdentity, Timestamp};
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, TextExpression as _},
    pending_sign_ins,
    schema::{accounts, external_identities, second_factors, users},
    tokens::{OWNER, OwnerRow, TokenOwner},
};

/// A user with a login at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedUser {
    pub owner: TokenOwner,
    pub has_second_factor: bool,
    pub signed_up_at: Timestamp,
    /// Whether staff rejected the sign-up, or the account is being deleted.
    pub is_gone: bool,
}

/// Loads the user with this login at a provider.
pub fn find(conn: &mut Conn, issuer: &str, subject: &str) -> Result<Option<LinkedUser>> {
    /// Owner, second factor, and the times of the sign-up, of the rejection and of the begin of the
    /// deletion.
    type Row = (OwnerRow, Option<AccountId>, i64, Option<i64>, Option<i64>);
    let row: Option<Row> = external_identities::table
        .inner_join(accounts::table.on(external_identities::account_id.eq(accounts::id)))
        .inner_join(users::table.on(external_identities::account_id.eq(users::account_id)))
        .left_join(
            second_factors::table
                .on(external_identities::account_id.eq(second_factors::account_id)),
        )
        .filter(external_identities::issuer.eq(issuer))
        .filter(external_identities::subject.eq(subject))
        .select((
            OWNER,
            second_factors::account_id.nullable(),
            users::created_at,
            users::rejected_at,
            accounts::deleting_since,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(owner, factor, created, rejected, deleting)| LinkedUser {
        owner: owner.into(),
        has_second_factor: factor.is_some(),
        signed_up_at: Timestamp::from_unix_ms(created),
        is_gone: rejected.is_some() || deleting.is_some(),
    }))
}

/// Loads the logins of an account, ordered by provider.
pub fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<ExternalIdentity>> {
    let rows: Vec<(String, i64, i64)> = external_identities::table
        .filter(external_identities::account_id.eq(account))
        .order(external_identities::issuer)
        .select((
            external_identities::issuer,
            external_identities::created_at,
            external_identities::last_used_at,
        ))
        .load(conn)?;
    let identity = |(issuer, linked_at, last_used_at)| ExternalIdentity {
        issuer,
        linked_at: Timestamp::from_unix_ms(linked_at),
        last_used_at: Timestamp::from_unix_ms(last_used_at),
    };
    Ok(rows.into_iter().map(identity).collect())
}

/// Returns `true` if any of the accounts has a login at any of the providers.
pub fn any_linked(conn: &mut Conn, those: &[AccountId], issuers: &[String]) -> Result<bool> {
    let linked = external_identities::table
        .filter(external_identities::account_id.equals_any(those))
        .filter(external_identities::issuer.equals_any_text(issuers))
        .select(external_identities::account_id);
    Ok(diesel::select(diesel::dsl::exists(linked)).get_result(conn)?)
}

/// Inserts a login of an account. Returns `true` for exactly one of several concurrent callers, and
/// `false` if an account has this login, or the account has another one at this provider.
pub fn insert(tx: &mut Tx<'_>, account: AccountId, issuer: &str, subject: &str) -> Result<bool> {
    let now = tx.now().unix_ms();
    let row = (
        external_identities::account_id.eq(account),
        external_identities::issuer.eq(issuer),
        external_identities::subject.eq(subject),
        external_identities::created_at.eq(now),
        external_identities::last_used_at.eq(now),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(external_identities::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(inserted == 1)
}

/// Records that a login signed in.
pub fn touch(tx: &mut Tx<'_>, account: AccountId, issuer: &str) -> Result<()> {
    diesel::update(external_identities::table.find((account, issuer)))
        .set(external_identities::last_used_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes the login of an account at a provider. Returns `true` if there was one. Ends the
/// sign-ins that wait for a code, because they may have begun with it.
pub fn delete(tx: &mut Tx<'_>, account: AccountId, issuer: &str) -> Result<bool> {
    let deleted =
        diesel::delete(external_identities::table.find((account, issuer))).execute(&mut **tx)?;
    pending_sign_ins::delete_of_account(tx, account)?;
    Ok(deleted == 1)
}

/// Deletes all logins of an account, and ends sign-ins as [`delete`] does. Returns `true` if there
/// were any.
pub fn delete_of_account(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let logins = external_identities::table.filter(external_identities::account_id.eq(account));
    let deleted = diesel::delete(logins).execute(&mut **tx)?;
    pending_sign_ins::delete_of_account(tx, account)?;
    Ok(deleted > 0)
}
